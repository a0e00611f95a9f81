"""Sides of boxes, as equal as possible."""

from itertools import combinations_with_replacement
from math import ceil, prod


def even_sides(nodes: int, count: int, least: int = 1) -> tuple[int, ...]:
    """Return `count` sides of at least `least`, ascending, whose product is closest to `nodes`.

    If possible, no side is more than twice another. Ties go to the most equal sides.
    """
    root = max(nodes ** (1 / count), least)
    sides = range(max(ceil(root / 2), least), int(2 * root) + 1)
    # The longest side follows from the shorter sides.
    candidates = [
        (*shorter, max(round(nodes / prod(shorter)), *shorter[-1:], 1 if shorter else 2))
        for shorter in combinations_with_replacement(sides, count - 1)
    ]
    return min(
        candidates, key=lambda sides: (sides[-1] > 2 * sides[0], abs(prod(sides) - nodes), sides[-1] - sides[0], sides)
    )


def evened(dims: tuple[int, ...], nodes: int) -> tuple[int, ...]:
    """Return the same number of dimensions for `nodes` nodes, as equal as possible; dimensions of size 1 stay."""
    long = sum(size > 1 for size in dims)
    sides = iter(even_sides(max(nodes, 2), long) if long else ())
    return tuple(next(sides) if size > 1 else 1 for size in dims)
