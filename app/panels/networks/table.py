"""Networks of equal size or equal degree, side by side: a table, and a plot of any figure over any other."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.background.latest_wins import Work
from app.background.work_queue import WorkList
from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.panels.networks.prices import PricesCard
from app.panels.networks.rows import columns_of, csv_of, entries_like, head_of, text_of
from app.panels.networks.scatter_plot import Dot, NetworkPlot, Scatter
from app.session.session import Session
from app.widgets.array_table import ArrayTable
from app.widgets.card import Card
from app.widgets.editors import ComboBox
from app.widgets.forms import message_label, say
from app.widgets.segments import Segments
from app.widgets.session_widget import SessionWidget
from app.widgets.size_box import DegreeBox, SizeBox
from core.job.job import JobSpec
from core.network.metrics.cabling import ASSUMED, NO_CABLES, Prices
from core.network.network import NetworkSpec
from core.spec import Progress, SpecError
from core.study.network_table import (
    COLUMNS,
    Entry,
    Flowing,
    Row,
    Shared,
    Traffic,
    repriced,
    shared,
    table_row,
    with_bandwidth,
)

TITLE = "Compare networks"
SIZE = QSize(1460, 880)
"""At most; no more than the screen has."""
SHARED: tuple[Shared, Shared] = ("nodes", "degree")
PLOTTED = ("cost", "throughput_gbs")
"""Keys of the figures that are plotted first: along, and upwards."""
BESIDE = 60
"""Pixels that frame and task bar may take."""
LEAST_ROWS = 10
"""Rows for which there is room from the start, so that nothing moves as they come."""
EMPTY = "Networks appear here as they are measured."
UNKNOWN = "No network has both figures."
STALE = "The job on screen is another one now: Compare takes it."
SET = "prices as set here"
HINT = "A click on a row or a point chooses that network; Ctrl+C copies the table."


class NetworkTable(ArrayTable):
    """A row for each network; a click or Enter chooses it."""

    used = Signal(int)
    """Row of the arrays."""
    looked_at = Signal(int)
    """Row of the arrays that has become the current one."""
    copied = Signal()

    def __init__(self) -> None:
        super().__init__(columns_of(()))
        self.setAccessibleName("Networks")
        self.clicked.connect(self._on_self_used)
        self.activated.connect(self._on_self_used)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    def show_rows(self, rows: Sequence[Row], current: int) -> None:
        """Show rows; tells nobody."""
        # All rows at once: what is left of the height is the plot's.
        self.setFixedHeight(self.height_of(max(len(rows), LEAST_ROWS)))
        with QSignalBlocker(self.selectionModel()):
            self.set_columns(columns_of(rows))
            if current >= 0:
                whole = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
                self.selectionModel().setCurrentIndex(self.view_index(current), whole)

    @property
    def order(self) -> list[int]:
        """Return the rows of the arrays from top to bottom."""
        return [self.source_row(self.sorted.index(row, 0)) for row in range(self.sorted.rowCount())]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy all of the table."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        else:
            super().keyPressEvent(event)

    def _on_self_used(self, index: QModelIndex) -> None:
        self.used.emit(self.source_row(index))

    def _on_current_row_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.looked_at.emit(self.source_row(index))


class NetworkTableWindow(SessionWidget):
    """What to compare at the top, the table, what is known of the current row, the plot."""

    refresh_priority = Priority.WINDOWS

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle(TITLE)
        self.resize(SIZE.boundedTo(self.screen().availableSize() - QSize(BESIDE, BESIDE)))
        self.rows: list[Row] = []
        self._priced: list[Prices] = []
        """At which prices each row is."""
        self._left_out: list[str] = []
        self._job: JobSpec | None = None
        self._current = -1
        self.works = WorkList("comparisons", sync=session.sync, parent=self)
        self._pricing = WorkList("prices", sync=session.sync, parent=self)
        self.what = Segments("Equal size", "Equal degree")
        self.what.choose(0)
        nodes, degree = self._here()
        self.nodes, self.degree = SizeBox(nodes), DegreeBox(degree)
        self._degree_label = QLabel("and degree")
        self.bandwidth = _bandwidth_box()
        self.button, self.progress = QPushButton("Compare"), QProgressBar()
        self.copy_text, self.copy_csv = _link("Copy as text"), _link("Copy as CSV")
        self.table, self.plot, self.prices = NetworkTable(), NetworkPlot(), PricesCard()
        self.prices_button = _link("Floor and prices …")
        self.along, self.up = _figure_box("Figure along"), _figure_box("Figure upwards")
        self.message, self.detail, self.small = (message_label(role) for role in ("warning", "plain", "dim"))
        self._build()
        self._connect()

    def start(self) -> None:
        """Compare what is asked for, anew."""
        state = self.state
        what = SHARED[self.what.group.checkedId()]
        value = self.nodes.value if what == "nodes" else self.degree.value
        self._job = state.wanted.job
        self.rows, self._priced, self._left_out, self._current = [], [], [], -1
        self._pricing.cancel()
        traffic = Traffic(job=self._job)
        works = []
        for name, spec in entries_like(state.wanted.network, self.nodes.value):
            entry = Entry(name, spec, state.wanted.folder)
            works.append((name, self._comparing(entry, what, value, traffic)))
        self.progress.setValue(0)
        self.works.start(works)
        self._show()

    @property
    def busy(self) -> bool:
        """Return whether networks are being compared."""
        return self.works.busy

    def stop(self) -> None:
        """Leave it at what has been found."""
        self.works.cancel()
        self._show_busy()

    def refresh(self, changes: ChangeSet) -> None:
        """Mark the network on screen, and say if the job is no longer the one compared for."""
        if changes & (ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.STYLE | ChangeSet.STATUS):
            self._show()

    def shut_down(self) -> None:
        """Stop for good, with the window this one stands beside."""
        self.close()
        self.works.close()
        self._pricing.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all work; what was found stays."""
        self.works.cancel()
        self._pricing.cancel()
        super().closeEvent(event)

    def _build(self) -> None:
        self.button.setProperty("role", "primary")
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 1000)
        self.progress.setFixedWidth(140)
        head = QHBoxLayout()
        head.setSpacing(8)
        for widget in (
            self.what,
            QLabel("about"),
            self.nodes,
            QLabel("nodes"),
            self._degree_label,
            self.degree,
            self.bandwidth,
        ):
            head.addWidget(widget)
        head.addSpacing(6)
        head.addWidget(self.button)
        head.addWidget(self.progress)
        head.addStretch(1)
        self.table_card, self.plot_card = Card("Networks", self._above()), Card("Plot", self._below())
        self.plot_card.set_subtitle(HINT)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.table_card)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.plot_card, 1)
        below.addWidget(self.prices)
        self.prices.hide()
        column.addLayout(below, 1)

    def _above(self) -> QWidget:
        links = QHBoxLayout()
        links.setSpacing(14)
        links.addWidget(self.detail, 1)
        links.addStretch(0)
        links.addWidget(self.copy_text, 0, Qt.AlignmentFlag.AlignTop)
        links.addWidget(self.copy_csv, 0, Qt.AlignmentFlag.AlignTop)
        return _column(self.table, self.message, links, self.small)

    def _below(self) -> QWidget:
        axes = QHBoxLayout()
        axes.setSpacing(8)
        for widget in (self.up, QLabel("over"), self.along):
            axes.addWidget(widget)
        axes.addStretch(1)
        axes.addWidget(self.prices_button)
        return _column(axes, self.plot)

    def _connect(self) -> None:
        self.button.clicked.connect(self._on_button_clicked)
        self.what.group.idClicked.connect(self.start)
        self.nodes.chosen.connect(self.start)
        self.degree.chosen.connect(self.start)
        self.bandwidth.activated.connect(self.start)
        for box in (self.along, self.up):
            box.activated.connect(self._show_plot)
        for box, key in zip((self.along, self.up), PLOTTED, strict=True):
            box.setCurrentIndex(box.findData(key))
        self.table.used.connect(self._choose)
        self.plot.picked.connect(self._choose)
        self.table.looked_at.connect(self._on_table_looked_at)
        self.table.copied.connect(self._on_copy_text)
        self.copy_text.clicked.connect(self._on_copy_text)
        self.copy_csv.clicked.connect(self._on_copy_csv)
        self.prices_button.clicked.connect(self._on_prices_button_clicked)
        self.prices.changed.connect(self._price)
        self._pricing.done.connect(self._on_pricing_done)
        self.works.done.connect(self._on_works_done)
        self.works.refused.connect(self._on_works_refused)
        self.works.progressed.connect(self._on_works_progressed)
        self.works.finished.connect(self._show_busy)

    def _here(self) -> tuple[int, int]:
        network = self.state.evaluation.case.network
        return network.real_nodes, network.degree

    def _choose(self, row: int) -> None:
        self._current = row
        wanted, spec = self.state.wanted, self.rows[row].entry.network
        if spec != wanted.network:
            self.session.fit(wanted.with_choice("network", spec))
        self._show_current()

    def _show(self) -> None:
        if self._current < 0:
            self._current = self._row_of(self.state.wanted.network)
        self.table.show_rows(self.rows, self._current)
        self._show_current()
        self._show_busy()
        stale = [STALE] if self._job is not None and self.state.wanted.job != self._job and not self._fits() else []
        say(self.message, "\n".join([*stale, *self._left_out]))
        self.table_card.set_subtitle(self._throughput_of())

    def _fits(self) -> bool:
        # A job resized to fit a network that was chosen here is still the one compared for.
        evaluation = self.state.evaluation
        return self._job is not None and self._job.resized(evaluation.case.network.slots) == (self.state.wanted.job)

    def _row_of(self, spec: NetworkSpec) -> int:
        return next((k for k, row in enumerate(self.rows) if row.entry.network == spec), -1)

    def _throughput_of(self) -> str:
        if self._job is None:
            return ""
        return (
            f"throughput per node: {self._job.title}, filling each network in order, equal shares on all shortest paths"
        )

    def _show_current(self) -> None:
        row = self.rows[self._current] if 0 <= self._current < len(self.rows) else None
        first, *rest = told_of(row, self.prices.value) if row is not None else [""]
        say(self.detail, first)
        say(self.small, "\n".join(rest))
        self._show_plot()

    def _show_plot(self) -> None:
        x, y = (COLUMNS[box.currentIndex()] for box in (self.along, self.up))
        dots = []
        for index, row in enumerate(self.rows):
            along, up = x.of(row), y.of(row)
            if along is not None and up is not None:
                dots.append(Dot(row.entry.name, float(along), float(up), index))
        scatter = Scatter(tuple(dots), head_of(x), head_of(y), self._current)
        self.plot.show_scatter(scatter, self.state.style.theme, UNKNOWN if self.rows else EMPTY)

    def _show_busy(self) -> None:
        busy = self.busy
        self.button.setText("Stop" if busy else "Compare")
        self.progress.setVisible(busy)
        by_degree = self.what.group.checkedId() == 1
        self.degree.setVisible(by_degree)
        self._degree_label.setVisible(by_degree)
        for link in (self.copy_text, self.copy_csv):
            link.setEnabled(bool(self.rows))

    def _on_button_clicked(self) -> None:
        if self.busy:
            self.stop()
        else:
            self.start()

    def _on_table_looked_at(self, row: int) -> None:
        self._current = row
        self._show_current()

    def _on_works_done(self, name: str, found: tuple[Row, Prices]) -> None:
        row, prices = found
        self.rows.append(row)
        self._priced.append(prices)
        if prices != self.prices.value:
            self._price()
        self._show()

    def _on_prices_button_clicked(self) -> None:
        self.prices.setVisible(self.prices.isHidden())

    def _price(self) -> None:
        # What is at other prices than those meant now; a comparison that is under way goes on.
        prices = self.prices.value
        stale = [(k, row) for k, row in enumerate(self.rows) if self._priced[k] != prices]
        self._pricing.start([((k, prices), _repricing(row, prices)) for k, row in stale])

    def _on_pricing_done(self, key: tuple[int, Prices], row: Row) -> None:
        index, prices = key
        self.rows[index], self._priced[index] = row, prices
        self._show()

    def _comparing(self, entry: Entry, what: Shared, value: int, traffic: Traffic) -> Work:
        gbs: float | None = self.bandwidth.currentData()

        def compare(progress: Progress) -> tuple[Row, Prices]:
            progress(0.0)
            entries = shared([entry], what, value)
            entries = entries if gbs is None else with_bandwidth(entries, gbs)
            prices = self.prices.value  # as they are by then
            return table_row(entries[0], traffic, prices, progress), prices

        return compare

    def _on_works_refused(self, name: str, error: SpecError) -> None:
        self._left_out.append(f"{name} is left out: {error.message}")
        self._show()

    def _on_works_progressed(self, fraction: float) -> None:
        self.progress.setValue(round(1000 * fraction))

    def _on_copy_text(self) -> None:
        QGuiApplication.clipboard().setText(text_of(self.table.source.columns, self.table.order))

    def _on_copy_csv(self) -> None:
        QGuiApplication.clipboard().setText(csv_of([self.rows[row] for row in self.table.order]))


def told_of(row: Row, prices: Prices) -> list[str]:
    """Return what is known of a network beyond its figures: its size and notes, what the throughput is of, the cost."""
    first = f"{row.entry.name}: {row.entry.network.summary()}"
    cables = row.cabling
    floor = NO_CABLES
    if cables is not None:
        of = ASSUMED if prices == Prices() else SET
        floor = f"{cables.cables:,} cables, {cables.optical:,} of them optical, {cables.cabinets:,} cabinets; {of}"
    return [" · ".join([first, *row.notes]), *([] if row.flowing is None else [flow_text(row.flowing)]), floor]


def flow_text(flowing: Flowing) -> str:
    """Return what flows over a network, and how: job, mapping and routing."""
    scenario = flowing.scenario
    return "; ".join(f"{part.title}: {part.summary()}" for part in (scenario.job, scenario.mapping, scenario.routing))


def _repricing(row: Row, prices: Prices) -> Work:
    def reprice(progress: Progress) -> Row:
        progress(0.0)
        return repriced(row, prices)

    return reprice


def _figure_box(name: str) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(name)
    for column in COLUMNS:
        box.addItem(head_of(column), column.key)
    return box


def _bandwidth_box() -> ComboBox:
    box = ComboBox()
    box.setAccessibleName("Bandwidth of links")
    box.setToolTip("Compare networks with the links that each declares, or with links all alike")
    box.addItem("own bandwidths", None)
    for gbs in (1.0, 5.0, 12.5, 25.0, 50.0):
        box.addItem(f"all links {gbs:g} GB/s", gbs)
    return box


def _link(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


def _column(*parts: QWidget | QHBoxLayout) -> QWidget:
    content = QWidget()
    column = QVBoxLayout(content)
    column.setContentsMargins(12, 2, 12, 8)
    column.setSpacing(4)
    for part in parts:
        if isinstance(part, QWidget):
            column.addWidget(part)
        else:
            column.addLayout(part)
    return content
