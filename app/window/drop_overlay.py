"""The overlay of a window while files are dragged over it: places where they can be dropped, or why they cannot."""

from collections.abc import Mapping
from html import escape

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QTextDocument,
)
from PySide6.QtWidgets import QWidget

from app.style.theme import Theme
from app.widgets.painting import painter_on

VEIL, LIT, NEAR = 0.55, 0.14, 0.3
"""Opacities: of the veil over everything else, and of the colour over a place, without and with the pointer."""
OUTSET, PADDING, RADIUS = 3, 12, 8
LABEL_SCALE = 1.25
"""Size of labels relative to other text."""
MAX_WIDTH = 560
"""Maximum width of a refusal at scale 1."""


class DropOverlay(QWidget):
    """Covers the window; hidden unless files are dragged.

    Drags pass through to the window. If the pointer moves over the overlay, the drag has ended without an event, as
    when the program that the files came from quits; then the overlay hides.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.places: Mapping[str, QRect] = {}
        """The highlighted places by name."""
        self._labels: Mapping[str, str] = {}
        self._theme: Theme | None = None
        self.near = ""
        """The place under the pointer, or empty."""
        self.refusal = ""
        self.hide()

    def show_places(self, places: Mapping[str, QRect], labels: Mapping[str, str], theme: Theme) -> None:
        """Highlight places, in the window's coordinates, with their labels."""
        self.places, self._labels, self._theme, self.refusal = dict(places), labels, theme, ""
        self._cover()

    def show_refusal(self, text: str, theme: Theme) -> None:
        """Show why the files cannot be dropped."""
        self.places, self.near, self._theme, self.refusal = {}, "", theme, text
        self._cover()

    def show_nothing(self) -> None:
        """Hide: no files are dragged."""
        self.places, self.near, self.refusal = {}, "", ""
        self.hide()

    def follow(self, point: QPoint) -> None:
        """Highlight the place under the pointer."""
        within = [name for name, area in self.places.items() if area.contains(point)]
        near = min(within, key=lambda name: self.places[name].width() * self.places[name].height(), default="")
        if near != self.near:
            self.near = near
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hide: the drag ended without an event."""
        self.show_nothing()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the veil, and the places or the refusal."""
        if self._theme is not None:
            with painter_on(self, smooth=True) as painter:
                self._paint(painter, self._theme)

    def _cover(self) -> None:
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()
        self.update()

    def _paint(self, painter: QPainter, theme: Theme) -> None:
        veil = QPainterPath()
        veil.addRect(QRectF(self.rect()))
        for area in self.places.values():
            veil = veil.subtracted(_rounded(area))
        painter.fillPath(veil, _faint(theme.window, VEIL))
        # Larger places first, so that smaller ones in them stay visible.
        for name in sorted(self.places, key=lambda name: -self.places[name].width() * self.places[name].height()):
            near = name == self.near
            painter.setPen(QPen(QColor(theme.accent), theme.px(3 if near else 2)))
            painter.setBrush(_faint(theme.accent, NEAR if near else LIT))
            painter.drawPath(_rounded(self.places[name]))
        for name, area in self.places.items():
            text = self._text(self._labels[name], "", area, theme)
            _paint_label(painter, area, text, (theme.accent, theme.on_accent, theme.accent))
        if self.refusal:
            title, _, reason = self.refusal.partition("\n")
            text = self._text(title, reason, self.rect(), theme)
            _paint_label(painter, self.rect(), text, (theme.panel, theme.text, theme.bad))

    def _text(self, title: str, reason: str, area: QRect, theme: Theme) -> QTextDocument:
        """Return a title, and the reason below it, within the width of an area."""
        text, font, padding = QTextDocument(), QFont(self.font()), theme.px(PADDING)
        font.setPointSizeF(font.pointSizeF() * LABEL_SCALE)
        text.setDefaultFont(font)
        text.setDocumentMargin(padding)
        lines = "".join(f"<br>{escape(line)}" for line in reason.splitlines())
        text.setHtml(f"<center><b>{escape(title)}</b>{lines}</center>")
        font.setBold(True)
        longest = max(map(QFontMetricsF(font).horizontalAdvance, title.split()))
        # A word is never broken, even if the label becomes wider than a small area.
        room = max(area.width() - 2 * padding, longest + 2 * padding + 1)
        text.setTextWidth(min(text.idealWidth(), room, theme.px(MAX_WIDTH)))
        return text


def _paint_label(painter: QPainter, area: QRect, text: QTextDocument, colours: tuple[str, str, str]) -> None:
    """Draw a text in the middle of an area, in the colours of its background, its letters and its border."""
    back, front, border = map(QColor, colours)
    place = QRect(QPoint(), text.size().toSize())
    place.moveCenter(area.center())
    painter.setPen(QPen(border, 2))
    painter.setBrush(back)
    painter.drawPath(_rounded(place, 0))
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = context.palette
    palette.setColor(QPalette.ColorRole.Text, front)
    context.palette = palette
    painter.translate(place.topLeft())
    text.documentLayout().draw(painter, context)
    painter.translate(-place.topLeft())


def _rounded(area: QRect, outset: int = OUTSET) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(area.adjusted(-outset, -outset, outset, outset)), RADIUS, RADIUS)
    return path


def _faint(colour: str, opacity: float) -> QColor:
    faint = QColor(colour)
    faint.setAlphaF(opacity)
    return faint
