"""Any number of points, each with a symbol: copied from pixmaps on screens, drawn as shapes in files."""

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPixmap
from shiboken6 import Shiboken

from app.views.charts.kit.area import Area
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.look import Look
from app.views.drawing import polygon

RADIUS = 4.5
"""Radius of a circle, to the middle of its rim."""
RIM = 1.4
"""Width of the rim, which separates points that overlap."""
REACH = RADIUS + RIM / 2
"""Unit of the corners of other shapes."""
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)),
    ((0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)),
    ((0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)),
    ((0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)),
)
"""Corners: none for a circle, square, triangle, diamond, triangle upside down."""
SIDE = 2 * ceil(1.35 * REACH + RIM)
"""Width of a symbol's pixmap at scale 1."""

Places = NDArray[np.float64]


class Symbol(NamedTuple):
    """The look of a point."""

    colour: str
    """As #rrggbb."""
    shape: int = 0
    """Index in `SHAPES`."""


def draw_symbol(painter: QPainter, symbol: Symbol, at: QPointF, look: Look) -> None:
    """Draw a symbol around a point."""
    scale = look.theme.scale
    painter.setPen(look.pen(look.theme.panel, RIM))
    painter.setBrush(QColor(symbol.colour))
    if corners := SHAPES[symbol.shape]:
        painter.drawPolygon(polygon((at.x() + x * REACH * scale, at.y() + y * REACH * scale) for x, y in corners))
    else:
        painter.drawEllipse(at, RADIUS * scale, RADIUS * scale)


class Symbols(Drawing):
    """Points with symbols; those whose middle is outside the area are not drawn."""

    def __init__(self, area: Area, *, z: float = 0.0) -> None:
        super().__init__(area, z=z)
        self._x: Places = np.empty(0)
        self._y: Places = np.empty(0)
        self._kinds: NDArray[np.intp] = np.empty(0, np.intp)
        self.symbols: tuple[Symbol, ...] = ()
        """The distinct symbols."""
        self._atlas: tuple[Any, QPixmap] | None = None
        """Key of the cached pixmap of all symbols, and the pixmap."""

    def show_points(self, x: Places, y: Places, kinds: NDArray[np.intp], symbols: Sequence[Symbol]) -> None:
        """Show other points, in values, each with the symbol of its number in `kinds`; later ones lie on top."""
        self._x, self._y, self._kinds, self.symbols = x, y, kinds, tuple(symbols)
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw the points that are in the area."""
        x, y = np.asarray(self.area.x_of(self._x)), np.asarray(self.area.y_of(self._y))
        size = self.area.rect()
        seen = np.flatnonzero((x >= -0.5) & (x <= size.width() + 0.5) & (y >= -0.5) & (y <= size.height() + 0.5))
        if not seen.size:
            return
        x, y, kinds = x[seen], y[seen], self._kinds[seen]
        if painter.paintEngine().type() == QPaintEngine.Type.Raster:
            self._copy(painter, x, y, kinds)
            return
        for left, top, kind in zip(x.tolist(), y.tolist(), kinds.tolist(), strict=True):
            draw_symbol(painter, self.symbols[kind], QPointF(left, top), self.look)

    def _copy(self, painter: QPainter, x: Places, y: Places, kinds: NDArray[np.intp]) -> None:
        """Copy the symbols from their pixmap, to whole pixels of the device."""
        ratio = painter.device().devicePixelRatio()
        pixmap = self._pixmap(ratio)
        side, corner = pixmap.height(), self.scenePos()
        fragments = np.zeros((x.size, 10))  # the fields of QPainter.PixmapFragment
        for column, places, origin in ((0, x, corner.x()), (1, y, corner.y())):
            fragments[:, column] = (np.rint((origin + places) * ratio - side / 2) + side / 2) / ratio - origin
        fragments[:, 2] = kinds * side
        fragments[:, 4:6] = side
        fragments[:, 6:8] = 1 / ratio
        fragments[:, 9] = 1
        first: Any = Shiboken.wrapInstance(fragments.ctypes.data, QPainter.PixmapFragment)
        painter.drawPixmapFragments(first, len(fragments), pixmap)

    def _pixmap(self, ratio: float) -> QPixmap:
        """Return all symbols side by side, for a device of some pixels per logical pixel."""
        key = self.symbols, self.look, ratio
        if self._atlas is None or self._atlas[0] != key:
            side = ceil(SIDE * self.look.theme.scale * ratio)
            pixmap = QPixmap(side * len(self.symbols), side)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(ratio, ratio)
            for number, symbol in enumerate(self.symbols):
                draw_symbol(painter, symbol, QPointF((number + 0.5) * side, side / 2) / ratio, self.look)
            painter.end()
            self._atlas = key, pixmap
        return self._atlas[1]
