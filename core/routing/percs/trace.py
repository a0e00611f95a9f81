"""What few flows put on the links of a PERCS machine, in whole numbers (see `core.routing.router.Router.trace`).

Links are numbered as in core/network/percs.py: the LL-links of one supernode after the other, then the
LR-links, then the D-links by pair of supernodes and bucket.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.families.percs import DRAWER, SUPERNODE
from core.routing.flows import FixedPoint, Nodes

LL = SUPERNODE * (DRAWER - 1)
"""LL-links in a supernode."""
LR = SUPERNODE * (SUPERNODE - DRAWER)
Places = NDArray[np.int64]
"""(32 * 32,) the place of link 32 u + v among the LL- or LR-links of a supernode."""


@kernel
def l_link(a: int, u: int, v: int, local: Places, lr_start: int) -> int:
    """Return the L-link from node u to node v of supernode a, u != v."""
    place = int(local[u * SUPERNODE + v])
    return a * LL + place if u // DRAWER == v // DRAWER else lr_start + a * LR + place


@kernel
def _l_hop(
    a: int, u: int, v: int, part: int, local: Places, lr_start: int, links: Nodes, parts: FixedPoint, at: int
) -> int:
    if u == v:
        return at
    links[at], parts[at] = l_link(a, u, v, local, lr_start), part
    return at + 1


@kernel
def _inside(
    a: int,
    u: int,
    v: int,
    volume: int,
    striped: bool,
    local: Places,
    lr_start: int,
    links: Nodes,
    parts: FixedPoint,
    at: int,
) -> int:
    if not striped:
        return _l_hop(a, u, v, volume, local, lr_start, links, parts, at)
    first, part = u // DRAWER * DRAWER, volume // DRAWER
    for x in range(first, first + DRAWER):
        at = _l_hop(a, u, x, part, local, lr_start, links, parts, at)
        at = _l_hop(a, x, v, part, local, lr_start, links, parts, at)
    return at


@kernel
def trace_direct(
    src: Nodes,
    dst: Nodes,
    volume: FixedPoint,
    ns: int,
    nd: int,
    striped: bool,
    local: Places,
    lr_start: int,
    d_start: int,
) -> tuple[Nodes, FixedPoint]:
    """Return the links of every flow, and the nd-th part (inside a supernode the 8th) that each carries."""
    w, room = SUPERNODE // nd, src.size * max(3 * nd, 2 * DRAWER)
    links, parts, at = np.empty(room, np.int32), np.empty(room, np.int64), 0
    for i in range(src.size):
        a, u, b, v = src[i] // SUPERNODE, src[i] % SUPERNODE, dst[i] // SUPERNODE, dst[i] % SUPERNODE
        if a == b:
            if u != v:
                at = _inside(a, u, v, volume[i], striped, local, lr_start, links, parts, at)
            continue
        part, far = volume[i] // nd, d_start + (a * (ns - 1) + b - (b > a)) * nd
        for j in range(nd):
            at = _l_hop(a, u, j * w + b % w, part, local, lr_start, links, parts, at)
            links[at], parts[at] = far + j, part
            at += 1
            at = _l_hop(b, j * w + a % w, v, part, local, lr_start, links, parts, at)
    return links[:at], parts[:at]


@kernel
def trace_indirect(
    src: Nodes,
    dst: Nodes,
    volume: FixedPoint,
    ns: int,
    nd: int,
    striped: bool,
    local: Places,
    lr_start: int,
    d_start: int,
    served: Places,
    count_middle: bool,
) -> tuple[Nodes, FixedPoint]:
    """Return the links of all flows together: sums that are 0, as those of tasks that swap often are, have none."""
    w, n = SUPERNODE // nd, ns * SUPERNODE
    out, into = np.zeros(n, np.int64), np.zeros(n, np.int64)
    sent, received = np.zeros(ns, np.int64), np.zeros(ns, np.int64)
    folded = np.zeros((w, w), np.int64)
    near = _tally(src, dst, volume, ns * nd, out, into, sent, received, folded)
    if not count_middle:
        folded[:] = 0
    room = near * 2 * DRAWER + SUPERNODE * (np.count_nonzero(out) + np.count_nonzero(into))
    room += (ns - 1) * nd * (np.count_nonzero(sent) + np.count_nonzero(received))
    room += ns * nd * np.count_nonzero(folded)
    links, parts, at = np.empty(room, np.int32), np.empty(room, np.int64), 0
    for i in range(src.size):
        a, u, v = src[i] // SUPERNODE, src[i] % SUPERNODE, dst[i] % SUPERNODE
        if a == dst[i] // SUPERNODE and u != v:
            at = _inside(a, u, v, volume[i], striped, local, lr_start, links, parts, at)
    at = _ends(out, into, served, local, lr_start, links, parts, at)
    at = _middle(folded, ns, nd, local, lr_start, links, parts, at)
    at = _far(sent, received, nd, d_start, links, parts, at)
    return links[:at], parts[:at]


@kernel
def _tally(
    src: Nodes,
    dst: Nodes,
    volume: FixedPoint,
    whole: int,
    out: FixedPoint,
    into: FixedPoint,
    sent: FixedPoint,
    received: FixedPoint,
    folded: FixedPoint,
) -> int:
    # Sum what each D-link takes of the flows between supernodes; return how many flows stay inside one.
    near, w = 0, folded.shape[0]
    for i in range(src.size):
        a, b = src[i] // SUPERNODE, dst[i] // SUPERNODE
        if a == b:
            near += 1
            continue
        part = volume[i] // whole
        out[src[i]] += part
        into[dst[i]] += part
        sent[a] += part
        received[b] += part
        if a % w != b % w:
            folded[a % w, b % w] += part
    return near


@kernel
def _ends(
    out: FixedPoint,
    into: FixedPoint,
    served: Places,
    local: Places,
    lr_start: int,
    links: Nodes,
    parts: FixedPoint,
    at: int,
) -> int:
    # From each node to every gate of its supernode, and from every gate to each node.
    w = served.size
    for node in range(out.size):
        a, u = node // SUPERNODE, node % SUPERNODE
        if out[node] != 0:
            for gate in range(SUPERNODE):
                at = _l_hop(a, u, gate, out[node] * served[gate % w], local, lr_start, links, parts, at)
        if into[node] != 0:
            for gate in range(SUPERNODE):
                at = _l_hop(a, gate, u, into[node] * served[gate % w], local, lr_start, links, parts, at)
    return at


@kernel
def _middle(
    folded: FixedPoint, ns: int, nd: int, local: Places, lr_start: int, links: Nodes, parts: FixedPoint, at: int
) -> int:
    # From gate w to gate w' of every bucket, in every supernode.
    w = folded.shape[0]
    for first in range(w):
        for second in range(w):
            if folded[first, second] == 0:
                continue
            for x in range(ns):
                for j in range(nd):
                    start, end = j * w + first, j * w + second
                    at = _l_hop(x, start, end, folded[first, second], local, lr_start, links, parts, at)
    return at


@kernel
def _far(
    sent: FixedPoint, received: FixedPoint, nd: int, d_start: int, links: Nodes, parts: FixedPoint, at: int
) -> int:
    # Every D-link that leaves a supernode, and every one that reaches it.
    ns = sent.size
    for a in range(ns):
        if sent[a] != 0:
            first = d_start + a * (ns - 1) * nd
            for k in range((ns - 1) * nd):
                links[at], parts[at] = first + k, sent[a]
                at += 1
        if received[a] != 0:
            for x in range(ns):
                if x != a:
                    first = d_start + (x * (ns - 1) + a - (a > x)) * nd
                    for j in range(nd):
                        links[at], parts[at] = first + j, received[a]
                        at += 1
    return at
