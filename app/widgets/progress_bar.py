"""A progress bar that is painted together with everything else."""

from PySide6.QtWidgets import QProgressBar

RESOLUTION = 1000


class ProgressBar(QProgressBar):
    """Shows how much is done, without words.

    `QProgressBar.setValue` paints at once, and beside an OpenGL view that means to put the whole window together again.
    """

    def __init__(self, width: int) -> None:
        super().__init__(maximum=RESOLUTION, textVisible=False)
        self.setFixedWidth(width)

    def show_fraction(self, fraction: float) -> None:
        """Show how much is done, 0 to 1, when the window is painted next."""
        self.setUpdatesEnabled(False)
        self.setValue(round(fraction * RESOLUTION))
        self.setUpdatesEnabled(True)
