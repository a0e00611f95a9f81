"""The paper on CLEX: its small networks, a table at full size, and the figures derived from its tables."""

from dataclasses import replace

import pytest

from core.papers import clex_tables
from core.papers.clex_tables import PAPER, RUNS, by_phases
from core.papers.papers import cells_of
from core.timing.clex_rounds import ClexRounds, LevelRounds


def table(name):
    return {(cell.row, cell.column): cell for cell in cells_of(PAPER.chosen([name]))}


@pytest.fixture
def as_printed(monkeypatch):
    """Every run gives the printed figures."""

    def play(run, seed, progress=None):
        figures = zip(*(run.printed(column) for column, _, _ in clex_tables.COLUMNS), strict=True)
        return ClexRounds(0, 0, tuple(LevelRounds(level, *of_level) for level, of_level in enumerate(figures, 1)))

    monkeypatch.setattr(clex_tables, "simulated", play)


@pytest.fixture
def small(monkeypatch):
    """Networks of 4^levels nodes instead of the paper's networks."""
    runs = tuple(replace(run, k=4, messages=max(run.messages // 10, 1)) for run in RUNS)
    monkeypatch.setattr(clex_tables, "RUNS", runs)
    monkeypatch.setattr(clex_tables, "_played", {})
    return runs


def test_small_networks_match_the_unit_cases():
    by_place = table("graphs")
    columns = ("nodes", "arcs", "out-degree", "loops", "simple arcs", "diameter", "ASPL")
    for row, expected in {
        "3^2": (9, 45, 5, 3, 36, 2, 3 / 2),
        "4^2": (16, 112, 7, 4, 96, 2, 8 / 5),
        "3^3": (27, 216, 8, 18, 174, 3, 229 / 117),
        "4^3": (64, 704, 11, 32, 612, 3, 243 / 112),
        "2^4": (16, 112, 7, 24, 72, 4, 39 / 20),
    }.items():
        assert [by_place[row, column].ours for column in columns] == pytest.approx(expected)
    fat = [(by_place[row, "diameter"].ours, by_place[row, "ASPL"].ours) for row in ("4^2, fat", "3^3, fat")]
    assert fat == [pytest.approx((3, 11 / 5)), pytest.approx((6, 10 / 3))]
    assert not [cell for cell in by_place.values() if cell.agrees is False]


def test_table_iv_at_full_size_matches_an_independent_simulator():
    by_place = table("IV")
    reference = {
        "level 1": (3, 4.27, 6.12, 4.95),
        "level 2": (1, 2, 5, 2),
        "level 3": (1, 1, 5, 1),
    }
    for row, figures in reference.items():
        ours = [by_place[row, name].ours for name, _, _ in clex_tables.COLUMNS]
        assert ours == pytest.approx(figures, rel=0.02)
    differing = {key for key, cell in by_place.items() if not cell.agrees}
    assert differing == {("level 1", name) for name, _, _ in clex_tables.COLUMNS} | {("level 2", "max mean load")}
    assert all(cell.note and cell.low <= cell.ours <= cell.high for key, cell in by_place.items() if key in differing)


def test_printed_means_give_the_derived_figures_except_for_a_misprint(as_printed):
    by_place = table("derived")
    assert {row for (row, _), cell in by_place.items() if cell.agrees is False} == {
        "I: most hops of an all-to-all",
        "I: way of an all-to-all",
        "II: hops, 64^3 as printed",
        "II: most hops of an all-to-all",
        "II: way of an all-to-all",
        "IV: hops, 64^3 as printed",
    }
    assert len([cell for cell in by_place.values() if cell.agrees]) == 10
    assert by_place["II: way of an all-to-all", "times the longest link"].ours == pytest.approx(1 + 1 / 4 + 1 / 16)
    assert by_place["II: most hops of an all-to-all", "times fewer"].ours == pytest.approx(1.5 * 64 / 3)
    for (row, unit), cell in by_place.items():
        if row.endswith("consistent"):
            assert cell.ours == by_place[row.removesuffix(", consistent"), unit].ours / 2


def test_calls_of_two_phases_take_five_rounds_with_relay_requests():
    assert by_phases((7, 6, 0, 0, 0, 5, 0, 4, 0, 3)) == [7, 6, 5, 4, 3]
    assert by_phases((7,)) == [7]


def test_phases_cover_all_calls_and_statements_are_checked_against_tables(small):
    by_place = table("figure-3")
    for run in small[:2]:
        calls = [by_place[f"{run.name}: calls over after phase {phase}", "calls"].ours for phase in range(1, 6)]
        # With at least one message per node few cliques are empty; a call in an empty clique would end without a phase.
        cliques = 4 ** (run.levels - 1) * 2 ** (run.levels - 1)
        assert 0.9 * cliques <= sum(calls) <= cliques
        assert by_place[f"{run.name}: phases of most calls", "phases"].ours == 1 + calls.index(max(calls))
        rounds = by_place[f"{run.name}: rounds on level 1 beyond the least", "%"]
        assert rounds.agrees == (abs(rounds.ours - 75) <= 2.5)


def test_links_carry_the_expected_load(small):
    by_place = table("loads")
    assert len(by_place) == 2 * (4 + 3 + 4 + 3)
    for (row, column), cell in by_place.items():
        if column == "played":
            assert cell.ours == pytest.approx(by_place[row, "expected"].ours)


def test_a_table_has_the_range_of_its_draws_and_is_simulated_once(small):
    heard = []
    first = list(clex_tables.table(small[1].name, heard.append))
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert len(clex_tables._played) == small[1].draws
    mean_rounds = next(cell for cell in first if cell.column == "mean rounds")
    assert mean_rounds.low < mean_rounds.ours < mean_rounds.high
    again = []
    assert list(clex_tables.table(small[1].name, again.append)) == first
    assert len(again) == small[1].draws
