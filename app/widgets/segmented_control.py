"""A segmented control: exclusive choices side by side."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from app.widgets.labels import with_role
from app.widgets.layouts import row


class SegmentedControl(QWidget):
    """Two or more buttons side by side, exactly one of them checked."""

    def __init__(self, *titles: str) -> None:
        super().__init__()
        self.group = QButtonGroup(self)
        for index, title in enumerate(titles):
            button = with_role(QPushButton(title), "segment")
            button.setCheckable(True)
            self.group.addButton(button, index)
        row(*self.group.buttons(), of=self, spacing=0)

    def choose(self, index: int) -> None:
        """Check one button, without a signal."""
        with QSignalBlocker(self.group):
            self.group.button(index).setChecked(True)
