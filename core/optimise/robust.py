"""Failures that a search counts: the worst cables of a mapping, or given ones, and the routes after each.

The objective is the longest time without a failure and after each failure alone (`core.optimise.objective`,
`WorstFailure`). A failure that leaves any two nodes of the job's without a path is refused, so every mapping has a time
after each failure.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.load.bounds import bounds
from core.load.evaluate import LoadReport, evaluate
from core.load.failures import Failures
from core.load.scenario import Case
from core.network import AnyFault, LinkFault
from core.network.faults import cables_of
from core.optimise.objective import Objective, WorstFailure
from core.optimise.request import Request, SearchResult
from core.optimise.tables import TIME, WORST
from core.routing import FaultyRouter
from core.routing.faulty import DISCONNECTED
from core.routing.flows import NO_HOPS, Hops, Nodes
from core.routing.route_tables import MAX_ENTRIES, RouteTables
from core.routing.router import Router
from core.spec import Progress, SpecError, no_progress, subprogress

MAX_NODES = 2048
"""Nodes of a job whose pairs are all tested for a path."""
PAIRS_AT_ONCE = 1 << 18
FIELD = "failures"
TIMES_PART = 0.9
"""Fraction of the progress for the times after all failures; the rest is for tests of the worst ones."""


def with_failures(report: LoadReport, request: Request, progress: Progress = no_progress) -> Request:
    """Return the request with the failures that its objective counts, unless given: the worst cables of the mapping.

    The failure of every cable is evaluated for that, with `progress`.

    Raises SpecError: if the objective counts no failures, or a failure does not fit the network or disconnects nodes.
    Raises Cancelled: when `progress` does.
    """
    objective = request.objective
    if not isinstance(objective, WorstFailure):
        if request.failures:
            raise SpecError(FIELD, _only_robust(objective))
        return request
    failures = request.failures or _worst_cables(report, objective.cables, progress)
    cases_after(report.case, failures)
    return replace(request, failures=failures)


def with_least(report: LoadReport, request: Request) -> Callable[[SearchResult], SearchResult]:
    """Return a function that adds the failures that a search counts, and the bound of its objective, to its results."""
    failures = request.failures
    least = least_time(report, cases_after(report.case, failures)) if failures else 0.0
    return lambda result: replace(result, failures=failures, least=least)


def counting(request: Request, failures: int | Sequence[AnyFault]) -> Request:
    """Return the request with the objective robust, for given failures or a number of worst cables.

    Raises SpecError: if the request has another objective than the usual one.
    """
    if request.objective.figure not in (TIME, WORST):
        raise SpecError(FIELD, _only_robust(request.objective))
    if isinstance(failures, int):
        return replace(request, objective=WorstFailure(failures))
    return replace(request, objective=WorstFailure(), failures=tuple(failures))


def cases_after(case: Case, failures: Sequence[AnyFault]) -> tuple[Case, ...]:
    """Return the case after each of the failures.

    Raises SpecError: naming a failure that does not fit the network, or that disconnects nodes of the job.
    """
    cases = tuple(_case_after(case, failure, f"{FIELD}[{number}]") for number, failure in enumerate(failures))
    for failure, after in zip(failures, cases, strict=True):
        if _disconnects(after):
            words = f"{failure.what(case.network)} disconnects nodes under {case.scenario.routing.tag()} routing"
            raise SpecError(FIELD, f"{words}; leave it out, or choose a routing with other paths, such as minimal")
    return cases


def least_time(report: LoadReport, cases: Sequence[Case]) -> float:
    """Return a lower bound on the objective of any mapping: the largest without a failure and after each; 0 if unknown.

    `cases` are those after the failures.
    """
    reports = [report, *map(evaluate, cases)]
    return max((bound.time for each in reports for bound in bounds(each.case, each)), default=0.0)


def _only_robust(objective: Objective) -> str:
    return f"count only with the objective {WorstFailure.tag()}, not with {objective.tag()}"


def _worst_cables(report: LoadReport, count: int, progress: Progress) -> tuple[AnyFault, ...]:
    case = report.case
    order = _worst_first(report, subprogress(progress, 0, TIMES_PART))
    worst: list[AnyFault] = []
    for number, cable in enumerate(order):
        if len(worst) == count:
            break
        progress(TIMES_PART + (1 - TIMES_PART) * number / len(order))
        if not _disconnects(_case_after(case, cable, FIELD)):
            worst.append(cable)
    progress(1.0)
    if not worst:
        words = f"every cable disconnects nodes under {case.scenario.routing.tag()} routing"
        raise SpecError(FIELD, f"{words}; choose a routing with other paths, such as minimal")
    return tuple(worst)


def _worst_first(report: LoadReport, progress: Progress) -> list[LinkFault]:
    network, failures, times = report.case.network, Failures(report), []
    cables = [cable for cable in cables_of(network) if report.case.gbs[cable.link(network)] > 0]
    for number, cable in enumerate(cables):
        progress(number / len(cables))
        times.append(failures.with_failure(cable).time)
    return [cables[number] for number in np.argsort(-np.array(times), kind="stable").tolist()]


def _case_after(case: Case, failure: AnyFault, field: str) -> Case:
    scenario = case.scenario
    try:
        after = replace(scenario, faults=(*scenario.faults, failure)).build(before=case)
    except SpecError as error:
        raise SpecError(f"{field}.{error.field.rpartition('.')[2]}", error.message) from error
    return replace(after, mapping=case.mapping, allocation=case.allocation)


def _disconnects(after: Case) -> bool:
    # Whether any two of the job's nodes have no path, or one of these nodes has failed.
    nodes = np.arange(after.network.nodes) if after.allocation is None else after.allocation.nodes
    if nodes.size > MAX_NODES:
        raise SpecError(FIELD, f"the job has {nodes.size:,} nodes; at most {MAX_NODES:,} can be searched with failures")
    if after.faults is not None and after.faults.failed_nodes[nodes].any():
        return True
    router = after.router
    if not isinstance(router, FaultyRouter):
        return False
    return any(bool(router.disconnected(src, dst).any()) for src, dst in _pairs(nodes.astype(np.int32)))


def _pairs(nodes: Nodes) -> Iterator[tuple[Nodes, Nodes]]:
    # All pairs of nodes, in portions.
    step = max(1, PAIRS_AT_ONCE // nodes.size)
    for first in range(0, nodes.size, step):
        some = nodes[first : first + step]
        yield np.repeat(some, nodes.size), np.tile(nodes, some.size)


def tables_after(routes: RouteTables | None, routers: Sequence[Router]) -> RouteTables | None:
    """Return route tables with a row for each pair that a failure reroutes; None if impossible or too large.

    `routes` are the tables without a failure, and `routers` the routers without and after each failure.
    """
    nodes = routers[0].network.nodes
    if routes is None or nodes**2 * len(routers) > MAX_ENTRIES:
        return None
    detour, rows, parts = np.full((len(routers), nodes, nodes), -1, np.int32), routes.start.size - 1, []
    for number, router in enumerate(routers):
        if not isinstance(router, FaultyRouter):
            continue
        for src, dst in _pairs(np.arange(nodes, dtype=np.int32)):
            state = router.state(src, dst)
            lost = np.flatnonzero((state > 0) & (state != DISCONNECTED))
            detour[number, src[lost], dst[lost]] = np.arange(rows, rows + lost.size)
            hops = router.rerouted_hops(src[lost], dst[lost]) if lost.size else NO_HOPS
            parts.append((lost.size, hops))
            rows += lost.size
    if routes.links.size + sum(hops.link.size for _, hops in parts) > MAX_ENTRIES:
        return None
    return _joined(routes, detour, parts)


def _joined(routes: RouteTables, detour: Nodes, parts: Sequence[tuple[int, Hops]]) -> RouteTables:
    shares, links, counts = [routes.fluid if routes.fluid.size else routes.shares / routes.denominator], [], []
    lengths = []
    for rows, hops in parts:
        order = np.argsort(hops.flow, kind="stable")
        shares.append(hops.share[order])
        links.append(hops.link[order].astype(np.int32))
        counts.append(np.bincount(hops.flow, minlength=rows)[:rows])
        lengths.append(np.bincount(hops.flow, hops.share, rows)[:rows])
    start = routes.start[-1] + np.cumsum(np.concatenate([np.zeros(0, np.int64), *counts]))
    return routes._replace(
        denominator=1,
        start=np.concatenate([routes.start, start.astype(np.int64)]),
        links=np.concatenate([routes.links, *links]),
        shares=np.zeros(0, np.int64),
        hops=np.concatenate([routes.hops, *lengths]),
        fluid=np.concatenate(shares),
        detour=detour,
    )
