"""The form of one spec class: a row for each declared field, and room for a message under each."""

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import ValidationError
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.widgets.card import ElidedLabel
from app.widgets.editors import ComboBox, Editor, SummaryEditor, editor_for
from core.spec import Spec, fields_of, from_plain, to_plain

__all__ = ["Form", "ValidationError", "message_label", "say", "with_values"]

LABEL_SHARE, EDITOR_SHARE = 11, 10
"""How a row's width is shared between label and editor."""
CUSTOM = "custom"


def message_label(role: str) -> QLabel:
    """Return a hidden label for sentences."""
    label = QLabel()
    label.setProperty("role", role)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    label.setWordWrap(True)  # after the size policy, to which it adds that the height depends on the width
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.hide()
    return label


def say(label: QLabel, text: str) -> None:
    """Show a sentence, or hide the label that has none."""
    label.setText(text)
    label.setVisible(bool(text))


class Row(QWidget):
    """A label and what it names, side by side: the editor as wide as it must be, the label elided if need be."""

    def __init__(self, label: QLabel | None, body: QWidget, buddy: QWidget) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        if label is not None:
            label.setBuddy(buddy)
            label.setToolTip(body.toolTip())
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            layout.addWidget(label, LABEL_SHARE)
        body.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout.addWidget(body, EDITOR_SHARE)


class Form(QWidget):
    """Editors of all fields of a family, generated from its declarations."""

    edited = Signal(str, object, bool)
    """(field, value or `Refusal`, whether it is meant as it stands)."""
    committed = Signal()
    preset_chosen = Signal(object)
    """Field values of the chosen preset."""

    def __init__(self, family: type[Spec]) -> None:
        super().__init__()
        self.family = family
        self.editors: dict[str, Editor] = {}
        self._rows: dict[str, Row] = {}
        self._messages: dict[str, QLabel] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.presets = self._add_presets() if family.presets else None
        for field in fields_of(family):
            self._add_row(editor_for(field))

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return what Tab goes through, from top to bottom."""
        stops: list[QWidget] = [] if self.presets is None else [self.presets]
        for editor in self.editors.values():
            stops += [editor.body, *editor.findChildren(QToolButton)]
        return stops

    def show_spec(self, spec: Spec, *, but: Collection[Editor] = ()) -> None:
        """Show the values of a spec of the family, in all editors `but` some; tells nobody."""
        for name, editor in self.editors.items():
            if editor not in but:
                value = getattr(spec, name)
                with QSignalBlocker(editor):
                    editor.show_value(value)
                self._rows[name].setVisible(value is not None or not isinstance(editor, SummaryEditor))
        if self.presets is not None:
            self.presets.setCurrentText(_preset_of(spec))

    def show_message(self, name: str, text: str, remedy: QWidget) -> bool:
        """Show a message and what helps under a field's row and return True; False if no such row is seen."""
        if name not in self.editors or self._rows[name].isHidden():
            return False
        message = self._messages[name]
        say(message, text)
        self._mark(name, True)
        self._column.insertWidget(self._column.indexOf(message) + 1, remedy, 0, Qt.AlignmentFlag.AlignLeft)
        return True

    def clear_messages(self) -> None:
        """Take all messages away."""
        for name, message in self._messages.items():
            if message.text():
                say(message, "")
                self._mark(name, False)

    def message(self, name: str) -> str:
        """Return the message under a field; empty if there is none."""
        return self._messages[name].text()

    def _add_presets(self) -> ComboBox:
        combo = ComboBox()
        combo.addItems([*self.family.presets, CUSTOM])
        combo.setAccessibleName("Preset")
        combo.setToolTip("Preset: sets several fields at once.")
        combo.activated.connect(self._on_presets_activated)
        self._column.addWidget(Row(None, combo, combo))
        return combo

    def _add_row(self, editor: Editor) -> None:
        name = editor.field.name
        label = None if editor.labels_itself else ElidedLabel(editor.field.title)
        self.editors[name] = editor
        self._rows[name] = row = Row(label, editor, editor.body)
        self._messages[name] = message = message_label("error")
        self._column.addWidget(row)
        self._column.addWidget(message)
        editor.edited.connect(lambda value, at_once: self.edited.emit(name, value, at_once))
        editor.committed.connect(self.committed)

    def _mark(self, name: str, wrong: bool) -> None:
        body = self.editors[name].body
        body.setProperty("wrong", wrong)
        body.style().unpolish(body)
        body.style().polish(body)

    def _on_presets_activated(self, index: int) -> None:
        values = list(self.family.presets.values())
        self.preset_chosen.emit(values[index] if index < len(values) else {})


def _preset_of(spec: Spec) -> str:
    for name, values in spec.presets.items():
        if all(getattr(spec, field) == value for field, value in values.items()):
            return name
    return CUSTOM


def with_values(spec: Any, values: dict[str, Any]) -> Any:
    """Return the spec with other values, checked against its declaration.

    Raises msgspec.ValidationError: if a value is not what the field takes.
    """
    changed = msgspec.structs.replace(spec, **values)
    return from_plain(to_plain(changed), type(spec))
