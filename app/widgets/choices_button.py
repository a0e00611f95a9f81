"""A button with a menu of tickable entries."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton

from app.widgets.labels import with_role


class TickMenu(QMenu):
    """A menu that stays open while entries are ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tick the entry under the pointer."""
        action = self.activeAction()
        if action is not None and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tick with the space bar; Enter and Esc close."""
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None:
            action.trigger()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)


class ChoicesButton(QToolButton):
    """Shows the ticked entries, and opens the menu."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        with_role(self, "menu")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.offered = TickMenu(self)
        self.setMenu(self.offered)
        self._say()

    @property
    def ticked(self) -> list[str]:
        """Return the ticked entries, in the order of the menu."""
        return [action.text() for action in self.offered.actions() if action.isChecked()]

    def offer(self, titles: Sequence[str], ticked: Sequence[str]) -> None:
        """Set the entries and which of them are ticked, without a signal."""
        self.offered.clear()
        for title in titles:
            action = QAction(title, self.offered, checkable=True, checked=title in ticked)
            action.triggered.connect(self._on_action_triggered)
            self.offered.addAction(action)
        self._say()

    def _say(self) -> None:
        titles = self.ticked
        several = f"{len(titles)} of {len(self.offered.actions())}" if titles else "choose …"
        self.setText(titles[0] if len(titles) == 1 else several)
        self.setToolTip(", ".join(titles))

    def _on_action_triggered(self) -> None:
        self._say()
        self.changed.emit()
