"""Work off the GUI thread where only the latest request counts."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.background.timer import timer
from app.background.worker import Worker
from core.spec import Cancelled, Progress, SpecError, no_progress

SHOW_AFTER = 0.3
"""Seconds after which the progress of a request is reported."""
REPORT_EVERY = 0.05
SLOW_MS = 500
"""Time after which a progress of 0 is reported for work that reports none."""
PROMPT_MS = 150
"""Time after which progress is reported for a `prompt` runner."""
GRACE_MS = 500
"""Time for a thread to stop outdated work before the next request gets its own thread."""
MAX_STUCK = 4
"""Maximum number of abandoned threads at a time, since each may hold much memory."""
Work = Callable[[Progress], Any]


def raise_error(error: Exception) -> None:
    """Raise an unexpected error, which is a bug in the program."""
    raise error


class Runner(QObject):
    """Runs one function at a time in a thread; a new request cancels the previous one, whose result is dropped.

    Results, errors and progress are delivered in the thread of the owner. With `sync`, the work runs there as well.
    Outdated work that does not stop, such as reading a file from an unresponsive drive, delays the next request only by
    `GRACE_MS`.

    Parameters
    ----------
    failed
        Called with errors of the types in `takes`; other errors are re-raised.
    progressed
        Called with the fraction done, from `SHOW_AFTER` on, and with 0 after `SLOW_MS` if the work has reported no
        progress.
    prompt
        Whether progress is already reported from `PROMPT_MS` on, for work that makes the results on screen outdated.
    in_turn
        Whether a request always waits until the previous one has stopped.
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
        prompt: bool = False,
        in_turn: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._done, self._failed, self._report = done, failed, progressed
        self._takes = takes
        self._sync, self._prompt, self._in_turn = sync, prompt, in_turn
        self._workers = [Worker(name)]
        """Threads that have not stopped yet, then the thread of the next request."""
        self._slow = timer(self, PROMPT_MS if prompt else SLOW_MS, single_shot=True)
        self._slow.timeout.connect(partial(progressed, 0.0))
        self._grace = timer(self, GRACE_MS, single_shot=True)
        self._grace.timeout.connect(self._replace_worker)
        self._call: Callable[[], None] = lambda: None
        """The work of the current request."""
        self._generations = count(1)
        self._current = 0
        self._pending: Future[Any] | None = None
        self._closed = False
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._on_progressed, Qt.ConnectionType.QueuedConnection)

    def request(self, work: Work) -> None:
        """Run `work` with a progress function that raises `Cancelled` once the request is outdated."""
        self.cancel()
        if self._closed:
            # A field that loses focus because the window closes may still send a request.
            return
        self._current = generation = next(self._generations)
        if self._sync:
            self._on_finished(generation, _outcome(work, no_progress))
        else:
            self._call = partial(self._run, generation, work, self._progress(generation))
            self._submit()
            self._slow.start()

    def _submit(self) -> None:
        self._pending = self._workers[-1].submit(self._call)
        if not self._in_turn:
            self._grace.start()

    def _replace_worker(self) -> None:
        # The request has not begun because its thread has not stopped the previous work.
        self._workers[:-1] = [worker for worker in self._workers[:-1] if worker.is_alive()]
        if self._pending is not None and len(self._workers) <= MAX_STUCK and self._pending.cancel():
            self._workers[-1].dismiss()
            self._workers.append(Worker(self._workers[-1].name))
            self._submit()

    def cancel(self) -> None:
        """Drop all running and waiting work."""
        self._current = 0
        self._call = lambda: None
        self._slow.stop()
        self._grace.stop()
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
        """Cancel all work and end the thread unless it hangs; later requests are ignored."""
        self.cancel()
        self._closed = True
        for worker in self._workers:
            worker.end()

    def _run(self, generation: int, work: Work, progress: Progress) -> None:
        self._finished.emit(generation, _outcome(work, progress))

    def _progress(self, generation: int) -> Progress:
        due = time.perf_counter() + (PROMPT_MS / 1000 if self._prompt else SHOW_AFTER)

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
        self.cancel()
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
            self._slow.stop()
            self._report(fraction)


def _outcome(work: Work, progress: Progress) -> tuple[Any, Exception | None]:
    # Errors of any kind go to the GUI thread, since only that thread can show them.
    try:
        return work(progress), None
    except Exception as error:
        return None, error
