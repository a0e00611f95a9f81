"""What a CLEX measures that is too large to be searched, exactly, from small ones.

Links are given by which coordinates are equal, so whether and how far a node is from another depends only on which of
their 2t coordinates are equal. It does not depend on k either: whatever stands in the coordinates of neither, on a
path from one to the other, may be replaced by something that does, and the path stays one or becomes shorter. So with
T(q) the sum over all pairs whose coordinates have just q given values, any sum over pairs is the sum over q up to 2t
of T(q) times the ways to choose q of k values: a polynomial, known from its values at k = 0 .. 2t. The diameter is
that of 2t values.
"""

from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

from core.network.metrics.metrics import distances, joined
from core.network.network import Counts

if TYPE_CHECKING:
    from core.network.families.clex import Clex

MOST_LEVELS = 4
"""With more, the networks to be searched are large themselves: those of 10^5 nodes and more."""

Sums = tuple[int, int, int]


def clex_counts(spec: "Clex") -> Counts:
    """Return the figures of a CLEX of any size."""
    found = [_small(size, spec.levels, spec.fat_links) for size in range(2 * spec.levels + 1)]
    joined_, arcs, total = (_at(spec.k, [sums[which] for sums, _ in found]) for which in range(3))
    return Counts(
        joined=joined_,
        arcs=arcs,
        # From u to u: v(l-1) and v(l) are one, and so is j if there is one.
        loops=(spec.levels - 1) * spec.k ** (spec.levels - 1),
        degree=spec.degree,
        diameter=found[min(spec.k, 2 * spec.levels)][1],
        distance_sum=total,
    )


def _at(k: int, values: list[int]) -> int:
    # The value at k of the polynomial that has these at 0, 1, 2 ...: Newton's forward differences.
    total = 0
    for order in range(len(values)):
        total += comb(k, order) * values[0]
        values = [b - a for a, b in pairwise(values)]
    return total


@lru_cache(maxsize=64)
def _small(k: int, levels: int, fat: bool) -> tuple[Sums, int]:
    # Pairs joined, arcs and the sum of distances; and the diameter. Of one node, or none, nothing.
    from core.network.families.clex import Clex

    if k < 2:
        return (0, 0, 0), 0
    network = Clex(k=k, levels=levels, fat_links=fat).build()
    found = distances(network)
    return (*joined(network), found.total), found.farthest
