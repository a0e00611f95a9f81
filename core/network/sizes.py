"""Sizes nearest to a number of nodes."""

from itertools import combinations_with_replacement
from math import ceil, prod


def even_sides(nodes: int, count: int) -> tuple[int, ...]:
    """Return `count` sides, ascending, whose product is nearest to `nodes`.

    No side is more than twice another, where that is possible; of several such choices it is the most even.
    """
    root = nodes ** (1 / count)
    sides = range(max(ceil(root / 2), 1), int(2 * root) + 1)
    found = [_completed(shorter, nodes) for shorter in combinations_with_replacement(sides, count - 1)]
    return min(found, key=lambda one: (one[-1] > 2 * one[0], abs(prod(one) - nodes), one[-1] - one[0], one))


def _completed(shorter: tuple[int, ...], nodes: int) -> tuple[int, ...]:
    # The longest side, at least as long as the others, follows from these.
    return (*shorter, max(round(nodes / prod(shorter)), *shorter[-1:], 1 if shorter else 2))
