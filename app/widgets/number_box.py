"""A box for one number of a declared field."""

import math
from dataclasses import replace

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QLabel, QStyle, QStyleOptionSpinBox

from app.widgets.field_text import Refusal, number_in_field
from app.widgets.labels import with_role
from app.widgets.line_edit import LineEdit
from core.spec import Field

EXPONENT_FROM = 1e6
"""Numbers from this size are shown in exponential form if that is shorter."""
GROUPED_BELOW = 1e9
"""Whole numbers of millions are shown with thousands separators below this size."""
INDENT_PX = 4
"""Pixels before the text, and before the unit."""
MARGINS_PX = 10
"""Pixels that a line edit leaves free at both ends of its text."""


class NumberBox(QAbstractSpinBox):
    """A spin box with a unit. Unlike Qt's own it may be empty, shown as `empty`, and shows 0.425 as typed."""

    edited = Signal(object, bool)
    """(a number, None or a `Refusal`; whether it is final or still being typed)."""

    def __init__(self, field: Field, empty: str = "unset") -> None:
        super().__init__()
        self._field = field
        self._kind: type[int] | type[float] = field.kind
        self.value: int | float | None = field.default
        """The last valid number; None if left empty."""
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._unit: QLabel | None = None
        self._names: tuple[str, ...] = ()
        self.setLineEdit(LineEdit())
        self.lineEdit().setTextMargins(INDENT_PX, 0, 0, 0)
        if field.unit:
            self._unit = with_role(QLabel(field.unit, self.lineEdit()), "dim")
            self._unit.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        if field.optional:
            self.lineEdit().setPlaceholderText(empty)
        self.lineEdit().textEdited.connect(self._on_line_edit_text_edited)
        self.lineEdit().textChanged.connect(self._place_unit)
        self.editingFinished.connect(self._on_self_editing_finished)

    def set_value(self, value: int | float | None) -> None:
        """Show a number, or an empty box for None."""
        self.value = value
        text = self._text(value)
        if self._read(self.lineEdit().text()) != value or isinstance(self._read(text), Refusal):
            self.lineEdit().setText(text)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """Return the room for the number and its unit."""
        least, option = super().minimumSizeHint(), QStyleOptionSpinBox()
        self.initStyleOption(option)
        field, part = QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxEditField
        beside = self.width() - self.style().subControlRect(field, option, part, self).width()
        return QSize(max(least.width(), self._line_px() + beside), least.height()) if self._unit is not None else least

    def set_bounds(self, low: int, high: int) -> None:
        """Accept other numbers from now on."""
        self._field = replace(self._field, low=low, high=high)

    def set_names(self, names: tuple[str, ...]) -> None:
        """Show and accept these names instead of the numbers from 0, or numbers again if there are none."""
        self._names = names

    def stepBy(self, steps: int) -> None:
        """Step up or down within the bounds."""
        start = self.value if self.value is not None else self._field.low or 0
        step = 1 if self._kind is int else _decimal_step(start)
        self._go_to(self._within(round(start + steps * step, 12)))

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        """Return which arrows are enabled."""
        flags = QAbstractSpinBox.StepEnabledFlag.StepNone
        low, high = self._field.low, self._field.high
        if self.value is None or high is None or self.value < high:
            flags |= QAbstractSpinBox.StepEnabledFlag.StepUpEnabled
        if self.value is None or low is None or self.value > low:
            flags |= QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        return flags

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any text: if single characters were ignored, 0,5 would become 5. The message explains errors."""
        return QValidator.State.Acceptable, text, position

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the number only while the box has the focus; otherwise the panel scrolls."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the unit at the right."""
        super().resizeEvent(event)
        self._place_unit()

    def _place_unit(self) -> None:
        if self._unit is None:
            return
        # A long number hides the unit, which is in the tool tip too.
        line = self.lineEdit()
        width = self._unit_px()
        fits = width > 0 and self._line_px() <= line.width()
        self._unit.setVisible(fits)
        self._unit.setGeometry(line.width() - width, 0, width, line.height())
        line.setTextMargins(INDENT_PX, 0, width if fits else 0, 0)

    def _line_px(self) -> int:
        """Return the width of the line edit with room for the number and its unit."""
        line = self.lineEdit()
        number = line.fontMetrics().horizontalAdvance(line.text() or line.placeholderText())
        return number + MARGINS_PX + self._unit_px()

    def _unit_px(self) -> int:
        """Return the width of the unit, 0 if there is none, as for a word that stands for zero."""
        word = self._field.zero and self.lineEdit().text() == self._field.zero
        return self._unit.sizeHint().width() + INDENT_PX if self._unit is not None and not word else 0

    def _on_line_edit_text_edited(self, text: str) -> None:
        read = self._read(text)
        if not isinstance(read, Refusal):
            self.value = read
        self.edited.emit(read, False)

    def _on_self_editing_finished(self) -> None:
        read = self._read(self.lineEdit().text())
        if isinstance(read, Refusal):
            self.edited.emit(read, True)  # the text stays as typed
        else:
            self.lineEdit().setText(self._text(read))

    def _go_to(self, value: int | float | None) -> None:
        self.value = value
        self.lineEdit().setText(self._text(value))
        self.edited.emit(value, True)

    def _within(self, number: int | float) -> int | float | None:
        low, high = self._field.low, self._field.high
        if low is not None and (number < low or (self._field.low_excluded and number == low)):
            return self._kind(low) if not self._field.low_excluded else self.value
        return self._kind(high) if high is not None and number > high else number

    def _read(self, text: str) -> int | float | Refusal | None:
        if not text.strip() and self._field.optional:
            return None
        if self._names:
            is_name = text.strip() in self._names
            return self._names.index(text.strip()) if is_name else Refusal(f"give a name such as {self._names[0]}")
        return number_in_field(text, self._field)

    def _text(self, value: int | float | None) -> str:
        if value is None:
            return ""
        if self._names and isinstance(value, int):
            return self._names[value]
        if value == 0 and self._field.zero:
            return self._field.zero
        return f"{value:,}" if isinstance(value, int) else number_text(value)


def number_text(value: float) -> str:
    """Return a number as it can be typed: ``0.425``, ``32768``, ``1,000,000``, ``1e9`` for a thousand million.

    Below a million a comma could be read as a decimal comma.
    """
    if EXPONENT_FROM <= abs(value) < GROUPED_BELOW and value == round(value):
        return f"{value:,.0f}"
    text, mantissa, exponent = f"{value:.12g}", *f"{value:.11e}".split("e")
    scientific = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return min(text, scientific, key=len) if abs(value) >= EXPONENT_FROM else text


def _decimal_step(value: float) -> float:
    # A tenth of the leading digit's place: 10 in steps of 1, 0.425 in steps of 0.01.
    return float(10.0 ** (math.floor(math.log10(abs(value))) - 1)) if value else 0.1
