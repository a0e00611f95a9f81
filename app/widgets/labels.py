"""Labels and links in the roles known to the style sheet, and labels that shorten their text."""

from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolTip, QWidget

from app.widgets.painting import painter_on
from app.wording.shortened import SEPARATORS, shortened

RATE, UNBROKEN_RATE = " GB/s", "\N{NO-BREAK SPACE}GB/\N{WORD JOINER}s"
"""A unit, and the same with characters at which no line breaks."""
MIN_TEXT_PX = 56
"""Minimum width of an elided text that is shown at all."""
AnyWidget = TypeVar("AnyWidget", bound=QWidget)


def with_role(widget: AnyWidget, role: str) -> AnyWidget:
    """Return a new widget, in a role of the style sheet."""
    widget.setProperty("role", role)
    return widget


def set_role(widget: QWidget, role: str) -> None:
    """Change the role of a visible widget."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().polish(widget)


def label(role: str, text: str = "") -> QLabel:
    """Return a label in a role."""
    return with_role(QLabel(text), role)


class WrappedLabel(QLabel):
    """A label for sentences: its lines break between words, but not before or inside GB/s."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setWordWrap(True)  # after the size policy, to which it adds height-for-width

    def setText(self, text: str) -> None:
        """Show a text."""
        super().setText(text.replace(RATE, UNBROKEN_RATE))

    def text(self) -> str:
        """Return the text shown."""
        return super().text().replace(UNBROKEN_RATE, RATE)


def message_label(role: str) -> QLabel:
    """Return a hidden label for sentences."""
    message = with_role(WrappedLabel(), role)
    message.setTextFormat(Qt.TextFormat.PlainText)
    message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    message.hide()
    return message


def say(label: QLabel, text: str) -> None:
    """Show a sentence; an empty one hides the label."""
    label.setText(text)
    label.setVisible(bool(text))


def link(text: str, tip: str = "") -> QPushButton:
    """Return a button that looks like a link."""
    button = with_role(QPushButton(text), "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setToolTip(tip)
    return button


class ElidedLabel(QLabel):
    """A label that elides its text."""

    def minimumSizeHint(self) -> QSize:
        """Return no minimum width, so that the label never widens the window."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the shown text."""
        with painter_on(self) as painter:
            painter.drawText(self.contentsRect(), self.alignment(), self.shown)

    @property
    def tip(self) -> str:
        """Return the tool tip, or without one the full text if it is elided."""
        return self.toolTip() or (self.text() if self.shown != self.text() else "")

    def event(self, event: QEvent) -> bool:
        """Show the tool tip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip, self)
            return True
        return super().event(event)

    @property
    def room(self) -> int:
        """Return the width of the text, without the padding that the style sheet puts around it."""
        return self.contentsRect().width()

    @property
    def shown(self) -> str:
        """Return the text, elided if needed; empty if that would leave only a letter or two."""
        return self.elided(self.text())

    def elided(self, text: str) -> str:
        """Return a text elided to the width."""
        metrics, room = QFontMetrics(self.font()), self.room
        if room < min(MIN_TEXT_PX, metrics.horizontalAdvance(text)):
            return ""
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)


class PartsLabel(ElidedLabel):
    """A label that first omits the last parts of its text: parts after `` · ``, then after a comma or colon."""

    def __init__(self, text: str = "", separators: tuple[str, ...] = SEPARATORS) -> None:
        super().__init__(text)
        self._separators = separators

    @property
    def shown(self) -> str:
        """Return as many parts as fit; the first part elided if needed."""
        advance = QFontMetrics(self.font()).horizontalAdvance
        return self.elided(shortened(self.text(), advance, self.room, self._separators))


class WholePartsLabel(PartsLabel):
    """A label that shows only whole parts of its text, possibly none; the tool tip has the full text."""

    def elided(self, text: str) -> str:
        """Return the text if it fits."""
        return text if QFontMetrics(self.font()).horizontalAdvance(text) <= self.room else ""
