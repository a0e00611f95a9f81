"""Route tables of PERCS routings (see `core.routing.route_tables`): in a supernode, and between two."""

import numpy as np
from numpy.typing import NDArray

from core.network.families.percs import DRAWER, SUPERNODE
from core.routing.route_tables import OTHER, SAME, RouteTable, rectangular_table

Ints = NDArray[np.int64]
DRAWERS = SUPERNODE // DRAWER


class Wiring:
    """Links of a PERCS machine by their ends, for whole arrays of ends."""

    def __init__(self, ns: int, nd: int, local: Ints, lr_start: int, d_start: int) -> None:
        self.ns, self.nd, self.w = ns, nd, SUPERNODE // nd
        self._local, self._lr_start, self._d_start = local, lr_start, d_start
        node = np.arange(ns * SUPERNODE)
        self.supernode, self.place = node // SUPERNODE, node % SUPERNODE
        self.alike = np.zeros(node.size, np.int64)
        """For the side of a pair that does not count."""

    def inside(self, a: Ints, u: Ints, v: Ints) -> Ints:
        """Return the L-links from u to v in supernodes a; -1 where u = v."""
        ll, lr = SUPERNODE * (DRAWER - 1), SUPERNODE * (SUPERNODE - DRAWER)
        place = self._local[u * SUPERNODE + v]
        near = u // DRAWER == v // DRAWER
        return np.where(u == v, -1, np.where(near, a * ll + place, self._lr_start + a * lr + place))

    def between(self, a: Ints, b: Ints, j: Ints) -> Ints:
        """Return the D-links of buckets j from supernodes a to b; -1 where a = b."""
        return np.where(a == b, -1, self._d_start + (a * (self.ns - 1) + b - (b > a)) * self.nd + j)

    def within(self, striped: bool, whole: int) -> list[RouteTable]:
        """Return the tables of pairs in one supernode."""
        place, a, n = self.place, self.supernode, self.supernode.size
        if not striped:
            v = np.arange(SUPERNODE)
            links = self.inside(a[:, None, None], place[:, None, None], v[None, :, None]).reshape(-1, 1)
            return [rectangular_table(SAME, np.arange(n), place, SUPERNODE, links, np.array(whole))]
        mates = place[:, None] // DRAWER * DRAWER + np.arange(DRAWER)
        first = self.inside(a[:, None], place[:, None], mates)
        drawer = (np.arange(DRAWERS) * DRAWER)[:, None, None] + np.arange(DRAWER)
        last = self.inside(a[None, :, None], drawer, place[None, :, None]).reshape(-1, DRAWER)
        part = np.array(whole // DRAWER)
        return [
            rectangular_table(SAME, np.arange(n), self.alike, 1, first, part),
            rectangular_table(SAME, place // DRAWER, np.arange(n), n, last, part),
        ]

    def direct(self, whole: int) -> list[RouteTable]:
        """Return L, D and L by every bucket."""
        a, n = self.supernode, self.supernode.size
        far, j = np.arange(self.ns), np.arange(self.nd)
        gate = j * self.w + far[:, None] % self.w
        part = np.array(whole // self.nd)
        # The row of a node towards its own supernode is never asked for.
        leave = self.inside(a[:, None, None], self.place[:, None, None], gate[None])
        leave[a[:, None] == far] = -1
        cross = self.between(far[:, None, None], far[None, :, None], j)
        arrive = self.inside(a[None, :, None], gate[:, None, :], self.place[None, :, None])
        arrive[far[:, None] == a] = -1
        return [
            rectangular_table(OTHER, np.arange(n), a, self.ns, leave.reshape(-1, self.nd), part),
            rectangular_table(OTHER, a, a, self.ns, cross.reshape(-1, self.nd), part),
            rectangular_table(OTHER, a, np.arange(n), n, arrive.reshape(-1, self.nd), part),
        ]

    def indirect(self, served: Ints, count_middle: bool, whole: int) -> list[RouteTable]:
        """Return L, D, L, D and L by every D-link of the source's supernode."""
        a, n, every = self.supernode, self.supernode.size, np.arange(SUPERNODE)
        far, j = np.arange(self.ns), np.arange(self.nd)
        part = whole // (self.ns * self.nd)
        gates = np.tile(served, self.nd) * part
        leave = self.inside(a[:, None], self.place[:, None], every)
        arrive = self.inside(a[:, None], every, self.place[:, None])
        out = self.between(far[:, None, None], far[None, :, None], j).reshape(self.ns, -1)
        into = self.between(far[None, :, None], far[:, None, None], j).reshape(self.ns, -1)
        tables = [
            rectangular_table(OTHER, np.arange(n), self.alike, 1, leave, gates),
            rectangular_table(OTHER, self.alike, np.arange(n), n, arrive, gates),
            rectangular_table(OTHER, a, self.alike, 1, out, np.array(part)),
            rectangular_table(OTHER, self.alike, a, self.ns, into, np.array(part)),
        ]
        if count_middle:
            w = np.arange(self.w)
            start, end = j * self.w + w[:, None, None, None], j * self.w + w[None, :, None, None]
            middle = self.inside(far[:, None], start, end).reshape(self.w * self.w, -1)
            tables.append(rectangular_table(OTHER, a % self.w, a % self.w, self.w, middle, np.array(part)))
        return tables
