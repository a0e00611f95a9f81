"""Runs a study. Workers compute points in batches, and results are rows on disk within seconds."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from core.files.atomic import shown
from core.spec import SpecError
from core.sweep.cluster import FIELD, cluster_of
from core.sweep.measures import SEARCH_STEPS
from core.sweep.points import Builder, point_row, rows_of
from core.sweep.results import CPU, Row
from core.sweep.study import Study
from core.sweep.table import ResultTable, open_table
from core.text import plural

BATCH, SECONDS = 64, 0.5
"""Maximum number of points in a batch, and seconds after which a worker returns finished and unfinished points."""
AHEAD = 2
"""Batches per worker, of which all except one wait."""
ARRIVAL_SECONDS = 10.0
"""Time limit for finished rows to arrive."""
TICK = 0.2
"""Seconds between checks for cancellation."""
SHORT_OF, MAX_NAMED = 0.5, 8
"""Fraction of a processor below which a search is reported, and the maximum number of such points listed."""


OnRow = Callable[[Row], None]


class Summary(msgspec.Struct, frozen=True):
    """Outcome of a run."""

    points: int
    done: int
    """Rows in the table, including failed points."""
    failed: int
    seconds: float
    """Duration of this run."""
    lost: int = 0
    """Points without figures, because their processes were killed."""
    notes: tuple[str, ...] = ()
    """Notes on killed processes, searches short of processor time, and figures that earlier rows lack."""


def ignore(progress: Row | int) -> None:
    """Ignore the argument (default callback)."""


def never() -> bool:
    """Do not cancel (default)."""
    return False


def run_study(
    study: Study,
    out: Path,
    *,
    workers: int,
    cluster: str | None = None,
    resume: bool = False,
    on_open: Callable[[int], None] = ignore,
    on_row: OnRow = ignore,
    on_workers: Callable[[int], None] = ignore,
    cancelled: Callable[[], bool] = never,
) -> Summary:
    """Compute the points that have no row in `out`; rows are on disk within seconds, even if the program is killed.

    Parameters
    ----------
    workers
        Number of local processes, or 0 for this process. If `cluster` is the address of a Dask scheduler, all its
        workers are used instead.
    resume
        Whether `out` may exist, with results of this study.
    on_open
        Called with the number of points that already have rows.
    on_row
        Called for every completed point. All callbacks run in the calling thread.
    on_workers
        Called with the number of workers whenever it changes; a cluster may have none at times.
    cancelled
        Polled several times a second; the run ends once it returns true.

    Raises SpecError: if the file or the cluster cannot be used. All rows are kept, also on KeyboardInterrupt. A table
    without rows is removed, so that the study can be started again unchanged.
    """
    begun = time.perf_counter()
    table = open_table(out, study, resume)
    on_open(len(table.done))
    pending = deque(number for number in range(len(study.points)) if number not in table.done)
    notes, lost = list[str](), 0
    try:
        if pending and not workers and cluster is None:
            compute_here(study, table, pending, on_row, cancelled)
        elif pending:
            with cluster_of(cluster, min(workers, len(pending))) as client:
                run = StudyRun(study, table, client, pending, on_row, on_workers)
                run.until(cancelled)
                notes, lost = run.notes(local=cluster is None), run.lost
    finally:
        table.close()
        if not table.done:
            out.unlink(missing_ok=True)
    if table.unrecorded:
        notes.append(f"rows of an earlier version lack {' and '.join(table.unrecorded)}")
    seconds = time.perf_counter() - begun
    return Summary(len(study.points), len(table.done), table.failed, seconds, lost, tuple(notes))


def compute_here(
    study: Study, table: ResultTable, pending: deque[int], on_row: OnRow = ignore,
    cancelled: Callable[[], bool] = never,
) -> None:  # fmt: skip
    """Compute the pending points in this process, until all are done, or cancelled."""
    builder = Builder()
    while pending and not cancelled():
        row = point_row(study, pending.popleft(), builder)
        table.add([row])
        on_row(row)


class StudyRun:
    """Batches being computed, and waiting points."""

    def __init__(
        self, study: Study, table: ResultTable, client: Any, pending: deque[int], on_row: OnRow = ignore,
        on_workers: Callable[[int], None] = ignore,
    ) -> None:  # fmt: skip
        self._study, self._table, self._client, self._on_row = study, table, client, on_row
        self._pending, self._on_workers = pending, on_workers
        self._workers = -1
        self._alone = deque[int]()
        """Points whose worker died; each is tried once more, in its own batch."""
        self._sent: dict[Any, list[int]] = {}
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._warm = False
        self._addresses: frozenset[str] = frozenset()
        self._ended_workers = 0
        self._slow: list[int] = []
        """Points whose search got less than half of a processor."""
        self.lost = 0
        """Points without figures, because their processes were killed."""

    def notes(self, *, local: bool) -> list[str]:
        """Return notes on the run. Workers of a cluster may leave at any time, but local workers only if killed."""
        notes = []
        if self._ended_workers and local:
            ended = plural(self._ended_workers, "worker")
            notes.append(f"{ended} killed, perhaps for lack of memory; lost points are computed again")
        if self._slow:
            named = ", ".join(map(str, sorted(self._slow)[:MAX_NAMED])) + (" …" if len(self._slow) > MAX_NAMED else "")
            notes.append(
                f"{plural(len(self._slow), 'search')} used less than half of a processor (points: {named}); compare "
                f"{SEARCH_STEPS}, or limit searches by steps instead of seconds"
            )
        return notes

    def until(self, cancelled: Callable[[], bool]) -> None:
        """Run until all points are done, or cancelled."""
        while (self._pending or self._alone or self._sent) and not cancelled():
            self._send()
            try:
                self._receive(self._ended.get(timeout=TICK))
            except Empty:
                continue

    def _send(self) -> None:
        # The first point is computed alone, so that the other points find compiled kernels on disk.
        workers = self._count()
        wanted = AHEAD * workers if self._warm else 1
        while len(self._sent) < wanted and (self._pending or self._alone):
            waiting = self._pending or self._alone
            count = min(BATCH, -(-len(waiting) // (AHEAD * workers))) if self._warm and self._pending else 1
            numbers = [waiting.popleft() for _ in range(count)]
            study = self._study
            future = self._client.submit(rows_of, study.content, study.folder, numbers, SECONDS, pure=False)
            self._sent[future] = numbers
            future.add_done_callback(self._ended.put)

    def _count(self) -> int:
        addresses = frozenset(self._client.scheduler_info(n_workers=-1)["workers"])
        self._ended_workers += len(self._addresses - addresses)
        self._addresses, count = addresses, len(addresses)
        if count != self._workers:
            self._workers = count
            self._on_workers(count)
        return count or 1

    def _receive(self, future: Any) -> None:
        from distributed import KilledWorker

        numbers = self._sent.pop(future)
        try:
            rows: list[Row] = future.result(timeout=ARRIVAL_SECONDS)
            self._pending.extendleft(reversed(numbers[len(rows) :]))
        except KilledWorker:
            rows = self._outlived(numbers)
        except TimeoutError:  # lost with their worker
            rows = []
            self._pending.extendleft(reversed(numbers))
        except CancelledError as error:
            raise SpecError(FIELD, "the connection to the scheduler was lost; use --resume to continue") from error
        except Exception as error:  # from a worker without this program, for example
            raise SpecError(FIELD, f"{type(error).__name__}: {shown(str(error))}; use --resume to continue") from error
        self._warm = True
        self._table.add(rows)
        for row in rows:
            self._note_slow(row)
            self._on_row(row)

    def _note_slow(self, row: Row) -> None:
        # Searches that used all their time.
        asked, cpu, seconds = self._study.file.optimise, row[CPU], row["seconds"]
        if asked is None or asked.seconds is None or cpu is None:
            return
        if seconds >= asked.seconds and cpu < SHORT_OF * seconds:
            self._slow.append(row["point"])

    def _outlived(self, numbers: list[int]) -> list[Row]:
        # Dask drops a task that killed several workers. Any point of the batch may be the cause.
        if len(numbers) > 1:
            self._alone.extend(numbers)
            return []
        self.lost += 1
        words = "its processes were killed, perhaps for lack of memory"
        return [_failed(self._study, numbers[0], words)]


def _failed(study: Study, number: int, words: str) -> Row:
    figures = dict.fromkeys(study.measures.paths)
    return {"point": number, **study.cells(number), **figures, CPU: None, "seconds": None, "error": words}
