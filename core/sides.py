"""Sides of boxes, as even as can be."""

from itertools import combinations_with_replacement
from math import ceil, prod


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
