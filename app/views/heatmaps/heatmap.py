"""A matrix or grid as an image of coloured cells: values from 0 to 1 by a table of 256 colours, or categories."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.views.reduce import under_pixels

Bytes = NDArray[np.uint8]

WHOLE_PIXELS = 0.88
"""Cells have integer numbers of pixels if the image then still fills this fraction of the room."""
MIN_SIGN = 0.02
"""Minimum distance from the middle of the scale, relative to its length, of a cell with a sign."""
MAX_STRETCH = 0.3
"""Minimum fraction of the room that a long and narrow grid fills across, with cells that are not square."""


class Heatmap:
    """An image of cells, in pixels.

    A matrix with more cells than pixels shows the largest value under each pixel: a hot cell never vanishes.
    """

    def __init__(self) -> None:
        self._image = QImage()
        # Hidden until it has values, so that the reducing kernel is not loaded unnecessarily.
        self._visible = False
        self._values = np.zeros((1, 1), np.float32)
        self._present = np.zeros((1, 1), np.bool_)
        self._beyond: NDArray[np.bool_] | None = None
        self._middle = 0.0
        self._colours: Bytes | None = None
        self._index = np.full((1, 1), -1, np.int32)
        self._table = np.zeros((256, 4), np.uint8)
        self._quiet = self._loud = np.zeros(4, np.uint8)
        self._area = QRectF()
        self.rect = QRectF()
        """The rectangle of the image."""

    @property
    def shape(self) -> tuple[int, int]:
        """Return rows and columns."""
        rows, cols = (self._index if self._colours is not None else self._values).shape
        return rows, cols

    @property
    def cell(self) -> tuple[float, float]:
        """Return width and height of a cell in pixels."""
        rows, cols = self.shape
        return self.rect.width() / cols, self.rect.height() / rows

    @property
    def beyond(self) -> NDArray[np.intp]:
        """Return row and column of the cells beyond the scale, shape ``(n, 2)``."""
        return np.zeros((0, 2), np.intp) if self._beyond is None else np.argwhere(self._beyond)

    def signs(self, count: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return row and column of the `count` cells farthest from the middle, ``(n, 2)``, and which are above it."""
        away = np.where(self._present, self._values - self._middle, 0.0).ravel()
        order = np.argsort(-np.abs(away), kind="stable")[:count]
        far = order[np.abs(away[order]) >= MIN_SIGN]
        return np.stack(np.unravel_index(far, self._values.shape), axis=1), away[far] > 0

    def set_look(self, table: Bytes, missing: QColor, beyond: QColor) -> None:
        """Set the colours of values, ``(256, 4)``, missing values and those beyond the scale, for values set next."""
        self._table = np.ascontiguousarray(table, np.uint8)
        self._quiet = np.array(missing.getRgb(), np.uint8)
        self._loud = np.array(beyond.getRgb(), np.uint8)

    def set_values(
        self,
        values: ArrayLike,
        present: NDArray[np.bool_] | None = None,
        beyond: NDArray[np.bool_] | None = None,
        middle: float = 0.0,
    ) -> None:
        """Show values from 0 to 1, shape ``(rows, cols)``; values not finite or not present are missing.

        `beyond`: which exceed the scale; `middle`: the neutral value. Of several cells under one pixel, the
        cell farthest from it is shown.
        """
        given = np.ascontiguousarray(values, dtype=np.float32)
        finite = np.isfinite(given)
        self._present = finite if present is None else finite & present
        self._values = np.where(self._present, given, np.float32(middle))
        self._middle = middle
        self._beyond = beyond & self._present if beyond is not None and beyond.any() else None
        self._colours = None
        self._show()

    def set_categories(self, index: NDArray[np.integer], colours: Bytes) -> None:
        """Show in each cell the row `index` of ``colours``, ``(n, 4)``; negative for missing."""
        self._index = np.ascontiguousarray(index, dtype=np.int32)
        self._colours = colours
        self._show()

    def set_visible(self, visible: bool) -> None:
        """Show or hide it."""
        if visible != self._visible:
            self._visible = visible
            self._replace()

    def draw(self, painter: QPainter) -> None:
        """Draw the image into its rectangle."""
        if self._visible:
            painter.drawImage(self.rect, self._image)

    def place(self, area: QRectF) -> None:
        """Place it at the top of an area, centred, with square cells of whole pixels if possible."""
        if area == self._area:
            return
        self._area = QRectF(area)
        self._replace()

    def cell_rect(self, row: float, col: float, rows: float = 1, cols: float = 1) -> QRectF:
        """Return the rectangle of some cells."""
        width, height = self.cell
        return QRectF(self.rect.left() + col * width, self.rect.top() + row * height, cols * width, rows * height)

    def cell_at(self, where: QPointF) -> tuple[int, int] | None:
        """Return row and column of the cell at a point; of several under one pixel the cell that is shown."""
        if not self.rect.contains(where) or self.rect.isEmpty():
            return None
        rows, cols = self.shape
        down = (where.y() - self.rect.top()) / self.rect.height()
        right = (where.x() - self.rect.left()) / self.rect.width()
        if self._colours is not None:
            return min(int(down * rows), rows - 1), min(int(right * cols), cols - 1)
        (top, bottom), (left, end) = (
            _span(edges, part) for edges, part in zip(self._edges(), (down, right), strict=True)
        )
        # Cells with a value have priority over those without.
        block = np.abs(self._values[top:bottom, left:end] - self._middle) + self._present[top:bottom, left:end]
        row, col = np.unravel_index(int(block.argmax()), block.shape)
        return top + int(row), left + int(col)

    def _show(self) -> None:
        self._visible = True
        self._replace()

    def _replace(self) -> None:
        self.rect = grid_rect(self._area, *self.shape)
        if not self.rect.isEmpty() and self._visible:
            self._image = _image(self._seen())

    def _edges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        # First cell of every row and column of image pixels, and the end.
        (rows, cols), rect = self.shape, self.rect
        drawn = max(min(rows, int(rect.height())), 1), max(min(cols, int(rect.width())), 1)
        return np.arange(drawn[0] + 1) * rows // drawn[0], np.arange(drawn[1] + 1) * cols // drawn[1]

    def _seen(self) -> Bytes:
        # (rows, cols, 4) RGBA of the image.
        down, right = self._edges()
        if self._colours is not None:
            index = self._index[np.ix_(down[:-1], right[:-1])]
            # The last row, index -1, is the colour of missing values.
            return np.asarray(np.vstack([self._colours, self._quiet])[np.maximum(index, -1)])
        values = under_pixels(self._values, down, right, self._middle)
        seen: Bytes = np.take(self._table, np.clip(values * 256, 0, 255).astype(np.uint8), axis=0)
        seen[under_pixels(self._present, down, right, 0.0) == 0] = self._quiet
        if self._beyond is not None:
            seen[under_pixels(self._beyond, down, right, 0.0) != 0] = self._loud
        return seen


def _image(colours: Bytes) -> QImage:
    # Converts RGBA pixels, shape (rows, cols, 4), to the format that is drawn fastest, and copies the buffer.
    rows, cols, _ = colours.shape
    given = QImage(np.ascontiguousarray(colours).data, cols, rows, 4 * cols, QImage.Format.Format_RGBA8888)
    return given.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def grid_rect(area: QRectF, rows: int, cols: int) -> QRectF:
    """Return the rectangle of a grid of square cells in an area, at its top, centred, on whole pixels."""
    if area.width() < 1 or area.height() < 1:
        return QRectF()
    across, down = area.width() / cols, area.height() / rows
    side = min(across, down)
    if side >= 1 and int(side) >= WHOLE_PIXELS * side:
        side = float(int(side))
    width = int(max(side, min(across, MAX_STRETCH * area.width() / cols)) * cols)
    height = int(max(side, min(down, MAX_STRETCH * area.height() / rows)) * rows)
    left = round(area.left() + (area.width() - width) / 2)
    return QRectF(left, round(area.top()), max(width, 1), max(height, 1))


def _span(edges: NDArray[np.intp], part: float) -> tuple[int, int]:
    place = min(int(part * (edges.size - 1)), edges.size - 2)
    return int(edges[place]), int(edges[place + 1])
