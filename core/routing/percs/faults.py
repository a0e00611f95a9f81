"""Direct and indirect routing around failed links: equal shares over the remaining paths.

Paths of a flow are numbered: inside a supernode by x of the source's drawer (one path if not striped); if direct, by
bucket j; if indirect, ``x nd + j`` by intermediate supernode and bucket. A path is lost if any of its links fails.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, FaultyRouter, States
from core.routing.flows import FixedPoint, Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.percs.scheme import (
    D_FIRST,
    D_SECOND,
    INTRA_FIRST,
    INTRA_SECOND,
    L_FIRST,
    L_LAST,
    L_MIDDLE,
    PercsRouter,
)
from core.routing.percs.wiring import PercsWiring, d_link, l_link
from core.routing.router import Partition

HOPS = 5
"""Hops of the longest path."""
ROLES = np.array([[INTRA_FIRST, INTRA_SECOND, 0, 0, 0], [L_FIRST, D_FIRST, L_MIDDLE, D_SECOND, L_LAST]])
"""Role of each hop, inside a supernode and between two."""


class Failures(NamedTuple):
    """The failed links, and the paths lost with them.

    Lists of lost paths exist for indirect routing only. A flow loses the paths in the lists of its source's supernode,
    its destination's, its source, its destination, and its two supernodes mod W (for the middle hop), in this order.
    """

    failed: Flags
    """(links,)"""
    start: FixedPoint
    """Paths of list k are at ``start[k]`` to ``start[k + 1]``."""
    path: FixedPoint
    source: Flags
    """(nodes,) whether flows from each node may have lost paths."""
    target: Flags
    """(nodes,) whether flows to each node may have lost paths."""
    pair: Flags
    """(m * m,) whether flows between supernodes a and b (mod m) may have lost paths, at ``a m + b``."""


class FaultyPercsRouter(FaultyRouter):
    """Equal shares over the remaining paths."""

    base: PercsRouter

    def __init__(self, base: PercsRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self._wiring = base.wiring
        src, dst = (ends[failed].astype(np.int64) for ends in (base.network.src, base.network.dst))
        self._failures = (_indirect if base.indirect else _direct)(failed, src, dst, base.wiring)

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether it has all its paths, some, or none."""
        state, doubtful = np.full(src.size, INTACT, np.int8), self._doubtful(src, dst)
        state[doubtful] = _state(src[doubtful], dst[doubtful], self._wiring, self._failures)
        return state

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops over the remaining paths."""
        return _rerouted_hops(src, dst, self._wiring, self._failures)

    def reroute(self, flows: NodeFlows, more: Volumes, less: Volumes) -> Volumes:
        """Return the part routed as before: of flows that lost few paths, all, scaled up; lost paths are subtracted."""
        doubtful = self._doubtful(flows.src, flows.dst)
        if not doubtful.size:
            return flows.volume
        kept = flows.volume.copy()
        kept[doubtful] = _reroute(*flows.some(doubtful), self._wiring, self._failures, more, less)
        return kept

    def _doubtful(self, src: Nodes, dst: Nodes) -> NDArray[np.intp]:
        return np.flatnonzero(_may_fail(src, dst, self._wiring.size, self._failures))

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return partitions by hops that every path has: D between supernodes, LR between drawers, LL inside them."""
        least = {"supernode": {"D": 1.0}, "drawer": {"LR": 1.0}, "node": {"LL": 1.0}}
        return tuple(
            tuple(Partition(*part[:3], least[part.name]) for part in chain[-3:]) for chain in self.base.partitions()
        )


def _direct(failed: Flags, src: FixedPoint, dst: FixedPoint, wiring: PercsWiring) -> Failures:
    a, b = src // wiring.size, dst // wiring.size
    inside, between = np.zeros(wiring.ns, np.bool_), np.zeros(wiring.ns**2, np.bool_)
    inside[a[a == b]] = True
    between[(a * wiring.ns + b)[a != b]] = True
    near = np.repeat(inside, wiring.size)
    return Failures(failed, np.zeros(1, np.int64), np.zeros(0, np.int64), near, near, between)


def _indirect(failed: Flags, src: FixedPoint, dst: FixedPoint, wiring: PercsWiring) -> Failures:
    ns, nd, w = wiring.ns, wiring.nd, wiring.w
    size, nodes = wiring.size, ns * wiring.size
    (a, u), (b, v) = np.divmod(src, size), np.divmod(dst, size)
    far, near = a != b, a == b
    # A D-link of bucket j leaves a node of bucket j.
    bucket = u // w
    lists = [
        (a[far], b[far] * nd + bucket[far]),
        (ns + b[far], a[far] * nd + bucket[far]),
        *_of_gates(2 * ns + src[near], v[near], wiring),
        *_of_gates(2 * ns + nodes + dst[near], u[near], wiring),
    ]
    if wiring.middle:
        passed = near & (u // w == v // w)
        lists.append(((2 * (ns + nodes) + u % w * w + v % w)[passed], (a * nd + bucket)[passed]))
    keys, paths = (np.concatenate(column) for column in zip(*lists, strict=True))
    order = np.argsort(keys, kind="stable")
    start = np.searchsorted(keys[order], np.arange(2 * (ns + nodes) + w * w + 1)).astype(np.int64)
    out, into, source, target, middle = np.split(np.diff(start) > 0, np.cumsum([ns, ns, nodes, nodes]))
    # Flows inside a supernode are in no list.
    out[a[near]] = True
    source, target = source | np.repeat(out, size), target | np.repeat(into, size)
    return Failures(failed, start, paths[order], source, target, middle)


def _of_gates(keys: FixedPoint, gate: FixedPoint, wiring: PercsWiring) -> list[tuple[FixedPoint, FixedPoint]]:
    # A node without its link to a gate loses the paths of all supernodes that the gate serves.
    lost = []
    for served in range(0, wiring.ns, wiring.w):
        x = served + gate % wiring.w
        kept = x < wiring.ns
        lost.append((keys[kept], (x * wiring.nd + gate // wiring.w)[kept]))
    return lost


@kernel
def _may_fail(src: Nodes, dst: Nodes, size: int, failures: Failures) -> Flags:
    may_fail, m = np.zeros(src.size, np.bool_), int(np.sqrt(failures.pair.size))
    for i in range(src.size):
        pair = src[i] // size % m * m + dst[i] // size % m
        may_fail[i] = failures.source[src[i]] or failures.target[dst[i]] or failures.pair[pair]
    return may_fail


@kernel
def _path_count(s: int, d: int, wiring: PercsWiring) -> int:
    if s // wiring.size == d // wiring.size:
        return wiring.mates if wiring.striped else 1
    return wiring.ns * wiring.nd if wiring.indirect else wiring.nd


@kernel
def _path_links(s: int, d: int, path: int, wiring: PercsWiring, links: FixedPoint) -> None:
    # The links of a path; -1 for a hop from a node to itself.
    size, mates = wiring.size, wiring.mates
    a, u, b, v = s // size, s % size, d // size, d % size
    links[:] = -1
    if a == b:
        x = u // mates * mates + path if wiring.striped else v
        links[0], links[1] = l_link(a, u, x, wiring), l_link(a, x, v, wiring)
        return
    j = path % wiring.nd
    first, w = j * wiring.w, wiring.w
    if not wiring.indirect:
        links[0] = l_link(a, u, first + b % w, wiring)
        links[1] = d_link(a, b, j, wiring)
        links[4] = l_link(b, first + a % w, v, wiring)
        return
    x = path // wiring.nd
    links[0] = l_link(a, u, first + x % w, wiring)
    links[1] = d_link(a, x, j, wiring)
    if wiring.middle:
        links[2] = l_link(x, first + a % w, first + b % w, wiring)
    links[3] = d_link(x, b, j, wiring)
    links[4] = l_link(b, first + x % w, v, wiring)


@kernel
def _lose_listed(s: int, d: int, wiring: PercsWiring, failures: Failures, gone: Flags, lost: FixedPoint) -> int:
    ns, w, size = wiring.ns, wiring.w, wiring.size
    a, b = s // size, d // size
    first = 2 * ns
    nodes = ns * size
    middle = 2 * (ns + nodes) + a % w * w + b % w
    count = 0
    for key in (a, ns + b, first + s, first + nodes + d, middle):
        for i in range(failures.start[key], failures.start[key + 1]):
            if not gone[failures.path[i]]:
                gone[failures.path[i]] = True
                lost[count] = failures.path[i]
                count += 1
    return count


@kernel
def _lose(
    s: int, d: int, wiring: PercsWiring, failures: Failures, gone: Flags, lost: FixedPoint, links: FixedPoint
) -> int:
    # Write the lost paths of a flow to `lost`, mark them in `gone`, and return their number.
    if s == d:
        return 0
    if wiring.indirect and s // wiring.size != d // wiring.size:
        return _lose_listed(s, d, wiring, failures, gone, lost)
    count = 0
    for path in range(_path_count(s, d, wiring)):
        _path_links(s, d, path, wiring, links)
        for link in links:
            if link >= 0 and failures.failed[link]:
                gone[path] = True
                lost[count] = path
                count += 1
                break
    return count


@kernel
def _scratch(wiring: PercsWiring) -> tuple[Flags, FixedPoint, FixedPoint]:
    most = max(wiring.ns * wiring.nd, wiring.mates)
    return np.zeros(most, np.bool_), np.empty(most, np.int64), np.empty(HOPS, np.int64)


@kernel
def _state(src: Nodes, dst: Nodes, wiring: PercsWiring, failures: Failures) -> States:
    gone, lost, links = _scratch(wiring)
    state = np.full(src.size, INTACT, np.int8)
    for i in range(src.size):
        s, d = int(src[i]), int(dst[i])
        count = _lose(s, d, wiring, failures, gone, lost, links)
        if count > 0:
            state[i] = DISCONNECTED if count == _path_count(s, d, wiring) else REROUTED
            gone[lost[:count]] = False
    return state


@kernel
def _reroute(
    src: Nodes, dst: Nodes, volume: Volumes, wiring: PercsWiring, failures: Failures, more: Volumes, less: Volumes
) -> Volumes:
    gone, lost, links = _scratch(wiring)
    kept = volume.copy()
    for i in range(src.size):
        s, d = int(src[i]), int(dst[i])
        count = _lose(s, d, wiring, failures, gone, lost, links)
        if count == 0:
            continue
        paths = _path_count(s, d, wiring)
        left = paths - count
        # Follow the lost paths, or the remaining ones if they are fewer.
        few = 2 * count < left
        kept[i] = volume[i] / left * paths if few else 0.0
        for k in range(count if few else paths if left else 0):
            path = lost[k] if few else k
            if few or not gone[path]:
                _path_links(s, d, path, wiring, links)
                for link in links:
                    if link >= 0 and few:
                        less[link] += volume[i] / left
                    elif link >= 0:
                        more[link] += volume[i] / left
        gone[lost[:count]] = False
    return kept


@kernel
def _rerouted_hops(src: Nodes, dst: Nodes, wiring: PercsWiring, failures: Failures) -> Hops:
    gone, lost, links = _scratch(wiring)
    room = 0
    for i in range(src.size):
        room += HOPS * _path_count(int(src[i]), int(dst[i]), wiring)
    flow, link_of, role = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    share, at = np.empty(room), 0
    for i in range(src.size):
        s, d = int(src[i]), int(dst[i])
        count, paths = _lose(s, d, wiring, failures, gone, lost, links), _path_count(s, d, wiring)
        between = int(s // wiring.size != d // wiring.size)
        for path in range(paths):
            if gone[path] or s == d:
                continue
            _path_links(s, d, path, wiring, links)
            for k in range(HOPS):
                if links[k] >= 0:
                    flow[at], link_of[at], role[at] = i, links[k], ROLES[between, k]
                    share[at] = 1 / (paths - count)
                    at += 1
        gone[lost[:count]] = False
    return Hops(flow[:at], link_of[:at], share[:at], role[:at])
