"""Icons of one colour, drawn in that of the theme."""

from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.style.theme import ICONS, Theme

SIDE = 18
"""Pixels of a side, at the desktop's size of type; so does the style sheet have it."""
SHARPNESS = 3
"""Pixels drawn for each, so that screens of high resolution show it sharp."""
INK = "currentColor"


def icon(name: str, theme: Theme) -> QIcon:
    """Return an icon of ``resources/icons`` for a theme: with a look of its own while checked or disabled."""
    drawing = (Path(ICONS) / f"{name}.svg").read_text(encoding="utf-8")
    faint = QColor(theme.dim)
    faint.setAlpha(110)
    looks = (
        (QColor(theme.text), QIcon.Mode.Normal, QIcon.State.Off),
        (QColor(theme.on_accent), QIcon.Mode.Normal, QIcon.State.On),
        (faint, QIcon.Mode.Disabled, QIcon.State.Off),
    )
    found = QIcon()
    for colour, mode, state in looks:
        found.addPixmap(_drawn(drawing, colour, theme.px(SIDE)), mode, state)
    return found


def _drawn(drawing: str, colour: QColor, side: int) -> QPixmap:
    pixmap = QPixmap(QSize(side, side) * SHARPNESS)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setOpacity(colour.alphaF())
    renderer = QSvgRenderer(drawing.replace(INK, colour.name()).encode())
    renderer.render(painter, QRectF(pixmap.rect()))
    painter.end()
    pixmap.setDevicePixelRatio(SHARPNESS)
    return pixmap
