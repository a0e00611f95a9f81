"""A read-only table over arrays, sorted by a click on a column's head."""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    QSortFilterProxyModel,
    Qt,
)  # fmt: skip
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)  # fmt: skip

from app.widgets.menu_parts import copy_rows

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
MAX_MEASURED = 60
"""Maximum number of texts, the longest ones, measured to find the width of a column."""
PAD, LINE_PX = 4, 14
"""Pixels on either side of the text of a column, for a line height of `LINE_PX`."""
ROOM_PX = 14
"""Additional pixels between two columns of a wide table."""
WIDE = 2
"""Multiples of its minimum width beyond which an eliding column may need less."""
NARROW_PX = 225
"""A table narrower than this, at scale 1, leaves spare columns out, and so does one whose texts do not fit."""
SORT_MARK = 12
WORD = re.compile(r"^[a-z]{2,}(?![^ ,])")
"""Matches a word at the start of a head, but not a symbol such as t."""
SORT_ROLE = Qt.ItemDataRole.UserRole
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Column:
    """One column: its head, the values to sort by, how a value is written."""

    title: str
    tip: str
    values: Sequence[Any]
    write: Callable[[Any], str]
    number: bool = True
    """Whether it is right-aligned."""
    elides: bool = False
    """Whether it gets the remaining width and is elided; numbers never are."""
    spare: bool = False
    """Whether a narrow table leaves it out."""
    explain: Callable[[Any], str] | None = None
    """Returns the tool tip of a value; by default the text, if it may be elided."""


class ArrayTableModel(QAbstractTableModel):
    """A table model over columns of equal length."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other values."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self.endResetModel()

    def renew(self, columns: Sequence[Column]) -> bool:
        """Show other values in the same rows and columns; return False, and do nothing, if these differ."""
        if [column.title for column in columns] != [column.title for column in self.columns]:
            return False
        if not columns or len(columns[0].values) != self.rowCount():
            return False
        self.columns = tuple(columns)
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(columns) - 1))
        return True

    def grow(self, columns: Sequence[Column]) -> None:
        """Append rows; existing rows must be unchanged."""
        if len(columns[0].values) > self.rowCount():
            self.beginInsertRows(NO_PARENT, self.rowCount(), len(columns[0].values) - 1)
            self.columns = tuple(columns)
            self.endInsertRows()

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() or not self.columns else len(self.columns[0].values)

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, its value for sorting, or its alignment."""
        if not index.isValid():
            return None
        column = self.columns[index.column()]
        value = column.values[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole and column.explain is not None:
            return column.explain(value)
        if role == Qt.ItemDataRole.DisplayRole or (role == Qt.ItemDataRole.ToolTipRole and column.elides):
            return column.write(value)
        if role == SORT_ROLE:
            return value
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.number else LEFT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title, in sentence case, its tool tip and alignment."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        values = {
            Qt.ItemDataRole.DisplayRole: WORD.sub(lambda word: word[0].capitalize(), column.title),
            Qt.ItemDataRole.ToolTipRole: column.tip,
            Qt.ItemDataRole.TextAlignmentRole: RIGHT if column.number else LEFT,
        }
        return values.get(Qt.ItemDataRole(role))


class RowTable(QTableView):
    """A table with whole-row selection, rows as high as their type, and column widths set by itself."""

    letters: ClassVar[int] = 3
    """Minimum number of visible letters of an elided column; with less room the table scrolls sideways."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[int, int | None] = (0, None)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(1)  # the header's font changes after the table's
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(20)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._fit_rows()

    def menu_spot(self) -> QPoint:
        """Return the middle of the current row."""
        return self.viewport().mapTo(self, self.visualRect(self.currentIndex()).center())

    def fill_menu(self, menu: QMenu, at: QPoint) -> None:
        """Offer to copy the row at a point, or the table, with the head."""
        row, rows = self.indexAt(self.viewport().mapFrom(self, at)).row(), self.model().rowCount()
        menu.addAction("Copy row", lambda: copy_rows(self.texts([row]))).setEnabled(row >= 0)
        menu.addAction("Copy table", lambda: copy_rows(self.texts(range(rows)))).setEnabled(rows > 0)

    def texts(self, rows: Iterable[int]) -> list[list[str]]:
        """Return the texts of the head and of some rows, as sorted on screen."""
        model = self.model()
        columns = range(model.columnCount())
        head = [str(model.headerData(column, Qt.Orientation.Horizontal) or "") for column in columns]
        return [head, *([str(model.index(row, column).data() or "") for column in columns] for row in rows)]

    def height_of(self, rows: int) -> int:
        """Return the height that shows `rows` rows."""
        return self.horizontalHeader().sizeHint().height() + rows * self.verticalHeader().defaultSectionSize() + 2

    @property
    def usual_width(self) -> int:
        """Return its width divided by the type scale."""
        return round(self.width() * LINE_PX / self.fontMetrics().height())

    @property
    def beside(self) -> int:
        """Return the padding of a column, which grows with the type."""
        return round(2 * PAD * self.fontMetrics().height() / LINE_PX)

    def keep_room(self, least: int, most: int | None = None) -> None:
        """Keep the height between `least` and `most` rows."""
        self._rows = least, most
        self.setMinimumHeight(self.height_of(least) if least else 0)
        if most is not None:
            self.setMaximumHeight(self.height_of(most))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return a hint with the height of the maximum number of rows."""
        wanted = super().sizeHint()
        return wanted if self._rows[1] is None else QSize(wanted.width(), self.height_of(self._rows[1]))

    def changeEvent(self, event: QEvent) -> None:
        """Fit rows and columns to another type size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()
            self._fit_columns()
            self.keep_room(*self._rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns again."""
        super().resizeEvent(event)
        self._fit_columns()

    @abstractmethod
    def _fit_columns(self) -> None:
        """Distribute the width over the columns."""

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)


class CellDelegate(QStyledItemDelegate):
    """Draws a cell's text: faster than Qt's delegate, which queries the model ten times for each cell."""

    def __init__(self, table: "ArrayTable") -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell over the background of its row."""
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            self._table.style().drawPrimitive(
                QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, self._table
            )
        column = self._table.source.columns[index.column()]
        text = column.write(column.values[self._table.source_row(index)])
        room = option.rect.adjusted(PAD - 1, 0, 1 - PAD, 0)
        if column.elides:
            text = option.fontMetrics.elidedText(text, self._table.textElideMode(), room.width())
        painter.drawText(room, RIGHT if column.number else LEFT, text)


class ArrayTable(RowTable):
    """Shows the model, sortable by the user, with whole-row selection."""

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        super().__init__()
        self.source = ArrayTableModel(columns, self)
        self.sorted = QSortFilterProxyModel(self)
        self.sorted.setSortRole(SORT_ROLE)
        self.sorted.setSourceModel(self.source)
        self.setModel(self.sorted)
        self.setItemDelegate(CellDelegate(self))
        head = self.horizontalHeader()
        head.sortIndicatorChanged.connect(self._fit_columns)
        # -1 is the order of the arrays, until a header is clicked.
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other values; the sort order is kept."""
        self.source.set_columns(columns)
        self._fit_columns()

    def renew_columns(self, columns: Sequence[Column]) -> None:
        """Show other values; with the same rows and columns, selection and scroll position are kept too."""
        if self.source.renew(columns):
            self._fit_columns()
        else:
            self.set_columns(columns)

    def source_row(self, index: Index) -> int:
        """Return the row of the arrays for a row on screen."""
        return self.sorted.mapToSource(index).row()

    def view_index(self, row: int) -> QModelIndex:
        """Return the index on screen of a row of the arrays."""
        return self.sorted.mapFromSource(self.source.index(row, 0))

    def _fit_columns(self) -> None:
        # Qt's own width includes a sort indicator for every column: too much for a narrow panel.
        columns = self.source.columns
        elided = sum(column.elides for column in columns)
        least = self.letters * self.fontMetrics().averageCharWidth() + self.beside
        texts_least = elided * least
        needs = [self._needed(index, column) for index, column in enumerate(columns)]
        narrow = self.usual_width < NARROW_PX or sum(needs) > self.viewport().width()
        for index, column in enumerate(columns):
            self.setColumnHidden(index, column.spare and narrow)
        fixed = [not column.elides and not self.isColumnHidden(index) for index, column in enumerate(columns)]
        widths = [needed if fixed[index] else 0 for index, needed in enumerate(needs)]
        room = self.viewport().width() - sum(widths)
        apart = 0
        if room > WIDE * texts_least:
            # Once there is room for the longest texts, numbers move apart.
            texts = max((needed for needed, column in zip(needs, columns, strict=True) if column.elides), default=0)
            apart = min(max(room - elided * texts, 0) // max(len(columns) - elided, 1), ROOM_PX)
            room -= apart * (len(columns) - elided)
        # Each column gets the width of its texts if all fit, or else an equal share.
        elided_px = sum(needed for needed, column in zip(needs, columns, strict=True) if column.elides)
        spare = room - elided_px
        for index, column in enumerate(columns):
            share = needs[index] + spare // elided if elided and 0 <= spare < elided_px else room // max(elided, 1)
            self.setColumnWidth(index, max(least, share) if column.elides else widths[index] + apart)

    def _needed(self, index: int, column: Column) -> int:
        head = self.horizontalHeader()
        mark = SORT_MARK if head.sortIndicatorSection() == index else 0
        texts = {column.write(value) for value in dict.fromkeys(column.values)}
        longest = sorted(texts, key=len)[-MAX_MEASURED:]
        width = max(map(self.fontMetrics().horizontalAdvance, longest), default=0)
        return max(width, head.fontMetrics().horizontalAdvance(column.title) + mark) + self.beside
