"""Direct and indirect routing around failed links: equal shares over the paths that are left.

A flow has its paths numbered: by x of the source's drawer inside a supernode (one path if not striped), by bucket
j if direct, ``x nd + j`` by intermediate supernode and bucket if indirect. A path is lost with any of its links.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.families.percs import DRAWER, SUPERNODE
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, FaultyRouter, Hops, States, some_of
from core.routing.flows import FixedPoint, Flags, NodeFlows, Nodes, Volumes
from core.routing.percs.scheme import (
    D_FIRST,
    D_SECOND,
    INTRA_FIRST,
    INTRA_SECOND,
    L_FIRST,
    L_LAST,
    L_MIDDLE,
    IndirectRouter,
    PercsRouter,
)
from core.routing.percs.trace import l_link
from core.routing.router import Partition

HOPS = 5
"""Hops of the longest path."""
ROLES = np.array([[INTRA_FIRST, INTRA_SECOND, 0, 0, 0], [L_FIRST, D_FIRST, L_MIDDLE, D_SECOND, L_LAST]])
"""Role of each hop, inside a supernode and between two."""


class Wiring(NamedTuple):
    """What the kernels need to know of the machine and of the scheme."""

    ns: int
    nd: int
    w: int
    striped: bool
    indirect: bool
    middle: bool
    local: FixedPoint
    """(32 * 32,) the place of link 32 u + v among the LL- or LR-links of a supernode."""
    lr_start: int
    d_start: int
    failed: Flags
    inside: Flags
    """(supernodes,) whether an L-link has failed."""
    between: Flags
    """(supernodes * supernodes,) whether a D-link from one to the other has failed."""


class Lists(NamedTuple):
    """Which paths are lost, list by list; list k stands at ``start[k] : start[k + 1]``.

    Indirect only. A flow loses those in the lists of its source's supernode, its destination's, its source, its
    destination, and its two supernodes mod W (for the middle hop), in this order of lists.
    """

    start: FixedPoint
    path: FixedPoint


class FaultyPercsRouter(FaultyRouter):
    """Equal shares over the paths that are left."""

    def __init__(self, base: PercsRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        network = base.network
        broken = np.flatnonzero(failed)
        a, b = network.src[broken] // SUPERNODE, network.dst[broken] // SUPERNODE
        inside, between = np.zeros(base.ns, np.bool_), np.zeros(base.ns**2, np.bool_)
        inside[a[a == b]] = True
        between[(a * base.ns + b)[a != b]] = True
        indirect = isinstance(base, IndirectRouter)
        self._wiring = Wiring(
            base.ns,
            base.nd,
            base.w,
            base.striped,
            indirect,
            isinstance(base, IndirectRouter) and base.count_middle,
            base.local,
            base.lr_start,
            base.d_start,
            failed,
            inside,
            between,
        )
        nothing = np.zeros(0, np.int64)
        self._lists = _lists(self._wiring, broken, network.src, network.dst) if indirect else Lists(nothing, nothing)
        self._listed = _listed(self._wiring, self._lists) if indirect else (inside, inside, inside)

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether it has all its paths, some, or none."""
        state, doubtful = np.full(src.size, INTACT, np.int8), self._doubtful(src, dst)
        state[doubtful] = _state(src[doubtful], dst[doubtful], self._wiring, self._lists)
        return state

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops over the paths that are left."""
        return Hops(*_rerouted_hops(src, dst, self._wiring, self._lists, ROLES))

    def reroute(self, flows: NodeFlows, more: Volumes, less: Volumes) -> Volumes:
        """Return what goes as ever: of flows that lost few paths all, lifted: the lost paths' part is taken off."""
        doubtful = self._doubtful(flows.src, flows.dst)
        if not doubtful.size:
            return flows.volume
        kept = flows.volume.copy()
        kept[doubtful] = _reroute(*some_of(flows, doubtful), self._wiring, self._lists, more, less)
        return kept

    def _doubtful(self, src: Nodes, dst: Nodes) -> NDArray[np.intp]:
        wiring = self._wiring
        if wiring.indirect:
            return np.flatnonzero(_in_lists(src, dst, wiring.ns, wiring.w, wiring.inside, *self._listed))
        return np.flatnonzero(_near_failed(src, dst, wiring.ns, wiring.inside, wiring.between))

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return what no path goes without: a D-hop to leave a supernode, an LR-hop to leave a drawer, an LL-hop."""
        least = ({"D": 1.0}, {"LR": 1.0}, {"LL": 1.0})
        return tuple(
            tuple(Partition(*part[:3], needed) for part, needed in zip(chain[-3:], least, strict=True))
            for chain in self.base.partitions()
        )


def _lists(wiring: Wiring, broken: NDArray[np.intp], src: Nodes, dst: Nodes) -> Lists:
    ns, nd, w = wiring.ns, wiring.nd, wiring.w
    nodes = ns * SUPERNODE
    (a, u), (b, v) = (
        np.divmod(src[broken].astype(np.int64), SUPERNODE),
        np.divmod(dst[broken].astype(np.int64), SUPERNODE),
    )
    far, near = a != b, a == b
    # A D-link of bucket j leaves a node of bucket j.
    bucket = u // w
    lists = [
        (a[far], b[far] * nd + bucket[far]),
        (ns + b[far], a[far] * nd + bucket[far]),
        *_of_gates(2 * ns + (a * SUPERNODE + u)[near], v[near], wiring),
        *_of_gates(2 * ns + nodes + (b * SUPERNODE + v)[near], u[near], wiring),
    ]
    if wiring.middle:
        passed = near & (u // w == v // w)
        lists.append(((2 * (ns + nodes) + u % w * w + v % w)[passed], (a * nd + bucket)[passed]))
    keys, paths = (np.concatenate(column) for column in zip(*lists, strict=True))
    order = np.argsort(keys, kind="stable")
    count = 2 * (ns + nodes) + w * w
    return Lists(np.searchsorted(keys[order], np.arange(count + 1)).astype(np.int64), paths[order])


def _listed(wiring: Wiring, lists: Lists) -> tuple[Flags, Flags, Flags]:
    # Whether a source, a destination, a pair of supernodes mod W has lost paths.
    any_lost, ns = np.diff(lists.start) > 0, wiring.ns
    out, into, near, middle = np.split(any_lost, np.cumsum([ns, ns, 2 * ns * SUPERNODE]))
    source, target = np.split(near, 2)
    return source | np.repeat(out, SUPERNODE), target | np.repeat(into, SUPERNODE), middle


def _of_gates(keys: FixedPoint, gate: FixedPoint, wiring: Wiring) -> list[tuple[FixedPoint, FixedPoint]]:
    # Without its link to a gate a node loses the paths of all supernodes that the gate serves.
    found = []
    for served in range(0, wiring.ns, wiring.w):
        x = served + gate % wiring.w
        there = x < wiring.ns
        found.append((keys[there], (x * wiring.nd + gate // wiring.w)[there]))
    return found


@kernel
def _near_failed(src: Nodes, dst: Nodes, ns: int, inside: Flags, between: Flags) -> Flags:
    # Whether in a flow's supernodes, or between the two, any link has failed.
    found = np.zeros(src.size, np.bool_)
    for i in range(src.size):
        a, b = src[i] // SUPERNODE, dst[i] // SUPERNODE
        found[i] = inside[a] or inside[b] or between[a * ns + b]
    return found


@kernel
def _in_lists(
    src: Nodes, dst: Nodes, ns: int, w: int, inside: Flags, source: Flags, target: Flags, middle: Flags
) -> Flags:
    # The same of flows of which the lists name lost paths.
    found = np.zeros(src.size, np.bool_)
    for i in range(src.size):
        a, b = src[i] // SUPERNODE, dst[i] // SUPERNODE
        if a == b:
            found[i] = inside[a]
        else:
            found[i] = source[src[i]] or target[dst[i]] or middle[a % w * w + b % w]
    return found


@kernel
def _near(a: int, u: int, v: int, wiring: Wiring) -> int:
    return -1 if u == v else l_link(a, u, v, wiring.local, wiring.lr_start)


@kernel
def _far(a: int, b: int, j: int, wiring: Wiring) -> int:
    return -1 if a == b else wiring.d_start + (a * (wiring.ns - 1) + b - (b > a)) * wiring.nd + j


@kernel
def _paths(s: int, d: int, wiring: Wiring) -> int:
    if s // SUPERNODE == d // SUPERNODE:
        return DRAWER if wiring.striped else 1
    return wiring.ns * wiring.nd if wiring.indirect else wiring.nd


@kernel
def _path(s: int, d: int, path: int, wiring: Wiring, links: FixedPoint) -> None:
    # The links of a path; -1 for a hop that is free.
    a, u, b, v = s // SUPERNODE, s % SUPERNODE, d // SUPERNODE, d % SUPERNODE
    links[:] = -1
    if a == b:
        x = u // DRAWER * DRAWER + path if wiring.striped else v
        links[0], links[1] = _near(a, u, x, wiring), _near(a, x, v, wiring)
        return
    j = path % wiring.nd
    first, w = j * wiring.w, wiring.w
    if not wiring.indirect:
        links[0] = _near(a, u, first + b % w, wiring)
        links[1] = _far(a, b, j, wiring)
        links[4] = _near(b, first + a % w, v, wiring)
        return
    x = path // wiring.nd
    links[0] = _near(a, u, first + x % w, wiring)
    links[1] = _far(a, x, j, wiring)
    if wiring.middle:
        links[2] = _near(x, first + a % w, first + b % w, wiring)
    links[3] = _far(x, b, j, wiring)
    links[4] = _near(b, first + x % w, v, wiring)


@kernel
def _lose_listed(s: int, d: int, wiring: Wiring, lists: Lists, gone: Flags, lost: FixedPoint) -> int:
    a, b, ns, w = s // SUPERNODE, d // SUPERNODE, wiring.ns, wiring.w
    first = 2 * ns
    nodes = ns * SUPERNODE
    middle = 2 * (ns + nodes) + a % w * w + b % w
    count = 0
    for key in (a, ns + b, first + s, first + nodes + d, middle):
        for i in range(lists.start[key], lists.start[key + 1]):
            if not gone[lists.path[i]]:
                gone[lists.path[i]] = True
                lost[count] = lists.path[i]
                count += 1
    return count


@kernel
def _lose(s: int, d: int, wiring: Wiring, lists: Lists, gone: Flags, lost: FixedPoint, links: FixedPoint) -> int:
    # Write the lost paths of a flow to `lost`, mark them in `gone`, and return how many there are.
    a, b = s // SUPERNODE, d // SUPERNODE
    if s == d:
        return 0
    if a == b:
        if not wiring.inside[a]:
            return 0
    elif wiring.indirect:
        return _lose_listed(s, d, wiring, lists, gone, lost)
    elif not (wiring.inside[a] or wiring.inside[b] or wiring.between[a * wiring.ns + b]):
        return 0
    count = 0
    for path in range(_paths(s, d, wiring)):
        _path(s, d, path, wiring, links)
        for link in links:
            if link >= 0 and wiring.failed[link]:
                gone[path] = True
                lost[count] = path
                count += 1
                break
    return count


@kernel
def _scratch(wiring: Wiring) -> tuple[Flags, FixedPoint, FixedPoint]:
    most = max(wiring.ns * wiring.nd, DRAWER)
    return np.zeros(most, np.bool_), np.empty(most, np.int64), np.empty(HOPS, np.int64)


@kernel
def _state(src: Nodes, dst: Nodes, wiring: Wiring, lists: Lists) -> States:
    gone, lost, links = _scratch(wiring)
    state = np.full(src.size, INTACT, np.int8)
    for i in range(src.size):
        s, d = int(src[i]), int(dst[i])
        count = _lose(s, d, wiring, lists, gone, lost, links)
        if count > 0:
            state[i] = DISCONNECTED if count == _paths(s, d, wiring) else REROUTED
            gone[lost[:count]] = False
    return state


@kernel
def _reroute(
    src: Nodes,
    dst: Nodes,
    volume: Volumes,
    wiring: Wiring,
    lists: Lists,
    more: Volumes,
    less: Volumes,
) -> Volumes:
    gone, lost, links = _scratch(wiring)
    kept = volume.copy()
    for i in range(src.size):
        s, d = int(src[i]), int(dst[i])
        count = _lose(s, d, wiring, lists, gone, lost, links)
        if count == 0:
            continue
        paths = _paths(s, d, wiring)
        left = paths - count
        # Whichever are fewer are followed: the paths that are lost, or those that are left.
        few = 2 * count < left
        kept[i] = volume[i] / left * paths if few else 0.0
        for k in range(count if few else paths if left else 0):
            path = lost[k] if few else k
            if few or not gone[path]:
                _path(s, d, path, wiring, links)
                for link in links:
                    if link >= 0 and few:
                        less[link] += volume[i] / left
                    elif link >= 0:
                        more[link] += volume[i] / left
        gone[lost[:count]] = False
    return kept


@kernel
def _rerouted_hops(
    src: Nodes, dst: Nodes, wiring: Wiring, lists: Lists, roles: FixedPoint
) -> tuple[FixedPoint, FixedPoint, Volumes, FixedPoint]:
    gone, lost, links = _scratch(wiring)
    room = 0
    for i in range(src.size):
        room += HOPS * _paths(int(src[i]), int(dst[i]), wiring)
    flow, link_of, role = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    share, at = np.empty(room), 0
    for i in range(src.size):
        s, d = int(src[i]), int(dst[i])
        count, paths = _lose(s, d, wiring, lists, gone, lost, links), _paths(s, d, wiring)
        between = int(s // SUPERNODE != d // SUPERNODE)
        for path in range(paths):
            if gone[path] or s == d:
                continue
            _path(s, d, path, wiring, links)
            for k in range(HOPS):
                if links[k] >= 0:
                    flow[at], link_of[at], role[at] = i, links[k], roles[between, k]
                    share[at] = 1 / (paths - count)
                    at += 1
        gone[lost[:count]] = False
    return flow[:at], link_of[:at], share[:at], role[:at]
