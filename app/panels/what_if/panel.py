"""The What-if panel: what happens if a component fails, and which cables to add."""

from typing import ClassVar

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton

from app.model.changes import COLOURS, ChangeSet
from app.model.priority import Priority
from app.model.state import State
from app.panels.what_if.answers import Answers
from app.panels.what_if.cables import CableAnswers
from app.panels.what_if.failures import FailureAnswers
from app.session.added_cables import remove_cables
from app.session.session import Session
from app.widgets.combo_box import ComboBox
from app.widgets.labels import message_label, say
from app.widgets.layouts import STRETCH, column
from app.widgets.progress_bar import ActivityBar
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_widget import SessionWidget
from app.widgets.wrapped import WrappedRow
from app.wording.errors import error_text
from core.network.network import Network
from core.text import as_sentence, plural

MIN_SIZE = QSize(420, 120)
WIDE_PX = 640
"""Width from which table and curve are side by side, at type scale 1."""
TABLE, CURVE = range(2)
"""Pages of failures in a narrow panel."""
ADD = "add"
"""The question for cables to add; other questions are kinds of components that fail."""
MAX_NAMED = 20
"""Maximum number of added cables named in a tool tip."""


class WhatIfPanel(SessionWidget):
    """A question, its settings, and a table of answers; a double click applies an answer to the scenario."""

    title: ClassVar[str] = "What if"
    subtitle_changed = Signal(str)
    """The answers in a few words."""
    refresh_priority = Priority.CHARTS
    shows_loads_together = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._made = False
        """Whether the contents were made: only once they are shown."""
        self._network: Network | None = None

    def _make(self) -> None:
        self._made, session = True, self.session
        self.what, self.sample = ComboBox(), ComboBox()
        self.what.setAccessibleName("What happens")
        self.what.setToolTip("Components that fail, one at a time, or cables to add")
        self.what.activated.connect(self._on_what_activated)
        self.sample.activated.connect(self._on_chosen)
        self.start, self.apply, self.remove = QPushButton(), QPushButton(), QPushButton()
        self.bar, self.message = ActivityBar(), message_label("dim")
        self.start.clicked.connect(self._on_start_clicked)
        self.apply.clicked.connect(lambda: self.answers.apply())
        self.remove.clicked.connect(lambda: remove_cables(session))
        self.pages = SegmentedControl("Table", "Curve")
        self.pages.choose(TABLE)
        self.pages.group.idClicked.connect(self._share_room)
        self.failures, self.cables = FailureAnswers(session), CableAnswers(session)
        for answers in (self.failures, self.cables):
            answers.changed.connect(self._offer_apply)
        head = WrappedRow(self.what, self.sample, self.start, self.pages, self.apply, self.remove, spacing=8)
        column(
            head, self.bar, self.message, (self.failures, 1), (self.cables, 1), STRETCH,
            of=self, margins=(12, 2, 12, 8), spacing=4,
        )  # fmt: skip

    @property
    def answers(self) -> Answers:
        """Return the answers to the chosen question."""
        return self.cables if self.what.currentData() == ADD else self.failures

    def minimumSizeHint(self) -> QSize:
        """Return a minimum with a few rows."""
        return MIN_SIZE

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show table and curve side by side if there is room."""
        super().resizeEvent(event)
        if self._made:
            self._share_room()

    @property
    def _wide(self) -> bool:
        return self.width() >= self.state.style.theme.px(WIDE_PX)

    @property
    def _only_curve(self) -> bool:
        """Return whether there is room only for the curve."""
        return not self._wide and self.answers is self.failures and self.pages.group.checkedId() == CURVE

    def _share_room(self) -> None:
        self.pages.setVisible(not self._wide and self.answers is self.failures and self.failures.answered)
        for part in (self.failures.table, self.failures.summary):
            part.setVisible(not self._only_curve)
        self.failures.right.setVisible(self._wide or self._only_curve)
        self._offer_apply()

    def refresh(self, changes: ChangeSet) -> None:
        """Show the answers."""
        if not self._made:
            self._make()
            changes = ChangeSet.ALL
        if changes & (COLOURS | ChangeSet.WHAT_IF | ChangeSet.ANALYSIS | ChangeSet.COMPARISON):
            self._show(self.state)

    def _show(self, state: State) -> None:
        if state.evaluation.case.network is not self._network:
            self._network = state.evaluation.case.network
            self.failures.count(self._network)
            self._offer_questions()
        answers = self.answers
        self._show_sizes(answers)
        self._show_progress(answers, state)
        refusal = answers.asked.refused
        say(self.message, as_sentence(error_text(refusal)) if refusal is not None else answers.message)
        for each in (self.failures, self.cables):
            each.show_state(state)
            each.setVisible(each is answers and each.answered)
            each.cover.follow()
        self._share_room()
        self._offer_removal(state)
        self.subtitle_changed.emit(answers.subtitle)

    def _show_progress(self, answers: Answers, state: State) -> None:
        progress = answers.asked.progress
        self.bar.setVisible(progress is not None)
        if progress is not None:
            self.bar.show_fraction(progress, state.style.theme)
        self.start.setText("Cancel" if progress is not None else answers.verb)

    def _offer_questions(self) -> None:
        before = self.what.currentData()
        self.what.clear()
        for what, count in self.failures.counts.items():
            if count:
                self.what.addItem(f"{what.capitalize()} fail", what)
        self.what.addItem("Add cables", ADD)
        self.what.setCurrentIndex(max(self.what.findData(before or self.state.what_if.choice.what), 0))
        self._take_question()

    def _take_question(self) -> None:
        if self.what.currentData() != ADD:
            self.failures.what = self.what.currentData()

    def _show_sizes(self, answers: Answers) -> None:
        offered, chosen = answers.sizes()
        if [text for text, _ in offered] != [self.sample.itemText(place) for place in range(self.sample.count())]:
            self.sample.clear()
            for text, size in offered:
                self.sample.addItem(text, size)
        sizes = [size for _, size in offered]
        self.sample.setCurrentIndex(sizes.index(chosen) if chosen in sizes else 0)
        self.sample.setAccessibleName(answers.sizes_name)
        self.sample.setToolTip(answers.sizes_tip)

    def _on_what_activated(self) -> None:
        self._take_question()
        if self.answers is self.failures:
            self._show_sizes(self.failures)
            self._on_chosen()
        self._show(self.state)

    def _on_chosen(self) -> None:
        self.answers.choose(self.sample.currentData())

    def _on_start_clicked(self) -> None:
        if self.answers.asked.progress is not None:
            self.answers.analyst.cancel()
        else:
            self._on_chosen()
            self.answers.analyst.start()

    def _offer_apply(self) -> None:
        answers = self.answers
        self.apply.setVisible(answers.answered and not self._only_curve)
        self.apply.setText(answers.apply_text)
        self.apply.setToolTip(answers.apply_tip)
        self.apply.setEnabled(answers.applicable)

    def _offer_removal(self, state: State) -> None:
        case = state.evaluation.case
        names = [cable.what(case.network) for cable in case.scenario.cables]
        self.remove.setVisible(self.answers is self.cables and bool(names))
        self.remove.setText(f"Remove {plural(len(names), 'cable')}")
        more = [f"and {len(names) - MAX_NAMED:,} more"] if len(names) > MAX_NAMED else []
        self.remove.setToolTip(
            "\n".join(["Added cables, which are removed as one step that undo reverts:", *names[:MAX_NAMED], *more])
        )
