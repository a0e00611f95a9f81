"""The timeline: when each step of the job runs, and the utilisation of each class and pinned item."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.model.changes import ChangeSet
from app.model.evaluation import WatchedItems
from app.model.measurement import LinkSource
from app.model.pointing import Item, flow_item, title
from app.model.scenario_diff import alike, distinguishing_name
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.session.measured_series import SeriesKeeper
from app.session.session import Session
from app.session.timekeeper import STOPPED, Timekeeper
from app.views.charts.chart_view import ChartView
from app.views.charts.host import ChartHolder
from app.views.charts.player import Player
from app.views.charts.timeline_lanes import ABOVE_RANKS, HEAD_PX, MIN_PX, Bands, Content, Mark, least_height
from app.views.charts.timeline_measured import MeasuredBands
from app.views.charts.timeline_waiting import RankTimes
from app.widgets.layouts import column, row, scroll_area
from app.widgets.progress_bar import ProgressBar
from app.widgets.segmented_control import SegmentedControl
from app.wording.names import step_title
from app.wording.numbers import EQUAL
from core.load.scenario import Case
from core.text import duration, figure, plural
from core.timing.timeline import Timeline
from core.timing.waiting import last_to_begin

if TYPE_CHECKING:
    from app.views.charts.timeline_chart import TimelineChart

FINDING_TIMES = "Computing the timeline …"
NO_STEPS = "No link carries load, so no step takes any time."
WAS_STOPPED = "The computation of the timeline was cancelled."
TIPS = (
    "The steps of the job and the utilisation of links predicted for each",
    "The intervals between readings of counters; links then have the colours of predicted or measured bandwidths",
)
LOADED = ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TOPOLOGY
CHANGES = LOADED | ChangeSet.TIME | ChangeSet.TOOL | ChangeSet.COMPARISON


class TimelineView(ChartView):
    """A row for each link class and pinned item over time, below a block for each step."""

    id = "timeline"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.pointed: Mark | None = None
        """The mark read out."""
        self.plot = TimelinePlot(self)
        self._bands: tuple[Bands, ...] = ()
        self._ranks: RankTimes | None = None
        self._bar, self._stop = ProgressBar(160), QPushButton("Cancel")
        self._stop.clicked.connect(self._on_stop_clicked)
        self._waiting = QWidget()
        row(self._bar, self._stop, None, of=self._waiting, margins=(12, 0, 12, 4))
        self._waiting.hide()
        self.cover.hole = self._waiting
        self.player, self.shown = Player(session), SegmentedControl("Steps", "Intervals")
        for button, tip in zip(self.shown.group.buttons(), TIPS, strict=True):
            button.setToolTip(tip)
        self.shown.group.idClicked.connect(self._on_shown_clicked)
        scrolled = scroll_area(self.plot)
        scrolled.verticalScrollBar().valueChanged.connect(self.plot.follow_scrolling)
        head = row((self.player, 1), self.shown, margins=(0, 0, 12, 2))
        column(head, (scrolled, 1), self._waiting, of=self, spacing=0)

    def pictured(self, state: State) -> State:
        """Return the session's state: while A and B are compared, both are drawn."""
        return state

    @property
    def timeline(self) -> Timeline | None:
        """Return the timeline drawn: the previous one of the same job and network until a new one is known."""
        if self.state.intervals:
            return self.state.series.timeline if self.state.series is not None else None
        timeline = self.state.time.timeline
        alike = timeline is not None and _alike(timeline.case, self.state.evaluation.case)
        return timeline if alike and not self.state.time.timeline_refused else None

    @property
    def outdated(self) -> bool:
        """Return whether the timeline drawn is of an earlier state; timelines are computed after the loads."""
        return super().outdated or (self.timeline is not None and self._keeper.behind)

    @property
    def timelines(self) -> tuple[Timeline, ...]:
        """Return all timelines drawn: in a comparison first A's, once it is known."""
        shown, first = self.timeline, self.state.time.reference_timeline
        both = self.state.compared_pair
        if shown is None or first is None or both is None or first.case is not both[0].case:
            return (shown,) if shown is not None else ()
        return first, shown

    def refresh(self, changes: ChangeSet) -> None:
        """Request the timeline of the state on screen, or show it."""
        if not changes & CHANGES:
            return
        self._keeper.look()
        self.session.watcher.look()
        timeline = self.timeline
        if timeline is None or (self.pointed is not None and self.pointed.step >= len(timeline.steps)):
            self.pointed = None
        self._waiting.setVisible(self._progress is not None or self._stopped)
        self._bar.setVisible(not self._stopped)
        self._stop.setText("Compute" if self._stopped else "Cancel")
        self._bar.show_fraction(self._progress or 0.0)
        self.player.show_state(timeline, self._words())
        measured = self.state.evaluation.case.measured
        self.shown.setVisible(measured is not None and len(measured.intervals) > 0 and self.state.compared_pair is None)
        self.shown.choose(bool(self.state.intervals))
        self.subtitle_changed.emit(self.subtitle())
        self.plot.setMinimumHeight(self._least_height())
        self.plot.show_chart()

    @property
    def _keeper(self) -> SeriesKeeper | Timekeeper:
        return self.session.series if self.state.intervals else self.session.timekeeper

    @property
    def _progress(self) -> float | None:
        time = self.state.time
        return time.series_progress if self.state.intervals else time.timeline_progress

    @property
    def _stopped(self) -> bool:
        time = self.state.time
        return time.series_stopped if self.state.intervals else time.timeline_refused == STOPPED

    @property
    def under_cursor(self) -> int | None:
        """Return the step under the cursor, or None without a cursor or while a search is shown."""
        step, timeline = self.state.cursor, self.timeline
        if self.state.search.phase is SearchPhase.RUNNING:
            return None
        return step if step is not None and timeline is not None and step < len(timeline.steps) else None

    @property
    def message(self) -> str:
        """Return why there is no timeline; empty if there is one."""
        refused, timelines = self.state.time.timeline_refused, self.timelines
        if self._stopped:
            return WAS_STOPPED
        if refused and not self.state.intervals:
            return refused
        if not timelines:
            return FINDING_TIMES
        return "" if max(timeline.seconds for timeline in timelines) > 0 else NO_STEPS

    def content(self) -> Content:
        """Return the content of the chart."""
        if self.message:
            return Content()
        timelines = self.timelines
        self._bands = tuple(map(self._bands_of, timelines))
        self._ranks = self._rank_times(timelines[-1]) if self._ranked else None
        return Content(self._bands, self._headings(timelines), self.state.style.scale.map, self._ranks)

    def draw(self, painter: QPainter, size: QSizeF) -> None:
        """Draw the timeline with the cursor, or the reason why there is none."""
        self.plot.draw_chart(painter, QRectF(QPointF(), size))

    def choose_awaited(self, mark: Mark) -> None:
        """Choose the flow that the rank at a mark waits for, if there is one."""
        if self._ranks is not None and mark.rank is not None:
            sender = last_to_begin(self._ranks.timeline, mark.step, mark.rank)
            if sender is not None:
                self.session.select(flow_item(sender, mark.rank))

    def menu_for(self, item: Item | None) -> QMenu:
        """Return the menu of a row, which deletes itself when closed."""
        menu, watcher, case = QMenu(self), self.session.watcher, self.state.evaluation.case
        chosen, pinned = self.state.selection, self.state.time.pinned_items
        if item is not None:
            menu.addAction(f"Remove {title(item, case)}", partial(watcher.unpin, item))
        if chosen is not None and chosen not in pinned:
            menu.addAction(f"Add {title(chosen, case)}", partial(watcher.pin, chosen))
        menu.addAction("Remove added rows", lambda: watcher.unpin()).setEnabled(bool(pinned))
        if self.plot.zoomed:
            menu.addAction("Show the whole timeline", self.plot.show_all)
        if self.timeline is not None and self.timeline.rank_times is not None:
            ranks = menu.addAction("Show a row for each rank", partial(watcher.show_ranks, not self.state.time.ranks))
            ranks.setCheckable(True)
            ranks.setChecked(self.state.time.ranks)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    @property
    def _ranked(self) -> bool:
        """Return whether ranks have rows."""
        timelines = self.timelines
        return self.state.time.ranks and len(timelines) == 1 and timelines[0].rank_times is not None

    def _watched(self, timeline: Timeline) -> WatchedItems | None:
        """Return the rows of pinned items: the previous ones of the same job and network until new ones are known."""
        case, steps = timeline.case, len(timeline.steps)
        candidates = [
            items
            for items in self.state.time.watched
            if _alike(items.evaluation.case, case) and items.items and len(items.rows.busy) == steps
        ]
        return next((items for items in candidates if items.evaluation.case is case), next(iter(candidates), None))

    def _bands_of(self, timeline: Timeline) -> Bands:
        series, scale = self.state.series, self.state.style.scale
        if series is not None and series.timeline is timeline:
            bands: Bands = MeasuredBands(timeline, series=series, scale=scale)
        else:
            bands = Bands(timeline, self._watched(timeline))
        return next((before for before in self._bands if before.content == bands.content), bands)

    def _rank_times(self, timeline: Timeline) -> RankTimes:
        begun, drawn = self.state.time.begun, self._ranks
        now = begun[1] if begun is not None and begun[0] is timeline else None
        if drawn is not None and drawn.timeline is timeline and drawn.begun is now:
            return drawn
        return RankTimes(timeline, now)

    def _headings(self, timelines: tuple[Timeline, ...]) -> tuple[str, ...]:
        if len(timelines) == 1:
            return ("",)
        a, b = timelines
        scenario_a, scenario_b = a.case.scenario, b.case.scenario
        both = zip("AB", timelines, ((scenario_a, scenario_b), (scenario_b, scenario_a)), strict=True)
        texts = [f"{letter} {distinguishing_name(*pair)} · {_length(timeline)}" for letter, timeline, pair in both]
        times = a.seconds / b.seconds if b.seconds > 0 else 1.0
        if abs(times - 1) > EQUAL and alike(scenario_a, scenario_b):
            texts[1] += f" · {figure(max(times, 1 / times))}× {'faster' if times > 1 else 'slower'}"
        return tuple(texts)

    def _height_of(self, timeline: Timeline) -> int:
        return least_height(len(self._bands_of(timeline).items), self.font(), headed=len(self.timelines) > 1)

    def _least_height(self) -> int:
        timelines = self.timelines
        above = sum(self._height_of(timeline) for timeline in timelines)
        times = timelines[-1].rank_times if self._ranked else None
        if times is None:
            return max(above, 60)
        return (
            round(ABOVE_RANKS * above) + self.state.style.theme.px(HEAD_PX) + MIN_PX * timelines[-1].case.job.tasks + 4
        )

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

    def _on_shown_clicked(self, measured: int) -> None:
        if bool(measured) != bool(self.state.intervals):
            self.session.set_source(LinkSource.MEASURED if measured else LinkSource.LOAD)

    def _on_stop_clicked(self) -> None:
        if self._stopped:
            self._keeper.look(again=True)
        else:
            self._keeper.cancel()


def _length(timeline: Timeline) -> str:
    steps = plural(len(timeline.steps), timeline.noun)
    if timeline.rounds is not None and timeline.each_round is None:
        steps += f" of {plural(timeline.rounds.rounds, 'round')} (too many messages to show each round)"
    time = timeline.total_seconds
    return steps if time is None else f"{steps} · {duration(time)}"


def _alike(other: Case, case: Case) -> bool:
    return other.job is case.job and other.network is case.network


class TimelinePlot(ChartHolder["TimelineChart"], QWidget):
    """The blocks and rows; it is as high as all rows need."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__()
        self._view = view
        self.setMinimumHeight(60)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline")

    def make_chart(self, parent: QWidget | None) -> "TimelineChart":
        """Return a new chart."""
        from app.views.charts.timeline_chart import TimelineChart

        return TimelineChart(parent)

    def connect_chart(self, chart: "TimelineChart") -> None:
        """Follow the pointer."""
        chart.picked.connect(self._on_picked)
        chart.named.connect(self._view.session.select)
        chart.pointed.connect(self.point_at)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._view.state.style.theme.panel

    def fill(self, chart: "TimelineChart") -> None:
        """Show the timelines: on the screen with the readout of the pointer, in files the part that is visible."""
        view = self._view
        chart.dress(view.state.style.theme, self.font())
        chart.show_message(view.message)
        chart.show_timelines(view.content())
        chart.move_cursor(view.under_cursor)
        if chart is self.chart:
            chart.read_out(view.pointed)
        elif self.chart is not None:
            chart.show_part_of(self.chart)

    def point_at(self, mark: Mark | None) -> None:
        """Read out a step, or none."""
        self._view.pointed = mark
        if self.chart is not None:
            self.chart.read_out(mark)

    @property
    def zoomed(self) -> bool:
        """Return whether only a part of the time is shown."""
        return self.chart is not None and self.chart.zoomed

    def show_all(self) -> None:
        """Show the whole timeline."""
        if self.chart is not None:
            self.chart.show_all()

    def follow_scrolling(self) -> None:
        """Draw the focus frame and the readout where they are visible now."""
        if self.chart is not None:
            self.chart.viewport().update()
            self.chart.read_out(self._view.pointed)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu to remove rows."""
        where = QPointF(event.pos())
        item = self.chart.item_at(where) if self.chart is not None else None
        self._view.menu_for(item).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom, or show the whole time by Home; else move the cursor."""
        if self.chart is not None and self.chart.press(event):
            return
        if self._view.player.press(Qt.Key(event.key())):
            self.point_at(None)  # a readout at the pointer would hide the cursor
        else:
            super().keyPressEvent(event)

    def _on_picked(self, mark: Mark) -> None:
        self._view.player.go_to(mark.step)
        self._view.choose_awaited(mark)
