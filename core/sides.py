"""Sides of boxes, as equal as possible."""

from itertools import combinations_with_replacement
from math import ceil, prod


def even_sides(nodes: int, count: int, least: int = 1) -> tuple[int, ...]:
    """Return `count` sides, ascending, whose product is closest to `nodes`; none below `least`.

    No side is more than twice another, if possible; ties go to the most equal sides.
    """
    root = max(nodes ** (1 / count), least)
    sides = range(max(ceil(root / 2), least), int(2 * root) + 1)
    # The longest side, at least as long as the others, follows from them.
    found = [
        (*shorter, max(round(nodes / prod(shorter)), *shorter[-1:], 1 if shorter else 2))
        for shorter in combinations_with_replacement(sides, count - 1)
    ]
    return min(found, key=lambda one: (one[-1] > 2 * one[0], abs(prod(one) - nodes), one[-1] - one[0], one))


def evened(dims: tuple[int, ...], nodes: int) -> tuple[int, ...]:
    """Return as many dimensions for so many nodes, as equal as possible; size 1 stays."""
    long = sum(size > 1 for size in dims)
    sides = iter(even_sides(max(nodes, 2), long) if long else ())
    return tuple(next(sides) if size > 1 else 1 for size in dims)
