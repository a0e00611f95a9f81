"""A progress bar that is painted with the rest of the window."""

from PySide6.QtWidgets import QProgressBar

RESOLUTION = 1000


class ProgressBar(QProgressBar):
    """A progress bar without text.

    `QProgressBar.setValue` repaints at once, which beside an OpenGL view means to compose the whole window again.
    """

    def __init__(self, width: int) -> None:
        super().__init__(maximum=RESOLUTION, textVisible=False)
        self.setFixedWidth(width)

    def show_fraction(self, fraction: float) -> None:
        """Show the fraction done, 0 to 1, at the next repaint."""
        self.setUpdatesEnabled(False)
        self.setValue(round(fraction * RESOLUTION))
        self.setUpdatesEnabled(True)
