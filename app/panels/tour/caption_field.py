"""A field for a caption: figures and scenes are completed after a brace, and errors underlined."""

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QStandardItem,
    QStandardItemModel,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QPlainTextEdit, QTextEdit, QTreeView

from app.style.palette import font_of
from app.style.theme import Theme
from app.tour.figures import Offer

TOKEN = re.compile(r"(?:([A-Za-z_]\w*)\.)?([\w.\[\]]*)$")
"""The name under the cursor: perhaps the id of a scene, and the beginning of a figure."""
LINES = 10
MAX_COLUMN_PX = 460
Offers = Callable[[str | None], Sequence[Offer]]
"""Maps the id of a scene (None for the scene itself) to the figures to complete; empty if the scene does not exist."""


class TextArea(QPlainTextEdit):
    """Several lines of text, at least its minimum height, and higher where there is room. Tab leaves it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)

    def sizeHint(self) -> QSize:
        """Return its minimum height: Qt's own is ten lines."""
        return QSize(super().sizeHint().width(), self.minimumHeight())


class CaptionField(TextArea):
    """Several lines of text with completion."""

    def __init__(self, offers: Offers) -> None:
        super().__init__()
        self._offers = offers
        self._model = QStandardItemModel(0, 3, self)
        self.popup = QTreeView()
        self.popup.setRootIsDecorated(False)
        self.popup.setHeaderHidden(True)
        self.popup.setAllColumnsShowFocus(True)
        self.popup.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.popup.setAccessibleName("Figures")
        self.completer = QCompleter(self._model, self)
        self.completer.setWidget(self)
        self.completer.setPopup(self.popup)
        self.completer.setMaxVisibleItems(LINES)
        self.completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer.activated.connect(self._insert)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme in the list of figures, which inherits no style sheet."""
        self.popup.setStyleSheet(
            f"QTreeView {{ background: {theme.panel}; color: {theme.text}; border: 1px solid {theme.accent};"
            f" selection-background-color: {theme.selected}; selection-color: {theme.text}; outline: none; }}"
        )
        self.popup.setFont(font_of(theme))

    def underline(self, spans: Sequence[tuple[int, int]], colour: str) -> None:
        """Underline the erroneous parts."""
        form = QTextCharFormat()
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        form.setUnderlineColor(QColor(colour))
        selections = []
        for begin, end in spans:
            selection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = self.textCursor(), form
            selection.cursor.setPosition(begin)
            selection.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            selections.append(selection)
        self.setExtraSelections(selections)

    def renew_offers(self) -> None:
        """Show the values of figures that are known by now."""
        if self.popup.isVisible():
            self._complete()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Type; in an expression, offer figures."""
        chosen = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
        if self.popup.isVisible() and event.key() in chosen:
            event.ignore()  # for the completer
            return
        if event.text() == "}" and self.toPlainText()[self.textCursor().position() :].startswith("}"):
            self.moveCursor(QTextCursor.MoveOperation.Right)  # over the brace that a completion has added
            return
        super().keyPressEvent(event)
        if event.text() or self.popup.isVisible():
            self._complete()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Take completions."""
        self.completer.setWidget(self)
        super().focusInEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Leave Tab to the list of figures while it is open."""
        return not self.popup.isVisible() and super().focusNextPrevChild(forward)

    def _token(self) -> tuple[str | None, str] | None:
        # None outside expressions, and in their formats.
        before = self.toPlainText()[: self.textCursor().position()]
        inside = before[before.rfind("{") + 1 :] if "{" in before else "}"
        if "}" in inside or ":" in inside or "\n" in inside:
            return None
        match = TOKEN.search(inside)
        assert match is not None
        scene, name = match.groups()
        return (scene, name) if scene is None or self._offers(scene) else (None, match[0])

    def _complete(self) -> None:
        token = self._token()
        offers = [] if token is None else self._offers(token[0])
        if token is None or not offers or any(offer.name == token[1] for offer in offers):
            self.popup.hide()
            return
        self._model.clear()
        for offer in offers:
            items = [QStandardItem(text) for text in (offer.name, offer.value, offer.meaning)]
            items[1].setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._model.appendRow(items)
        self.completer.setCompletionPrefix(token[1])
        if self.completer.completionCount() == 0:
            self.popup.hide()
            return
        self.popup.setCurrentIndex(self.completer.completionModel().index(0, 0))
        area = self.cursorRect()
        area.setWidth(self._fit_columns())
        self.completer.complete(area)

    def _fit_columns(self) -> int:
        for column in range(3):
            self.popup.resizeColumnToContents(column)
            self.popup.setColumnWidth(column, min(self.popup.columnWidth(column), MAX_COLUMN_PX))
        widths = sum(self.popup.columnWidth(column) for column in range(3))
        return widths + self.popup.verticalScrollBar().sizeHint().width() + 4

    def _insert(self, name: str) -> None:
        token, cursor = self._token(), self.textCursor()
        if token is None:
            return
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(token[1]))
        cursor.insertText(name)
        if name.endswith("."):
            self.setTextCursor(cursor)
            self._complete()
            return
        after = self.toPlainText()[cursor.position() :]
        if not re.match(r"[^{}\n]*\}", after):
            cursor.insertText("}")
            cursor.movePosition(QTextCursor.MoveOperation.Left)
        self.setTextCursor(cursor)
