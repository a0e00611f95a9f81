"""The form of one spec class: a row for each declared field, and room for a message under each."""

import re
from typing import Any, TypeVar

import msgspec
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QWidget

from app.widgets.combo_box import ComboBox
from app.widgets.editors import Editor, SummaryEditor, editor_for
from app.widgets.field_text import Refusal, expected
from app.widgets.files_editor import FilesEditor
from app.widgets.labels import ElidedLabel, message_label, say
from app.widgets.layouts import column, row
from app.widgets.parts_editor import PartsEditor
from app.widgets.refusals import is_wrong, mark_wrong
from core.spec import Field, Spec, fields_of, from_plain, to_plain

AnySpec = TypeVar("AnySpec", bound=Spec)
LABEL_SHARE, EDITOR_SHARE = 11, 10
"""Proportions of label and editor in a row."""
SPACING = 6
CUSTOM = "custom"


class LabelledRow(QWidget):
    """A label and an editor side by side; where the label has no room there, or the editor is `wide`, it is above."""

    def __init__(self, label: QLabel | None, body: QWidget, buddy: QWidget, *, wide: bool = False) -> None:
        super().__init__()
        self._wide = wide
        self._label, self._body = label, body
        body.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if label is None:
            row(body, of=self)
            return
        label.setBuddy(buddy)
        label.setToolTip(body.toolTip())
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._layout = row((label, LABEL_SHARE), (body, EDITOR_SHARE), of=self, spacing=SPACING)

    def event(self, event: QEvent) -> bool:
        """Put the label left of or above the editor when the width, or the width that they need, changes."""
        if self._label is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            room = self.width() - SPACING
            editor = max(self._body.minimumSizeHint().width(), room * EDITOR_SHARE // (LABEL_SHARE + EDITOR_SHARE))
            fits = not self._wide and self._label.sizeHint().width() < room - editor  # not equal: the layout rounds
            beside, above = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
            self._layout.setDirection(beside if fits else above)
            self._layout.setSpacing(SPACING if fits else 0)
        return super().event(event)


class Form(QWidget):
    """Editors of all fields of a family, generated from its declarations. Esc in a red field reverts it."""

    edited = Signal(str, object, bool)
    """(field, value or `Refusal`, whether it is final and not still being typed)."""
    committed = Signal()
    reverted = Signal()
    """Esc was pressed in a red field: the text typed in it is withdrawn."""
    preset_chosen = Signal(object)
    """Field values of the chosen preset."""

    def __init__(self, family: type[Spec]) -> None:
        super().__init__()
        self.family = family
        self.editors: dict[str, Editor] = {}
        self._rows: dict[str, LabelledRow] = {}
        self.messages: dict[str, QLabel] = {}
        """Message labels by field name, made when first needed; hidden while empty."""
        self._hidden_unchanged: frozenset[str] = frozenset()
        """Fields that are hidden unless they have been changed."""
        self._column = column(of=self, spacing=4)
        self.presets = self._add_presets() if family.presets else None
        for field in fields_of(family):
            self._add_row(_editor(field))

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops from top to bottom."""
        stops: list[QWidget] = [] if self.presets is None else [self.presets]
        for editor in self.editors.values():
            stops += editor.tab_stops
        return stops

    @property
    def visible_editors(self) -> list[Editor]:
        """Return the editors of the fields that are used with the values shown."""
        return [editor for name, editor in self.editors.items() if not self._rows[name].isHidden()]

    def show_spec(self, spec: Spec, *, keep_typed: bool = False) -> None:
        """Show the values of a spec of the family, without a signal.

        `keep_typed` leaves the editor being typed in unchanged, unless its text was refused.
        """
        for name, editor in self.editors.items():
            if not (keep_typed and editor.body.hasFocus() and not is_wrong(editor.body)):
                value = getattr(spec, name)
                with QSignalBlocker(editor):
                    editor.show_value(value)
        self._show_rows(spec)
        if self.presets is not None:
            name = _preset_of(spec)
            self.presets.setCurrentText(name)
            self.presets.setToolTip(self.family.preset_notes.get(name, "Preset: sets several fields at once"))

    def hide_unchanged(self, names: frozenset[str], spec: Spec) -> None:
        """Hide the fields with these names that have their defaults in `spec`, and no others of this kind."""
        self._hidden_unchanged = names
        self._show_rows(spec)

    def _show_rows(self, spec: Spec) -> None:
        for field in fields_of(self.family):
            value = getattr(spec, field.name)
            empty = value is None and isinstance(self.editors[field.name], SummaryEditor)
            unchanged = field.name in self._hidden_unchanged and value == field.default
            self._rows[field.name].setVisible(not (empty or unchanged or field.name in spec.unused))

    def show_message(self, name: str, text: str, remedy: QWidget | None = None) -> bool:
        """Show a message and its remedy under a field's row and return True; False if there is no visible row."""
        if name not in self.editors or self._rows[name].isHidden():
            return False
        message = self._message(name)
        say(message, text)
        mark_wrong(self.editors[name].body, True)
        if remedy is not None:
            self._column.insertWidget(self._column.indexOf(message) + 1, remedy)
        return True

    def clear_messages(self) -> None:
        """Hide all messages."""
        for name, message in self.messages.items():
            if message.text():
                say(message, "")
                mark_wrong(self.editors[name].body, False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Esc in a red field, which otherwise belongs to the window."""
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        kinds = QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress
        if not escape or event.type() not in kinds or not isinstance(watched, QWidget) or not is_wrong(watched):
            return super().eventFilter(watched, event)
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self.reverted.emit()
        return True

    def _add_presets(self) -> ComboBox:
        combo = ComboBox()
        combo.addItems([*self.family.presets, CUSTOM])
        combo.setAccessibleName("Preset")
        for index, name in enumerate(self.family.presets):
            combo.setItemData(index, self.family.preset_notes.get(name), Qt.ItemDataRole.ToolTipRole)
        combo.activated.connect(self._on_presets_activated)
        self._column.addWidget(LabelledRow(None, combo, combo))
        return combo

    def _add_row(self, editor: Editor) -> None:
        name = editor.field.name
        label = None if editor.labels_itself else ElidedLabel(editor.field.title)
        self.editors[name] = editor
        self._rows[name] = row = LabelledRow(label, editor, editor.body, wide=editor.wide)
        self._column.addWidget(row)
        editor.edited.connect(lambda value, at_once: self.edited.emit(name, value, at_once))
        editor.committed.connect(self.committed)
        editor.body.installEventFilter(self)

    def _message(self, name: str) -> QLabel:
        if name not in self.messages:
            self.messages[name] = message_label("error")
            self._column.insertWidget(self._column.indexOf(self._rows[name]) + 1, self.messages[name])
        return self.messages[name]

    def _on_presets_activated(self, index: int) -> None:
        values = list(self.family.presets.values())
        self.preset_chosen.emit(values[index] if index < len(values) else {})


def _editor(field: Field) -> Editor:
    if field.specs is not None:
        return PartsEditor(field, SpecForm)
    return FilesEditor(field) if field.entry is not None and field.entry.is_file else editor_for(field)


def first_line(family: type[Spec]) -> str:
    """Return the one-line description of a family."""
    return (family.__doc__ or "").partition("\n")[0]


def _preset_of(spec: Spec) -> str:
    for name, values in spec.presets.items():
        if all(getattr(spec, field) == value for field, value in values.items()):
            return name
    return CUSTOM


def with_values(spec: AnySpec, values: dict[str, Any]) -> AnySpec:
    """Return the spec with other values, checked against its declaration.

    Raises msgspec.ValidationError: if a value does not fit its field.
    """
    return from_plain(to_plain(msgspec.structs.replace(spec, **values)), type(spec))


def with_value(spec: AnySpec, name: str, value: Any) -> AnySpec | Refusal:
    """Return the spec with another value of a field, as emitted by an `Editor`, or a refusal."""
    if isinstance(value, Refusal):
        return value
    try:
        return with_values(spec, {name: value})
    except msgspec.ValidationError as error:
        field = next(field for field in fields_of(type(spec)) if field.name == name)
        return Refusal(f"give {expected(field)}" + (entry_limit(str(error)) if field.kind is tuple else ""))


def entry_limit(problem: str) -> str:
    """Return the error of an entry of a list, or of their number, from msgspec's message."""
    bound = re.search(r"(of length )?([<>]=) (\d+)", problem)
    if bound is None:
        return ", all whole numbers" if "Expected `int`" in problem else ""
    number = f"{'at most' if bound[2] == '<=' else 'at least'} {int(bound[3]):,}"
    return f", {number} of them" if bound[1] else f", each {number}"


class SpecForm(QWidget):
    """A form that emits whole specs; an invalid value shows an error beneath its field."""

    changed = Signal(object)
    """The spec, with another value."""

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self.spec = spec
        self.form = Form(type(spec))
        self.form.show_spec(spec)
        column(self.form, of=self)
        self.form.edited.connect(self._on_form_edited)
        self.form.reverted.connect(self._on_form_reverted)

    def show_spec(self, spec: Spec) -> None:
        """Show values; text being typed is kept."""
        if spec != self.spec:
            self.spec = spec
            self.form.show_spec(spec, keep_typed=True)

    def _on_form_edited(self, name: str, value: Any, at_once: bool) -> None:
        self.form.clear_messages()
        spec = with_value(self.spec, name, value)
        if isinstance(spec, Refusal):
            self.form.show_message(name, spec.message)
        elif spec != self.spec:
            self.spec = spec
            self.changed.emit(spec)

    def _on_form_reverted(self) -> None:
        self.form.show_spec(self.spec)
        self.form.clear_messages()
