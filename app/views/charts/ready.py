"""Import pyqtgraph in a thread, after the first frame of the window: it takes a quarter of a second."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QObject, QTimer

from app.style.motion import FRAME_MS

KIT = "app.views.charts.kit.chart"
"""What charts are made with; its import brings pyqtgraph."""


class _Import(Thread):
    """The import of the kit, in the background."""

    def __init__(self) -> None:
        super().__init__(name="charts", daemon=True)
        self.start()

    def run(self) -> None:
        """Import it; an error is raised again where the kit is used."""
        with suppress(Exception):
            import_module(KIT)


_running: _Import | None = None


def is_ready() -> bool:
    """Return whether charts can be made without waiting for the import."""
    return KIT in sys.modules and (_running is None or not _running.is_alive())


def when_ready(context: QObject, then: Callable[[], None]) -> None:
    """Call `then` in this thread as soon as the kit is imported: at once if it is; never if `context` is deleted."""
    global _running
    if _running is None and KIT not in sys.modules:
        _running = _Import()
    if _running is not None and _running.is_alive():
        QTimer.singleShot(FRAME_MS, context, partial(when_ready, context, then))
        return
    then()
