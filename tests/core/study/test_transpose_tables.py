"""The paper on matrix transpose: what follows from its rules, from its theorems, and what loads do not explain."""

import numpy as np
import pytest

from core.study import transpose_tables
from core.study.papers import cells_of
from core.study.transpose_tables import PAPER, SEEDS, _chunked


@pytest.fixture
def cells(monkeypatch):
    """All cells of a table by row and column; where mappings are drawn, of the smaller machines, twice."""
    monkeypatch.setattr(transpose_tables, "SEEDS", 2)
    monkeypatch.setattr(transpose_tables, "SIZES", {32: (2, 4, 4), 128: (4, 4, 8), 1024: (4, 4, 8), 2048: (4, 4, 8)})

    def table(name):
        return {(one.row, one.column): one for one in cells_of(PAPER.chosen([name]))}

    return table


def test_phases_are_permutations_and_the_printed_rule_to_receive_is_wrong(cells):
    found = cells("phases")
    assert found["4 x 6", "phases"].ours == found["24 x 36", "phases"].ours == 6
    assert {row: found[row, "to itself in phase 0"].ours for row in ("4 x 6", "24 x 36")} == {
        "4 x 6": 12,
        "24 x 36": 72,
    }
    assert [row for (row, column), one in found.items() if column == "wrong senders" and one.agrees] == [
        "8 x 8",
        "3 x 5",
    ]
    assert all(one.agrees for (_, column), one in found.items() if column in ("phases", "permutations"))


def test_theorem_1_holds_for_even_sides_in_both_models(cells):
    found = cells("theorem-1")
    exact = {key: one for key, one in found.items() if key[0].endswith(("uniform", "hop-local"))}
    assert {row for (row, _), one in exact.items() if not one.agrees} == {"5 x 3, uniform", "5 x 3, hop-local"}
    assert found["5 x 3, uniform", "X"].ours == pytest.approx(24 / 40)
    assert found["8 x 4, introduction", "Y over X"].ours == pytest.approx(0.5)
    drawn = found["8 x 4, 2 permutations", "X"]
    assert drawn.low <= drawn.ours <= drawn.high


def test_lemma_1_holds(cells):
    found = cells("lemma-1")
    assert len(found) == 12
    assert all(one.agrees for one in found.values())
    assert found["6 x 4, hop-local", "Y"].ours == pytest.approx(1.5)


def test_gains_are_those_of_base_over_opt_and_are_not_measured_ones(cells):
    # Over all seeds: about nine percent where a torus is three times as long as wide.
    long = cells("24x8")["alpha 1, 2 random mappings", "uniform, %"]
    assert (long.printed, long.agrees) == (None, None)
    assert -5 < long.low <= long.ours <= long.high < 25
    for name, mapped in (("figure-3a", 12), ("figure-3b", None)):
        found = cells(name)
        assert len(found) == 8
        first = found["32 nodes, 2 x 4 x 4", "uniform, %"]
        assert first.printed == mapped
        assert abs(first.ours) < 30
        last = found["2,048 nodes, 4 x 4 x 8", "uniform, %"]
        assert (last.agrees, last.note) == (False, transpose_tables.UNEXPLAINED)


def test_sweeps_have_a_best_value(cells):
    found = cells("figure-4c")
    speeds = {row: one.ours for (row, column), one in found.items() if column == "uniform, GB/s" and "=" in row}
    best = found["best gamma", "uniform, GB/s"].ours
    assert speeds[f"gamma = {best:g}"] == max(speeds.values())
    assert found["gamma = 0", "uniform, GB/s"].printed == 71


def test_chunks_saturate(cells):
    values = [one.ours for one in cells("figure-4b").values()]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(100, abs=0.2)


def test_chunks_of_equal_legs_take_the_published_time():
    first, second, direct = np.array([2.0, 0.0]), np.array([0.0, 2.0]), np.array([3.0, 3.0])
    for chunks in (1, 4):
        part = chunks / (chunks + 1) * 3.0
        time = ((2 + part) + (chunks - 1) * (2 + part) + (2 + part)) / chunks
        assert _chunked(first, second, direct, chunks) == pytest.approx(100 * 5.0 / time)
    assert SEEDS == 10
