"""The paper on matrix transpose: its rules, its theorems, and figures that loads do not explain."""

import numpy as np
import pytest

from core.papers import transpose_tables
from core.papers.papers import cells_of
from core.papers.transpose_tables import PAPER, SEEDS, _chunked
from core.spec import no_progress


@pytest.fixture
def cells(monkeypatch):
    """All cells of a table by row and column; random mappings are drawn twice, on the smaller machines."""
    monkeypatch.setattr(transpose_tables, "SEEDS", 2)
    monkeypatch.setattr(transpose_tables, "SIZES", {32: (2, 4, 4), 128: (4, 4, 8), 1024: (4, 4, 8), 2048: (4, 4, 8)})

    def table(name):
        return {(cell.row, cell.column): cell for cell in cells_of(PAPER.chosen([name]))}

    return table


def test_phases_are_permutations_and_the_printed_rule_to_receive_is_wrong(cells):
    by_place = cells("phases")
    assert by_place["4 x 6", "phases"].ours == by_place["24 x 36", "phases"].ours == 6
    assert {row: by_place[row, "to itself in phase 0"].ours for row in ("4 x 6", "24 x 36")} == {
        "4 x 6": 12,
        "24 x 36": 72,
    }
    assert [row for (row, column), cell in by_place.items() if column == "wrong senders" and cell.agrees] == [
        "8 x 8",
        "3 x 5",
    ]
    assert all(cell.agrees for (_, column), cell in by_place.items() if column in ("phases", "permutations"))


def test_theorem_1_holds_for_even_sides_in_both_models(cells):
    by_place = cells("theorem-1")
    exact = {key: cell for key, cell in by_place.items() if key[0].endswith(("uniform", "hop-local"))}
    assert {row for (row, _), cell in exact.items() if not cell.agrees} == {"5 x 3, uniform", "5 x 3, hop-local"}
    assert by_place["5 x 3, uniform", "X"].ours == pytest.approx(24 / 40)
    assert by_place["8 x 4, introduction", "Y over X"].ours == pytest.approx(0.5)
    drawn = by_place["8 x 4, 2 permutations", "X"]
    assert drawn.low <= drawn.ours <= drawn.high


def test_lemma_1_holds(cells):
    by_place = cells("lemma-1")
    exact = [cell for (row, _), cell in by_place.items() if row.endswith(("uniform", "hop-local"))]
    assert len(exact) == 12
    assert all(cell.agrees for cell in exact)
    drawn = by_place["8 x 4, uniform, permutations", "Y"]
    # The second leg always goes half around Y; the first leg gives the spread.
    assert 1 < drawn.low <= drawn.ours <= drawn.high < 2
    assert by_place["6 x 4, hop-local", "Y"].ours == pytest.approx(1.5)


def test_gains_compare_base_with_opt_and_are_not_measured(cells):
    # Over all seeds: about nine percent if a torus is three times as long as wide.
    long = cells("24x8")["alpha 1, 2 random mappings", "uniform, %"]
    assert (long.printed, long.agrees) == (None, None)
    assert -5 < long.low <= long.ours <= long.high < 25
    for name, mapped in (("figure-3a", 12), ("figure-3b", None)):
        by_place = cells(name)
        assert len(by_place) == (10 if name == "figure-3a" else 12)
        assert by_place["of 4 pairs of a torus and a mesh, tori of more GB/s", "uniform"].printed == 4
        first = by_place["32 nodes, 2 x 4 x 4", "uniform, %"]
        assert first.printed == mapped
        assert abs(first.ours) < 30
        assert (first.agrees, first.note) == ((False, transpose_tables.UNEXPLAINED) if mapped else (None, ""))


def test_the_least_gain_is_the_least_of_its_column(cells):
    by_place = cells("figure-3b")
    gains = [cell.ours for (row, column), cell in by_place.items() if column == "uniform, %" and "nodes" in row]
    least = by_place["least of these", "uniform, %"]
    assert (least.ours, least.printed) == (min(gains), 11)


def test_sizes_are_swept_on_request_and_do_not_gain_without_long_pairs(cells):
    assert "sizes" not in [table.name for table in PAPER.chosen()]
    (sizes,) = PAPER.chosen(["sizes"])
    by_place = {(cell.row, cell.column): cell for cell in sizes.parts[3](no_progress)}
    assert {by_place["1,024 nodes, alpha = 0", f"{model}, %"].high for model in transpose_tables.MODELS} == {0.0}
    assert by_place["1,024 nodes, alpha = 1", "uniform, %"].ours != 0.0
    # The same point of three sweeps.
    published = {
        by_place[f"1,024 nodes, {value}", "uniform, %"].ours for value in ("alpha = 0.5", "gamma = 2", "delta = 2")
    }
    assert len(published) == 1


def test_sweeps_have_a_best_value(cells):
    by_place = cells("figure-4c")
    speeds = {row: cell.ours for (row, column), cell in by_place.items() if column == "uniform, GB/s" and "=" in row}
    best = by_place["best gamma", "uniform"].ours
    assert speeds[f"gamma = {best:g}"] == max(speeds.values())
    assert by_place["gamma = 0", "uniform, GB/s"].printed == 71


def test_a_tied_best_value_does_not_agree(cells, monkeypatch):
    monkeypatch.setattr(transpose_tables, "SWEPT", {"delta": (2, 3, 0), "gamma": (2,)})
    monkeypatch.setattr(transpose_tables, "_seconds", lambda *_: 1.0)
    equal = cells("delta")["best delta", "uniform"]
    assert (equal.ours, equal.agrees) == (2, False)
    assert equal.note == "the printed value is best, but these are equally good: 3, 0"
    assert cells("figure-4c")["best gamma", "uniform"].agrees


def test_chunks_saturate(cells):
    by_place = cells("figure-4b")
    for model in transpose_tables.MODELS:
        column = f"{model}, % of the speed at most"
        values = [cell.ours for (row, of), cell in by_place.items() if of == column and "=" in row]
        assert values == sorted(values)
        assert values[-1] == pytest.approx(100, abs=0.2)


def test_chunks_of_equal_legs_take_the_published_time():
    first, second, direct = np.array([2.0, 0.0]), np.array([0.0, 2.0]), np.array([3.0, 3.0])
    for chunks in (1, 4):
        part = chunks / (chunks + 1) * 3.0
        time = ((2 + part) + (chunks - 1) * (2 + part) + (2 + part)) / chunks
        assert _chunked(first, second, direct, chunks) == pytest.approx(time)
        # Without detours the time does not depend on the number of chunks.
        none, load = np.zeros(2), np.array([1.0, 7.0])
        assert _chunked(none, none, load, chunks) == pytest.approx(7.0)
    assert SEEDS == 10


def test_each_optimisation_is_compared_with_detours_for_all_pairs(cells):
    by_place = cells("figure-4d")
    for model in transpose_tables.MODELS:
        gains = {row: cell.ours for (row, column), cell in by_place.items() if column == f"{model}, %"}
        helping = by_place["of the four, how many help", model].ours
        plain, best = gains.pop("all pairs round"), gains.pop("all four")
        assert len(gains) == 4
        assert helping == sum(gain > plain for gain in gains.values())
        assert best > plain
        assert by_place["and gamma 2", f"{model}, %"].low > -100


def test_only_throughputs_have_the_unit_gbs(cells):
    for (row, column), cell in cells("figure-4c").items():
        assert column.endswith("GB/s") == ("=" in row), cell.place
