"""`evaluate`: loads, throughput and bottleneck of a scenario."""

import argparse
from pathlib import Path

from app.cli.document_check import CheckedEvaluation, checked, checks_of, records_given, sentences
from app.cli.imports import print_imports
from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.cli.streams import print_written, separate_output
from app.wording.figures import listed_lines
from core.figures.evaluation import Evaluated, Evaluation, evaluation_of
from core.figures.notes import notes_of
from core.files import write_links
from core.files.import_report import reports_of
from core.load.bounds import Bound, bound_sentence, bounds, gap
from core.load.evaluate import LoadReport, evaluate
from core.load.job_reports import job_reports, slowed_by
from core.load.phase_times import phase_times
from core.text import figure

EPILOG = """\
If FILE is a report or a page, its scenario is evaluated again. The figures in the document that differ are printed, and
the exit status is 1 if there are any, or if the scenario or its files have changed.
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_scenario(parser)
    declare_json(parser, Evaluation, CheckedEvaluation)
    parser.add_argument("--links", type=Path, metavar="OUT.csv", help="write the load of every directed link")
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate a scenario and print its figures."""
    live = options.live
    with separate_output(options, "links", ".csv"):
        live.stage("reading")
        case = scenario_given(options).build(progress=live.later_stage("mapping"))
        report = evaluate(case, refuse_minutes(live.stage("loads"), options.patient))
        if options.links is not None:
            live.stage("writing")
            write_links(options.links, report)
        live.stage("bounds")
        all_bounds = bounds(report.case, report)
        records = records_given(options)
        figures = evaluation_of(report, all_bounds) if options.json or records else None
        checks = [] if figures is None else checks_of(records, options, figures)
        live.end()
        if options.json and figures is not None:
            print_json(checked(figures, checks))
        else:
            print_imports(reports_of(case).values(), options)
            print_report(report, all_bounds)
            for line in sentences(checks, options.file):
                print(line)
        print_written(options.links, options)
    return 0 if all(check.holds for check in checks) else 1


def print_report(report: LoadReport, all_bounds: tuple[Bound, ...], *, proved: bool = False) -> None:
    """Print the figures of a report and its bounds; with `proved`, also the proof of the strongest bound."""
    network, job, measure = report.case.network, report.case.job, report.case.job.measure
    rate = f"{figure(report.throughput_gbs)} {measure.rate}, " if report.throughput_gbs is not None else ""
    time = "" if report.seconds is None else f"{measure.time(report.seconds)}, "
    print(f"{rate}{time}{report.verdict}")
    size = f"{report.case.size}, {network.real_links:,} links"
    print(f"{size}, {report.time:.6g} s per unit of 1 GB" if job.unit else f"{size}; loads in {measure.many}")
    if report.others.size:
        print("loads include all jobs; the maximum is over the links that this job uses")
    for note in notes_of(report):
        print(f"note: {note}")
    wide, last = 12 if job.unit else 16, len(measure.rate) + 2
    named = max(8, *(len(c.name) + 1 for c in report.classes))
    heads = f"{'class':<{named}}{'links':>10}{'GB/s':>9}{'max load':>{wide}}{'mean load':>{wide}}"
    print(f"\n{heads}{measure.rate:>{last}}{'upper bound':>14}")
    for c in report.classes:
        own = [b for b in all_bounds if b.link_class == c.name]
        at_most = _gbs(report.throughput(own[0].time)) if own else ""
        loads = "".join(f"{figure(measure.converted(load), 5):>{wide}}" for load in (c.max_load, c.mean_load))
        print(f"{c.name:<{named}}{c.links:>10,}{c.gbs:>9g}{loads}{_gbs(c.throughput_gbs):>{last}}{at_most:>14}")
    for line in listed_lines(Evaluated(report, all_bounds), measure):
        print(line)
    _print_phases(report)
    _print_jobs(report)
    _print_bound(report, all_bounds, proved)


def _print_phases(report: LoadReport) -> None:
    times = phase_times(report)
    if times:
        wide = max(len(phase_time.name) for phase_time in times) + 2
        print(f"\n{'phase':<{wide}}{'duration':>18}  limited by")
        for phase_time in times:
            time = report.case.job.measure.time(phase_time.time)
            print(f"{phase_time.name:<{wide}}{time:>18}  {phase_time.link_class or 'none'}")


def _print_jobs(report: LoadReport) -> None:
    # Only if there are several jobs. "slowdown" is a job's time with all other jobs divided by its time alone; "slows
    # first" is the slowdown of the first job if this is the only other job.
    if not report.others.size:
        return
    time, rate = report.case.job.measure.time, report.case.job.measure.rate
    heads = f"{'job':<20}{'tasks':>8}{'nodes':>8}{'time':>18}{'alone':>18}{'slowdown':>10}{'slows first':>13}"
    print(f"\n{heads}{rate:>{len(rate) + 2}}")
    for number, (name, job_report) in enumerate(job_reports(report)):
        size = f"{name:<20}{job_report.case.job.tasks:>8,}{job_report.case.used_nodes:>8,}"
        slows = f"{slowed_by(report, number - 1):.3g}" if number else ""
        times = f"{time(job_report.time):>18}{time(job_report.time_alone):>18}{job_report.slowdown:>10.3g}{slows:>13}"
        print(f"{size}{times}{_gbs(job_report.throughput_gbs):>{len(rate) + 2}}")


def _print_bound(report: LoadReport, all_bounds: tuple[Bound, ...], proved: bool) -> None:
    if not all_bounds:
        return
    print(f"\n{bound_sentence(report.case, all_bounds[0])}")
    for step in all_bounds[0].steps if proved else ():
        print(f"  {step}")
    distance = gap(all_bounds, report.time)
    if distance is not None:
        print(distance.sentence)


def _gbs(value: float | None) -> str:
    return "-" if value is None else figure(value)
