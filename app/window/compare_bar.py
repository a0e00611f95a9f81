"""A | B in the toolbar: pin A, then choose the mode of comparison."""

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from app.actions.keys import with_keys
from app.model.changes import ChangeSet
from app.model.state_groups import ComparisonMode
from app.session.session import Session
from app.widgets.layouts import row
from app.widgets.segmented_control import SegmentedControl
from app.wording.numbers import MINUS

MODES = (ComparisonMode.REFERENCE, ComparisonMode.OFF, ComparisonMode.SIDE, ComparisonMode.DIFFERENCE)
NAMES = ("A alone", "B alone", "A and B side by side", f"Difference B {MINUS} A")
"""Accessible names of the comparison modes."""
TIPS = (
    with_keys("Show A, the pinned state; an edit shows B again ({key:compare.reference})"),
    "Show B, the state that you edit",
    with_keys("Show A and B side by side in one colour scale ({key:compare.side})"),
    with_keys("Show the difference on each link ({key:compare.difference})"),
)
DIFFERENT_LINKS = "Not available: A and B are different networks"


class CompareBar(QWidget):
    """A button that pins A; once A is pinned, the modes of comparison."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self.pin = QPushButton("Pin A")
        self.pin.setToolTip(with_keys("Pin this state as A to compare it with later states ({key:compare.pin})"))
        self.pin.clicked.connect(actions["compare.pin"].trigger)
        self.modes = SegmentedControl("A", "B", "A | B", f"B {MINUS} A")
        for index, tip in enumerate(TIPS):
            self.modes.group.button(index).setToolTip(tip)
            self.modes.group.button(index).setAccessibleName(NAMES[index])
        row(self.pin, self.modes, of=self, spacing=4)
        self.modes.group.idClicked.connect(self._on_mode_clicked)
        self._session.changed.connect(self._on_session_changed)
        self._update()

    def _on_mode_clicked(self, index: int) -> None:
        self._session.compare(MODES[index])
        self._update()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & (ChangeSet.COMPARISON | ChangeSet.TOPOLOGY | ChangeSet.TOOL):
            self._update()

    def _update(self) -> None:
        state = self._session.state
        self.pin.setEnabled(not state.edit.gesture)
        self.modes.setVisible(state.comparison.reference is not None)
        self.modes.choose(MODES.index(state.comparison.mode))
        self.modes.group.button(MODES.index(ComparisonMode.REFERENCE)).setEnabled(not state.edit.gesture)
        difference = self.modes.group.button(MODES.index(ComparisonMode.DIFFERENCE))
        difference.setEnabled(state.same_links or state.comparison.mode is ComparisonMode.DIFFERENCE)
        difference.setToolTip(TIPS[-1] if state.same_links else DIFFERENT_LINKS)
