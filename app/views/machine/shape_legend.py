"""The legend of mark shapes, above the legend, for machines with switches."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from app.views.drawing import VEIL, translucent
from app.views.legend import FONT_PX, MARGIN_PX, above_legend
from app.views.machine.faults import meaning_rect
from app.views.machine.picture import Picture

MARK_PX = 9
"""Width of the two marks."""
GAP_PX = 5
ROW_PX = 20
"""Height of a line above the legend."""
WORDS = ("node", "switch")


def kinds_rect(picture: Picture) -> QRectF:
    """Return the rectangle of the legend of nodes and switches above the legend; empty without switches."""
    network = picture.geometry.network
    if network.vertices == network.nodes:
        return QRectF()
    metrics = picture.use_font(FONT_PX)
    width = sum(MARK_PX + 3 * GAP_PX + metrics.horizontalAdvance(word) for word in WORDS)
    return above_legend(picture.size, width, ROW_PX, meaning_rect(picture))


def paint_kinds(picture: Picture) -> None:
    """Write which marks are nodes and which are switches, if there are both."""
    painter, theme, area = picture.painter, picture.theme, kinds_rect(picture)
    if area.isEmpty():
        return
    painter.save()
    metrics, x, y = picture.use_font(FONT_PX), area.left() + MARGIN_PX, area.top()
    painter.fillRect(area, translucent(theme.panel, VEIL))
    painter.setBrush(QColor(theme.dim))
    for word, round_ in zip(WORDS, (0.0, MARK_PX / 2), strict=True):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(QRectF(x, y + (ROW_PX - MARK_PX) / 2, MARK_PX, MARK_PX), round_, round_)
        painter.setPen(QColor(theme.dim))
        painter.drawText(QPointF(x + MARK_PX + GAP_PX, y + ROW_PX / 2 + metrics.capHeight() / 2), word)
        x += MARK_PX + 3 * GAP_PX + metrics.horizontalAdvance(word)
    painter.restore()
