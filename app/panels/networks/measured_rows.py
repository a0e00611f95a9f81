"""The rows of the table of networks: measured off the GUI thread one by one, and priced."""

from functools import partial

from PySide6.QtCore import QObject, Signal

from app.background.work_queue import WorkList
from app.panels.networks.rows import entries_like
from app.wording.errors import message_text
from core.figures.network_table import (
    Bandwidths,
    Entry,
    Row,
    Shared,
    TrafficChoice,
    bandwidth_words,
    repriced,
    shared,
    table_row,
    with_bandwidths,
)
from core.job.job import JobSpec
from core.load.scenario import Scenario
from core.network.metrics.cabling import Prices
from core.network.network import NetworkSpec
from core.spec import Progress, SpecError


class MeasuredRows(QObject):
    """Measures networks of equal size or equal degree, with the job of a scenario."""

    changed = Signal()
    """Rows, or reasons why networks are omitted, have changed."""
    progressed = Signal(float)
    finished = Signal()

    def __init__(self, *, sync: bool, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []
        self.left_out: list[str] = []
        """Why networks are omitted."""
        self.job: JobSpec | None = None
        """The job of the throughputs; None before `start`."""
        self.held = ""
        """How bandwidths are made equal; empty before `start`."""
        self.prices = Prices()
        self._priced: list[Prices] = []
        """The prices used for each row."""
        self.works = WorkList("comparisons", sync=sync, parent=self)
        self._pricing = WorkList("prices", sync=sync, parent=self)
        self.works.done.connect(self._on_works_done)
        self.works.refused.connect(self._on_works_refused)
        self.works.progressed.connect(self.progressed)
        self.works.finished.connect(self.finished)
        self._pricing.done.connect(self._on_pricing_done)

    @property
    def busy(self) -> bool:
        """Return whether networks are being measured."""
        return self.works.busy

    def start(
        self, scenario: Scenario, nodes: int, what: Shared, value: int, held: Bandwidths, per_node: float
    ) -> None:
        """Measure every family at about `nodes` nodes.

        All share `what`, the number of nodes or the degree, with about the given value. Bandwidths are `held` equal,
        with `per_node` GB/s at each node if they are equal per node.
        """
        self.held = bandwidth_words(held, per_node)
        self.job = scenario.job
        self.rows, self._priced, self.left_out = [], [], []
        self._pricing.cancel()
        works = []
        for name, spec in entries_like(scenario.network, nodes):
            entry = Entry(name, spec, scenario.folder)
            traffic = TrafficChoice(job=self.job)
            works.append((name, partial(self._measure, entry, traffic, what, value, held, per_node)))
        self.works.start(works)
        self.changed.emit()

    def set_prices(self, prices: Prices) -> None:
        """Update the prices of the rows; a running comparison continues."""
        self.prices = prices
        self._price()

    def cancel(self) -> None:
        """Stop; finished rows are kept."""
        self.works.cancel()
        self._pricing.cancel()

    def close(self) -> None:
        """Stop for good."""
        self.works.close()
        self._pricing.close()

    def row_of(self, spec: NetworkSpec) -> int:
        """Return the number of a network's row, or -1 if it has none."""
        return next((k for k, row in enumerate(self.rows) if row.entry.network == spec), -1)

    def _measure(
        self,
        entry: Entry,
        traffic: TrafficChoice,
        what: Shared,
        value: int,
        held: Bandwidths,
        per_node: float,
        progress: Progress,
    ) -> tuple[Row, Prices]:
        progress(0.0)
        entries = with_bandwidths(shared([entry], what, value), held, per_node)
        prices = self.prices  # read when the row is done: they may have changed
        return table_row(entries[0], traffic, prices, progress), prices

    def _price(self) -> None:
        prices = self.prices
        stale = [(k, row) for k, row in enumerate(self.rows) if self._priced[k] != prices]
        self._pricing.start([((k, prices), partial(_reprice, row, prices)) for k, row in stale])

    def _on_works_done(self, name: str, result: tuple[Row, Prices]) -> None:
        row, prices = result
        self.rows.append(row)
        self._priced.append(prices)
        if prices != self.prices:
            self._price()
        self.changed.emit()

    def _on_works_refused(self, name: str, error: SpecError) -> None:
        self.left_out.append(f"{name} is not listed: {message_text(error)}")
        self.changed.emit()

    def _on_pricing_done(self, key: tuple[int, Prices], row: Row) -> None:
        index, prices = key
        self.rows[index], self._priced[index] = row, prices
        self.changed.emit()


def _reprice(row: Row, prices: Prices, progress: Progress) -> Row:
    progress(0.0)
    return repriced(row, prices)
