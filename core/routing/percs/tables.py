"""Route tables of PERCS routings (see `core.routing.route_tables`): inside a supernode, and between two."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import plain
from core.routing.percs.wiring import PercsWiring, d_link, l_link
from core.routing.route_tables import OTHER, SAME, RouteTable, rectangular_table

Ints = NDArray[np.int64]


def _nodes(wiring: PercsWiring) -> tuple[Ints, Ints, Ints, Ints]:
    # Number, supernode and place of every node; and zeros, for the end of a pair that does not matter.
    node = np.arange(wiring.ns * wiring.size)
    return node, node // wiring.size, node % wiring.size, np.zeros_like(node)


def inside_tables(wiring: PercsWiring, denominator: int) -> list[RouteTable]:
    """Return the tables of pairs in one supernode."""
    node, a, place, alike = _nodes(wiring)
    size, mates = wiring.size, wiring.mates
    if not wiring.striped:
        links = plain(l_link)(a[:, None], place[:, None], np.arange(size), wiring).reshape(-1, 1)
        return [rectangular_table(SAME, node, place, size, links, denominator)]
    via = place[:, None] // mates * mates + np.arange(mates)
    first = plain(l_link)(a[:, None], place[:, None], via, wiring)
    drawers = np.arange(size).reshape(-1, 1, mates)
    last = plain(l_link)(a[:, None], drawers, place[:, None], wiring).reshape(-1, mates)
    return [
        rectangular_table(SAME, node, alike, 1, first, denominator // mates),
        rectangular_table(SAME, place // mates, node, node.size, last, denominator // mates),
    ]


def direct_tables(wiring: PercsWiring, denominator: int) -> list[RouteTable]:
    """Return L, D and L by every bucket."""
    node, a, place, _ = _nodes(wiring)
    far, j = np.arange(wiring.ns), np.arange(wiring.nd)
    gate, part = j * wiring.w + far[:, None] % wiring.w, denominator // wiring.nd
    # The row of a node towards its own supernode is never used.
    leave = plain(l_link)(a[:, None, None], place[:, None, None], gate, wiring)
    leave[a[:, None] == far] = -1
    cross = plain(d_link)(far[:, None, None], far[:, None], j, wiring)
    arrive = plain(l_link)(a[:, None], gate[:, None, :], place[:, None], wiring)
    arrive[far[:, None] == a] = -1
    return [
        rectangular_table(OTHER, node, a, wiring.ns, leave.reshape(-1, wiring.nd), part),
        rectangular_table(OTHER, a, a, wiring.ns, cross.reshape(-1, wiring.nd), part),
        rectangular_table(OTHER, a, node, node.size, arrive.reshape(-1, wiring.nd), part),
    ]


def indirect_tables(wiring: PercsWiring, denominator: int) -> list[RouteTable]:
    """Return L, D, L, D and L by every D-link of the source's supernode."""
    node, a, place, alike = _nodes(wiring)
    far, j, every = np.arange(wiring.ns), np.arange(wiring.nd), np.arange(wiring.size)
    part = denominator // (wiring.ns * wiring.nd)
    gates = np.tile(wiring.served, wiring.nd) * part
    leave = plain(l_link)(a[:, None], place[:, None], every, wiring)
    arrive = plain(l_link)(a[:, None], every, place[:, None], wiring)
    out = plain(d_link)(far[:, None, None], far[:, None], j, wiring).reshape(wiring.ns, -1)
    into = plain(d_link)(far[:, None], far[:, None, None], j, wiring).reshape(wiring.ns, -1)
    tables = [
        rectangular_table(OTHER, node, alike, 1, leave, gates),
        rectangular_table(OTHER, alike, node, node.size, arrive, gates),
        rectangular_table(OTHER, a, alike, 1, out, part),
        rectangular_table(OTHER, alike, a, wiring.ns, into, part),
    ]
    if wiring.middle:
        gate = j * wiring.w + np.arange(wiring.w)[:, None, None]
        middle = plain(l_link)(far[:, None], gate[:, None], gate, wiring).reshape(wiring.w**2, -1)
        tables.append(rectangular_table(OTHER, a % wiring.w, a % wiring.w, wiring.w, middle, part))
    return tables
