"""The Bottleneck panel: the throughput, each link class against its bound, the hottest links, and their causes."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.model.changes import COLOURS, ChangeSet
from app.model.priority import Priority
from app.model.state import State
from app.panels.bottleneck.causes import Causes
from app.panels.bottleneck.class_bars import ClassBars, caption
from app.panels.bottleneck.congruence import CongruenceFold
from app.panels.bottleneck.disconnected_banner import DisconnectedBanner
from app.panels.bottleneck.headline import ThroughputHeadline
from app.panels.bottleneck.hottest_links import HottestLinks
from app.panels.bottleneck.phase_bar import PhaseBar
from app.panels.bottleneck.suggested_swaps import SuggestedSwaps
from app.session.session import Session
from app.widgets.labels import ElidedLabel, PartsLabel, link, message_label, say, with_role
from app.widgets.layouts import column, row
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.panel import Panel
from app.wording.numbers import gbs
from core.load.bounds import Bound, Gap, scope
from core.load.evaluate import LoadReport
from core.text import as_sentence

MIN_ROWS = 6
"""Minimum number of rows of the table of links."""
WHY, HIDE = "Why?", "Hide"
OF_REFERENCE = "A · pinned state"
IDLE = "No flow leaves its node, so no link carries load."
IDLE_DISCONNECTED = "All flows between nodes are disconnected, so no link carries load."
IDLE_ROUND = "This round negotiates relays. No message crosses a link."


class BottleneckPanel(Panel):
    """The Bottleneck panel."""

    refresh_priority = Priority.LINKS

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.headline, self.phases = ThroughputHeadline(session), PhaseBar(session)
        self.disconnected, self.bars, self.bound = DisconnectedBanner(session), ClassBars(), BoundNote()
        self.whose = message_label("text")
        self.marks, self.idle, self.plan = (message_label("dim") for _ in range(3))
        self.unit = with_role(ElidedLabel(), "dim")
        self.hottest, self.causes = HottestLinks(session), Causes(session)
        self.swaps, self.congruence = SuggestedSwaps(session), CongruenceFold()
        self.hottest.table.keep_room(MIN_ROWS)
        self.bars.toggled.connect(session.toggle_link_class)
        heads = QWidget()
        self.what = with_role(PartsLabel(), "dim")
        row((self.what, 1), self.unit, of=heads)
        above = (self.whose, self.headline, self.phases, self.disconnected, self.idle, heads)
        for widget in (*above, self.bars, self.marks, self.bound, self.plan):
            self.column.addWidget(widget)
        self.column.addSpacing(6)
        self.column.addWidget(self.hottest, 1)
        for widget in (self.causes, self.swaps, self.congruence):
            self.column.addWidget(widget)
        self.column.addStretch(0)
        self.cover = OutdatedCover(session, self, hole=self.headline.pending)

    def pictured(self, state: State) -> State:
        """Return the state to show: A's state while A is shown alone."""
        return state.pictured

    def refresh(self, changes: ChangeSet) -> None:
        """Show the last good evaluation and the chosen link."""
        state = self.state
        say(self.whose, OF_REFERENCE if state.shows_reference else "")
        if ChangeSet.STATUS in changes:
            self.headline.show_pending(state)
        if changes & (ChangeSet.LOADS | ChangeSet.STYLE):
            self.headline.show_state(state)
            self.phases.show_state(state)
            self.disconnected.show_state(state)
        if changes & COLOURS:
            self.bars.show_state(state)
            say(self.marks, caption(self.bars.bars))
        elif ChangeSet.SEARCH in changes:
            self.headline.show_change(state)
        if changes & ChangeSet.LOADS:
            self._show_report(state.report)
        elif changes & COLOURS:
            self.hottest.show_look()
        if changes & (ChangeSet.LOADS | ChangeSet.SELECTION):
            self.hottest.table.show_selection(state.selection)
        causes = ChangeSet.SELECTION | ChangeSet.EXPLANATION | ChangeSet.PATHS | ChangeSet.TIME
        if changes & (ChangeSet.LOADS | ChangeSet.STYLE | causes):
            self._keep_focus(state)
            self.causes.show_state(state)
        advice = ChangeSet.ADVICE | ChangeSet.SEARCH | ChangeSet.TOOL | ChangeSet.STATUS
        if changes & (ChangeSet.LOADS | ChangeSet.STYLE | advice):
            self.swaps.show_state(state)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        super()._on_session_changed(changes)
        # The throughput follows the pointer at once, the rest by priority, unless all widgets refresh together.
        if ChangeSet.LOADS in changes and self.isVisible() and not self.waits_for_others:
            self.headline.show_state(self.state)

    def _keep_focus(self, state: State) -> None:
        # Else Qt would pass it from the hidden causes to the next button, which then acts on Space.
        focused = QApplication.focusWidget()
        if state.selection is None and focused is not None and self.causes.isAncestorOf(focused):
            self.hottest.table.setFocus()

    def _show_report(self, report: LoadReport) -> None:
        self.bound.show_bounds(report, self.state.shown.bounds)
        phases = len(report.phases) > 1
        self.what.setText(f"Hottest link, by class{' and phase' if phases else ''}")
        self.unit.setText(report.case.job.measure.rate)
        words = report.plan_words
        say(self.plan, f"{report.case.scenario.routing.title} routing: {words}" if words else "")
        self.hottest.show_report(report, passing=self.state.moment is not None)
        self.congruence.show_report(report)
        of_round = self.state.moment is not None and self.state.moment.rounds is not None
        idle = IDLE_ROUND if of_round else IDLE_DISCONNECTED if report.disconnected.count else IDLE
        say(self.idle, "" if report.time > 0 else idle)
        # Without the table below there is spare room: it goes to the end.
        self.column.setStretch(self.column.count() - 1, int(report.time == 0))
        for part in (self.hottest, self.causes, self.swaps):
            part.setVisible(report.time > 0)
        if self.state.shows_reference:
            self.swaps.hide()


class BoundNote(QWidget):
    """The share of the upper bound, and below it, once asked for, its proof; hidden without a bound."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.reason = message_label("text"), message_label("dim")
        self._proof, self._open = "", False
        self.why = link(WHY, "Show the proof of the upper bound")
        self.why.clicked.connect(self._on_why_clicked)
        head = row((self.text, 1), (self.why, 0, Qt.AlignmentFlag.AlignTop), spacing=6)
        column(head, self.reason, of=self, spacing=4)

    def show_bounds(self, report: LoadReport, bounds: tuple[Bound, ...]) -> None:
        """Show the first of the bounds, the lowest throughput."""
        achieved, best = report.throughput_gbs, report.throughput(bounds[0].time) if bounds else None
        text, self._proof = "", ""
        if best is not None and achieved is not None:
            reached = Gap(bounds[0], report.time)
            share = "Optimal: equals its upper bound" if reached.closed else reached.share
            text = f"{share}, {gbs(best)} {report.case.job.measure.brief_rate}{scope(report.case)}"
            self._proof = "\n".join((as_sentence(bounds[0].reason), *bounds[0].steps))
        say(self.text, text)
        self.setVisible(bool(text))
        self._show_proof()

    def _show_proof(self) -> None:
        self.why.setVisible(bool(self._proof))
        self.why.setText(HIDE if self._open else WHY)
        say(self.reason, self._proof if self._open else "")

    def _on_why_clicked(self) -> None:
        self._open = not self._open
        self._show_proof()
