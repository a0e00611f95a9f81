"""Exact metrics of CLEX networks too large to be searched, derived from small ones.

Links depend only on which coordinates are equal, so whether and how far one node is from another depends only on which
of their 2t coordinates are equal. It does not depend on k either: values on a path that occur in neither end can be
replaced by values that do, which leaves a path that is not longer. So with T(q) the sum over all pairs whose
coordinates take exactly q given values, any sum over pairs is the sum over q up to 2t of T(q) times the ways to choose
q of k values: a polynomial in k, determined by its values at k = 0 .. 2t. The diameter is that for 2t values.
"""

from collections.abc import Callable
from itertools import pairwise
from math import comb

from core.network.network import Counts

MAX_LEVELS = 4
"""With more levels, even the small networks have 10^5 nodes and more."""


def clex_counts(k: int, levels: int, degree: int, small: Callable[[int], Counts]) -> Counts:
    """Return the counts of a CLEX of any size; `small` gives those for smaller cliques."""
    # Networks of no node, or one, have nothing to count.
    counts = [Counts(0, 0, 0, 0, 0, 0)] * 2 + [small(size) for size in range(2, 2 * levels + 1)]
    return Counts(
        joined=_at(k, [count.joined for count in counts]),
        arcs=_at(k, [count.arcs for count in counts]),
        # Links from u to u: v(l-1) equals v(l), and so does j, if there is one.
        loops=(levels - 1) * k ** (levels - 1),
        degree=degree,
        diameter=counts[min(k, 2 * levels)].diameter,
        distance_sum=_at(k, [count.distance_sum for count in counts]),
    )


def _at(k: int, values: list[int]) -> int:
    # The value at k of the polynomial with these values at 0, 1, 2 ...: Newton's forward differences.
    total = 0
    for order in range(len(values)):
        total += comb(k, order) * values[0]
        values = [b - a for a, b in pairwise(values)]
    return total
