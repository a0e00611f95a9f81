"""Shared drawing functions of matrices, task grid and charts: lines of text, outlines, dim colours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from app.style.theme import Theme
from app.views.heatmaps.regions import Lines
from app.views.paths import path_through
from app.wording.shortened import shortened

LINE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
SMALL = 0.85
"""Size of labels relative to the application's font."""
EDGE = 12
"""Pixels between a chart and the border of its picture."""
VEIL = 205
"""Opacity of the background of texts over drawings."""
EVEN_LUMINANCE = 0.19
"""Relative luminance of colours on which black and white have equal contrast."""
TINY_PX = 1e-3
"""Distance assumed for items without any room."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of a line of text in one colour, after a small frame in the colour `mark`, if given."""

    text: str
    colour: str
    mark: str = ""
    dashed: bool = False


def scaled_font(font: QFont, factor: float, *, bold: bool = False) -> QFont:
    """Return a font of another size."""
    other = QFont(font)
    if font.pointSizeF() > 0:
        other.setPointSizeF(font.pointSizeF() * factor)
    else:
        other.setPixelSize(max(round(font.pixelSize() * factor), 1))
    if bold:
        other.setWeight(QFont.Weight.DemiBold)
    return other


def fitting(texts: Sequence[str], width: float, metrics: QFontMetricsF) -> str:
    """Return the first of some texts that fits into a width, else the last one elided."""
    text_shown = next((text for text in texts if metrics.horizontalAdvance(text) <= width), texts[-1])
    return metrics.elidedText(text_shown, Qt.TextElideMode.ElideRight, width)


def unit_forms(unit: str) -> tuple[str, ...]:
    """Return a unit and its shorter forms: ``GB/s per node``, ``GB/s``."""
    return unit, unit.replace(" per node", ""), unit.partition(" per ")[0]


def nice_step(span: float, parts: int = 1) -> float:
    """Return 1, 2 or 5 times a power of ten, such that at most `parts` of them cover `span`."""
    raw = span / max(parts, 1)
    power = float(10 ** floor(log10(raw)))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= raw * (1 - 1e-9))


def padded(low: float, high: float, pad: float) -> tuple[float, float]:
    """Return a range with padding at both ends, which does not extend figures that are not negative below 0."""
    return max(low - pad, 0.0) if low >= 0 else low - pad, high + pad


def polygon(points: Iterable[Iterable[float]]) -> QPolygonF:
    """Return the polygon through some points, each (x, y)."""
    return QPolygonF([QPointF(x, y) for x, y in points])


def half_extent(metrics: QFontMetricsF, text: str) -> NDArray[np.float64]:
    """Return half of the width and height of a text, shape ``(2,)``."""
    return np.array([metrics.horizontalAdvance(text) / 2, metrics.height() / 2])


def rect_around(middle: NDArray[np.float64], half: NDArray[np.float64]) -> QRectF:
    """Return the rectangle around a middle with half its width and height."""
    return QRectF(*(middle - half).tolist(), *(2 * half).tolist())


def translucent(colour: QColor | str, alpha: int) -> QColor:
    """Return a colour of another opacity, 0 to 255."""
    other = QColor(colour)
    other.setAlpha(alpha)
    return other


def blend(below: str, above: str, part: float) -> QColor:
    """Return a colour between two, `part` of it the second."""
    both = [(colour.redF(), colour.greenF(), colour.blueF()) for colour in (QColor(below), QColor(above))]
    red, green, blue = (a + (b - a) * part for a, b in zip(*both, strict=True))
    return QColor.fromRgbF(red, green, blue)


def ink(fill: QColor) -> QColor:
    """Return black or white, depending on the contrast with a colour."""
    parts = np.array([fill.redF(), fill.greenF(), fill.blueF()])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return QColor(20, 22, 26) if linear @ (0.2126, 0.7152, 0.0722) > EVEN_LUMINANCE else QColor(240, 242, 246)


def quiet(theme: Theme) -> QColor:
    """Return the colour of empty cells, between the colours of the panel and of missing data."""
    return blend(theme.panel, theme.missing, 0.25 if theme.dark else 0.3)


def frame_pen(colour: QColor | str, width: float, *, dashed: bool = False) -> QPen:
    """Return the pen of an outline."""
    pen = QPen(QColor(colour), width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap if not dashed else Qt.PenCapStyle.FlatCap)
    if dashed:
        pen.setDashPattern([2.0, 1.5])
    return pen


def draw_runs(painter: QPainter, area: QRectF, runs: tuple[TextRun, ...], font: QFont) -> None:
    """Write a line of text from the left; if it does not fit, the last parts are omitted and the first is elided."""
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    x = area.left()
    for run in runs:
        if run.mark:
            x = _draw_frame(painter, QRectF(x, area.top(), metrics.ascent(), area.height()), run)
        room = QRectF(x, area.top(), max(area.right() - x, 0), area.height())
        painter.setPen(QColor(run.colour))
        text = shortened(run.text, metrics.horizontalAdvance, room.width())
        painter.drawText(room, LINE, metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width()))
        x += metrics.horizontalAdvance(run.text)


def _draw_frame(painter: QPainter, area: QRectF, run: TextRun) -> float:
    side = round(area.width() * 0.7)
    square = QRectF(round(area.left()) + 1, round(area.center().y() - side / 2), side, side)
    painter.setPen(frame_pen(run.mark, 2, dashed=run.dashed))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(square)
    return square.right() + 5


def draw_focus(painter: QPainter, area: QRectF, theme: Theme) -> None:
    """Draw a focus frame inside an area."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.accent), theme.scale))
    painter.drawRoundedRect(area.adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)


def draw_veil(painter: QPainter, area: QRectF, theme: Theme) -> None:
    """Draw a translucent background for text."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(translucent(theme.panel, VEIL))
    painter.drawRoundedRect(area, 5, 5)


def draw_cross(painter: QPainter, area: QRectF) -> None:
    """Draw the two diagonals of a rectangle."""
    painter.drawLines([QLineF(area.topLeft(), area.bottomRight()), QLineF(area.bottomLeft(), area.topRight())])


def draw_message(painter: QPainter, area: QRectF, text: str, colour: str, font: QFont) -> None:
    """Write a message into the middle of an area."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(area.adjusted(16, 8, -16, -8), CENTRE | Qt.TextFlag.TextWordWrap, text)


def lines_path(lines: Lines, rect: QRectF, cell: tuple[float, float], shift: float = 0.0) -> QPainterPath:
    """Return lines of a grid, given in cells, as a path over the image of the grid.

    They are on whole pixels, for a sharp pen of two pixels; for one of one pixel use a `shift` of a half.
    """
    x = np.rint(rect.left() + np.stack([lines.x0, lines.x1], axis=1) * cell[0]) + shift
    y = np.rint(rect.top() + np.stack([lines.y0, lines.y1], axis=1) * cell[1]) + shift
    return path_through(np.stack([x.ravel(), y.ravel()], axis=1), np.tile([True, False], len(x)))


def at_least(rect: QRectF, side: float) -> QRectF:
    """Return a rectangle around the same centre, no side shorter than `side`, on half pixels for crisp outlines."""
    width, height = max(rect.width(), side), max(rect.height(), side)
    centre = rect.center()
    corner = QPointF(round(centre.x() - width / 2), round(centre.y() - height / 2))
    return QRectF(corner.x() + 0.5, corner.y() + 0.5, round(width) - 1, round(height) - 1)


def spaced_numbers(count: int, step_px: float, apart_px: float, wanted: set[int]) -> list[int]:
    """Return which of `count` equally spaced items to name: in round steps, plus those in `wanted`.

    Names are at least `apart_px` apart, but those in `wanted` are always included.
    """
    apart = max(apart_px / max(step_px, TINY_PX), 1.0)
    step = 2 ** ceil(log2(apart)) if count % 8 == 0 else int(nice_step(apart))
    free = [k for k in range(0, count, step) if all(abs(k - w) * step_px >= apart_px for w in wanted)]
    return sorted({*free, *(w for w in wanted if w < count)})
