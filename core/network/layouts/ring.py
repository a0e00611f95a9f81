"""All vertices on a circle, links as chords. World units, y upwards; neighbours are 1 apart."""

import numpy as np
from numpy.typing import NDArray

from core.network.layout import NODE, Floats, Layout, in_plane, right_of
from core.network.network import Network

MIN_GROWN_NODES = 500
"""Number of nodes above which marks grow until they touch."""
CHORD_BEND = 0.55
"""How far chords are pulled to the middle of a ring."""
LOOP = (0.2, 0.9)
"""Half the width of a loop (a link from a node to itself) at its node, and its reach from there."""


def ring(network: Network) -> Layout:
    """Place all vertices on a circle, clockwise from the top, and bend links towards its middle: a chord diagram."""
    count = network.vertices
    angle = np.pi / 2 - 2 * np.pi * np.arange(count) / count
    radius = 0.5 / np.sin(np.pi / max(count, 3))
    positions = in_plane(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        start, end = positions[src], positions[dst]
        middle = (start + end) / 2
        # The two directions of a pair bow to their right, so that they stay apart.
        step = end - start
        side = 0.04 * right_of(step)
        reach = np.linalg.norm(step, axis=1, keepdims=True) / (2 * radius)
        curve = np.stack([start, middle * (1 - CHORD_BEND * reach) + side, end], axis=1)
        # Loops reach outwards.
        out = start / radius
        across = -LOOP[0] * right_of(out)
        loop = np.stack([start - across, start + 2 * LOOP[1] * out, start + across], axis=1)
        return np.where((src == dst)[:, None, None], loop, curve).astype(np.float32)

    # Marks of large rings nearly touch, as single ones would be invisible.
    side = NODE * float(np.clip(count / MIN_GROWN_NODES, 1, 2))
    return Layout(positions, (side, side), _curves, near=False, circle=True)
