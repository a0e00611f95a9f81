"""The size of a window that is opened for the first time."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QStyle

USUAL = QSize(1600, 1000)
"""The size on a large screen."""
MIN_TITLE_PX = 40
"""Minimum height left for the title bar, whose height is not known before the window manager has drawn it."""


def first_size(screen: QScreen) -> QSize:
    """Return the size at which a window with its frame fits the screen, at most `USUAL`."""
    style = QApplication.style()
    border = style.pixelMetric(QStyle.PixelMetric.PM_DefaultFrameWidth) + 4
    title = max(style.pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight), MIN_TITLE_PX)
    room = screen.availableGeometry().size() - QSize(2 * border, title + border)
    return USUAL.boundedTo(room)
