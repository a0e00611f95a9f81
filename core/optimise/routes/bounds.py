"""Lower bounds on the time of a job under any minimal routes.

By hosts: routes do not change the loads of links between hosts and switches.

By cuts: all that the hosts of a switch send to hosts of other switches leaves the switch on links of minimal paths; and
all that they receive enters it on such links. Among these flows, those for which minimal paths use only links of a set
share that set (Hall's condition). If they are equal, the busiest link carries a multiple, as each uses a single link.

With several phases the bounds of the phases add up. Background jobs are ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from core.load.bounds.bound import CLEARLY, Bound, time_step
from core.optimise.routes.problem import RouteProblem
from core.routing.flows import Flags, Nodes, Volumes
from core.routing.tables.fabric import NO_LINK
from core.routing.tables.kernel import NO_PATH
from core.text import figure, plural

MAX_SETS = 256
"""Distinct sets of links at a switch that are compared."""
MAX_CUTS = 1 << 24
"""Switches times links up to which the last links of minimal paths are followed: some seconds."""


@dataclass(frozen=True, slots=True)
class Share:
    """Links that certain flows share in a run."""

    time: float
    volume: float
    links: NDArray[np.intp]
    rounded: bool
    """Whether the time is of a load rounded up to a multiple of equal flows."""
    words: str
    """Which flows, with their volume: ``{} that hosts of L1 send to hosts of other switches``."""


def route_bounds(problem: RouteProblem) -> tuple[Bound, ...]:
    """Return the bounds on the time under minimal routes, strongest first."""
    runs = problem.traffic.times.size
    strongest: list[dict[str, Share]] = [{} for _ in range(runs)]
    for kind, run, share in _shares(problem):
        before = strongest[run].get(kind)
        if before is None or share.time > before.time:
            strongest[run][kind] = share
    if runs == 1:
        times = float(problem.traffic.times[0])
        bounds = [_bound(problem, share, times) for share in strongest[0].values()]
        return tuple(sorted(bounds, key=lambda bound: -bound.time))
    return _added(problem, strongest)


def _bound(problem: RouteProblem, share: Share, times: float) -> Bound:
    case, measure = problem.case, problem.case.job.measure
    gbs = case.gbs[share.links]
    classes = {c.name for c in case.network.classes if c.has(share.links).any()}
    total = f"{figure(float(gbs.sum()))} GB/s"
    over = f"cross a link of {total}" if gbs.size == 1 else f"share {gbs.size:,} links of {total} in total"
    reason = f"{share.words.format(measure.amount(share.volume))} {over}"
    steps = [f"Under all minimal routes, {reason}."]
    if share.rounded:
        steps.append("All these flows are equal and each uses a single link, so the busiest link carries a multiple.")
    time = share.time * times
    return Bound(time, classes.pop() if len(classes) == 1 else None, reason, (*steps, *time_step(time, measure)))


def _added(problem: RouteProblem, strongest: list[dict[str, Share]]) -> tuple[Bound, ...]:
    times, measure = problem.traffic.times, problem.case.job.measure
    least = [max((share.time for share in shares.values()), default=0.0) for shares in strongest]
    time = float(np.dot(times, least))
    reason = f"the hosts and leaf switches of {plural(int(times.sum()), 'phase')} need this time, phase after phase"
    step = "In each phase, flows that no minimal route can separate share links of a host or of a switch."
    return (Bound(time, None, reason, (step, *time_step(time, measure))),) if time > 0 else ()


def _shares(problem: RouteProblem) -> Iterator[tuple[str, int, Share]]:
    """Yield the shared links with their kind and run."""
    volume = problem.traffic.entering[..., : problem.traffic.times.size] / problem.scale
    yield from _of_hosts(problem, volume)
    for switch in np.unique(problem.paths.src[problem.paths.last[problem.paths.last != NO_LINK]]).tolist():
        yield from _out_of(problem, switch - problem.paths.nodes, volume)
        yield from _into(problem, switch - problem.paths.nodes, volume)


def _of_hosts(problem: RouteProblem, volume: Volumes) -> Iterator[tuple[str, int, Share]]:
    paths, network, gbs = problem.paths, problem.case.network, problem.case.gbs
    loads = problem.traffic.fixed[:, : volume.shape[2]] / problem.scale
    reached = paths.last != NO_LINK
    np.add.at(loads, paths.last[reached], volume.sum(axis=1)[reached])
    times = np.divide(loads, gbs[:, None], out=np.zeros_like(loads), where=gbs[:, None] > 0)
    for run, link in enumerate(times.argmax(axis=0).tolist()):
        host, sends = int(network.src[link]), bool(network.src[link] < network.nodes)
        name = network.vertex_name(host if sends else int(network.dst[link]))
        words = f"{{}} that {name} {'sends' if sends else 'receives'}"
        yield "host", run, Share(float(times[link, run]), float(loads[link, run]), np.array([link]), False, words)


def _out_of(problem: RouteProblem, switch: int, volume: Volumes) -> Iterator[tuple[str, int, Share]]:
    # The flows by row, and the links of each that are minimal.
    paths = problem.paths
    rows = np.flatnonzero((volume[:, switch].sum(axis=1) > 0) & (paths.hops[:, switch] > 1))
    link = paths.out.link[paths.out.start[switch] : paths.out.start[switch + 1]]
    link = link[paths.head[link] >= paths.nodes]
    nearer = paths.hops[np.ix_(rows, paths.head[link] - paths.nodes)] == paths.hops[rows, switch][:, None] - 1
    words = f"{{}} that hosts of {_name(problem, switch)} send to hosts of other switches"
    yield from _cuts(problem, "sent", nearer, volume[rows, switch], link, words)


def _into(problem: RouteProblem, switch: int, volume: Volumes) -> Iterator[tuple[str, int, Share]]:
    # The flows by switch of their source and row, and the last links of their minimal paths.
    paths = problem.paths
    rows = np.flatnonzero((paths.last != NO_LINK) & (paths.src[paths.last] - paths.nodes == switch))
    link = paths.into.link[paths.into.start[switch] : paths.into.start[switch + 1]]
    if not rows.size or not link.size or paths.hops.shape[1] * paths.into.link.size > MAX_CUTS:
        return
    last = _last_hops(problem, paths.hops[rows[0]], link)
    row, source = np.nonzero(volume[rows].sum(axis=2) * (np.arange(volume.shape[1]) != switch))
    words = f"{{}} that hosts of {_name(problem, switch)} receive from hosts of other switches"
    yield from _cuts(problem, "received", last[source], volume[rows[row], source], link, words)


def _last_hops(problem: RouteProblem, hops: NDArray[np.int16], link: Nodes) -> Flags:
    # By switch, which of the links into a switch end minimal paths from there, (switches, links).
    paths = problem.paths
    last = np.zeros((hops.size, link.size), np.bool_)
    last[paths.src[link] - paths.nodes, np.arange(link.size)] = True
    tail, head = paths.src[problem.inner] - paths.nodes, paths.head[problem.inner] - paths.nodes
    nearer = (hops[tail] != NO_PATH) & (hops[head] == hops[tail] - 1)
    for left in range(3, int(hops.max()) + 1):
        level = nearer & (hops[tail] == left)
        np.logical_or.at(last, tail[level], last[head[level]])
    return last


def _cuts(
    problem: RouteProblem, kind: str, allowed: Flags, volume: Volumes, link: Nodes, words: str
) -> Iterator[tuple[str, int, Share]]:
    """Yield the links that flows share, given the links that each may use, and its volume in each run.

    `allowed` is of shape ``(flows, links)``, `volume` ``(flows, runs)``.
    """
    if not volume.size:
        return
    sets, of = np.unique(allowed, axis=0, return_inverse=True)
    total = np.zeros((len(sets), volume.shape[1]))
    np.add.at(total, of.ravel(), volume)
    heaviest = np.argsort(-total.sum(axis=1), kind="stable")[:MAX_SETS]
    for chosen in [np.ones(link.size, np.bool_) & sets.any(axis=0), *sets[heaviest]]:
        inside = ~(sets & ~chosen).any(axis=1)
        amount, gbs = total[inside].sum(axis=0), problem.case.gbs[link[chosen]]
        for run in np.flatnonzero(amount).tolist():
            some = volume[inside[of.ravel()], run]
            time, rounded = _least_time(some[some > 0], gbs)
            yield kind, run, Share(time, float(amount[run]), link[chosen].astype(np.intp), rounded, words)


def _least_time(volume: Volumes, gbs: Volumes) -> tuple[float, bool]:
    # The least time of the busiest of some links, and whether it is of a rounded load.
    mean = float(volume.sum() / gbs.sum())
    if np.ptp(volume) > CLEARLY * volume.max() or np.ptp(gbs) > 0:
        return mean, False
    each = ceil(volume.size / gbs.size * (1 - CLEARLY)) * float(volume.mean()) / float(gbs[0])
    return max(mean, each), each > mean * (1 + CLEARLY)


def _name(problem: RouteProblem, switch: int) -> str:
    return problem.case.network.vertex_name(problem.paths.nodes + switch)
