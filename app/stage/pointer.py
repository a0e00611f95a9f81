"""A large mouse pointer for an audience: an arrow in a halo, instead of the tools' cursors."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QCursor, QPainter, QPen, QPixmap, QPolygonF

from app.style.theme import Theme

HALO_PX, ARROW_PX = 26, 15
"""Radius of the halo, and length of the arrow."""
ARROW = ((0, 0), (0, 1), (0.24, 0.78), (0.42, 1.16), (0.58, 1.09), (0.41, 0.72), (0.72, 0.72))
"""Outline of the arrow from its tip, in units of its length."""


def halo_cursor(theme: Theme, ratio: float) -> QCursor:
    """Return the pointer in a theme's colours, for a screen of that device pixel ratio."""
    radius, arrow = theme.px(HALO_PX), theme.px(ARROW_PX)
    picture = QPixmap(round(2 * radius * ratio), round(2 * radius * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    halo, middle = QColor(theme.accent), QPointF(radius, radius)
    halo.setAlpha(60)
    painter.setBrush(halo)
    painter.setPen(QPen(QColor(theme.accent), theme.px(2)))
    painter.drawEllipse(middle, radius - theme.px(2), radius - theme.px(2))
    painter.setBrush(QColor(theme.text))
    painter.setPen(QPen(QColor(theme.window), theme.px(1.5)))
    painter.drawPolygon(QPolygonF([QPointF(radius + arrow * x, radius + arrow * y) for x, y in ARROW]))
    painter.end()
    return QCursor(picture, radius, radius)
