"""Combo boxes of the panels, including one for a whole number, chosen from the usual ones or typed."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
)  # fmt: skip

from app.widgets.field_text import Refusal, number_field, number_in_field
from app.widgets.line_edit import LineEdit
from app.widgets.painting import painting
from app.widgets.refusals import is_wrong, show_refusal
from app.wording.shortened import shortened

MIN_LETTERS = 11
"""Minimum number of visible letters of an entry."""
MAX_NODES = 1 << 18
"""The number of nodes of an aggregated CLEX of 64^3."""


class ComboBox(QComboBox):
    """A combo box that leaves the wheel to the scrolling panel around it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus
        )  # otherwise the wheel would take the focus, and the next key would change the choice
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the longest entry, at most `MIN_LETTERS` letters."""
        wanted, line = self.sizeHint(), self.fontMetrics()
        return QSize(min(wanted.width(), MIN_LETTERS * line.averageCharWidth() + 2 * line.height()), wanted.height())

    @property
    def shown(self) -> str:
        """Return as many parts of the current entry as fit; the first part elided if needed."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style, part = self.style(), QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width()
        metrics = self.fontMetrics()
        text = shortened(self.currentText(), metrics.horizontalAdvance, room)
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the shown text."""
        if self.isEditable():
            super().paintEvent(event)
            return
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        with painting(self, QStylePainter(self)) as painter:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
            option.currentText = self.shown
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    @property
    def tip(self) -> str:
        """Return the tool tip, with the full text of an elided entry."""
        full_text = "" if self.isEditable() or self.shown == self.currentText() else self.currentText()
        return "\n".join(part for part in (full_text, self.toolTip()) if part)

    def event(self, event: QEvent) -> bool:
        """Show the tool tip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip, self)
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the panel instead of changing the choice."""
        event.ignore()


class CountBox(ComboBox):
    """A whole number, chosen or typed. A refused text stays, in red, until it is corrected or Esc is pressed."""

    chosen = Signal(int)
    """The new number."""

    def __init__(self, value: int, usual: tuple[int, ...], bounds: tuple[int, int], name: str, tip: str) -> None:
        super().__init__()
        self._bounds, self._field = bounds, number_field(name, *bounds)
        self.value = self._within(value)
        line = LineEdit()
        self.setLineEdit(line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCompleter(QCompleter(self))  # the default one would complete a typed 1 to 1,024
        self.setAccessibleName(name)
        self.setToolTip(tip)
        for number in sorted({*usual, self.value}):
            self.addItem(f"{number:,}", number)
        self._show()
        self.activated.connect(self._on_self_meant)
        line.editingFinished.connect(self._on_self_meant)

    def show_value(self, value: int) -> None:
        """Show another number, without a signal; a size out of bounds is shown as the nearest offered size."""
        self.value = self._within(value)
        self._show()

    def _within(self, value: int) -> int:
        return min(max(value, self._bounds[0]), self._bounds[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Restore the last number on Esc."""
        if event.key() == Qt.Key.Key_Escape and is_wrong(self):
            self._show()
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        show_refusal(self, "")
        self.setCurrentIndex(self.findData(self.value))
        self.setEditText(f"{self.value:,}")

    def _on_self_meant(self) -> None:
        number = number_in_field(self.currentText(), self._field)
        if isinstance(number, Refusal):
            show_refusal(self, number.message)
            return
        before, self.value = self.value, int(number)
        self._show()
        if self.value != before:
            self.chosen.emit(self.value)


def size_box(nodes: int) -> CountBox:
    """Return a box for an approximate number of nodes."""
    tip = f"Each family has the size nearest to this number of nodes, from 2 to {MAX_NODES:,}"
    usual = (64, 256, 1024, 4096, 16384, 65536, MAX_NODES)
    return CountBox(nodes, usual, (2, MAX_NODES), "Approximate number of nodes", tip)


def degree_box(degree: int) -> CountBox:
    """Return a box for a degree of nodes or switches."""
    tip = "Links per node or switch; each family has the nearest degree that it supports, at about the same size"
    return CountBox(degree, (4, 6, 8, 12, 16, 24, 32, 48), (1, 1024), "Degree", tip)
