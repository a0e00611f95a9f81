"""The counters of a machine in the build panel: files, interval, and notes on counters that were omitted."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.panels.build.pending_input import PendingInput
from app.widgets.editors import FileEditor
from app.widgets.field_text import Refusal
from app.widgets.files_editor import FilesEditor
from app.widgets.folded_notes import FoldedNotes
from app.widgets.forms import Form, with_value
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import column, row
from app.wording.errors import message_text
from core.counters.measured import Measured
from core.counters.measured_links import MeasuredLinks
from core.counters.reading import FIELD
from core.load.scenario import Scenario
from core.spec import SpecError

NO_COUNTERS = "no counters"
ADD, REMOVE = "Add …", "Remove"
ADDED = (
    "Choose the output of perfquery, a CSV table or Prometheus metrics with counters of ports; "
    "several files are readings at different times"
)
FILE_FIELD = "after"
"""The field of errors that name none."""


class CountersSection(QWidget):
    """Shows the files of counters, and emits changes."""

    changed = Signal(object)
    """`Measured`, or None to remove the counters."""
    files_chosen = Signal(object)
    """Paths of files of counters to add."""
    refused = Signal(object)
    """SpecError: the typed text is not a valid value of its field."""
    reverted = Signal()
    """The last typed value, which was refused, is to be withdrawn."""

    def __init__(self) -> None:
        super().__init__()
        self._spec: Measured | None = None
        self.folder: Path | None = None
        self._typed = PendingInput(self)
        self._typed.meant.connect(self._on_meant)
        self.button = link(ADD, ADDED)
        self.button.setAccessibleName("Add counters")
        self.button.clicked.connect(self._on_button_clicked)
        self.form = Form(Measured)
        self.form.edited.connect(self._typed.note)
        self.form.committed.connect(self._typed.flush)
        self.form.reverted.connect(self._on_form_reverted)
        self.hint, self.notes = message_label("dim"), FoldedNotes("counters")
        head = row((label("heading", "COUNTERS"), 1), self.button)
        column(head, self.form, self.hint, self.notes, of=self, margins=(0, 0, 0, 10), spacing=4)

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops."""
        return [self.button, *self.form.tab_stops]

    def show_scenario(self, wanted: Scenario, links: MeasuredLinks | None, error: SpecError | None) -> None:
        """Show the wanted files, the notes on the `links` read from them, and the error in them."""
        self._spec, self.folder = wanted.measured, wanted.folder
        given = self._spec is not None
        self.button.setText(REMOVE if given else ADD)
        self.button.setAccessibleName("Remove counters" if given else "Add counters")
        self.button.setToolTip("Predict loads only" if given else ADDED)
        self.form.setVisible(given)
        if self._spec is not None and not self._typed.waiting:
            self.form.show_spec(self._spec, keep_typed=error is not None)
        for editor in self.form.editors.values():
            if isinstance(editor, FileEditor | FilesEditor):
                editor.folder = wanted.folder
        self.form.clear_messages()
        if error is not None and given:
            name = error.field.removeprefix(FIELD).removeprefix(".").partition("[")[0]
            self.form.show_message(name if name in self.form.editors else FILE_FIELD, message_text(error))
        say(self.hint, "" if given else NO_COUNTERS)
        self.notes.show_notes(links.warnings if links is not None and error is None else ())

    def _on_meant(self, name: str, value: Any) -> None:
        spec = value if isinstance(value, Refusal) or self._spec is None else with_value(self._spec, name, value)
        if isinstance(spec, Refusal):
            self.refused.emit(SpecError(f"{FIELD}.{name}", spec.message))
        elif spec is not None:
            self.changed.emit(spec)

    def _on_form_reverted(self) -> None:
        self._typed.drop()
        self.reverted.emit()

    def _on_button_clicked(self) -> None:
        if self._spec is not None:
            self.changed.emit(None)
            return
        names, _ = QFileDialog.getOpenFileNames(self, "Choose files of counters", str(self.folder or Path.cwd()))
        if names:
            self.files_chosen.emit([*map(Path, names)])
