"""`resilience`: every failure of a component, with its effect on a job."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from app.cli.failure_curves import (
    check_curves,
    declare_curves,
    first_name,
    on_several_machines,
    other_cases,
    print_curve,
    print_curves,
    write_table,
)
from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_cluster, declare_epilog, declare_number, declare_workers
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.picture import save_curves
from app.cli.render import ENDINGS
from app.cli.scenario_argument import declare_scenario, errors_of, scenario_given
from app.cli.streams import print_written, separate_output
from app.cli.study import run_points
from app.cli.whole_number import whole_number
from core.figures.added_cables import CableFigures, added_cables
from core.figures.resilience import (
    COMPONENTS,
    PAIRS,
    Estimate,
    Evaluator,
    Failed,
    FailureCurve,
    FailureFigures,
    Pairs,
    Resilience,
    components,
    curve_components,
    curve_of,
    evaluator,
    named_curve,
    summary_of,
    with_pairs,
)
from core.files.atomic import STANDARD
from core.files.digest import source_of
from core.files.scratch import scratch_folder
from core.load.best_cables import check_cables
from core.load.evaluate import LoadReport, evaluate
from core.load.rerouting import evaluate_rerouted
from core.load.scenario import Case
from core.routing.tables.engines import ENGINES
from core.spec import MAX_SEED, SpecError
from core.sweep.failures import failure_study, rows_in
from core.sweep.results import SUFFIXES
from core.text import figure, plural

LISTED = 10
"""Number of failures in each printed list."""
EPILOG = """\
Each component fails alone, in addition to the faults of the scenario, and the job is evaluated again. Flows that lose
paths use the remaining paths of their routing; flows without any are disconnected, and the throughput is for the other
flows. With forwarding tables, flows over the failed component are disconnected, unless --engine computes new tables
after each failure, and before the first, as a subnet manager does. A failed node runs no tasks.

With --depth 2, all pairs of the 64 worst failures are evaluated, and random pairs of all components, from which the
effect of any pair is estimated with 95 % confidence intervals.

The curve lets random components fail one after another, in several draws (--draws). --curve 10% ends at 10 % of the
components, in 20 steps. With --against, the curves of further scenarios follow, and throughputs relative to the
throughput without a failure are printed side by side. A scenario of --against is a file, a preset, or a network in
short form, such as torus:dims=8x8x8, with the job, mapping and routing of FILE or of the scenario options.

With --add, cables are added one after the other, each the best in addition to all before it. They join any two vertices
with free ports if these are known (mesh, dragonfly, InfiniBand fabrics from a file), else any two switches or, without
switches, any two nodes. A cable has the bandwidth of the fastest link at its slower end. Schemes with paths of their
own family, such as dimension-order, cannot use added cables. Scenario files have such cables in their field "cables".

The table of --out is a study's table with a point for each failure. It is kept on disk while it grows, and --resume
continues it. Pairs and the curve are in tables of the same folder, such as R-pairs.csv and R-curve.csv, with a point
for each draw. With --against, R-curve-2.csv and so on are of further scenarios, and R-curves.csv has all curves as they
are printed. Runs with a table need no --patient.

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
    parser.add_argument(
        "--depth", type=int, choices=(1, 2), default=1, help="components that fail together (default: 1)"
    )
    parser.add_argument(
        "--sample",
        type=whole_number(1),
        metavar="N",
        help=f"evaluate N random failures instead of all; with --depth 2, also N random pairs (default: {PAIRS:,})",
    )
    parser.add_argument(
        "--engine",
        choices=[engine.name for engine in ENGINES],
        help="compute new forwarding tables after each failure by this routing engine (see fabriscope export --help)",
    )
    declare_number(parser, "--seed", (0, MAX_SEED), 0, "seed of random failures", metavar="S")
    declare_curves(parser)
    parser.add_argument(
        "--add",
        type=whole_number(1),
        metavar="N",
        help="add the N cables whose addition helps most, one after the other, each with its gain",
    )
    parser.add_argument(
        "--out", type=Path, metavar="OUT.csv|OUT.parquet", help="write the table with a row per failure"
    )
    declare_workers(parser, 0, "this process")
    declare_cluster(parser)
    parser.add_argument("--resume", action="store_true", help="add the missing failures to an existing table")
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate all failures and print their summary."""
    live = options.live
    _check(options)
    with separate_output(options, "out", *SUFFIXES), separate_output(options, "chart", *ENDINGS):
        live.stage("reading")
        scenario = scenario_given(options)
        case = scenario.build(progress=live.later_stage("mapping"))
        if options.curve is not None:
            curve_components(case.network, options.what, options.curve)
        others = list(other_cases(scenario, options))
        if options.add is not None:
            check_cables(case)
        report = _loads(case, "loads", options)
        figures = _figures(report, options)
        curves = _curves(report, others, options)
        if curves:
            more = curves if options.against else UNSET
            figures = replace(figures, curve=curves[0].points, curves=more)
        cases = [case, *(other for _, other in others)]
        live.end()
        if options.json:
            print_json(figures)
        else:
            _print(report, figures, [case.job.measure.rate for case in cases], options)
        _write(figures, curves, cases, options)
    return 0


def _loads(case: Case, stage: str, options: argparse.Namespace) -> LoadReport:
    """Return the loads without a failure, under new tables if they are requested."""
    progress = refuse_minutes(options.live.stage(stage), options.patient)
    return evaluate(case, progress) if options.engine is None else evaluate_rerouted(case, options.engine, progress)


def _write(
    figures: Resilience, curves: Sequence[FailureCurve], cases: Sequence[Case], options: argparse.Namespace
) -> None:
    written = ["failures", *(["pairs"] if figures.pairs is not UNSET else []), *map(_stage, range(1, len(curves) + 1))]
    if options.against and options.out is not None:
        write_table(_table(options.out, "curves"), curves)
        written.append("curves")
    for stage in written if options.out is not None else ():
        print_written(_table(options.out, stage), options)
    if options.chart is not None:
        source, relative = source_of(*(case.scenario for case in cases)), on_several_machines(cases)
        save_curves(curves, options.chart, options.theme, relative=relative, source=source)
        print_written(options.chart, options)


def _figures(report: LoadReport, options: argparse.Namespace) -> Resilience:
    network, what, seed = report.case.network, options.what, options.seed
    faults = components(network, what, options.sample, seed)
    rows = _evaluator(report, "failures", options)([(fault,) for fault in faults])
    figures = summary_of(report, what, rows)
    if options.depth == 2:
        single, evaluate_all = list(zip(faults, rows, strict=True)), _evaluator(report, "pairs", options)
        figures = with_pairs(figures, report, single, options.sample, seed, evaluate_all)
    if options.add is not None:
        progress = refuse_minutes(options.live.stage("cables"), options.patient)
        figures = replace(figures, added=added_cables(report, options.add, progress))
    return figures


def _curves(report: LoadReport, others: Sequence[tuple[str, Case]], options: argparse.Namespace) -> list[FailureCurve]:
    """Return the curves of the scenario and of the others, if requested."""
    if options.curve is None:
        return []
    reports = [(first_name(options), report)]
    for name, case in others:
        with errors_of(Path(name), several=True):
            reports.append((name, _loads(case, f"loads of {name}", options)))
    return [_curve(number, name, report, options) for number, (name, report) in enumerate(reports, start=1)]


def _curve(number: int, name: str, report: LoadReport, options: argparse.Namespace) -> FailureCurve:
    with errors_of(Path(name), several=number > 1):
        evaluate_all = _evaluator(report, _stage(number), options)
        points = curve_of(report, options.what, options.curve, options.draws, options.seed, evaluate_all)
        return named_curve(name, report, options.what, points)


def _stage(number: int) -> str:
    return f"curve {number}" if number > 1 else "curve"


def _check(options: argparse.Namespace) -> None:
    if options.out == STANDARD:
        raise SpecError("--out", "needs a file, in which the table can grow, such as failures.csv")
    if options.resume and options.out is None:
        raise SpecError("--resume", "requires --out with the file of the existing table")
    if options.depth == 2 and options.sample == 1:
        raise SpecError("--sample", "is 1; give at least 2 random pairs for a confidence interval")
    if options.engine is not None and (options.out is not None or options.workers or options.cluster is not None):
        raise SpecError("--engine", "cannot be used with --out, --workers or --cluster; --json prints all failures")
    check_curves(options)


def _evaluator(report: LoadReport, stage: str, options: argparse.Namespace) -> Evaluator:
    """Return a function that evaluates failures here or, with a table, workers or a cluster, as a study."""
    if options.out is None and not options.workers and options.cluster is None:
        return evaluator(report, refuse_minutes(options.live.stage(stage), options.patient), options.engine)

    def as_study(failed: Sequence[Failed]) -> list[FailureFigures]:
        options.live.end()
        with scratch_folder() as folder:
            table = _table(options.out or folder / "failures.csv", stage)
            run_points(failure_study(report, failed), table, options)
            return rows_in(table, report, failed)

    return as_study


def _table(out: Path, stage: str) -> Path:
    return out if stage == "failures" else out.with_stem(f"{out.stem}-{stage.replace(' ', '-')}")


def _print(report: LoadReport, figures: Resilience, rates: Sequence[str], options: argparse.Namespace) -> None:
    rate = rates[0]
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
    if figures.pairs is not UNSET:
        _print_pairs(figures.pairs, report, rate)
    if figures.curves is not UNSET:
        print_curves(figures.curves, rates, options)
    elif figures.curve is not UNSET:
        print()
        print_curve(figures.curve, figures.what, rate)
    if figures.added is not UNSET:
        _print_cables(figures.added, options.add, rate)


def _print_pairs(pairs: Pairs, report: LoadReport, rate: str) -> None:
    print(f"\n{plural(pairs.pairs, 'pair')} of the worst failures, of {pairs.total:,} pairs in total")
    _print_rows("worst", pairs.rows[:LISTED], report, rate)
    if pairs.sample is UNSET:
        return
    sample = pairs.sample
    print(f"\n{sample.pairs:,} random pairs, with 95 % confidence intervals for all pairs:")
    mean = sample.mean_gbs
    print(f"  mean throughput {_value(mean.value)} {rate} ({_value(mean.low)} to {_value(mean.high)})")
    for share, effect in ((sample.slower, "slow the job"), (sample.disconnecting, "disconnect flows")):
        print(f"  {_percent(share)} {effect}")


def _percent(share: Estimate) -> str:
    value, low, high = (f"{100 * part:.1f}" for part in (share.value, share.low, share.high))
    return f"{value} % ({low} to {high} %)"


def _print_cables(cables: list[CableFigures], wanted: int, rate: str) -> None:
    if cables:
        wide = max(len("added cable"), *(len(row.cable) for row in cables))
        print(f"\n{'added cable':<{wide}}{rate:>{len(rate) + 2}}{'gain':>9}  bottleneck")
        for row in cables:
            gain = "-" if row.gain is None else f"{row.gain:+.1f} %"
            value = _value(row.throughput_gbs)
            print(f"{row.cable:<{wide}}{value:>{len(rate) + 2}}{gain:>9}  {row.bottleneck or 'none'}")
    if len(cables) < wanted:
        print("no further cable raises the throughput" if cables else "\nno cable raises the throughput by itself")


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
