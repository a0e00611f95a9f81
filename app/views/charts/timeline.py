"""The timeline: when each step of the job runs, and the utilisation of each class and pinned item."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.model.changes import ChangeSet
from app.model.evaluation import WatchedItems
from app.model.pointing import Item, title
from app.model.scenario_diff import alike, distinguishing_name
from app.model.state_groups import SearchPhase
from app.session.session import Session
from app.session.timekeeper import STOPPED
from app.views.charts.axes import ChartView, PointedChart
from app.views.charts.player import Player
from app.views.charts.timeline_lanes import Bands, Lanes, axis_left, axis_width, lanes_for, least_height
from app.views.charts.timeline_plot import TimelinePainter, readout
from app.views.charts.timeline_ranks import HEAD_PX, MIN_PX, RankLane
from app.views.drawing import draw_focus, draw_message
from app.widgets.layouts import column, row, scroll_area
from app.widgets.painting import painter_on
from app.widgets.progress_bar import ProgressBar
from app.wording.names import step_title
from app.wording.numbers import EQUAL
from core.load.scenario import Case
from core.text import duration, figure, plural
from core.timing.timeline import Timeline

FINDING_TIMES = "Finding out when each step runs …"
NO_STEPS = "No link carries anything, and nothing takes time."
WAS_STOPPED = "It was stopped before it was known when each step runs."
ABOVE_RANKS = 1.4
"""Height of what is above the rows of ranks, relative to its least height."""
LOADED = ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TOPOLOGY
CHANGES = LOADED | ChangeSet.TIME | ChangeSet.TOOL | ChangeSet.COMPARISON


class Mark(NamedTuple):
    """The step and row at a point of the plot."""

    step: int
    row: int | None
    """The row; None: it is on the blocks, or between rows."""
    rank: int | None = None
    """The rank whose row it is on."""
    chart: int = 0
    """The index of the timeline, of two above each other."""


class TimelinePlot(PointedChart, QWidget):
    """The blocks and rows."""

    def __init__(self, view: "TimelineView") -> None:
        super().__init__()
        self._view = view
        self.setMouseTracking(True)
        self.setMinimumHeight(60)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw them."""
        with painter_on(self, smooth=True) as painter:
            seen = QRectF(self.visibleRegion().boundingRect())
            self._view.draw_seen(painter, QSizeF(self.size()), seen)
            if self.hasFocus():
                draw_focus(painter, seen, self._view.state.style.theme)

    def mark_at(self, where: QPointF) -> Mark | None:
        """Return the step at a point, and the row or rank."""
        drawn = self._drawn
        for chart, lanes in enumerate(drawn.charts):
            step = lanes.step_at(where)
            if step is not None:
                return Mark(step, lanes.row_at(where.y()), chart=chart)
        found = drawn.ranks.at(where) if drawn.ranks is not None else None
        return Mark(found[1], None, found[0], len(drawn.charts) - 1) if found is not None else None

    def point_at(self, mark: Mark | None) -> None:
        """Read out a step, or none."""
        if mark != self._view.pointed:
            self._view.pointed = mark
            self.update()

    def item_at(self, where: QPointF) -> Item | None:
        """Return the pinned item whose row is at a point."""
        rows = ((lanes, lanes.row_at(where.y())) for lanes in self._drawn.charts)
        return next((lanes.bands.items[row] for lanes, row in rows if row is not None), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the cursor to the step under the pointer; left of the plot, select the row's item."""
        at, charts = event.position(), self._drawn.charts
        if event.button() != Qt.MouseButton.LeftButton or not charts:
            return
        if at.x() >= charts[-1].blocks.left():
            self._go(self.mark_at(at))
            return
        item = self.item_at(at)
        if item is not None:
            self._view.session.select(item)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the cursor; else read out what is under the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            for lanes in self._drawn.charts[-1:]:
                x = min(max(event.position().x(), lanes.area.left()), lanes.area.right() - 1)
                self._go(self.mark_at(QPointF(x, lanes.area.center().y())))
            self.point_at(None)
        else:
            super().mouseMoveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu to remove rows."""
        self._view.menu_for(self.item_at(QPointF(event.pos()))).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor."""
        if self._view.player.press(Qt.Key(event.key())):
            self.point_at(None)  # a readout at the pointer would hide the cursor
        else:
            super().keyPressEvent(event)

    @property
    def _drawn(self) -> "Drawn":
        return self._view.drawn(QSizeF(self.size()))

    def _go(self, mark: Mark | None) -> None:
        if mark is not None:
            self._view.player.go_to(mark.step)


class Drawn(NamedTuple):
    """The charts drawn, with their places."""

    charts: tuple[Lanes, ...] = ()
    """The lanes of the timeline on screen; in a comparison those of A first."""
    ranks: RankLane | None = None


def _has(drawn: Drawn, mark: Mark) -> bool:
    """Return whether the chart and the row of a mark are still drawn."""
    if mark.chart >= len(drawn.charts):
        return False
    return mark.row is None or mark.row < len(drawn.charts[mark.chart].bands.items)


class TimelineView(ChartView):
    """A row for each link class and pinned item over time, below a block for each step."""

    id = "timeline"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.pointed: Mark | None = None
        """The mark read out."""
        self.plot = TimelinePlot(self)
        self._bands: list[Bands] = []
        self._kept: tuple[object, QPixmap] | None = None
        """The picture of the lanes, with what it was drawn from."""
        self._bar, self._stop = ProgressBar(160), QPushButton("Cancel")
        self._stop.clicked.connect(self._on_stop_clicked)
        self._waiting = QWidget()
        row(self._bar, self._stop, None, of=self._waiting, margins=(12, 0, 12, 4))
        self._waiting.hide()
        self.cover.hole = self._waiting
        self.player = Player(session)
        column(self.player, (scroll_area(self.plot), 1), self._waiting, of=self, spacing=0)

    @property
    def timeline(self) -> Timeline | None:
        """Return the timeline drawn: until the new one is known, the last, if job and network are the same."""
        found = self.state.time.timeline
        alike = found is not None and _alike(found.case, self.state.evaluation.case)
        return found if alike and not self.state.time.timeline_refused else None

    @property
    def outdated(self) -> bool:
        """Return whether the timeline drawn is of an earlier state; it is found after the loads."""
        return super().outdated or (self.timeline is not None and self.session.timekeeper.behind)

    @property
    def timelines(self) -> tuple[Timeline, ...]:
        """Return all timelines drawn: in a comparison A's first, once it is known."""
        found, first = self.timeline, self.state.time.reference_timeline
        both = self.state.compared_pair
        if found is None or first is None or both is None or first.case is not both[0].case:
            return (found,) if found is not None else ()
        return first, found

    def refresh(self, changes: ChangeSet) -> None:
        """Request the timeline of what is on screen, or show it."""
        if not changes & CHANGES:
            return
        self.session.timekeeper.look()
        self.session.watcher.look()
        timeline, time = self.timeline, self.state.time
        if timeline is None or (self.pointed is not None and self.pointed.step >= len(timeline.steps)):
            self.pointed = None
        stopped = time.timeline_refused == STOPPED
        self._waiting.setVisible(time.timeline_progress is not None or stopped)
        self._bar.setVisible(not stopped)
        self._stop.setText("Find out" if stopped else "Cancel")
        self._bar.show_fraction(time.timeline_progress or 0.0)
        self.player.show_state(timeline, self._words())
        self.subtitle_changed.emit(self.subtitle())
        self.plot.setMinimumHeight(self._least_height())
        self.plot.update()

    @property
    def under_cursor(self) -> int | None:
        """Return the step under the cursor; None: there is no cursor, or a search is shown."""
        step, timeline = self.state.time.step, self.timeline
        if self.state.search.phase is SearchPhase.RUNNING:
            return None
        return step if step is not None and timeline is not None and step < len(timeline.steps) else None

    def lanes(self, size: QSizeF) -> Lanes | None:
        """Return the lanes of the timeline on screen in a picture of some size; None: there is none."""
        return next(iter(self.drawn(size).charts[-1:]), None)

    def drawn(self, size: QSizeF) -> Drawn:
        """Return the layout in a picture of some size."""
        found, font = self.timelines, self.font()
        seconds = max((timeline.seconds for timeline in found), default=0.0)
        if seconds <= 0:
            return Drawn()
        watched = [self._watched(timeline) for timeline in found]
        left = axis_left(list(found), any(watched), font)
        width = axis_width(size.width(), left, font)
        self._bands = [self._bands_of(*one, width, seconds) for one in zip(found, watched, strict=True)]
        needed = [self._height_of(timeline) for timeline in found]
        whole = min(ABOVE_RANKS * sum(needed), size.height()) if self._ranked else size.height()
        top, charts = 0.0, []
        for bands, need, heading in zip(self._bands, needed, self._headings(found), strict=True):
            area = QRectF(0, top, size.width(), whole * need / sum(needed))
            charts.append(lanes_for(bands, area, left, font, heading))
            top = area.bottom()
        if not self._ranked:
            return Drawn(tuple(charts))
        begun = self.state.time.begun
        head = self.state.style.theme.px(HEAD_PX)
        below = QRectF(left, top + head, width, max(size.height() - top - head, 0))
        known = begun[1] if begun is not None and begun[0] is found[-1] else None
        return Drawn(tuple(charts), RankLane(found[-1], known, below, seconds))

    def draw(self, painter: QPainter, size: QSizeF, *, for_file: bool = False) -> None:
        """Draw the timeline with the cursor, or a message why there is none."""
        self._draw_lanes(painter, size)
        self._draw_cursor(painter, size, QRectF(QPointF(), size))

    def _draw_lanes(self, painter: QPainter, size: QSizeF) -> None:
        charts, refused = self.drawn(size).charts, self.state.time.timeline_refused
        for lanes in charts:
            TimelinePainter(painter, lanes, self.state, self.font()).draw()
        if not charts:
            text = NO_STEPS if self.timeline is not None else FINDING_TIMES
            if refused:
                text = WAS_STOPPED if refused == STOPPED else refused
            draw_message(painter, QRectF(QPointF(), size), text, self.state.style.theme.dim, self.font())

    def _draw_cursor(self, painter: QPainter, size: QSizeF, seen: QRectF) -> None:
        """Draw what changes with the cursor, and the visible rows of ranks."""
        drawn, theme, cursor = self.drawn(size), self.state.style.theme, self.under_cursor
        if cursor is not None:
            for lanes in drawn.charts:
                above = TimelinePainter(painter, lanes, self.state, self.font())
                above.draw_extent(cursor, QColor(theme.accent), 2)
        if drawn.ranks is not None:
            drawn.ranks.draw(painter, theme, self.font(), seen)

    def _lanes_pixmap(self, size: QSizeF) -> QPixmap:
        """Return the cached picture of the lanes, which the cursor moves over thirty times a second."""
        drawn, style, ratio = self.drawn(size), self.state.style, self.devicePixelRatioF()
        shown = [(lanes.bands, lanes.heading) for lanes in drawn.charts]
        key = (shown, size, ratio, style.theme, style.scale.map, self.font(), self.state.time.timeline_refused)
        if self._kept is None or self._kept[0] != key or not shown:
            pixmap = QPixmap((size * ratio).toSize())
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(QColor(style.theme.panel))
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw_lanes(painter, size)
            painter.end()
            self._kept = key, pixmap
        return self._kept[1]

    def draw_seen(self, painter: QPainter, size: QSizeF, seen: QRectF) -> None:
        """Draw the same with hover marks; only the rectangle `seen` is visible."""
        painter.drawPixmap(0, 0, self._lanes_pixmap(size))
        self._draw_cursor(painter, size, seen)
        drawn, pointed = self.drawn(size), self.pointed
        if pointed is None or not _has(drawn, pointed):
            return
        lanes = drawn.charts[pointed.chart]
        above = TimelinePainter(painter, lanes, self.state, self.font())
        if pointed.step != self.under_cursor:
            above.draw_extent(pointed.step, QColor(self.state.style.theme.text), 1)
        if pointed.rank is None:
            lines, y = readout(lanes.bands, pointed.step, pointed.row), lanes.blocks.bottom()
        elif drawn.ranks is not None:
            drawn.ranks.draw_waiting(painter, pointed.rank, pointed.step, self.state.style.theme)
            y = drawn.ranks.area.top() + (pointed.rank + 1) * drawn.ranks.each
            lines = drawn.ranks.readout(pointed.rank, pointed.step)
        else:
            return
        above.draw_readout(lines, pointed.step, y, seen)

    def menu_for(self, item: Item | None) -> QMenu:
        """Return the menu of a row, which deletes itself when closed."""
        menu, watcher, case = QMenu(self), self.session.watcher, self.state.evaluation.case
        chosen, pinned = self.state.selection, self.state.time.pinned_items
        if item is not None:
            menu.addAction(f"Remove {title(item, case)}", partial(watcher.unpin, item))
        if chosen is not None and chosen not in pinned:
            menu.addAction(f"Add {title(chosen, case)}", partial(watcher.pin, chosen))
        menu.addAction("Remove all that is pinned", lambda: watcher.unpin()).setEnabled(bool(pinned))
        if self.timeline is not None and self.timeline.rank_times is not None:
            ranks = menu.addAction("A row for each rank", partial(watcher.show_ranks, not self.state.time.ranks))
            ranks.setCheckable(True)
            ranks.setChecked(self.state.time.ranks)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    @property
    def _ranked(self) -> bool:
        """Return whether ranks have rows."""
        found = self.timelines
        return self.state.time.ranks and len(found) == 1 and found[0].rank_times is not None

    def _watched(self, timeline: Timeline) -> WatchedItems | None:
        """Return the rows of pinned items: until new ones are known, the last ones of the same job and network."""
        case, steps = timeline.case, len(timeline.steps)
        found = [
            one
            for one in self.state.time.watched
            if _alike(one.evaluation.case, case) and one.items and len(one.rows.busy) == steps
        ]
        return next((one for one in found if one.evaluation.case is case), next(iter(found), None))

    def _bands_of(self, timeline: Timeline, watched: WatchedItems | None, width: int, seconds: float) -> Bands:
        wanted = timeline, watched, width, seconds
        known = (one for one in self._bands if (one.timeline, one.watched, one.width, one.seconds) == wanted)
        return next(known, None) or Bands(timeline, width, watched, seconds)

    def _headings(self, found: tuple[Timeline, ...]) -> tuple[str, ...]:
        if len(found) == 1:
            return ("",)
        a, b = found
        one, other = a.case.scenario, b.case.scenario
        both = zip("AB", found, ((one, other), (other, one)), strict=True)
        texts = [f"{letter} {distinguishing_name(*pair)} · {_length(timeline)}" for letter, timeline, pair in both]
        times = a.seconds / b.seconds if b.seconds > 0 else 1.0
        if abs(times - 1) > EQUAL and alike(one, other):
            texts[1] += f" · {figure(max(times, 1 / times))} times {'faster' if times > 1 else 'slower'}"
        return tuple(texts)

    def _height_of(self, timeline: Timeline) -> int:
        watched = self._watched(timeline)
        rows = len(timeline.case.network.classes) + (len(watched.items) if watched is not None else 0)
        return least_height(rows, self.font(), headed=len(self.timelines) > 1)

    def _least_height(self) -> int:
        found = self.timelines
        above = sum(self._height_of(timeline) for timeline in found)
        times = found[-1].rank_times if self._ranked else None
        if times is None:
            return max(above, 60)
        return round(ABOVE_RANKS * above) + self.state.style.theme.px(HEAD_PX) + MIN_PX * found[-1].case.job.tasks + 4

    def subtitle(self) -> str:
        """Return the number of steps and their total time."""
        timeline = self.timeline
        if timeline is None:
            return ""
        return " · ".join([_length(timeline), *filter(None, [self._words()])])

    def _words(self) -> str:
        step, timeline = self.under_cursor, self.timeline
        if step is None or timeline is None:
            return ""
        return step_title(step, len(timeline.steps), timeline.steps[step].name)

    def _on_stop_clicked(self) -> None:
        if self.state.time.timeline_refused == STOPPED:
            self.session.timekeeper.look(again=True)
        else:
            self.session.timekeeper.cancel()


def _length(timeline: Timeline) -> str:
    steps = plural(len(timeline.steps), "step" if timeline.each_round is None else "round")
    if timeline.rounds is not None and timeline.each_round is None:
        steps += f" of {plural(timeline.rounds.rounds, 'round')}, too many messages to show each"
    time = timeline.total_seconds
    return steps if time is None else f"{steps} · {duration(time)}"


def _alike(found: Case, case: Case) -> bool:
    return found.job is case.job and found.network is case.network
