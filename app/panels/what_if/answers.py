"""The base of the pages of the What-if panel: a question with its settings, and the answers to it."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.model.cables_to_add import CableState
from app.model.state import State
from app.model.what_if import WhatIfState
from app.session.cable_finder import CableFinder
from app.session.session import Session
from app.session.what_if import FailureAnalyst
from app.widgets.array_table import ArrayTable
from app.widgets.labels import message_label
from app.widgets.outdated_cover import OutdatedCover


class Answers(QWidget):
    """A table of components or cables; a click selects one on the machine, a double click applies it."""

    introduction: ClassVar[str]
    """An explanation of the question, shown before there are answers."""
    stale_words: ClassVar[str]
    verb: ClassVar[str]
    """The text of the button that starts."""
    sizes_name: ClassVar[str]
    """Accessible name of the box with the numbers of `sizes`."""
    sizes_tip: ClassVar[str]
    apply_tip: ClassVar[str]
    changed = Signal()
    """Whether or what can be applied has changed."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__()
        self.session = session
        self.summary, self.table = message_label("plain"), ArrayTable()
        self.table.setAccessibleName(name)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.table.doubleClicked.connect(self.apply)
        self.cover = OutdatedCover(session, self, lambda: self.stale)

    @property
    @abstractmethod
    def asked(self) -> WhatIfState | CableState:
        """Return the progress, and the refusal, of the question."""

    @property
    @abstractmethod
    def analyst(self) -> FailureAnalyst | CableFinder:
        """Return the part of the session that answers it."""

    @property
    @abstractmethod
    def answered(self) -> bool:
        """Return whether there are answers."""

    @property
    @abstractmethod
    def stale(self) -> bool:
        """Return whether the scenario on screen has changed since the answers."""

    @property
    @abstractmethod
    def apply_text(self) -> str:
        """Return the text of the button that applies the current row."""

    @property
    @abstractmethod
    def applicable(self) -> bool:
        """Return whether the current row can be applied."""

    @property
    @abstractmethod
    def subtitle(self) -> str:
        """Return the answers in a few words; empty without answers."""

    @property
    def row(self) -> int | None:
        """Return the number of the current row in the order of the answers, or None."""
        index = self.table.currentIndex()
        return self.table.source_row(index) if index.isValid() else None

    @property
    def message(self) -> str:
        """Return a note on the answers, or an explanation without answers; empty for nothing."""
        return self.stale_words if self.stale else "" if self.answered else self.introduction

    @abstractmethod
    def sizes(self) -> tuple[Sequence[tuple[str, Any]], Any]:
        """Return the offered sizes of the question, each as text and value, and the chosen value."""

    @abstractmethod
    def choose(self, size: Any) -> None:
        """Choose a size."""

    @abstractmethod
    def show_state(self, state: State) -> None:
        """Show the answers."""

    @abstractmethod
    def apply(self) -> None:
        """Apply the current row as one step; nothing if it cannot be applied."""

    @abstractmethod
    def select(self, row: int) -> None:
        """Select a row's component in all views."""

    def _on_row_changed(self) -> None:
        if self.row is not None:
            self.select(self.row)
        self.changed.emit()
