"""A comparison of networks of equal size or degree: a table, and a plot of any figure over any other."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.model.changes import ChangeSet
from app.panels.networks.measured_rows import MeasuredRows
from app.panels.networks.rows import csv_of, head_of, network_columns
from app.session.session import Session
from app.views.charts.scatter import ScatterPlot
from app.views.charts.scatter_data import Dot, ScatterData
from app.widgets.card import Card
from app.widgets.combo_box import ComboBox, degree_box, size_box
from app.widgets.forms import SpecForm
from app.widgets.labels import link, message_label, say, with_role
from app.widgets.layouts import STRETCH, column, row, scroll_area
from app.widgets.pick_table import PickTable
from app.widgets.progress_bar import ProgressBar
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_window import SessionWindow
from core.figures.network_table import COLUMNS, NetworkThroughput, Row, Shared, node_bandwidth
from core.network.metrics.cabling import ASSUMED, NO_CABLES, Prices
from core.text import plural

WIDTH = 330


class PricesCard(Card):
    """A field for each declared price; an invalid one shows an error beneath, and the last valid one is kept."""

    changed = Signal(object)
    """The new Prices."""

    def __init__(self) -> None:
        self.fields = SpecForm(Prices())
        self.reset = link("Restore prices", "Restore the assumed prices, which are round figures")
        content = QWidget()
        column(self.fields, row(STRETCH, self.reset), STRETCH, of=content, margins=(12, 2, 12, 8), spacing=4)
        super().__init__("Floor and prices", scroll_area(content))
        self.keep_width(WIDTH)
        self.fields.changed.connect(self._on_fields_changed)
        self.reset.clicked.connect(self._on_reset_clicked)
        self.reset.setEnabled(False)

    def _on_reset_clicked(self) -> None:
        self.fields.form.clear_messages()
        self.fields.show_spec(Prices())
        self._on_fields_changed(Prices())

    def _on_fields_changed(self, prices: Prices) -> None:
        self.reset.setEnabled(prices != Prices())
        self.changed.emit(prices)


TITLE = "Compare networks"
SHARED: tuple[Shared, Shared] = ("nodes", "degree")
MIN_ROWS = 4
"""Minimum number of visible rows at any type size."""
INITIAL_ROWS = 10
"""Rows with room from the start, so that the layout does not change as they arrive."""
EMPTY = "Networks appear here as they are measured."
UNKNOWN = "No network has both figures."
STALE = "The job has changed. Press Compare to use it."
SET = "prices set in this window"
FLOWS = "sequential mapping, minimal routing in equal shares"
"""Mapping and routing of the job in a comparison."""
HINT = "Click a row or point to choose that network. Ctrl+wheel zooms, Ctrl+C copies the table."


class NetworkTable(PickTable):
    """A row for each network; a click or Enter chooses it."""

    letters = 12

    def __init__(self) -> None:
        super().__init__(network_columns(()))
        self.setAccessibleName("Networks")

    def show_rows(self, rows: Sequence[Row], current: int) -> None:
        """Show rows, without a signal."""
        # Shows all rows if possible; the remaining height goes to the plot.
        self.keep_room(MIN_ROWS, max(len(rows), INITIAL_ROWS))
        with QSignalBlocker(self.selectionModel()):
            self.set_columns(network_columns(rows))
            if current >= 0:
                self.setCurrentIndex(self.view_index(current))


class NetworkTableWindow(SessionWindow):
    """The settings at the top, the table, details of the current row, the plot."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, TITLE, parent)
        self._current = -1
        self.measured = MeasuredRows(sync=session.sync, parent=self)
        self.what = SegmentedControl("Equal size", "Equal degree")
        self.what.choose(0)
        network = self.state.evaluation.case.network
        self.nodes, self.degree = size_box(network.real_nodes), degree_box(network.degree)
        self._degree_label = QLabel("and degree")
        self.bandwidth = _bandwidth_box()
        self.button = with_role(QPushButton("Compare"), "primary")
        self.progress = ProgressBar(140)
        self.copy_text, self.copy_csv = link("Copy as text"), link("Copy as CSV")
        self.table, self.plot, self.prices = NetworkTable(), ScatterPlot("Plot of networks"), PricesCard()
        self.prices_button = link("Floor and prices …")
        self.along, self.up = _figure_box("Horizontal axis", "cost"), _figure_box("Vertical axis", "throughput_gbs")
        self.message, self.detail, self.small = (message_label(role) for role in ("warning", "plain", "dim"))
        self._build()
        self._connect()

    def start(self) -> None:
        """Restart the comparison."""
        what = SHARED[self.what.group.checkedId()]
        value = self.nodes.value if what == "nodes" else self.degree.value
        self._current = -1
        self.progress.show_fraction(0.0)
        per_node = node_bandwidth(self.state.evaluation.case.network)
        self.measured.start(self.state.wanted, self.nodes.value, what, value, self.bandwidth.currentData(), per_node)

    def refresh(self, changes: ChangeSet) -> None:
        """Mark the network on screen, and warn if another job is compared."""
        if changes & (ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.STYLE | ChangeSet.STATUS):
            self._show()

    def shut_down(self) -> None:
        """Stop for good, when the main window closes."""
        self.close()
        self.measured.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all work; finished rows are kept."""
        self.measured.cancel()
        super().closeEvent(event)

    def _build(self) -> None:
        asked = (self.what, QLabel("about"), self.nodes, QLabel("nodes"), self._degree_label, self.degree)
        head = row(*asked, self.bandwidth, 6, self.button, self.progress, STRETCH, spacing=8)
        top = Qt.AlignmentFlag.AlignTop
        footer = row((self.detail, 1), (self.copy_text, 0, top), (self.copy_csv, 0, top), spacing=14)
        footer.insertStretch(1)  # fills the room while the details are hidden
        axes = row(self.up, QLabel("against"), self.along, STRETCH, self.prices_button, spacing=8)
        above, below = QWidget(), QWidget()
        column(self.table, self.message, footer, self.small, of=above, margins=(12, 2, 12, 8), spacing=4)
        column(axes, self.plot, of=below, margins=(12, 2, 12, 8), spacing=4)
        self.table_card, self.plot_card = Card("Networks", above), Card("Plot", below)
        self.plot_card.set_subtitle(HINT)
        self.prices.hide()
        foot = row((self.plot_card, 1), self.prices, spacing=8)
        column(head, self.table_card, (foot, 1), of=self, margins=(8, 8, 8, 8), spacing=8)

    def _connect(self) -> None:
        self.button.clicked.connect(self._on_button_clicked)
        for started in (self.what.group.idClicked, self.nodes.chosen, self.degree.chosen, self.bandwidth.activated):
            started.connect(self.start)
        for box in (self.along, self.up):
            box.activated.connect(self._show_plot)
        self.table.used.connect(self._choose)
        self.plot.picked.connect(self._choose)
        self.table.looked_at.connect(self._on_table_looked_at)
        self.copy_text.clicked.connect(self.table.copy)
        self.copy_csv.clicked.connect(self._on_copy_csv)
        self.prices_button.clicked.connect(self._on_prices_button_clicked)
        self.prices.changed.connect(self.measured.set_prices)
        self.measured.changed.connect(self._show)
        self.measured.progressed.connect(self.progress.show_fraction)
        self.measured.finished.connect(self._show_busy)

    def _choose(self, index: int) -> None:
        self._current = index
        self.session.choose_network(self.measured.rows[index].entry.network)
        self._show_current()

    def _show(self) -> None:
        if self._current < 0:
            self._current = self.measured.row_of(self.state.wanted.network)
        self.table.show_rows(self.measured.rows, self._current)
        self._show_current()
        self._show_busy()
        say(self.message, "\n".join([*([STALE] if self._is_stale() else []), *self.measured.left_out]))
        job = self.measured.job
        self.table_card.set_subtitle(f"{self.measured.held}; {job.title}, {FLOWS}" if job is not None else "")

    def _is_stale(self) -> bool:
        # A job resized to fit a network chosen here counts as the same.
        job, wanted = self.measured.job, self.state.wanted.job
        return job is not None and wanted not in (job, job.resized(self.state.evaluation.case.network.slots))

    def _show_current(self) -> None:
        rows = self.measured.rows
        first, *rest = (
            network_details(rows[self._current], self.measured.prices) if 0 <= self._current < len(rows) else [""]
        )
        say(self.detail, first)
        say(self.small, "\n".join(rest))
        self._show_plot()

    def _show_plot(self) -> None:
        x, y = (COLUMNS[box.currentIndex()] for box in (self.along, self.up))
        dots = []
        for index, measured in enumerate(self.measured.rows):
            along, up = x.of(measured), y.of(measured)
            if along is not None and up is not None:
                dots.append(Dot(measured.entry.name, float(along), float(up), index))
        scatter = ScatterData(tuple(dots), head_of(x), head_of(y), self._current)
        self.plot.show_scatter(scatter, self.state.style.theme, UNKNOWN if self.measured.rows else EMPTY)

    def _show_busy(self) -> None:
        busy = self.measured.busy
        self.button.setText("Stop" if busy else "Compare")
        self.progress.setVisible(busy)
        for widget in (self._degree_label, self.degree):
            widget.setVisible(SHARED[self.what.group.checkedId()] == "degree")
        for button in (self.copy_text, self.copy_csv):
            button.setEnabled(bool(self.measured.rows))

    def _on_button_clicked(self) -> None:
        if self.measured.busy:
            self.measured.works.cancel()
            self._show_busy()
        else:
            self.start()

    def _on_table_looked_at(self, index: int) -> None:
        self._current = index
        self._show_current()

    def _on_prices_button_clicked(self) -> None:
        self.prices.setVisible(self.prices.isHidden())

    def _on_copy_csv(self) -> None:
        QGuiApplication.clipboard().setText(csv_of([self.measured.rows[index] for index in self.table.order]))


def network_details(row: Row, prices: Prices) -> list[str]:
    """Return details of a network besides its figures: its size and notes, the traffic, the cost."""
    first = f"{row.entry.name}: {row.entry.network.summary()}"
    cables = row.cabling
    floor = NO_CABLES
    if cables is not None:
        of = ASSUMED if prices == Prices() else SET
        counts = (
            plural(cables.cables, "cable"),
            f"{cables.optical:,} optical",
            plural(cables.cabinets, "cabinet"),
        )
        floor = f"{', '.join(counts)}; {of}"
    return [" · ".join([first, *row.notes]), *([] if row.flowing is None else [flow_text(row.flowing)]), floor]


def flow_text(flowing: NetworkThroughput) -> str:
    """Return the traffic on a network: job, mapping and routing."""
    scenario = flowing.scenario
    return "; ".join(f"{part.title}: {part.summary()}" for part in (scenario.job, scenario.mapping, scenario.routing))


def _figure_box(name: str, key: str) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    for figure in COLUMNS:
        box.addItem(head_of(figure), figure.key)
    box.setCurrentIndex(box.findData(key))
    return box


def _bandwidth_box() -> ComboBox:
    box = ComboBox()
    box.setAccessibleName("Bandwidth")
    box.setToolTip("Bandwidth of all networks: equal per node, as in the current network, their own, or equal per link")
    box.addItem("equal bandwidth per node", "equal")
    box.addItem("own bandwidth", "own")
    for gbs in (1.0, 5.0, 12.5, 25.0, 50.0):
        box.addItem(f"{gbs:g} GB/s per link", gbs)
    return box
