"""Monochrome icons, drawn in the theme's colour."""

from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.style.theme import ICONS, Theme

SIDE = 18
"""Size of an icon at scale 1, the same as in the style sheet."""
SHARPNESS = 3
"""Rendered pixels per pixel, so that icons are sharp on screens of high resolution."""
INK = "currentColor"


def icon(name: str, theme: Theme) -> QIcon:
    """Return an icon of ``resources/icons`` for a theme, with variants for checked and disabled."""
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
