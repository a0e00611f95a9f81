"""Work off the GUI thread, where only the latest request counts."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from core.spec import Cancelled, Progress

SHOW_AFTER = 0.3
"""Seconds a request may take before its progress is told."""
TELL_EVERY = 0.05


class Runner(QObject):
    """Runs one function at a time in a thread; a new request cancels the one before, whose result is dropped."""

    done = Signal(object)
    failed = Signal(object)
    progressed = Signal(float)
    _finished = Signal(int, object)
    _moved = Signal(int, float)

    def __init__(self, name: str, *, sync: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sync = sync
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._generations = count(1)
        self._current = 0
        self._pending: Future[Any] | None = None
        self._closed = False
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._moved.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def request(self, work: Callable[[Progress], Any]) -> None:
        """Run `work`, handing it a progress function that raises `Cancelled` once the request is outdated."""
        self.cancel()
        if self._closed:
            # A field that loses the focus because the window closes may still have something to say.
            return
        self._current = generation = next(self._generations)
        if self._sync:
            self._deliver(generation, _outcome(work, lambda fraction: None))
            return
        progress = self._progress(generation)
        self._pending = self._pool.submit(self._run, generation, work, progress)

    def cancel(self) -> None:
        """Drop whatever is running or waiting."""
        self._current = 0
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None

    @property
    def busy(self) -> bool:
        """Return whether a request is not answered yet."""
        return self._current != 0

    def wait(self) -> None:
        """Block until the last request has run; its result still arrives by signal."""
        pending = self._pending
        if pending is not None and not pending.cancelled():
            pending.result()

    def close(self) -> None:
        """Cancel everything and end the thread; later requests are ignored."""
        self.cancel()
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, generation: int, work: Callable[[Progress], Any], progress: Progress) -> None:
        self._finished.emit(generation, _outcome(work, progress))

    def _progress(self, generation: int) -> Progress:
        next_tell = time.perf_counter() + SHOW_AFTER

        def progress(fraction: float) -> None:
            nonlocal next_tell
            if generation != self._current:
                raise Cancelled
            now = time.perf_counter()
            if now >= next_tell:
                next_tell = now + TELL_EVERY
                self._moved.emit(generation, fraction)

        return progress

    @Slot(int, object)
    def _deliver(self, generation: int, outcome: tuple[Any, Exception | None]) -> None:
        if generation != self._current:
            return
        self._current = 0
        result, error = outcome
        if error is None:
            self.done.emit(result)
        elif not isinstance(error, Cancelled):
            self.failed.emit(error)

    @Slot(int, float)
    def _tell(self, generation: int, fraction: float) -> None:
        if generation == self._current:
            self.progressed.emit(fraction)


def _outcome(work: Callable[[Progress], Any], progress: Progress) -> tuple[Any, Exception | None]:
    # Every error travels to the GUI thread, which alone can show it.
    try:
        return work(progress), None
    except Exception as error:
        return None, error
