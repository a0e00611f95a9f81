"""Work for the GUI thread, such as drawing with widgets, in steps between which events are handled."""

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject

from app.background.timer import timer
from core.spec import SpecError

TICK_MS = 2
"""Milliseconds for events between two steps."""


class Steps(QObject):
    """Runs an iterator step by step to its end, and passes on the return value of a generator.

    Parameters
    ----------
    failed
        Called with errors of the types in `takes`; other errors are re-raised.
    sync
        Whether all steps run at once.
    """

    def __init__(
        self,
        failed: Callable[[Any], object],
        *,
        takes: type[Exception] = SpecError,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._failed, self._takes, self._sync = failed, takes, sync
        self._work: Iterator[None] | None = None
        self._done: Callable[[Any], object] = _nothing
        self._tick = timer(self, TICK_MS)
        self._tick.timeout.connect(self._on_tick)

    @property
    def busy(self) -> bool:
        """Return whether work remains."""
        return self._work is not None

    def run(self, work: Iterator[None], done: Callable[[Any], object]) -> None:
        """Run `work` instead of the current work, and call `done` with its result."""
        self.stop()
        self._work, self._done = work, done
        if not self._sync:
            self._tick.start()
        while self._sync and self.busy:
            self._on_tick()

    def stop(self) -> None:
        """Drop the remaining work."""
        self._tick.stop()
        self._work, self._done = None, _nothing

    def _on_tick(self) -> None:
        work, done = self._work, self._done
        if work is None:
            return
        try:
            next(work)
        except StopIteration as end:
            self.stop()
            done(end.value)
        except Exception as error:
            self.stop()
            if not isinstance(error, self._takes):
                raise
            self._failed(error)


def _nothing(result: object) -> None:
    """Do nothing with a result."""
