"""The chart of the timeline: one or two timelines above each other and the rows of ranks, zoomed together."""

from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from app.model.pointing import Item
from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import Axis
from app.views.charts.kit.caption import PlacedPart
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.scales import Mark as Tick
from app.views.charts.kit.scales import round_marks
from app.views.charts.timeline_lanes import HEAD_PX, Bands, Content, Lanes, Mark, layout_for, unit_of
from app.views.charts.timeline_ranks import RankHead, RankNumbers, RankRows, Waiting
from app.views.charts.timeline_steps import Ends, Extent, Heading, Names, Readout, Steps
from app.views.drawing import EDGE
from core.job.measure import UNTIMED

AXIS_GAP = 4
"""Pixels between the rows and the figures of the time axis."""


class TimeAxis(Axis):
    """The time below a timeline, which can be dragged too."""

    def __init__(self, area: Area) -> None:
        super().__init__("bottom", area, gap=AXIS_GAP, base=0.3, beyond=EDGE)

    def show_time(self, seconds: float, *, timed: bool) -> None:
        """Write the time of an axis of some length, or that there is none."""
        unit, size = unit_of(seconds)
        # A bound method would keep the axis alive.
        self.set_marks(partial(_time_marks, size) if timed else ())
        self.set_unit(unit if timed else UNTIMED)


def _time_marks(unit: float, low: float, high: float, limit: int) -> list[Tick]:
    # One of two figures may be too near to the unit, and a single figure shows no length.
    denser = (round_marks(low / unit, high / unit, more) for more in range(limit, 2 * limit + 2))
    marks = next((ticks for ticks in denser if len(ticks) > 2), round_marks(low / unit, high / unit, limit))
    return [tick._replace(value=tick.value * unit) for tick in marks]


class Strip:
    """The parts of one timeline."""

    def __init__(self) -> None:
        self.area = Area(zoom=Zoom.ALWAYS, picks=True, overhang=1)
        self.steps = Steps(self.area)
        self.cursor, self.pointed = Extent(self.steps, "accent", 2), Extent(self.steps, "text", 1)
        self.axis = TimeAxis(self.area)
        self.heading, self.names, self.ends = Heading(), Names(self.steps), Ends(self.steps)
        self.lanes = Lanes(QRectF(), QRectF(), ())
        """In pixels of the chart."""

    @property
    def parts(self) -> tuple[Area | Axis | PlacedPart, ...]:
        """Return the items to be added to a chart."""
        return self.area, self.axis, self.heading, self.names, self.ends

    def show_bands(self, bands: Bands, heading: str, colour_map: str) -> None:
        """Show a timeline."""
        self.steps.show_bands(bands, colour_map)
        self.heading.say(heading)
        self.names.update()

    def place(self, lanes: Lanes, width: float) -> None:
        """Set the places of all parts in a chart of some width."""
        self.lanes = lanes
        area = lanes.area
        self.area.setGeometry(area)
        self.steps.place(lanes)
        self.axis.setGeometry(QRectF(area.left(), area.bottom(), area.width(), self.axis.maximumHeight()))
        self.heading.setGeometry(QRectF(0, lanes.head.top(), width, lanes.head.height()))
        self.names.setGeometry(QRectF(0, area.top(), area.left(), area.height()))
        self.ends.setGeometry(QRectF(area.right(), area.top(), width - area.right(), area.height()))
        self.follow()

    def follow(self) -> None:
        """Move the outlines to the current places of the steps."""
        self.cursor.follow()
        self.pointed.follow()

    def step_at(self, where: QPointF) -> int | None:
        """Return the step at a point of the chart, or None if there is none."""
        columns, area = self.steps.columns, self.lanes.area
        if columns is None or not area.adjusted(0, -2, 1, 2).contains(where):
            return None
        return columns.step_at(where.x() - area.left())


class TimelineChart(Chart):
    """Blocks and rows of one or two timelines, with the rows of ranks below."""

    picked = Signal(object)
    """A `Mark` was pressed, or the pointer was dragged to it."""
    named = Signal(object)
    """The name of a pinned `Item` was pressed."""
    pointed = Signal(object)
    """The pointer is at a `Mark`, or None: elsewhere, or dragging."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = Content()
        self.strips: list[Strip] = []
        """Of the timelines that are shown."""
        self._spare: list[Strip] = []
        self.ranks = RankRows(Area(zoom=Zoom.WITH_CTRL, picks=True))
        self._rank_head, self._rank_numbers = RankHead(), RankNumbers(self.ranks)
        self._waiting = Waiting(self.ranks)
        self._readout = Readout()
        for part in (*self._rank_parts, self._readout):
            part.setParentItem(self.ci)
        self.ranks.area.sigXRangeChanged.connect(self._on_range_changed)
        self._held, self._alone = False, False
        self._pointer: QPointF | None = None
        self._cursor: int | None = None
        self.hovered.connect(self._on_hovered)
        self.pointer_left.connect(self._on_pointer_left)

    @property
    def _rank_parts(self) -> tuple[Area | PlacedPart, ...]:
        return self.ranks.area, self._rank_head, self._rank_numbers

    @property
    def linked(self) -> list[Area]:
        """Return the areas that show the same part of the time."""
        return [*(strip.area for strip in self.strips), *([self.ranks.area] if self.content.ranks else [])]

    @property
    def zoomed(self) -> bool:
        """Return whether only a part of the time is shown."""
        return any(area.zoomed for area in self.linked)

    def show_timelines(self, content: Content) -> None:
        """Show other timelines. The same part of the time stays visible while the job has as many steps as before."""
        if content == self.content:
            return
        before, self.content = self.content, content
        self._make_strips(len(content.bands))
        for strip, bands, heading in zip(self.strips, content.bands, content.headings, strict=True):
            strip.show_bands(bands, heading, content.colour_map)
        self.ranks.show_ranks(content.ranks)
        for part in self._rank_parts:
            part.setVisible(content.ranks is not None)
        self._show_time(kept=_steps(before) == _steps(content))
        self.arrange()

    def _make_strips(self, count: int) -> None:
        strips = [*self.strips, *self._spare]
        while len(strips) < count:
            strips.append(strip := Strip())
            for part in strip.parts:
                part.setParentItem(self.ci)
            strip.area.sigXRangeChanged.connect(self._on_range_changed)
        self.strips, self._spare = strips[:count], strips[count:]
        for number, strip in enumerate(strips):
            for part in strip.parts:
                part.setVisible(number < count)
        self.dress_parts()

    def _show_time(self, *, kept: bool) -> None:
        """Set the length of the time axes; `kept`: the same part of it is shown as before."""
        if not self.strips:
            return
        seconds = max(bands.timeline.seconds for bands in self.content.bands)
        first = self.strips[0].area
        (_, was), (low, high) = (first.home or ((0.0, seconds), ()))[0], first.span
        kept = kept and first.zoomed
        self._alone = True
        for area in self.linked:
            area.set_home((0.0, seconds), (0.0, 1.0))
        self._alone = False
        for strip, bands in zip(self.strips, self.content.bands, strict=True):
            strip.axis.show_time(seconds, timed=bands.timeline.timed)
        if kept:
            self.show_span(low / was * seconds, high / was * seconds)

    def show_span(self, low: float, high: float) -> None:
        """Show a part of the time, in seconds."""
        for area in self.linked:
            area.show_span(low, high)

    def show_part_of(self, other: "TimelineChart") -> None:
        """Show the same part of the time as another chart."""
        if self.strips and other.strips:
            self.show_span(*other.strips[0].area.span)

    def enlarge(self, factor: float) -> bool:
        """Zoom around the cursor if it is visible, else around the middle."""
        if not self.strips:
            return False
        extent = self.strips[-1].steps.extent(self._cursor) if self._cursor is not None else None
        area = self.strips[-1].area
        area.enlarge(factor, area.values_at(extent.center())[0] if extent is not None else None)
        return True

    def move_cursor(self, step: int | None) -> None:
        """Put the cursor on another step, or hide it; a step that is not visible is moved into the visible part."""
        if step == self._cursor:
            return
        self._cursor = step
        for strip in self.strips:
            strip.cursor.show_step(step)
        if step is not None and not self._held:
            self._reveal(step)

    def _reveal(self, step: int) -> None:
        begins, ends = self.content.bands[-1].times
        begin, end = float(begins[step]), float(ends[step])
        low, high = self.strips[-1].area.span
        wide = high - low
        if end <= low or begin >= high:
            low = max((begin + end - wide) / 2, 0.0) if end - begin < wide else begin
        elif end - begin < wide:
            low = min(max(low, end - wide), begin)
        self.show_span(low, low + wide)

    def read_out(self, mark: Mark | None) -> None:
        """Read out a step, row or rank, or clear the readout for None."""
        mark = mark if mark is not None and self._has(mark) else None
        for number, strip in enumerate(self.strips):
            pointed = mark is not None and mark.chart == number and mark.step != self._cursor
            strip.pointed.show_step(mark.step if mark is not None and pointed else None)
        rank = mark.rank if mark is not None else None
        self._waiting.show_of(rank, mark.step if mark is not None else 0)
        extent = self.strips[mark.chart].steps.extent(mark.step) if mark is not None else None
        if mark is None or extent is None:
            self._readout.hide()
            return
        lines, y = self._lines_for(mark)
        area = self.strips[mark.chart].lanes.area
        step, seen = extent.translated(area.topLeft()), self.seen
        pointer = self._pointer if self._pointer is not None else step.center()
        seen.setLeft(area.left())
        self._readout.say(lines, step, pointer.x(), y, seen)

    def _lines_for(self, mark: Mark) -> tuple[list[str], float]:
        """Return the readout of a mark, and the pixel below which it is written."""
        if mark.rank is not None and self.content.ranks is not None:
            y = self.ranks.area.frame.top() + (mark.rank + 1) * self.ranks.each
            return self.content.ranks.readout(mark.rank, mark.step), y
        lines = self.content.bands[mark.chart].readout(mark.step, mark.row)
        return lines, self.strips[mark.chart].lanes.blocks.bottom()

    def _has(self, mark: Mark) -> bool:
        """Return whether the timeline, the row and the rank of a mark are still shown."""
        if mark.chart >= len(self.strips) or (mark.rank is not None and self.content.ranks is None):
            return False
        bands = self.content.bands[mark.chart]
        return mark.step < len(bands.timeline.steps) and (mark.row is None or mark.row < len(bands.items))

    def mark_at(self, where: QPointF) -> Mark | None:
        """Return the step at a point, and the row or rank."""
        for chart, strip in enumerate(self.strips):
            step = strip.step_at(where)
            if step is not None:
                return Mark(step, strip.lanes.row_at(where.y()), chart=chart)
        if self.content.ranks is None:
            return None
        place = self.ranks.at(self.ranks.area.mapFromScene(where))
        return Mark(place[1], None, place[0], len(self.strips) - 1) if place is not None else None

    def item_at(self, where: QPointF) -> Item | None:
        """Return the pinned item whose row is at a point."""
        rows = (
            (bands, strip.lanes.row_at(where.y())) for bands, strip in zip(self.content.bands, self.strips, strict=True)
        )
        return next((bands.items[row] for bands, row in rows if row is not None), None)

    def arrange(self) -> None:
        """Lay out the timelines for the size."""
        size, theme = QSizeF(self.size()), self.look.theme
        ranks_head = theme.px(HEAD_PX) if self.content.ranks is not None else None
        layout = layout_for(self.content.bands, size, self.look.font, ranks_head=ranks_head)
        for strip, lanes in zip(self.strips, layout.lanes, strict=True):
            strip.place(lanes, size.width())
        if ranks_head is not None:
            rows = layout.ranks
            self.ranks.area.setGeometry(rows)
            self._rank_head.left = rows.left()
            self._rank_head.setGeometry(QRectF(0, rows.top() - ranks_head, size.width(), ranks_head))
            self._rank_numbers.setGeometry(QRectF(0, rows.top(), rows.left(), rows.height()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the step under the pointer; left of the time axis, the item of the row."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole timeline, or press again if all of it is visible."""
        if event.button() == Qt.MouseButton.LeftButton and self.show_all():
            event.accept()
            return
        super().mouseDoubleClickEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick(event)

    def _pick(self, event: QMouseEvent) -> None:
        where = event.position()
        item, mark = self.item_at(where), self.mark_at(where)
        if self.strips and where.x() < self.strips[-1].lanes.area.left():
            if item is not None:
                event.accept()
                self.named.emit(item)
            return
        self._held = mark is not None or any(area.frame.contains(where) for area in self.linked)
        if mark is not None:
            event.accept()
            self.picked.emit(mark)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pick the step at the pointer while the button is held; it may leave the chart."""
        self._held = self._held and bool(event.buttons() & Qt.MouseButton.LeftButton)
        super().mouseMoveEvent(event)
        if self._held and self.strips:
            area = self.strips[-1].lanes.area
            x = min(max(event.position().x(), area.left()), area.right() - 1)
            mark = self.mark_at(QPointF(x, area.center().y()))
            if mark is not None:
                self.picked.emit(mark)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        super().mouseReleaseEvent(event)
        self._held = False

    def _on_hovered(self, where: QPointF) -> None:
        self._pointer = where
        self.pointed.emit(None if self._held else self.mark_at(where))

    def _on_pointer_left(self) -> None:
        self._pointer = None
        self.pointed.emit(None)

    def _on_range_changed(self, changed: Area, span: tuple[float, float]) -> None:
        if self._alone:
            return
        self._alone = True
        for area in self.linked:
            if area is not changed:
                area.setXRange(*span, padding=0)
        self._alone = False
        if self._pointer is not None:
            self._on_hovered(self._pointer)


def _steps(content: Content) -> list[int]:
    return [len(bands.timeline.steps) for bands in content.bands]
