"""Runs a study in a thread, which waits for its worker processes and emits rows in batches."""

import threading
import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.background.worker import Worker
from app.model.search_run import cores
from core.spec import SpecError
from core.sweep.results import Row
from core.sweep.run import run_study
from core.sweep.study import Study

MIN_BATCH_SECONDS = 0.2
"""Minimum time between two batches."""
END_SECONDS = 10.0
"""Maximum wait for its processes to end."""


class StudyRunner(QObject):
    """Runs one study at a time; signals are delivered in the owner's thread."""

    rows_came = Signal(object)
    """A list of rows, in the order in which their points finished."""
    workers_counted = Signal(int)
    """The number of working processes; on a cluster it may be 0."""
    ended = Signal(object)
    """The Summary of the run, or the SpecError that ended it."""
    _sent = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = Worker("study")
        self._stop = threading.Event()
        self._sent.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._closed = False
        self.busy = False

    def start(self, study: Study, out: Path, *, cluster: str | None = None, resume: bool = False) -> None:
        """Run a study, with its table written to the file `out`."""
        self._stop, self.busy = threading.Event(), True
        self._worker.submit(partial(self._run, study, out, cluster, resume, self._stop))

    def stop(self) -> None:
        """Stop it within about a second; finished rows are kept."""
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait until all rows are on disk, unless the thread hangs; no more signals follow."""
        self._closed = True
        self.stop()
        self._worker.end(END_SECONDS)

    def _run(self, study: Study, out: Path, cluster: str | None, resume: bool, stop: threading.Event) -> None:
        waiting: list[Row] = []
        due = 0.0

        def flush() -> None:
            nonlocal due
            now = time.monotonic()
            if waiting and now >= due:
                due = now + MIN_BATCH_SECONDS
                self._sent.emit(waiting.copy())
                waiting.clear()

        def add(row: Row) -> None:
            waiting.append(row)
            flush()

        def cancelled() -> bool:
            flush()
            return stop.is_set()

        try:
            outcome: object = run_study(
                study, out, workers=cores(), cluster=cluster, resume=resume, on_row=add, on_workers=self._sent.emit,
                cancelled=cancelled,
            )  # fmt: skip
        except SpecError as error:
            outcome = error
        except Exception as error:  # any error goes to the GUI thread, which alone can show it
            outcome = SpecError("study", f"{type(error).__name__}: {error}")
        self._sent.emit(waiting)
        self._sent.emit(outcome)

    @Slot(object)
    def _deliver(self, what: object) -> None:
        if self._closed:
            return
        if isinstance(what, list):
            self.rows_came.emit(what)
            return
        if isinstance(what, int):
            self.workers_counted.emit(what)
            return
        self.busy = False
        self.ended.emit(what)
