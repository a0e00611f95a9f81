"""Pictures of views as PNG, SVG or PDF, drawn by the views' own painters."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QImageWriter, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from app.storage.svg import tidied
from app.style.theme import Theme
from core.files.atomic import check_place, write_atomically
from core.spec import SpecError

Paint = Callable[[QPainter, QRectF], None]
HINTS = QPainter.RenderHint.Antialiasing | QPainter.RenderHint.LosslessImageRendering
"""Render hints for drawings in files; lossless since PDF would store heat maps as JPEG, which changes their colours."""
PICTURES = "PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"
"""File types for the dialog."""
NAME = "Fabriscope"
POINTS_PER_INCH = 72
"""Points per inch; a page has one point per logical pixel."""
MAX_SHRINK = 6
"""Largest factor by which tidying reduces the size of an SVG."""
PIXELS_PER_INCH = 96
"""Resolution for text in SVG and PDF, so that text has the same proportions as on screen."""


def save_picture(
    path: Path,
    size: tuple[int, int],
    theme: Theme,
    paint: Paint,
    *,
    scale: float = 1.0,
    form: str | None = None,
    source: str = "",
) -> None:
    """Write a picture of `size` logical pixels, drawn by `paint`; a PNG has `scale` pixels per logical pixel.

    `form` is png, svg or pdf, by default taken from the ending. Standard output, pipes and devices get a PNG. `source`
    is recorded in the file (`core.files.digest.source_of`).

    Raises SpecError: if the ending is not in `KINDS`, or the file cannot be written.
    """
    if form is None:
        check_place(path, "--out", KINDS)
    ending = path.suffix.lower() if form is None else f".{form}"
    ending = ending if ending in KINDS else ".png"
    content = picture_content(ending, size, theme, paint, scale=scale, source=source)
    write_atomically(path, content, "--out", ending)


def picture_content(
    ending: str, size: tuple[int, int], theme: Theme, paint: Paint, *, scale: float = 1.0, source: str = ""
) -> bytes:
    """Return the content of a picture file, drawn by `paint`; `ending` is one of `KINDS`.

    Raises SpecError: if a picture of that size cannot be drawn.
    """
    content = _content(ending, size, theme, paint, scale, source)
    return tidied(content) if ending == ".svg" else content


def small_svg(size: tuple[int, int], theme: Theme, paint: Paint, limit: int) -> bytes | None:
    """Return an SVG of at most `limit` bytes, or None if it would be larger.

    Raises SpecError: if a picture of that size cannot be drawn.
    """
    content = _content(".svg", size, theme, paint)
    svg = tidied(content) if len(content) <= limit * MAX_SHRINK else content
    return svg if len(svg) <= limit else None


def _content(
    ending: str, size: tuple[int, int], theme: Theme, paint: Paint, scale: float = 1.0, source: str = ""
) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not KINDS[ending](buffer, QSize(*size), theme, paint, scale, source):
        raise SpecError("--out", f"a picture of {size[0]} x {size[1]} pixels cannot be drawn; choose a smaller size")
    return bytes(buffer.data().data())


def _draw_png(buffer: QBuffer, size: QSize, theme: Theme, paint: Paint, scale: float, source: str) -> bool:
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.setText("Software", source or NAME)
    return _drawn(image, size, theme, paint) and QImageWriter(buffer, QByteArray(b"png")).write(image)


def _draw_svg(buffer: QBuffer, size: QSize, theme: Theme, paint: Paint, scale: float, source: str) -> bool:
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(PIXELS_PER_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(NAME)
    generator.setDescription(source)
    return _drawn(generator, size, theme, paint)


def _draw_pdf(buffer: QBuffer, size: QSize, theme: Theme, paint: Paint, scale: float, source: str) -> bool:
    writer = QPdfWriter(buffer)
    writer.setResolution(PIXELS_PER_INCH)
    writer.setTitle(NAME)
    writer.setCreator(source or NAME)
    page = QPageSize(QSizeF(size), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    page_set = writer.setPageSize(page) and writer.setPageMargins(QMarginsF())
    return page_set and _drawn(writer, size, theme, paint, PIXELS_PER_INCH / POINTS_PER_INCH)


def _drawn(device: QPaintDevice, size: QSize, theme: Theme, paint: Paint, scale: float = 1.0) -> bool:
    """Draw on the theme's background, scaled by `scale`; return whether the device could be opened."""
    painter = QPainter()
    if not painter.begin(device):
        return False
    try:
        painter.scale(scale, scale)
        painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(theme.panel))
        painter.setRenderHints(HINTS)
        paint(painter, QRectF(0, 0, size.width(), size.height()))
    finally:
        painter.end()
    return True


KINDS = {".png": _draw_png, ".svg": _draw_svg, ".pdf": _draw_pdf}
"""The drawing function for each ending."""
