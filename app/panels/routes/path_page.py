"""The page of the Routes panel with the path from one node to another."""

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QPushButton

from app.model.route_text import path_heading
from app.model.routes import NO_ENDS
from app.model.routes_shown import node_paths_of
from app.model.state import State
from app.panels.routes.link_page import FILLS, PageTable, end_columns
from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.labels import label, message_label, say, with_role
from app.widgets.layouts import STRETCH, column, row
from app.widgets.line_edit import LineEdit
from app.widgets.link_table import NO_LINKS
from app.widgets.panel import Content
from app.widgets.refusals import show_refusal
from app.wording.numbers import percent, significant
from core.files.atomic import shown
from core.load.flow_paths import Links
from core.network.network import Network
from core.text import as_sentence

MAX_COMPLETED = 1 << 16
"""Maximum number of nodes whose names are offered."""
ASK_ENDS = "Type two names, or right-click nodes of the machine: Path from here, Path to here"


class NodeField(LineEdit):
    """A node by its name, completed while it is typed; empty for none."""

    chosen = Signal(object)
    """The node, or None."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._network: Network | None = None
        self._node: int | None = None
        self._names = QStringListModel(self)
        completer = QCompleter(self._names, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.activated.connect(lambda text: self._take(text))
        self.setCompleter(completer)
        self.setAccessibleName(name)
        self.setPlaceholderText("name of a node")
        self.setToolTip("Type the name of a node, or right-click a node of the machine")
        self.editingFinished.connect(lambda: self._take(self.text()))

    def show_node(self, node: int | None, network: Network) -> None:
        """Show a node of a network, by its name."""
        if network is not self._network:
            self._network = network
            few = network.nodes <= MAX_COMPLETED
            self._names.setStringList([network.label(node) for node in range(network.nodes)] if few else [])
        elif node == self._node:
            return
        self._node = node
        show_refusal(self, "")
        self.setText("" if node is None else network.label(node))

    def _take(self, text: str) -> None:
        name, network = text.strip(), self._network
        assert network is not None
        vertex = network.vertex_named(name) if name else None
        refusal = f"{shown(name)!r} is not a node" if name and vertex is None else ""
        if vertex is not None and vertex >= network.nodes:
            refusal = f"{network.vertex_name(vertex)} is not a node; paths lead from node to node"
        show_refusal(self, refusal)
        if not refusal and vertex != self._node:
            self._node = vertex
            self.chosen.emit(vertex)


class PathPage(Content):
    """Both ends of the path, a summary, and its links hop by hop with their ports."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.source, self.destination = NodeField("Source of the path"), NodeField("Destination of the path")
        self.source.chosen.connect(session.routes.begin_path)
        self.destination.chosen.connect(session.routes.end_path)
        self.turn = with_role(QPushButton("⇄"), "small")
        self.turn.setToolTip("Show the path in the opposite direction, which may use other links")
        self.turn.setAccessibleName("Opposite direction")
        self.turn.clicked.connect(self._on_turn_clicked)
        self.message, self.hops = message_label("dim"), PageTable(session, "Links of the path")
        self._shown: tuple[object, ...] = ()
        """The paths, loads and scale in the table of hops."""
        ends = (label("dim", "From"), (self.source, 1), self.turn, label("dim", "to"), (self.destination, 1))
        column(row(*ends, spacing=6), self.message, (self.hops, FILLS), STRETCH, of=self, spacing=4)

    def show_state(self, state: State) -> None:
        """Show the ends chosen, and the path between them."""
        network, ends, paths = state.evaluation.case.network, state.routes.ends, node_paths_of(state)
        self.source.show_node(ends[0], network)
        self.destination.show_node(ends[1], network)
        self.turn.setEnabled(ends != NO_ENDS)
        say(self.message, as_sentence(ASK_ENDS if paths is None else path_heading(paths)))
        content = paths, state.report, state.full_scale_time
        if content != self._shown:
            self._shown = content
            links = NO_LINKS if paths is None else paths.best
            self.hops.show_links(links, hop_columns(state, links))
            self.hops.setVisible(links.size > 0)
        self.hops.show_selection(state.selection)

    def _on_turn_clicked(self) -> None:
        begin, end = self._session.state.routes.ends
        self._session.routes.find_path((end, begin))


def hop_columns(state: State, links: Links) -> tuple[Column, ...]:
    """Return the hops of a path, in order: both ends of each link with their ports, and its load."""
    report = state.report
    measure = report.case.job.measure.suited(float(report.total_load[links].max(initial=0.0)))
    load = [measure.converted(value) for value in report.total_load[links].tolist()]
    share = state.utilisation[links].tolist()
    return (
        Column("hop", "Number of the link on the path", list(range(1, links.size + 1)), str, number=False),
        *end_columns([state.evaluation.case.network.link_ends(link) for link in links.tolist()]),
        Column(measure.many, f"Load of the job, in {measure.many}", load, significant, spare=True),
        Column("%", "Utilisation relative to the top of the colour scale", share, _bare_percent),
    )


def _bare_percent(share: float) -> str:
    return percent(share).removesuffix(" %")
