"""Sizes nearest to a number of nodes."""

from math import log2


def off_by(size: int, nodes: int) -> float:
    """Return how far a size is from the wanted one, to sort by: half as many are as far off as twice as many."""
    return abs(log2(size / nodes))


def axis_name(dim: int) -> str:
    """Return the class name of a dimension's links: X, Y, Z, W, D5, D6 ..."""
    return "XYZW"[dim] if dim < 4 else f"D{dim + 1}"
