"""`measured`: counters of a machine's links compared with the loads predicted for a scenario."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.cli.imports import print_imports
from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_number
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.same_folder import check_folder
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.cli.streams import print_written, separate_output
from app.wording.counters import scale_text, tolerance_text
from app.wording.numbers import significant
from core.figures.measured import (
    TOP,
    Counted,
    DisagreeingLink,
    MeasuredFigures,
    MeasuredInterval,
    MeasuredLink,
    measured_figures,
)
from core.files import write_scenario
from core.files.import_report import reports_of
from core.load.evaluate import LoadReport, evaluate
from core.load.measured import unknown_background
from core.text import plural

NONE = "–"
MAX_TOP = 10_000
EPILOG = """\
The scenario must describe what ran while the counters counted: its job, mapping and routing. Give the counters in the
field "measured" of FILE, or by --measured: the output of perfquery -x, a CSV table, or metrics of Prometheus.

Scale
  scale is the bandwidth (GB/s) per unit of predicted load: least squares through 0 over the links that agree, unless
  --measured gives it (scale=0.8). Without seconds, bandwidths are GB in the entire interval, and only their proportions
  count.

Tolerance
  A link agrees if it differs by at most a constant plus a percentage of its predicted bandwidth. Both are fitted to the
  differences of all links with a predicted load: if noise is normal, it makes no link differ with a probability of
  99 %. The constant is at least 1 % of the largest measured bandwidth.

Lists
  hot       links that carry more than predicted: traffic of other jobs
  slow      links that carry less than predicted, and on which data waits long. The wait per GB only ranks links, since
            the length of its tick depends on the device. If a link is declared as slow (faults), all flows over it
            are predicted to send as much as its bandwidth allows.
  disagree  links whose two ends differ by more than 1 %

Background
  --background OUT.json writes the scenario with the residuals of the links in hot, over scale, as constant loads. They
  count in evaluations and searches like the loads of background jobs. Searches then avoid these links.
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_scenario(parser)
    declare_json(parser, MeasuredFigures)
    declare_number(parser, "--top", (0, MAX_TOP), TOP, "links in each list")
    parser.add_argument(
        "--background",
        type=Path,
        metavar="OUT.json",
        help="write the scenario with the traffic of other jobs as constant background load of each link",
    )
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the counters of a scenario compared with its predicted loads."""
    live = options.live
    with separate_output(options, "background", ".json"):
        live.stage("reading")
        case = scenario_given(options).build(progress=live.later_stage("mapping"))
        counted = Counted(evaluate(case, refuse_minutes(live.stage("loads"), options.patient)), options.top)
        figures = measured_figures(counted)
        if options.background is not None:
            live.stage("writing")
            check_folder(options.background, case.scenario, "--background")
            background = unknown_background(counted.comparison)
            write_scenario(options.background, replace(case.scenario, background=background), "--background")
        live.end()
        if options.json:
            print_json(figures)
        else:
            print_imports(reports_of(case).values(), options)
            _print(counted.report, figures)
        print_written(options.background, options)
    return 0


def _print(report: LoadReport, figures: MeasuredFigures) -> None:
    network = report.case.network.spec
    print(f"{network.title}: {network.summary()}")
    print(f"{report.case.scenario.job.title}: {report.case.size}")
    interval = "an unknown interval" if figures.seconds is None else f"{figures.seconds:g} s"
    counters = f"{plural(figures.links - figures.without_value, 'link')} of {figures.links:,}, over {interval}"
    for name, words in (
        ("counters of", counters),
        ("scale", scale_text(report, figures) or NONE),
        ("correlation", _number(figures.correlation)),
        ("tolerance", tolerance_text(figures)),
    ):
        print(f"{name:<13}{words}")
    for note in figures.notes:
        print(f"note: {note}")
    _print_classes(figures)
    _print_links("carries more than predicted (other traffic)", figures.hot, figures.more)
    _print_links("slow (carries less than predicted, and data waits)", figures.slow, figures.slower)
    _print_disagreeing(figures.disagree, figures.disagreeing)
    _print_intervals(figures.intervals)


def _print_classes(figures: MeasuredFigures) -> None:
    heads = ("class", "correlation", "measured GB/s", "predicted GB/s")
    rows = (
        (name, *map(_number, (c.correlation, c.measured_gbs, c.predicted_gbs))) for name, c in figures.classes.items()
    )
    _print_table("\nmeans over links with counters", [heads, *rows])


def _print_links(title: str, links: Sequence[MeasuredLink], count: int) -> None:
    heads = ("link", "measured GB/s", "predicted GB/s", "difference", "wait per GB")
    rows = [
        (
            _name(link),
            *map(_number, (link["measured_gbs"], link["predicted_gbs"], link["residual_gbs"], link["wait_per_gb"])),
        )
        for link in links
    ]
    _print_list(title, heads, rows, count)


def _print_disagreeing(links: Sequence[DisagreeingLink], count: int) -> None:
    rows = [(_name(link), *map(_number, (link["sent_gbs"], link["received_gbs"]))) for link in links]
    _print_list("ends disagree by more than 1 %", ("link", "sent GB/s", "received GB/s"), rows, count)


def _print_intervals(intervals: Sequence[MeasuredInterval]) -> None:
    if not intervals:
        return
    heads = ("start", "seconds", "correlation", "mean GB/s", "max GB/s", "hottest link")
    rows = [
        (
            *map(_number, (part.start, part.seconds, part.correlation, part.mean_gbs, part.max_gbs)),
            part.hottest_link or NONE,
        )
        for part in intervals
    ]
    _print_table("\nbetween the readings", [heads, *rows])


def _print_list(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], count: int) -> None:
    if not rows:
        print(f"\n{title}: {plural(count, 'link') if count else 'none'}")
        return
    _print_table(f"\n{title}: {plural(count, 'link')}", [heads, *rows])
    if count > len(rows):
        print(f"... and {count - len(rows):,} more; see --top")


def _print_table(title: str, rows: Sequence[Sequence[str]]) -> None:
    print(title)
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    for name, *figures in rows:
        right = (f"{text:>{width + 2}}" for text, width in zip(figures, widths, strict=True))
        print(f"{name:<{first}}{''.join(right)}")


def _name(link: MeasuredLink | DisagreeingLink) -> str:
    return f"{link['class']} {link['src']} → {link['dst']}"


def _number(value: float | None) -> str:
    return NONE if value is None else significant(value)
