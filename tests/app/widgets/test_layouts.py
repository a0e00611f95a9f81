"""Layouts filled in one call: parts are in their order, with the requested space."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.widgets.layouts import STRETCH, ScrollArea, column, row


def fixed(width=40, height=20):
    widget = QWidget()
    widget.setFixedSize(width, height)
    return widget


@pytest.fixture
def owner(show):
    def make(fill, *parts, **room):
        widget = QWidget()
        fill(*parts, of=widget, **room)
        return show(widget, 300, 200)

    return make


def test_row_keeps_margins_spacing_and_free_pixels(owner):
    first, second, third = fixed(), fixed(), fixed()
    _held = owner(row, first, 10, second, STRETCH, third, margins=(5, 0, 7, 0), spacing=4)
    assert (first.x(), second.x()) == (5, 5 + 40 + 10 + 4)
    assert third.geometry().right() == 300 - 7 - 1


def test_column_distributes_spare_room_by_stretch_and_accepts_layouts(owner):
    above, left, right, wide = fixed(), fixed(), fixed(), QWidget()
    _held = owner(column, above, row(left, right, spacing=2), (wide, 1), spacing=6)
    assert (above.y(), left.y(), right.y()) == (0, 26, 26)
    assert right.x() - left.x() >= 42
    assert (wide.y(), wide.height()) == (52, 148)


def test_the_content_is_as_wide_without_a_scroll_bar_as_with_it(show, qtbot):
    content = QWidget()
    area = show(ScrollArea(content), 200, 100)
    bar = area.verticalScrollBar()
    room = 200 - bar.sizeHint().width()
    for height in (50, 500, 50):
        content.setMinimumHeight(height)
        qtbot.waitUntil(lambda high=height > 100: (bar.maximum() > 0) == high and content.width() == room)


def test_content_that_fits_only_without_a_scroll_bar_scrolls(show, qtbot):
    content = QWidget()
    area = ScrollArea(content)
    room = 200 - area.verticalScrollBar().sizeHint().width()
    content.minimumSizeHint = lambda: QSize(100, 90 if content.width() > room else 150)
    show(area, 200, 100)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 50 and content.width() == room)
