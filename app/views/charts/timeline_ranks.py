"""A row for each rank, in timings without barriers: when it waits for other ranks, and when it sends."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.style.theme import Theme
from app.views.charts.kit.area import Area
from app.views.charts.kit.caption import PlacedPart
from app.views.charts.kit.drawing import Drawing
from app.views.charts.timeline_lanes import MAX_PX, MIN_PX
from app.views.charts.timeline_waiting import RankTimes
from app.views.drawing import EDGE, blend, nice_step
from core.timing.waiting import last_to_begin

SHADED_PX = 4
"""Least mean width of steps that alternate in shade."""


class RankRows(Drawing):
    """The rows, of which only the visible ones are drawn."""

    def __init__(self, area: Area) -> None:
        super().__init__(area)
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.rank_times: RankTimes | None = None
        self._exposed = QRectF()

    def show_ranks(self, ranks: RankTimes | None) -> None:
        """Show other ranks."""
        if ranks is not self.rank_times:
            self.rank_times = ranks
            self.update()

    @property
    def each(self) -> int:
        """Return the height of a row."""
        ranks = self.rank_times.ranks if self.rank_times is not None else 1
        return int(min(max(self.area.rect().height() // ranks, MIN_PX), MAX_PX))

    def at(self, where: QPointF) -> tuple[int, int] | None:
        """Return the rank at a point of the area and its step at that time, or None if there is none."""
        rank, ranks = int(where.y() // self.each), self.rank_times
        if ranks is None or not 0 <= rank < ranks.ranks or not self.area.rect().contains(where):
            return None
        step = ranks.step_at(rank, self.area.values_at(where)[0])
        return (rank, step) if step is not None else None

    def visible(self, exposed: QRectF) -> tuple[int, int]:
        """Return the range of ranks in a rectangle of the area; its end is exclusive."""
        ranks = self.rank_times.ranks if self.rank_times is not None else 0
        return max(int(exposed.top() // self.each), 0), min(int(exposed.bottom() // self.each) + 1, ranks)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw it."""
        self._exposed = QRectF(option.exposedRect)
        super().paint(painter, option, widget)

    def draw(self, painter: QPainter) -> None:
        """Draw the visible rows."""
        first, end = self.visible(self._exposed)
        if self.rank_times is not None and end > first:
            pixels = self._pixels(self.rank_times, first, end)
            image = QImage(pixels.data, pixels.shape[1], len(pixels), QImage.Format.Format_RGB32)
            painter.drawImage(QPointF(0, first * self.each), image)

    def _pixels(self, ranks: RankTimes, first: int, end: int) -> NDArray[np.uint32]:
        width, (low, high) = max(round(self.area.rect().width()), 1), self.area.span
        times, theme = low + (np.arange(width) + 0.5) / width * (high - low), self.look.theme
        colours = np.array([QColor(c).rgb() for c in (theme.field, *sending(theme), waiting(theme))], np.uint32)
        steps = (len(ranks.times) - 1) * min((high - low) / (ranks.timeline.seconds or 1.0), 1.0)
        kinds = ranks.kinds(first, end, times, shaded=width >= SHADED_PX * steps)
        rows = np.repeat(colours[kinds][:, None], self.each, axis=1)
        # A line between rows separates them.
        rows[:, -1] = QColor(theme.panel).rgb()
        return rows.reshape(-1, width)


class Waiting(Drawing):
    """A line from a rank to the rank that it waits for."""

    def __init__(self, rows: RankRows) -> None:
        super().__init__(rows.area, z=1)
        self._rows = rows
        self._of: tuple[int, int] | None = None

    def show_of(self, rank: int | None, step: int) -> None:
        """Show which rank a rank waits for in a step, or nothing."""
        of = (rank, step) if rank is not None else None
        if of != self._of:
            self._of = of
            self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw it."""
        ranks = self._rows.rank_times
        if ranks is None or self._of is None:
            return
        rank, step = self._of
        last = last_to_begin(ranks.timeline, step, rank)
        if last is None:
            return
        x = float(self.area.x_of(float(ranks.times[step, last])))
        ys = [(row + 0.5) * self._rows.each for row in (rank, last)]
        painter.setPen(QPen(self.look.colour("text"), 1.5 * self.look.theme.scale))
        painter.drawLine(QLineF(x, ys[0], x, ys[1]))
        painter.setBrush(self.look.colour("text"))
        painter.drawEllipse(QPointF(x, ys[1]), 2.5, 2.5)


class RankNumbers(PlacedPart):
    """The numbers of the visible ranks, at the left of their rows."""

    def __init__(self, rows: RankRows) -> None:
        super().__init__()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self._rows = rows
        self._exposed = QRectF()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Write them."""
        self._exposed = QRectF(option.exposedRect)
        super().paint(painter, option, widget)

    def draw(self, painter: QPainter) -> None:
        """Write the visible rank numbers, in round steps."""
        each, line = self._rows.each, self.look.metrics.height()
        first, end = self._rows.visible(self._exposed.adjusted(0, -line, 0, line))
        every = int(nice_step(line / each)) or 1
        painter.setFont(self.look.small)
        painter.setPen(self.look.colour("dim"))
        for rank in range(-(-first // every) * every, end, every):
            where = QRectF(EDGE, rank * each - 10, self.size().width() - EDGE - 6, each + 20)
            painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{rank:,}")


class RankHead(PlacedPart):
    """The line above the rows: the legend of their colours."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 0.0
        """The pixel where the rows begin."""

    def draw(self, painter: QPainter) -> None:
        """Write it."""
        theme, metrics = self.look.theme, self.look.metrics
        baseline, x = self.size().height() - 7, self.left
        painter.setFont(self.look.small)
        painter.setPen(self.look.colour("dim"))
        painter.drawText(QPointF(EDGE, baseline), "Ranks")
        meanings = (waiting(theme), "waiting for another rank"), (sending(theme)[0], "sending or receiving")
        for colour, text in meanings:
            side = metrics.capHeight() + 1
            painter.fillRect(QRectF(x, baseline - side + 1, side, side), colour)
            painter.drawText(QPointF(x + side + 4, baseline), text)
            x += side + 4 + metrics.horizontalAdvance(text) + 14


def waiting(theme: Theme) -> QColor:
    """Return the colour of waiting."""
    return QColor(theme.warning)


def sending(theme: Theme) -> tuple[QColor, QColor]:
    """Return the alternating colours of steps."""
    return blend(theme.panel, theme.accent, 0.6), blend(theme.panel, theme.accent, 0.8)
