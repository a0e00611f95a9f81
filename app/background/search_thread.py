"""A thread that runs searches in sequence; a search that is stopped still reports its result."""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.background.worker import Worker
from core.optimise.request import OnResult, SearchResult
from core.spec import Cancelled, Progress

MIN_INTERVAL_SECONDS = 0.05
"""Minimum time between two results."""
Work = Callable[[OnResult, Progress], SearchResult]
"""Receives a function for results, and one for the progress of work before the first; both raise `Cancelled`."""


class SearchThread(QObject):
    """Runs searches, whose results arrive in the thread of the owner; with `sync`, searches run there as well.

    Parameters
    ----------
    prepared
        Called with the number of a run and the fraction done of its work before the search itself.
    received
        Called with the number of a run and its result so far, ten times a second or more.
    ended
        Called with the number of a run and its result, or the exception that ended it.
    """

    _sent = Signal(object, object, object)

    def __init__(
        self,
        prepared: Callable[[int, float], None],
        received: Callable[[int, SearchResult], None],
        ended: Callable[[int, SearchResult | Exception], None],
        *,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._prepared, self._received, self._ended, self._sync = prepared, received, ended, sync
        self._worker = Worker("search")
        self._stop = threading.Event()
        self._closed = False
        self._sent.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def begin(self, run: int, work: Work) -> None:
        """Start a search; one under way is stopped first."""
        self.stop()
        if self._closed:
            return
        self._stop = threading.Event()
        if self._sync:
            self._run(run, work, self._stop, self._deliver)
        else:
            self._worker.submit(partial(self._run, run, work, self._stop, self._sent.emit))

    def stop(self) -> None:
        """Stop the search soon; its best result is still delivered."""
        self._stop.set()

    def close(self) -> None:
        """Stop the search and wait for the thread to end unless it hangs; nothing more is delivered."""
        self._closed = True
        self.stop()
        self._worker.end()

    @Slot(object, object, object)
    def _deliver(self, receiver: Callable[[int, Any], None], run: int, outcome: Any) -> None:
        # Queued calls may arrive after `close`, when the receivers no longer exist.
        if not self._closed:
            receiver(run, outcome)

    def _run(self, run: int, work: Work, stop: threading.Event, send: Callable[..., None]) -> None:
        due = 0.0

        def tell(receiver: Callable[[int, Any], None], news: SearchResult | float, always: bool) -> None:
            nonlocal due
            if stop.is_set():
                raise Cancelled
            now = time.perf_counter()
            if now >= due or always:
                due = now + MIN_INTERVAL_SECONDS
                send(receiver, run, news)

        def listen(result: SearchResult) -> None:
            tell(self._received, result, self._sync)

        def prepare(fraction: float) -> None:
            tell(self._prepared, fraction, self._sync or fraction >= 1)

        try:
            outcome: SearchResult | Exception = work(listen, prepare)
        except Exception as error:  # only the GUI thread can show errors
            outcome = error
        send(self._ended, run, outcome)
