"""Rows of the sweep form: boxes to tick, and the values."""

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QSizePolicy, QWidget

from app.panels.studies.sweep import plain_choice
from app.panels.studies.values import example, read_values, typed
from app.widgets.choices_button import ChoicesButton
from app.widgets.field_text import Refusal, tool_tip
from app.widgets.labels import message_label, say
from app.widgets.layouts import column, row
from app.widgets.refusals import mark_wrong
from core.spec import Field, Spec

LABEL_SHARE, EDITOR_SHARE = 11, 12


class VaryRow(QWidget):
    """A box to tick, an editor of values next to it, and an error message below."""

    changed = Signal()

    def __init__(self, title: str, tip: str, editor: QWidget) -> None:
        super().__init__()
        self.check, self.editor, self.message = QCheckBox(title), editor, message_label("error")
        # Keeps the editors aligned: a long title is shortened.
        self.check.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for widget in (self.check, editor):
            widget.setToolTip(tip)
        editor.setAccessibleName(f"{title}: values")
        column(row((self.check, LABEL_SHARE), (editor, EDITOR_SHARE), spacing=6), self.message, of=self, spacing=2)
        self.check.toggled.connect(self._on_check_toggled)

    @property
    def ticked(self) -> bool:
        """Return whether the field is to be varied."""
        return self.check.isChecked()

    def values(self) -> list[Any] | Refusal:
        """Return the values, as in files, or the valid values, which are also shown below."""
        outcome = self.read()
        wrong = isinstance(outcome, Refusal)
        say(self.message, outcome.message if isinstance(outcome, Refusal) else "")
        mark_wrong(self.editor, wrong)
        return outcome

    @abstractmethod
    def read(self) -> list[Any] | Refusal:
        """Return the values, or the valid values."""

    @abstractmethod
    def take(self, row: "VaryRow") -> None:
        """Copy the input of another row of the same field."""

    def _on_check_toggled(self, checked: bool) -> None:
        if checked:
            self.editor.setFocus()
        else:
            say(self.message, "")
            mark_wrong(self.editor, False)
        self.changed.emit()

    def _on_editor_used(self) -> None:
        with QSignalBlocker(self.check):
            self.check.setChecked(True)
        self.changed.emit()


class TypedRow(VaryRow):
    """Values as text."""

    def __init__(self, spec: Spec, field: Field) -> None:
        self.line = QLineEdit()
        title = f"{field.title}, {field.unit}" if field.unit else field.title
        super().__init__(title, f"{tool_tip(field)}\nSeveral values: {example(field)}", self.line)
        self._spec, self._field = spec, field
        shown = typed(getattr(spec, field.name))
        self.line.setPlaceholderText(f"{shown} {field.unit}".rstrip() if shown else "")
        self.line.textEdited.connect(self._on_editor_used)

    def read(self) -> list[Any] | Refusal:
        """Return the values typed."""
        return read_values(self.line.text(), self._spec, self._field)

    def take(self, row: VaryRow) -> None:
        """Copy the text of another row of the same field."""
        if isinstance(row, TypedRow) and row.line.text():
            self.line.setText(row.line.text())
            with QSignalBlocker(self.check):
                self.check.setChecked(row.check.isChecked())


class TickedRow(VaryRow):
    """Values as ticks in a menu, by title."""

    def __init__(self, title: str, tip: str, values: dict[str, Any], shown: str) -> None:
        self.button = ChoicesButton(title)
        super().__init__(title, tip, self.button)
        self._values = values
        self.button.offer(list(values), [shown])
        self.button.changed.connect(self._on_editor_used)

    def read(self) -> list[Any] | Refusal:
        """Return the values ticked."""
        ticked = self.button.ticked
        return [self._values[title] for title in ticked] if ticked else Refusal("tick at least one")

    def take(self, row: VaryRow) -> None:
        """Copy the ticks of another row of the same field."""
        if isinstance(row, TickedRow) and row.check.isChecked():
            self.button.offer(list(self._values), row.button.ticked)
            with QSignalBlocker(self.check):
                self.check.setChecked(True)


def field_row(spec: Spec, field: Field) -> VaryRow:
    """Return the row of a field of a spec."""
    if field.kind is bool or field.choices:
        choices = field.choices or (True, False)
        titles = {typed(choice).replace("-", " "): choice for choice in choices}
        return TickedRow(field.title, tool_tip(field), titles, typed(getattr(spec, field.name)).replace("-", " "))
    return TypedRow(spec, field)


def choice_row(section: str, shown: Spec, choices: dict[str, Spec]) -> VaryRow:
    """Return the row of an entire choice."""
    values = {title: plain_choice(spec) for title, spec in choices.items()}
    return TickedRow(f"Kind of {section}", f"Compare several kinds of {section}", values, shown.title)
