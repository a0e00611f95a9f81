"""The optimiser panel: settings, the convergence curve, the changes made by a run, and the table of runs."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.model.search_run import SearchRun
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.panels.optimiser.convergence_curves import Curves, curve_legend
from app.panels.optimiser.run_table import RunTable
from app.panels.optimiser.search_form import SearchForm
from app.panels.optimiser.strategy_table import StrategyTable
from app.session.session import Session
from app.style.theme import DARK, Theme
from app.views.charts.host import ChartHolder
from app.widgets.labels import label, link, message_label, say, set_role, with_role
from app.widgets.layouts import STRETCH, UNLIMITED_PX, ScrollArea, column, row, scroll_area
from app.widgets.panel import Content
from app.widgets.progress_bar import ActivityBar
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_widget import SessionWidget
from app.widgets.wrapped import WrappedRow
from app.wording import keys
from app.wording.names import brief
from app.wording.numbers import EQUAL, factor, figure_text, gbs, short_number, signed, time_text
from core.load.scenario import Case
from core.text import duration, plural, plural_noun

if TYPE_CHECKING:
    from app.panels.optimiser.convergence_chart import SearchChart

CURVE, CHANGES, RUNS, STRATEGIES, SETTINGS = range(5)
BOTH_PX = 280
"""Minimum height for the table to be below the curve."""
MIN_ROWS, MAX_SHARE = 2, 0.4
"""Minimum number of rows of the table below the curve, and its maximum fraction of the height."""
MIN_SIZE = QSize(400, 150)
MAX_FAILURES = 8
"""Maximum number of failures named."""
MAX_OTHERS = 5
"""Maximum number of curves of other runs."""
STARTING = "The search is starting. The first search on a network takes a few seconds to start."
CHOOSING = "The failure of every cable is evaluated. The search then counts the worst failures."
EMPTY = (
    "Press Optimise to start a search. The best mapping so far and the bound appear here as curves, "
    "while the machine and the job follow."
)
PLOT_TIP = "Ctrl+wheel zooms, dragging pans, a double click shows the entire search"
NO_RUN = "Changes made by a search appear here."


class OptimiserPanel(SessionWidget):
    """Settings in a row, buttons below them, then a page: curve, changes, runs, strategies or further settings."""

    title: ClassVar[str] = "Optimiser"
    outdated = False
    """Runs do not depend on the running computation."""
    subtitle_changed = Signal(str)
    """The status of the search."""
    refresh_priority = Priority.BUNDLES
    shows_loads_together = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._optimiser = session.optimiser
        self._read = ""
        """The message when another row was selected: the line describes that run until a new message arrives."""
        self._rows = 0
        self._made = False
        """Whether the contents were made: they are a third of the window's widgets, so this waits until it is shown."""

    def _make(self) -> None:
        self._made = True
        self.form, self.discard = SearchForm(self.session), QPushButton("Discard")
        self.button, self.keep = with_role(QPushButton(), "primary"), with_role(QPushButton("Keep best"), "primary")
        self.pages = SegmentedControl("Curve", "Changes", "Runs", "Strategies", "Settings")
        self.plot, self.table, self.bar = SearchPlot(), RunTable(), ActivityBar()
        self.bar.hide()
        self.changes = message_label("plain")
        self.show_best, self.resume = link("Show best"), link("Resume")
        self.explain, self.forget = link("Compare with start"), link("Remove")
        self._runs, changes = QWidget(), Content()
        column(self.changes, (self.explain, 0, Qt.AlignmentFlag.AlignLeft), STRETCH, of=changes, margins=(0, 4, 0, 0))
        self._changes = scroll_area(changes)
        self.strategies = StrategyTable(self.session)
        self.pages.group.button(SETTINGS).setToolTip("Budget, selected and pinned tasks, and options of the method")
        self.pages.group.button(STRATEGIES).setToolTip("Throughput of all mapping strategies side by side")
        self._build()
        self._connect()
        self.pages.choose(CURVE)
        self._arrange()

    @property
    def immediate(self) -> bool:
        """Follow the search at once: it reports ten times a second."""
        return True

    def refresh(self, changes: ChangeSet) -> None:
        """Show the state of the search."""
        if not self._made:
            self._make()
        state = self.state
        if changes & (ChangeSet.SEARCH | ChangeSet.MARKED | ChangeSet.TOPOLOGY | ChangeSet.MAPPING):
            self.form.show_state(state)
        if changes & (ChangeSet.SEARCH | ChangeSet.TOPOLOGY | ChangeSet.STYLE | ChangeSet.MAPPING):
            self._show_runs(state)
            self._show_buttons(state)

    def minimumSizeHint(self) -> QSize:
        """Return a constant size, so that the layout does not change when a search reports."""
        return MIN_SIZE

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the table below the curve, or in its place."""
        super().resizeEvent(event)
        if self._made:
            self._arrange()

    def _build(self) -> None:
        links = (self.show_best, self.resume, self.forget)
        head = row(label("subheading", "Runs"), STRETCH, *links, spacing=14)
        column(head, (self.table, 1), of=self._runs, spacing=2)
        buttons = WrappedRow(self.button, self.keep, self.discard, self.pages, spacing=8)
        self._settings = ScrollArea(self.form.more)
        pages = (self.plot, 1), (self._changes, 1), self._runs, (self.strategies, 1), (self._settings, 1)
        body = Content()
        column(self.form, buttons, self.bar, *pages, of=body, margins=(12, 2, 12, 8), spacing=6)
        column(ScrollArea(body, MIN_SIZE.width()), of=self)

    def _connect(self) -> None:
        optimiser = self._optimiser
        self.button.clicked.connect(self._on_button_clicked)
        self.keep.clicked.connect(optimiser.keep)
        self.discard.clicked.connect(optimiser.discard)
        self.pages.group.idClicked.connect(self._arrange)
        self.table.chosen.connect(self._on_table_chosen)
        self.table.used.connect(optimiser.show)
        for button, use in (
            (self.show_best, optimiser.show),
            (self.resume, optimiser.resume),
            (self.explain, optimiser.explain),
            (self.forget, optimiser.forget),
        ):
            button.clicked.connect(partial(self._on_link_clicked, use))

    def _arrange(self) -> None:
        both = self.height() >= BOTH_PX
        page = self.pages.group.checkedId()
        self.pages.group.button(RUNS).setVisible(not both)
        if both and page == RUNS:
            self.pages.choose(CURVE)
            page = CURVE
        self.plot.setVisible(page == CURVE)
        self._changes.setVisible(page == CHANGES)
        self.strategies.setVisible(page == STRATEGIES)
        self._settings.setVisible(page == SETTINGS)
        self._runs.setVisible((both and self._rows > 0 and page in (CURVE, CHANGES)) or page == RUNS)
        self._runs.setMaximumHeight(self._room() if both else UNLIMITED_PX)

    def _room(self) -> int:
        # All rows, up to a fraction of the height: the rest is for the curve.
        head, limit = self._runs.sizeHint().height() - self.table.sizeHint().height(), int(MAX_SHARE * self.height())
        return max(min(head + self.table.height_of(self._rows), limit), head + self.table.height_of(MIN_ROWS))

    def _show_runs(self, state: State) -> None:
        run, runs = state.search.chosen_run, state.search.runs
        others = [other for other in runs if other is not run and run is not None and other.unit == run.unit]
        starting = run is not None and run.starting
        # Before the first mapping the curve is a dot, so a message is shown.
        shown = None if run is not None and starting and not run.steps else run
        preparing = run is not None and run.preparing
        message = CHOOSING if preparing else STARTING if starting else EMPTY
        self.bar.setVisible(starting)
        self.bar.show_fraction(run.prepared if run is not None and preparing else 0.0, state.style.theme)
        self.plot.show_picture(Curves.of(shown, others[-MAX_OTHERS:]), state.style.theme, message)
        self.table.show_runs(runs, run)
        if len(runs) != self._rows:
            self._rows = len(runs)
            self._arrange()
        say(self.changes, changes_text(run, state.evaluation.case))
        self._enable(run, state)
        message = state.search.message if state.search.phase is SearchPhase.NONE else ""
        if not message or message == self._read:
            message = status(run) if run is not None else ""
        self.subtitle_changed.emit(message)

    def _enable(self, run: SearchRun | None, state: State) -> None:
        usable = state.usable_run is not None
        better = run is not None and run.better
        shown = run is not None and run.number == state.search.shown
        self.show_best.setEnabled(usable and better and not shown)
        self.resume.setEnabled(usable)
        self.forget.setEnabled(run is not None and not shown)
        self.explain.setEnabled(better and (usable or shown))

    def _show_buttons(self, state: State) -> None:
        running, any_run = state.search.phase is SearchPhase.RUNNING, state.search.phase is not SearchPhase.NONE
        run = state.search.shown_run
        self.button.setText("Optimise" if not running else _stop_text(run))
        tip = f"Stop the search, then keep or discard its best mapping ({keys.STOP_SEARCH})" if running else TIP
        self.button.setToolTip(tip)
        # The previous result is to be kept or discarded first.
        set_role(self.button, "plain" if any_run and not running else "primary")
        self.keep.setVisible(any_run)
        self.keep.setEnabled(not running or (run is not None and run.better))
        self.discard.setVisible(any_run)
        self.keep.setToolTip(f"Keep the best mapping found, as one step of the history ({keys.KEEP_BEST})")
        self.discard.setToolTip(
            f"Restore the mapping before the search; the run stays in the table ({keys.ESCAPE} or {keys.UNDO})"
        )

    def _on_button_clicked(self) -> None:
        if self.state.search.phase is SearchPhase.RUNNING:
            self._optimiser.stop()
        else:
            self._optimiser.start()

    def _on_link_clicked(self, use: Callable[[SearchRun], None], checked: bool = False) -> None:
        run = self.state.search.chosen_run
        if run is not None:
            use(run)

    def _on_table_chosen(self, run: SearchRun | None) -> None:
        if run is not None:
            self._read = self.state.search.message
            self.session.choose_run(run.number)


TIP = f"Search for a better mapping and watch it improve ({keys.OPTIMISE})"


def changes_text(run: SearchRun | None, case: Case) -> str:
    """Return the changes by the best mapping of a run, and the failures that it counts, if the run is of the case."""
    failures = () if run is None or run.last is None or not run.fits(case.scenario) else run.last.failures
    lines = list(run.changes) if run is not None and run.changes else [NO_RUN]
    if failures:
        names = brief([failure.what(case.network) for failure in failures], MAX_FAILURES)
        lines.append(f"Counts the longest time without and after {plural(len(failures), 'failure')}: {names}.")
    return "\n".join(lines)


def _stop_text(run: SearchRun | None) -> str:
    # Evaluations of failures stop at once, the start of a search does not.
    return "Stop (starting …)" if run is not None and run.starting and not run.preparing else "Stop"


def status(run: SearchRun) -> str:
    """Return ``run 3: 64.0 → 91.4 GB/s per node, +42.8 % · 12 s of 60 s · bound ÷ best 1.05× · ...``.

    The least important part is last, and omitted first if there is no room.
    """
    start, best = run.start, run.best
    if start is None or best is None or run.starting:
        return f"run {run.number}: {run.activity}"
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
        parts.append("optimal" if run.gap <= EQUAL else f"{run.ratio_title} {factor(1 + run.gap)}")
    parts += filter(None, (run.deadlocks, run.swaps))
    parts.append(f"{short_number(run.steps)} {plural_noun(run.tried)} evaluated")
    restarts, ends = run.restarts
    if restarts:
        top, median, worst = (write(figure or 0.0) for figure in ends)
        parts.append(f"{short_number(restarts)} restarts: best {top}, median {median}, worst {worst}")
    return " · ".join(parts)


class SearchPlot(ChartHolder["SearchChart"], QWidget):
    """The convergence curves of a run in full, the best of others, and the bound."""

    def __init__(self) -> None:
        super().__init__()
        self.picture = Curves()
        self._theme, self.message = DARK, EMPTY
        self.setMinimumSize(160, 60)
        self.setAccessibleName("Progress of the search")
        # Plus and minus zoom, and Home shows the whole curve.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_picture(self, picture: Curves, theme: Theme, message: str = EMPTY) -> None:
        """Show other curves, or `message` if there are none."""
        self.picture, self._theme, self.message = picture, theme, message
        legend = [] if picture.empty else curve_legend(picture)
        self.setAccessibleDescription(", ".join(text for text, _ in legend))
        self.setToolTip(PLOT_TIP if legend else "")
        self.show_chart()

    def make_chart(self, parent: QWidget | None) -> "SearchChart":
        """Return a new chart."""
        from app.panels.optimiser.convergence_chart import SearchChart

        return SearchChart(parent)

    def fill(self, chart: "SearchChart") -> None:
        """Show the curves, or a message why there are none."""
        chart.dress(self._theme, self.font())
        chart.show_message(self.message if self.picture.empty else "")
        if not self.picture.empty:
            chart.show_picture(self.picture)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._theme.panel
