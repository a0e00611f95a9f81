"""A thread in which searches run, one after the other: each can be stopped, and still tells what it has found."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.model.search_run import Run
from core.optimise.request import OnResult, SearchResult
from core.spec import Cancelled

EVERY = 0.05
"""Seconds between two tellings, at least."""
Work = Callable[[OnResult], SearchResult]


class SearchThread(QObject):
    """Runs searches. What they tell arrives in the thread that made this; with `sync` all happens there, at once."""

    heard = Signal(object, object)
    """(Run, Found) ten times a second or more."""
    ended = Signal(object, object)
    """(Run, Found or the exception that ended it)."""

    def __init__(self, *, sync: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sync = sync
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._stop = threading.Event()
        self._closed = False
        self._heard, self._over = _Wire(self), _Wire(self)
        way = Qt.ConnectionType.DirectConnection if sync else Qt.ConnectionType.QueuedConnection
        self._heard.told.connect(self._on_told, way)
        self._over.told.connect(self._on_over, way)

    def begin(self, run: Run, work: Work) -> None:
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
        """Let the search end soon; its best is still told."""
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait for the thread to end; nothing is told any more."""
        self._closed = True
        self.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    @Slot(object, object)
    def _on_told(self, run: Run, found: SearchResult) -> None:
        # What was told before the end may arrive after it, when those who listened are gone.
        if not self._closed:
            self.heard.emit(run, found)

    @Slot(object, object)
    def _on_over(self, run: Run, outcome: SearchResult | Exception) -> None:
        if not self._closed:
            self.ended.emit(run, outcome)

    def _run(self, run: Run, work: Work, stop: threading.Event) -> None:
        try:
            outcome: SearchResult | Exception = work(self._listener(run, stop))
        except Exception as error:  # every error travels to the GUI thread, which alone can show it
            outcome = error
        self._over.told.emit(run, outcome)

    def _listener(self, run: Run, stop: threading.Event) -> OnResult:
        due = 0.0

        def listen(found: SearchResult) -> None:
            nonlocal due
            if stop.is_set():
                raise Cancelled
            now = time.perf_counter()
            if now >= due or self._sync:
                due = now + EVERY
                self._heard.told.emit(run, found)

        return listen


class _Wire(QObject):
    """Carries what a search tells from its thread."""

    told = Signal(object, object)
