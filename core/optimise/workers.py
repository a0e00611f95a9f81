"""Searches in separate processes, one per worker, which share the best mapping.

A worker is sent the scenario and the slots, and builds the case itself; it reports through a pipe ten times a second.
It can be killed at any moment, and ends with the process that started it.
"""

import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from math import inf, isnan, nan
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any, NamedTuple

import numpy as np

from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Scenario
from core.mapping.mapping import Slots
from core.mapping.simple import Sequential
from core.optimise.disconnection import Losses
from core.optimise.pacing import FIRST_STEPS, REPORT_INTERVAL, next_portion, over
from core.optimise.problem import Problem
from core.optimise.request import Checkpoint, OnResult, Request, SearchResult
from core.optimise.restart_statistics import RestartTally, spread_of
from core.optimise.search import Search
from core.optimise.tables import TIME
from core.processes import Worker, end_processes, start_process
from core.spec import Cancelled, SpecError

NONE_STARTED = (
    "no search process could start; a script with several workers must guard its main part with "
    "if __name__ == '__main__':, and each process needs memory for the case. workers=1 needs no other process"
)
POLL_INTERVAL = 0.03
"""Seconds to wait for reports before checking the clock."""


class SharedBest:
    """The best mapping of all workers, in shared memory: unlike with a pipe, writing never waits for a reader."""

    def __init__(self, slots: Slots) -> None:
        self._slots = RawArray("i", slots.size)
        self._edition = RawValue("q", 0)
        self.put(slots)

    def put(self, slots: Slots) -> None:
        """Write another mapping; the edition is odd during the write. Only one process writes."""
        self._edition.value += 1
        np.frombuffer(self._slots, np.int32)[:] = slots
        self._edition.value += 1

    def read(self, edition: int) -> tuple[Slots | None, int]:
        """Return the mapping and its edition, or None if already known, or being written."""
        before = self._edition.value
        slots = np.frombuffer(self._slots, np.int32).copy()
        if before % 2 or before == edition or self._edition.value != before:
            return None, edition
        return slots, before


class Task(NamedTuple):
    """Input of a worker."""

    scenario: Scenario
    shared: SharedBest
    request: Request
    rank: int
    after: Checkpoint | None


class WorkerReport(NamedTuple):
    """Output of a worker."""

    start: float
    lost: int
    """Loss of the best mapping."""
    best: float
    current: float
    slots: Slots | None
    """The best mapping, if it has changed since the last report."""
    steps: int
    checkpoint: tuple[int, int, int]
    """Draw, round and steps of its `Checkpoint`."""
    proven: bool
    tally: RestartTally
    ended: bool = False
    """Whether the worker has taken all of its steps."""


def search_in_processes(
    report: LoadReport, request: Request, on_result: OnResult, after: SearchResult | None
) -> SearchResult:
    """Search in processes; see `core.optimise.run.optimise`."""
    pool = WorkerPool(report, request, after)
    try:
        pool.run(on_result)
    except (Cancelled, KeyboardInterrupt):
        pass
    finally:
        pool.end()
    return pool.result(ended=True)


class CommonBest:
    """Results of all workers of a search, merged."""

    def __init__(self, report: LoadReport, request: Request, after: SearchResult | None) -> None:
        self._begun: float | None = None
        """Time when the first worker was ready."""
        start = report.time if request.objective.figure == TIME else nan
        lost = Losses(report.case).of(report.case.mapping.nodes)
        self.slots = np.array(report.case.mapping.slots if after is None else after.slots, np.int32)
        """(tasks,) the best mapping."""
        self._start, self._best = (start, start) if after is None else (after.start, after.best)
        self._start_lost, self._lost = (lost, lost) if after is None else (after.start_lost, after.lost)
        self._reports: dict[int, WorkerReport] = {}
        """The last report of each worker, by number."""

    @property
    def begun(self) -> bool:
        """Return whether a worker has been ready."""
        return self._begun is not None

    @property
    def seconds(self) -> float:
        """Return the seconds since the first worker was ready."""
        return time.perf_counter() - self._begun if self._begun is not None else 0.0

    @property
    def steps(self) -> int:
        """Return the number of mappings that all workers have evaluated."""
        return sum(report.steps for report in self._reports.values())

    def steps_by(self, worker: int) -> int:
        """Return the number of mappings that one worker has evaluated."""
        report = self._reports.get(worker)
        return report.steps if report is not None else 0

    @property
    def proven(self) -> bool:
        """Return whether the best mapping is proved optimal."""
        return any(report.proven for report in self._reports.values())

    def note(self, worker: int, report: WorkerReport) -> bool:
        """Add a worker's report; return whether it has the best mapping of all."""
        self._reports[worker] = report
        if self._begun is None:
            self._begun = time.perf_counter()
        if isnan(self._start):
            self._start = self._best = report.start
        if report.slots is None or (report.lost, report.best) >= (self._lost, self._best):
            return False
        self._lost, self._best, self.slots = report.lost, report.best, report.slots
        return True

    def result(self, ended: bool, gone: Collection[int]) -> SearchResult:
        """Return the merged result, given the workers that are gone."""
        reports = list(self._reports.values())
        working = [report.current for worker, report in self._reports.items() if worker not in gone]
        checkpoints = tuple(Checkpoint(self.slots, *report.checkpoint) for report in reports)
        spread = spread_of([report.tally for report in reports])
        figures = self._start, self._best, min(working, default=self._best)
        lost = self._start_lost, self._lost
        return SearchResult(
            self.slots, *figures, self.seconds, self.steps, ended, *lost, checkpoints, spread, len(gone)
        )  # fmt: skip


def scenario_sent(report: LoadReport) -> Scenario:
    """Return the scenario sent to workers: the mapping is sent separately."""
    return replace(report.case.scenario, mapping=Sequential(), snapshots=())


class WorkerPool:
    """All workers of one search."""

    def __init__(self, report: LoadReport, request: Request, after: SearchResult | None) -> None:
        self._request, self._best = request, CommonBest(report, request, after)
        sent: tuple[Checkpoint, ...] = after.checkpoint if after is not None else ()
        scenario = scenario_sent(report)
        self._shared = SharedBest(self._best.slots)
        self._tasks = [
            Task(scenario, self._shared, request, rank, sent[rank] if rank < len(sent) else None)
            for rank in range(request.workers)
        ]
        self._workers = [start_worker(self._tasks.pop(0))]
        self._ended: list[Worker] = []
        """Workers that have taken all of their steps, and wait for more."""
        self._owed = 0
        """Steps not taken by lost workers."""

    def run(self, on_result: OnResult) -> None:
        """Receive reports until the search is over or no worker is at work; raises errors of both sides.

        Raises SpecError: if no worker has started.
        """
        reported = -inf
        while not over(self._request, self._best.seconds, self._best.steps) and not self._best.proven:
            if not (working := self._working()):
                break
            ready = wait([worker.pipe for worker in working], POLL_INTERVAL)
            for worker in working:
                if worker.pipe in ready:
                    self._receive(worker)
            self._grant()
            if time.perf_counter() >= reported + REPORT_INTERVAL:
                reported = time.perf_counter()
                on_result(self.result())
        if not self._best.begun:
            raise SpecError("workers", NONE_STARTED)
        on_result(self.result(ended=True))

    def _working(self) -> list[Worker]:
        return [worker for worker in self._workers if not worker.gone and worker not in self._ended]

    def _receive(self, worker: Worker) -> None:
        try:
            report = worker.pipe.recv()
        except (EOFError, ConnectionError):
            # Its reports still count; the others continue, with its steps too.
            worker.gone = True
            number = self._workers.index(worker)
            self._owed += (self._request.steps_of(number) or 0) - self._best.steps_by(number)
            self._start_next()
            return
        if isinstance(report, Exception):
            raise report
        self._start_next()
        if report.ended:
            self._ended.append(worker)
        if self._best.note(self._workers.index(worker), report):
            self._shared.put(report.slots)

    def _grant(self) -> None:
        if self._owed and self._ended:
            with suppress(BrokenPipeError):
                self._ended.pop().pipe.send(self._owed)
            self._owed = 0

    def _start_next(self) -> None:
        if self._tasks:
            # One after the other: each finds the kernels on disk that the first has compiled.
            self._workers.append(start_worker(self._tasks.pop(0)))

    def result(self, ended: bool = False) -> SearchResult:
        """Return the result of all workers together."""
        gone = {number for number, worker in enumerate(self._workers) if worker.gone}
        return self._best.result(ended, gone)

    def end(self) -> None:
        """End all processes."""
        end_processes(self._workers)


def start_worker(task: Task) -> Worker:
    """Start a search in a separate process."""
    return start_process(_work, task, f"search-{task.rank}")


def search_of(scenario: Scenario, slots: Slots, request: Request, rank: int, after: Checkpoint | None) -> Search:
    """Return the search of one of several workers, starting from a mapping."""
    case = scenario.build()
    case = replace(case, mapping=case.mapping.moved(slots))
    problem = Problem.of(evaluate(case), request.objective, request.failures)
    return Search(problem, request.method, request.constraints, request.seed, rank, after, request.workers)


def _work(task: Task, pipe: "Connection[Any, Any]") -> None:
    slots, edition = task.shared.read(0)
    while slots is None:
        slots, edition = task.shared.read(0)
    search = search_of(task.scenario, slots, task.request, task.rank, task.after)
    start, sent = search.best, (search.lost, search.best)
    if task.after is None:
        search.begin()
    first, most = search.steps, task.request.steps_of(task.rank)
    # The first step loads or compiles the kernels: the search time begins with the first report.
    portion, reported = 1, -inf
    while True:
        clock, left = time.perf_counter(), inf if most is None else most - (search.steps - first)
        if left > 0 and not search.proven:
            search.advance(int(min(portion, left)))
        ended = most is not None and search.steps - first >= most
        if clock >= reported + REPORT_INTERVAL or search.proven or ended:
            reported = clock
            rank, checkpoint = (search.lost, search.best), search.checkpoint
            slots, sent = (search.slots if rank < sent else None), rank
            figures, rest = (start, *rank, search.current), (search.proven, search.tally, ended)
            pipe.send(WorkerReport(*figures, slots, search.steps - first, checkpoint[1:], *rest))
            if search.proven:
                return
            if ended:
                most += pipe.recv()  # more, if another worker is gone
            others, edition = task.shared.read(edition)
            if others is not None:
                search.adopt(others)
        portion = next_portion(portion, time.perf_counter() - clock) if portion > 1 else FIRST_STEPS
