"""A black or white screen over the stage."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.widgets.painting import painter_on

MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class BlankScreen(QWidget):
    """Covers its parent in one colour until any key is pressed, or the pointer is clicked."""

    changed = Signal(str)
    """The name of the colour; empty once the stage is visible again."""

    def __init__(self, stage: QWidget) -> None:
        super().__init__(stage)
        self._colour = QColor()
        self._held: QWidget | None = None
        """The widget that had the focus before."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Blank screen")
        self.hide()

    def cover(self, colour: str) -> None:
        """Cover the stage in a colour by name."""
        self._colour = QColor(colour)
        self._held = QApplication.focusWidget()
        self.place()
        self.raise_()
        self.show()
        self.setFocus()
        self.changed.emit(colour)

    def uncover(self) -> None:
        """Show the stage again."""
        if not self.isHidden():
            self.hide()
            (self._held or self.window()).setFocus()
            self.changed.emit("")

    def place(self) -> None:
        """Cover all of the stage."""
        stage = self.parentWidget()
        if stage is not None:
            self.setGeometry(stage.rect())

    def event(self, event: QEvent) -> bool:
        """Keep every key from the shortcuts of the stage."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Uncover the stage, unless a modifier alone was pressed."""
        if event.key() not in MODIFIERS:
            self.uncover()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Uncover the stage."""
        self.uncover()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill the screen."""
        with painter_on(self) as painter:
            painter.fillRect(event.rect(), self._colour)
