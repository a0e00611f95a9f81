"""Statements of the paper on PERCS outside its tables: colouring, formulas, and the counting of cases."""

from collections import Counter
from itertools import product

import pytest
from numpy import array

from core.papers.papers import paper
from core.papers.percs_statements import PRINTED, Found, adjacent_colours, leaving, orders
from core.papers.percs_tables import TABLES
from core.spec import no_progress


def cells(table):
    (chosen,) = paper("percs").chosen([table])
    return {cell.row: cell for cell in chosen.cells(no_progress)}


def test_the_colouring_of_figure_2_is_perfect_except_for_a_misprint():
    by_place = cells("figure-2")
    assert [row for row, cell in by_place.items() if not cell.agrees] == ["row 7: blocks of the colour printed"]
    assert by_place["colours with neighbours all different"].ours == 32


def test_neighbours_of_a_colour_are_next_to_its_blocks_on_all_four_sides():
    beside = adjacent_colours(array([[0, 1, 2], [3, 0, 4]]))
    assert Counter(beside[0]) == Counter([1, 2, 3, 3, 1, 1, 3, 4])
    assert Counter(beside[4]) == Counter([0, 3, 2, 2])


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 2), (4, 8), (8, 16), (16, 8), (1, 64)])
def test_leaving_units_are_the_units_across_the_sides_of_the_blocks(rows, cols):
    # The grid is closed: a block as long as the grid has no ends.
    sides = (2 * cols if rows < 64 else 0) + (2 * rows if cols < 64 else 0)
    assert leaving(rows, cols) == pytest.approx(128 / (rows * cols) * sides / 4)


def test_all_formulas_match_the_evaluation():
    by_place = cells("formulas")
    assert len(by_place) == 3 + 4 * 5 + 3
    assert all(cell.agrees for cell in by_place.values())


def test_statements_are_counted_on_the_printed_tables():
    printed = []
    for table in TABLES:
        figures = {}
        for value, column in product(table.rows, table.columns):
            figure = PRINTED[str(table.number), f"{table.row_name} = {value}", column]
            figures[value, column] = Found(figure.value, figure.bottleneck)
        printed.append(figures)
    halo, by_size, indirect, transpose = printed
    for value in (1, 2, 4, 8, 16):
        halo[value, "NODE SEQ"] = halo[value, "NODE RND"] = Found(halo[value, "DEF"].gbs + 1, "D")
    shifted = {key: Found(figure.gbs, "D") for key, figure in indirect.items()}
    by_place = {cell.row: cell for cell in orders(halo, by_size, indirect, transpose, shifted)}
    assert {row for row, cell in by_place.items() if not cell.agrees} == {
        "Table 1: MOD CLR before all others",
        "Table 3 before Table 1: indirect routing before direct",
    }
    assert by_place["Table 1: MOD CLR before all others"].note.startswith("except MOD CLR and SN SEQ at 16")
    assert by_place["Table 3 before Table 1: indirect routing before direct"].note.startswith(
        "except DRW RND at nd = 16"
    )
    assert by_place["Table 3, nd >= 4: another bottleneck without the middle L-hop"].printed == 13
    assert by_place["node blocks before DEF"].ours == 10
    transpose[4, "HYBRID"] = Found(79.0, "D")
    (last,) = list(orders(halo, by_size, indirect, transpose, shifted))[-1:]
    assert (last.ours, last.printed, last.note) == (4, 5, "except nd = 4")
