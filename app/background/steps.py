"""Work that only the GUI thread can do, such as drawing with widgets, in steps between which events are handled."""

from collections.abc import Callable, Generator
from typing import Any

from PySide6.QtCore import QObject

from app.background.timer import timer
from core.spec import SpecError

TICK_MS = 2
"""Milliseconds for events between two steps."""


class Steps(QObject):
    """Runs a generator up to its end, whose result it hands over; other work replaces it.

    Parameters
    ----------
    failed
        Called with a SpecError raised by the work.
    sync
        Whether all steps run at once.
    """

    def __init__(
        self, failed: Callable[[SpecError], object], *, sync: bool = False, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._failed, self._sync = failed, sync
        self._work: Generator[None, None, Any] | None = None
        self._done: Callable[[Any], object] = lambda result: None
        self._tick = timer(self, TICK_MS)
        self._tick.timeout.connect(self._on_tick)

    @property
    def busy(self) -> bool:
        """Return whether work is left."""
        return self._work is not None

    def run(self, work: Generator[None, None, Any], done: Callable[[Any], object]) -> None:
        """Run other work; `done` takes its result."""
        self.stop()
        self._work, self._done = work, done
        if not self._sync:
            self._tick.start()
        while self._sync and self.busy:
            self._on_tick()

    def stop(self) -> None:
        """Drop the work that is left."""
        self._tick.stop()
        self._work = None

    def _on_tick(self) -> None:
        work = self._work
        if work is None:
            return
        try:
            next(work)
        except StopIteration as end:
            self.stop()
            self._done(end.value)
        except SpecError as error:
            self.stop()
            self._failed(error)
        except Exception:
            # A bug: it is reported once.
            self.stop()
            raise
