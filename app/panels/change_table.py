"""The links that changed most between two states, as a table."""

import numpy as np
from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.card import ElidedLabel
from app.panels.array_table import ArrayTable, Column
from app.panels.figures import MINUS, percent, signed, significant
from app.session import Session
from app.state import Item, State
from app.views.compared import relative_at
from app.views.naming import plural
from core.load.compare import Ids, difference

NO_LINKS = "Every link carries the same in A and B."
PINNED = "A is pinned. What you change from here on is B."


class ChangeTable(QWidget):
    """The links that changed most. Choosing a row chooses the link everywhere."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._found = np.zeros(0, np.intp)
        self.caption = ElidedLabel("")
        self.caption.setProperty("role", "dim")
        self.table = ArrayTable(link_columns(None, self._found))
        self.table.setMouseTracking(True)
        self.table.entered.connect(self._on_table_entered)
        self.table.viewport().installEventFilter(self)
        self.table.selectionModel().selectionChanged.connect(self._on_table_selection_changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.caption)
        layout.addWidget(self.table, 1)
        layout.addStretch()

    @property
    def found(self) -> Ids:
        """Return the links in the table, largest change first, whatever the order on screen."""
        return self._found

    def show_changes(self, state: State, count: int) -> None:
        """Show the `count` links that changed most from A to B."""
        both = state.matched
        if both is None:
            self._found = np.zeros(0, np.intp)
            self.table.set_columns(link_columns(None, self._found))
            self.caption.setText("")
            self.table.hide()
            return
        changes = difference(both[0].report, both[1].report)
        self._found = changes.strongest(count)
        self.table.set_columns(link_columns(state, self._found))
        self.table.setVisible(changes.changed > 0)
        self._caption(changes.changed, state)
        self.show_selection(state.selection)

    def _caption(self, changed: int, state: State) -> None:
        if not changed:
            self.caption.setText(PINNED if state.pinned is state.answer else NO_LINKS)
            return
        listed = f", the {self._found.size:,} most changed listed" if changed > self._found.size else ""
        whole = "the frozen state" if state.scale.frozen_time else "the hottest of A and B"
        self.caption.setText(f"{plural(changed, 'link')} changed{listed} · % of {whole}")
        self.caption.setToolTip(self.caption.text())

    def show_selection(self, item: Item | None) -> None:
        """Mark the row of the chosen link, if it is in the table."""
        wanted = item.index if item is not None and item.kind == "link" else -1
        rows = np.flatnonzero(self._found == wanted)
        if not rows.size:
            self.table.clearSelection()
            return
        index = self.table.view_index(int(rows[0]))
        chosen = self.table.selectionModel().selectedRows()
        if not chosen or chosen[0].row() != index.row():
            self.table.setCurrentIndex(index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Point at nothing once the pointer has left the rows, or they have been taken away from under it."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide):
            self._session.hover(None, self)
        return super().eventFilter(watched, event)

    def _link_at(self, index: QModelIndex) -> Item:
        return Item("link", int(self._found[self.table.source_row(index)]))

    def _on_table_entered(self, index: QModelIndex) -> None:
        self._session.hover(self._link_at(index), self)

    def _on_table_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes:
            self._session.select(self._link_at(indexes[0]), self)


def link_columns(state: State | None, links: Ids) -> tuple[Column, ...]:
    """Return the columns of the table: loads in A and B, in units and in percent of the scale, and the changes."""
    both = state.matched if state is not None else None
    kind: list[str] = []
    figures: list[list[float]] = [[] for _ in range(6)]
    if state is not None and both is not None:
        network = both[1].case.network
        kind = [network.classes[k].name for k in network.class_of[links].tolist()]
        loads = [answer.report.load[links] for answer in both]
        shares = [relative_at(state, answer, links) for answer in both]
        figures = [
            v.tolist() for v in (loads[0], loads[1], loads[1] - loads[0], shares[0], shares[1], shares[1] - shares[0])
        ]

    def link(index: int) -> str:
        assert both is not None
        network = both[1].case.network
        ends = (network.label(int(end[index])).replace(" · ", "·") for end in (network.src, network.dst))
        return " → ".join(ends)

    return (
        Column("class", "Link class", kind, str, number=False),
        Column("link", "The nodes or switches it joins", links.tolist(), link, number=False, elides=True),
        Column("A", "Units of volume that cross the link in A", figures[0], significant),
        Column("B", "Units of volume that cross the link in B", figures[1], significant),
        Column(f"B{MINUS}A", "Change in units", figures[2], _signed_figure),
        Column("A %", "Utilisation in A, relative to the top of the colour scale", figures[3], _bare),
        Column("B %", "Utilisation in B, relative to the top of the colour scale", figures[4], _bare),
        Column(f"B{MINUS}A %", "Change of the utilisation", figures[5], _signed_bare),
    )


def _signed_figure(value: float) -> str:
    return f"{'+' if value > 0 else MINUS}{significant(abs(value))}" if value else "0"


def _bare(share: float) -> str:
    return percent(share).removesuffix(" %")


def _signed_bare(share: float) -> str:
    return signed(share).removesuffix(" %")
