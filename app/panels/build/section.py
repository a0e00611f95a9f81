"""One of the choices in the build panel: its family, its form, its error."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QPushButton, QWidget

from app.panels.build.pending_input import PendingInput
from app.widgets.combo_box import ComboBox
from app.widgets.editors import FileEditor
from app.widgets.field_text import Refusal
from app.widgets.folded_notes import FoldedNotes
from app.widgets.forms import Form, first_line, with_value, with_values
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import STRETCH, column, row
from app.widgets.remedy_links import RemedyLinks
from app.wording.errors import field_label, message_text
from core.files.import_report import ImportReport
from core.load.compatibility import has_defaults
from core.load.remedies import Remedy
from core.spec import NoFile, Spec, SpecError, lacks_file

FILE_TITLES = {
    "network": "Choose a network file",
    "job": "Choose a trace file",
    "mapping": "Choose a mapping file",
    "routing": "Choose forwarding tables",
}
"""Titles of the dialogs for files, by choice."""


class ChoiceSection(QWidget):
    """Shows one choice, with links next to its heading, and emits changes."""

    changed = Signal(object)
    """Another spec of the same family."""
    family_changed = Signal(object, bool)
    """(spec of another family, whether the user had chosen it before)."""
    refused = Signal(object)
    """SpecError: the typed text is not a valid value of its field."""
    reverted = Signal()
    """The last typed or chosen value, which was refused, is to be withdrawn."""
    remedy_chosen = Signal(object)
    """One of the remedies shown."""
    file_asked = Signal(object)
    """The spec for which a file is to be chosen."""
    file_chosen = Signal(object, object)
    """(path of a file, spec that is to name it)."""

    def __init__(self, choice: str, families: tuple[type[Spec], ...], *links: QPushButton) -> None:
        super().__init__()
        self.choice, self._families, self._links = choice, families, links
        self._spec: Any = None
        self.refusals: dict[str, str] = {}
        """Why families do not fit the network, by tag."""
        self._seen: dict[str, Spec] = {}
        self._forms: dict[str, Form] = {}
        self._typed = PendingInput(self)
        self._typed.meant.connect(self._apply)
        self.combo = ComboBox()
        self.combo.setAccessibleName(choice.capitalize())
        self.combo.activated.connect(self._on_combo_activated)
        self.message, self.hint, self.contents = map(message_label, ("error", "dim", "dim"))
        self.warning = FoldedNotes(choice)
        self.remedies = RemedyLinks()
        self.remedies.chosen.connect(self.remedy_chosen)
        self.remedies.hide()
        self.choose_file = link(f"{FILE_TITLES.get(choice, 'Choose a file')} …", f"Open a file for the {choice}")
        self.choose_file.clicked.connect(lambda: self.file_asked.emit(self._spec))
        self.choose_file.hide()
        head = row((label("heading", choice.upper()), 1), *links)
        chosen = row(self.choose_file, STRETCH)
        parts = (head, self.combo, chosen, self.message, self.hint, self.contents, self.warning)
        self._column = column(*parts, of=self, margins=(0, 0, 0, 10), spacing=4)

    @property
    def form(self) -> Form:
        """Return the form of the family shown."""
        return self._forms[self._spec.tag()]

    @property
    def family(self) -> type[Spec]:
        """Return the family shown."""
        return type(self._spec)

    @property
    def families(self) -> list[type[Spec]]:
        """Return the families offered: the family shown, and all that can be chosen without further input."""
        return [family for family in self._families if family is self.family or has_defaults(family)]

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops from top to bottom, including hidden forms."""
        stops: list[QWidget] = [*self._links, self.combo]
        for form in self._forms.values():
            stops += form.tab_stops
        return [*stops, self.choose_file, *self.remedies.links, self.warning.more]

    def show_spec(self, spec: Any, valid: bool) -> None:
        """Show the wanted spec. Text being typed stays, unless the spec has changed meanwhile.

        `valid`: the spec has no error, so an editor that shows another value is reset.
        """
        other = spec is not self._spec and spec != self._spec
        if other:
            self._typed.drop()
            self._take(spec)
            self.form.show_spec(spec)
        elif valid and not self._typed.waiting:
            self.form.show_spec(spec, keep_typed=True)
        say(self.hint, spec.summary())

    def show_report(self, report: ImportReport | None, warnings: tuple[str, ...]) -> None:
        """Show the contents of an imported file instead of the summary, and warnings.

        Fields that do not apply to the file's format are hidden, unless they have been changed.
        """
        say(self.hint, self._spec.summary() if report is None else "")
        say(self.contents, "" if report is None else "\n".join(report.summary))
        self.warning.show_notes(warnings)
        if report is not None:
            self.form.hide_unchanged(report.unused, self._spec)

    def show_error(self, error: SpecError | None, remedies: Sequence[Remedy] = ()) -> None:
        """Show an error under its field, with remedies."""
        self.form.clear_messages()
        empty = isinstance(error, NoFile)
        self.choose_file.setVisible(empty)
        error = None if empty else error
        place = error.field.partition(".")[2] if error is not None else ""
        name = place.partition("[")[0]
        below = False
        if error is not None:
            message = message_text(error)
            labelled = f"{field_label(place, self._spec)}: {message}" if name not in ("", "type") else message
            # The row of a field has its label; an entry of the field is named.
            below = self.form.show_message(name, message if place == name else labelled, self.remedies)
            say(self.message, "" if below else labelled)
        else:
            say(self.message, "")
        if not below:
            self._column.insertWidget(self._column.indexOf(self.message) + 1, self.remedies)
        self.remedies.show_remedies(remedies)
        self.remedies.setVisible(bool(remedies))

    @property
    def error_label(self) -> QWidget | None:
        """Return the label of the error shown, or None."""
        labels = [self.message, *self.form.messages.values()]
        return next((label for label in labels if not label.isHidden()), None)

    def set_refused(self, reasons: dict[str, str]) -> None:
        """Disable the families, by tag, that do not fit the network, with the reason as a tool tip."""
        self.refusals = reasons
        model = cast(QStandardItemModel, self.combo.model())
        for index in range(self.combo.count()):
            family = self.combo.itemData(index)
            reason = reasons.get(family.tag(), "")
            model.item(index).setEnabled(not reason)
            self.combo.setItemData(index, reason or first_line(family), Qt.ItemDataRole.ToolTipRole)

    def _take(self, spec: Spec) -> None:
        another = self._spec is None or type(spec) is not type(self._spec)
        self._spec = self._seen[spec.tag()] = spec
        if another:
            self._show_family(type(spec))

    def _show_family(self, family: type[Spec]) -> None:
        if family.tag() not in self._forms:
            self._forms[family.tag()] = form = Form(family)
            form.edited.connect(self._typed.note)
            form.committed.connect(self._typed.flush)
            form.reverted.connect(self._on_form_reverted)
            form.preset_chosen.connect(self._on_form_preset_chosen)
            self._column.insertWidget(self._column.indexOf(self.hint), form)
            for editor in form.editors.values():
                if isinstance(editor, FileEditor):
                    editor.take = self._on_file_picked
        for tag, form in self._forms.items():
            form.setVisible(tag == family.tag())
        offered = self.families
        with QSignalBlocker(self.combo):
            self.combo.clear()
            for other in offered:
                self.combo.addItem(other.title, other)
            self.combo.setCurrentIndex(offered.index(family))
        self.combo.setToolTip(first_line(family))
        self.set_refused({})

    def _apply(self, name: str, value: Any) -> None:
        spec = with_value(self._spec, name, value)
        if isinstance(spec, Refusal):
            self.refused.emit(SpecError(f"{self.choice}.{name}", spec.message))
        else:
            self._take(spec)
            self.changed.emit(spec)

    def _on_form_reverted(self) -> None:
        self._typed.drop()
        self.reverted.emit()

    def _on_form_preset_chosen(self, values: dict[str, Any]) -> None:
        spec = with_values(self._spec, values)
        self._typed.drop()
        self._take(spec)
        self.form.show_spec(spec)
        self.changed.emit(spec)

    def _on_combo_activated(self, index: int) -> None:
        self.choose_family(self.combo.itemData(index))
        # The dialog for a file may have been cancelled.
        self.combo.setCurrentIndex(self.families.index(self.family))

    def choose_family(self, family: type[Spec]) -> None:
        """Ask for another family, with the values that it had last."""
        seen = self._seen.get(family.tag())
        spec = seen if seen is not None else family()
        if lacks_file(spec):
            self.file_asked.emit(spec)
        elif family is not self.family:
            self.family_changed.emit(spec, seen is not None)

    def _on_file_picked(self, path: Path) -> None:
        self.file_chosen.emit(path, self._spec)

    def choose_preset(self, family: type[Spec], name: str) -> None:
        """Ask for a preset of a family."""
        seen = self._seen.get(family.tag())
        self.family_changed.emit(with_values(seen if seen is not None else family(), family.presets[name]), True)
