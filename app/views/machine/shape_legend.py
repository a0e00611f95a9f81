"""The legend of mark shapes, above the legend, for machines with switches."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from app.views.drawing import VEIL, translucent
from app.views.legend import FONT_PX, legend_rect
from app.views.machine.picture import Picture

MARK_PX = 9
"""Width of the two marks."""
GAP_PX = 5
ROW_PX = 20
"""Height of a line above the legend."""
WORDS = ("node", "switch")


def kinds_rect(picture: Picture) -> QRectF:
    """Return where the marks of nodes and switches are explained above the legend; empty without switches."""
    network = picture.geometry.network
    if network.vertices == network.nodes:
        return QRectF()
    metrics, legend = picture.use_font(FONT_PX), legend_rect(picture.size)
    # Above the legend of faults.
    rows = 2.3 if picture.meaning else 1
    width = sum(MARK_PX + 3 * GAP_PX + metrics.horizontalAdvance(word) for word in WORDS)
    return QRectF(legend.left() - GAP_PX, legend.top() - rows * ROW_PX - 2, width, ROW_PX)


def paint_kinds(picture: Picture) -> None:
    """Write which marks are nodes and which are switches, if there are both."""
    painter, theme, area = picture.painter, picture.theme, kinds_rect(picture)
    if area.isEmpty():
        return
    painter.save()
    metrics, x, y = picture.use_font(FONT_PX), area.left() + GAP_PX, area.top()
    painter.fillRect(area, translucent(theme.panel, VEIL))
    painter.setBrush(QColor(theme.dim))
    for word, round_ in zip(WORDS, (0.0, MARK_PX / 2), strict=True):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(QRectF(x, y + (ROW_PX - MARK_PX) / 2, MARK_PX, MARK_PX), round_, round_)
        painter.setPen(QColor(theme.dim))
        painter.drawText(QPointF(x + MARK_PX + GAP_PX, y + ROW_PX / 2 + metrics.capHeight() / 2), word)
        x += MARK_PX + 3 * GAP_PX + metrics.horizontalAdvance(word)
    painter.restore()
