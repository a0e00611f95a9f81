"""Asks what the volumes of a traffic file count, if neither the file nor its format says so."""

from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QInputDialog, QWidget

from core.job.measure import MEASURES, Counted
from core.text import figure, plural

UNITS = tuple(MEASURES)
"""The units that are offered, bytes first."""
TITLE = "Unit of the volumes"


def ask_unit(parent: QWidget, name: str, volumes: NDArray[np.float64]) -> Counted | None:
    """Ask for the unit of the volumes in the file `name`, or None if the user cancels."""
    largest = f", the largest {figure(volumes.max())}" if volumes.size > 1 else f": {figure(volumes.max())}"
    text = f"{name} has {plural(volumes.size, 'volume')} without a unit{largest}.\nWhat do they count?"
    unit, accepted = QInputDialog.getItem(parent, TITLE, text, UNITS, 0, False)
    return cast(Counted, unit) if accepted else None
