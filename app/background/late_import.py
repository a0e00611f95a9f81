"""Import a module in a thread, after the first frame of the window."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QObject, QTimer

from app.style.motion import FRAME_MS


class LateImport:
    """The slow import of a module, begun when the module is first needed."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._thread: Thread | None = None

    @property
    def is_done(self) -> bool:
        """Return whether the module can be used without waiting."""
        return self._module in sys.modules and not self._running

    def when_done(self, context: QObject, then: Callable[[], None]) -> None:
        """Call `then` in this thread once the module is imported, but never after `context` has been deleted."""
        if self._thread is None and self._module not in sys.modules:
            self._thread = Thread(target=self._import, name=self._module, daemon=True)
            self._thread.start()
        if self._running:
            QTimer.singleShot(FRAME_MS, context, partial(self.when_done, context, then))
        else:
            then()

    @property
    def _running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _import(self) -> None:
        # An error is raised again where the module is used.
        with suppress(Exception):
            import_module(self._module)
