"""Marks of tools on the task grid: selected tasks, the rubber band, the brush and the keyboard's cursor."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter

from app.style.theme import Theme
from app.views.drawing import at_least, frame_pen, lines_path, translucent
from app.views.heatmaps.heatmap import Heatmap
from app.views.heatmaps.regions import Lines, outline

TINT = 70
"""Opacity of the text colour over marked cells, 0 to 255."""
HATCH = 170
"""Opacity of the hatching of marked cells, 0 to 255."""
CURSOR_PX = 11
"""Minimum size of the cursor, so that it is visible if cells are single pixels."""
Place = tuple[float, float]


class GridMarks:
    """Drawn over a heatmap of tasks."""

    def __init__(self, heat: Heatmap) -> None:
        self._heat = heat
        self._mask = np.zeros((0, 0), np.bool_)
        self._lines: Lines | None = None
        self._tint = QImage()
        self._look: object = None
        """The theme and size for which the tint was made."""
        self.band: tuple[Place, Place] | None = None
        """Two corners of the rubber band, in cells."""
        self.pointer: Place | None = None
        """The middle of the brush."""
        self.cursor: tuple[int, int] | None = None
        """Cell of the keyboard cursor, while it is in use."""

    def set_marked(self, mask: NDArray[np.bool_]) -> None:
        """Mark cells, shape ``(rows, cols)``."""
        self._mask, self._look = mask, None
        self._lines = outline(mask) if mask.any() else None

    def draw_marked(self, painter: QPainter, theme: Theme, *, hatched: bool) -> None:
        """Draw the marked cells: tinted, inside a dashed line that is visible on every colour.

        `hatched`: instead of a tint, which would change colours that mean loads.
        """
        if self._lines is None:
            return
        look = theme.text, hatched, self._heat.rect.size().toTuple()
        if self._look != look:
            self._look = look
            self._tint = tinted(self._mask, QColor(theme.text), HATCH if hatched else TINT)
            if hatched:
                self._tint = hatching(self._tint, QColor(theme.panel), self._heat.rect)
        painter.drawImage(self._heat.rect, self._tint)
        path = lines_path(self._lines, self._heat.rect, self._heat.cell)
        painter.setPen(frame_pen(theme.panel, 2 * theme.scale))
        painter.drawPath(path)
        painter.setPen(frame_pen(theme.text, 2 * theme.scale, dashed=True))
        painter.drawPath(path)

    def draw_band(self, painter: QPainter, theme: Theme) -> None:
        """Draw the rubber band."""
        if self.band is None:
            return
        (top, left), (bottom, right) = self.band
        rect = self._heat.cell_rect(top, left, bottom - top, right - left).normalized()
        painter.fillRect(rect, translucent(theme.accent, 40))
        painter.setPen(frame_pen(theme.accent, theme.scale))
        painter.drawRect(at_least(rect, 1))

    def draw_brush(self, painter: QPainter, theme: Theme, size: int, colour: QColor | None) -> None:
        """Draw the outline of the brush, filled with the target's colour."""
        if self.pointer is None:
            return
        row, col = (np.floor(np.asarray(self.pointer) - (size - 1) / 2)).astype(int).tolist()
        rows, cols = self._heat.shape
        top, left = max(row, 0), max(col, 0)
        height, width = min(row + size, rows) - top, min(col + size, cols) - left
        if height <= 0 or width <= 0:
            return
        rect = at_least(self._heat.cell_rect(top, left, height, width), CURSOR_PX if colour is None else 4)
        if colour is not None:
            painter.fillRect(rect, translucent(colour, 190))
        _frame(painter, rect, theme.text, theme.panel)

    def draw_cursor(self, painter: QPainter, theme: Theme) -> None:
        """Draw the keyboard's cursor."""
        if self.cursor is not None:
            _frame(painter, at_least(self._heat.cell_rect(*self.cursor), CURSOR_PX), theme.accent, theme.panel)


def _frame(painter: QPainter, rect: QRectF, colour: str, halo: str) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(frame_pen(halo, 4))
    painter.drawRect(rect)
    painter.setPen(frame_pen(colour, 2))
    painter.drawRect(rect)


def tinted(mask: NDArray[np.bool_], colour: QColor, opacity: int = TINT) -> QImage:
    """Return an image with one pixel for each cell, in a translucent colour where the mask is set."""
    layer = np.zeros((*mask.shape, 4), np.uint8)
    layer[mask] = (colour.red(), colour.green(), colour.blue(), opacity)
    rows, cols = mask.shape
    return QImage(layer.tobytes(), cols, rows, 4 * cols, QImage.Format.Format_RGBA8888).copy()


def hatching(cells: QImage, colour: QColor, rect: QRectF) -> QImage:
    """Return an image of the size of `rect` with diagonal lines where `cells` is coloured."""
    layer = QImage(rect.size().toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    layer.fill(Qt.GlobalColor.transparent)
    painter = QPainter(layer)
    painter.fillRect(layer.rect(), QBrush(colour, Qt.BrushStyle.BDiagPattern))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    painter.drawImage(layer.rect(), cells)
    painter.end()
    return layer
