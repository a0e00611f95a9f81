"""A table over arrays: a sound model, sorted by clicks, numbers never shortened."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.widgets.array_table import ArrayTable, Column

NAMES = ["short", "a rather long name that cannot fit", "mid"]
LOADS = [0.5, 100.0, 20.0]


def columns(names=NAMES, loads=LOADS):
    return (
        Column("name", "Who", names, str, number=False, elides=True),
        Column("load", "How much", loads, lambda value: f"{value:.4f}"),
    )


@pytest.fixture
def table(show):
    return show(ArrayTable(columns()), 160, 140)


def texts(table, column=0):
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def click_head(table, column):
    head = table.horizontalHeader()
    QTest.mouseClick(
        head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(head.sectionViewportPosition(column) + 4, 6)
    )


def test_model_passes_the_checks_of_qt(qtmodeltester, table):
    qtmodeltester.check(table.source)


def test_sorted_model_passes_the_checks_of_qt(qtmodeltester, table):
    click_head(table, 1)
    qtmodeltester.check(table.sorted)


def test_empty_model_passes_the_checks_of_qt(qtmodeltester, table):
    table.set_columns(columns([], []))
    qtmodeltester.check(table.source)
    assert table.source.rowCount() == 0


def test_click_on_a_head_sorts_by_value_not_by_text_and_a_third_click_restores(table):
    assert texts(table) == NAMES
    click_head(table, 1)
    assert texts(table, 1) == ["0.5000", "20.0000", "100.0000"]
    click_head(table, 1)
    assert texts(table, 1) == ["100.0000", "20.0000", "0.5000"]
    click_head(table, 1)
    assert texts(table) == NAMES


def test_sort_order_stays_with_other_values(table):
    click_head(table, 1)
    table.set_columns(columns(["x", "y"], [2.0, 1.0]))
    assert texts(table) == ["y", "x"]


def test_rows_are_mapped_in_both_directions_when_sorted(table):
    click_head(table, 1)
    assert [table.source_row(table.view_index(row)) for row in range(3)] == [0, 1, 2]
    assert table.view_index(1).row() == 2


def test_numbers_have_their_width_and_names_the_remaining_width(table):
    for column in (0, 1):
        click_head(table, column)
        widest = max(table.fontMetrics().horizontalAdvance(text) for text in texts(table, 1))
        assert table.columnWidth(1) > widest
        assert table.columnWidth(0) + table.columnWidth(1) <= table.viewport().width()
    assert table.columnWidth(0) > 30


def test_numbers_move_apart_once_names_are_shown_in_full(table):
    plain = table.columnWidth(1)
    longest = table.fontMetrics().horizontalAdvance(max(NAMES, key=len))
    for width in range(160, 500, 20):
        table.resize(width, 140)
        assert table.columnWidth(1) == plain or table.columnWidth(0) > longest
        assert table.columnWidth(0) + table.columnWidth(1) <= table.viewport().width()
    assert table.columnWidth(1) > plain


def test_heads_and_names_have_tool_tips(table):
    model = table.model()
    tip = Qt.ItemDataRole.ToolTipRole
    assert model.headerData(1, Qt.Orientation.Horizontal, tip) == "How much"
    assert model.index(1, 0).data(tip) == NAMES[1]
    assert model.index(1, 1).data(tip) is None


def test_column_is_wide_enough_for_later_values(table):
    table.set_columns(columns(["a"] * 200, [1.0] * 150 + [123456.7] * 50))
    assert table.columnWidth(1) >= table.fontMetrics().horizontalAdvance("123456.7000")


def test_spare_column_is_hidden_if_not_all_fit(show):
    def spelt(value):
        return f"{value:.14f}"

    name, load = columns()
    extra = (Column("spare", "Also", LOADS, spelt, spare=True), Column("more", "And", LOADS, spelt))
    table = show(ArrayTable((name, *extra, load)), 300, 140)
    assert table.isColumnHidden(1)
    assert table.horizontalScrollBar().maximum() == 0
    table.resize(600, 140)
    assert not table.isColumnHidden(1)
