"""A whole number from a few usual ones, or any other that is typed: about how many nodes, which degree."""

import re

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QSizePolicy

from app.widgets.editors import ComboBox

USUAL = (64, 256, 1024, 4096, 16384, 65536, 1 << 18)
MOST = 1 << 18
"""Nodes: a folded CLEX of 64^3 has so many."""


class CountBox(ComboBox):
    """A number, chosen or typed; what is no number is put back, what is out of bounds becomes the nearest within."""

    chosen = Signal(int)
    """Another number is meant."""

    def __init__(self, value: int, usual: tuple[int, ...], bounds: tuple[int, int], name: str, tip: str) -> None:
        super().__init__()
        self._bounds = bounds
        self.value = self._within(value)
        line = QLineEdit()
        self.setLineEdit(line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCompleter(QCompleter(self))  # its own would make 1,024 of a typed 1
        self.setAccessibleName(name)
        self.setToolTip(tip)
        for number in sorted({*usual, self.value}):
            self.addItem(f"{number:,}", number)
        self._show()
        self.activated.connect(self._on_self_meant)
        line.editingFinished.connect(self._on_self_meant)

    def show_value(self, value: int) -> None:
        """Show another number; tells nobody."""
        self.value = self._within(value)
        self._show()

    def _within(self, value: int) -> int:
        return min(max(value, self._bounds[0]), self._bounds[1])

    def _show(self) -> None:
        self.setCurrentIndex(self.findData(self.value))
        self.setEditText(f"{self.value:,}")

    def _on_self_meant(self) -> None:
        text = re.sub(r"[\s,.]", "", self.currentText())
        before = self.value
        if text.isascii() and text.isdecimal():
            self.value = self._within(int(text[:12]))
        self._show()
        if self.value != before:
            self.chosen.emit(self.value)


class SizeBox(CountBox):
    """About how many nodes."""

    def __init__(self, nodes: int) -> None:
        super().__init__(
            nodes,
            USUAL,
            (2, MOST),
            "About how many nodes",
            f"Each family takes the size nearest to so many nodes, 2 to {MOST:,}",
        )


class DegreeBox(CountBox):
    """How many links at a node or switch."""

    def __init__(self, degree: int) -> None:
        super().__init__(
            degree,
            (4, 6, 8, 12, 16, 24, 32, 48),
            (1, 1024),
            "Degree",
            "Links that leave a node or switch: each family comes as near to it as it can, at about the same size",
        )
