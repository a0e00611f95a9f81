"""The hottest links as a table: sortable, for pointer and keyboard, one selection with all other views."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QObject, QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.panels.array_table import ArrayTable, Column
from app.panels.figures import percent, significant
from app.session import Session
from app.state import Item
from core.load.evaluate import LoadReport

SHOWN = 500
NEAR = 0.01
"""Links within this share of the hottest are counted in the caption."""


def columns(report: LoadReport | None, links: NDArray[np.intp]) -> tuple[Column, ...]:
    """Return the columns of the table for some links; empty ones without a report."""
    names: list[str] = []
    label: Callable[[int], str] = str
    kind, src, dst, load, share = _values(report, links)
    if report is not None:
        names, label = [c.name for c in report.case.network.classes], report.case.network.label

    def place(vertex: int) -> str:
        return label(vertex).replace(" · ", "·")  # a column is narrow

    return (
        Column("class", "Link class", kind, lambda index: names[index], number=False),
        Column("from", "The node or switch it leaves", src, place, number=False, elides=True),
        Column("to", "The node or switch it reaches", dst, place, number=False, elides=True),
        Column("units", "Load: units of volume that cross the link", load, significant),
        Column("%", "Utilisation: load over bandwidth, relative to the bottleneck", share, _bare_percent),
    )


def _values(
    report: LoadReport | None, links: NDArray[np.intp]
) -> tuple[list[Any], list[Any], list[Any], list[Any], list[Any]]:
    if report is None:
        return [], [], [], [], []
    network = report.case.network
    kind, src, dst = (values[links].tolist() for values in (network.class_of, network.src, network.dst))
    return kind, src, dst, report.load[links].tolist(), report.relative[links].tolist()


def _bare_percent(share: float) -> str:
    return percent(share).removesuffix(" %")


class HotTable(QWidget):
    """The hottest links. Choosing a row chooses the link everywhere; a link chosen elsewhere is shown here."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._links = np.zeros(0, np.intp)
        title = QLabel("Hottest links")
        title.setProperty("role", "subheading")
        self.caption = QLabel()
        self.caption.setProperty("role", "dim")
        head = QHBoxLayout()
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.caption)
        self.table = ArrayTable(columns(None, self._links))
        self.table.setMouseTracking(True)
        # Names differ at their ends.
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.viewport().installEventFilter(self)
        self.table.entered.connect(self._on_table_entered)
        self.table.selectionModel().selectionChanged.connect(self._on_table_selection_changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self.table)

    @property
    def links(self) -> NDArray[np.intp]:
        """Return the links in the table, hottest first, whatever the order on screen."""
        return self._links

    def show_report(self, report: LoadReport) -> None:
        """Show the hottest links of a report."""
        self._links = report.hottest(SHOWN)
        self._links = self._links[report.load[self._links] > 0]
        self.table.set_columns(columns(report, self._links))
        near = int(report.case.network.strands[report.relative >= 1 - NEAR].sum()) if report.time > 0 else 0
        self.caption.setText(f"{near:,} within {NEAR:.0%}".replace("%", " %"))
        self.caption.setToolTip(
            f"Links whose utilisation is within {100 * NEAR:g} % of the hottest.\n"
            f"The table lists the {self._links.size:,} hottest."
        )

    def show_selection(self, item: Item | None) -> None:
        """Mark the row of the chosen link, if it is in the table."""
        wanted = item.index if item is not None and item.kind == "link" else -1
        rows = np.flatnonzero(self._links == wanted)
        if not rows.size:
            self.table.clearSelection()
            return
        index = self.table.view_index(int(rows[0]))
        if index.row() != self._selected_row():
            self.table.setCurrentIndex(index)

    def item_at(self, at: QPoint) -> Item | None:
        """Return the link at a point of the table's viewport."""
        index = self.table.indexAt(at)
        return self._link_at(index) if index.isValid() else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Point at nothing once the pointer has left the rows."""
        if event.type() == QEvent.Type.Leave:
            self._session.hover(None, self)
        return super().eventFilter(watched, event)

    def _selected_row(self) -> int:
        rows = self.table.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def _link_at(self, index: QModelIndex) -> Item:
        return Item("link", int(self._links[self.table.source_row(index)]))

    def _on_table_entered(self, index: QModelIndex) -> None:
        self._session.hover(self._link_at(index), self)

    def _on_table_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes:
            # The session knows whether this is news; a row marked because of the session is none.
            self._session.select(self._link_at(indexes[0]), self)
