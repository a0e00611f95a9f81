"""Cliques of cliques: the coarsest groups as boxes on a ring, in each its parts on a grid, down to nodes."""

import numpy as np
from numpy.typing import NDArray

from core.network.layout import FILL, Floats, Layout, bent, bowed, boxes_on_rings, in_plane, right_of
from core.network.network import Network

GAP = 0.25
"""Room between two parts of a group, relative to their shorter side."""
MAX_ASPECT = 2.5
"""Columns per row up to which a grid without empty cells is preferred to a squarer one."""
BOW, BOW_PER_CLASS = 0.14, 0.06
"""How far a link bows, relative to its length, and the increment for each further class."""
BOX_LINK_BOW = 0.03
"""How far a link from box to box bows to its right, relative to its length."""
LOOP_REACH = 0.72
"""How far a loop (a link from a node to itself) extends from its node's centre, in cells."""


def cliques(network: Network, arity: int, depth: int) -> Layout:
    """Place ``arity ** depth`` nodes, numbered group by group on every level."""
    offsets, width, height = nested(arity, depth - 1)
    boxes, labels = boxes_on_rings(arity, height / width)
    side = float(boxes[0, 2]) * FILL / width
    positions = in_plane((boxes[:, None, :2] + offsets * side).reshape(-1, 2))
    firsts = np.array([c.links.start for c in network.classes])
    per_box = offsets.shape[0]

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        start, end = positions[src], positions[dst]
        # Parallel links of two classes are separated too.
        inside = bowed(start, end, BOW + BOW_PER_CLASS * (np.searchsorted(firsts, ids, side="right")[:, None] - 1))
        between = bent(start, end)
        between[:, 1] += BOX_LINK_BOW * right_of(end - start)
        curve = np.where((src // per_box == dst // per_box)[:, None, None], inside, between)
        return np.where((src == dst)[:, None, None], start[:, None] + side * _LOOP, curve).astype(np.float32)

    return Layout(positions, (side, side), _curves, boxes, labels)


_TIP = 2 * LOOP_REACH / np.sqrt(2) - 0.12  # of the control point: the curve reaches half as far
_LOOP = np.array([[-0.24, 0.0, 0.0], [-_TIP, _TIP, 0.0], [0.0, 0.24, 0.0]], np.float32)


def nested(arity: int, depth: int) -> tuple[Floats, float, float]:
    """Return places around the origin, shape ``(arity ** depth, 2)``, and the total width and height, in cells."""
    places = np.zeros((1, 2), np.float32)
    width = height = 1.0
    for level in range(depth):
        gap = GAP * min(width, height) if level else 0.0
        rows, cols = _shape(arity, width + gap, height + gap)
        row, col = np.divmod(np.arange(arity), cols)
        shift = np.stack([(col - (cols - 1) / 2) * (width + gap), ((rows - 1) / 2 - row) * (height + gap)], axis=1)
        places = (shift[:, None] + places).reshape(-1, 2).astype(np.float32)
        width, height = cols * (width + gap) - gap, rows * (height + gap) - gap
    return places, width, height


def _shape(count: int, width: float, height: float) -> tuple[int, int]:
    """Return the rows and columns of a grid of parts of this size: nearly square, and wider rather than taller."""
    rows = next(r for r in range(int(count**0.5), 0, -1) if count % r == 0)
    if count > MAX_ASPECT * rows * rows:
        rows = round(count**0.5)
    short, long = rows, -(-count // rows)
    wide, high = (long * width) / (short * height), (short * width) / (long * height)
    return (short, long) if max(wide, 1 / wide) <= max(high, 1 / high) * 1.01 else (long, short)
