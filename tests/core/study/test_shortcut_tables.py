"""The thesis on shortcut networks: what follows from its rules, and how draws are judged."""

import pytest

from core.spec import no_progress
from core.study import shortcut_tables
from core.study.papers import paper
from core.study.shortcut_cases import drawn


def cells(table):
    """Return the figures of a table of the thesis by row and column."""
    (chosen,) = paper("shortcut").chosen([table])
    return {(one.row, one.column): one for one in chosen.cells(no_progress)}


def test_formulas_that_do_not_follow_are_the_known_ones():
    found = cells("formulas")
    wrong = [row for (row, _), one in found.items() if not one.agrees]
    assert wrong == [
        "torus 5 x 5: diameter, n ceil(k/2)",
        "torus 4 x 4: ASPL, n (k - 1) / 4",
        "mesh 4 x 4: ASPL, n (k - 1) / 3",
        "hypercube of 16: ASPL, n / 2",
        "dragonfly a = 4, p = 4, h = 2, g = 9: PEs, N = a p / 2",
        "dragonfly a = 4, p = 4, h = 2, g = 9: radix, p + a",
    ]
    assert all(one.note for one in found.values() if not one.agrees)


def test_broadcast_in_the_ring_of_32_takes_10_hops_with_two_ranks_swapped_and_not_9():
    found = {row: one.ours for (row, _), one in cells("3.1").items()}
    assert list(found.values()) == [11, 10, 9]


def test_collectives_on_the_circulant_take_as_many_hops_as_messages(monkeypatch):
    monkeypatch.setattr(shortcut_tables, "LEAST_OF", (16,))
    found = cells("4.1")
    assert [one.ours for one in found.values()] == [15, 15, 64, 64, 64, 64]
    assert all(one.agrees for one in found.values())


def test_placements_say_mean_and_range_over_topologies(monkeypatch):
    for name, value in {"NODES": 64, "RANKS": 32, "TOPOLOGIES": 3, "SWAPS": 500}.items():
        monkeypatch.setattr(shortcut_tables, name, value)
    found = cells("3.5")
    assert {row for row, _ in found} == {"random", "tree", "ring"}
    for row in ("random", "tree", "ring"):
        ascending, two_opt = found[row, "ascending"], found[row, "two-opt"]
        assert 32 * 5 <= two_opt.low <= two_opt.ours <= two_opt.high < ascending.high
        assert two_opt.ours < ascending.ours
        fewer = found[row, "fewer, %"]
        assert fewer.low <= 100 * (1 - two_opt.ours / ascending.ours) <= fewer.high


@pytest.mark.parametrize(
    ("figures", "printed", "agrees"),
    [
        ([10.0, 30.0], 29.0, True),
        ([10.0, 30.0], 31.0, False),
        ([10.0, 30.0], 30.4, False),
        ([10.0, 30.6], 31.0, True),
        ([1000.0, 1002.0], 1010.0, True),
        ([1000.0, 1002.0], 1012.0, False),
        ([1.0], None, None),
    ],
)
def test_draws_agree_in_their_range_as_rounded_or_near_the_mean(figures, printed, agrees):
    assert drawn("1", "row", "column", figures, printed).agrees is agrees
