"""Choices side by side, one of them on: a control of the toolbar and of panels."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget


class Segments(QWidget):
    """Two or more choices side by side, one of them on."""

    def __init__(self, *titles: str) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.group = QButtonGroup(self)
        for index, title in enumerate(titles):
            button = QPushButton(title)
            button.setCheckable(True)
            button.setProperty("role", "segment")
            self.group.addButton(button, index)
            layout.addWidget(button)

    def choose(self, index: int) -> None:
        """Turn one on, without telling anybody."""
        with QSignalBlocker(self.group):
            self.group.button(index).setChecked(True)
