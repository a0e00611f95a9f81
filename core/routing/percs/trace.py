"""Loads of few flows on the links of a PERCS machine, in fixed point (see `core.routing.router.Router.trace`)."""

import numpy as np

from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint, Nodes
from core.routing.percs.wiring import PercsWiring, d_link, l_link


@inlined
def _l_hop(a: int, u: int, v: int, part: int, wiring: PercsWiring, links: Nodes, parts: FixedPoint, at: int) -> int:
    if u == v:
        return at
    links[at], parts[at] = l_link(a, u, v, wiring), part
    return at + 1


@kernel
def _inside(a: int, u: int, v: int, volume: int, wiring: PercsWiring, links: Nodes, parts: FixedPoint, at: int) -> int:
    if not wiring.striped:
        return _l_hop(a, u, v, volume, wiring, links, parts, at)
    mates = wiring.mates
    first, part = u // mates * mates, volume // mates
    for x in range(first, first + mates):
        at = _l_hop(a, u, x, part, wiring, links, parts, at)
        at = _l_hop(a, x, v, part, wiring, links, parts, at)
    return at


@kernel
def trace_direct(src: Nodes, dst: Nodes, volume: FixedPoint, wiring: PercsWiring) -> tuple[Nodes, FixedPoint]:
    """Return the links of every flow, each with the nd-th part (inside a supernode, one over the nodes of a drawer)."""
    nd, w, size = wiring.nd, wiring.w, wiring.size
    room = src.size * max(3 * nd, 2 * wiring.mates)
    links, parts, at = np.empty(room, np.int32), np.empty(room, np.int64), 0
    for i in range(src.size):
        a, b = src[i] // size, dst[i] // size
        u, v = src[i] - a * size, dst[i] - b * size
        if a == b:
            if u != v:
                at = _inside(a, u, v, volume[i], wiring, links, parts, at)
            continue
        part, far = volume[i] // nd, d_link(a, b, 0, wiring)
        for j in range(nd):
            at = _l_hop(a, u, j * w + b % w, part, wiring, links, parts, at)
            links[at], parts[at] = far + j, part
            at += 1
            at = _l_hop(b, j * w + a % w, v, part, wiring, links, parts, at)
    return links[:at], parts[:at]


@kernel
def trace_indirect(src: Nodes, dst: Nodes, volume: FixedPoint, wiring: PercsWiring) -> tuple[Nodes, FixedPoint]:
    """Return the links of all flows together, without zero sums, which are frequent for swapped tasks."""
    ns, nd, w, size = wiring.ns, wiring.nd, wiring.w, wiring.size
    out, into = np.zeros(ns * size, np.int64), np.zeros(ns * size, np.int64)
    sent, received = np.zeros(ns, np.int64), np.zeros(ns, np.int64)
    folded = np.zeros((w, w), np.int64)
    near = _tally(src, dst, volume, ns * nd, size, out, into, sent, received, folded)
    if not wiring.middle:
        folded[:] = 0
    room = near * 2 * wiring.mates + size * (np.count_nonzero(out) + np.count_nonzero(into))
    room += (ns - 1) * nd * (np.count_nonzero(sent) + np.count_nonzero(received))
    room += ns * nd * np.count_nonzero(folded)
    links, parts, at = np.empty(room, np.int32), np.empty(room, np.int64), 0
    for i in range(src.size):
        a, u, v = src[i] // size, src[i] % size, dst[i] % size
        if a == dst[i] // size and u != v:
            at = _inside(a, u, v, volume[i], wiring, links, parts, at)
    at = _ends(out, into, wiring, links, parts, at)
    at = _middle(folded, wiring, links, parts, at)
    at = _far(sent, received, wiring, links, parts, at)
    return links[:at], parts[:at]


@kernel
def _tally(
    src: Nodes,
    dst: Nodes,
    volume: FixedPoint,
    denominator: int,
    size: int,
    out: FixedPoint,
    into: FixedPoint,
    sent: FixedPoint,
    received: FixedPoint,
    folded: FixedPoint,
) -> int:
    # Sum the loads of D-links of flows between supernodes; return how many flows stay inside one.
    near, w = 0, folded.shape[0]
    for i in range(src.size):
        a, b = src[i] // size, dst[i] // size
        if a == b:
            near += 1
            continue
        part = volume[i] // denominator
        out[src[i]] += part
        into[dst[i]] += part
        sent[a] += part
        received[b] += part
        if a % w != b % w:
            folded[a % w, b % w] += part
    return near


@kernel
def _ends(out: FixedPoint, into: FixedPoint, wiring: PercsWiring, links: Nodes, parts: FixedPoint, at: int) -> int:
    # From each node to every gate of its supernode, and from every gate to each node.
    size, w, served = wiring.size, wiring.w, wiring.served
    for node in range(out.size):
        if out[node] == 0 and into[node] == 0:
            continue
        a, u = node // size, node % size
        for bucket in range(0, size, w):
            for k in range(w):
                if out[node] != 0:
                    at = _l_hop(a, u, bucket + k, out[node] * served[k], wiring, links, parts, at)
                if into[node] != 0:
                    at = _l_hop(a, bucket + k, u, into[node] * served[k], wiring, links, parts, at)
    return at


@kernel
def _middle(folded: FixedPoint, wiring: PercsWiring, links: Nodes, parts: FixedPoint, at: int) -> int:
    # From gate w to gate w' of every bucket, in every supernode; loops are in no sum.
    for first in range(wiring.w):
        for second in range(wiring.w):
            part = folded[first, second]
            for bucket in range(0, wiring.size if part else 0, wiring.w):
                place = (bucket + first) * wiring.size + bucket + second
                link, step = wiring.l_first[place], wiring.l_step[place]
                for _ in range(wiring.ns):
                    links[at], parts[at] = link, part
                    link += step
                    at += 1
    return at


@kernel
def _far(sent: FixedPoint, received: FixedPoint, wiring: PercsWiring, links: Nodes, parts: FixedPoint, at: int) -> int:
    # Every D-link that leaves a supernode, and every D-link that reaches it.
    for a in range(sent.size):
        if sent[a] == 0 and received[a] == 0:
            continue
        for x in range(sent.size):
            for start, end, part in ((a, x, sent[a]), (x, a, received[a])):
                if start != end and part != 0:
                    first = d_link(start, end, 0, wiring)
                    for link in range(first, first + wiring.nd):
                        links[at], parts[at] = link, part
                        at += 1
    return at
