"""GPU servers: in each a row of GPUs, its PCI bridges and CPUs below, NICs at the bottom; switches outside of servers.

Several servers are boxes in rows above and below the switches that join them. Servers below are upside down, so that
all NICs face the switches. A single server has captions for its rows instead.
"""

from collections.abc import Sequence
from enum import IntEnum
from math import ceil, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.layout import Caption, Curves, Floats, Layout, apart, centred, in_plane, right_of
from core.network.network import Ints, Network

MARK, SWITCH = (0.86, 0.72), 0.56
"""Sizes of the marks of GPUs, which are 1 apart, and of all other vertices."""
ROW_GAP, NIC_GAP, NVSWITCH_GAP = 1.0, 1.4, 1.7
"""Distance of two rows of the PCI tree; of CPUs from NICs; of GPUs from the NVSwitch."""
BESIDE = 0.45
"""How far a NIC is to the right of the GPUs at its bridge."""
CPU_DISTANCE, NIC_DISTANCE = 1.6, 0.95
"""Minimum distances in these rows."""
BORDER, BOX_GAP = 0.8, 1.3
"""Space around the vertices in a box, and between boxes."""
ASPECT = 1.3
"""Preferred width of the picture, relative to its height."""
FAN, MIN_FAN = 0.17, 2.6
"""Distance of servers from the switches that join them, relative to the width of the picture, and its minimum."""
SWITCH_DISTANCE = 1.2
"""Minimum distance of these switches."""
LANE = 0.06
"""Offset of each direction of a link from the line between its ends."""
GPU_ARC, CPU_ARC, ARC_LENGTH = 2.4, 1.0, 4.0
"""Largest height of links in a row of GPUs or CPUs, and the length of links of half this height."""
CAPTION_GAP = 0.75
"""Distance between captions and the first column."""

Places = NDArray[np.float64]


class Kind(IntEnum):
    """Kinds of vertices."""

    GPU = 0
    PORT = 1
    """The PCIe port of a GPU, if it is a vertex of its own."""
    BRIDGE = 2
    CPU = 3
    NIC = 4
    NVSWITCH = 5
    OUTSIDE = 6
    """A switch outside of servers."""


CAPTIONS = {
    Kind.NVSWITCH: "NVSwitch",
    Kind.GPU: "GPUs",
    Kind.BRIDGE: "PCI bridges",
    Kind.CPU: "CPUs",
    Kind.NIC: "NICs",
    Kind.OUTSIDE: "fabric",
}


class Part(NamedTuple):
    """A server."""

    number: Ints
    """(vertices,) vertex of the network of each vertex of the server; `outside` or more if it is shared by servers."""
    kinds: Sequence[Kind]
    parents: Sequence[int]
    """The vertex of the server above each vertex in the PCI tree, -1 for none."""


def servers_and_switches(network: Network, servers: Sequence[Part], outside: int) -> Layout:
    """Place servers and switches; vertices from `outside` on are switches outside of servers."""
    # Copies of a server share its lists.
    distinct = {id(server.kinds): server for server in servers}
    each = {key: centred(_placed(server.kinds, server.parents)) for key, server in distinct.items()}
    kinds_of = {key: np.array(server.kinds, np.intp) for key, server in distinct.items()}
    places = np.zeros((network.vertices, 2))
    kinds, turned = np.full(network.vertices, Kind.OUTSIDE, np.intp), np.ones(network.vertices)
    size = np.max([np.ptp(place, axis=0) for place in each.values()], axis=0) + 2 * BORDER
    switches = network.vertices - outside
    middles, up = _arranged(len(servers), size, switches)
    for server, middle, side in zip(servers, middles, up.tolist(), strict=True):
        own = server.number < outside
        number, key = server.number[own], id(server.kinds)
        places[number] = (middle + each[key] * (1, side))[own]
        kinds[number], turned[number] = kinds_of[key][own], side
    wide = max(float(np.ptp(middles[:, 0])) + size[0], SWITCH_DISTANCE * switches)
    places[outside:, 0] = middles[:, 0].mean() + ((np.arange(switches) + 0.5) / max(switches, 1) - 0.5) * wide
    boxed = len(servers) > 1 and bool(network.levels) and network.levels[0].count == len(servers)
    shift = (places.min(0) + places.max(0)) / 2
    positions = in_plane(places - shift)
    boxes = np.zeros((0, 4), np.float32)
    if boxed:
        around = np.concatenate([middles - shift, places[outside:] - shift])
        sizes = np.concatenate([np.tile(size, (len(servers), 1)), np.full((switches, 2), 2 * SWITCH)])
        boxes = np.column_stack([around, sizes]).astype(np.float32)
    return Layout(
        positions,
        MARK,
        _curves_of(positions, kinds, turned),
        boxes,
        boxes[:, :2],
        near=False,
        scattered=not boxed,
        switch=(SWITCH, SWITCH),
        captions=_captions(positions, kinds) if len(servers) == 1 else (),
        rows=boxed,
    )


def _captions(positions: Floats, kinds: NDArray[np.intp]) -> tuple[Caption, ...]:
    left = float(positions[:, 0].min()) - CAPTION_GAP
    rows = ((text, positions[kinds == kind, 1]) for kind, text in CAPTIONS.items())
    return tuple(Caption(text, (left, float(row.mean()))) for text, row in rows if row.size)


def _arranged(count: int, size: Places, switches: int) -> tuple[Places, Places]:
    """Return the middles of the boxes of servers, ``(count, 2)``, and 1 or -1 for a box upright or upside down.

    Switches are at height 0.
    """

    def _extent(columns: int) -> tuple[float, float]:
        wide = columns * (size[0] + BOX_GAP) - BOX_GAP
        return wide, max(FAN * wide, MIN_FAN) if switches else 0.0

    def _badness(columns: int) -> float:
        rows, (wide, fan) = ceil(count / columns), _extent(columns)
        high = rows * (size[1] + BOX_GAP) + fan * min(rows, 2)
        return abs(log(wide / high / ASPECT)) + (columns * rows - count) / count

    columns = min(range(1, count + 1), key=_badness)
    fan, row = _extent(columns)[1], np.arange(count) // columns
    above = (int(row.max()) + 2) // 2 if switches else int(row.max()) + 1
    upright = row < above
    # Rows from the switches outwards.
    outwards = np.where(upright, above - 1 - row, row - above)
    y = np.where(upright, 1, -1) * (fan + size[1] / 2 + outwards * (size[1] + BOX_GAP))
    x = np.arange(count) % columns * (size[0] + BOX_GAP)
    return np.column_stack([x, y]), np.where(upright, 1.0, -1.0)


def _placed(kinds: Sequence[Kind], parents: Sequence[int]) -> Places:
    """Return the places of the vertices of a server, ``(vertices, 2)``."""
    kind, parent = np.array(kinds, np.intp), np.array(parents, np.intp)
    order = _top_down(parent)
    leaf = np.isin(kind, (Kind.GPU, Kind.NIC))
    height, first = np.zeros(kind.size, np.intp), np.where(kind == Kind.GPU, np.arange(kind.size), kind.size)
    for vertex in reversed(order):
        if (above := parent[vertex]) >= 0:
            height[above] = max(height[above], height[vertex] + 1)
            first[above] = min(first[above], first[vertex])
    height[kind == Kind.CPU] = height[kind == Kind.CPU].max(initial=1)
    y = -ROW_GAP * height.astype(np.float64)
    y[kind == Kind.NIC] = y.min() - NIC_GAP
    y[kind == Kind.NVSWITCH] = NVSWITCH_GAP
    x = _columns(kind, parent, first, order)
    for row in np.unique(height[~leaf]).tolist():
        some = np.flatnonzero(~leaf & (height == row) & (kind != Kind.NVSWITCH))
        some = some[np.argsort(x[some], kind="stable")]
        x[some] = apart(x[some], CPU_DISTANCE if (kind[some] == Kind.CPU).any() else 1.0)
    x[kind == Kind.NVSWITCH] = x[kind == Kind.GPU].mean()
    return np.column_stack([x, y])


def _top_down(parent: NDArray[np.intp]) -> list[int]:
    """Return the vertices of a tree, each after the vertex above it."""
    depth, above = np.zeros(parent.size, np.intp), parent.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return [*np.argsort(depth, kind="stable").tolist()]


def _columns(kind: NDArray[np.intp], parent: NDArray[np.intp], first: NDArray[np.intp], order: list[int]) -> Places:
    """Return x of every vertex: GPUs in the order of the tree, other vertices over the middle of their GPUs or NICs.

    `first` is the first GPU below each vertex, and `order` a list of the vertices from the top down.
    """
    x = np.zeros(kind.size)
    path: dict[int, tuple[int, ...]] = {}
    for vertex in order:
        path[vertex] = (*path.get(int(parent[vertex]), ()), int(first[vertex]), vertex)
    gpus = sorted(np.flatnonzero(kind == Kind.GPU).tolist(), key=path.__getitem__)
    x[gpus] = np.arange(len(gpus))
    _over_middles(x, kind == Kind.GPU, parent, order)
    nics = np.flatnonzero(kind == Kind.NIC)
    wanted = np.array([_beside_gpus(int(nic), x, parent, first) for nic in nics.tolist()])
    nics = nics[np.argsort(wanted, kind="stable")]
    x[nics] = apart(np.sort(wanted), NIC_DISTANCE)
    _over_middles(x, (kind == Kind.NIC) & (first[parent] == kind.size), parent, order)
    return x


def _over_middles(x: Places, leaves: NDArray[np.bool_], parent: NDArray[np.intp], order: list[int]) -> None:
    low, high = np.where(leaves, x, np.inf), np.where(leaves, x, -np.inf)
    for vertex in reversed(order):
        if (above := parent[vertex]) >= 0:
            low[above], high[above] = min(low[above], low[vertex]), max(high[above], high[vertex])
    over = np.isfinite(low) & ~leaves
    x[over] = (low[over] + high[over]) / 2


def _beside_gpus(nic: int, x: Places, parent: NDArray[np.intp], first: NDArray[np.intp]) -> float:
    """Return x of a NIC before others push it: to the right of the GPUs at the lowest bridge above it with GPUs."""
    vertex = nic
    while vertex >= 0 and first[vertex] == parent.size:
        vertex = int(parent[vertex])
    return float(x[vertex] if vertex >= 0 else x.max() + 1) + BESIDE


def _curves_of(positions: Floats, kinds: NDArray[np.intp], turned: Places) -> Curves:
    def _curves(ids: NDArray[np.intp], src: Ints, dst: Ints) -> Floats:
        start, end = positions[src].astype(np.float64), positions[dst].astype(np.float64)
        step = end - start
        length = np.maximum(np.linalg.norm(step, axis=1), 1e-9)
        control = (start + end) / 2
        # Links in a row are arcs, away from the PCI tree or below the CPUs.
        for kind, most in ((Kind.GPU, GPU_ARC), (Kind.CPU, -CPU_ARC)):
            row = (kinds[src] == kind) & (kinds[dst] == kind)
            control[row, 1] += (2 * most * turned[src] * length / (length + ARC_LENGTH))[row]
        # Links of NICs leave vertically, past the bridges above or towards the switch below.
        for nic, at, other in ((src, start, end), (dst, end, start)):
            up = (kinds[nic] == Kind.NIC) & (other[:, 1] != at[:, 1])
            control[up, 0] = at[up, 0]
            outside = (kinds[src] == Kind.OUTSIDE) | (kinds[dst] == Kind.OUTSIDE)
            control[up, 1] = (at[:, 1] + np.where(outside, 0.45, 0.8) * (other - at)[:, 1])[up]
        beside = LANE * right_of(step / length[:, None])
        return (np.stack([start, control, end], axis=1) + beside[:, None]).astype(np.float32)

    return _curves
