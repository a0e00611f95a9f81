"""A table of links that shares its selection with all views."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QPoint
from PySide6.QtGui import QHideEvent

from app.model.pointing import Item
from app.model.scenario_diff import is_edit
from app.session.session import Session
from app.widgets.array_table import ArrayTable, Column
from core.load.scenario import Scenario

NO_LINKS = np.zeros(0, np.intp)


class LinkTable(ArrayTable):
    """Selecting a row selects the link everywhere; a link selected elsewhere is highlighted here."""

    letters = 5

    def __init__(self, session: Session, columns: Sequence[Column] = ()) -> None:
        super().__init__(columns)
        self._session = session
        self.links: NDArray[np.intp] = NO_LINKS
        """The links in the order of the columns' values, regardless of sorting."""
        self._scenario: Scenario | None = None
        """The scenario of the loads shown."""
        self.setMouseTracking(True)
        self.entered.connect(self._on_entered)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def show_links(self, links: NDArray[np.intp], columns: Sequence[Column], scenario: Scenario | None = None) -> None:
        """Show other links, with columns of their loads.

        After an edit of the mapping a scrolled table keeps its top row; otherwise the hottest links are shown.
        """
        top, scrolled = self.indexAt(QPoint(0, 0)), self.verticalScrollBar().value() > 0
        stays = scrolled and top.isValid() and is_edit(self._scenario, scenario)
        kept = self._link_at(top).index if stays else -1
        self.links, self._scenario = links, scenario
        self.set_columns(columns)
        rows = np.flatnonzero(links == kept)
        if rows.size:
            self.scrollTo(self.view_index(int(rows[0])), self.ScrollHint.PositionAtTop)
        else:
            self.scrollToTop()

    def show_selection(self, item: Item | None) -> None:
        """Mark the row of the selected link, if it is in the table."""
        wanted = item.index if item is not None and item.kind == "link" else -1
        rows = np.flatnonzero(self.links == wanted)
        if not rows.size:
            self.clearSelection()
            return
        index = self.view_index(int(rows[0]))
        chosen = self.selectionModel().selectedRows()
        if not chosen or chosen[0].row() != index.row():
            self.setCurrentIndex(index)

    def menu_item(self, at: QPoint) -> Item | None:
        """Return the link at a point of the table."""
        return self.item_at(self.viewport().mapFrom(self, at))

    def item_at(self, at: QPoint) -> Item | None:
        """Return the link at a point of the viewport."""
        index = self.indexAt(at)
        return self._link_at(index) if index.isValid() else None

    def viewportEvent(self, event: QEvent) -> bool:
        """Clear the hover highlight once the pointer has left the rows."""
        if event.type() == QEvent.Type.Leave:
            self._session.hover(None)
        return super().viewportEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Clear the hover highlight once the table is hidden under the pointer."""
        super().hideEvent(event)
        self._session.hover(None)

    def _link_at(self, index: QModelIndex) -> Item:
        return Item("link", int(self.links[self.source_row(index)]))

    def _on_entered(self, index: QModelIndex) -> None:
        self._session.hover(self._link_at(index))

    def _on_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if selected.indexes():
            # Also runs for a row selected by `show_selection`: then nothing changes.
            self._session.select(self._link_at(selected.indexes()[0]))
