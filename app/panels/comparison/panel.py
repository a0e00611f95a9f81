"""What changed from A to B: the throughput, the choices, class by class and link by link."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.model.changes import ChangeSet
from app.model.comparison_text import throughputs, what_differs
from app.model.priority import Priority
from app.model.state import ComparisonMode, Evaluation, State
from app.panels.comparison.change_table import ChangeTable
from app.session.session import Session
from app.widgets.array_table import ArrayTable, Column
from app.widgets.card import ElidedLabel
from app.widgets.forms import message_label, say
from app.widgets.segments import Segments
from app.widgets.session_widget import LARGE, SessionWidget
from app.wording.numbers import signed, significant
from core.job.measure import UNITS, common
from core.load.compare import ClassChange, class_changes

SHOWN = 1000
"""Links in the table at most."""
SHOWN_LIVE = 100
"""Links in the table while a gesture is under way."""
LEAST_LINKS = 420
"""Width beside the classes from which the links stand beside them."""
QWIDGETSIZE_MAX = (1 << 24) - 1
LIVE_MS = 120
"""Least time between two updates while a gesture is under way."""
APART = "A and B are different networks: no link of one is a link of the other."
INSTEAD = "So there is no difference to show; side by side shows both."


class ComparisonPanel(SessionWidget):
    """Follows A and B while they are compared."""

    title: ClassVar[str] = "A | B"
    subtitle_changed = Signal(str)
    """What differs in the choices."""
    refresh_priority = Priority.TASKS

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.headline = QLabel()
        self.verdicts = ElidedLabel("")
        self.message = message_label("warning")
        self.classes, self.links = ArrayTable(class_columns((), None)), ChangeTable(session)
        self.classes.setSelectionMode(ArrayTable.SelectionMode.NoSelection)
        self.parts = Segments("Classes", "Links")
        self.parts.choose(1)
        self.parts.group.idClicked.connect(self._arrange)
        self._live = QTimer(self, singleShot=True, interval=LIVE_MS)
        self._live.timeout.connect(self._on_live_due)
        self._build()

    def _build(self) -> None:
        self.headline.setProperty("role", "subheading")
        self.verdicts.setProperty("role", "dim")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.headline)
        head.addWidget(self.verdicts, 1)
        head.addWidget(self.parts)
        body = QHBoxLayout()
        body.setSpacing(14)
        body.addWidget(self.classes)
        body.addWidget(self.links, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 12, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.message)
        column.addLayout(body, 1)

    @property
    def immediate(self) -> bool:
        """Keep its own time while a gesture is under way."""
        return True

    def refresh(self, changes: ChangeSet) -> None:
        """Show what differs now; while a gesture is under way now and then, or on a large machine once it has ended."""
        state = self.state
        what = ChangeSet.LOADS | ChangeSet.COMPARISON | ChangeSet.STYLE | ChangeSet.TOPOLOGY
        if state.compared_pair is None:
            self._live.stop()
            return
        if state.edit.gesture and changes & ChangeSet.LOADS:
            if not self._live.isActive() and state.compared_pair[1].report.load.size <= LARGE:
                self._live.start()
        elif changes & what or (ChangeSet.TOOL in changes and not state.edit.gesture):
            self._live.stop()
            self._show(SHOWN)
        if ChangeSet.SELECTION in changes:
            self.links.table.show_selection(state.selection)

    def flush(self) -> None:
        """Do at once what waits for its turn."""
        if self._live.isActive():
            self._live.stop()
            self._on_live_due()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the tables side by side, or let the user choose."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        columns = range(self.classes.source.columnCount())
        needed, chosen = sum(map(self.classes.columnWidth, columns)) + 2, self.parts.group.checkedId()
        matched = self.state.same_links_pair is not None
        wide = matched and self.width() >= needed + LEAST_LINKS
        self.classes.setMinimumWidth(needed if wide else 0)
        self.classes.setMaximumWidth(needed if wide else QWIDGETSIZE_MAX)
        self.parts.setVisible(matched and not wide)
        self.classes.setVisible(wide or chosen == 0 or not matched)
        self.links.setVisible(matched and (wide or chosen == 1))

    def _on_live_due(self) -> None:
        if self.isVisible() and self.state.compared_pair is not None:
            self._show(SHOWN_LIVE if self.state.edit.gesture else SHOWN)

    def _show(self, count: int) -> None:
        state, both = self.state, self.state.compared_pair
        assert both is not None
        self._show_head(state, *both)
        self.subtitle_changed.emit(what_differs(*both))
        self.classes.set_columns(class_columns(class_changes(both[0].report.classes, both[1].report.classes), state))
        matched = state.same_links_pair
        in_vain = state.comparison.mode is ComparisonMode.DIFFERENCE
        self.message.setProperty("role", "warning" if in_vain else "dim")
        self.message.style().polish(self.message)
        say(self.message, "" if matched is not None else f"{APART} {INSTEAD}" if in_vain else APART)
        self.links.show_changes(state, count)
        self._arrange()

    def _show_head(self, state: State, a: Evaluation, b: Evaluation) -> None:
        text, role = throughputs(a, b)
        colour = {"good": state.style.theme.good, "bad": state.style.theme.bad}.get(role, state.style.theme.text)
        self.headline.setStyleSheet(f"color: {colour};")
        self.headline.setText(text)
        verdicts = (a.report.verdict, b.report.verdict)
        self.verdicts.setText(verdicts[0] if verdicts[0] == verdicts[1] else " → ".join(verdicts))
        self.verdicts.setToolTip(self.verdicts.text())


def class_columns(classes: Sequence[ClassChange], state: State | None) -> tuple[Column, ...]:
    """Return the columns of the table of classes: loads of the hottest link and on average, and throughputs."""

    def values(of: str) -> tuple[list[float], list[float]]:
        first, second = ([getattr(side, of, None) for side in sides] for sides in zip(*pairs, strict=True))
        return [_number(value) for value in first], [_number(value) for value in second]

    pairs = [(c.a, c.b) for c in classes] or [(None, None)]
    both = state.compared_pair if state is not None else None
    measure = UNITS if both is None else common(*(evaluation.case.job.measure for evaluation in both))

    def converted(loads: list[float]) -> list[float]:
        return [measure.converted(load) for load in loads]

    highest, mean, rate = values("max_load"), values("mean_load"), values("throughput_gbs")
    ratio = [b / a - 1 if a and np.isfinite(a) and np.isfinite(b) else np.nan for a, b in zip(*rate, strict=True)]
    return (
        Column("class", "Link class", [c.name for c in classes], str, number=False),
        Column("max A", f"{measure.many} on the hottest link of the class in A", converted(highest[0]), _figure),
        Column("max B", f"{measure.many} on the hottest link of the class in B", converted(highest[1]), _figure),
        Column("mean A", f"{measure.many} on a link of the class on average in A", converted(mean[0]), _figure),
        Column("mean B", f"{measure.many} on a link of the class on average in B", converted(mean[1]), _figure),
        Column("GB/s A", "Throughput per node that the class alone would allow in A", rate[0], _figure),
        Column("GB/s B", "Throughput per node that the class alone would allow in B", rate[1], _figure),
        Column("change", "Change of that throughput from A to B", ratio, _ratio),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _figure(value: float) -> str:
    return significant(value) if np.isfinite(value) else "—"


def _ratio(value: float) -> str:
    return signed(value) if np.isfinite(value) else "—"
