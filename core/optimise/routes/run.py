"""Runs a search for routes in the calling thread."""

import time

import numpy as np

from core.load.bounds import Bound, bounds
from core.load.evaluate import LoadReport
from core.load.rerouting import with_tables
from core.optimise.disconnection import Losses
from core.optimise.pacing import advance_to_end
from core.optimise.request import OnResult, Request, SearchResult, ignore_result
from core.optimise.routes.bounds import route_bounds
from core.optimise.routes.problem import RouteProblem
from core.optimise.routes.search import RouteSearch


def search_routes(
    report: LoadReport, request: Request, on_result: OnResult = ignore_result, after: SearchResult | None = None
) -> SearchResult:
    """Return the best routes found for the report's mapping; see `core.optimise.run.optimise`.

    The start is the report's tables or, if its routing has none, tables with minimal paths. Entries that are not
    minimal are replaced before the first move; if that makes the job slower, and no move makes it faster than at the
    start, the result is not better than the start.

    Raises SpecError: if the network has no LIDs, the job is too large, or minimal routes cannot change the objective.
    """
    problem = RouteProblem.of(report, request.objective)
    limits = _all_bounds(problem)
    least = max((bound.time for bound in limits), default=0.0)
    ports = problem.fabric.ports if after is None or after.tables is None else problem.ports_in(after.tables)
    search = RouteSearch(problem, request.seed if after is None else request.seed + after.steps, least, ports)
    nodes = report.case.mapping.nodes
    # The same for all tables of a search, since they have all minimal paths.
    lost = Losses(with_tables(report.case, problem.tables(search.ports))).of(nodes)
    start, start_lost = (report.time, Losses(report.case).of(nodes)) if problem.given else (search.best, lost)
    if after is not None:
        start, start_lost = after.start, after.start_lost
    search.advance(1)  # loads or compiles the kernels, which must not count as search time
    begun, first = time.perf_counter(), search.steps

    def result(ended: bool = False) -> SearchResult:
        """Return the result so far."""
        seconds, steps = time.perf_counter() - begun, search.steps - first
        return SearchResult(
            np.asarray(report.case.mapping.slots), start, search.best, search.current, seconds, steps, ended,
            start_lost, lost, tables=problem.tables(search.ports), bounds=limits,
        )  # fmt: skip

    advance_to_end(search, request, begun, first, lambda ended: on_result(result(ended)))
    return result(ended=True)


def _all_bounds(problem: RouteProblem) -> tuple[Bound, ...]:
    # Under tables, bounds on all mappings (by cuts, stars and fewest hops) hold for all minimal routes.
    for_mappings = bounds(with_tables(problem.case, problem.base))
    return tuple(sorted((*route_bounds(problem), *for_mappings), key=lambda bound: -bound.time))
