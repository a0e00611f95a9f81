"""Figures printed in papers are data, with their places, and each has a computed counterpart."""

import ast
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

import resources
from core import papers
from core.papers.papers import PAPERS
from core.papers.printed_figures import PrintedFigure, PrintedFigures, printed_figures
from tests.core.papers.golden_tables import GOLDEN

LINES = [(name, line) for name in PAPERS for line in printed_figures(name).figures]
FIGURES = PrintedFigures(
    [
        PrintedFigure("1", "row", "hops", "13.69", "Table 1"),
        PrintedFigure("1", "row", "ratio", "22/18", "section 2", "of cables"),
        PrintedFigure("2", "row", "nodes", "3 1 4 1", "Figure 2"),
    ]
)


def test_each_paper_has_a_file_and_only_mappings_of_percs_are_there_too():
    names = {entry.name for entry in (files(resources) / "papers").iterdir()}
    assert names == {f"{name}.csv" for name in PAPERS} | {"percs"}


def test_every_printed_figure_has_a_cell_and_a_source():
    ours = {
        (name, table, *cell[:2]) for name, tables in GOLDEN.items() for table, cells in tables.items() for cell in cells
    }
    count = Counter((name, line.table, line.row, line.column) for name, line in LINES)
    assert not count.keys() - ours, "no cell has this table, row and column"
    assert set(count.values()) == {1}, "each figure is printed once"
    assert all(line.where and line.values for _, line in LINES)


def test_printed_values_are_numbers_fractions_or_counted_lists():
    assert [FIGURES.value("1", "row", column) for column in ("hops", "ratio", "nodes")] == [13.69, 22 / 18, None]
    assert (FIGURES["2", "row", "nodes"].values, FIGURES.value("2", "row", "nodes")) == ((3, 1, 4, 1), 4)


def test_a_cell_has_the_printed_figure_and_can_cite_it():
    shown = FIGURES.cell("1", "row", "hops", 13.688, "why")
    assert (shown.printed, shown.agrees, shown.note) == (13.69, True, "why")
    assert FIGURES.cell("1", "other row", "hops", 2.0, bounds=(1, 3)).printed is None
    assert FIGURES.cited_cell("1", "row", "ratio", 2.0, "ours has more").note == "section 2: of cables; ours has more"
    assert FIGURES.cited_cell("2", "row", "nodes", 4).note == "Figure 2"
    with pytest.raises(KeyError):
        FIGURES.cited_cell("1", "other row", "hops", 2.0)


def literals(call):
    """Return the numbers in code that replace a printed figure; 0 and 1 are statements: none, not at all, yes."""
    given = [*call.args[4:5], *(argument.value for argument in call.keywords if argument.arg == "printed")]
    return [
        argument.value
        for argument in given
        if isinstance(argument, ast.Constant) and argument.value not in (None, 0, 1)
    ]


def test_no_printed_figure_is_written_in_code():
    calls = [
        (path.name, node)
        for path in Path(papers.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("cell", "drawn_cell", "of_draws", "Cell")
    ]
    assert len(calls) > 30
    assert not [(name, node.lineno) for name, node in calls if literals(node)], "put it into resources/papers"
