"""Metrics of CLEX from small ones: the unit cases, and sizes beyond those from which the figures are derived."""

from fractions import Fraction

import pytest

from core.network import Clex
from core.network.metrics.metrics import count


@pytest.mark.parametrize(
    ("k", "levels", "loops", "simple", "diameter", "aspl"),
    [
        (3, 2, 3, 36, 2, Fraction(3, 2)),
        (4, 2, 4, 96, 2, Fraction(8, 5)),
        (3, 3, 18, 174, 3, Fraction(229, 117)),
        (4, 3, 32, 612, 3, Fraction(243, 112)),
        (2, 4, 24, 72, 4, Fraction(39, 20)),
    ],
)
def test_unit_cases(k, levels, loops, simple, diameter, aspl):
    counts, nodes = Clex(k=k, levels=levels).counts(), k**levels
    assert (counts.loops, counts.arcs, counts.diameter) == (loops, simple, diameter)
    assert Fraction(counts.distance_sum, nodes * (nodes - 1)) == aspl


@pytest.mark.parametrize(("k", "levels"), [(7, 2), (12, 2), (8, 3), (9, 3), (2, 4), (9, 4), (5, 1)])
@pytest.mark.parametrize("fat", [False, True])
def test_counts_match_measured_metrics(k, levels, fat):
    # From 2 t values on, sizes are beyond all from which the polynomials are derived.
    spec = Clex(k=k, levels=levels, fat_links=fat)
    counts, pairs, _ = count(spec.build())
    assert pairs == k**levels * (k**levels - 1)
    assert spec.counts() == counts
