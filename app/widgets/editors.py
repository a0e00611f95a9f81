"""Widgets that edit one declared field, generated from its declaration."""

import re
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QToolButton, QWidget

from app.widgets.combo_box import ComboBox
from app.widgets.field_text import Refusal, ambiguous_comma, tool_tip, typed_number
from app.widgets.labels import label, with_role
from app.widgets.layouts import row
from app.widgets.line_edit import LineEdit
from app.widgets.number_box import NumberBox
from app.widgets.wrapped_field import WrappedField
from core.spec import Field, name_for_scenario
from core.text import plural

MAX_TYPED = 16
"""Maximum number of entries of a tuple that is edited as text; longer tuples come from files and are summarised."""
MAX_WRITTEN_OUT = 3
"""Maximum number of booleans that are written out; more would make a form too wide."""
MAX_SPACED = 4
"""Maximum number of entries of a list that is written with spaces."""
FRAME_CHARACTERS, MAX_ROOM = 4, 24
"""Room for the frame of a list's field, and its largest width, in average characters."""
LONG_TEXT = 1 << 16
"""Maximum length of a text, in characters, from which its field wraps."""
MAX_TIP = 2_000
"""Maximum number of characters of a text in its tool tip."""
SEPARATORS = re.compile(r"[\s×x*,;]+", re.IGNORECASE)


class Editor(QWidget):
    """Shows and edits the value of one field."""

    edited = Signal(object, bool)
    """(value or `Refusal`, whether it is final rather than still being typed)."""
    committed = Signal()
    """Enter was pressed, or the focus was lost: typed text is final."""
    labels_itself: ClassVar[bool] = False
    """Whether it shows the field's title itself."""
    wide: ClassVar[bool] = False
    """Whether it needs the width of the form: its label is above it."""

    def __init__(self, field: Field, body: QWidget) -> None:
        super().__init__()
        self.field = field
        self.body = body
        self.row = row((body, 1), of=self, spacing=4)
        self.setToolTip(tool_tip(field))
        body.setAccessibleName(field.title)

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops."""
        return [self.body, *self.findChildren(QToolButton)]

    @abstractmethod
    def show_value(self, value: Any) -> None:
        """Show a value, without a signal."""


class NumberEditor(Editor):
    """A whole or real number."""

    def __init__(self, field: Field) -> None:
        self.box = NumberBox(field)
        super().__init__(field, self.box)
        self.box.edited.connect(self.edited)
        self.box.editingFinished.connect(self.committed)

    def show_value(self, value: Any) -> None:
        """Show a number."""
        self.box.set_value(value)


class SwitchEditor(Editor):
    """Yes or no. A list of several values (one per dimension) is written out or counted, and replaced when clicked."""

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
            several = ", ".join("yes" if entry else "no" for entry in value)
            if len(value) > MAX_WRITTEN_OUT:
                several = f"{sum(value)} of {len(value)}"
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
    """Text; empty means None if the field allows it."""

    def __init__(self, field: Field, line: LineEdit | WrappedField | None = None) -> None:
        self.line = line or LineEdit()
        super().__init__(field, self.line)
        self.line.textEdited.connect(lambda text: self.edited.emit(self.read(text), False))
        self.line.editingFinished.connect(self.committed)

    def read(self, text: str) -> Any:
        """Return the value of a text, or a `Refusal`."""
        most = self.field.max_length
        if self.field.kind is str and most is not None and len(text) > most:
            return Refusal(f"must have at most {plural(most, 'character')}, not {len(text):,}")
        return text if text or not self.field.optional else None

    def write(self, value: Any) -> str:
        """Return the text of a value."""
        return "" if value is None else str(value)

    def show_value(self, value: Any) -> None:
        """Show a value."""
        if self.read(self.line.text()) != value:
            self.line.setText(self.write(value))
            # Shows the beginning of a long text.
            self.line.setCursorPosition(0)


class LongTextEditor(TextEditor):
    """A long text, such as a list of nodes, in a field that wraps."""

    wide: ClassVar[bool] = True

    def __init__(self, field: Field) -> None:
        super().__init__(field, WrappedField())

    def show_value(self, value: Any) -> None:
        """Show a text, and its beginning in the tool tip."""
        super().show_value(value)
        text = self.line.text()
        shown = f"{text[:MAX_TIP]} …" if len(text) > MAX_TIP else text
        self.line.setToolTip(f"{shown}\n{self.toolTip()}".lstrip())


class ListEditor(TextEditor):
    """A few numbers as text: ``8 × 8 × 8``, also with x, commas or spaces; a single number may stand for all.

    The field is as wide as the numbers, which are written without spaces if they are many.
    """

    def read(self, text: str) -> Any:
        """Return a tuple of numbers, or a `Refusal`."""
        return numbers_in_list(text, self.field, self.write(self.field.default or (8, 8)))

    def write(self, value: Any) -> str:
        """Return ``8 × 8 × 8``, or ``24×23×24×2×3×2``."""
        entries = value if isinstance(value, tuple) else () if value is None else (value,)
        return ("×" if len(entries) > MAX_SPACED else " × ").join(
            f"{entry:.12g}" if isinstance(entry, float) else str(entry) for entry in entries
        )

    def show_value(self, value: Any) -> None:
        """Show the numbers, and keep room for them."""
        super().show_value(value)
        self._keep_room()

    def changeEvent(self, event: QEvent) -> None:
        """Keep room for the numbers in another size of type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()

    def _keep_room(self) -> None:
        metrics = self.fontMetrics()  # the line's font changes after its own
        wide = metrics.horizontalAdvance(self.line.text()) + FRAME_CHARACTERS * metrics.averageCharWidth()
        self.line.setMinimumWidth(min(wide, MAX_ROOM * metrics.averageCharWidth()))


class FileEditor(TextEditor):
    """The path of a file in the scenario's folder, typed or picked."""

    wide: ClassVar[bool] = True
    line: LineEdit

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self.folder: Path | None = None
        """The scenario's folder; None if it was never saved."""
        self.take: Callable[[Path], None] | None = None
        """Takes a file chosen in the dialog, if that needs more than its name."""
        self.line.setPlaceholderText("none")
        self.button = with_role(QToolButton(), "small")
        self.button.setText("…")
        self.button.setToolTip(f"Choose the {field.title.lower()}")
        self.button.setAccessibleName(self.button.toolTip())
        self.button.clicked.connect(self._on_button_clicked)
        self.row.addWidget(self.button)

    def show_value(self, value: Any) -> None:
        """Show a path, its end rather than its beginning if it is long, and all of it in the tool tip."""
        super().show_value(value)
        if not self.line.hasFocus():
            self.line.end(False)
        self.line.setToolTip(f"{self.line.text()}\n{self.toolTip()}".lstrip())

    def _on_button_clicked(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, self.field.title, str(self.folder or Path.cwd()))
        if name and self.take is not None:
            self.take(Path(name))
        elif name:
            name = name_for_scenario(Path(name), self.folder)
            self.line.setText(name)
            self.edited.emit(name, True)


class SummaryEditor(Editor):
    """A long list, which only files can provide: shows its length. An optional one can be removed."""

    def __init__(self, field: Field) -> None:
        self.label = label("dim")
        super().__init__(field, self.label)
        self.setToolTip(f"{self.toolTip()}\nRead from the file; cannot be edited here.")
        self.button = QToolButton()
        self.button.setText("×")
        self.button.setToolTip(f"Remove the {field.title.lower()}")
        self.button.setAccessibleName(self.button.toolTip())
        self.button.setVisible(field.optional)
        self.button.clicked.connect(lambda: self.edited.emit(None, True))
        self.row.addWidget(self.button)

    def show_value(self, value: Any) -> None:
        """Show the number of entries."""
        self.label.setText("" if value is None else plural(len(value), "entry"))


def numbers_in_list(text: str, field: Field, example: str) -> tuple[int | float, ...] | Refusal:
    """Return the numbers typed for a field with several numbers, or a refusal, perhaps with an example of a list."""
    entry = field.entry.kind if field.entry is not None else float
    joined = ambiguous_comma(text, entry)
    if joined is not None:
        return joined
    parts = [part for part in SEPARATORS.split(text.strip()) if part]
    otherwise = f"give numbers such as {example}"
    read = [typed_number(part, int if part.lstrip("+-").isdecimal() else float, otherwise) for part in parts]
    refused = next((number for number in read if isinstance(number, Refusal)), None)
    if refused is not None or not read:
        return refused or Refusal(otherwise)
    return tuple(number for number in read if not isinstance(number, Refusal))


def is_long(field: Field) -> bool:
    """Return whether a field is a list that only files can provide."""
    return field.kind is tuple and (field.max_length is None or field.max_length > MAX_TYPED)


def editor_for(field: Field) -> Editor:
    """Return the editor for a declaration."""
    if field.choices:
        return ChoiceEditor(field)
    if is_long(field):
        return SummaryEditor(field)
    if field.kind is str:
        wraps = field.max_length is not None and field.max_length >= LONG_TEXT
        return FileEditor(field) if field.is_file else LongTextEditor(field) if wraps else TextEditor(field)
    kinds: dict[type, Callable[[Field], Editor]] = {
        int: NumberEditor,
        float: NumberEditor,
        bool: SwitchEditor,
        tuple: ListEditor,
    }
    return kinds[field.kind](field)
