"""One of the four choices in the build panel: its family, its form, what is wrong with it."""

import re
from typing import Any, cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.widgets.editors import ComboBox, Refusal, expected
from app.widgets.forms import Form, ValidationError, message_label, say, with_values
from core.load.fit import has_defaults
from core.spec import Spec, SpecError, fields_of

TYPING_PAUSE_MS = 300
"""After this long without a key what was typed is taken as meant."""


class Section(QWidget):
    """Shows one choice and tells what the user would rather have."""

    changed = Signal(object)
    """Another spec of the same family."""
    family_changed = Signal(object, bool)
    """(spec of another family, whether the user has had it before)."""
    refused = Signal(object)
    """SpecError: what was typed is no value of its field."""
    fit_asked = Signal()

    def __init__(self, choice: str, families: tuple[type[Spec], ...]) -> None:
        super().__init__()
        self.choice, self._families = choice, families
        self._spec: Any = None
        self._seen: dict[str, Spec] = {}
        self._forms: dict[str, Form] = {}
        self._typed: tuple[str, Any] | None = None
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self.combo = ComboBox()
        self.combo.setAccessibleName(choice.capitalize())
        self.combo.activated.connect(self._on_combo_activated)
        self._message, self._hint, self._warning = (message_label(r) for r in ("error", "dim", "warning"))
        self.fit_button = QPushButton("Make it fit")
        self.fit_button.setProperty("role", "link")
        self.fit_button.setToolTip("Change job, mapping and routing where they do not go with the network.")
        self.fit_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.fit_button.clicked.connect(self.fit_asked)
        self.fit_button.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 10)
        self._column.setSpacing(4)
        heading = QLabel(choice.upper())
        heading.setProperty("role", "heading")
        self._head = QHBoxLayout()
        self._head.addWidget(heading, 1)
        self._column.addLayout(self._head)
        self._links: list[QPushButton] = []
        for widget in (self.combo, self._message, self._hint, self._warning):
            self._column.addWidget(widget)

    def add_link(self, text: str, tip: str) -> QPushButton:
        """Add a command of its own beside the heading."""
        link = QPushButton(text)
        link.setProperty("role", "link")
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        link.setToolTip(tip)
        self._head.addWidget(link)
        self._links.append(link)
        return link

    @property
    def form(self) -> Form:
        """Return the form of the family shown."""
        return self._forms[self._spec.tag()]

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return what Tab goes through, from top to bottom, also of the forms that are not shown."""
        stops: list[QWidget] = [*self._links, self.combo]
        for form in self._forms.values():
            stops += form.tab_stops
        return [*stops, self.fit_button]

    @property
    def hint(self) -> str:
        """Return the line under the form."""
        return self._hint.text()

    @property
    def warning(self) -> str:
        """Return what could not be built of the choice; empty if all can."""
        return self._warning.text()

    @property
    def message(self) -> str:
        """Return the message under the family; empty if there is none."""
        return self._message.text()

    def show_spec(self, spec: Any, settled: bool) -> None:
        """Show the wanted spec. What the user is typing stays, unless the spec has become another meanwhile.

        `settled`: nothing is wrong with it, so an editor that shows something else may be put right.
        """
        other = spec is not self._spec and spec != self._spec
        if other:
            self._drop_typed()
            self._take(spec)
            self.form.show_spec(spec)
        elif settled and self._typed is None:
            self.form.show_spec(spec, but=[editor for editor in self.form.editors.values() if editor.typing])
        say(self._hint, spec.summary())

    def show_warnings(self, warnings: tuple[str, ...]) -> None:
        """Show what the hardware could not do."""
        say(self._warning, "\n".join(warnings))

    def show_error(self, error: SpecError | None, fits: bool) -> None:
        """Show what is wrong, under the field concerned; `fits`: another choice elsewhere could help."""
        self.form.clear_messages()
        name = error.field.partition(".")[2].partition("[")[0] if error is not None else ""
        below = error is not None and self.form.show_message(name, error.message, self.fit_button)
        prefix = f"{name} " if name not in ("", "type") else ""
        say(self._message, "" if error is None or below else prefix + error.message)
        if not below:
            left = Qt.AlignmentFlag.AlignLeft
            self._column.insertWidget(self._column.indexOf(self._message) + 1, self.fit_button, 0, left)
        self.fit_button.setVisible(error is not None and fits)

    def set_refused(self, reasons: dict[str, str]) -> None:
        """Disable the families, by tag, that do not go with the network, with the reason as a tool tip."""
        model = cast(QStandardItemModel, self.combo.model())
        for row in range(self.combo.count()):
            reason = reasons.get(self.combo.itemData(row).tag(), "")
            model.item(row).setEnabled(not reason)
            self.combo.setItemData(row, reason or _first_line(self.combo.itemData(row)), Qt.ItemDataRole.ToolTipRole)

    def flush(self) -> None:
        """Take what was typed as meant, now."""
        typed = self._typed
        self._drop_typed()
        if typed is not None:
            self._apply(*typed)

    def _drop_typed(self) -> None:
        self._pause.stop()
        self._typed = None

    def _take(self, spec: Spec) -> None:
        another = self._spec is None or type(spec) is not type(self._spec)
        self._spec = self._seen[spec.tag()] = spec
        if another:
            self._show_family(type(spec))

    def _show_family(self, family: type[Spec]) -> None:
        if family.tag() not in self._forms:
            self._forms[family.tag()] = form = Form(family)
            form.edited.connect(self._on_form_edited)
            form.committed.connect(self.flush)
            form.preset_chosen.connect(self._on_form_preset_chosen)
            self._column.insertWidget(self._column.indexOf(self._hint), form)
        for tag, form in self._forms.items():
            form.setVisible(tag == family.tag())
        offered = [other for other in self._families if other is family or has_defaults(other)]
        with QSignalBlocker(self.combo):
            self.combo.clear()
            for other in offered:
                self.combo.addItem(other.title, other)
            self.combo.setCurrentIndex(offered.index(family))
        self.combo.setToolTip(_first_line(family))
        self.set_refused({})

    def _apply(self, name: str, value: Any) -> None:
        if isinstance(value, Refusal):
            self.refused.emit(SpecError(f"{self.choice}.{name}", value.message))
            return
        try:
            spec = with_values(self._spec, {name: value})
        except ValidationError as error:
            field = next(field for field in fields_of(type(self._spec)) if field.name == name)
            message = f"give {expected(field)}" + (entry_limit(str(error)) if field.kind is tuple else "")
            self.refused.emit(SpecError(f"{self.choice}.{name}", message))
            return
        self._take(spec)
        self.changed.emit(spec)

    def _on_form_edited(self, name: str, value: Any, at_once: bool) -> None:
        if self._typed is not None and self._typed[0] != name:
            self.flush()
        self._typed = (name, value)
        if at_once:
            self.flush()
        else:
            self._pause.start()

    def _on_form_preset_chosen(self, values: dict[str, Any]) -> None:
        spec = with_values(self._spec, values)
        self._drop_typed()
        self._take(spec)
        self.form.show_spec(spec)
        self.changed.emit(spec)

    def _on_combo_activated(self, index: int) -> None:
        family = self.combo.itemData(index)
        if family is not type(self._spec):
            seen = self._seen.get(family.tag())
            self.family_changed.emit(seen if seen is not None else family(), seen is not None)


def entry_limit(problem: str) -> str:
    """Return what is wrong with an entry of a list, or with their number, from what msgspec says of it."""
    bound = re.search(r"(of length )?([<>]=) (\d+)", problem)
    if bound is None:
        return ", all whole" if "Expected `int`" in problem else ""
    number = f"{'at most' if bound[2] == '<=' else 'at least'} {int(bound[3]):,}"
    return f", {number} of them" if bound[1] else f", each {number}"


def _first_line(family: type[Spec]) -> str:
    return (family.__doc__ or "").partition("\n")[0]
