"""Sizes nearest to a number of nodes."""

from itertools import combinations_with_replacement
from math import ceil, log2, prod


def off_by(size: int, nodes: int) -> float:
    """Return how far a size is from the wanted one, to sort by: half as many are as far off as twice as many."""
    return abs(log2(size / nodes))


def even_sides(nodes: int, count: int, least: int = 1) -> tuple[int, ...]:
    """Return `count` sides, ascending, whose product is nearest to `nodes`; none below `least`.

    No side is more than twice another, where that is possible; of several such choices it is the most even.
    """
    root = max(nodes ** (1 / count), least)
    sides = range(max(ceil(root / 2), least), int(2 * root) + 1)
    # The longest side, at least as long as the others, follows from these.
    found = [
        (*shorter, max(round(nodes / prod(shorter)), *shorter[-1:], 1 if shorter else 2))
        for shorter in combinations_with_replacement(sides, count - 1)
    ]
    return min(found, key=lambda one: (one[-1] > 2 * one[0], abs(prod(one) - nodes), one[-1] - one[0], one))


def axis_name(dim: int) -> str:
    """Return the class name of a dimension's links: X, Y, Z, W, D5, D6 ..."""
    return "XYZW"[dim] if dim < 4 else f"D{dim + 1}"
