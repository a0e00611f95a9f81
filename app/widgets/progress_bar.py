"""Progress bars that are painted with the rest of the window."""

import time

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QHideEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.background.timer import timer
from app.style.motion import moves
from app.style.theme import Theme
from app.widgets.painting import painter_on

RESOLUTION = 1000
THIN_PX = 3
STEP_MS = 80
"""Time between two frames of a moving chunk: with an OpenGL view each frame composes the entire window again."""
TURN_SECONDS = 1.6
"""Time in which a chunk moves from end to end."""
CHUNK = 0.3
"""Length of the chunk relative to the bar."""


class ProgressBar(QProgressBar):
    """A progress bar without text.

    `QProgressBar.setValue` repaints at once, which with an OpenGL view composes the entire window again.
    """

    def __init__(self, width: int) -> None:
        super().__init__(maximum=RESOLUTION, textVisible=False)
        self.setFixedWidth(width)

    def show_fraction(self, fraction: float) -> None:
        """Show the fraction done, 0 to 1, at the next repaint."""
        self.setUpdatesEnabled(False)
        self.setValue(round(fraction * RESOLUTION))
        self.setUpdatesEnabled(True)


class ActivityBar(QWidget):
    """A thin bar that shows the fraction done; while that is unknown, a chunk moves along it."""

    def __init__(self) -> None:
        super().__init__()
        self._fraction, self._begun = 0.0, 0.0
        self._colours = QColor(), QColor()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._steps = timer(self, STEP_MS)
        self._steps.timeout.connect(self.update)

    def show_fraction(self, fraction: float, theme: Theme) -> None:
        """Show the fraction done; 0 if unknown."""
        self._fraction, self._colours = fraction, (QColor(theme.border), QColor(theme.accent))
        self.setFixedHeight(theme.px(THIN_PX))
        self._follow()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        """Start the animation."""
        super().showEvent(event)
        self._begun = time.monotonic()
        self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the animation."""
        super().hideEvent(event)
        self._steps.stop()

    def _follow(self) -> None:
        if self._fraction or not self.isVisible() or not moves():
            self._steps.stop()
        elif not self._steps.isActive():
            self._steps.start()

    @property
    def chunk(self) -> tuple[float, float]:
        """Return the ends of the filled part, as fractions of the width; with reduced motion a chunk in the middle."""
        if self._fraction:
            return 0.0, self._fraction
        turns = (time.monotonic() - self._begun) / TURN_SECONDS if moves() else 0.5
        start = (1 + CHUNK) * (turns % 1.0) - CHUNK
        return max(start, 0.0), min(start + CHUNK, 1.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        groove, filled = self._colours
        start, end = (share * self.width() for share in self.chunk)
        with painter_on(self) as painter:
            painter.fillRect(self.rect(), groove)
            painter.fillRect(QRectF(start, 0, end - start, self.height()), filled)
