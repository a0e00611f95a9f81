"""A table whose rows are links, for pointer and keyboard; it shares its selection with all other views."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QPoint
from PySide6.QtGui import QHideEvent

from app.model.pointing import Item
from app.session.session import Session
from app.widgets.array_table import ArrayTable, Column

NO_LINKS = np.zeros(0, np.intp)


class LinkTable(ArrayTable):
    """Choosing a row chooses the link everywhere; a link chosen elsewhere is shown here."""

    letters = 5

    def __init__(self, session: Session, columns: Sequence[Column] = ()) -> None:
        super().__init__(columns)
        self._session = session
        self.links: NDArray[np.intp] = NO_LINKS
        """The links in the table, in the order of the columns' values, whatever the order on screen."""
        self.setMouseTracking(True)
        self.entered.connect(self._on_entered)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def show_links(self, links: NDArray[np.intp], columns: Sequence[Column]) -> None:
        """Show other links, with the columns that say what they carry."""
        self.links = links
        self.set_columns(columns)

    def show_selection(self, item: Item | None) -> None:
        """Mark the row of the chosen link, if it is in the table."""
        wanted = item.index if item is not None and item.kind == "link" else -1
        rows = np.flatnonzero(self.links == wanted)
        if not rows.size:
            self.clearSelection()
            return
        index = self.view_index(int(rows[0]))
        chosen = self.selectionModel().selectedRows()
        if not chosen or chosen[0].row() != index.row():
            self.setCurrentIndex(index)

    def item_at(self, at: QPoint) -> Item | None:
        """Return the link at a point of the viewport."""
        index = self.indexAt(at)
        return self._link_at(index) if index.isValid() else None

    def viewportEvent(self, event: QEvent) -> bool:
        """Point at nothing once the pointer has left the rows."""
        if event.type() == QEvent.Type.Leave:
            self._session.hover(None)
        return super().viewportEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Point at nothing once the rows have been taken away from under the pointer."""
        super().hideEvent(event)
        self._session.hover(None)

    def _link_at(self, index: QModelIndex) -> Item:
        return Item("link", int(self.links[self.source_row(index)]))

    def _on_entered(self, index: QModelIndex) -> None:
        self._session.hover(self._link_at(index))

    def _on_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if selected.indexes():
            # Also a row marked because of the session: there it is chosen already, and nothing changes.
            self._session.select(self._link_at(selected.indexes()[0]))
