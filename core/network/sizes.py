"""Comparison of sizes, and names of dimensions."""

from math import log2


def off_by(size: int, nodes: int) -> float:
    """Return how far `size` is from `nodes`, as a ratio: half as many nodes are as far as twice as many."""
    return abs(log2(size / nodes))


def axis_name(dim: int) -> str:
    """Return the class name of a dimension's links: X, Y, Z, W, D5, D6 ..."""
    return "XYZW"[dim] if dim < 4 else f"D{dim + 1}"
