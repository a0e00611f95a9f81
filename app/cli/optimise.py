"""`optimise`: a search for a better mapping, whose result is printed and written as a scenario.

Ctrl-C and SIGTERM end the search as its budget would: the best mapping so far is printed and written, and the exit
status is 0. Before the first result, while files are read and kernels are loaded, the exit status is 130 or 143.
"""

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isnan
from pathlib import Path
from types import FrameType
from typing import Any

from app.cli.arguments import choices_help, parse_choice, parse_fields, parse_tasks
from app.cli.failures_option import failures_given
from app.cli.json_output import declare_json, print_json
from app.cli.optimise_routes import check_options, print_routes, tables_path, write_tables
from app.cli.options import declare_cluster, declare_epilog
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.progress_line import ProgressLine, bar
from app.cli.same_folder import check_folder
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.cli.streams import Terminated, print_written, separate_output
from app.model.search_run import Budget, SearchRun, cores
from app.wording.numbers import factor, gbs, significant
from core.figures.searched import SearchFigures, search_figures
from core.files import write_scenario
from core.files.scenario_file import values_text
from core.load.bounds import Bound, bound_sentence, bounds, class_bound
from core.load.evaluate import TOLERANCE, LoadReport, evaluate
from core.load.swap_suggestions import quick
from core.optimise.best import Best, best_of
from core.optimise.initial_mappings import anywhere
from core.optimise.method import AnyMethod
from core.optimise.move_constraints import ANYWHERE, TASK, MoveConstraints
from core.optimise.objective import AnyObjective
from core.optimise.problem import check_follows
from core.optimise.request import MAPPING, MOVES, ROUTES, SECONDS, OnResult, Request, SearchResult
from core.optimise.robust import counting, with_failures
from core.optimise.run import optimise
from core.optimise.strategies import strategy_results
from core.spec import SpecError, fields_of, members, no_progress
from core.text import as_sentence, plural

Search = Callable[[LoadReport, Request, OnResult], SearchResult]
LEVELS = {
    "unit": (
        TASK,
        "what moves at once, with all its tasks in order: task, socket, node, host, or a level of the network "
        "such as server or supernode",
    ),
    "within": (ANYWHERE, "unit that tasks stay in: node, or a level of the network such as supernode"),
}
"""Default and help of each option."""
OPTIONS = {**{name: f"--{name}" for name in ("objective", "failures", *LEVELS)}, "pinned": "--pin"}
"""Options by the fields named in errors."""
EPILOG = f"""\
Fields of an objective or a method follow a colon, as in mix:throughput=1,contention=0.5 or bottleneck:tenure=20; their
defaults are shown above. Without --seconds and --steps, a search lasts {SECONDS:g} s. With --steps, the default is one
worker, so that the same seed gives the same mapping; otherwise the default is one worker per core.

With --failures, the search minimises the longest time without a failure and after each failure of a list, one at a time
(robust mapping; objective robust). A failure that disconnects nodes is refused. So that a job of several phases, or a
routing without route tables, stays fast, give few failures: each takes as long as the job itself.

With --move routes, the mapping stays, and the next hop of a switch for a destination moves among the ports on minimal
paths, so that paths stay as short as possible and without loops (compare scheduling-aware routing: Domke and Hoefler,
2016). The network must be an InfiniBand fabric with LIDs. The search starts from the scenario's forwarding tables, with
entries that are not on minimal paths replaced. For another routing with single paths it starts from tables with these
paths, else from shortest paths. With --out best.json, the tables are written to best.lfts in the same folder, which
opensm -R file -U best.lfts loads.

With --unit host (or node, server, supernode ...), all tasks of a host move at once, in their order on the host: to a
free host, or in exchange with the tasks of another host of equally many slots. So the search orders the hosts. Export
the result for a launcher: fabriscope export best.json --to slurm-hostfile, hydra-hosts, openmpi-sequence or hostfile.

Ctrl-C or SIGTERM stops the search: the best mapping so far is printed and written, and the exit status is 0.

Fields that --json prints:
  start_gbs, throughput_gbs   throughput before and after the search
  bound_gbs                   upper bound for any mapping (null if no bound is known)
  start_time, time            time per unit before and after, in seconds (null for message counts)
  steps, steps_per_second     mappings tried, in total and per second
  seconds, seed               duration of the search, and its seed
  objective, start, found     for objectives other than throughput: the objective, and its value before and after
                              (of a mix, only the ratio is meaningful; seconds are null for message counts)
  failures, bound             with the objective robust: the failures that it counts, and a lower bound of its value for
                              any mapping (null if no bound is known); start and found are the times under the worst
                              of these failures, start_time and time those without a failure
  start_hottest_link, hottest_link, start_deadlock_free, deadlock_free
                              with --move routes: the hottest link before and after the search, and whether all paths
                              together are free of deadlocks on one virtual lane
  restarts, spread            completed restarts of the portfolio, and the best, median and worst throughput that they
                              reached (null without restarts)
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options, with the names, choices and bounds of the declarations."""
    declare_epilog(parser, EPILOG)
    declare_scenario(parser)
    moves = "; ".join(f"{name}: {what}" for name, what in MOVES.items())
    parser.add_argument(
        "--move", choices=tuple(MOVES), default=MAPPING, metavar="PART", help=f"{moves} (default: {MAPPING})"
    )
    for name, union in (("objective", AnyObjective), ("method", AnyMethod)):
        first = members(union)[0].tag()
        parser.add_argument(
            f"--{name}", default=first, metavar="WHICH", help=f"{choices_help(union)} (default: {first})"
        )
    for field in fields_of(Budget):
        parser.add_argument(f"--{field.name}", metavar="N", help=f"{field.description} ({values_text(field)})")
    for name, (default, description) in LEVELS.items():
        parser.add_argument(f"--{name}", default=default, metavar="LEVEL", help=f"{description} (default: {default})")
    parser.add_argument(
        "--failures",
        metavar="N|FILE",
        help="minimise the time under the worst failure of a list: the N cables whose failure is worst for the initial "
        "mapping, or a file of resilience --json or --out, or with a list of faults as in scenarios",
    )
    declare_cluster(parser)
    parser.add_argument("--pin", default="", metavar="TASKS", help="tasks that are not moved, such as 0-63,128")
    parser.add_argument("--no-empty", action="store_true", help="do not move tasks to empty slots")
    parser.add_argument("--out", type=Path, metavar="OUT.json", help="write the scenario with the best mapping")
    declare_json(parser, SearchFigures)
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, print the result, and write it."""
    try:
        with separate_output(options, "out", ".json"):
            return _run(options)
    except SpecError as error:
        raise SpecError(OPTIONS.get(error.field, error.field), error.message) from error


def _run(options: argparse.Namespace) -> int:
    if options.move == ROUTES:
        check_options(options)
    request, live = request_of(options), options.live
    live.stage("reading")
    scenario = scenario_given(options)
    if options.out is not None:
        check_folder(options.out, scenario, "--out")
    case = scenario.build(progress=live.later_stage("mapping"))
    report = evaluate(case, refuse_minutes(live.stage("loads"), options.patient))
    if options.move == MAPPING:
        request = _constrained(request, options, report)
        if options.failures is not None:
            request = counting(request, failures_given(options.failures, case.network))
        check_follows(case)
        request = with_failures(report, request, refuse_minutes(live.later_stage("failures"), options.patient))
    live.end()
    with _interrupts() as stops, _searching(options.cluster, request) as (request, search):
        result = _searched(report, request, search, _SearchLine(live, report, request) if live.shows else None)
        stops.ignored = True
        tables = tables_path(options.out) if options.out is not None and result.tables is not None else None
        outcome, written = SearchOutcome.of(report, request, result, tables.name if tables is not None else None), False
        try:
            if tables is not None and result.tables is not None:
                write_tables(tables, result.tables, report)
            if options.out is not None:
                write_scenario(options.out, outcome.better.case.scenario, "--out")
                written = True
        finally:
            _print(options, outcome, stops.stopped, written)
        if result.failure:
            raise SpecError("--cluster", _failed(result, request))
    return 0


def _failed(result: SearchResult, request: Request) -> str:
    asked = "" if request.seconds is None else f" of {request.seconds:g}"
    return f"{result.failure} after {result.seconds:.1f}{asked} s; the best mapping so far is kept"


def request_of(options: argparse.Namespace) -> Request:
    """Return the request, except for the move constraints.

    Raises SpecError: naming the invalid option, and the valid values.
    """
    budget = _budget(options)
    seconds = SECONDS if budget["seconds"] is None and budget["steps"] is None else budget["seconds"]
    workers = budget["workers"] or (cores() if budget["steps"] is None else 1)
    objective = parse_choice("--objective", options.objective, AnyObjective)
    method = parse_choice("--method", options.method, AnyMethod)
    workers = workers if method.by_rounds and options.move == MAPPING else 1
    budgeted = seconds, budget["steps"], budget["seed"] or 0, workers
    return Request(objective, method, MoveConstraints(), *budgeted, move=options.move)


def _budget(options: argparse.Namespace) -> dict[str, Any]:
    given = {field.name: getattr(options, field.name) for field in fields_of(Budget)}
    return {
        name: None if text is None else getattr(parse_fields(f"--{name}", Budget, {name: text}), name)
        for name, text in given.items()
    }


def _constrained(request: Request, options: argparse.Namespace, report: LoadReport) -> Request:
    # Checked before workers are started, which takes seconds.
    case = report.case
    pinned = parse_tasks(options.pin, case.job.tasks)
    constraints = MoveConstraints(options.unit, options.within, pinned, not options.no_empty)
    request.method.moving(constraints).check(case.network, case.mapping, case.allocation)
    return replace(request, constraints=constraints)


class _Stops:
    """Handles Ctrl-C and SIGTERM: the first ends the search; later ones are ignored, since the result is near."""

    def __init__(self) -> None:
        self.stopped = self.ignored = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if not self.ignored:
            self.stopped = self.ignored = True
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


@contextmanager
def _interrupts() -> Iterator[_Stops]:
    stops = _Stops()
    before = {number: signal.signal(number, stops) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stops
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _SearchLine:
    """A line on standard error that shows the progress of a search."""

    def __init__(self, live: ProgressLine, report: LoadReport, request: Request) -> None:
        self._live, self._run = live, SearchRun.begun(1, report.case, request)
        strongest = bounds(report.case, report) if self._run.rising else ()
        self._bound = report.throughput(strongest[0].time) or 0.0 if strongest else None

    def __call__(self, result: SearchResult) -> None:
        self._run = self._run.with_result(result)
        best, current = (self._run.in_unit(value, result.lost) for value in (result.best, result.current))
        bound = self._bound if self._run.rising else self._run.limit
        name = "bound" if self._run.rising else "lower bound"
        limit = "" if bound is None else f"  {name} {_in_words(self._run, bound)}"
        pace = f"{result.steps_per_second:,.0f} mappings/s  {result.seconds:.0f} s"
        shown = f"best {_in_words(self._run, best)}  current {_in_words(self._run, current)}"
        self._live.write(
            "search",
            f"{shown}{limit} {self._run.unit}  {pace}",
            best=best, current=current, bound=bound, unit=self._run.unit, steps=result.steps,
        )  # fmt: skip

    def erase(self) -> None:
        """Erase the line."""
        self._live.erase()


@contextmanager
def _searching(cluster: str | None, request: Request) -> Iterator[tuple[Request, Search]]:
    # Yields the request with the number of workers, which on a cluster is the number of all its workers.
    if cluster is None:
        yield request, optimise
        return
    from core.optimise.portions import search_on_cluster
    from core.sweep.cluster import ANSWER_SECONDS, FIELD, cluster_of

    with cluster_of(cluster, 0) as client:
        try:
            client.wait_for_workers(1, timeout=ANSWER_SECONDS)
        except TimeoutError as error:
            raise SpecError(FIELD, "the scheduler has no workers; start one with: python -m dask worker") from error
        yield replace(request, workers=sum(client.nthreads().values())), partial(search_on_cluster, client)


def _searched(report: LoadReport, request: Request, search: Search, line: _SearchLine | None) -> SearchResult:
    last: SearchResult | None = None

    def listen(result: SearchResult) -> None:
        nonlocal last
        last = result
        if line is not None:
            line(result)

    try:
        return search(report, request, listen)
    except KeyboardInterrupt:
        # The search handles it itself, except shortly before it begins and after it has ended.
        if last is None:
            raise
        return last
    finally:
        if line is not None:
            line.erase()


@dataclass(frozen=True)
class SearchOutcome:
    """The evaluations at the beginning and the end of a search."""

    best: Best
    run: SearchRun

    @classmethod
    def of(
        cls, start: LoadReport, request: Request, result: SearchResult, tables: str | None = None
    ) -> "SearchOutcome":
        """Return the outcome, evaluated exactly like a file with the result; `tables` is the file of its routes."""
        if result.tables is None:
            best = best_of(start, result)
        else:
            from core.optimise.routes.best import best_routes

            best = best_routes(start, result, tables)
        return cls(best, SearchRun.begun(1, start.case, request).with_result(result))

    @property
    def start(self) -> LoadReport:
        """Return the evaluation of the initial mapping."""
        return self.best.start

    @property
    def better(self) -> LoadReport:
        """Return the evaluation of the resulting mapping."""
        return self.best.better

    @property
    def result(self) -> SearchResult:
        """Return the result of the search."""
        return self.best.result

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Return the bounds on all mappings, or on all minimal routes if these moved, strongest first."""
        return self.result.bounds if self.result.tables is not None else bounds(self.better.case, self.better)

    @cached_property
    def figures(self) -> SearchFigures:
        """Return the figures of the search."""
        return search_figures(self.best, self.run.request, self.bounds)

    def at_most(self, bound: Bound | None) -> float | None:
        """Return a bound as GB/s per node."""
        return self.better.throughput(bound.time) if bound is not None else None


def _print(options: argparse.Namespace, outcome: SearchOutcome, stopped: bool, written: bool) -> None:
    result, run, request = outcome.result, outcome.run, outcome.run.request
    if result.trouble:
        print(f"fabriscope: {result.trouble}", file=sys.stderr)
    if options.json:
        print_json(outcome.figures)
        return
    routes = request.move == ROUTES
    noun = "next hop" if routes else "mapping"
    if stopped:
        print(f"stopped; best {noun} so far" if result.steps else f"stopped before the first {noun} was tried")
    _print_table(outcome)
    for note in outcome.figures.notes or ():
        print(f"note: {note}")
    _print_bound(outcome)
    if routes:
        print_routes(outcome.figures, outcome.start, outcome.better)
    elif not stopped:  # a user who stops a search wants no more work
        _print_strategies(outcome, options.live)
    how = "" if routes else f"{type(request.method).tag()}, "
    workers = "" if routes else f", {plural(request.workers, 'worker')}"
    print(
        f"Tried {plural(result.steps, noun)} in {result.seconds:.1f} s ({result.steps_per_second:,.0f}/s): "
        f"{how}seed {request.seed}{workers}"
    )
    number, *ends = result.spread
    if number:
        best, median, worst = (_figure(run, end) for end in ends)
        print(f"{plural(number, 'restart')}: best {best}, median {median}, worst {worst} {run.unit}")
    if written:
        print_written(options.out, options)
        if routes:
            print_written(tables_path(options.out), options)


def _print_strategies(outcome: SearchOutcome, live: ProgressLine) -> None:
    # The built-in mapping strategies for comparison, if they are quick to evaluate; some search for seconds.
    case, request = outcome.better.case, outcome.run.request
    if not quick(case) or not anywhere(case, request.constraints):
        return

    def show(done: float) -> None:
        live.write("built-in mappings", f"built-in mappings  {bar(done)}" if done < 1 else "", done=round(done, 2))

    run, figure_of = outcome.run, None
    if not run.rising:
        from core.optimise.mapping_figures import MappingFigures  # its kernels take time to import

        figure_of = MappingFigures(outcome.start, request.objective, outcome.result.failures).of
    results = strategy_results(case, show if live.shows else no_progress, figure_of)
    best = [(strategy.name, _in_words(run, run.in_unit(strategy.figure))) for strategy in results[:MAX_STRATEGIES]]
    if best:
        print(f"For comparison, built-in mappings: {'; '.join(' '.join(entry) for entry in best)} {run.unit}.")
    if request.method.keeps_start:
        print("The search started from the given mapping.")


def _figure(run: SearchRun, figure: float) -> str:
    # Converted to `run.unit`.
    return _in_words(run, run.in_unit(figure, run.result.lost if run.result is not None else 0))


def _in_words(run: SearchRun, value: float | None) -> str:
    if value is None or isnan(value):
        return "-"
    return gbs(value) if run.rising else significant(value)


MAX_STRATEGIES = MAX_FAILURES = 4
WIDER_BOUND = "The bound is for all mappings, also outside the reach of this search."
Row = tuple[str, str, str, str, str, str]


def _print_table(outcome: SearchOutcome) -> None:
    rows: list[Row] = [("", "start", "best", "bound", "bound ÷ best", "")]
    if not outcome.run.rising:
        start, best = (_figure(outcome.run, figure) for figure in (outcome.result.start, outcome.result.best))
        bound = outcome.figures.bound
        limit = significant(bound) if isinstance(bound, float) else ""
        rows.append((type(outcome.run.request.objective).title, start, best, limit, "", outcome.run.unit))
    before, after, strongest = outcome.start, outcome.better, outcome.bounds
    at_most, measure = outcome.at_most(strongest[0] if strongest else None), after.case.job.measure
    rows.append(_row("Throughput", before.throughput_gbs, after.throughput_gbs, at_most, measure.rate))
    if after.seconds is not None:
        least = measure.time(strongest[0].time) if strongest else "-"
        rows.append(("Time", measure.time(before.time), measure.time(after.time), least, "", ""))
    for old, new in zip(before.classes, after.classes, strict=True):
        at_most = outcome.at_most(class_bound(strongest, new.name))
        rows.append(_row(f"  {new.name}", old.throughput_gbs, new.throughput_gbs, at_most, measure.rate))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for name, *cells, unit in rows:
        figures = "".join(f"{cell:>{width + 3}}" for cell, width in zip(cells, widths[1:-1], strict=True))
        print(f"{name:<{widths[0]}}{figures}   {unit}".rstrip())


def _row(name: str, start: float | None, figure: float | None, bound: float | None, unit: str) -> Row:
    return (name, _or_dash(start), _or_dash(figure), _or_dash(bound), gap_text(figure, bound), unit)


def _or_dash(value: float | None) -> str:
    return "-" if value is None else gbs(value)


def gap_text(figure: float | None, bound: float | None) -> str:
    """Return the bound over a figure: ``1.25×``; ``optimal`` if they are equal."""
    if figure is None or bound is None:
        return ""
    return "optimal" if bound <= figure * (1 + TOLERANCE) else factor(bound / figure)


def _print_bound(outcome: SearchOutcome) -> None:
    after, strongest = outcome.better, outcome.bounds
    print(f"\n{as_sentence(after.verdict)}")
    if outcome.result.lost < outcome.result.start_lost:
        print(f"Initial mapping: {outcome.start.disconnected.both}. Best mapping: {after.disconnected.both}.")
    if strongest:
        print(bound_sentence(after.case, strongest[0], gbs))
        if outcome.result.tables is None and not anywhere(after.case, outcome.run.request.constraints):
            print(WIDER_BOUND)
    if isinstance(failures := outcome.figures.failures, list):
        some = ", ".join(failures[:MAX_FAILURES]) + (", ..." if len(failures) > MAX_FAILURES else "")
        print(f"Worst failure: the longest time without and after {plural(len(failures), 'failure')}: {some}")
