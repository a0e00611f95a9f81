"""A tour as a PDF with one scene a page, as vector drawings."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QPageSize, QPainter, QPdfWriter

from app.session.scenes import SceneEvaluations
from app.stage.page import Pages
from app.storage.pictures import HINTS, PIXELS_PER_INCH, POINTS_PER_INCH
from app.style.theme import Theme
from core.spec import Progress, no_progress


def document(
    scenes: SceneEvaluations, path: Path | None, theme: Theme, size: tuple[int, int], progress: Progress = no_progress
) -> bytes:
    """Return a PDF of a tour with pages of `size` points; `path` is the tour's file.

    Raises Cancelled: when `progress` does.
    """
    tour, buffer = scenes.tour, QBuffer()
    pages = Pages(scenes, path, theme, size)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(PIXELS_PER_INCH)
    writer.setTitle(tour.title)
    writer.setCreator(scenes.source)
    writer.setPageSize(QPageSize(QSizeF(*size), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF())
    painter = QPainter(writer)
    try:
        painter.setRenderHints(HINTS)
        painter.scale(PIXELS_PER_INCH / POINTS_PER_INCH, PIXELS_PER_INCH / POINTS_PER_INCH)
        for number in range(len(tour.scenes)):
            progress(number / len(tour.scenes))
            if number:
                writer.newPage()
            pages.show(number)
            pages.paint(painter, QRectF(0, 0, *size))
    finally:
        painter.end()
        pages.close()
    return bytes(buffer.data().data())
