"""The paths of one flow: the share of its volume on every link, and the path with the largest share."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.load.evaluate import LoadReport
from core.network.network import Network
from core.routing import Route, Router
from core.spec import Progress, no_progress

MAX_FOLLOWED = 1 << 15
"""Maximum number of links of a flow for which its paths are counted; routes over random intermediates have more."""

Links = NDArray[np.intp]
NO_LINKS: Links = np.zeros(0, np.intp)
NO_LINK = -1
EQUAL = 1e-9
"""Relative difference below which shares of paths count as equal."""


@dataclass(frozen=True, eq=False)
class FlowPaths:
    """How the volume from one task to another is divided over links, over all phases together."""

    report: LoadReport
    source: int
    destination: int
    volume: float
    """Volume of the flow in all phases; if 0, the paths of a flow of one unit are given."""
    links: Links
    """(n,) the links that it crosses, ascending; empty within a node, or if it is disconnected."""
    shares: NDArray[np.float64]
    """(n,) fraction of the volume on each of them."""
    best: Links
    """(hops,) the links of the path with the largest share, in order; empty if paths cannot be distinguished."""
    best_share: float
    """Fraction of the volume on that path."""
    count: int | None
    """Number of paths; None if they cannot be distinguished."""

    @property
    def nodes(self) -> tuple[int, int]:
        """Return the nodes of source and destination."""
        node = self.report.case.mapping.nodes
        return int(node[self.source]), int(node[self.destination])

    @property
    def hops(self) -> float:
        """Return the number of links that a unit crosses, on average over the paths."""
        return float(self.shares.sum())


def find_paths(
    report: LoadReport, source: int, destination: int, progress: Progress = no_progress, through: int = NO_LINK
) -> FlowPaths:
    """Return the paths of the flow from one task to another, as routed in a report.

    Under a planning scheme, paths differ between phases, and their shares are weighted by the volume in each.

    Of paths with equal shares `best` is one over the link `through`, if there is one.

    Raises Cancelled: when `progress` does.
    """
    case = report.case
    volumes = _volumes(case.job, source, destination, progress)
    volume = sum(volumes.values())
    node = case.mapping.nodes
    u, v = int(node[source]), int(node[destination])
    routers = [report.router(k) for k in volumes] if case.router.plans else [case.router]
    routes = [router.route(u, v) for router in routers]
    weights = [part / volume for part in volumes.values()] if len(routes) > 1 else [1.0] * len(routes)
    shares = np.zeros(0)
    links, place = np.unique(np.concatenate([NO_LINKS, *(route.links for route in routes)]), return_inverse=True)
    if routes:
        parts = [route.shares * weight for route, weight in zip(routes, weights, strict=True)]
        shares = np.asarray(np.bincount(place, np.concatenate(parts), links.size), np.float64)
    best, share, count = tell_apart(case.network, u, v, links, shares, routers, routes, through)
    return FlowPaths(report, source, destination, volume, links, shares, best, share, count)


def _volumes(job: Job, source: int, destination: int, progress: Progress) -> dict[int, float]:
    """Return the volume of the flow in each of the job's `runs` that has some, by the run's first phase."""
    task, volumes = np.array([source], np.int32), {}
    for number, (first, phase, times) in enumerate(job.runs):
        progress(number / len(job.runs))
        flows = phase.out_flows(task)
        volume = times * float(flows.volume[flows.dst == destination].sum())
        if volume > 0:
            volumes[first] = volume
    return volumes


def tell_apart(
    network: Network, u: int, v: int, links: Links, shares: NDArray[np.float64], routers: list[Router],
    routes: list[Route], through: int = NO_LINK,
) -> tuple[Links, float, int | None]:  # fmt: skip
    """Return the path from node u to node v with the largest share, its share, and the number of paths.

    Of paths with equal shares it is one over the link `through`, if there is one.
    """
    if not links.size:
        return NO_LINKS, 0.0, 0
    if len(routes) == 1 and routes[0].path is not None:
        return listed_paths(routes[0], routes[0].path, through)
    if links.size > MAX_FOLLOWED:
        return NO_LINKS, 0.0, None
    memoryless = len(routers) == 1 and routers[0].memoryless
    return _followed(network, u, v, links, shares, memoryless, through)


def listed_paths(route: Route, path: NDArray[np.int64], through: int = NO_LINK) -> tuple[Links, float, int]:
    """Return the path with the largest share, its share, and the number of paths, of a route that lists them."""
    start = np.flatnonzero(np.append(True, path[1:] != path[:-1]))
    share_of: dict[tuple[int, ...], float] = {}
    for links, share in zip(np.split(route.links, start[1:]), route.shares[start].tolist(), strict=True):
        # Paths without one of their hops may be the same.
        key = tuple(links.tolist())
        share_of[key] = share_of.get(key, 0.0) + share
    best = max(share_of, key=lambda links: share_of[links] * (1 + EQUAL * (through in links)))
    return np.array(best, np.intp), share_of[best], len(share_of)


def _followed(
    network: Network, u: int, v: int, links: Links, shares: NDArray[np.float64], memoryless: bool, through: int
) -> tuple[Links, float, int | None]:
    """Follow the volume from vertex to vertex.

    Shares on links determine the paths if the volume divides at each vertex in ratios that do not depend on how it
    arrived. That is so if no vertex at which paths have met, or after it, divides the volume again.
    """
    leaving: dict[int, list[tuple[int, int, float]]] = defaultdict(list)
    ends = network.src[links].tolist(), network.dst[links].tolist()
    for link, share, start, end in zip(links.tolist(), shares.tolist(), *ends, strict=True):
        leaving[start].append((link, end, share))
    ways, best, arrived, met = {u: 1}, {u: 1.0}, dict[int, tuple[int, int]](), set[int]()
    over = set[int]()  # vertices whose best path crosses `through`
    followed = 0
    for vertex in _in_order(u, ends[1], leaving):
        out = leaving[vertex]
        if vertex in met and len(out) > 1 and not memoryless:
            return NO_LINKS, 0.0, None
        total = sum(share for *_, share in out)
        for link, end, share in out:
            followed += 1
            if end in ways or vertex in met:
                met.add(end)
            ways[end] = ways.get(end, 0) + ways[vertex]
            part, crosses = best[vertex] * share / total, vertex in over or link == through
            before = best.get(end, 0.0)
            if part > before * (1 + EQUAL) or (crosses and end not in over and part > before * (1 - EQUAL)):
                best[end], arrived[end] = part, (link, vertex)
                (over.add if crosses else over.discard)(end)
    if followed < links.size or leaving[v]:
        return NO_LINKS, 0.0, None  # some links form a circle
    path, vertex = list[int](), v
    while vertex != u:
        link, vertex = arrived[vertex]
        path.append(link)
    return np.array(path[::-1], np.intp), best[v], ways[v]


def _in_order(u: int, ends: list[int], leaving: dict[int, list[tuple[int, int, float]]]) -> Iterator[int]:
    """Yield vertices from u on, each after all links that lead to it; vertices on a circle are missing."""
    missing: dict[int, int] = defaultdict(int)
    for end in ends:
        missing[end] += 1
    ready = [u] if not missing[u] else []
    while ready:
        vertex = ready.pop()
        yield vertex
        for _, end, _ in leaving[vertex]:
            missing[end] -= 1
            if not missing[end]:
                ready.append(end)
