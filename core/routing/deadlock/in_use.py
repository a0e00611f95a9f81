"""The dependencies of a routing: of all its paths between all pairs of nodes."""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from core.routing.deadlock.dependencies import Channels, Dependencies, DependencySet
from core.routing.faulty import without_faults
from core.routing.flows import Hops, Ints, NodeFlows, Nodes
from core.routing.group_minimal.scheme import GroupRouter
from core.routing.minimal.faults import FaultyMinimalRouter
from core.routing.paths import PAIRS_AT_ONCE, all_pairs
from core.routing.percs.faults import FaultyPercsRouter
from core.routing.percs.scheme import PercsRouter
from core.routing.router import Router
from core.spec import Progress, SpecError, no_progress


def dependencies_of(router: Router, lanes: int = 1, progress: Progress = no_progress) -> Dependencies:
    """Return the channel dependency graph of all paths of a routing.

    Parameters
    ----------
    lanes
        1 to ignore the scheme's virtual lanes, else `Router.lanes`.

    Raises SpecError: if the scheme does not list its paths. Raises Cancelled: when `progress` does.
    """
    uses = Uses(router, lanes)
    if router.single_path and (lanes == 1 or not router.lane_of_role):
        uses.add_single_paths(progress)
    elif router.memoryless and not router.plans:
        uses.add_by_destination(progress)
    else:
        uses.add_hops(progress)
    return uses.arcs.dependencies()


class Uses:
    """Collects the dependencies of the paths of a routing."""

    def __init__(self, router: Router, lanes: int) -> None:
        self._router, self._lanes, self._network = router, lanes, router.network
        self.arcs = DependencySet(router.network.links * lanes)

    def add_single_paths(self, progress: Progress) -> None:
        """Add the only path of every pair."""
        for src, dst in pairs_of(self._router, progress):
            start, links = self._router.paths(src, dst)
            self.arcs.add_paths(start, self._channels(links, np.zeros(links.size, np.int8), dst, np.diff(start)))

    def add_by_destination(self, progress: Progress) -> None:
        """Add all pairs of consecutive links that carry flows to one node: no vertex routes by source."""
        node, ends = np.arange(self._network.nodes, dtype=np.int32), ends_of(self._router)
        for done, target in enumerate(ends):
            dst = np.full(node.size, target, np.int32)
            links = np.flatnonzero(self._router.loads([NodeFlows(node, dst, np.ones(node.size))])).astype(np.int32)
            self._add_sets(np.array([0, links.size]), links, np.zeros(links.size, np.int8), dst[:1])
            progress((done + 1) / ends.size)

    def add_hops(self, progress: Progress) -> None:
        """Add the paths of a scheme that lists all hops."""
        step = max(PAIRS_AT_ONCE // self._router.updates(1), 1)
        path_by_path = isinstance(without_faults(self._router), PercsRouter)
        for all_src, all_dst in pairs_of(self._router, progress):
            for first in range(0, all_src.size, step):
                src, dst = all_src[first : first + step], all_dst[first : first + step]
                hops = hop_list(self._router, src, dst)
                if path_by_path:
                    self._add_listed(hops, dst)
                    continue
                order = np.argsort(hops.flow, kind="stable")
                start = np.searchsorted(hops.flow[order], np.arange(src.size + 1))
                self._add_sets(start, hops.link[order], hops.role[order], dst)

    def _add_listed(self, hops: Hops, dst: Nodes) -> None:
        # All paths of a flow begin at its source, where no other path of the flow ends.
        new = np.diff(hops.flow, prepend=-1) != 0
        new[1:] |= self._network.src[hops.link[1:]] != self._network.dst[hops.link[:-1]]
        start = np.append(np.flatnonzero(new), hops.flow.size)
        self.arcs.add_paths(start, self._channels(hops.link, hops.role, dst[hops.flow], 1))

    def _add_sets(self, start: Channels, links: Ints, role: Ints, dst: Nodes) -> None:
        channel = self._channels(links, role, dst, np.diff(start))
        self.arcs.add_sets(start, channel, role, self._network.dst, self._lanes, self._network.out_links)

    def _channels(self, links: Ints, role: Ints, dst: Nodes, times: Ints | int) -> Channels:
        # The channels of hops; destination i is repeated ``times[i]`` times.
        if self._lanes == 1:
            return links.astype(np.int64)
        return links.astype(np.int64) * self._lanes + self._router.lane_of(links, role, np.repeat(dst, times))


def ends_of(router: Router) -> Nodes:
    """Return a node for each entry vertex, or all nodes.

    The cables of other nodes of a vertex add no cycle: no path continues over the cable by which it reached a node.
    """
    entries = router.entry_vertices
    if entries is None:
        return np.arange(router.network.nodes, dtype=np.int32)
    return np.unique(entries, return_index=True)[1].astype(np.int32)


def pairs_of(router: Router, progress: Progress) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield pairs of nodes whose paths have all dependencies that may be part of a cycle."""
    if isinstance(router, PercsRouter):
        yield from _pairs_of_supernodes(router)
        return
    ends = ends_of(router)
    for src, dst in all_pairs(ends.size):
        yield ends[src], ends[dst]
        progress(float(dst[-1] + 1) / ends.size)


def _pairs_of_supernodes(router: PercsRouter) -> Iterator[tuple[Nodes, Nodes]]:
    # Between supernodes, no two consecutive hops depend on both ends of a flow: its source alone, or its destination
    # alone, matters beyond their supernodes.
    node = np.arange(router.network.nodes, dtype=np.int32)
    first = node[:: router.size]
    yield np.repeat(node, router.size), (first.repeat(router.size)[:, None] + node[: router.size]).ravel()
    for other in first:
        yield node, np.full(node.size, other)
        yield np.full(node.size, other), node


@singledispatch
def hop_list(router: Router, src: Nodes, dst: Nodes) -> Hops:
    """Return all hops of flows; on PERCS path by path.

    Raises SpecError: if the scheme does not list its paths.
    """
    supported = "single paths, shortest paths, dimension order, group-minimal and PERCS routing"
    raise SpecError("routing.type", f"deadlock freedom is checked for {supported} only")


@hop_list.register
def _(router: GroupRouter, src: Nodes, dst: Nodes) -> Hops:
    return router.hops_of(src, dst)


@hop_list.register
def _(router: FaultyMinimalRouter, src: Nodes, dst: Nodes) -> Hops:
    return hop_list(router.left, src, dst)


@hop_list.register
def _(router: PercsRouter, src: Nodes, dst: Nodes) -> Hops:
    return hop_list(FaultyPercsRouter(router, np.zeros(router.network.links, np.bool_)), src, dst)


@hop_list.register
def _(router: FaultyPercsRouter, src: Nodes, dst: Nodes) -> Hops:
    if router.base.indirect and not router.base.wiring.middle:
        raise SpecError("routing.count_middle_hop", "must be true to check deadlock freedom")
    return router.rerouted_hops(src, dst)
