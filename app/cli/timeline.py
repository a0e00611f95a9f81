"""`timeline`: when each phase of a scenario's job runs, and how busy the links are."""

import argparse
from pathlib import Path

import msgspec

from app.cli.patience import declare_insistence, refuse_minutes
from app.cli.streams import separate_output
from core.files import read_scenario, write_steps
from core.study.results import timeline_figures
from core.text import duration, figure, plural
from core.timing import Step, Timeline, timeline, timing_of

STEPS = 40
"""Rows of the table that a person is shown, unless more are asked for."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="scenario file (.fabriscope.json)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--csv", type=Path, metavar="OUT.csv", help="write a row for each step")
    parser.add_argument("--steps", type=_count, metavar="N", help=f"tell of the first N steps only (table: {STEPS})")
    declare_insistence(parser)
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise ValueError
    return count


def run(options: argparse.Namespace) -> int:
    """Time a scenario file, as its options say."""
    live = options.live
    with separate_output(options, "csv"):
        live.stage("reading")
        case = read_scenario(options.file).build()
        found = timeline(case, refuse_minutes(live.stage("steps"), options.patient))
        if options.csv is not None:
            live.stage("writing")
            write_steps(options.csv, found, options.steps)
        live.end()
        if options.json:
            print(msgspec.json.encode(timeline_figures(found, options.steps)).decode())
        else:
            _print(found, STEPS if options.steps is None else options.steps)
    return 0


def _print(found: Timeline, steps: int) -> None:
    case = found.case
    print(f"{duration(found.seconds)}, {plural(len(found.steps), 'step')}: {timing_of(case).summary()}")
    crossed = f"{plural(found.messages, 'message')} over {figure(found.hops)} links"
    pairs = "" if found.contention is None else f", {figure(found.contention)} pairs meet on a link"
    print(f"{case.size}; {crossed}{pairs}")
    shares = (f"{name} {share:.1%}" for name, share in found.utilisation.items())
    print(f"links busy on average: {', '.join(shares)}")
    if case.job.unit:
        print("a unit is taken as 1 GB")
    shown = found.steps[:steps]
    wide = max([len(step.name) for step in shown], default=4) + 2
    print(f"\n{'step':<{wide}}{'start':>10}{'takes':>10}{'messages':>12}{'hops':>10}{'farthest':>10}  waits for")
    for step in shown:
        print(_line(step, wide))
    if len(found.steps) > len(shown):
        print(f"... and {len(found.steps) - len(shown):,} more: --steps N tells of N, --json and --csv of all")


def _line(step: Step, wide: int) -> str:
    times = f"{duration(step.start):>10}{duration(step.seconds):>10}"
    counts = f"{step.messages:>12,}{figure(step.hops):>10}{figure(step.max_hops):>10}"
    return f"{step.name:<{wide}}{times}{counts}  {step.bottleneck or '-'}"
