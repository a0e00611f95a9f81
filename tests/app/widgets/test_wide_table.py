"""A table of many columns: as wide as their texts up to a limit, and growing without a jump."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.array_table import Column
from app.widgets.wide_table import WideTable, level

MAX_PX = 200


def columns(*names):
    numbers = list(range(len(names)))
    return [Column("k", "", numbers, str), Column("name", "", names, str, number=False, elides=True)]


@pytest.fixture
def table(shown):
    table = shown(WideTable(MAX_PX), 300, 200)
    table.set_columns(columns("a", "b"))
    return table


def test_columns_are_as_wide_as_their_texts_up_to_the_limit(table):
    narrow = table.columnWidth(1)
    table.grow_columns(columns("a", "b", "a longer name"))
    wide = table.columnWidth(1)
    assert narrow < wide < MAX_PX
    table.grow_columns(columns("a", "b", "a longer name", "x" * 500))
    assert wide < table.columnWidth(1) <= 300 - table.columnWidth(0)
    table.set_columns([*columns("x" * 500), Column("other", "", ["y" * 500], str, number=False, elides=True)])
    assert MAX_PX <= table.columnWidth(1) == table.columnWidth(2) < MAX_PX + 40
    table.set_columns(columns("a", "b"))
    assert table.columnWidth(1) == narrow


def test_added_rows_keep_the_selection(table):
    table.setCurrentIndex(table.view_index(1))
    table.grow_columns(columns("a", "b", "c"))
    assert table.sorted.rowCount() == 3
    assert table.source_row(table.currentIndex()) == 1
    assert table.sorted.index(2, 1).data() == "c"


def test_fewer_rows_or_other_columns_replace_the_table(table):
    table.grow_columns(columns("c"))
    assert [table.sorted.index(k, 1).data() for k in range(table.sorted.rowCount())] == ["c"]
    table.grow_columns([Column("other", "", [1.0, 2.0], str)])
    assert (table.sorted.columnCount(), table.sorted.rowCount()) == (1, 2)


def test_elided_texts_get_the_remaining_width(table):
    table.set_columns(columns("x" * 500, "y"))
    cut = table.columnWidth(1)
    table.resize(900, 200)
    assert cut < table.columnWidth(1) <= 900 - table.columnWidth(0)
    assert table.columnWidth(0) + table.columnWidth(1) > 800
    table.resize(300, 200)
    assert table.columnWidth(1) == cut


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(0, 300))
def test_remaining_width_is_shared_up_to_one_level(needed, room):
    limit = level(needed, room)

    def taken(most):
        return sum(min(width, most) for width in needed)

    assert taken(limit) <= room
    assert limit == max(needed) or taken(limit + 1) > room
