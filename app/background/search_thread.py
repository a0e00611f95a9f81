"""A thread in which searches run, one after the other: each can be stopped, and still tells what it has found."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.model.search_run import SearchRun
from core.optimise.request import OnResult, SearchResult
from core.spec import Cancelled

EVERY = 0.05
"""Seconds between two results, at least."""
Work = Callable[[OnResult], SearchResult]


class SearchThread(QObject):
    """Runs searches. Signals are emitted in the thread of its owner; `sync` runs the search there too."""

    received = Signal(object, object)
    """(SearchRun, SearchResult) ten times a second or more."""
    ended = Signal(object, object)
    """(SearchRun, SearchResult or the exception that ended it)."""

    def __init__(self, *, sync: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sync = sync
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._stop = threading.Event()
        self._closed = False
        self._results, self._ends = _Wire(self), _Wire(self)
        way = Qt.ConnectionType.DirectConnection if sync else Qt.ConnectionType.QueuedConnection
        self._results.sent.connect(self._on_result, way)
        self._ends.sent.connect(self._on_end, way)

    def begin(self, run: SearchRun, work: Work) -> None:
        """Search; one that is still under way is stopped first."""
        self.stop()
        if self._closed:
            return
        self._stop = threading.Event()
        if self._sync:
            self._run(run, work, self._stop)
        else:
            self._pool.submit(self._run, run, work, self._stop)

    def stop(self) -> None:
        """Let the search end soon; its best is still sent."""
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait for the thread to end; nothing is emitted any more."""
        self._closed = True
        self.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    @Slot(object, object)
    def _on_result(self, run: SearchRun, found: SearchResult) -> None:
        # A result sent before the end may arrive after it, when the receivers are gone.
        if not self._closed:
            self.received.emit(run, found)

    @Slot(object, object)
    def _on_end(self, run: SearchRun, outcome: SearchResult | Exception) -> None:
        if not self._closed:
            self.ended.emit(run, outcome)

    def _run(self, run: SearchRun, work: Work, stop: threading.Event) -> None:
        try:
            outcome: SearchResult | Exception = work(self._sender(run, stop))
        except Exception as error:  # every error travels to the GUI thread, which alone can show it
            outcome = error
        self._ends.sent.emit(run, outcome)

    def _sender(self, run: SearchRun, stop: threading.Event) -> OnResult:
        due = 0.0

        def listen(found: SearchResult) -> None:
            nonlocal due
            if stop.is_set():
                raise Cancelled
            now = time.perf_counter()
            if now >= due or self._sync:
                due = now + EVERY
                self._results.sent.emit(run, found)

        return listen


class _Wire(QObject):
    """Carries signals of a search out of its thread."""

    sent = Signal(object, object)
