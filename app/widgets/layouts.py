"""Layouts of widgets in rows and columns, by one call each."""

from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QScrollBar,
    QSpacerItem,
    QVBoxLayout,
    QWidget,
)

from app.widgets.painting import reported_once

UNLIMITED_PX = (1 << 24) - 1
"""Qt's QWIDGETSIZE_MAX: no limit of width or height."""
LAYOUT_PASSES = 6
"""More than the passes of any window: a pass without requests takes no time."""
STRETCH = None
"""Takes the remaining room."""
LayoutPart = QWidget | QLayout | int | tuple[Any, ...] | None
"""A widget or layout, alone or with its stretch and alignment; a number of free pixels; or `STRETCH`."""
Margins = tuple[int, int, int, int]
"""Pixels at the left, top, right and bottom."""
AnyLayout = TypeVar("AnyLayout", bound=QBoxLayout)


def lay_out() -> None:
    """Lay out all widgets now, so that the first frame shows the final layout."""
    for _ in range(LAYOUT_PASSES):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def column(
    *parts: LayoutPart, of: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = -1
) -> QVBoxLayout:
    """Return a column of parts: the layout `of` a widget, or one to nest, which inherits its spacing."""
    return _filled(QVBoxLayout(), of, parts, margins, spacing)


def row(
    *parts: LayoutPart, of: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = -1
) -> QHBoxLayout:
    """Return a row of parts, as `column` does."""
    return _filled(QHBoxLayout(), of, parts, margins, spacing)


def _filled(
    layout: AnyLayout, owner: QWidget | None, parts: tuple[LayoutPart, ...], margins: Margins, spacing: int
) -> AnyLayout:
    if owner is not None:
        owner.setLayout(layout)
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        item, *place = part if isinstance(part, tuple) else (part,)
        if isinstance(item, QWidget):
            layout.addWidget(item, *place)
        elif isinstance(item, QLayout):
            layout.addLayout(item, *place)
        elif item is STRETCH:
            layout.addStretch(1)
        else:
            layout.addSpacing(item)
    return layout


def strut(column: QBoxLayout, width: int) -> QSpacerItem:
    """Keep a column at least this wide; unlike a minimum width this respects wider contents."""
    spacer = QSpacerItem(width, 0)
    column.addItem(spacer)
    return spacer


class SpareScrollBar(QScrollBar):
    """A scroll bar that keeps its room, empty, when there is nothing to scroll."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar if it can move."""
        with reported_once(self):
            if self.maximum() > self.minimum():
                super().paintEvent(event)


class ScrollArea(QScrollArea):
    """A scroll area with the width of its content, which scrolls sideways only if there is less room."""

    def __init__(self, content: QWidget, least: int = 0) -> None:
        super().__init__()
        self._content, self._least, self._asked = content, least, 0
        # The content has the same width with and without a scroll bar, or its texts would wrap and its parts move.
        self.setVerticalScrollBar(SpareScrollBar())
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Tab moves between the fields, and the area follows; it shows no focus itself.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        """Return the preferred width of the content, with room for the scroll bar."""
        return QSize(self._content.sizeHint().width() + self._beside, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the minimum width of the content, with room for the scroll bar, at most `least`."""
        width = self._content.minimumSizeHint().width() + self._beside
        return QSize(min(width, self._least) if self._least else width, super().minimumSizeHint().height())

    @property
    def _beside(self) -> int:
        return self.verticalScrollBar().sizeHint().width()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the geometry when the content needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            asked = self.sizeHint().width()
            if asked != self._asked:
                self._asked = asked
                self.updateGeometry()
        return super().eventFilter(watched, event)


def scroll_area(content: QWidget) -> ScrollArea:
    """Return an area that scrolls vertically only: it is never narrower than its content."""
    area = ScrollArea(content)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
