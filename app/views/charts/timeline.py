"""When each step of the job runs, and how busy the links of each class are meanwhile."""

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.model.changes import ChangeSet
from app.session.session import Session
from app.session.timekeeper import STOPPED
from app.views.charts.axes import ChartView, PointedChart
from app.views.charts.player import Player
from app.views.charts.timeline_plot import Bands, Lanes, TimelinePainter, lanes_for
from app.views.drawing import draw_message
from app.widgets.layouts import column, row
from app.widgets.progress_bar import ProgressBar
from app.wording.names import step_title
from core.text import duration, plural
from core.timing.timeline import Timeline

LOOKING = "Finding out when each step runs …"
NOTHING = "No link carries anything, and nothing takes time."
WAS_STOPPED = "It was stopped before it was known when each step runs."
LOADED = ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TOPOLOGY
CHANGES = LOADED | ChangeSet.TIME | ChangeSet.TOOL | ChangeSet.COMPARISON


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
        self._view.draw(painter, QSizeF(self.size()))

    def mark_at(self, where: QPointF) -> int | None:
        """Return the step at a point."""
        lanes = self._view.lanes(QSizeF(self.size()))
        return lanes.step_at(where) if lanes is not None else None

    def point_at(self, mark: int | None) -> None:
        """Read out a step, or none."""
        if mark != self._view.pointed:
            self._view.pointed = mark
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the cursor onto the step under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._go(self.mark_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Take the cursor along; else read out what is under the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            lanes = self._view.lanes(QSizeF(self.size()))
            if lanes is not None:
                area = lanes.area
                x = min(max(event.position().x(), area.left()), area.right() - 1)
                self._go(lanes.step_at(QPointF(x, area.center().y())))
            self.point_at(None)
        else:
            super().mouseMoveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor."""
        if self._view.player.press(Qt.Key(event.key())):
            self.point_at(None)  # what the pointer rests on would hide where the cursor goes
        else:
            super().keyPressEvent(event)

    def _go(self, step: int | None) -> None:
        if step is not None:
            self._view.player.go_to(step)


class TimelineView(ChartView):
    """A row for each link class along the time, under a block for each step."""

    id = "timeline"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.pointed: int | None = None
        """The step that is read out."""
        self.plot = TimelinePlot(self)
        self._bands: Bands | None = None
        self._bar, self._stop = ProgressBar(160), QPushButton("Cancel")
        self._stop.clicked.connect(self._on_stop_clicked)
        self._waiting = QWidget()
        row(self._bar, self._stop, None, of=self._waiting, margins=(12, 0, 12, 4))
        self._waiting.hide()
        self.player = Player(session)
        column(self.player, (self.plot, 1), self._waiting, of=self, spacing=0)

    @property
    def timeline(self) -> Timeline | None:
        """Return what is drawn: until another is known, the last one, if it is of the same job and network."""
        found, case = self.state.time.timeline, self.state.evaluation.case
        alike = found is not None and found.case.job is case.job and found.case.network is case.network
        return found if alike and not self.state.time.timeline_refused else None

    def refresh(self, changes: ChangeSet) -> None:
        """Ask for the timeline of what is on screen, or show what is known of it."""
        if not changes & CHANGES:
            return
        self.session.timekeeper.look()
        timeline, time = self.timeline, self.state.time
        if timeline is None or (self.pointed or 0) >= len(timeline.steps):
            self.pointed = None
        stopped = time.timeline_refused == STOPPED
        self._waiting.setVisible(time.timeline_progress is not None or stopped)
        self._bar.setVisible(not stopped)
        self._stop.setText("Find out" if stopped else "Cancel")
        self._bar.show_fraction(time.timeline_progress or 0.0)
        self.player.show_state(timeline, self._words())
        self.subtitle_changed.emit(self.subtitle())
        self.plot.update()

    @property
    def under_cursor(self) -> int | None:
        """Return the step under the cursor; None: there is none."""
        step, timeline = self.state.time.step, self.timeline
        return step if step is not None and timeline is not None and step < len(timeline.steps) else None

    def lanes(self, size: QSizeF) -> Lanes | None:
        """Return where the timeline is drawn in a picture of some size; None: there is none."""
        timeline = self.timeline
        if timeline is None or timeline.seconds <= 0:
            return None
        lanes = lanes_for(timeline, size, self.font(), self._bands)
        self._bands = lanes.bands
        return lanes

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
        TimelinePainter(painter, lanes, self.state, self.font()).draw(
            None if for_file else self.pointed, self.under_cursor
        )

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
