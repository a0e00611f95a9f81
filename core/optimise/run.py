"""Runs a search in the calling thread, or in separate processes."""

import time
from dataclasses import replace

from core.load.evaluate import LoadReport
from core.optimise.pacing import advance_to_end
from core.optimise.problem import Problem, check_follows
from core.optimise.request import ROUTES, OnResult, Request, SearchResult, ignore_result
from core.optimise.restart_statistics import spread_of


def optimise(
    report: LoadReport, request: Request, on_result: OnResult = ignore_result, after: SearchResult | None = None
) -> SearchResult:
    """Return the best mapping found, never worse than the report's mapping; or the best routes, if these move.

    `after` is the result of an earlier search of the same case, objective and method, which is continued. An
    interruption (Ctrl-C) stops the search as `Cancelled` does.

    Raises SpecError: if the job is too large to search, or the network lacks a level.
    """
    if request.move == ROUTES:
        from core.optimise.routes.run import search_routes

        return search_routes(report, request, on_result, after)
    check_follows(report.case)
    from core.optimise.robust import with_failures, with_least

    request = with_failures(report, request if after is None else replace(request, failures=after.failures))
    counted = with_least(report, request)
    return counted(_search_mapping(report, request, lambda result: on_result(counted(result)), after))


def _search_mapping(
    report: LoadReport, request: Request, on_result: OnResult, after: SearchResult | None
) -> SearchResult:
    request.method.moving(request.constraints).check(report.case.network, report.case.mapping)
    if not request.method.by_rounds:
        from core.optimise.best_swaps import apply_best_swaps

        return apply_best_swaps(report, request, on_result, after)
    if request.workers > 1 or request.apart:
        from core.optimise.workers import search_in_processes

        return search_in_processes(report, request, on_result, after)
    return _search_here(report, request, on_result, after)


def _search_here(report: LoadReport, request: Request, on_result: OnResult, after: SearchResult | None) -> SearchResult:
    from core.optimise.search import Search  # slow to import, and not needed to start the program

    problem = Problem.of(report, request.objective, request.failures)
    checkpoint = after.checkpoint[0] if after is not None and after.checkpoint else None
    search = Search(problem, request.method, request.constraints, request.seed, after=checkpoint)
    start, start_lost = (search.best, search.lost) if after is None else (after.start, after.start_lost)
    if after is None:
        search.begin()
    first = search.steps
    # This loads or compiles the kernels, which must not count as search time.
    search.advance(1)
    begun = time.perf_counter()

    def result(ended: bool = False) -> SearchResult:
        """Return the result so far."""
        seconds, steps = time.perf_counter() - begun, search.steps - first
        best, current = search.best, search.current
        lost = start_lost, search.lost
        rest = (search.checkpoint,), spread_of([search.tally])
        return SearchResult(search.slots, start, best, current, seconds, steps, ended, *lost, *rest)

    advance_to_end(search, request, begun, first, lambda ended: on_result(result(ended)))
    return result(ended=True)
