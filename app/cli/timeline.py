"""`timeline`: start and duration of each step of a scenario's job, and how busy the links are."""

import argparse
from pathlib import Path

from app.cli.json_output import declare_json, print_json
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.cli.streams import print_written, separate_output
from app.cli.whole_number import whole_number
from app.wording.figures import listed_lines, traffic_text
from core.figures.notes import timeline_notes
from core.figures.timeline import Timed, TimelineFigures, timeline_figures
from core.files import write_steps
from core.text import duration, figure, plural
from core.timing import StepFigures, Timeline, timeline, timing_of
from core.timing.clex_rounds import ClexRounds

DEFAULT_STEPS = 40
"""Default number of steps in the printed table."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_scenario(parser)
    declare_json(parser, TimelineFigures)
    parser.add_argument("--csv", type=Path, metavar="OUT.csv", help="write a table with a row per step")
    parser.add_argument(
        "--steps",
        type=whole_number(0),
        metavar="N",
        help=f"list only the first N steps (default: {DEFAULT_STEPS} as text, all with --json and --csv)",
    )
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the timeline of a scenario."""
    live = options.live
    with separate_output(options, "csv", ".csv"):
        live.stage("reading")
        case = scenario_given(options).build(progress=live.later_stage("mapping"))
        times = timeline(case, refuse_minutes(live.stage("steps"), options.patient))
        if options.csv is not None:
            live.stage("writing")
            write_steps(options.csv, times, options.steps)
        live.end()
        if options.json:
            print_json(timeline_figures(times, options.steps))
        else:
            _print(times, DEFAULT_STEPS if options.steps is None else options.steps)
        print_written(options.csv, options)
    return 0


def _print(times: Timeline, steps: int) -> None:
    case = times.case
    total = "" if times.total_seconds is None else f"{duration(times.total_seconds)}, "
    print(f"{total}{plural(len(times.steps), 'step')}: {timing_of(case).summary()}")
    print(f"{case.size}; {traffic_text(times)}")
    shares = (f"{name} {share:.1%}" for name, share in times.utilisation.items())
    print(f"mean link utilisation: {', '.join(shares)}")
    if case.neighbours:
        own = (f"{name} {share:.1%}" for name, share in times.own_utilisation.items())
        print(f"by this job: {', '.join(own)}")
    for note in timeline_notes(times):
        print(f"note: {note}")
    for line in listed_lines(Timed(times), case.job.measure, TimelineFigures):
        print(line)
    if times.rounds is not None:
        _print_levels(times.rounds)
    shown = times.figures(steps)
    rows = [("step", "start", "duration", "messages", "hops", "most hops", "limited by"), *map(_row, shown)]
    first, *wide = (max(map(len, column)) for column in zip(*rows, strict=True))
    print()
    for name, *figures, limit in rows:
        right = (f"{text:>{max(width + 2, 10)}}" for text, width in zip(figures, wide, strict=False))
        print(f"{name:<{first}}{''.join(right)}  {limit}")
    if len(times.steps) > len(shown):
        print(f"... and {len(times.steps) - len(shown):,} more; --steps N lists N, --json and --csv all")


def _print_levels(rounds: ClexRounds) -> None:
    print(f"{rounds.rounds:,} rounds")
    print("\nlevel   max rounds  mean rounds   max mean load  mean hops")
    for level in rounds.levels:
        figures = (
            f"{level.max_rounds:>13,}{level.mean_rounds:>13.4g}{level.max_mean_load:>16.4g}{level.mean_hops:>11.4g}"
        )
        print(f"{level.level:<5}{figures}")


def _row(step: StepFigures) -> tuple[str, ...]:
    times = ("-" if time is None else duration(time) for time in (step.start, step.seconds))
    return (step.name, *times, f"{step.messages:,}", figure(step.hops), figure(step.max_hops), step.bottleneck or "-")
