"""A field for a long text, such as a list of nodes, that wraps."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit

MAX_LINES = 4
"""Maximum number of lines before it scrolls."""
MARGIN = 1
"""Margin of the text, in pixels."""


class WrappedField(QPlainTextEdit):
    """A text field with the signals of a line edit: as high as its text, up to `MAX_LINES`.

    Enter ends editing; Shift+Enter, and pasted text, may begin another line, which separates entries as a comma does.
    """

    textEdited = Signal(str)
    editingFinished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(MARGIN)
        self._shown = ""
        """The text set by the program, or reported last."""
        self.textChanged.connect(self._on_self_text_changed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def text(self) -> str:
        """Return the text in one line, with commas between lines."""
        lines = self.toPlainText().splitlines()
        return lines[0] if len(lines) == 1 else ",".join(filter(None, (line.strip(" ,\t") for line in lines)))

    def setText(self, text: str) -> None:
        """Show a text from its beginning, without a signal."""
        self._shown = text
        self.setPlainText(text)

    def setCursorPosition(self, position: int) -> None:
        """Move the cursor."""
        cursor = self.textCursor()
        cursor.setPosition(position)
        self.setTextCursor(cursor)

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window if there is no typed text to undo; keep room for another size of type."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undoes, redoes = map(event.matches, (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo))
            document = self.document()
            if (undoes and not document.isUndoAvailable()) or (redoes and not document.isRedoAvailable()):
                event.ignore()
                return False
        handled = super().event(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
        return handled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End editing with Enter."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._finish()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End editing."""
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._finish()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap again."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        lines = round(self.document().size().height())
        height = min(max(lines, 1), MAX_LINES) * self.fontMetrics().lineSpacing() + 2 * MARGIN
        bar = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > MAX_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(bar)
        # Before it is laid out its viewport may be higher than itself.
        self.setFixedHeight(height + max(self.height() - self.viewport().height(), 0))

    def _finish(self) -> None:
        # From here on it is a step of the window's history.
        self.document().clearUndoRedoStacks()
        self.editingFinished.emit()

    def _on_self_text_changed(self) -> None:
        # Also emitted for new formats.
        if self.text() != self._shown:
            self._shown = self.text()
            self.textEdited.emit(self._shown)
