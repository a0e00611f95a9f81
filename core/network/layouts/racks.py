"""Units of servers: each server a row of nodes next to its own switch, a unit's leaves above it, spines at the top."""

from itertools import product
from math import ceil, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.layout import Caption, Curves, Floats, Layout, bowed, centred, in_plane

ASPECT = 1.5
"""Preferred width of the picture, relative to its height."""
NODE, SWITCH = 0.5, 0.86
"""Side of a node's mark, and diameter of a switch's mark; the distance to the next one is 1."""
LANE_RANGE = 0.29, 0.36
"""Offset of the links of a server's nodes from their row or column, for the nearest and the farthest node."""
LINK_START = 0.2
"""Distance from the centre of a node's mark at which its links begin."""
FOLD_COST = 0.7
"""Cost of servers side by side in a unit, and of units in several rows, in units of a picture e times too wide."""
GAP, LEAF_ROOM = 0.8, 2.0
"""Room between two servers or units side by side, and above a unit's servers for its leaves."""
RISE = 0.15
"""Height of the spines above all units, relative to the width of the picture."""
BOW = 0.06
"""How far the two directions of a link between switches bow away from each other, relative to its length."""
CAPTION_GAP = 0.75
"""Distance between captions and the first column."""


class _RackGrid(NamedTuple):
    """Servers and units per row, and the size of a unit."""

    servers: int
    units: int
    width: float
    height: float


def racks(units: int, servers: int, nodes: int, spines: int) -> Layout:
    """Place `units` units of `servers` servers with `nodes` nodes each, as many leaves per unit, and the spines.

    Vertices are the nodes, server by server, then the switches of the servers, the leaves unit by unit, the spines.
    """
    grid = _grid(units, servers, nodes)
    row, column = np.divmod(np.arange(servers), grid.servers)
    beside = np.column_stack([column * (nodes + 1 + GAP), -row.astype(float)])
    place = 1.0 + np.arange(nodes)
    leaf = np.column_stack([place + (grid.width - GAP - 1 - nodes) / 2, np.full(nodes, LEAF_ROOM)])
    down, across = np.divmod(np.arange(units), grid.units)
    unit = np.column_stack([across * grid.width, -down * grid.height])
    wide = grid.units * grid.width - GAP
    top = LEAF_ROOM + max(LEAF_ROOM, RISE * wide)
    spine = np.column_stack([(np.arange(spines) + 0.5) * wide / max(spines, 1), np.full(spines, top)])
    host = (beside[:, None] + np.column_stack([place, np.zeros(nodes)])).reshape(-1, 2)
    inside = [(unit[:, None] + part).reshape(-1, 2) for part in (host, beside, leaf)]
    flat = centred(np.concatenate([*inside, spine]))
    ends = np.cumsum([len(part) for part in inside]).tolist()
    left, leaves = float(flat[:, 0].min()) - CAPTION_GAP, float(flat[ends[1], 1])
    rows = [("GPUs", float(flat[: host.shape[0], 1].mean())), ("leaves", leaves), ("spines", leaves + top - LEAF_ROOM)]
    captions = tuple(Caption(text, (left, y)) for text, y in rows[: 3 if spines else 2]) if grid.units == units else ()
    positions = in_plane(flat)
    curves = _curves_of(positions, ends[0], ends[1], nodes)
    return Layout(positions, (NODE, NODE), curves, near=False, switch=(SWITCH, SWITCH), captions=captions)


def _grid(units: int, servers: int, nodes: int) -> _RackGrid:
    def _against(grid: _RackGrid) -> float:
        height = ceil(units / grid.units) * grid.height
        shape = abs(log(grid.units * grid.width / height / ASPECT))
        return shape + FOLD_COST * ((grid.servers > 1) + (grid.units < units))

    width, height = nodes + 1 + GAP, LEAF_ROOM + GAP
    pairs = product(_columns(servers), _columns(units))
    return min((_RackGrid(n, u, n * width, ceil(servers / n) + height) for n, u in pairs), key=_against)


def _columns(count: int) -> list[int]:
    # For one row, two, four ... rows.
    return sorted({ceil(count / (1 << turn)) for turn in range(count.bit_length())})


def _curves_of(positions: Floats, hosts: int, leaves: int, nodes: int) -> Curves:
    """Return the curves of links: along their row to the server's switch, along their column to the leaf.

    `hosts` is the number of nodes, and `leaves` the first leaf.
    """

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        low, high = np.minimum(src, dst), np.maximum(src, dst)
        node, switch, up = positions[low], positions[high], np.where(src < dst, 1.0, -1.0)
        lane = up * (LANE_RANGE[0] + (LANE_RANGE[1] - LANE_RANGE[0]) * (low % nodes) / nodes)
        aside, out = np.zeros((2, low.size, 3))
        along = np.where(high < leaves, 1, 0)
        aside[np.arange(low.size), along], out[np.arange(low.size), along] = lane, up * LINK_START
        start, control, end = node + out, node + aside, switch + aside
        forth = np.stack([start, control, end], axis=1)
        hung = np.where((src < dst)[:, None, None], forth, forth[:, ::-1])
        between = bowed(positions[src], positions[dst], BOW)
        return np.where((low < hosts)[:, None, None], hung, between).astype(np.float32)

    return _curves
