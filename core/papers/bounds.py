"""Minimum and maximum values of figures that a paper does not print.

They follow from closed forms and counts that the computation of the figure itself does not use. A cell without a
printed figure carries such a pair; a figure outside it is reported as impossible.
"""

from math import prod

Bounds = tuple[float, float]
"""The minimum and the maximum possible value."""

TOLERANCE = 1e-9
"""Relative rounding error of a figure."""


def outside(figure: float, bounds: Bounds) -> bool:
    """Return whether a figure lies outside its bounds by more than rounding; NaN does."""
    slack = TOLERANCE * max(map(abs, bounds))
    return not bounds[0] - slack <= figure <= bounds[1] + slack


def moore(nodes: int, degree: int) -> tuple[int, float]:
    """Return the Moore bounds: minimum diameter and average distance of `nodes` nodes with at most `degree` links.

    They also bound the distances among any `nodes` nodes of a larger network.
    """
    reached, far, distance, ring = 1, 0, 0, degree
    while reached < nodes:
        distance += 1
        added = min(ring, nodes - reached)
        reached, far, ring = reached + added, far + distance * added, ring * (degree - 1)
    return distance, far / max(nodes - 1, 1)


def hop_sum(messages: int, diameter: int) -> Bounds:
    """Return bounds of the sum of the links that messages between different nodes cross on shortest paths."""
    return messages, messages * diameter


def saving(reduced: Bounds, reference: Bounds) -> Bounds:
    """Return bounds of the percentage by which a figure within `one` is smaller than a figure within `other`."""
    return 100 * (1 - reduced[1] / reference[0]), 100 * (1 - reduced[0] / reference[1])


def torus_rate(dims: tuple[int, ...], gbs: float) -> float:
    """Return the total GB/s of all nodes of a torus if each sends to every node equally; links of `gbs` per direction.

    A link along the longest side, of N nodes, then carries the messages of N/8 nodes.
    """
    return prod(dims) * gbs * 8 / max(dims)
