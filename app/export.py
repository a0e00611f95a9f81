"""Pictures of views, as PNG or SVG, drawn by the views' own painters."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.theme import Theme
from core.spec import SpecError

Paint = Callable[[QPainter, QRectF], None]
ENDINGS = (".png", ".svg")


def save_picture(path: Path, size: tuple[int, int], theme: Theme, paint: Paint, *, scale: float = 1.0) -> None:
    """Write what `paint` draws into a picture of `size` logical pixels; PNG has `scale` pixels for each.

    Raises SpecError: if the ending is neither .png nor .svg, or the file cannot be written.
    """
    writers = {".png": _save_png, ".svg": _save_svg}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise SpecError("--out", f"{path.name!r} has none of the endings {', '.join(ENDINGS)}")
    if not path.parent.is_dir() or not writer(path, QSize(*size), theme, paint, scale):
        raise SpecError("--out", f"{str(path)!r} cannot be written")


def _save_png(path: Path, size: QSize, theme: Theme, paint: Paint, scale: float) -> bool:
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    _draw(painter, size, paint)
    return bool(image.save(str(path)))


def _save_svg(path: Path, size: QSize, theme: Theme, paint: Paint, scale: float) -> bool:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle("Fabriscope")
    painter = QPainter()
    if not painter.begin(generator):
        return False
    painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(theme.panel))
    _draw(painter, size, paint)
    return path.is_file()


def _draw(painter: QPainter, size: QSize, paint: Paint) -> None:
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter, QRectF(0, 0, size.width(), size.height()))
    finally:
        painter.end()
