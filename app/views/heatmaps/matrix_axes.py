"""Axes of the matrix of traffic, with figures and titles, and the key of its colours."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from app.style.theme import Theme
from app.views.drawing import spaced_numbers
from app.views.heatmaps.heatmap import Heatmap
from app.wording.names import top_level
from core.job.measure import Measure
from core.load.scenario import Case
from core.load.traffic_matrix import Order, TrafficMatrix

TICK_PX = 3
"""Length of the line at a figure."""
GAP_PX = 4
"""Distance between figures, titles and the matrix."""
APART = 1.4
"""Distance of figures along an axis, relative to their size."""
TITLED_PX, FIGURED_PX = 150, 80
"""Minimum side of a matrix with titles of its axes, and with figures."""
MAX_SHARE = 0.4
"""Largest share of a matrix's room that figures and titles take."""
KEY_PX = 10
"""Width of the key of colours."""
MAX_LETTERS = 12
"""Longest name of a place next to the matrix; longer ones are elided."""


class Tick(NamedTuple):
    """A figure at a place along both axes, in cells."""

    place: float
    text: str


def axis_titles(case: Case, by: Order) -> tuple[str, str]:
    """Return the titles of rows and columns: ``Source rank`` and ``Destination rank``."""
    kind = {"rank": "rank", "node": "node", "group": top_level(case.network)}[by]
    return f"Source {kind}", f"Destination {kind}"


def ticks_of(case: Case, matrix: TrafficMatrix, by: Order, side: float, apart: float) -> list[Tick]:
    """Return figures `apart` or more apart along an axis of length `side`: round ranks, or names of nodes or groups."""
    cells, tasks = matrix.first.size - 1, matrix.order.size
    if by == "rank":
        ranks = spaced_numbers(tasks, side / tasks, apart, set())
        return [Tick(float(matrix.cell_of[rank]) + 0.5, f"{rank:,}") for rank in ranks]
    nodes = case.mapping.nodes[matrix.order[matrix.first[:-1]]]
    if by == "node" or not case.network.levels:
        names = [case.network.label(int(node)) for node in nodes]
        starts = np.flatnonzero(np.diff(nodes, prepend=-1))
    else:
        group = case.network.levels[0].group[nodes]
        names = [case.network.group_label(int(each)) for each in group]
        starts = np.flatnonzero(np.diff(group, prepend=-1))
    return _thinned([Tick(cell + 0.5, _short(names[cell])) for cell in starts.tolist()], apart * cells / side)


def _short(name: str) -> str:
    return name if len(name) <= MAX_LETTERS else f"{name[: MAX_LETTERS - 1]}…"


def _thinned(ticks: Sequence[Tick], apart: float) -> list[Tick]:
    # From the first on, each tick far enough from the previous one.
    shown: list[Tick] = []
    for tick in ticks:
        if not shown or tick.place - shown[-1].place >= apart:
            shown.append(tick)
    return shown


class MatrixAxes(NamedTuple):
    """Titles and figures left of and above a matrix, and the room for them."""

    rows: list[Tick]
    columns: list[Tick]
    titles: tuple[str, str]
    """Of rows and of columns; empty texts where there is no room."""
    room: tuple[float, float]
    """Pixels left and above."""


NO_AXES = MatrixAxes([], [], ("", ""), (0.0, 0.0))


def axes_of(
    case: Case, matrix: TrafficMatrix, by: Order, side: float, metrics: QFontMetricsF, theme: Theme
) -> MatrixAxes:
    """Return the axes of a matrix that has `side` pixels with them, as far as there is room for them."""
    if side < theme.px(FIGURED_PX):
        return NO_AXES
    titled, high = side >= theme.px(TITLED_PX), metrics.height()
    title_room = (high + GAP_PX) * titled
    above = title_room + high + GAP_PX + TICK_PX
    length = max(side - above, 1.0)
    rows = ticks_of(case, matrix, by, length, APART * high)
    widest = max((metrics.horizontalAdvance(tick.text) for tick in rows), default=0.0)
    left = title_room + widest + GAP_PX + TICK_PX
    if max(left, above) > MAX_SHARE * side:
        return NO_AXES
    columns = ticks_of(case, matrix, by, max(side - left, 1.0), widest + metrics.averageCharWidth() * 2)
    return MatrixAxes(rows, columns, axis_titles(case, by) if titled else ("", ""), (left, above))


def draw_axes(painter: QPainter, heat: Heatmap, axes: MatrixAxes, metrics: QFontMetricsF, theme: Theme) -> None:
    """Draw figures, their lines and the titles at the left and the upper side of a matrix."""
    rect, (width, height) = heat.rect, heat.cell
    painter.setPen(QColor(theme.dim))
    for tick in axes.rows:
        y = rect.top() + tick.place * height
        painter.drawLine(QPointF(rect.left() - TICK_PX, y), QPointF(rect.left() - 1, y))
        long = metrics.horizontalAdvance(tick.text)
        where = QPointF(rect.left() - TICK_PX - GAP_PX / 2 - long, y + metrics.capHeight() / 2)
        painter.drawText(where, tick.text)
    for tick in axes.columns:
        x = rect.left() + tick.place * width
        painter.drawLine(QPointF(x, rect.top() - TICK_PX), QPointF(x, rect.top() - 1))
        for_text = QPointF(x - metrics.horizontalAdvance(tick.text) / 2, rect.top() - TICK_PX - metrics.descent())
        painter.drawText(for_text, tick.text)
    left, above = axes.room
    _draw_title(painter, axes.titles[1], QRectF(rect.left(), rect.top() - above, rect.width(), metrics.height()))
    painter.save()
    painter.translate(rect.left() - left, rect.bottom())
    painter.rotate(-90)
    _draw_title(painter, axes.titles[0], QRectF(0, 0, rect.height(), metrics.height()))
    painter.restore()


def _draw_title(painter: QPainter, text: str, room: QRectF) -> None:
    if text and QFontMetricsF(painter.font()).horizontalAdvance(text) <= room.width():
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


def key_ticks(most: float, decades: int, measure: Measure, apart: float) -> list[Tick]:
    """Return the figures of a logarithmic key, `apart` or more apart: the largest volume at 1, powers of ten below."""
    ticks = [Tick(1.0, measure.suited_amount(most))]
    for power in range(floor(log10(most)), ceil(log10(most)) - decades - 1, -1):
        place = 1 + (power - log10(most)) / decades
        if 0 <= place <= ticks[-1].place - apart:
            ticks.append(Tick(place, measure.suited_amount(10.0**power)))
    return ticks


def key_width(ticks: Sequence[Tick], metrics: QFontMetricsF, theme: Theme) -> float:
    """Return the width of a key with its figures, pixels."""
    return theme.px(KEY_PX) + TICK_PX + GAP_PX + max(metrics.horizontalAdvance(tick.text) for tick in ticks)


def draw_key(
    painter: QPainter, at: QRectF, table: NDArray[np.uint8], ticks: Sequence[Tick], metrics: QFontMetricsF, theme: Theme
) -> None:
    """Draw a vertical key: the colours of `table`, ``(256, 4)``, from the bottom up, and figures next to them."""
    bar = QRectF(at.left(), at.top(), theme.px(KEY_PX), at.height())
    image = QImage(np.ascontiguousarray(table[::-1]).tobytes(), 1, len(table), 4, QImage.Format.Format_RGBA8888)
    painter.drawImage(bar, image)
    painter.setPen(QColor(theme.dim))
    for tick in ticks:
        y = bar.bottom() - tick.place * bar.height()
        painter.drawLine(QPointF(bar.right(), y), QPointF(bar.right() + TICK_PX, y))
        baseline = min(max(y + metrics.capHeight() / 2, bar.top() + metrics.capHeight()), bar.bottom())
        painter.drawText(QPointF(bar.right() + TICK_PX + GAP_PX / 2, baseline), tick.text)
