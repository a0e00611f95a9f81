"""Monochrome icons, drawn in the theme's colour."""

from functools import lru_cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.style.theme import ICONS, Theme

SIDE = 18
"""Size of an icon at scale 1, the same as in the style sheet."""
SHARPNESS = 3
"""Rendered pixels per logical pixel, so that icons are sharp on screens of high resolution."""


def icon(name: str, theme: Theme) -> QIcon:
    """Return an icon of ``resources/icons`` for a theme, with variants for checked and disabled."""
    drawing = _drawn(name, theme.px(SIDE))
    faint = QColor(theme.dim)
    faint.setAlpha(110)
    looks = (
        (QColor(theme.text), QIcon.Mode.Normal, QIcon.State.Off),
        (QColor(theme.on_accent), QIcon.Mode.Normal, QIcon.State.On),
        (faint, QIcon.Mode.Disabled, QIcon.State.Off),
    )
    themed = QIcon()
    for colour, mode, state in looks:
        themed.addPixmap(_coloured(drawing, colour), mode, state)
    return themed


@lru_cache(maxsize=64)
def _drawn(name: str, side: int) -> QImage:
    # An image, unlike a pixmap, may outlive the application.
    image = QImage(QSize(side, side) * SHARPNESS, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(f"{ICONS}/{name}.svg").render(painter, QRectF(image.rect()))
    painter.end()
    return image


def _coloured(drawing: QImage, colour: QColor) -> QPixmap:
    """Return a drawing in another colour."""
    pixmap = QPixmap.fromImage(drawing.copy())  # the pixels would be shared
    painter = QPainter(pixmap)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), colour)
    painter.end()
    pixmap.setDevicePixelRatio(SHARPNESS)
    return pixmap
