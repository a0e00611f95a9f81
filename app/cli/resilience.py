"""`resilience`: every failure of a component, with its effect on a job."""

import argparse
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_number
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.cli.streams import print_written, separate_output
from app.cli.whole_number import whole_number
from core.figures.resilience import (
    COMPONENTS,
    CurvePoint,
    FailureFigures,
    Resilience,
    components,
    curve_of,
    resilience,
)
from core.files.rows import SUFFIXES, write_rows
from core.load.evaluate import LoadReport, evaluate
from core.spec import MAX_SEED
from core.text import figure, plural

DRAWS = 20
"""Usual number of random draws of the curve."""
LISTED = 10
"""Number of failures in each printed list."""
EPILOG = """\
Each component fails alone, in addition to the faults of the scenario, and the job is evaluated again. Flows that lose
paths use the remaining paths of their routing; flows without any are disconnected, and the throughput is for the other
flows. With forwarding tables, flows over the failed component are disconnected. A failed node runs no tasks.

The curve lets random components fail one after another, in several draws (--draws).

The worst failure disconnects most volume or, if none disconnects flows, slows the job most. A failure can make a job
faster, since flows move to links that are less busy (Braess's paradox).
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_scenario(parser)
    declare_json(parser, Resilience)
    parser.add_argument(
        "--what", choices=tuple(COMPONENTS), default="cables", help="components that fail (default: cables)"
    )
    parser.add_argument("--sample", type=whole_number(1), metavar="N", help="evaluate N random failures instead of all")
    declare_number(parser, "--seed", (0, MAX_SEED), 0, "seed of the sample and the curve", metavar="S")
    parser.add_argument(
        "--curve",
        type=whole_number(1),
        metavar="K",
        help="add the throughput after 0 to K simultaneous random failures: mean, 5th and 95th percentile",
    )
    declare_number(parser, "--draws", (1, 1_000_000), DRAWS, "random draws of the curve", metavar="D")
    parser.add_argument(
        "--out", type=Path, metavar="OUT.csv|OUT.parquet", help="write the table with a row per failure"
    )
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate all failures and print their summary."""
    live = options.live
    with separate_output(options, "out", *SUFFIXES):
        live.stage("reading")
        case = scenario_given(options).build(progress=live.later_stage("mapping"))
        report = evaluate(case, refuse_minutes(live.stage("loads"), options.patient))
        faults = components(case.network, options.what, options.sample, options.seed)
        figures = resilience(report, options.what, faults, refuse_minutes(live.stage("failures"), options.patient))
        if options.curve is not None:
            given = report, options.what, options.curve, options.draws, options.seed
            figures = replace(figures, curve=curve_of(*given, refuse_minutes(live.stage("curve"), options.patient)))
        if options.out is not None:
            write_rows(options.out, FailureFigures, figures.rows, "--out")
        live.end()
        if options.json:
            print_json(figures)
        else:
            _print(report, figures)
        print_written(options.out, options)
    return 0


def _print(report: LoadReport, figures: Resilience) -> None:
    rate = report.case.job.measure.rate
    print(f"{_value(figures.base_gbs)} {rate} without a failure, {report.verdict}")
    print(f"{plural(figures.failures, 'failure')} of {figures.what}, one at a time:")
    counts = (
        (figures.slower, "slow the job"),
        (figures.faster, "make it faster"),
        (figures.unchanged, "leave the throughput unchanged"),
        (figures.disconnecting, "disconnect flows"),
    )
    for count, effect in counts:
        print(f"{count:>10,}  {effect}")
    shown = ", ".join(f"{_value(value)} ({name} %)" for name, value in figures.quantiles.items())
    print(f"percentiles of {rate}, without failures that disconnect flows: {shown}")
    _print_rows("worst", figures.rows[:LISTED], report, rate)
    faster = [row for row in reversed(figures.rows) if not row.disconnected_flows][: min(LISTED, figures.faster)]
    if faster:
        _print_rows("best", faster, report, rate)
    if figures.curve is not UNSET:
        _print_curve(figures.curve, figures.what, rate)


def _print_curve(curve: list[CurvePoint], what: str, rate: str) -> None:
    print(f"\n{'failed ' + what:<16}{'mean':>10}{'5 %':>10}{'95 %':>10}  {rate}")
    for point in curve:
        values = "".join(f"{figure(value):>10}" for value in (point.mean_gbs, point.low_gbs, point.high_gbs))
        lost = f"  {100 * point.disconnecting:.0f} % disconnect flows" if point.disconnecting else ""
        print(f"{point.failures:<16,}{values}{lost}")


def _print_rows(title: str, rows: list[FailureFigures], report: LoadReport, rate: str) -> None:
    wide = max((len(row.failure) for row in rows), default=0)
    print(f"\n{title:<{wide}}{rate:>{len(rate) + 2}}{'change':>9}  bottleneck")
    base = report.throughput_gbs
    for row in rows:
        change = "-" if not base or row.throughput_gbs is None else f"{100 * (row.throughput_gbs / base - 1):+.1f} %"
        lost = f", {plural(row.disconnected_flows, 'flow')} disconnected" if row.disconnected_flows else ""
        value = _value(row.throughput_gbs)
        print(f"{row.failure:<{wide}}{value:>{len(rate) + 2}}{change:>9}  {row.bottleneck or 'none'}{lost}")


def _value(value: float | None) -> str:
    return "-" if value is None else figure(value)
