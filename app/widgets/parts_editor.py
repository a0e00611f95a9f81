"""The editor of a sequence's parts: a list in order, and a form for the selected one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QMenu, QToolButton, QWidget

from app.widgets.editors import Editor, FileEditor
from app.widgets.labels import label, with_role
from app.widgets.layouts import STRETCH, column, row
from core.job import AnyPart
from core.job.sequence import joining
from core.load.compatibility import has_defaults
from core.spec import Field, members
from core.text import figure

MAX_ROWS = 8
"""Maximum number of visible parts; more are scrolled."""

INDENT_PX = 10
"""Indentation of the fields of a part, to distinguish them from the sequence's own."""


class PartsList(QListWidget):
    """The list of parts by number, title and summary; dragging moves a part."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def sizeHint(self) -> QSize:
        """Return the height of the parts, up to `MAX_ROWS` of them."""
        rows = max(min(self.count(), MAX_ROWS), 1)
        return QSize(0, rows * max(self.sizeHintForRow(0), self.fontMetrics().height()) + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        """Return the same height: the panel scrolls."""
        return self.sizeHint()


class PartsEditor(Editor):
    """An editable list of jobs and pauses, each edited in its own form.

    Parameters
    ----------
    make_form
        Makes the form of a part, an `app.widgets.forms.SpecForm`; passed in, since forms contain such editors.
    """

    labels_itself: ClassVar[bool] = True

    def __init__(self, field: Field, make_form: Callable[[AnyPart], Any]) -> None:
        self.parts: tuple[AnyPart, ...] = ()
        self._make_form = make_form
        self.form: Any = None
        self.list = PartsList()
        self.add, self.remove, self.up, self.down = (_button(text, tip) for text, tip in BUTTONS)
        buttons = row(self.add, self.remove, self.up, self.down, STRETCH, spacing=4)
        body = QWidget()
        self._form_place = row(margins=(INDENT_PX, 0, 0, 0))
        column(label("dim", field.title), with_role(self.list, "parts"), buttons, self._form_place, of=body, spacing=4)
        super().__init__(field, body)
        body.setFocusProxy(self.list)
        self.list.setAccessibleName(field.title)
        self._folder: Path | None = None
        self._offer()
        self.list.currentRowChanged.connect(self._on_list_current_row_changed)
        self.list.model().rowsMoved.connect(self._on_rows_moved)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))

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
        fields = self.form.form.tab_stops if self.form is not None else []
        return [self.list, self.add, self.remove, self.up, self.down, *fields]

    def show_value(self, value: Any) -> None:
        """Show these parts; the selection is kept."""
        if value == self.parts:
            return
        self.parts = tuple(value)
        self._show(self.list.currentRow())

    def _offer(self) -> None:
        menu = QMenu(self.add)
        for family in members(self.field.specs):
            if has_defaults(family):
                menu.addAction(family.title, partial(self._on_family_chosen, family))
        self.add.setMenu(menu)
        self.add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _show(self, chosen: int) -> None:
        with QSignalBlocker(self.list):
            # Items are reused, since this may be called while one is being dropped.
            while self.list.count() > len(self.parts):
                self.list.takeItem(self.list.count() - 1)
            while self.list.count() < len(self.parts):
                self.list.addItem("")
            for number, part in enumerate(self.parts):
                item = self.list.item(number)
                item.setText(f"{number + 1}  {line_of(part)}")
                item.setToolTip(f"{part.title}: {part.summary()}")
            self.list.setCurrentRow(min(max(chosen, 0), len(self.parts) - 1))
        self.list.updateGeometry()
        self._show_form()

    def _show_form(self) -> None:
        chosen, count = self.list.currentRow(), len(self.parts)
        self.remove.setEnabled(count > 1)
        self.up.setEnabled(chosen > 0)
        self.down.setEnabled(chosen < count - 1)
        if not 0 <= chosen < count:
            return
        part = self.parts[chosen]
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

    def _take(self, parts: tuple[AnyPart, ...], chosen: int, *, at_once: bool = True) -> None:
        self.parts = parts
        self._show(chosen)
        self.edited.emit(parts, at_once)

    def _move(self, by: int) -> None:
        chosen = self.list.currentRow()
        rest = [*self.parts[:chosen], *self.parts[chosen + 1 :]]
        rest.insert(chosen + by, self.parts[chosen])
        self._take(tuple(rest), chosen + by)

    def _on_family_chosen(self, family: type[Any]) -> None:
        after = self.list.currentRow() + 1
        part = joining(family(), self.parts, self.folder)
        self._take((*self.parts[:after], part, *self.parts[after:]), after)

    def _on_remove_clicked(self) -> None:
        chosen = self.list.currentRow()
        self._take((*self.parts[:chosen], *self.parts[chosen + 1 :]), chosen)

    def _on_rows_moved(self) -> None:
        # The number in an item's text is the old position of its part.
        order = [int(self.list.item(row).text().split()[0]) - 1 for row in range(self.list.count())]
        self._take(tuple(self.parts[number] for number in order), self.list.currentRow())

    def _on_list_current_row_changed(self, chosen: int) -> None:
        self._show_form()

    def _on_form_changed(self, part: AnyPart) -> None:
        chosen = self.list.currentRow()
        self._take((*self.parts[:chosen], part, *self.parts[chosen + 1 :]), chosen, at_once=False)


def line_of(part: AnyPart) -> str:
    """Return a part in brief, by the name of its steps: ``halo, 65,536 bytes``."""
    sent = getattr(part, "message_bytes", None)
    return f"{part.tag()}, {part.summary() if sent is None else f'{figure(sent)} bytes'}"


BUTTONS = (
    ("+", "Add a part after the selected part"),
    ("×", "Remove this part"),
    ("↑", "Move this part up"),
    ("↓", "Move this part down"),
)


def _button(text: str, tip: str) -> QToolButton:
    button = with_role(QToolButton(), "small")
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button
