"""Work off the GUI thread, where only the latest request counts."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from core.spec import Cancelled, Progress, SpecError, no_progress

SHOW_AFTER = 0.3
"""Seconds a request may take before its progress is reported."""
REPORT_EVERY = 0.05
Work = Callable[[Progress], Any]


def raise_error(error: Exception) -> None:
    """Raise an unexpected error: a bug in the program."""
    raise error


class Runner(QObject):
    """Runs one function at a time in a thread; a new request cancels the one before, whose result is dropped.

    Results, errors and progress are handed over in the thread of its owner; with `sync` the work runs there too.

    Parameters
    ----------
    failed
        Told an error that it `takes`; any other is a bug in the program, and raised.
    """

    _finished = Signal(int, object)
    _progressed = Signal(int, float)

    def __init__(
        self,
        name: str,
        done: Callable[[Any], object],
        failed: Callable[[Any], object] = raise_error,
        progressed: Callable[[float], object] = no_progress,
        *,
        takes: type[Exception] | tuple[type[Exception], ...] = SpecError,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._done, self._failed, self._report = done, failed, progressed
        self._takes = takes
        self._sync = sync
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._generations = count(1)
        self._current = 0
        self._pending: Future[Any] | None = None
        self._closed = False
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._on_progressed, Qt.ConnectionType.QueuedConnection)

    def request(self, work: Work) -> None:
        """Run `work`, handing it a progress function that raises `Cancelled` once the request is outdated."""
        self.cancel()
        if self._closed:
            # A field that loses the focus because the window closes may still send a request.
            return
        self._current = generation = next(self._generations)
        if self._sync:
            self._on_finished(generation, _outcome(work, no_progress))
        else:
            self._pending = self._pool.submit(self._run, generation, work, self._progress(generation))

    def cancel(self) -> None:
        """Drop whatever is running or waiting."""
        self._current = 0
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None

    @property
    def busy(self) -> bool:
        """Return whether a request is pending."""
        return self._current != 0

    def wait(self) -> None:
        """Block until the last request has run; its result is delivered later."""
        pending = self._pending
        if pending is not None and not pending.cancelled():
            pending.result()

    def close(self) -> None:
        """Cancel everything and end the thread; later requests are ignored."""
        self.cancel()
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, generation: int, work: Work, progress: Progress) -> None:
        self._finished.emit(generation, _outcome(work, progress))

    def _progress(self, generation: int) -> Progress:
        due = time.perf_counter() + SHOW_AFTER

        def progress(fraction: float) -> None:
            nonlocal due
            if generation != self._current:
                raise Cancelled
            now = time.perf_counter()
            if now >= due:
                due = now + REPORT_EVERY
                self._progressed.emit(generation, fraction)

        return progress

    @Slot(int, object)
    def _on_finished(self, generation: int, outcome: tuple[Any, Exception | None]) -> None:
        if generation != self._current:
            return
        self._current = 0
        result, error = outcome
        if error is None:
            self._done(result)
        elif isinstance(error, self._takes):
            self._failed(error)
        elif not isinstance(error, Cancelled):
            raise error

    @Slot(int, float)
    def _on_progressed(self, generation: int, fraction: float) -> None:
        if generation == self._current:
            self._report(fraction)


def _outcome(work: Work, progress: Progress) -> tuple[Any, Exception | None]:
    # Any error goes to the GUI thread, which alone can show it.
    try:
        return work(progress), None
    except Exception as error:
        return None, error
