"""A row for each rank, in timings without barriers: when it waits for others to begin a step, and when it sends."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from app.style.theme import Theme
from app.views.charts.axes import EDGE
from app.views.drawing import SMALL, blend, nice_step, scaled_font
from app.wording.names import step_title
from core.text import duration
from core.timing.timeline import Timeline
from core.timing.waiting import Times, last_to_begin

MIN_PX, MAX_PX = 4, 14
"""Height of a row."""
HEAD_PX = 22
"""Height of the legend line above."""
SHADED_PX = 4
"""Least mean width of steps that alternate in shade."""


@dataclass(frozen=True, eq=False)
class RankLane:
    """The layout of the rows of ranks."""

    timeline: Timeline
    begun: Times | None
    """When all senders to a rank have begun: `core.timing.waiting.all_begun`; None: not known yet."""
    area: QRectF
    """The area of the rows, below the legend."""
    whole: float
    """Length of the area in seconds."""

    @property
    def times(self) -> Times:
        """Return when each rank begins each step, and ends the last."""
        assert self.timeline.rank_times is not None
        return self.timeline.rank_times

    @property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return int(self.times.shape[1])

    @property
    def each(self) -> int:
        """Return the height of a row."""
        return int(min(max(self.area.height() // self.ranks, MIN_PX), MAX_PX))

    def at(self, where: QPointF) -> tuple[int, int] | None:
        """Return the rank at a point and its step at that time; None: there is none."""
        rank = int((where.y() - self.area.top()) // self.each)
        time = (where.x() - self.area.left()) / self.area.width() * self.whole
        if not (0 <= rank < self.ranks and self.area.left() <= where.x() <= self.area.right()):
            return None
        step = int(np.searchsorted(self.times[:, rank], time, side="right")) - 1
        return (rank, step) if 0 <= step < len(self.times) - 1 else None

    def readout(self, rank: int, step: int) -> list[str]:
        """Return the readout of a rank in a step, line by line."""
        steps, begins = self.timeline.steps, self.times[step]
        done, timed = float(self.times[step + 1, rank]), self.timeline.case.job.measure.timed
        last = last_to_begin(self.timeline, step, rank)
        waits = "waits for nobody to begin"
        if last is not None:
            wait = f" {duration(float(begins[last] - begins[rank]))}" if timed else ""
            waits = f"waits{wait} for rank {last:,} to begin"
        return [
            f"rank {rank:,} in {step_title(step, len(steps), steps[step].name)}",
            *([f"begins at {duration(float(begins[rank]))}, is done at {duration(done)}"] if timed else []),
            waits,
        ]

    def draw(self, painter: QPainter, theme: Theme, font: QFont, seen: QRectF) -> None:
        """Draw the visible rows."""
        small = scaled_font(font, SMALL)
        painter.setFont(small)
        self._draw_head(painter, theme, QFontMetricsF(small))
        first = max(int((seen.top() - self.area.top()) // self.each), 0)
        last = min(int((seen.bottom() - self.area.top()) // self.each) + 1, self.ranks)
        if last > first:
            pixels = self._pixels(first, last, theme)
            image = QImage(pixels.data, pixels.shape[1], len(pixels), QImage.Format.Format_RGB32)
            painter.drawImage(QPointF(self.area.left(), self.area.top() + first * self.each), image)
            self._number(painter, theme, first, last, QFontMetricsF(small))

    def draw_waiting(self, painter: QPainter, rank: int, step: int, theme: Theme) -> None:
        """Draw a line from the rank that a rank waits for."""
        last = last_to_begin(self.timeline, step, rank)
        if last is None:
            return
        x = self.area.left() + float(self.times[step, last]) / self.whole * self.area.width()
        ys = [self.area.top() + (one + 0.5) * self.each for one in (rank, last)]
        painter.setPen(QPen(QColor(theme.text), 1.5 * theme.scale))
        painter.drawLine(QLineF(x, ys[0], x, ys[1]))
        painter.setBrush(QColor(theme.text))
        painter.drawEllipse(QPointF(x, ys[1]), 2.5, 2.5)

    def _draw_head(self, painter: QPainter, theme: Theme, metrics: QFontMetricsF) -> None:
        baseline, x = self.area.top() - 7, self.area.left()
        painter.setPen(QColor(theme.dim))
        painter.drawText(QPointF(EDGE, baseline), "ranks")
        for colour, text in (
            (waiting(theme), "waits for another rank to begin"),
            (sending(theme)[0], "sends, receives"),
        ):
            side = metrics.capHeight() + 1
            painter.fillRect(QRectF(x, baseline - side + 1, side, side), colour)
            painter.drawText(QPointF(x + side + 4, baseline), text)
            x += side + 4 + metrics.horizontalAdvance(text) + 14

    def _pixels(self, first: int, last: int, theme: Theme) -> NDArray[np.uint32]:
        width = round(self.area.width())
        time = (np.arange(width) + 0.5) / width * self.whole
        colours = np.array([QColor(c).rgb() for c in (theme.field, *sending(theme), waiting(theme))], np.uint32)
        shaded = width >= SHADED_PX * (len(self.times) - 1)
        rows = np.empty((last - first, self.each, width), np.uint32)
        for row, rank in enumerate(range(first, last)):
            step = np.searchsorted(self.times[:, rank], time, side="right") - 1
            inside = (step >= 0) & (step < len(self.times) - 1)
            step = np.where(inside, step, 0)
            kind = np.where(inside, 1 + (step % 2 if shaded else 0), 0)
            if self.begun is not None:
                kind[inside & (time < self.begun[step, rank])] = 3
            rows[row] = colours[kind]
        # A line between rows separates them.
        rows[:, -1] = QColor(theme.panel).rgb()
        return rows.reshape(-1, width)

    def _number(self, painter: QPainter, theme: Theme, first: int, last: int, metrics: QFontMetricsF) -> None:
        every = int(nice_step(metrics.height() / self.each)) or 1
        painter.setPen(QColor(theme.dim))
        for rank in range(-(-first // every) * every, last, every):
            y = self.area.top() + rank * self.each
            where = QRectF(EDGE, y - 10, self.area.left() - EDGE - 6, self.each + 20)
            painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{rank:,}")


def waiting(theme: Theme) -> QColor:
    """Return the colour of waiting."""
    return QColor(theme.warning)


def sending(theme: Theme) -> tuple[QColor, QColor]:
    """Return the alternating colours of steps."""
    return blend(theme.panel, theme.accent, 0.6), blend(theme.panel, theme.accent, 0.8)
