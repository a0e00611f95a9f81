"""Garbage is collected in the GUI thread, and in no other.

Python collects in whichever thread makes one object too many, and destroys there what it finds. Of Qt's objects that
is all whose class is written in Python (PySide hands only widgets of its own classes back to the GUI thread): windows
and timers die while the GUI thread lists, draws and times them. It meets them half destroyed, as a plain QObject where
there was a widget, receives timer events for objects that are gone, and sooner or later crashes.
"""

import gc

from PySide6.QtCore import QObject, QTimer

CHECK_MS = 100
"""Milliseconds between two looks whether a collection is due: what has piled up meanwhile is destroyed at once."""


class Collector(QObject):
    """From its making on, garbage is collected in its thread's event loop alone: as often as Python would, at most."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._due = QTimer(self, interval=CHECK_MS)
        self._due.timeout.connect(collect_due)
        self._due.start()


def collect_due() -> None:
    """Collect in this thread what Python would have collected since the last time, had it been let."""
    due = [generation for generation, most in enumerate(gc.get_threshold()) if gc.get_count()[generation] > most]
    if due:
        gc.collect(due[-1])
