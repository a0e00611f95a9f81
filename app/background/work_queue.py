"""A list of work items processed in sequence off the GUI thread, each reported when it is done."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal, SignalInstance

from app.background.latest_wins import Runner, Work
from core.spec import SpecError


class WorkList(QObject):
    """Processes a list of work items; a new list replaces the previous one."""

    done = Signal(object, object)
    """The (key, result) of an item."""
    refused = Signal(object, object)
    """The (key, SpecError) of an item that was refused; the other items continue."""
    progressed = Signal(float)
    """The fraction of the list that is done."""
    finished = Signal()
    """Emitted when every item of the list has been done or refused."""

    def __init__(self, name: str, *, sync: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[tuple[Any, Work]] = []
        self._key: Any = None
        self._total = 0
        self._list = 0
        """The number of the current list."""
        self._runner = Runner(
            name, partial(self._report, self.done), self._on_failed, self._on_progressed, sync=sync, parent=self
        )

    @property
    def busy(self) -> bool:
        """Return whether any item remains."""
        return self._runner.busy or bool(self._waiting)

    def start(self, works: Sequence[tuple[Any, Work]]) -> None:
        """Process pairs of a key, under which the item is reported, and its work; the previous list is dropped."""
        self.cancel()
        self._waiting, self._total = list(works), len(works)
        self._next()

    def cancel(self) -> None:
        """Drop all items."""
        self._list += 1
        self._waiting.clear()
        self._runner.cancel()

    def wait(self) -> None:
        """Block until the current item is done; its result is delivered later."""
        self._runner.wait()

    def close(self) -> None:
        """Drop all items and end the thread."""
        self.cancel()
        self._runner.close()

    def _next(self) -> None:
        if self._waiting:
            self._key, work = self._waiting.pop(0)
            self._runner.request(work)
        else:
            self.finished.emit()

    def _report(self, signal: SignalInstance, outcome: Any) -> None:
        number = self._list
        signal.emit(self._key, outcome)
        # A receiver may have started another list, or dropped this one.
        if number == self._list:
            self.progressed.emit(1 - len(self._waiting) / self._total)
            self._next()

    def _on_failed(self, error: SpecError) -> None:
        self._report(self.refused, error)

    def _on_progressed(self, fraction: float) -> None:
        self.progressed.emit((self._total - len(self._waiting) - 1 + fraction) / self._total)
