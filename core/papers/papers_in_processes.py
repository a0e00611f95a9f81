"""Computes tables of a paper in several processes, part by part."""

import time
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from core.papers.papers import Cell, PaperTable, cells_of, paper
from core.processes import Worker, end_processes, start_process
from core.spec import Progress, SpecError, no_progress

REPORT_INTERVAL = 0.1
"""Seconds between progress reports of a process."""
POLL_INTERVAL = 0.1
"""Seconds to wait for a report before checking for Ctrl-C."""

Part = tuple[str, int]
"""Name of a table, and number of one of its parts."""


def cells_in_processes(
    name: str, tables: Sequence[PaperTable], workers: int, progress: Progress = no_progress
) -> list[Cell]:
    """Return the cells of some tables of a paper, in the same order as one process would.

    Raises Cancelled: when `progress` does. Raises SpecError: if a process was killed.
    """
    parts = [(table, number) for table in tables for number in range(len(table.parts))]
    if min(workers, len(parts)) == 1 or paper(name).together:
        return cells_of(tables, progress)
    # Long parts first, so that no process works alone on a long part at the end.
    waiting = [(table.name, number) for table, number in sorted(parts, key=lambda part: not part[0].takes)]
    done = {(table.name, number): 0.0 for table, number in parts}
    cells_of_part: dict[Part, list[Cell]] = {}
    pool: list[Worker] = []
    try:
        for number in range(min(workers, len(parts))):
            pool.append(start_process(_work, name, f"tables-{number}"))
        given = {worker: _give(worker, waiting.pop(0)) for worker in pool}
        while len(cells_of_part) < len(parts):
            ready = wait([worker.pipe for worker in pool], POLL_INTERVAL)
            for worker in (process for process in pool if process.pipe in ready):
                message = _received(worker)
                if isinstance(message, float):
                    done[given[worker]] = message
                else:
                    cells_of_part[given[worker]], done[given[worker]] = message, 1.0
                    given[worker] = _give(worker, waiting.pop(0)) if waiting else given[worker]
            progress(sum(done.values()) / len(done))
    finally:
        end_processes(pool)
    return [cell for table, number in parts for cell in cells_of_part[table.name, number]]


def _give(worker: Worker, part: Part) -> Part:
    worker.pipe.send(part)
    return part


def _received(worker: Worker) -> float | list[Cell]:
    try:
        message: float | list[Cell] | Exception = worker.pipe.recv()
    except (EOFError, ConnectionError) as error:
        raise SpecError("--workers", "a process was killed, perhaps for lack of memory; use fewer workers") from error
    if isinstance(message, Exception):
        raise message
    return message


def _work(name: str, pipe: "Connection[Any, Any]") -> None:
    tables = {table.name: table for table in paper(name).tables}
    reported = 0.0

    def report(fraction: float) -> None:
        nonlocal reported
        if time.monotonic() >= reported + REPORT_INTERVAL:
            reported = time.monotonic()
            pipe.send(float(fraction))

    while True:
        table, number = pipe.recv()
        pipe.send(list(tables[table].parts[number](report)))
