"""Steps as blocks over a row for each link class, drawn at the cost of the pixels, not of the steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.model.state import State
from app.style.colour import lookup_table
from app.views.charts.axes import EDGE, Axes, Axis, ChartPainter
from app.views.drawing import CENTRE, SMALL, blend, draw_veil, fitting, scaled, translucent
from app.wording.names import step_title
from app.wording.numbers import load_percent
from core.text import duration, plural
from core.timing.timeline import INJECTION, Timeline

BLOCK_PX = 4
"""Pixels of a step from which it has a block of its own; narrower ones merge into a band."""
MARK_PX = 3
"""Pixels of the colour that tells which class a step waits for."""
BETWEEN = 6
"""Pixels between rows."""
LEAST_ROW = 8
"""Pixels of a row, at least."""
FULL = "100 %"
TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bands:
    """Utilisation of the classes, pixel by pixel: where several steps lie on one, the highest of them."""

    timeline: Timeline
    width: int
    """Pixels of the whole time."""

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Return the first pixel of every step and the one after its last, each at least one wide, ``(steps, 2)``."""
        steps, whole = self.timeline.steps, self.timeline.seconds or 1.0
        start = np.array([step.start for step in steps]) / whole * self.width
        end = np.array([step.start + step.seconds for step in steps]) / whole * self.width
        first = np.clip(np.rint(start).astype(np.int64), 0, self.width - 1)
        return np.stack([first, np.clip(np.rint(end).astype(np.int64), first + 1, self.width)], axis=1)

    @cached_property
    def own(self) -> NDArray[np.intp]:
        """Return the steps that are wide enough for a block of their own."""
        return np.flatnonzero(np.diff(self.edges, axis=1)[:, 0] >= BLOCK_PX)

    @cached_property
    def parts(self) -> tuple[Values, Values]:
        """Return how busy the busiest link and the mean of each class are, 0 to 1, ``(steps, classes)``."""
        found, case = self.timeline, self.timeline.case
        seconds = np.array([step.seconds for step in found.steps])[:, None]
        could = np.array([float(case.gbs[c.links].sum()) for c in case.network.classes]) * seconds
        busiest = np.divide(found.busy, seconds, out=np.zeros_like(found.busy), where=seconds > 0)
        return busiest, np.divide(found.sent, could, out=np.zeros_like(found.sent), where=could > 0)

    @cached_property
    def columns(self) -> tuple[Values, Values]:
        """Return the same by pixel, shape ``(width, classes)``."""
        found = tuple(np.zeros((self.width, values.shape[1])) for values in self.parts)
        for into, values in zip(found, self.parts, strict=True):
            for (first, end), row in zip(self.edges.tolist(), values, strict=True):
                np.maximum(into[first:end], row, out=into[first:end])
        return found[0], found[1]

    @cached_property
    def merged(self) -> list[tuple[int, int, int]]:
        """Return runs of pixels of steps without a block of their own: (first, end, number of one of the steps)."""
        owner = np.full(self.width, -1)
        waits = {step.bottleneck: k for k, step in reversed(list(enumerate(self.timeline.steps)))}
        for k in np.setdiff1d(np.arange(len(self.timeline.steps)), self.own).tolist():
            first, end = self.edges[k].tolist()
            owner[first:end] = waits[self.timeline.steps[k].bottleneck]
        return [(a, b, int(owner[a])) for a, b in runs(owner) if owner[a] >= 0]


def runs(values: NDArray[np.float64] | NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the first place and the one after the last of each stretch of equal values."""
    cuts = np.flatnonzero(np.diff(values)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(values)], strict=True)


@dataclass(frozen=True, eq=False)
class Lanes:
    """Where the blocks and the rows are drawn."""

    bands: Bands
    blocks: QRectF
    rows: tuple[Axes, ...]
    """One for each class: seconds across, 0 to 1 upwards."""
    unit: tuple[str, float]
    """Unit of the figures below, and its seconds."""

    @property
    def area(self) -> QRectF:
        """Return all that lies over the time axis."""
        return QRectF(self.blocks.topLeft(), self.rows[-1].plot.bottomRight()) if self.rows else self.blocks

    def step_at(self, where: QPointF) -> int | None:
        """Return the step at a point; None beside them, and where nothing runs."""
        edges, x = self.bands.edges, where.x() - self.blocks.left()
        if not self.area.adjusted(0, -2, 1, 2).contains(where):
            return None
        held = np.flatnonzero((edges[:, 0] <= x) & (x < edges[:, 1]))
        return self._of_pixel(held, x) if held.size else None

    def _of_pixel(self, held: NDArray[np.intp], x: float) -> int:
        # Of several on one pixel the one that runs then.
        steps = self.bands.timeline.steps
        time = x / self.blocks.width() * self.bands.timeline.seconds
        begun = [k for k in held.tolist() if steps[k].start <= time]
        return begun[-1] if begun else int(held[0])

    def extent(self, step: int) -> QRectF:
        """Return the pixels of a step, from the blocks down to the last row."""
        first, end = self.bands.edges[step].tolist()
        return QRectF(self.blocks.left() + first, self.blocks.top(), end - first, self.area.height())


def lanes_for(timeline: Timeline, size: QSizeF, font: QFont, known: Bands | None = None) -> Lanes:
    """Return where a timeline is drawn in a picture of some size; `known` spares working out the same bands again."""
    small, names = QFontMetricsF(scaled(font, SMALL)), [c.name for c in timeline.case.network.classes]
    texts = [*names, "steps"] if len(names) > 3 else [*names, "busy 0.00 %"]
    left = round(EDGE + MARK_PX + 6 + max(map(small.horizontalAdvance, texts)) * 1.1 + 8)
    wide = max(round(size.width() - left - EDGE - small.horizontalAdvance(FULL)), 20)
    top, bottom = 4.0, size.height() - small.height() - 10
    high = round(min(max(0.16 * (bottom - top), small.height() + MARK_PX + 3), 2.4 * small.height()))
    blocks = QRectF(left, top, wide, high)
    count = max(len(names), 1)
    each = max(int((bottom - blocks.bottom()) / count) - BETWEEN, LEAST_ROW)
    unit = next((one for one in TIMES if timeline.seconds >= 2 * one[1]), TIMES[-1])
    across, up = Axis(0.0, timeline.seconds / unit[1] or 1.0), Axis(0.0, 1.0)
    tops = [blocks.bottom() + BETWEEN + k * (each + BETWEEN) for k in range(len(names))]
    rows = tuple(Axes(QRectF(left, y, wide, each), across, up) for y in tops)
    fits = known is not None and known.timeline is timeline and known.width == wide
    return Lanes(known if known is not None and fits else Bands(timeline, wide), blocks, rows, unit)


def readout(bands: Bands, step: int) -> list[str]:
    """Return what is said of a step, line by line."""
    timeline = bands.timeline
    found = timeline.steps[step]
    lines = [
        step_title(step, len(timeline.steps), found.name),
        f"starts at {duration(found.start)}, takes {duration(found.seconds)}",
    ]
    if not found.messages:
        return [*lines, "no messages"]
    lines.append(f"{plural(found.messages, 'message')}, {found.hops:,.10g} {'hop' if found.hops == 1 else 'hops'}")
    if found.bottleneck == INJECTION:
        return [*lines, "waits for what a node can send or receive"]
    if found.bottleneck is None:
        return [*lines, "no link carries anything"]
    names = [c.name for c in timeline.case.network.classes]
    mean = float(bands.parts[1][step, names.index(found.bottleneck)])
    return [*lines, f"waits for {found.bottleneck}, of which {load_percent(mean)} is used"]


class TimelinePainter:
    """One drawing of a timeline."""

    def __init__(self, painter: QPainter, lanes: Lanes, state: State, font: QFont) -> None:
        self._painter, self._lanes, self._font = painter, lanes, font
        self._theme, self._timeline = state.style.theme, lanes.bands.timeline
        self._small = scaled(font, SMALL)
        self._metrics = QFontMetricsF(self._small)
        self._heat = lookup_table(state.style.scale.map, self._theme.dark)
        self._names = [c.name for c in self._timeline.case.network.classes]

    def draw(self, pointed: int | None, cursor: int | None) -> None:
        """Draw the blocks, the rows, the axis, the step under the cursor, and what is pointed at."""
        for number, axes in enumerate(self._lanes.rows):
            RowPainter(self._painter, axes, self._theme, self._font).draw(
                self._lanes, number, self.mark_of(self._names[number]), self._heat, last=axes is self._lanes.rows[-1]
            )
        self._label(self._lanes.blocks, "steps")
        self._draw_bands()
        self._draw_blocks()
        if cursor is not None:
            self._draw_extent(cursor, QColor(self._theme.accent), 2)
        if pointed is not None:
            if pointed != cursor:
                self._draw_extent(pointed, QColor(self._theme.text), 1)
            self._draw_readout(pointed)

    def mark_of(self, bottleneck: str | None) -> QColor:
        """Return the colour that stands for a class, or for what else a step waits for."""
        theme = self._theme
        if bottleneck in self._names:
            return QColor(theme.roles[self._names.index(bottleneck) % len(theme.roles)])
        return QColor(theme.warning if bottleneck == INJECTION else theme.missing)

    def _label(self, lane: QRectF, text: str) -> None:
        self._painter.setFont(self._small)
        self._painter.setPen(QColor(self._theme.dim))
        where = QRectF(EDGE, lane.top(), lane.left() - EDGE, lane.height())
        self._painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_bands(self) -> None:
        blocks, bands = self._lanes.blocks, self._lanes.bands
        fill = blend(self._theme.panel, self._theme.text, 0.13)
        for first, end, step in bands.merged:
            area = QRectF(blocks.left() + first, blocks.top(), end - first, blocks.height())
            self._painter.fillRect(area, fill)
            area.setHeight(MARK_PX)
            self._painter.fillRect(area, self.mark_of(self._timeline.steps[step].bottleneck))
        count = len(self._timeline.steps) - bands.own.size
        if count and bands.merged:
            self._count(count)

    def _count(self, count: int) -> None:
        # How many steps a band has, in its widest piece.
        first, end, _ = max(self._lanes.bands.merged, key=lambda run: run[1] - run[0])
        blocks, text = self._lanes.blocks, plural(count, "step")
        if self._metrics.horizontalAdvance(text) + 8 <= end - first:
            self._painter.setPen(QColor(self._theme.text))
            area = QRectF(blocks.left() + first, blocks.top() + MARK_PX, end - first, blocks.height() - MARK_PX)
            self._painter.drawText(area, CENTRE, text)

    def _draw_blocks(self) -> None:
        blocks, painter = self._lanes.blocks, self._painter
        painter.setFont(self._small)
        fill = blend(self._theme.panel, self._theme.text, 0.07)
        rim = blend(self._theme.panel, self._theme.text, 0.2)
        for step in self._lanes.bands.own.tolist():
            first, end = self._lanes.bands.edges[step].tolist()
            area = QRectF(blocks.left() + first, blocks.top(), end - first, blocks.height())
            painter.fillRect(area, fill)
            painter.fillRect(QRectF(area.right() - 1, area.top(), 1, area.height()), rim)
            mark = QRectF(area.left(), area.top(), area.width() - 1, MARK_PX)
            painter.fillRect(mark, self.mark_of(self._timeline.steps[step].bottleneck))
            self._name(step, area.adjusted(2, MARK_PX, -3, 0))

    def _name(self, step: int, room: QRectF) -> None:
        name = self._timeline.steps[step].name
        forms = (name, name.partition(": ")[2] or name)
        text = next((form for form in forms if self._metrics.horizontalAdvance(form) <= room.width()), "")
        # Numbers only where the longest would fit, lest the first few have one and the others none.
        if not text and self._metrics.horizontalAdvance(f"{len(self._timeline.steps):,}") <= room.width():
            text = f"{step + 1:,}"
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(room, CENTRE, text)

    def _draw_extent(self, step: int, colour: QColor, width: int) -> None:
        area = self._lanes.extent(step)
        self._painter.fillRect(area, translucent(colour, 26 * width))
        self._painter.setPen(QPen(colour, width))
        x = round(area.center().x() if area.width() < BLOCK_PX else area.left()) + width / 2
        self._painter.drawLine(QLineF(x, area.top(), x, area.bottom()))

    def _draw_readout(self, step: int) -> None:
        lines, metrics, whole = readout(self._lanes.bands, step), self._metrics, self._lanes.area
        size = QSizeF(max(map(metrics.horizontalAdvance, lines)) + 16, len(lines) * metrics.height() + 10)
        over = self._lanes.extent(step)
        x = over.right() + 10
        if x + size.width() > whole.right() + EDGE:
            x = max(over.left() - 10 - size.width(), EDGE)
        box = QRectF(QPointF(round(x) + 0.5, round(self._lanes.blocks.bottom() + BETWEEN) + 0.5), size)
        draw_veil(self._painter, box, self._theme)
        self._painter.setBrush(QColor(self._theme.panel))
        self._painter.setPen(QPen(QColor(self._theme.accent), 1))
        self._painter.drawRoundedRect(box, 5, 5)
        self._painter.setFont(self._small)
        for k, line in enumerate(lines):
            self._painter.setPen(QColor(self._theme.dim if k else self._theme.text))
            self._painter.drawText(
                QPointF(box.left() + 8, box.top() + 5 + k * metrics.height() + metrics.ascent()), line
            )


class RowPainter(ChartPainter):
    """One drawing of a class: its mean as a filled band, its busiest link as a line."""

    def draw(self, lanes: Lanes, number: int, mark: QColor, heat: NDArray[np.uint8], *, last: bool) -> None:
        """Draw the row; the last one has the time below it."""
        busiest, mean = (values[:, number] for values in lanes.bands.columns)
        self._painter.fillRect(self._plot, QColor(self._theme.field))
        self._fill(mean, heat)
        self._line(busiest, QColor(*heat[-1].tolist()))
        self._texts(lanes.bands.timeline, number, mark)
        self._painter.setFont(self._small)
        if last:
            self._draw_base(self._theme.text, 0.3)
            size, parts = lanes.unit[1], max(2, int(self._plot.width() / 70))
            marks = [(value, text) for value, text in self._axes.across.ticks(parts) if value * size >= 0]
            self._draw_along(marks, lanes.unit[0], 4)

    def _fill(self, mean: Values, heat: NDArray[np.uint8]) -> None:
        for first, end in runs(mean):
            if mean[first] > 0:
                high = max(round(min(float(mean[first]), 1.0) * self._plot.height()), 1)
                colour = QColor(*heat[round(min(float(mean[first]), 1.0) * (len(heat) - 1))].tolist())
                left, bottom = self._plot.left() + first, self._plot.bottom()
                self._painter.fillRect(QRectF(left, bottom - high, end - first, high), colour)

    def _line(self, busiest: Values, colour: QColor) -> None:
        # Inside the row by half its width, so that 0 and 100 % are seen.
        lines, before = list[QLineF](), None
        for first, end in runs(busiest):
            y = self._plot.bottom() - 0.5 - min(float(busiest[first]), 1.0) * (self._plot.height() - 1)
            x = self._plot.left() + first
            if before is not None:
                lines.append(QLineF(x, before, x, y))
            lines.append(QLineF(x, y, self._plot.left() + end, y))
            before = y
        self._painter.setPen(QPen(colour, 1.4))
        self._painter.drawLines(lines)

    def _texts(self, timeline: Timeline, number: int, mark: QColor) -> None:
        painter, plot, metrics = self._painter, self._plot, self._metrics
        name = timeline.case.network.classes[number].name
        share = load_percent(timeline.utilisation[name])
        two = plot.height() >= 2 * metrics.height()
        top = plot.center().y() - (1.0 if two else 0.5) * metrics.height()
        painter.fillRect(QRectF(EDGE, top + 2, MARK_PX, metrics.height() - 4), mark)
        painter.setFont(scaled(self._font, SMALL, bold=True))
        painter.setPen(QColor(self._theme.text))
        left, room = EDGE + MARK_PX + 6.0, plot.left() - EDGE - MARK_PX - 12
        bold = QFontMetricsF(painter.font())
        painter.drawText(QPointF(left, top + metrics.ascent()), fitting((name,), room, bold))
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.dim))
        if two:
            painter.drawText(QPointF(left, top + metrics.height() + metrics.ascent()), f"busy {share}")
            if number == 0:
                painter.drawText(QPointF(plot.right() + 5, plot.top() + metrics.ascent() - 2), FULL)
                painter.drawText(QPointF(plot.right() + 5, plot.bottom()), "0")
            return
        after = left + bold.horizontalAdvance(name) + 6
        if after + metrics.horizontalAdvance(share) <= plot.left() - 4:
            painter.drawText(QPointF(after, top + metrics.ascent()), share)
