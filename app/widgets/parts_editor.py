"""The editor of a sequence's parts: a list in order, and a form for the selected one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.widgets.editors import FileEditor
from app.widgets.layouts import row
from app.widgets.ordered_editor import OrderedEditor
from core.job import AnyPart
from core.job.sequence import joining
from core.load.compatibility import has_defaults
from core.spec import Field, members
from core.text import figure

INDENT_PX = 10
"""Indentation of the fields of a part, to distinguish them from the sequence's own."""


class PartsEditor(OrderedEditor):
    """An editable list of jobs and pauses, each edited in its own form.

    Parameters
    ----------
    make_form
        Makes the form of a part, an `app.widgets.forms.SpecForm`; passed in, since forms contain such editors.
    """

    least: ClassVar[int] = 1

    def __init__(self, field: Field, make_form: Callable[[AnyPart], Any]) -> None:
        self._make_form = make_form
        self.form: Any = None
        self._form_place = row(margins=(INDENT_PX, 0, 0, 0))
        super().__init__(field, "part", self._form_place)
        self._folder: Path | None = None
        self._offer()

    @property
    def folder(self) -> Path | None:
        """Return the scenario's folder, for files named in parts."""
        return self._folder

    @folder.setter
    def folder(self, folder: Path | None) -> None:
        self._folder = folder
        for editor in self.findChildren(FileEditor):
            editor.folder = folder

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the list, the buttons and the fields of the selected part."""
        return [*super().tab_stops, *(self.form.form.tab_stops if self.form is not None else [])]

    def line(self, entry: AnyPart) -> tuple[str, str]:
        """Return a part in brief, and its title and summary."""
        return line_of(entry), f"{entry.title}: {entry.summary()}"

    def show_selected(self) -> None:
        """Show the form of the selected part."""
        super().show_selected()
        selected = self.list.currentRow()
        if not 0 <= selected < len(self.entries):
            return
        part = self.entries[selected]
        if self.form is not None and type(self.form.spec) is type(part):
            self.form.show_spec(part)
            return
        if self.form is not None:
            self.form.hide()
            self.form.deleteLater()
        self.form = self._make_form(part)
        self.form.changed.connect(self._on_form_changed)
        self.form.form.committed.connect(self.committed)
        self._form_place.addWidget(self.form)
        self.folder = self._folder

    def _offer(self) -> None:
        menu = QMenu(self.add)
        for family in members(self.field.specs):
            if has_defaults(family):
                menu.addAction(family.title, partial(self._on_family_chosen, family))
        self.add.setMenu(menu)
        self.add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _on_family_chosen(self, family: type[Any]) -> None:
        self.insert(joining(family(), self.entries, self.folder))

    def _on_form_changed(self, part: AnyPart) -> None:
        selected = self.list.currentRow()
        self.take((*self.entries[:selected], part, *self.entries[selected + 1 :]), selected, at_once=False)


def line_of(part: AnyPart) -> str:
    """Return a part in brief, by the name of its steps: ``halo, 65,536 bytes``."""
    sent = getattr(part, "message_bytes", None)
    return f"{part.tag()}, {part.summary() if sent is None else f'{figure(sent)} bytes'}"
