"""The picture of a scene without OpenGL: drawn once, and reused under everything drawn above it."""

from dataclasses import replace

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.views.machine.picture import Picture, fading, paint_scene


class CachedScene:
    """Keeps the last picture of a scene, and redraws only if it would look different."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._pixmap = QPixmap()

    def pixmap(self, picture: Picture, size: QSize, zoom: float) -> QPixmap:
        """Return the scene on its background, for a widget of this size with `zoom` pixels per pixel of the scene."""
        state, ratio = picture.state, picture.painter.device().devicePixelRatio()
        looks = state.style, state.shading, fading(picture.scene, state)
        key = picture.scene, picture.camera, size, zoom, ratio, *looks
        if key != self._key:
            self._key, self._pixmap = key, QPixmap(size * ratio)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(QColor(picture.theme.panel))
            painter = QPainter(self._pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(zoom, zoom)
            paint_scene(replace(picture, painter=painter))
            painter.end()
        return self._pixmap
