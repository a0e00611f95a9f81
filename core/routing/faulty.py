"""Routing around failed links: a scheme applies its rule to the remaining paths.

`with_faults` wraps a router. The rule of a scheme for flows that lost paths is a class in its package, registered in
the package's `__init__`; without one, every flow that needs a failed link is disconnected.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from core.routing.flows import NO_HOPS, FixedPoint, Flags, Hops, Ints, NodeFlows, Nodes, Traced, Volumes
from core.routing.router import Partition, Route, Router
from core.spec import Progress, no_progress

States = NDArray[np.int8]

INTACT, REROUTED, DISCONNECTED = range(3)
"""A flow has all its paths, uses the surviving ones, or has none left."""
HOPS_AT_ONCE = 1 << 21
"""Approximate number of hops listed at once: 60 MB."""
NOISE = 1e-12
"""If almost all of a load is subtracted again, a remainder below this fraction is rounding."""


class FaultyRouter(Router):
    """Flows whose paths are intact use the base router; others use their surviving paths."""

    def __init__(self, base: Router, failed: Flags) -> None:
        super().__init__(base.network)
        self.base = base
        self.failed = failed
        """(links,) whether each link has failed."""
        self.roles, self.lane_of_role, self.read_share = base.roles, base.lane_of_role, base.read_share

    @abstractmethod
    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether it is `INTACT`, `REROUTED` or `DISCONNECTED`; intact from a node to itself."""

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows that have lost paths, without disconnected flows."""
        return NO_HOPS

    def read_share_of(self, flows: int) -> float:
        """Return the base scheme's fraction."""
        return self.base.read_share_of(flows)

    @property
    def disconnects(self) -> bool:
        """Return whether any two nodes may have no path left."""
        return True

    def disconnected(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow has no path left."""
        return np.asarray(self.state(src, dst) == DISCONNECTED)

    def reason(self, u: int, v: int) -> str:
        """Return why node u cannot reach node v, if the scheme has more to say than that no path is left."""
        return ""

    def reroute(self, flows: NodeFlows, more: Volumes, less: Volumes) -> Volumes:
        """Return the part of every flow's volume that is routed as without faults.

        For flows that lost paths, loads to be added are added to `more`, and loads to be subtracted to `less`.
        """
        lost = np.flatnonzero(self.state(flows.src, flows.dst))
        kept = flows.volume.copy()
        kept[lost] = 0.0
        for part in self._portions(lost):
            flow, link, share, _ = self.rerouted_hops(flows.src[part], flows.dst[part])
            more += np.bincount(link, share * flows.volume[part][flow], more.size)
        return kept

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; flows without a path load nothing."""
        more, less = np.zeros(self.network.links), np.zeros(self.network.links)
        as_ever = (block._replace(volume=self.reroute(block, more, less)) for block in flows)
        loads = self.base.loads(as_ever, progress)
        loads += more
        loads -= less
        loads[loads < NOISE * less] = 0.0
        loads[self.failed] = 0.0
        return loads

    def changes(self, flows: NodeFlows) -> tuple[Volumes, Volumes]:
        """Return the loads that the failures add to each link, and the loads that they remove."""
        more, less = np.zeros(self.network.links), np.zeros(self.network.links)
        change = self.reroute(flows, more, less) - flows.volume
        for loads, volume in ((more, change), (less, -change)):
            if (volume > 0).any():
                loads += self.base.loads([flows._replace(volume=np.maximum(volume, 0.0))])
        return more, less

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair; empty if it is disconnected."""
        src, dst = np.array([u], np.int32), np.array([v], np.int32)
        if self.state(src, dst)[0] == INTACT:
            return self.base.route(u, v)
        hops = self.rerouted_hops(src, dst)
        return Route.of(hops.link, hops.share, hops.role)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`, over the remaining paths."""
        share = self.base.crossing(link, src, dst)
        if self.failed[link]:
            return np.zeros_like(share)
        might = np.flatnonzero(share.any(axis=0))
        lost = might[self.state(src[might], dst[might]) != INTACT]
        share[:, lost] = 0.0
        for part in self._portions(lost):
            hops = self.rerouted_hops(src[part], dst[part])
            crosses = hops.link == link
            np.add.at(share, (hops.role[crosses], part[hops.flow[crosses]]), hops.share[crosses])
        return share

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow; for rerouted flows every hop's share is rounded separately."""
        lost = self.state(src, dst) != INTACT
        intact = self.base.trace(src[~lost], dst[~lost], volume[~lost])
        parts = self._portions(np.flatnonzero(lost))
        return Traced.joined(
            [intact, *(self.rerouted_hops(src[part], dst[part]).traced(volume[part]) for part in parts)]
        )

    def _portions(self, flows: Ints) -> list[Ints]:
        step = max(HOPS_AT_ONCE // self.updates(1), 1)
        return [flows[first : first + step] for first in range(0, flows.size, step)]

    def updates(self, flows: int) -> int:
        """Return the base router's number, with room for the lists of rerouted flows."""
        return 2 * self.base.updates(flows)

    @property
    def parts(self) -> int | None:
        """Return the base scheme's number: intact flows are split as before."""
        return self.base.parts

    @property
    def single_path(self) -> bool:
        """Return whether the base scheme has single paths."""
        return self.base.single_path

    @property
    def lanes(self) -> int:
        """Return the base scheme's number."""
        return self.base.lanes

    def lane_of(self, link: Ints, role: Ints, dst: Ints) -> Ints:
        """Return the base scheme's lanes."""
        return self.base.lane_of(link, role, dst)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return an empty tuple: the minimum load of a unit may be lower on the remaining paths."""
        return ()


class NoDetourRouter(FaultyRouter):
    """A base router without detours: a flow that needs a failed link is disconnected."""

    def __init__(self, base: Router, failed: Flags) -> None:
        super().__init__(base, failed)
        self.memoryless = base.memoryless

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return `DISCONNECTED` for flows that cross a failed link."""
        state = np.full(src.size, INTACT, np.int8)
        for link in np.flatnonzero(self.failed).tolist():
            state[self.base.crossing(link, src, dst).any(axis=0)] = DISCONNECTED
        return state


@singledispatch
def with_faults(base: Router, failed: Flags) -> FaultyRouter:
    """Return the scheme with failed links, `failed` of shape ``(links,)``."""
    return NoDetourRouter(base, failed)


@singledispatch
def depends_on(router: Router, lost: Sequence[int], src: Nodes, dst: Nodes) -> Flags | None:
    """Return whether the paths of each flow may change if links are lost; None if all paths may."""
    crosses = np.zeros(src.size, np.bool_)
    for link in lost:
        crosses |= router.crossing(link, src, dst).any(axis=0)
    return crosses


def may_all_change(router: Router, lost: Sequence[int], src: Nodes, dst: Nodes) -> None:
    """Return None: the paths of all flows may change if links are lost (see `depends_on`)."""


def without_faults(router: Router) -> Router:
    """Return the scheme without failed links."""
    return router.base if isinstance(router, FaultyRouter) else router
