"""Valiant's routing over groups, with group-minimal paths: local, global, local, global, local.

A random group is drawn, possibly the group of the source or the destination. All links to it from the source's group
carry the same share, and group-minimal paths lead on from their ends. A flow that draws its source's group goes
directly. With failed links, groups to which the source's group has lost all direct links are not drawn.

Source: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", 2008.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.group_minimal.scheme import EqualGroupRouter
from core.routing.group_minimal.wiring import Fan
from core.routing.hop_list import HopListRouter
from core.routing.minimal.turns import ROLES
from core.routing.node_pairs import DENSE_NODES, fits_matrix, pair_matrix
from core.spec import Progress, SpecError, no_progress

TO, FROM = range(2)


class GroupLegsThroughGroups(HopListRouter):
    """Flows enter the drawn group over any of its links from the source's group."""

    roles = ROLES

    def __init__(self, network: Network, failed: Flags | None = None, islands: Nodes | None = None) -> None:
        super().__init__(network)
        self.legs = EqualGroupRouter(network, failed)
        self._wiring = self.legs.wiring
        self.islands = np.zeros(network.vertices, np.int32) if islands is None else islands
        """(vertices,) island of each; no flow leaves it."""
        if not fits_matrix(self._wiring.vertex.size):
            words = f"group supports at most {DENSE_NODES:,} vertices, not {self._wiring.vertex.size:,}; choose node"
            raise SpecError("routing.through", words)
        self._entries()

    def _entries(self) -> None:
        wiring, group = self._wiring, self.network.group_of[self._wiring.vertex]
        island = self.islands[wiring.vertex]
        usable = np.flatnonzero(island[wiring.tail] == island[wiring.head])
        tail, head = wiring.tail[usable], wiring.head[usable]
        zone = wiring.zone[tail]
        key = zone.astype(np.int64) * (int(group.max()) + 1) + group[head]
        keys, place, count = np.unique(key, return_inverse=True, return_counts=True)
        drawn = 1 + np.bincount(keys // (int(group.max()) + 1), minlength=wiring.zones)
        self._own: Volumes = 1.0 / drawn
        """(zones,) probability that a flow draws its source's group."""
        order = np.argsort(zone, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(zone, minlength=wiring.zones)))
        share = self._own[zone] / count[place]
        self._out = Fan(start, usable[order].astype(np.int32), share[order])
        """By zone, the direct links out of it, as indices into the links of the wiring, with the shares of a flow."""

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the entry vertices of the legs."""
        return self.legs.entry_vertices

    def _goes(self, src: Nodes, dst: Nodes) -> Flags:
        return np.asarray((src != dst) & (self.islands[src] == self.islands[dst]))

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link.

        Raises SpecError: if there are more shortest paths inside a group than can be counted.
        """
        direct = np.zeros(self.network.links)
        return self.legs.loads(self._halves(flows, direct), progress) + direct

    def _halves(self, flows: Iterable[NodeFlows], direct: Volumes) -> Iterator[NodeFlows]:
        # Yields all flows except over the direct links to the drawn groups, whose loads are added to `direct`.
        wiring, vertex = self._wiring, self._wiring.vertex
        place, matrix = wiring.place, np.zeros((vertex.size, vertex.size))
        for block in flows:
            some = block.some(self._goes(block.src, block.dst))
            yield NodeFlows(some.src, vertex[place[some.src]], some.volume)
            yield NodeFlows(vertex[place[some.dst]], some.dst, some.volume)
            matrix += pair_matrix([NodeFlows(place[some.src], place[some.dst], some.volume)], vertex.size)
        begin = np.arange(vertex.size, dtype=np.int32)
        to = self._out.of(wiring.zone)
        volume = to.share * matrix.sum(axis=0)[to.flow]
        direct += np.bincount(wiring.link[to.at], volume, direct.size)
        yield NodeFlows(vertex[begin[to.flow]], vertex[wiring.tail[to.at]], volume)
        by_zone = np.zeros((vertex.size, wiring.zones))
        np.add.at(by_zone.T, wiring.zone, matrix.T)
        matrix *= self._own[wiring.zone]
        _enter(by_zone, self._out, wiring.head, matrix)
        dst, src = np.nonzero(matrix)
        yield NodeFlows(vertex[src], vertex[dst], matrix[dst, src])

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows. Roles: to and from the intermediate; cables of nodes count towards either."""
        wiring, vertex = self._wiring, self._wiring.vertex
        flow = np.flatnonzero(self._goes(src, dst))
        begin, end = wiring.place[src[flow]], wiring.place[dst[flow]]
        flow, begin, end, cabled = *self._apart(flow, begin, end), flow
        to = self._out.of(wiring.zone[begin])
        link, share, own = to.at, to.share, self._own[wiring.zone[begin]]
        which = flow[to.flow]
        return Hops.joined(
            (
                *self._legs(cabled, src[cabled], vertex[wiring.place[src[cabled]]], np.ones(cabled.size), TO),
                *self._legs(cabled, vertex[wiring.place[dst[cabled]]], dst[cabled], np.ones(cabled.size), FROM),
                *self._legs(which, vertex[begin[to.flow]], vertex[wiring.tail[link]], share, TO),
                Hops(which, wiring.link[link], share, np.full(which.size, TO, np.int8)),
                *self._legs(which, vertex[wiring.head[link]], vertex[end[to.flow]], share, FROM),
                *self._legs(flow, vertex[begin], vertex[end], own, FROM),
            )
        )

    def _apart(self, flow: NDArray[np.intp], begin: Nodes, end: Nodes) -> tuple[NDArray[np.intp], Nodes, Nodes]:
        # Flows within one place stay there.
        apart = begin != end
        return flow[apart], begin[apart], end[apart]

    def _legs(self, flow: NDArray[np.intp], src: Nodes, dst: Nodes, share: Volumes, role: int) -> Iterator[Hops]:
        for hops in self.legs.hop_portions(src, dst):
            yield Hops(
                flow[hops.flow], hops.link, share[hops.flow] * hops.share, np.full(hops.flow.size, role, np.int8)
            )

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the mean lengths of paths; 0 if there is no path."""
        hops_of_flow = np.zeros(src.size)
        for first, hops in self._portions(src, dst):
            hops_of_flow += np.bincount(first + hops.flow, hops.share, src.size)
        return hops_of_flow

    def updates(self, flows: int) -> int:
        """Return for each flow the estimated number of links of its paths over all groups."""
        return flows * 4 * max(self._wiring.link.size // self._wiring.zones, 1)


@kernel
def _enter(by_zone: Volumes, out: Fan, head: Nodes, matrix: Volumes) -> None:
    # Add to each place the volume that enters its group there, by destination (row).
    for zone in range(out.start.size - 1):
        for k in range(out.start[zone], out.start[zone + 1]):
            place, share = head[out.at[k]], out.share[k]
            for v in range(matrix.shape[0]):
                matrix[v, place] += by_zone[v, zone] * share
