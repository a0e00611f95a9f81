"""Steps as blocks above a row for each class and pinned item, drawn in time proportional to pixels, not to steps."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.model.state import State
from app.style.colour import lookup_table
from app.views.charts.axes import EDGE, ChartPainter
from app.views.charts.timeline_lanes import BETWEEN, BLOCK_PX, FULL, MARK_PX, Bands, Lanes, Values, runs
from app.views.drawing import CENTRE, LINE, SMALL, blend, draw_veil, fitting, nice_step, scaled_font, translucent
from app.wording.names import step_title
from app.wording.numbers import load_percent
from core.job.job import Phase
from core.job.measure import UNTIMED
from core.text import duration, plural
from core.timing.timeline import INJECTION

MAX_NAMED = 3
"""Most messages of a step that are named."""
MESSAGES_PER_CHUNK = 1 << 12
"""Approximate number of messages examined at once for these."""
Heat = NDArray[np.uint8]


def readout(bands: Bands, step: int, row: int | None = None) -> list[str]:
    """Return the readout of a step, line by line, and of one of its rows if `row` is given."""
    timeline = bands.timeline
    found, measure = timeline.steps[step], timeline.case.job.measure
    lines = [
        step_title(step, len(timeline.steps), found.name),
        *([f"starts at {duration(found.start)}, takes {duration(found.seconds)}"] if measure.timed else []),
    ]
    if not found.messages:
        lines.append("no messages")
    else:
        hops = f", {plural(found.hops, 'hop')}" if timeline.each_round is None else ""
        lines.append(f"{plural(found.messages, 'message')}{hops or ', each over a link'}")
        if timeline.each_round is None:
            lines.append(f"task {messages_text(timeline.case.job.phases[step])}")
        lines.append(_waits(bands, step))
    if row is not None and bands.items[row] is not None:
        lines.append(_of_row(bands, step, row))
    return lines


def _waits(bands: Bands, step: int) -> str:
    waits_for = bands.timeline.steps[step].bottleneck
    if waits_for == INJECTION:
        return "waits for what a node can send or receive"
    if waits_for is None:
        return "no link carries anything"
    used = load_percent(float(bands.parts[1][step, bands.names.index(waits_for)]))
    return f"waits for {waits_for}, of which {used} is used"


def _of_row(bands: Bands, step: int, row: int) -> str:
    busiest, mean = (load_percent(float(values[step, row])) for values in bands.parts)
    busy = busiest if busiest == mean else f"{mean}, its busiest link {busiest}"
    return f"{bands.names[row]}: busy {busy}"


def messages_text(phase: Phase) -> str:
    """Return the first messages of a phase between different tasks: ``0 → 12, 1 → 13, 2 → 14 …``."""
    found = []
    for src, dst in _messages(phase):
        found.append(f"{src:,} → {dst:,}")
        if len(found) > MAX_NAMED:
            return f"{', '.join(found[:MAX_NAMED])} …"
    return ", ".join(found)


def _messages(phase: Phase) -> Iterator[tuple[int, int]]:
    many = max(MESSAGES_PER_CHUNK // max(phase.fan_out, 1), 1)
    for first in range(0, phase.tasks, many):
        flows = phase.out_flows(np.arange(first, min(first + many, phase.tasks), dtype=np.int32))
        away = np.flatnonzero(flows.src != flows.dst)[: MAX_NAMED + 1]
        yield from zip(flows.src[away].tolist(), flows.dst[away].tolist(), strict=True)


class TimelinePainter:
    """One drawing of a timeline."""

    def __init__(self, painter: QPainter, lanes: Lanes, state: State, font: QFont) -> None:
        self._painter, self._lanes, self._font = painter, lanes, font
        self._theme, self._timeline = state.style.theme, lanes.bands.timeline
        self._small = scaled_font(font, SMALL)
        self._metrics = QFontMetricsF(self._small)
        self._heat = lookup_table(state.style.scale.map, self._theme.dark)
        self._names = [c.name for c in self._timeline.case.network.classes]

    def draw(self) -> None:
        """Draw the heading, the blocks, the rows and the axis."""
        lanes = self._lanes
        if lanes.heading:
            self._draw_heading()
        for number, axes in enumerate(lanes.rows):
            mark = QColor(self._theme.dim) if lanes.bands.items[number] else self.mark_of(lanes.bands.names[number])
            painter = RowPainter(self._painter, axes, self._theme, self._font)
            painter.draw(lanes, number, mark, self._heat, last=axes is lanes.rows[-1])
        self._label(lanes.blocks, "steps" if self._timeline.each_round is None else "rounds")
        self._draw_bands()
        self._draw_blocks()

    def mark_of(self, bottleneck: str | None) -> QColor:
        """Return the colour of a class, or of what else a step waits for."""
        theme = self._theme
        if bottleneck in self._names:
            return QColor(theme.roles[self._names.index(bottleneck) % len(theme.roles)])
        return QColor(theme.warning if bottleneck == INJECTION else theme.missing)

    def _draw_heading(self) -> None:
        first, _, rest = self._lanes.heading.partition(" · ")
        area, painter = self._lanes.head.adjusted(EDGE, 0, -EDGE, -BETWEEN), self._painter
        bold = scaled_font(self._font, SMALL, bold=True)
        painter.setFont(bold)
        painter.setPen(QColor(self._theme.text))
        painter.drawText(area, LINE, first)
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.dim))
        area.setLeft(area.left() + QFontMetricsF(bold).horizontalAdvance(first) + 12)
        text = self._metrics.elidedText(rest, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

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
        # The number of steps of the widest merged run.
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
        later = list[tuple[QRectF, str]]()
        edges, every = self._lanes.bands.edges, self._numbered()
        for step in self._lanes.bands.own.tolist():
            first, end = edges[step].tolist()
            # Without barriers the next step may begin before this one ends.
            for following in edges[step + 1 : step + 2, 0].tolist():
                end = min(end, max(following, first + BLOCK_PX))
            area = QRectF(blocks.left() + first, blocks.top(), end - first, blocks.height())
            painter.fillRect(area, fill)
            painter.fillRect(QRectF(area.right() - 1, area.top(), 1, area.height()), rim)
            mark = QRectF(area.left(), area.top(), area.width() - 1, MARK_PX)
            painter.fillRect(mark, self.mark_of(self._timeline.steps[step].bottleneck))
            room = area.adjusted(2, MARK_PX, -3, 0)
            if every > 1 and (step + 1) % every == 0:
                later.append((room, f"{step + 1:,}"))
            elif every == 1:
                self._name(step, room)
        painter.setPen(QColor(self._theme.text))
        for room, number in later:
            painter.drawText(room.adjusted(-40, 0, 40, 0), CENTRE, number)

    def _numbered(self) -> int:
        # The stride of labelled steps: 1 where a number fits most of them.
        bands = self._lanes.bands
        wide = self._metrics.horizontalAdvance(f"{len(bands.edges):,}") + 5
        typical = float(np.median(np.diff(bands.edges[bands.own], axis=1))) if bands.own.size else wide
        return 1 if wide <= typical else round(nice_step(1.4 * wide / typical))

    def _name(self, step: int, room: QRectF) -> None:
        name = self._timeline.steps[step].name
        forms = (name, name.partition(": ")[2] or name)
        text = next((form for form in forms if self._metrics.horizontalAdvance(form) <= room.width()), "")
        # Numbers only where the longest fits, so that not only the first few have one.
        if not text and self._metrics.horizontalAdvance(f"{len(self._timeline.steps):,}") <= room.width():
            text = f"{step + 1:,}"
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(room, CENTRE, text)

    def draw_extent(self, step: int, colour: QColor, width: int) -> None:
        """Outline a step."""
        area = self._lanes.extent(step)
        self._painter.fillRect(area, translucent(colour, 26 * width))
        self._painter.setPen(QPen(colour, width * self._theme.scale))
        x = round(area.center().x() if area.width() < BLOCK_PX else area.left()) + width / 2
        self._painter.drawLine(QLineF(x, area.top(), x, area.bottom()))

    def draw_readout(self, lines: list[str], step: int, y: float, seen: QRectF) -> None:
        """Write a readout beside a step, below `y`, in the part of the picture that is `seen`."""
        metrics, whole = self._metrics, self._lanes.area
        size = QSizeF(max(map(metrics.horizontalAdvance, lines)) + 16, len(lines) * metrics.height() + 10)
        over = self._lanes.extent(step)
        x = over.right() + 10
        if x + size.width() > whole.right() + EDGE:
            x = max(over.left() - 10 - size.width(), EDGE)
        y = max(min(y + BETWEEN, seen.bottom() - size.height() - 2), seen.top() + 2)
        box = QRectF(QPointF(round(x) + 0.5, round(y) + 0.5), size)
        draw_veil(self._painter, box, self._theme)
        self._painter.setBrush(QColor(self._theme.panel))
        self._painter.setPen(QPen(QColor(self._theme.accent), self._theme.scale))
        self._painter.drawRoundedRect(box, 5, 5)
        self._painter.setFont(self._small)
        for k, line in enumerate(lines):
            self._painter.setPen(QColor(self._theme.dim if k else self._theme.text))
            self._painter.drawText(
                QPointF(box.left() + 8, box.top() + 5 + k * metrics.height() + metrics.ascent()), line
            )


class RowPainter(ChartPainter):
    """One drawing of a row: its mean as a filled band, its busiest link as a line."""

    def draw(self, lanes: Lanes, number: int, mark: QColor, heat: Heat, *, last: bool) -> None:
        """Draw the row; the last one has the time below it."""
        busiest, mean = (values[:, number] for values in lanes.bands.columns)
        self._painter.fillRect(self._plot, QColor(self._theme.field))
        self._fill(mean, heat)
        self._line(busiest, QColor(*heat[-1].tolist()))
        self._texts(lanes.bands, number, mark)
        self._painter.setFont(self._small)
        if last:
            self._draw_base(self._theme.text, 0.3)
            size, parts = lanes.unit[1], max(2, int(self._plot.width() / 70))
            marks = [(value, text) for value, text in self._axes.across.ticks(parts) if value * size >= 0]
            timed = lanes.bands.timeline.case.job.measure.timed
            self._draw_along(*((marks, lanes.unit[0]) if timed else ([], UNTIMED)), 4)

    def _fill(self, mean: Values, heat: Heat) -> None:
        for first, end in runs(mean):
            if mean[first] > 0:
                high = max(round(min(float(mean[first]), 1.0) * self._plot.height()), 1)
                colour = QColor(*heat[round(min(float(mean[first]), 1.0) * (len(heat) - 1))].tolist())
                left, bottom = self._plot.left() + first, self._plot.bottom()
                self._painter.fillRect(QRectF(left, bottom - high, end - first, high), colour)

    def _line(self, busiest: Values, colour: QColor) -> None:
        # Inset by half its width, so that 0 and 100 % are visible.
        lines, before = list[QLineF](), None
        for first, end in runs(busiest):
            y = self._plot.bottom() - 0.5 - min(float(busiest[first]), 1.0) * (self._plot.height() - 1)
            x = self._plot.left() + first
            if before is not None:
                lines.append(QLineF(x, before, x, y))
            lines.append(QLineF(x, y, self._plot.left() + end, y))
            before = y
        self._painter.setPen(self._pen(colour, 1.4))
        self._painter.drawLines(lines)

    def _texts(self, bands: Bands, number: int, mark: QColor) -> None:
        painter, plot, metrics = self._painter, self._plot, self._metrics
        name, share = bands.names[number], load_percent(float(bands.shares[number]))
        two = plot.height() >= 2 * metrics.height()
        top = plot.center().y() - (1.0 if two else 0.5) * metrics.height()
        painter.fillRect(QRectF(EDGE, top + 2, MARK_PX, metrics.height() - 4), mark)
        painter.setFont(scaled_font(self._font, SMALL, bold=True))
        painter.setPen(QColor(self._theme.text))
        left, room = EDGE + MARK_PX + 6.0, plot.left() - EDGE - MARK_PX - 12
        bold = QFontMetricsF(painter.font())
        painter.drawText(QPointF(left, top + metrics.ascent()), fitting((name,), room, bold))
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.dim))
        if two:
            said = fitting((f"busy {share}", share), plot.left() - 4 - left, metrics)
            painter.drawText(QPointF(left, top + metrics.height() + metrics.ascent()), said)
            if number == 0:
                painter.drawText(QPointF(plot.right() + 5, plot.top() + metrics.ascent() - 2), FULL)
                painter.drawText(QPointF(plot.right() + 5, plot.bottom()), "0")
            return
        after = left + bold.horizontalAdvance(name) + 6
        if after + metrics.horizontalAdvance(share) <= plot.left() - 4:
            painter.drawText(QPointF(after, top + metrics.ascent()), share)
