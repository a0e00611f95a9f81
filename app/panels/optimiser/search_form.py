"""The settings of the next search: objective, method, what may move, and the budget."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from app.model.search_run import SearchSettings, bounds_on, has_tables, units_on
from app.model.state import State
from app.session.session import Session
from app.widgets.combo_box import ComboBox
from app.widgets.editors import NumberEditor
from app.widgets.forms import SpecForm, first_line
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import STRETCH, column, row
from app.widgets.panel import Content
from app.widgets.wrapped import WrappedRow
from core.load.compatibility import has_defaults
from core.network.network import Network
from core.optimise.method import AnyMethod
from core.optimise.move_constraints import ANYWHERE, MoveConstraints
from core.optimise.objective import AnyObjective
from core.optimise.request import MAPPING, MOVES
from core.spec import Spec, fields_of, members
from core.text import plural


class ChoiceForm(QWidget):
    """The fields of one of several families, which `combo` chooses."""

    changed = Signal(object)

    def __init__(self, title: str, union: Any) -> None:
        super().__init__()
        self._families = [family for family in members(union) if has_defaults(family)]
        self.combo = ComboBox()
        self.combo.setAccessibleName(title)
        self._specs: dict[type[Spec], Spec] = {family: family() for family in self._families}
        self.forms: dict[type[Spec], SpecForm] = {}
        """Forms by family, made when first shown."""
        self._column = column(label("heading", title.upper()), of=self, spacing=4)
        for index, family in enumerate(self._families):
            self.combo.addItem(family.title, family)
            self.combo.setItemData(index, first_line(family), Qt.ItemDataRole.ToolTipRole)
        self.combo.activated.connect(self._on_combo_activated)

    def show_spec(self, spec: Spec) -> None:
        """Show a spec of one of the families."""
        family = type(spec)
        self._specs[family] = spec
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(self._families.index(family))
        self.combo.setToolTip(first_line(family))
        if fields_of(family):
            if family not in self.forms:
                self._add_form(spec)
            self.forms[family].show_spec(spec)
        for other, form in self.forms.items():
            form.setVisible(other is family)
        self.setVisible(family in self.forms)

    def _add_form(self, spec: Spec) -> None:
        form = self.forms[type(spec)] = SpecForm(spec)
        form.changed.connect(self.changed)
        self._column.addWidget(form)
        for before, after in pairwise([self.combo, *form.form.tab_stops]):
            QWidget.setTabOrder(before, after)

    def _on_combo_activated(self, index: int) -> None:
        self.changed.emit(self._specs[self._families[index]])


class SearchForm(Content):
    """Shows the settings of the next search and changes them: the main ones in a row, the others in `more`."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.objective, self.method = ChoiceForm("Objective", AnyObjective), ChoiceForm("Method", AnyMethod)
        self.moving = ComboBox()
        self.unit, self.within = ComboBox(), ComboBox()
        self.marked_only, self.empty = QCheckBox(), QCheckBox("Use empty slots")
        self.pins, self.pin, self.unpin = QLabel(), link("Pin selected"), link("Unpin all")
        self.budget = SpecForm(SearchSettings().budget)
        self.message = message_label("error")
        self.more = QWidget()
        """Budget, selected and pinned tasks, and the fields of objective and method."""
        self._build()
        self._connect()

    def show_state(self, state: State) -> None:
        """Show the settings of the next search."""
        network = state.evaluation.case.network
        settings = state.search.settings.on(network)
        self._offer(network, settings)
        with QSignalBlocker(self.moving):
            self.moving.setCurrentIndex(self.moving.findData(settings.move))
        self.moved.setVisible(has_tables(network))
        for part in (*self.of_mappings, self.moves):
            part.setVisible(settings.move == MAPPING)
        self.objective.show_spec(settings.objective)
        self.method.show_spec(settings.method)
        self.budget.show_spec(settings.budget)
        takes = settings.method.moving(MoveConstraints()).empty
        for box, value in ((self.marked_only, settings.marked_only), (self.empty, settings.empty and takes)):
            with QSignalBlocker(box):
                box.setChecked(value)
        self.marked_only.setText(f"Selected tasks only ({state.marked.size:,})")
        self.empty.setEnabled(takes)
        self.empty.setVisible(state.evaluation.case.job.tasks < state.evaluation.case.slots)
        pinned = state.search.pinned_tasks.size
        self.pins.setText(f"{plural(pinned, 'task') if pinned else 'no task'} pinned")
        self.pin.setEnabled(state.marked.size > 0)
        self.unpin.setVisible(pinned > 0)
        refusal = state.search.refused
        say(self.message, f"{refusal.message[:1].upper()}{refusal.message[1:]}." if refusal is not None else "")

    def _build(self) -> None:
        for box, name, tip in (
            (self.unit, "Unit", "What moves at once: a task, or all tasks of a host, node or group in their order"),
            (self.within, "Within", "Range of moves: anywhere, or only within the current group of a task"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)
        self.marked_only.setToolTip("All other tasks keep their slots")
        self.empty.setToolTip(
            "Tasks may move to empty slots if the method supports it; otherwise they are only swapped"
        )
        self.pin.setToolTip("Selected tasks keep their slots in every search, as do tasks pinned before")
        chosen = (
            ("Objective", self.objective.combo),
            ("Method", self.method.combo),
            ("Unit", self.unit),
            ("Within", self.within),
        )
        for name, what in MOVES.items():
            self.moving.addItem(name, name)
            self.moving.setItemData(self.moving.count() - 1, what, Qt.ItemDataRole.ToolTipRole)
        self.moving.setAccessibleName("Search for")
        self.moving.setToolTip("Moving parts: the mapping, or the next hops of the switches' forwarding tables")
        self.moved = _captioned("Search for", self.moving)
        boxes = [_captioned(caption, combo) for caption, combo in chosen]
        self.of_mappings = boxes[1:]
        choices = WrappedRow(self.moved, *boxes, spacing=14)
        column(choices, self.message, of=self, spacing=4)
        pins = row(self.pins, self.pin, self.unpin, STRETCH, spacing=10)
        moves = column(label("heading", "MOVES"), self.marked_only, self.empty, pins, STRETCH, spacing=4)
        budget = column(label("heading", "BUDGET"), self.budget, STRETCH, spacing=4)
        families = column(self.objective, self.method, STRETCH, spacing=4)
        self.moves = QWidget()
        column((moves, 1), of=self.moves)
        row((budget, 1), (self.moves, 1), (families, 1), of=self.more, margins=(0, 4, 6, 0), spacing=24)

    def _connect(self) -> None:
        for name, changed in (
            ("objective", self.objective.changed),
            ("method", self.method.changed),
            ("budget", self.budget.changed),
            ("marked_only", self.marked_only.toggled),
            ("empty", self.empty.toggled),
        ):
            changed.connect(partial(self._change, name))
        self.moving.activated.connect(lambda index: self._change("move", self.moving.itemData(index)))
        self.unit.activated.connect(lambda index: self._change("unit", self.unit.itemData(index)))
        self.within.activated.connect(lambda index: self._change("within", self.within.itemData(index)))
        self.pin.clicked.connect(self._session.optimiser.pin_marked)
        self.unpin.clicked.connect(lambda: self._session.set_pinned_tasks(()))
        for name in ("seconds", "steps"):
            editor = self.budget.form.editors[name]
            if isinstance(editor, NumberEditor):
                editor.box.lineEdit().setPlaceholderText("no limit")

    def _change(self, name: str, value: Any) -> None:
        self._session.set_search_settings(replace(self._session.state.search.settings, **{name: value}))

    def _offer(self, network: Network, settings: SearchSettings) -> None:
        """Offer the levels of a network."""
        units, bounds = units_on(network), bounds_on(network, settings.unit)
        for box, names, chosen in ((self.unit, units, settings.unit), (self.within, bounds, settings.within)):
            if [box.itemData(index) for index in range(box.count())] != names:
                box.clear()
                for name in names:
                    box.addItem(name if box is self.unit or name == ANYWHERE else f"same {name}", name)
            with QSignalBlocker(box):
                box.setCurrentIndex(names.index(chosen))
        self.within.setEnabled(len(bounds) > 1)


def _captioned(caption: str, combo: ComboBox) -> QWidget:
    both, text = QWidget(), label("dim", caption)
    text.setBuddy(combo)
    combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
    row(text, combo, of=both, spacing=6)
    return both
