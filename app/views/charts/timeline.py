"""When each step of the job runs, and how busy the links of each class, and what is pinned, are meanwhile."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.model.changes import ChangeSet
from app.model.pointing import Item, title
from app.model.state import WatchedItems
from app.session.session import Session
from app.session.timekeeper import STOPPED
from app.views.charts.axes import ChartView, PointedChart
from app.views.charts.player import Player
from app.views.charts.timeline_lanes import Bands, Lanes, axis_left, axis_width, lanes_for, least_height
from app.views.charts.timeline_plot import TimelinePainter
from app.views.drawing import draw_message
from app.widgets.layouts import column, row, scroll_area
from app.widgets.progress_bar import ProgressBar
from app.wording.names import step_title
from core.load.scenario import Case
from core.text import duration, plural
from core.timing.timeline import Timeline

LOOKING = "Finding out when each step runs …"
NOTHING = "No link carries anything, and nothing takes time."
WAS_STOPPED = "It was stopped before it was known when each step runs."
LOADED = ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TOPOLOGY
CHANGES = LOADED | ChangeSet.TIME | ChangeSet.TOOL | ChangeSet.COMPARISON


class Mark(NamedTuple):
    """What a point of the plot means."""

    step: int
    row: int | None
    """Over which it lies; None: over the blocks, or between two."""


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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._view.state.style.theme.panel))
        self._view.draw_seen(painter, QSizeF(self.size()), QRectF(self.visibleRegion().boundingRect()))

    def mark_at(self, where: QPointF) -> Mark | None:
        """Return the step at a point, and the row."""
        lanes = self._lanes
        step = lanes.step_at(where) if lanes is not None else None
        return Mark(step, lanes.row_at(where.y())) if lanes is not None and step is not None else None

    def point_at(self, mark: Mark | None) -> None:
        """Read out a step, or none."""
        if mark != self._view.pointed:
            self._view.pointed = mark
            self.update()

    def item_at(self, where: QPointF) -> Item | None:
        """Return the pinned thing whose row is at a height."""
        lanes = self._lanes
        row = lanes.row_at(where.y()) if lanes is not None else None
        return lanes.bands.items[row] if lanes is not None and row is not None else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the cursor onto the step under the pointer; left of it, select what the row is about."""
        lanes, at = self._lanes, event.position()
        if event.button() != Qt.MouseButton.LeftButton or lanes is None:
            return
        if at.x() < lanes.blocks.left():
            item = self.item_at(at)
            if item is not None:
                self._view.session.select(item)
        else:
            self._go(lanes.step_at(at))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Take the cursor along; else read out what is under the pointer."""
        lanes = self._lanes
        if event.buttons() & Qt.MouseButton.LeftButton:
            if lanes is not None:
                area = lanes.area
                x = min(max(event.position().x(), area.left()), area.right() - 1)
                self._go(lanes.step_at(QPointF(x, area.center().y())))
            self.point_at(None)
        else:
            super().mouseMoveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to take rows away."""
        self._view.menu_for(self.item_at(QPointF(event.pos()))).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor."""
        if self._view.player.press(Qt.Key(event.key())):
            self.point_at(None)  # what the pointer rests on would hide where the cursor goes
        else:
            super().keyPressEvent(event)

    @property
    def _lanes(self) -> Lanes | None:
        return self._view.lanes(QSizeF(self.size()))

    def _go(self, step: int | None) -> None:
        if step is not None:
            self._view.player.go_to(step)


class TimelineView(ChartView):
    """A row for each link class and what is pinned along the time, under a block for each step."""

    id = "timeline"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.pointed: Mark | None = None
        """What is read out."""
        self.plot = TimelinePlot(self)
        self._bands: Bands | None = None
        self._bar, self._stop = ProgressBar(160), QPushButton("Cancel")
        self._stop.clicked.connect(self._on_stop_clicked)
        self._waiting = QWidget()
        row(self._bar, self._stop, None, of=self._waiting, margins=(12, 0, 12, 4))
        self._waiting.hide()
        self.player = Player(session)
        column(self.player, (scroll_area(self.plot), 1), self._waiting, of=self, spacing=0)

    @property
    def timeline(self) -> Timeline | None:
        """Return what is drawn: until another is known, the last one, if it is of the same job and network."""
        found = self.state.time.timeline
        alike = found is not None and _alike(found.case, self.state.evaluation.case)
        return found if alike and not self.state.time.timeline_refused else None

    @property
    def watched(self) -> WatchedItems | None:
        """Return the rows of what is pinned, likewise."""
        case = self.state.evaluation.case
        found = (one for one in self.state.time.watched if _alike(one.evaluation.case, case) and one.items)
        return next(found, None)

    def refresh(self, changes: ChangeSet) -> None:
        """Ask for the timeline of what is on screen, or show what is known of it."""
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
        """Return the step under the cursor; None: there is none."""
        step, timeline = self.state.time.step, self.timeline
        return step if step is not None and timeline is not None and step < len(timeline.steps) else None

    def lanes(self, size: QSizeF) -> Lanes | None:
        """Return where the timeline is drawn in a picture of some size; None: there is none."""
        timeline, watched = self.timeline, self.watched
        if timeline is None or timeline.seconds <= 0:
            return None
        left = axis_left([timeline], watched is not None, self.font())
        width, known = axis_width(size.width(), left, self.font()), self._bands
        if known is None or (known.timeline, known.watched, known.width) != (timeline, watched, width):
            known = self._bands = Bands(timeline, width, watched)
        return lanes_for(known, QRectF(QPointF(), size), left, self.font())

    def draw(self, painter: QPainter, size: QSizeF, *, for_file: bool = False) -> None:
        """Draw the timeline, or why there is none."""
        lanes, refused = self.lanes(size), self.state.time.timeline_refused
        if lanes is None:
            text = NOTHING if self.timeline is not None else LOOKING
            if refused:
                text = WAS_STOPPED if refused == STOPPED else refused
            draw_message(painter, QRectF(QPointF(), size), text, self.state.style.theme.dim, self.font())
            return
        painter.setFont(self.font())
        TimelinePainter(painter, lanes, self.state, self.font()).draw(self.under_cursor)

    def draw_seen(self, painter: QPainter, size: QSizeF, seen: QRectF) -> None:
        """Draw the same, with what the pointer is at, of which so much is seen."""
        self.draw(painter, size)
        lanes, pointed = self.lanes(size), self.pointed
        if lanes is not None and pointed is not None:
            drawn = TimelinePainter(painter, lanes, self.state, self.font())
            drawn.draw_pointed(pointed.step, pointed.row, seen, mark=pointed.step != self.under_cursor)

    def menu_for(self, item: Item | None) -> QMenu:
        """Return the menu over a row; it goes when it closes."""
        menu, watcher, case = QMenu(self), self.session.watcher, self.state.evaluation.case
        chosen, pinned = self.state.selection, self.state.time.pinned
        if item is not None:
            menu.addAction(f"Remove {title(item, case)}", partial(watcher.unpin, item))
        if chosen is not None and chosen not in pinned:
            menu.addAction(f"Add {title(chosen, case)}", partial(watcher.pin, chosen))
        menu.addAction("Remove all that is pinned", lambda: watcher.unpin()).setEnabled(bool(pinned))
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _least_height(self) -> int:
        timeline, watched = self.timeline, self.watched
        if timeline is None:
            return 60
        rows = len(timeline.case.network.classes) + (len(watched.items) if watched is not None else 0)
        return least_height(rows, self.font())

    def subtitle(self) -> str:
        """Return how long how many steps take."""
        timeline = self.timeline
        if timeline is None:
            return ""
        return " · ".join(
            [plural(len(timeline.steps), "step"), duration(timeline.seconds), *filter(None, [self._words()])]
        )

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


def _alike(found: Case, case: Case) -> bool:
    return found.job is case.job and found.network is case.network
