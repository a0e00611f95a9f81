"""The base of views with one heatmap: labels left and above, a readout line below, a legend in pictures."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.changes import COLOURS, ChangeSet
from app.model.places import target_of_item
from app.model.pointing import Item
from app.session.session import Session
from app.style.colour import lookup_table
from app.style.theme import Theme
from app.views.drawing import (
    SMALL,
    TextRun,
    at_least,
    draw_message,
    draw_runs,
    frame_pen,
    quiet,
    scaled_font,
    translucent,
)
from app.views.heatmaps.heatmap import Heatmap
from app.views.heatmaps.surface import Surface
from app.views.legend import LEGEND_HEIGHT, LEGEND_WIDTH, arrow, diamond, paint_legend
from app.views.view import View
from core.load.evaluate import TOLERANCE
from core.load.phases import Loads
from core.load.scenario import Case

EDGE = 8
"""Pixels around everything."""
LEGEND_GAP = 6
"""Pixels above the legend and below it."""
GAP_CELL = 6
"""Minimum width of cells separated by gaps."""
CURSOR_PX = 11
"""Minimum width of the keyboard cursor."""
MARK_CELL = 7
"""Minimum width of cells with the legend's diamond for a bottleneck."""
MAX_SIGNS = 1500
"""Maximum number of cells with a sign: the cells that differ most."""
CONTENT = COLOURS | ChangeSet.MAPPING


class HeatmapView(View):
    """Shows one heatmap. Subclasses provide its values, labels and the items of cells."""

    content = CONTENT
    """Changes that require new cell values."""
    arrow_keys: ClassVar[bool] = True
    """Whether the heatmap takes the focus, and arrow keys select cells as clicks do."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.obstructed = ""
        """Why nothing can be shown; empty if it can."""
        self._heading = ""
        self.for_file = False
        """Whether a picture is being drawn, without pointer and cursor."""
        self._size = QSizeF()
        self._line = QRectF()
        self.gap_alpha = 255
        """Opacity of the gaps between cells, 0 to 255."""
        self.bottlenecks = np.zeros((0, 2), np.intp)
        """(n, 2) row and column of the cells with a bottleneck link."""
        self.surface = Surface(self._arrange, self._draw, self)
        self.heat = Heatmap()
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addWidget(self.surface, 1)
        self.surface.moved.connect(self._on_pointer_moved)
        self.surface.pressed.connect(self._on_pointer_pressed)
        self.surface.taken.connect(self._on_pointer_taken)
        self.surface.left.connect(self._on_pointer_left)
        self.surface.setAccessibleName(self.title)
        self._cell = (0, 0)
        """The cell of the arrow keys."""
        if self.arrow_keys:
            self.surface.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.surface.stepped.connect(self._on_stepped)

    def obstacle(self) -> str:
        """Return the message why the case cannot be shown; empty if it can."""
        return ""

    @abstractmethod
    def load(self, changes: ChangeSet) -> None:
        """Set the values of the heatmap."""

    @abstractmethod
    def subtitle(self) -> str:
        """Return the dim line next to the title."""

    @abstractmethod
    def item_at(self, where: QPointF) -> Item | None:
        """Return the item at a point of the surface."""

    @abstractmethod
    def readout(self) -> tuple[TextRun, ...]:
        """Return the line below the heatmap."""

    @abstractmethod
    def draw_over(self, painter: QPainter) -> None:
        """Draw labels, lines and outlines over the heatmap."""

    def shows_loads(self) -> bool:
        """Return whether colours represent loads, and pictures need the legend."""
        return True

    def label_room(self, metrics: QFontMetricsF) -> tuple[float, float]:
        """Return the width and height of labels left of and above the heatmap, pixels."""
        return 0.0, 0.0

    def mark_bottlenecks(self, relative: Loads) -> None:
        """Set the bottleneck cells, given the utilisations ``(rows, cols)``."""
        top = 0.0 if self.state.shading.signed else self.state.bottleneck_load
        hot = (relative >= top * (1 - TOLERANCE)) & (relative <= top * (1 + TOLERANCE))
        self.bottlenecks = np.argwhere(hot) if top > 0 else np.zeros((0, 2), np.intp)

    @property
    def theme(self) -> Theme:
        """Return the theme."""
        return self.state.style.theme

    @property
    def case(self) -> Case:
        """Return the case shown."""
        return self.state.evaluation.case

    def refresh(self, changes: ChangeSet) -> None:
        """Update values, layout or marks, as the changes require."""
        if ChangeSet.STYLE in changes:
            self.surface.set_background(self.theme.panel)
            table = lookup_table(self.state.shading.map, self.theme.dark)
            self.heat.set_look(table, quiet(self.theme), QColor(self.theme.beyond))
        if changes & self.content or self.obstructed:
            self.obstructed = self.obstacle()
            if not self.obstructed:
                self.load(changes)
            self._set_subtitle("" if self.obstructed else self.subtitle())
            self.surface.arrange()
        self.heat.set_visible(not self.obstructed)
        self.surface.update()

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw heatmap, labels, title and legend into a rectangle."""
        self.catch_up()
        self.for_file = True
        try:
            self.surface.paint_to(painter, area)
        finally:
            self.for_file = False
            self.surface.arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again for another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.surface.arrange()

    def heading(self) -> str:
        """Return the title of a picture."""
        return self.title

    def _set_subtitle(self, text: str) -> None:
        self._heading = text
        self.subtitle_changed.emit(text)

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(scaled_font(self.font(), SMALL))

    def _arrange(self, size: QSizeF) -> None:
        self._size = QSizeF(size)
        line = self._metrics().height() + 4
        left, above = self.label_room(self._metrics())
        area = QRectF(EDGE, EDGE / 2, size.width() - 2 * EDGE, size.height() - EDGE)
        top = self._head_height() if self.for_file else 0.0
        bottom = line + (
            (LEGEND_HEIGHT + LEGEND_GAP) * self.theme.scale if self.for_file and self.shows_loads() else 0.0
        )
        self.heat.place(area.adjusted(left, above + top, 0, -bottom))
        self._line = QRectF(area.left(), self.heat.rect.bottom() + 3, area.width(), line)

    def _head_height(self) -> float:
        return QFontMetricsF(self.font()).height() + 8

    def _draw(self, painter: QPainter) -> None:
        if self.obstructed:
            draw_message(painter, QRectF(QPointF(), self._size), self.obstructed, self.theme.dim, self.font())
            return
        self.heat.draw(painter)
        self._draw_gaps(painter)
        self._draw_bottlenecks(painter)
        self._draw_signs(painter)
        painter.setFont(scaled_font(self.font(), SMALL))
        self.draw_over(painter)
        if self.surface.hasFocus() and not self.for_file:
            self._draw_focus(painter)
        draw_runs(painter, self._line, self.readout(), scaled_font(self.font(), SMALL))
        if self.for_file:
            self._draw_for_file(painter)
        else:
            self._draw_legend(painter, self._legend_corner())

    def _legend_corner(self) -> QPointF | None:
        """Return where the legend has room in the window: below the readout, or right of the heatmap."""
        zoom, size = self.theme.scale, self._size
        width, height = LEGEND_WIDTH * zoom, LEGEND_HEIGHT * zoom
        if size.height() - self._line.bottom() >= height + LEGEND_GAP:
            return QPointF(EDGE, self._line.bottom() + 4)
        left = size.width() - EDGE - width
        return QPointF(left, self.heat.rect.bottom() - height) if left > self.heat.rect.right() + 2 * EDGE else None

    def _draw_legend(self, painter: QPainter, corner: QPointF | None) -> None:
        if corner is None or not self.shows_loads():
            return
        zoom = self.theme.scale
        width = min(LEGEND_WIDTH, self._line.width() / zoom)
        painter.save()
        painter.translate(corner)
        painter.scale(zoom, zoom)
        paint_legend(painter, QRectF(0, 0, width, LEGEND_HEIGHT), self.state)
        painter.restore()

    def _draw_for_file(self, painter: QPainter) -> None:
        head = QRectF(EDGE, EDGE / 2, self._line.width(), self._head_height() - 8)
        runs = (TextRun(self.heading() + "   ", self.theme.text), TextRun(self._heading, self.theme.dim))
        draw_runs(painter, head, runs, self.font())
        self._draw_legend(painter, QPointF(EDGE, self._line.bottom() + 4))

    def _draw_focus(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(frame_pen(self.theme.accent, self.theme.scale))
        painter.drawRect(self.heat.rect.adjusted(-2.5, -2.5, 1.5, 1.5))
        if self.arrow_keys:
            painter.drawRect(at_least(self.heat.cell_rect(*self._cell), CURSOR_PX * self.theme.scale))

    def _draw_gaps(self, painter: QPainter) -> None:
        (rows, cols), (width, height), rect = self.heat.shape, self.heat.cell, self.heat.rect
        if min(width, height) < GAP_CELL:
            return
        # Filled, not stroked, at the right and lower edge of each cell: sharp on every device.
        colour = translucent(self.theme.panel, self.gap_alpha)
        for row in range(1, rows):
            painter.fillRect(QRectF(rect.left(), rect.top() + row * height - 1, rect.width(), 1), colour)
        for col in range(1, cols):
            painter.fillRect(QRectF(rect.left() + col * width - 1, rect.top(), 1, rect.height()), colour)

    def _draw_bottlenecks(self, painter: QPainter) -> None:
        side = min(self.heat.cell)
        if side < MARK_CELL or not self.shows_loads():
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        # In both themes the hottest colour has the most contrast with the panel's.
        painter.setBrush(QColor(self.theme.panel))
        for row, col in self.bottlenecks.tolist():
            middle = self.heat.cell_rect(row, col).center()
            diamond(painter, middle.x() - 0.5, middle.y() - 0.5, min(0.3 * side, 4.5 * self.theme.scale))
        painter.restore()

    def _draw_signs(self, painter: QPainter) -> None:
        """Draw signs, independent of colour, on cells beyond the scale, and on increases and decreases."""
        side = min(self.heat.cell)
        if side < MARK_CELL or not self.shows_loads():
            return
        reach = min(0.26 * side, 4.0 * self.theme.scale)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.panel))
        for row, col in self.heat.beyond[:MAX_SIGNS].tolist():
            arrow(painter, self.heat.cell_rect(row, col).center(), reach)
        if self.state.shading.signed:
            painter.setPen(QPen(QColor(self.theme.panel), max(reach / 2, 1.2)))
            cells, more = self.heat.signs(MAX_SIGNS)
            for (row, col), above in zip(cells.tolist(), more.tolist(), strict=True):
                middle = self.heat.cell_rect(row, col).center() - QPointF(0.5, 0.5)
                painter.drawLine(middle - QPointF(reach, 0), middle + QPointF(reach, 0))
                if above:
                    painter.drawLine(middle - QPointF(0, reach), middle + QPointF(0, reach))
        painter.restore()

    def _on_pointer_moved(self, where: QPointF) -> None:
        self.session.hover(None if self.obstructed else self.item_at(where))

    def _on_stepped(self, down: int, right: int) -> None:
        (row, col), (rows, cols) = self._cell, self.heat.shape
        self._cell = min(max(row + down, 0), rows - 1), min(max(col + right, 0), cols - 1)
        self._on_pointer_pressed(self.heat.cell_rect(*self._cell).center())
        self.surface.setAccessibleDescription("".join(run.text for run in self.readout()))
        self.surface.update()

    def _on_pointer_pressed(self, where: QPointF) -> None:
        if not self.obstructed:
            self.session.select(self.item_at(where))

    def _on_pointer_taken(self, where: QPointF) -> None:
        target = None if self.obstructed else target_of_item(self.item_at(where), self.state)
        if self.state.edit.tool == "paint" and target is not None:
            self.session.set_target(target)
        else:
            self._on_pointer_pressed(where)

    def _on_pointer_left(self) -> None:
        self.session.hover(None)
