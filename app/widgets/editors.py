"""Widgets that edit one declared field, made from its declaration alone."""

import math
import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QWidget,
)

from core.spec import Field

FEW = 16
"""Entries up to which a tuple is edited as text; longer ones come from files and are only summed up."""
BUTTON_PX = 28
"""Width of a button beside a field: the field has the room."""
SEPARATORS = re.compile(r"[\s×x*,;]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an editor hands on instead of a value that cannot be: what would be right."""

    message: str


class Editor(QWidget):
    """Shows and edits the value of one field."""

    edited = Signal(object, bool)
    """(value or `Refusal`, whether it is meant as it stands or still being typed)."""
    committed = Signal()
    """Enter, or the focus has moved on: what was typed is meant."""
    labels_itself: ClassVar[bool] = False
    """Whether it shows the field's title, so that it needs no label beside it."""

    def __init__(self, field: Field, body: QWidget) -> None:
        super().__init__()
        self.field = field
        self.body = body
        self.layout_ = QHBoxLayout(self)
        self.layout_.setContentsMargins(0, 0, 0, 0)
        self.layout_.setSpacing(4)
        self.layout_.addWidget(body, 1)
        self.setToolTip(tool_tip(field))
        body.setAccessibleName(field.title)

    @property
    def typing(self) -> bool:
        """Return whether the user is at work in it, so that it must not be overwritten without need."""
        return self.body.hasFocus()

    @abstractmethod
    def show_value(self, value: Any) -> None:
        """Show a value; tells nobody."""


class ComboBox(QComboBox):
    """A combo box that leaves the wheel to the panel it scrolls with."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def minimumSizeHint(self) -> QSize:
        """Ask for room for the longest entry."""
        return self.sizeHint()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the panel instead of changing the choice."""
        event.ignore()


class NumberBox(QAbstractSpinBox):
    """A number with arrows and a unit. Unlike Qt's own it may be empty, and shows 0.425 as it was typed."""

    stepped = Signal(object)
    typed = Signal(object)
    """What stands there after a key: a number, None or a `Refusal`."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self._value: int | float | None = field.default
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._unit = QLabel(field.unit, self.lineEdit())
        self._unit.setProperty("role", "dim")
        self._unit.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        if field.optional:
            self.lineEdit().setPlaceholderText("automatic")
        self.lineEdit().textEdited.connect(self._on_line_edit_text_edited)
        self.editingFinished.connect(self._on_self_editing_finished)

    @property
    def value(self) -> int | float | None:
        """Return the last number that was within its bounds; None if left empty."""
        return self._value

    def set_value(self, value: int | float | None) -> None:
        """Show a number, or leave the box empty."""
        self._value = value
        text = self._text(value)
        if self._read(self.lineEdit().text()) != value or isinstance(self._read(text), Refusal):
            self.lineEdit().setText(text)

    def stepBy(self, steps: int) -> None:
        """Go up or down and stay within the bounds."""
        start = self._value if self._value is not None else self._field.low or 0
        step = 1 if self._field.kind is int else _decimal_step(start)
        self._go_to(self._within(round(start + steps * step, 12)))

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        """Return which arrows lead somewhere."""
        flags = QAbstractSpinBox.StepEnabledFlag.StepNone
        low, high = self._field.low, self._field.high
        if self._value is None or high is None or self._value < high:
            flags |= QAbstractSpinBox.StepEnabledFlag.StepUpEnabled
        if self._value is None or low is None or self._value > low:
            flags |= QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        return flags

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let anything be typed that may become a number; the message under the field says the rest."""
        allowed = "0123456789+- " if self._field.kind is int else "0123456789+-.eE "
        known = all(character in allowed for character in text)
        return (QValidator.State.Acceptable if known else QValidator.State.Invalid), text, position

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn the number only once the box was clicked; else the panel scrolls."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the unit at the right."""
        super().resizeEvent(event)
        line = self.lineEdit()
        width = self._unit.sizeHint().width() + 4 if self._field.unit else 0
        self._unit.setGeometry(line.width() - width, 0, width, line.height())
        line.setTextMargins(4, 0, width, 0)

    def _on_line_edit_text_edited(self, text: str) -> None:
        read = self._read(text)
        if not isinstance(read, Refusal):
            self._value = read
        self.typed.emit(read)

    def _on_self_editing_finished(self) -> None:
        read = self._read(self.lineEdit().text())
        if isinstance(read, Refusal):
            # Out of bounds: the nearest number within. No number at all: the last one.
            number = _number(self.lineEdit().text(), self._field.kind)
            self._go_to(self._value if number is None else self._within(number))
        else:
            self.lineEdit().setText(self._text(read))

    def _go_to(self, value: int | float | None) -> None:
        self._value = value
        self.lineEdit().setText(self._text(value))
        self.stepped.emit(value)

    def _within(self, number: int | float) -> int | float:
        low, high = self._field.low, self._field.high
        if low is not None and (number < low or (self._field.low_excluded and number == low)):
            return _as(self._field.kind, low) if not self._field.low_excluded else self._value or number
        return _as(self._field.kind, high) if high is not None and number > high else number

    def _read(self, text: str) -> int | float | Refusal | None:
        if not text.strip() and self._field.optional:
            return None
        number = _number(text, self._field.kind)
        if number is None or number != self._within(number):
            return Refusal(f"give {expected(self._field)}")
        return number

    def _text(self, value: int | float | None) -> str:
        if value is None:
            return ""
        return str(value) if isinstance(value, int) else f"{value:.12g}"


class NumberEditor(Editor):
    """A whole or real number."""

    def __init__(self, field: Field) -> None:
        self.box = NumberBox(field)
        super().__init__(field, self.box)
        self.box.stepped.connect(lambda value: self.edited.emit(value, True))
        self.box.typed.connect(lambda value: self.edited.emit(value, False))
        self.box.editingFinished.connect(self.committed)

    def show_value(self, value: Any) -> None:
        """Show a number."""
        self.box.set_value(value)


class SwitchEditor(Editor):
    """Yes or no. A list of several (one per dimension) is written out, and replaced when clicked."""

    labels_itself: ClassVar[bool] = True

    def __init__(self, field: Field) -> None:
        self.check = QCheckBox(field.title)
        super().__init__(field, self.check)
        self.check.clicked.connect(self._on_check_clicked)

    def show_value(self, value: Any) -> None:
        """Show a bool, or several."""
        self.check.setTristate(False)
        if isinstance(value, bool):
            self.check.setText(self.field.title)
            self.check.setChecked(value)
        else:
            self.check.setCheckState(Qt.CheckState.PartiallyChecked)
            several = ", ".join("yes" if one else "no" for one in value)
            self.check.setText(f"{self.field.title}: {several}")

    def _on_check_clicked(self) -> None:
        checked = self.check.checkState() != Qt.CheckState.Unchecked
        self.show_value(checked)
        self.edited.emit(checked, True)


class ChoiceEditor(Editor):
    """One of a few values."""

    def __init__(self, field: Field) -> None:
        self.combo = ComboBox()
        super().__init__(field, self.combo)
        for choice in field.choices:
            self.combo.addItem(str(choice).replace("-", " "), choice)
        self.combo.activated.connect(lambda index: self.edited.emit(self.combo.itemData(index), True))

    def show_value(self, value: Any) -> None:
        """Show one of the values."""
        self.combo.setCurrentIndex(self.field.choices.index(value))


class TextEditor(Editor):
    """Text; nothing typed stands for None where that may be."""

    def __init__(self, field: Field) -> None:
        self.line = QLineEdit()
        super().__init__(field, self.line)
        if field.kind is str and field.max_length is not None:
            self.line.setMaxLength(field.max_length)
        self.line.textEdited.connect(lambda text: self.edited.emit(self.read(text), False))
        self.line.editingFinished.connect(self.committed)

    def read(self, text: str) -> Any:
        """Return the value that a text stands for, or a `Refusal`."""
        return text if text or not self.field.optional else None

    def write(self, value: Any) -> str:
        """Return the text that stands for a value."""
        return "" if value is None else str(value)

    def show_value(self, value: Any) -> None:
        """Show a value."""
        if self.read(self.line.text()) != value:
            self.line.setText(self.write(value))
            # A long text is read from its beginning.
            self.line.setCursorPosition(0)


class ListEditor(TextEditor):
    """A few numbers as text: ``8 × 8 × 8``, also with x, commas or spaces."""

    def read(self, text: str) -> Any:
        """Return a tuple of numbers, or a `Refusal`."""
        parts = [part for part in SEPARATORS.split(text.strip()) if part]
        numbers = [_number(part, int if part.lstrip("+-").isdigit() else float) for part in parts]
        if not numbers or None in numbers:
            return Refusal("give numbers such as " + self.write(self.field.default or (8, 8)))
        return tuple(numbers)

    def write(self, value: Any) -> str:
        """Return ``8 × 8 × 8``."""
        return " × ".join(f"{entry:.12g}" if isinstance(entry, float) else str(entry) for entry in value or ())


class FileEditor(TextEditor):
    """The path of a file beside the scenario, typed or picked."""

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self.folder: Path | None = None
        """Where the scenario lies; None while it was never saved."""
        self.line.setPlaceholderText("none")
        self.button = QToolButton()
        self.button.setText("…")
        self.button.setToolTip(f"Choose the {field.title.lower()}")
        self.button.clicked.connect(self._on_button_clicked)
        self.button.setFixedWidth(BUTTON_PX)
        self.layout_.addWidget(self.button)

    def _on_button_clicked(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, self.field.title, str(self.folder or Path.cwd()))
        if name:
            self.edited.emit(self._named(Path(name).resolve()), True)

    def _named(self, path: Path) -> str:
        # Beside the scenario by its name there; any other is the user's choice, by its whole path.
        folder = None if self.folder is None else self.folder.resolve()
        inside = folder is not None and path.is_relative_to(folder)
        name = path.relative_to(folder).as_posix() if folder is not None and inside else str(path)
        self.line.setText(name)
        return name


class SummaryEditor(Editor):
    """A long list, which only files can give: how long it is. One that may be left out can be taken away."""

    def __init__(self, field: Field) -> None:
        self.label = QLabel()
        self.label.setProperty("role", "dim")
        super().__init__(field, self.label)
        self.setToolTip(f"{self.toolTip()}\nIt comes from the file and is not edited here.")
        self.button = QToolButton()
        self.button.setText("×")
        self.button.setToolTip(f"Leave out the {field.title.lower()}")
        self.button.setVisible(field.optional)
        self.button.clicked.connect(lambda: self.edited.emit(None, True))
        self.layout_.addWidget(self.button)

    def show_value(self, value: Any) -> None:
        """Show the number of entries."""
        self.label.setText("" if value is None else f"{len(value):,} values")


def editor_for(field: Field) -> Editor:
    """Return the editor that fits a declaration."""
    if field.choices:
        return ChoiceEditor(field)
    if field.kind is tuple and (field.max_length is None or field.max_length > FEW):
        return SummaryEditor(field)
    if field.kind is str:
        return FileEditor(field) if field.is_file else TextEditor(field)
    kinds: dict[type, Callable[[Field], Editor]] = {
        int: NumberEditor,
        float: NumberEditor,
        bool: SwitchEditor,
        tuple: ListEditor,
    }
    return kinds[field.kind](field)


def expected(field: Field) -> str:
    """Return in words what a field takes: ``a whole number from 2 to 4,096``."""
    if field.choices:
        return "one of " + ", ".join(map(str, field.choices))
    names = {int: "a whole number", float: "a number", bool: "yes or no", tuple: "numbers such as 8 × 8"}
    words = names.get(field.kind, "text")
    if field.low is not None:
        words += f" {'above' if field.low_excluded else 'from'} {_figure(field.low)}"
    if field.high is not None:
        words += f" {'up ' if field.low_excluded or field.low is None else ''}to {_figure(field.high)}"
    return f"{words} {field.unit}".rstrip()


def tool_tip(field: Field) -> str:
    """Return the field's help and what it takes."""
    help_ = field.description[:1].upper() + field.description[1:]
    return f"{help_}.\n{expected(field)[:1].upper()}{expected(field)[1:]}."


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) < 1e15 and value == int(value) else f"{value:g}"


def _number(text: str, kind: type) -> int | float | None:
    try:
        number: int | float = kind(text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _as(kind: type, bound: float) -> int | float:
    return int(bound) if kind is int else float(bound)


def _decimal_step(value: float) -> float:
    # A tenth of the leading decimal: 10 goes in ones, 0.425 in hundredths.
    return float(10.0 ** (math.floor(math.log10(abs(value))) - 1)) if value else 0.1
