"""The drawings of a timeline: steps as blocks above a row per class and pinned item, and outlines of single steps."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from app.style.colour import Shading, lookup_table
from app.style.theme import Theme
from app.views.charts.kit.area import Area
from app.views.charts.kit.caption import PlacedPart
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.look import Look
from app.views.charts.timeline_lanes import (
    BETWEEN,
    BLOCK_PX,
    FULL,
    MARK_PX,
    SCALE_GAP,
    SCALE_PX,
    Bands,
    Columns,
    Lanes,
    Values,
    runs,
)
from app.views.drawing import CENTRE, EDGE, LINE, SMALL, blend, draw_veil, fitting, nice_step, scaled_font, translucent
from core.text import plural
from core.timing.timeline import INJECTION

BESIDE = 10
"""Pixels between a step and its readout."""
Heat = NDArray[np.uint8]


def mark_colour(bands: Bands, bottleneck: str | None, theme: Theme) -> QColor:
    """Return the colour of a step's bottleneck: of a link class, or of injection."""
    names = [c.name for c in bands.timeline.case.network.classes]
    if bottleneck in names:
        return QColor(theme.roles[names.index(bottleneck) % len(theme.roles)])
    return QColor(theme.warning if bottleneck == INJECTION else theme.missing)


class Steps(Drawing):
    """Blocks and rows of one timeline, computed for the pixels of the part that is shown."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, cached=True)
        self.bands: Bands | None = None
        self.lanes = Lanes(QRectF(), QRectF(), ())
        """In pixels of the area."""
        self._map = ""
        self._columns: Columns | None = None

    def show_bands(self, bands: Bands, colour_map: str) -> None:
        """Show another timeline, or the same in other colours."""
        if (bands, colour_map) != (self.bands, self._map):
            self.bands, self._map, self._columns = bands, colour_map, None
            self.update()

    def place(self, lanes: Lanes) -> None:
        """Set the places of blocks and rows, given in pixels of the chart."""
        x, y = lanes.blocks.left(), lanes.blocks.top()
        moved = [rect.translated(-x, -y) for rect in (lanes.head, lanes.blocks, *lanes.rows)]
        lanes = Lanes(moved[0], moved[1], tuple(moved[2:]))
        if lanes != self.lanes:
            self.lanes = lanes
            self.update()

    @property
    def columns(self) -> Columns | None:
        """Return the values of the pixels of the visible part, or None without a timeline."""
        if self.bands is None:
            return None
        width, (low, high) = max(round(self.area.rect().width()), 1), self.area.span
        columns = self._columns
        if columns is None or (columns.width, columns.low, columns.high) != (width, low, high):
            self._columns = columns = Columns(self.bands, width, low, high)
        return columns

    def extent(self, step: int) -> QRectF | None:
        """Return the rectangle of a step in the area, down to the last row, or None if it is not visible."""
        columns = self.columns
        edges = columns.edges_of(step) if columns is not None else None
        return QRectF(edges[0], 0, edges[1] - edges[0], self.lanes.area.height()) if edges is not None else None

    def draw(self, painter: QPainter) -> None:
        """Draw rows and blocks."""
        columns = self.columns
        if columns is None:
            return
        for number, row in enumerate(self.lanes.rows):
            painter.fillRect(row, self.look.colour("field"))
            if columns.bands.shading is None:
                self._draw_utilisation(painter, row, columns, number)
            else:
                self._draw_heat(painter, row, columns.strongest[:, number], columns.bands.shading)
        painter.setFont(self.look.small)
        Blocks(painter, self, columns).draw()

    def _draw_utilisation(self, painter: QPainter, row: QRectF, columns: Columns, number: int) -> None:
        heat = lookup_table(self._map, self.look.theme.dark)
        busiest, mean = (values[:, number] for values in columns.values)
        _fill_mean(painter, row, mean, heat)
        painter.setPen(self.look.pen(QColor(*heat[-1].tolist()), 1.4))
        painter.drawLines(_busiest_lines(row, busiest))

    def _draw_heat(self, painter: QPainter, row: QRectF, values: Values, shading: Shading) -> None:
        heat, missing = lookup_table(shading.map, self.look.theme.dark), self.look.colour("missing")
        places = np.where(np.isnan(values), -1, np.round(shading.coordinate(values) * (len(heat) - 1)))
        for first, end in runs(places):
            colour = missing if places[first] < 0 else QColor(*heat[int(places[first])].tolist())
            painter.fillRect(QRectF(row.left() + first, row.top(), end - first, row.height()), colour)


def _fill_mean(painter: QPainter, row: QRectF, mean: Values, heat: Heat) -> None:
    parts = np.minimum(np.round(mean, 4), 1.0)
    for first, end in runs(parts):
        if (part := float(parts[first])) > 0:
            high = max(round(part * row.height()), 1)
            colour = QColor(*heat[round(part * (len(heat) - 1))].tolist())
            painter.fillRect(QRectF(row.left() + first, row.bottom() - high, end - first, high), colour)


def _busiest_lines(row: QRectF, busiest: Values) -> list[QLineF]:
    # Inset by half the line's width, so that 0 and 100 % are visible.
    lines, before = list[QLineF](), None
    for first, end in runs(busiest):
        y = row.bottom() - 0.5 - min(float(busiest[first]), 1.0) * (row.height() - 1)
        x = row.left() + first
        if before is not None:
            lines.append(QLineF(x, before, x, y))
        lines.append(QLineF(x, y, row.left() + end, y))
        before = y
    return lines


class Blocks:
    """One drawing of the blocks: a block for each step that is wide enough, and bands of all others."""

    def __init__(self, painter: QPainter, steps: Steps, columns: Columns) -> None:
        self._painter, self._columns, self._area = painter, columns, steps.lanes.blocks
        self._theme, self._metrics = steps.look.theme, steps.look.metrics
        self._bands = columns.bands
        self._steps = self._bands.timeline.steps

    def draw(self) -> None:
        """Draw bands, then blocks."""
        fill = blend(self._theme.panel, self._theme.text, 0.13)
        for first, end, step in self._columns.merged:
            self._painter.fillRect(self._between(first, end), fill)
            self._mark(step, first, end)
        if self._columns.merged:
            self._count_merged()
        self._draw_blocks()

    def _between(self, first: int, end: int) -> QRectF:
        return QRectF(self._area.left() + first, self._area.top(), end - first, self._area.height())

    def _mark(self, step: int, first: int, end: int) -> None:
        area = self._between(first, end)
        area.setHeight(MARK_PX)
        self._painter.fillRect(area, mark_colour(self._bands, self._steps[step].bottleneck, self._theme))

    def _count_merged(self) -> None:
        # The number of steps, in the widest merged run.
        text = plural(self._columns.steps.size - self._columns.own.size, self._bands.timeline.noun)
        first, end, _ = max(self._columns.merged, key=lambda run: run[1] - run[0])
        if self._metrics.horizontalAdvance(text) + 8 <= end - first:
            self._painter.setPen(QColor(self._theme.text))
            self._painter.drawText(self._between(first, end).adjusted(0, MARK_PX, 0, 0), CENTRE, text)

    def _draw_blocks(self) -> None:
        painter, steps, edges = self._painter, self._columns.steps, self._columns.edges
        fill = blend(self._theme.panel, self._theme.text, 0.07)
        rim = blend(self._theme.panel, self._theme.text, 0.2)
        later, every = list[tuple[QRectF, str]](), self._numbered()
        for place in self._columns.own.tolist():
            step, (first, end) = int(steps[place]), edges[place].tolist()
            # Without barriers the next step may begin before this one ends.
            if place + 1 < steps.size and steps[place + 1] == step + 1:
                end = min(end, max(int(edges[place + 1, 0]), first + BLOCK_PX))
            area = self._between(first, end)
            painter.fillRect(area, fill)
            painter.fillRect(QRectF(area.right() - 1, area.top(), 1, area.height()), rim)
            self._mark(step, first, end - 1)
            room = area.adjusted(2, MARK_PX, -3, 0)
            if every > 1 and (step + 1) % every == 0:
                later.append((room, f"{step + 1:,}"))
            elif every == 1:
                self._name(step, room)
        painter.setPen(QColor(self._theme.text))
        for room, number in later:
            painter.drawText(self._inside(room.center().x(), number, room), CENTRE, number)

    def _inside(self, centre: float, text: str, room: QRectF) -> QRectF:
        # A text is wider than its block: at the ends of the area it would be cut off.
        half = self._metrics.horizontalAdvance(text) / 2 + 1
        centre = max(min(centre, self._area.right() - half), self._area.left() + half)
        return QRectF(centre - half, room.top(), 2 * half, room.height())

    def _numbered(self) -> int:
        # The stride of labelled steps: 1 where a number fits most of them.
        own = self._columns.own
        wide = self._metrics.horizontalAdvance(f"{len(self._steps):,}") + 5
        typical = float(np.median(np.diff(self._columns.edges[own], axis=1))) if own.size else wide
        return 1 if wide <= typical else round(nice_step(1.4 * wide / typical))

    def _name(self, step: int, room: QRectF) -> None:
        name = self._steps[step].name
        forms = (name, name.partition(": ")[2] or name)
        text = next((form for form in forms if self._metrics.horizontalAdvance(form) <= room.width()), "")
        # Numbers only where the longest fits, so that not only the first few have one.
        if not text and self._metrics.horizontalAdvance(f"{len(self._steps):,}") <= room.width():
            text = f"{step + 1:,}"
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(room, CENTRE, text)


class Extent(Drawing):
    """The outline of a step over blocks and rows: the cursor, or the step under the pointer.

    Parameters
    ----------
    role
        Its colour in the theme.
    width
        Pixels of its line at scale 1.
    """

    def __init__(self, steps: Steps, role: str, width: int) -> None:
        self._rect = QRectF()
        super().__init__(steps.area, z=width)
        self._steps, self._role, self._width = steps, role, width
        self.step: int | None = None

    def show_step(self, step: int | None) -> None:
        """Outline another step, or none."""
        if step != self.step:
            self.step = step
            self.follow()

    def follow(self) -> None:
        """Move to the current place of the step."""
        rect = self._steps.extent(self.step) if self.step is not None else None
        if (rect or QRectF()) != self._rect:
            self.prepareGeometryChange()
            self._rect = rect or QRectF()
        if rect is not None:
            self.update()

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the step, with the line."""
        more = 2.0 * self._width * self.look.theme.scale if not self._rect.isEmpty() else 0.0
        return self._rect.adjusted(-more, 0, more, 0)

    def dress(self, look: Look) -> None:
        """Apply a theme and font."""
        self.prepareGeometryChange()
        super().dress(look)

    def draw(self, painter: QPainter) -> None:
        """Draw it, with a line where the step begins."""
        rect, columns = self._rect, self._steps.columns
        if rect.isEmpty() or columns is None or self.step is None:
            return
        colour = self.look.colour(self._role)
        blocks, heat = self._steps.lanes.blocks, columns.bands.shading is not None
        # The colours of a heatmap have to stay as in its scale.
        filled = rect if not heat else QRectF(rect.left(), blocks.top(), rect.width(), blocks.height())
        painter.fillRect(filled, translucent(colour, 26 * self._width))
        if heat:
            painter.setPen(self.look.pen(colour, self._width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(self._width / 2, 0, -self._width / 2, 0))
        if columns.bands.times[0][self.step] < columns.low:
            return  # it began before
        painter.setPen(QPen(colour, self._width * self.look.theme.scale))
        x = round(rect.center().x() if rect.width() < BLOCK_PX else rect.left()) + self._width / 2
        painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()))

    def _on_area_changed(self, *_: object) -> None:
        self.follow()


class Heading(PlacedPart):
    """The line above a timeline in a comparison: its first part in bold, the others dim at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""

    def say(self, text: str) -> None:
        """Write another text."""
        if text != self._text:
            self._text = text
            self.update()

    def draw(self, painter: QPainter) -> None:
        """Write it."""
        first, _, rest = self._text.partition(" · ")
        area = QRectF(EDGE, BETWEEN, self.size().width() - 2 * EDGE, self.size().height() - 2 * BETWEEN)
        bold = scaled_font(self.look.font, SMALL, bold=True)
        painter.setFont(bold)
        painter.setPen(self.look.colour("text"))
        painter.drawText(area, LINE, first)
        painter.setFont(self.look.small)
        painter.setPen(self.look.colour("dim"))
        area.setLeft(area.left() + QFontMetricsF(bold).horizontalAdvance(first) + 12)
        text = self.look.metrics.elidedText(rest, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


class Names(PlacedPart):
    """The names of the rows at the left, each with its share of the whole time."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._steps = steps

    def draw(self, painter: QPainter) -> None:
        """Write them."""
        bands, lanes = self._steps.bands, self._steps.lanes
        if bands is None:
            return
        painter.setFont(self.look.small)
        painter.setPen(self.look.colour("dim"))
        where = QRectF(EDGE, 0, self.size().width() - EDGE, lanes.blocks.height())
        painter.drawText(where, LINE, f"{bands.timeline.noun.capitalize()}s")
        for number, row in enumerate(lanes.rows):
            self._write(painter, bands, number, row)

    def _write(self, painter: QPainter, bands: Bands, number: int, row: QRectF) -> None:
        metrics, right = self.look.metrics, self.size().width()
        name, (figure, share) = bands.names[number], bands.figure_of(number)
        two = two_lines(row, metrics)
        top = row.center().y() - (1.0 if two else 0.5) * metrics.height()
        mark = self.look.colour("dim") if bands.items[number] else mark_colour(bands, name, self.look.theme)
        painter.fillRect(QRectF(EDGE, top + 2, MARK_PX, metrics.height() - 4), mark)
        painter.setFont(scaled_font(self.look.font, SMALL, bold=True))
        painter.setPen(self.look.colour("text"))
        left, bold = EDGE + MARK_PX + 6.0, QFontMetricsF(painter.font())
        written = fitting((name,), right - EDGE - MARK_PX - 12, bold)
        painter.drawText(QPointF(left, top + metrics.ascent()), written)
        painter.setFont(self.look.small)
        painter.setPen(self.look.colour("dim"))
        if two:
            text = fitting((figure, share), right - 4 - left, metrics)
            painter.drawText(QPointF(left, top + metrics.height() + metrics.ascent()), text)
            return
        after = left + bold.horizontalAdvance(name) + 6
        if after + metrics.horizontalAdvance(share) <= right - 4:
            painter.drawText(QPointF(after, top + metrics.ascent()), share)


class Ends(PlacedPart):
    """The values at the top and the bottom of rows, at the right of the first row; of heatmaps the colour scale."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._steps = steps

    def draw(self, painter: QPainter) -> None:
        """Write it, if there is room for two lines."""
        rows, metrics, bands = self._steps.lanes.rows, self.look.metrics, self._steps.bands
        if not rows or bands is None:
            return
        painter.setFont(self.look.small)
        painter.setPen(self.look.colour("dim"))
        if bands.shading is not None and bands.counters is not None:
            self._draw_scale(painter, bands, bands.shading, bands.counters.unit)
        elif two_lines(rows[0], metrics):
            painter.drawText(QPointF(5, rows[0].top() + metrics.ascent() - 2), FULL)
            painter.drawText(QPointF(5, rows[0].bottom()), "0")

    def _draw_scale(self, painter: QPainter, bands: Bands, shading: Shading, unit: str) -> None:
        lanes, metrics = self._steps.lanes, self.look.metrics
        bar = QRectF(5, lanes.rows[0].top(), SCALE_PX, lanes.area.bottom() - lanes.rows[0].top())
        gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
        heat = lookup_table(shading.map, self.look.theme.dark)
        for k in range(0, len(heat), 15):
            gradient.setColorAt(k / (len(heat) - 1), QColor(*heat[k].tolist()))
        painter.fillRect(bar, gradient)
        low, high = bands.ends
        painter.drawText(QPointF(bar.right() + SCALE_GAP, bar.top() + metrics.ascent() - 2), high)
        painter.drawText(QPointF(bar.right() + SCALE_GAP, bar.bottom()), low)
        room = QRectF(5, lanes.blocks.top(), self.size().width() - 5, lanes.blocks.height())
        painter.drawText(room, LINE, fitting((unit,), room.width(), metrics))


def two_lines(row: QRectF, metrics: QFontMetricsF) -> bool:
    """Return whether a row has room for two lines of text."""
    return row.height() >= 2 * metrics.height()


class Readout(PlacedPart):
    """A box with lines of text, above everything else."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self.setZValue(20)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def say(self, lines: list[str], step: QRectF, x: float, y: float, seen: QRectF) -> None:
        """Write lines next to a step, or next to the pixel `x` if the step leaves no room; below `y`.

        `seen`: the visible part of the chart, without the names at the left.
        """
        metrics = self.look.metrics
        wide = max(map(metrics.horizontalAdvance, lines)) + 16
        high = len(lines) * metrics.height() + 10
        both = (step.left(), step.right()), (x, x)
        places = [place for left, right in both for place in (right + BESIDE, left - BESIDE - wide)]
        free = (place for place in places if seen.left() <= place and place + wide <= seen.right() - EDGE)
        x = next(free, max(step.left() - BESIDE - wide, EDGE))
        y = max(min(y + BETWEEN, seen.bottom() - high - 2), seen.top() + 2)
        self._lines = lines
        self.setGeometry(QRectF(round(x), round(y), wide + 1, high + 1))
        self.show()
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Write it."""
        theme, metrics = self.look.theme, self.look.metrics
        box = QRectF(0.5, 0.5, self.size().width() - 1, self.size().height() - 1)
        draw_veil(painter, box, theme)
        painter.setBrush(QColor(theme.panel))
        painter.setPen(self.look.pen(theme.accent, 1))
        painter.drawRoundedRect(box, 5, 5)
        painter.setFont(self.look.small)
        for k, line in enumerate(self._lines):
            painter.setPen(self.look.colour("dim" if k else "text"))
            painter.drawText(QPointF(8.5, 5.5 + k * metrics.height() + metrics.ascent()), line)
