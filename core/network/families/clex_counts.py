"""What a CLEX measures that is too large to be searched, exactly, from small ones.

Links are given by which coordinates are equal, so whether and how far a node is from another depends only on which of
their 2t coordinates are equal. It does not depend on k either: whatever stands in the coordinates of neither, on a
path from one to the other, may be replaced by something that does, and the path stays one or becomes shorter. So with
T(q) the sum over all pairs whose coordinates have just q given values, any sum over pairs is the sum over q up to 2t
of T(q) times the ways to choose q of k values: a polynomial, known from its values at k = 0 .. 2t. The diameter is
that of 2t values.
"""

from collections.abc import Callable
from itertools import pairwise
from math import comb

from core.network.network import Counts

MAX_LEVELS = 4
"""With more, the networks to be searched are large themselves: those of 10^5 nodes and more."""


def clex_counts(k: int, levels: int, degree: int, small: Callable[[int], Counts]) -> Counts:
    """Return what is counted in a CLEX of any size; `small` gives that of the one of cliques of so many nodes."""
    # Of one node, or none, nothing.
    found = [Counts(0, 0, 0, 0, 0, 0)] * 2 + [small(size) for size in range(2, 2 * levels + 1)]
    return Counts(
        joined=_at(k, [one.joined for one in found]),
        arcs=_at(k, [one.arcs for one in found]),
        # From u to u: v(l-1) and v(l) are one, and so is j if there is one.
        loops=(levels - 1) * k ** (levels - 1),
        degree=degree,
        diameter=found[min(k, 2 * levels)].diameter,
        distance_sum=_at(k, [one.distance_sum for one in found]),
    )


def _at(k: int, values: list[int]) -> int:
    # The value at k of the polynomial that has these at 0, 1, 2 ...: Newton's forward differences.
    total = 0
    for order in range(len(values)):
        total += comb(k, order) * values[0]
        values = [b - a for a, b in pairwise(values)]
    return total
