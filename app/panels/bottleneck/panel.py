"""What holds the job back: the throughput, each link class against its bound, the hottest links, and why."""

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.model.state import SearchPhase
from app.panels.bottleneck.causes import Causes
from app.panels.bottleneck.class_bars import ClassBars, caption
from app.panels.bottleneck.congruence import CongruenceFold
from app.panels.bottleneck.cut_banner import CutBanner
from app.panels.bottleneck.headline import Headline
from app.panels.bottleneck.hottest_links import HotTable
from app.panels.bottleneck.suggested_swaps import ReliefSection
from app.session.session import Session
from app.widgets.card import ElidedLabel
from app.widgets.forms import message_label, say
from app.widgets.panel import Panel
from app.wording.numbers import gbs, percent
from core.load.bounds import bounded

TABLE_ROWS = 6
IDLE = "No flow leaves its node, so there is no bottleneck."


class BottleneckPanel(Panel):
    """The inspector."""

    refresh_priority = Priority.LINKS

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.headline, self.cut, self.bars = Headline(), CutBanner(session), ClassBars()
        self.best, self.reason = message_label("text"), message_label("dim")
        self.marks, self.idle = message_label("dim"), message_label("dim")
        self.plan, self.heads = message_label("dim"), BarsHead()
        self.hot, self.causes = HotTable(session), Causes(session)
        self.relief, self.congruence = ReliefSection(session), CongruenceFold()
        self.hot.table.setMinimumHeight(self.hot.table.height_of(TABLE_ROWS))
        above = (
            self.headline,
            self.cut,
            self.idle,
            self.heads,
            self.bars,
            self.marks,
            self.best,
            self.reason,
            self.plan,
        )
        for widget in above:
            self.column.addWidget(widget)
        self.column.addSpacing(6)
        self.column.addWidget(self.hot, 1)
        self.column.addWidget(self.causes)
        self.column.addWidget(self.relief)
        self.column.addWidget(self.congruence)
        self.column.addStretch(0)

    def refresh(self, changes: ChangeSet) -> None:
        """Show the last good evaluation and the chosen link."""
        state = self.state
        if changes & (ChangeSet.LOADS | ChangeSet.STYLE):
            self.headline.show_state(state)
            self.cut.show_state(state)
            self.bars.show_state(state)
            say(self.marks, caption(self.bars.bars))
        if changes & ChangeSet.LOADS:
            self._show_best()
            self.heads.unit.setText(state.report.case.job.measure.rate)
            words = state.report.plan_words
            say(self.plan, f"{state.report.case.scenario.routing.title} routing: {words}" if words else "")
            self.hot.show_report(state.report)
            self.congruence.show_report(state.report)
            say(self.idle, "" if state.report.time > 0 else IDLE)
            self.hot.setVisible(state.report.time > 0)
            self.causes.setVisible(state.report.time > 0)
            self.relief.setVisible(state.report.time > 0)
        if changes & (ChangeSet.LOADS | ChangeSet.SELECTION):
            self.hot.table.show_selection(state.selection)
        if changes & (ChangeSet.LOADS | ChangeSet.SELECTION | ChangeSet.EXPLANATION | ChangeSet.STYLE):
            self.causes.show_state(state)
        if changes & (ChangeSet.LOADS | ChangeSet.ADVICE | ChangeSet.TOOL | ChangeSet.STYLE):
            self.relief.show_state(state)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        # The throughput counts up and down with the pointer; the rest follows in its turn. In a search all is one.
        if ChangeSet.LOADS in changes and self.isVisible() and self.state.search.phase is SearchPhase.NONE:
            self.headline.show_state(self.state)
        super()._on_session_changed(changes)

    def _show_best(self) -> None:
        evaluation = self.state.evaluation
        found = evaluation.report.throughput_gbs
        best = evaluation.report.throughput(evaluation.bounds[0].time) if evaluation.bounds else None
        if best is None or found is None:
            say(self.best, "")
            say(self.reason, "")
            return
        bound = evaluation.bounds[0]
        say(self.best, f"{percent(found / best)} of the {gbs(best)} GB/s no mapping{bounded(evaluation.case)} passes")
        say(self.reason, f"{bound.link_class}: {bound.reason}" if bound.link_class else bound.reason)


class BarsHead(QWidget):
    """What the bars are, and the figures at their right."""

    def __init__(self) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.unit = ElidedLabel("")
        for label, stretch in ((ElidedLabel("load of the hottest link"), 1), (self.unit, 0)):
            label.setProperty("role", "dim")
            layout.addWidget(label, stretch)
