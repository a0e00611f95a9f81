"""What the next search is asked for: objective, method, what may move, and the budget."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.model.search_run import SearchSettings, bounds_on, units_on
from app.model.state import State
from app.session.session import Session
from app.widgets.card import ElidedLabel
from app.widgets.editors import ComboBox, NumberEditor, Refusal, expected
from app.widgets.forms import Form, Row, ValidationError, message_label, say, with_values
from core.load.fit import has_defaults
from core.network.network import Network
from core.optimise.method import AnyMethod
from core.optimise.move_constraints import ANYWHERE, TASK, MoveConstraints
from core.optimise.objective import AnyObjective
from core.spec import Spec, fields_of, members
from core.text import plural, plural_noun

ANY_LABELS = {TASK: "tasks one by one", ANYWHERE: "anywhere"}


class SpecForm(QWidget):
    """A form that hands on whole specs; what cannot be says why under its field."""

    changed = Signal(object)

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self._spec: Any = spec
        self.form = Form(type(spec))
        self.form.show_spec(spec)
        self._nothing = QWidget()
        self._nothing.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.form)
        self.form.edited.connect(self._on_form_edited)

    def show_spec(self, spec: Spec) -> None:
        """Show values; what is being typed stays."""
        if spec != self._spec:
            self._spec = spec
            self.form.show_spec(spec, but=[editor for editor in self.form.editors.values() if editor.typing])

    def _on_form_edited(self, name: str, value: Any, at_once: bool) -> None:
        self.form.clear_messages()
        field = next(field for field in fields_of(type(self._spec)) if field.name == name)
        message = value.message if isinstance(value, Refusal) else ""
        if not message:
            try:
                self._spec = with_values(self._spec, {name: value})
            except ValidationError:
                message = f"give {expected(field)}"
        if message:
            self.form.show_message(name, message, self._nothing)
        else:
            self.changed.emit(self._spec)


class ChoiceForm(QWidget):
    """One of several families, and its fields."""

    changed = Signal(object)

    def __init__(self, title: str, union: Any) -> None:
        super().__init__()
        self._families = [family for family in members(union) if has_defaults(family)]
        self.combo = ComboBox()
        self.combo.setAccessibleName(title)
        self._specs: dict[type[Spec], Spec] = {family: family() for family in self._families}
        self.forms = {family: SpecForm(spec) for family, spec in self._specs.items() if fields_of(family)}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(_heading(title.upper()))
        self._column.addWidget(self.combo)
        for index, family in enumerate(self._families):
            self.combo.addItem(family.title, family)
            self.combo.setItemData(index, (family.__doc__ or "").partition("\n")[0], Qt.ItemDataRole.ToolTipRole)
        for form in self.forms.values():
            self._column.addWidget(form)
            form.hide()
            form.changed.connect(self.changed)
        self.combo.activated.connect(self._on_combo_activated)

    def show_spec(self, spec: Spec) -> None:
        """Show a spec of one of the families."""
        family = type(spec)
        self._specs[family] = spec
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(self._families.index(family))
        self.combo.setToolTip((family.__doc__ or "").partition("\n")[0])
        for other, form in self.forms.items():
            form.setVisible(other is family)
        if family in self.forms:
            self.forms[family].show_spec(spec)

    def _on_combo_activated(self, index: int) -> None:
        self.changed.emit(self._specs[self._families[index]])


class SearchForm(QWidget):
    """Shows the state's wish and changes it."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._network: Network | None = None
        self.objective, self.method = ChoiceForm("Objective", AnyObjective), ChoiceForm("Method", AnyMethod)
        self.together, self.within = ComboBox(), ComboBox()
        self.marked_only, self.empty = QCheckBox(), QCheckBox("Also to empty slots")
        self.pins, self.pin, self.unpin = ElidedLabel(""), _link("Pin marked"), _link("Unpin all")
        self.budget = SpecForm(SearchSettings().budget)
        self.message = message_label("error")
        self._build()
        self._connect()

    def show_state(self, state: State) -> None:
        """Show what the next search is asked for."""
        network = state.evaluation.case.network
        wish = state.search.settings.on(network)
        self._offer(network, wish)
        self.objective.show_spec(wish.objective)
        self.method.show_spec(wish.method)
        self.budget.show_spec(wish.budget)
        takes = wish.method.moving(MoveConstraints()).empty
        for box, value in ((self.marked_only, wish.marked_only), (self.empty, wish.empty and takes)):
            with QSignalBlocker(box):
                box.setChecked(value)
        self.marked_only.setText(f"Marked tasks only ({state.marked.size:,})")
        self.empty.setEnabled(takes)
        self.empty.setVisible(state.evaluation.case.job.tasks < network.slots)
        self.pins.setText(
            f"{plural(state.search.pinned_tasks.size, 'task')} pinned"
            if state.search.pinned_tasks.size
            else "none pinned"
        )
        self.pin.setEnabled(state.marked.size > 0)
        self.unpin.setVisible(state.search.pinned_tasks.size > 0)
        refusal = self._session.optimiser.refusal
        say(self.message, f"{refusal.message[:1].upper()}{refusal.message[1:]}." if refusal is not None else "")

    def _build(self) -> None:
        for box, name, tip in (
            (self.together, "Move", "What moves at once: one task, or all tasks on a node, drawer or supernode"),
            (self.within, "Within", "Where it may go: anywhere, or only inside the group in which it is"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)
        self.marked_only.setToolTip("All other tasks stay where they are")
        self.empty.setToolTip(
            "Tasks may go where none sits, if the method takes them there; else they only change places"
        )
        self.pin.setToolTip("The marked tasks stay where they are in every search, with those pinned before")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 6, 0)
        column.setSpacing(4)
        pins = QHBoxLayout()
        pins.setSpacing(10)
        pins.addWidget(self.pins, 1)
        pins.addWidget(self.pin)
        pins.addWidget(self.unpin)
        column.addWidget(self.objective)
        column.addWidget(self.method)
        column.addWidget(_heading("WHAT MAY MOVE"))
        column.addWidget(Row(ElidedLabel("Move"), self.together, self.together))
        column.addWidget(Row(ElidedLabel("Within"), self.within, self.within))
        column.addWidget(self.marked_only)
        column.addWidget(self.empty)
        column.addLayout(pins)
        column.addWidget(self.message)
        column.addWidget(_heading("BUDGET"))
        column.addWidget(self.budget)
        column.addStretch(1)

    def _connect(self) -> None:
        changes: dict[str, Callable[[Callable[[Any], None]], Any]] = {
            "objective": self.objective.changed.connect,
            "method": self.method.changed.connect,
            "budget": self.budget.changed.connect,
            "marked_only": self.marked_only.toggled.connect,
            "empty": self.empty.toggled.connect,
        }
        for name, connect in changes.items():
            connect(partial(self._change, name))
        self.together.activated.connect(lambda index: self._change("together", self.together.itemData(index)))
        self.within.activated.connect(lambda index: self._change("within", self.within.itemData(index)))
        self.pin.clicked.connect(self._session.optimiser.pin_marked)
        self.unpin.clicked.connect(lambda: self._session.set_pinned_tasks(()))
        for name in ("seconds", "steps"):
            editor = self.budget.form.editors[name]
            if isinstance(editor, NumberEditor):
                editor.box.lineEdit().setPlaceholderText("no limit")

    def _change(self, name: str, value: Any) -> None:
        self._session.set_search_settings(replace(self._session.state.search.settings, **{name: value}))

    def _offer(self, network: Network, wish: SearchSettings) -> None:
        """Offer the levels of a network."""
        units, bounds = units_on(network), bounds_on(network, wish.together)
        for box, names, chosen in ((self.together, units, wish.together), (self.within, bounds, wish.within)):
            if [box.itemData(index) for index in range(box.count())] != names:
                box.clear()
                for name in names:
                    box.addItem(
                        ANY_LABELS.get(name, plural_noun(name) if box is self.together else f"their {name}"), name
                    )
            with QSignalBlocker(box):
                box.setCurrentIndex(names.index(chosen))
        self.within.setEnabled(len(bounds) > 1)


def _link(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "heading")
    return label
