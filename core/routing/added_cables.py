"""The flows that a further cable may affect, by scheme."""

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property, singledispatch

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network
from core.routing.flows import Flags, Nodes
from core.routing.group_minimal.scheme import GroupRouter
from core.routing.minimal.faults import FaultyMinimalRouter
from core.routing.minimal.scheme import EqualRouter, MinimalRouter
from core.routing.router import Router

FAR = 1 << 13
"""Distance of vertices without a path; longer paths count as none."""


class CableEffect(ABC):
    """The flows whose paths may change if a cable between two vertices is added to the network of a router."""

    @abstractmethod
    def may_change(self, ends: Nodes, src: Nodes, dst: Nodes) -> Flags:
        """Return whether the paths of each flow may change with each cable, shape ``(cables, flows)``.

        Parameters
        ----------
        ends
            ``(cables, 2)`` the vertices that each cable joins.
        """

    def must_use(self, a: int, b: int, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow crosses the cable from a to b with its entire volume, or False if unknown."""
        return np.zeros(src.size, np.bool_)


class OnShortestPaths(CableEffect):
    """All paths of a flow are shortest.

    Paths through the cable have ``d(s, a) + 1 + d(b, t)`` links, or the same with a and b exchanged. If both exceed the
    distance d(s, t) without the cable, the set of shortest paths is unchanged; if one is less, all of them use it.
    """

    def __init__(self, network: Network, failed: Flags | None) -> None:
        self._network, self._failed = network, failed

    @cached_property
    def _distance(self) -> NDArray[np.int16]:
        network, count = self._network, self._network.vertices
        every = np.arange(count, dtype=np.int32)
        all_vertices = replace(network, nodes=count, symmetry=None, find_alike=None)
        hops = EqualRouter(all_vertices, self._failed).distance(np.repeat(every, count), np.tile(every, count))
        return np.where(hops < 0, FAR, hops).astype(np.int16).reshape(count, count)

    def may_change(self, ends: Nodes, src: Nodes, dst: Nodes) -> Flags:
        """Return whether a shortest path of each flow would cross the cable; ends that do not forward count, too."""
        distance, changed = self._distance, np.zeros((len(ends), src.size), np.bool_)
        direct = distance[src, dst]
        for a, b in (ends.T, ends.T[::-1]):
            changed |= distance[:, a][src].T + 1 + distance[b][:, dst] <= direct
        return changed

    def must_use(self, a: int, b: int, src: Nodes, dst: Nodes) -> Flags:
        """Return whether all paths through the cable are shorter than without it."""
        if min(a, b) < self._network.closed:
            return np.zeros(src.size, np.bool_)
        distance = self._distance
        return np.asarray(distance[src, a] + 1 + distance[b, dst] < distance[src, dst])


class InGroups(CableEffect):
    """Paths depend on the links of the source group, of the target group, and between these two."""

    def __init__(self, network: Network) -> None:
        self._group = network.group_of

    def may_change(self, ends: Nodes, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow begins or ends in the group of the cable, or joins its two groups."""
        a, b = self._group[ends].T[:, :, None]
        begin, end = self._group[src], self._group[dst]
        inside = (a == b) & ((begin == a) | (end == a))
        return np.asarray(inside | ((begin == a) & (end == b)) | ((begin == b) & (end == a)))


@singledispatch
def cable_effect(router: Router) -> CableEffect | None:
    """Return the flows that a further cable may affect; None if it may affect all of them."""
    return None


@cable_effect.register
def _of_minimal(router: MinimalRouter) -> CableEffect:
    return OnShortestPaths(router.network, router.failed)


@cable_effect.register
def _of_groups(router: GroupRouter) -> CableEffect | None:
    # Without direct links or paths inside a group, flows take other paths.
    return InGroups(router.network) if router.failed is None else None


@cable_effect.register
def _around_faults(router: FaultyMinimalRouter) -> CableEffect | None:
    return cable_effect(router.left)
