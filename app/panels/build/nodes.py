"""The nodes of the job in the build panel: host names, allocation, nodes that are down, and rules to choose nodes."""

from functools import partial
from typing import Annotated, Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.model.nodes import ALL_NODES
from app.panels.build.pending_input import PendingInput
from app.widgets.field_text import Refusal
from app.widgets.forms import Form
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import column, row
from app.wording.errors import NODE_LABELS, message_text
from core.load.scenario import Case, Scenario
from core.mapping.allocation import MAX_TEXT
from core.mapping.node_choice import CHOICES
from core.network.hosts import HostsFile
from core.network.nics import nodes_text
from core.spec import Spec, SpecError, declare
from core.text import plural

FILE_MARK = "@"
"""Precedes the name of a file of host names."""
RULES = {
    ALL_NODES: ("All nodes", "Use all nodes that are not down"),
    "compact": ("Compact", "The first free nodes"),
    "scattered": ("Scattered", "Free nodes of all groups in turn"),
    "random": ("Random", "Free nodes at random"),
    "every k-th": ("Every k-th", "Every k-th free node"),
}
assert {*RULES} == {ALL_NODES, *CHOICES}


HOSTS = "names of all hosts in order, such as n[0001-1024], or @ and a file name"
ALLOCATION = "nodes of the job by name, n[0001-0040,0050], or by number, 0-39,49 (default: all)"
DOWN = "nodes that host no tasks, by name or number; their links keep working"


class Nodes(Spec, frozen=True, tag="nodes"):
    """The node fields of a scenario as text."""

    title: ClassVar[str] = "Nodes"

    hosts: Annotated[
        str,
        declare(
            NODE_LABELS["hosts"],
            HOSTS,
            max_length=MAX_TEXT,
        ),
    ] = ""
    allocation: Annotated[
        str,
        declare(
            NODE_LABELS["allocation"],
            ALLOCATION,
            max_length=MAX_TEXT,
        ),
    ] = ""
    down: Annotated[
        str,
        declare(
            NODE_LABELS["down"],
            DOWN,
            max_length=MAX_TEXT,
        ),
    ] = ""

    cores: Annotated[
        int | None, declare(NODE_LABELS["cores"], "searches can move all tasks of a socket together", ge=1, le=1024)
    ] = None

    @classmethod
    def of(cls, scenario: Scenario) -> "Nodes":
        """Return the fields of a scenario."""
        hosts = scenario.hosts or ""
        text = f"{FILE_MARK}{hosts.file}" if isinstance(hosts, HostsFile) else hosts
        return cls(text, scenario.allocation, ",".join(scenario.down), scenario.cores or None)


def place_of(name: str, typed: Any) -> Any:
    """Return the value of a scenario's field for a typed text."""
    if name == "cores":
        return typed or 0
    text = str(typed).strip()
    if name == "hosts":
        return HostsFile(text.removeprefix(FILE_MARK)) if text.startswith(FILE_MARK) else text or None
    return text if name == "allocation" else (text,) if text else ()


class NodesSection(QWidget):
    """Shows which nodes belong to the job, and emits changes."""

    changed = Signal(str, object)
    """(field of the scenario, its value)."""
    refused = Signal(object)
    """SpecError: the typed text is not a valid value of its field."""
    reverted = Signal()
    """The last typed or chosen value, which was refused, is to be withdrawn."""
    chosen = Signal(str)
    """A rule for choosing nodes, one of `RULES`."""

    def __init__(self) -> None:
        super().__init__()
        self._typed = PendingInput(self)
        self._typed.meant.connect(self._on_meant)
        self._asked = False
        """Whether the fields are visible although they are empty."""
        self.choose = link("Choose …", "Choose the job's nodes by a rule, or in the machine with the Allocate tool")
        self.menu = QMenu(self.choose)
        self.menu.setToolTipsVisible(True)
        for rule, (title, tip) in RULES.items():
            action = self.menu.addAction(title, partial(self.chosen.emit, rule))
            action.setToolTip(tip)
        self.menu.addSeparator()
        self.menu.addAction("Enter nodes …", self._on_typing_asked)
        self.choose.clicked.connect(self._on_choose_clicked)
        self.form = Form(Nodes)
        self.form.edited.connect(self._typed.note)
        self.form.committed.connect(self._typed.flush)
        self.form.reverted.connect(self._on_form_reverted)
        self.message, self.hint = message_label("error"), message_label("dim")
        head = row((label("heading", "NODES"), 1), self.choose)
        column(head, self.form, self.message, self.hint, of=self, margins=(0, 0, 0, 10), spacing=4)

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops."""
        return [self.choose, *self.form.tab_stops]

    def show_scenario(self, wanted: Scenario, case: Case, error: SpecError | None) -> None:
        """Show the wanted fields, the number of nodes, and the error."""
        fields = Nodes.of(wanted)
        self.form.setVisible(fields != Nodes() or self._asked)
        if not self._typed.waiting:
            self.form.show_spec(fields, keep_typed=error is not None)
        self.form.clear_messages()
        if error is not None:
            self.form.show_message(error.field.partition("[")[0].partition(".")[0], message_text(error))
        say(self.hint, nodes_summary(case))

    def _on_meant(self, name: str, value: Any) -> None:
        if isinstance(value, Refusal):
            self.refused.emit(SpecError(name, value.message))
        else:
            self.changed.emit(name, place_of(name, value))

    def _on_form_reverted(self) -> None:
        self._typed.drop()
        self.reverted.emit()

    def _on_choose_clicked(self) -> None:
        self.menu.popup(self.choose.mapToGlobal(self.choose.rect().bottomLeft()))

    def _on_typing_asked(self) -> None:
        self._asked = True
        self.form.show()
        self.form.editors["allocation"].body.setFocus()


def nodes_summary(case: Case) -> str:
    """Return the number of the job's nodes, or of its hosts if they have several NICs, as text."""
    network, allocation = case.network, case.allocation
    hosts = network.host_slots
    count = hosts.count * network.aggregation
    if allocation is None:
        return f"all {nodes_text(network.real_nodes, count)}"
    own = hosts.hosts_of(allocation.nodes).size
    return f"{own:,} of {plural(count, network.host_word)}, {plural(case.slots, 'slot')}"
