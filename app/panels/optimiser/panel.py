"""Better mappings by search: what to ask for, the curve while it runs, what it changed, and all runs side by side."""

from typing import ClassVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.model.search_run import SearchRun
from app.model.state import SearchPhase, State
from app.panels.optimiser.convergence_plot import EMPTY, Picture, SearchPlot
from app.panels.optimiser.run_table import RunTable
from app.panels.optimiser.search_form import SearchForm
from app.session.session import Session
from app.widgets.forms import message_label, say
from app.widgets.panel import Content
from app.widgets.segments import Segments
from app.widgets.session_widget import SessionWidget
from app.wording import keys
from app.wording.numbers import figure_text, gbs, more, short, signed, time_text
from core.load.scenario import Scenario
from core.text import duration

CURVE, CHANGES, RUNS = range(3)
FORM_PX = (196, 226)
"""Width of the form where there is little room, and where there is much."""
WIDE_PX = 600
BOTH_PX = 215
"""Height from which the table stands below the curve."""
LEAST_ROWS, SHARE = 2, 0.4
"""Rows of the table below the curve, at least, and the share of the height it takes at most."""
LEAST_SIZE = QSize(400, 150)
QWIDGETSIZE_MAX = (1 << 24) - 1
OTHERS = 5
"""Earlier runs whose curves are drawn beside that of the run looked at."""
STARTING = "The search is starting: the first time on a network this takes a few seconds."
NO_RUN = "What a search has changed is told here once one has run."


class OptimiserPanel(SessionWidget):
    """Form and button at the left; curve, changes and runs at the right."""

    title: ClassVar[str] = "Optimiser"
    subtitle_changed = Signal(str)
    """What the search is at."""
    refresh_priority = Priority.BUNDLES
    shows_loads_together = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._optimiser = session.optimiser
        self._chosen: SearchRun | None = None
        self._latest: SearchRun | None = None
        self._read = ""
        """What was told before another row was chosen: from then on the line is about that run."""
        self.form = SearchForm(session)
        self.button, self.keep, self.discard = QPushButton(), QPushButton("Keep best"), QPushButton("Discard")
        self.pages = Segments("Curve", "Changes", "Runs")
        self.plot, self.table = SearchPlot(), RunTable()
        self.changes = message_label("plain")
        self.show_best, self.resume, self.explain, self.forget = (
            _link(text) for text in ("Show best", "Resume", "Show difference", "Forget")
        )
        self._left, self._runs = QWidget(), QWidget()
        self._scroll, self._told = _scroll(self.form), QScrollArea()
        self._rows = 0
        self._build()
        self._connect()
        self.pages.choose(CURVE)

    @property
    def chosen(self) -> SearchRun | None:
        """Return the run that is looked at: the one whose row is chosen, else the latest."""
        runs = self._optimiser.runs
        return self._chosen if self._chosen in runs else runs[-1] if runs else None

    @property
    def immediate(self) -> bool:
        """Follow the search at once: it tells ten times a second."""
        return True

    def refresh(self, changes: ChangeSet) -> None:
        """Show what the search is at."""
        state = self.state
        if changes & (ChangeSet.SEARCH | ChangeSet.MARKED | ChangeSet.TOPOLOGY | ChangeSet.MAPPING):
            self.form.show_state(state)
        if changes & (ChangeSet.SEARCH | ChangeSet.TOPOLOGY | ChangeSet.STYLE | ChangeSet.MAPPING):
            shown = self._optimiser.shown
            if shown is not None and shown is not self._latest:
                self._chosen = shown
            self._latest = shown
            self._show_runs(state)
            self._show_buttons(state)

    def minimumSizeHint(self) -> QSize:
        """Ask for the same room whatever is shown: nothing outside moves when a search has something to tell."""
        return LEAST_SIZE

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the table below the curve, or behind it."""
        super().resizeEvent(event)
        self._arrange()

    def look_at(self, page: int) -> None:
        """Bring the curve, the changes or the runs to the front."""
        self.pages.choose(page)
        self._arrange()

    def _build(self) -> None:
        left = QVBoxLayout(self._left)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(6)
        left.addWidget(self._scroll, 1)
        ends = QHBoxLayout()
        ends.setSpacing(6)
        ends.addWidget(self.keep, 1)
        ends.addWidget(self.discard, 1)
        left.addLayout(ends)
        left.addWidget(self.button)
        self.button.setProperty("role", "primary")
        self.keep.setProperty("role", "primary")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 12, 8)
        row.setSpacing(14)
        row.addWidget(self._left)
        row.addLayout(self._right(), 1)

    def _right(self) -> QVBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.pages)
        head.addStretch(1)
        content = Content()
        told = QVBoxLayout(content)
        told.setContentsMargins(0, 4, 0, 0)
        told.addWidget(self.changes)
        told.addWidget(self.explain, 0, Qt.AlignmentFlag.AlignLeft)
        told.addStretch(1)
        self._told = _scroll(content)
        title = QLabel("Runs")
        title.setProperty("role", "subheading")
        links = QHBoxLayout()
        links.setSpacing(14)
        links.addWidget(title)
        links.addStretch(1)
        for link in (self.show_best, self.resume, self.forget):
            links.addWidget(link)
        runs = QVBoxLayout(self._runs)
        runs.setContentsMargins(0, 0, 0, 0)
        runs.setSpacing(2)
        runs.addLayout(links)
        runs.addWidget(self.table, 1)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.plot, 1)
        column.addWidget(self._told, 1)
        column.addWidget(self._runs)
        return column

    def _connect(self) -> None:
        optimiser = self._optimiser
        self.button.clicked.connect(self._on_button_clicked)
        self.keep.clicked.connect(optimiser.keep)
        self.discard.clicked.connect(optimiser.discard)
        self.pages.group.idClicked.connect(self._arrange)
        self.table.chosen.connect(self._on_table_chosen)
        self.table.used.connect(optimiser.show)
        for link, use in (
            (self.show_best, optimiser.show),
            (self.resume, optimiser.resume),
            (self.explain, optimiser.explain),
            (self.forget, optimiser.forget),
        ):
            link.clicked.connect(lambda checked=False, use=use: self.chosen is not None and use(self.chosen))

    def _arrange(self) -> None:
        wide, both = self.width() >= WIDE_PX, self.height() >= BOTH_PX
        self._left.setFixedWidth(FORM_PX[wide])
        page = self.pages.group.checkedId()
        self.pages.group.button(RUNS).setVisible(not both)
        if both and page == RUNS:
            self.pages.choose(CURVE)
            page = CURVE
        self.plot.setVisible(page == CURVE)
        self._told.setVisible(page == CHANGES)
        self._runs.setVisible((both and self._rows > 0) or page == RUNS)
        self._runs.setMaximumHeight(self._room() if both else QWIDGETSIZE_MAX)

    def _room(self) -> int:
        # As many rows as there are, up to a share of the height: what is left is the curve's.
        head, most = self._runs.sizeHint().height() - self.table.sizeHint().height(), int(SHARE * self.height())
        return max(min(head + self.table.height_of(self._rows), most), head + self.table.height_of(LEAST_ROWS))

    def _show_runs(self, state: State) -> None:
        run, runs = self.chosen, self._optimiser.runs
        others = [other for other in runs if other is not run and run is not None and other.unit == run.unit]
        starting = run is not None and run.starting
        # Before the first mapping there is but a dot: what it waits for says more.
        shown = None if starting and run is not None and not run.steps else run
        message = STARTING if starting else EMPTY
        self.plot.show_picture(Picture.of(shown, others[-OTHERS:]), state.style.theme, message)
        self.table.show_runs(runs, run)
        if len(runs) != self._rows:
            self._rows = len(runs)
            self._arrange()
        say(self.changes, NO_RUN if run is None or not run.changes else "\n".join(run.changes))
        self._enable(run, state.evaluation.case.scenario)
        told = (
            self._optimiser.message
            if state.search.phase is SearchPhase.NONE and self._optimiser.message != self._read
            else ""
        )
        self.subtitle_changed.emit(told or (status(run) if run is not None else ""))

    def _enable(self, run: SearchRun | None, scenario: Scenario) -> None:
        usable = run is not None and run.ended and run.fits(scenario)
        better = run is not None and run.better
        shown = run is not None and run is self._optimiser.shown
        self.show_best.setEnabled(usable and better and not shown)
        self.resume.setEnabled(usable)
        self.forget.setEnabled(run is not None and not shown)
        self.explain.setEnabled(better and (usable or shown))

    def _show_buttons(self, state: State) -> None:
        running, found = state.search.phase is SearchPhase.RUNNING, state.search.phase is not SearchPhase.NONE
        run = self._optimiser.shown
        self.button.setText("Optimise" if not running else "Stop (starting …)" if run and run.starting else "Stop")
        tip = f"Stop the search: its best is then kept or discarded ({keys.STOP_SEARCH})" if running else TIP
        self.button.setToolTip(tip)
        role = "plain" if found and not running else "primary"
        if self.button.property("role") != role:
            # What has been found is to be kept or discarded first.
            self.button.setProperty("role", role)
            self.button.style().polish(self.button)
        shown = self._optimiser.shown
        better = shown is not None and shown.better
        self.keep.setVisible(found)
        self.keep.setEnabled(better or not running)
        self.discard.setVisible(found)
        self.keep.setToolTip(f"Make the best mapping found one step of the history ({keys.KEEP_BEST})")
        self.discard.setToolTip(
            f"Put back what was on screen before; the run stays in the table ({keys.ESCAPE} or {keys.UNDO})"
        )

    def _on_button_clicked(self) -> None:
        if self.state.search.phase is SearchPhase.RUNNING:
            self._optimiser.stop()
        else:
            self._optimiser.start()

    def _on_table_chosen(self, run: SearchRun | None) -> None:
        if run is not None:
            self._chosen, self._read = run, self._optimiser.message
            self._show_runs(self.state)


TIP = f"Search for a better mapping of what is on screen, and watch it get better ({keys.OPTIMISE})"


def status(run: SearchRun) -> str:
    """Return ``run 3: 64.0 → 91.4 GB/s per node, +42.8 % · 12 s of 60 s · at most 5 % better is possible · ...``.

    What matters least stands last: it is left out where there is no room.
    """
    start, best = run.start, run.best
    if start is None or best is None or run.starting:
        return f"run {run.number}: starting …"
    write = gbs if run.rising else figure_text
    change = f", {signed(best / start - 1)}" if start else ""
    parts = [f"run {run.number}: {write(start)} → {write(best)} {run.unit}{change}"]
    if run.last is not None and run.last.trouble:
        parts.append(run.last.trouble)
    if run.regained:
        parts.append(run.regained)
    if run.times is not None:
        parts.append(" → ".join(map(duration, run.times)))
    if not run.ended:
        parts.append(f"searching, {time_text(run.seconds)}" + (f" of {time_text(run.until)}" if run.until else ""))
    if run.gap is not None:
        parts.append("proven best" if run.gap <= 1e-9 else f"at most {more(run.gap)} better is possible")
    parts.append(f"{short(run.steps)} mappings")
    restarts, ends = run.restarts
    if restarts:
        top, median, worst = (write(figure or 0.0) for figure in ends)
        parts.append(f"{short(restarts)} restarts: best {top}, median {median}, worst {worst}")
    return " · ".join(parts)


def _scroll(content: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


def _link(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button
