"""Garbage collection in the GUI thread only.

Python collects and destroys garbage in any thread that crosses the threshold of allocations. This includes Qt objects
of classes written in Python, since PySide passes only widgets of its own classes back to the GUI thread. Windows and
timers would be destroyed while the GUI thread uses them. It would see half-destroyed objects, receive timer events for
deleted objects, and eventually crash.
"""

import gc

from PySide6.QtCore import QObject

from app.background.timer import timer

CHECK_MS = 100
"""Interval of checks for a due collection, short since all accumulated garbage is destroyed at once."""


class Collector(QObject):
    """Collects garbage in the event loop of its thread only, at most as often as Python would."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._due = timer(self, CHECK_MS)
        self._due.timeout.connect(collect_due)
        self._due.start()


def collect_due() -> None:
    """Collect the generations that are due by Python's thresholds, in this thread."""
    due = [generation for generation, limit in enumerate(gc.get_threshold()) if gc.get_count()[generation] > limit]
    if due:
        gc.collect(due[-1])
