"""Searches on workers of a Dask cluster, in portions; workers share the best mapping between portions.

A portion is a Dask task, so that a lost worker loses only its last portion: another worker continues from the best
mapping. A worker keeps the state of its search between portions.
"""

import time
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from math import inf
from queue import Empty, SimpleQueue
from secrets import token_hex
from typing import Any, NamedTuple

from core.load.evaluate import LoadReport
from core.load.scenario import Scenario
from core.mapping.mapping import Slots
from core.optimise.pacing import FIRST_STEPS, REPORT_INTERVAL, next_portion, over
from core.optimise.request import Checkpoint, OnResult, Request, SearchResult
from core.optimise.robust import with_failures, with_least
from core.optimise.search import Search
from core.optimise.workers import POLL_INTERVAL, CommonBest, WorkerReport, scenario_sent, search_of
from core.spec import Cancelled, SpecError

SECONDS = 0.3
"""Seconds of a portion; sharing the best mapping more often costs more time than it saves."""
ARRIVAL_SECONDS = 2.0
"""Time limit for a finished portion to arrive."""
MAX_KEPT = 4
"""Searches kept by a process, of any clients."""


class SearchPortion(NamedTuple):
    """Input of a worker."""

    search: str
    """Identifies the search on the cluster."""
    rank: int
    scenario: Scenario
    request: Request
    slots: Slots
    """The best mapping of all workers."""
    edition: int
    """Number of times it has changed."""
    after: Checkpoint | None
    """Where a worker without the search's state continues; None for the beginning."""
    steps: int | None
    """Maximum number of steps; None for as many as its seconds allow."""


_kept: dict[tuple[str, int], tuple[Search, int]] = {}
"""Searches of this process, and the edition of the best mapping that each has received."""


def advance_portion(portion: SearchPortion) -> WorkerReport:
    """Return a worker's result of a portion, counting the steps of this portion only."""
    key = portion.search, portion.rank
    search, edition = _kept.pop(key, (None, portion.edition))
    continued = search is not None
    if search is None:
        search = search_of(portion.scenario, portion.slots, portion.request, portion.rank, portion.after)
    elif edition != portion.edition:
        search.adopt(portion.slots)
    start, before = search.best, (search.lost, search.best)
    if not continued and portion.after is None:
        search.begin()
    first = search.steps
    _go_on(search, portion.steps)
    _kept[key] = search, portion.edition
    while len(_kept) > MAX_KEPT:
        del _kept[next(iter(_kept))]
    rank, checkpoint = (search.lost, search.best), search.checkpoint
    slots = search.slots if rank < before else None
    figures = (start, *rank, search.current)
    return WorkerReport(*figures, slots, search.steps - first, checkpoint[1:], search.proven, search.tally)


def _go_on(search: Search, steps: int | None) -> None:
    first, most = search.steps, inf if steps is None else steps
    if most > 0 and not search.proven:
        search.advance(1)  # loads or compiles the kernels
    begun, size = time.perf_counter(), FIRST_STEPS
    while time.perf_counter() - begun < SECONDS and not search.proven and search.steps - first < most:
        clock = time.perf_counter()
        search.advance(int(min(size, most - (search.steps - first))))
        size = next_portion(size, time.perf_counter() - clock)


def search_on_cluster(
    client: Any, report: LoadReport, request: Request, on_result: OnResult, after: SearchResult | None = None
) -> SearchResult:
    """Search on all workers of a Dask client; see `core.optimise.run.optimise`.

    Raises SpecError: if the method runs in one process only.
    """
    if not request.method.by_rounds:
        raise SpecError("method", f"{request.method.tag()} runs in a single process; search without a cluster")
    request = with_failures(report, request if after is None else replace(request, failures=after.failures))
    search = _ClusterSearch(client, report, request, after)
    try:
        search.run(on_result)
    except (Cancelled, KeyboardInterrupt):
        pass
    except CancelledError:
        return replace(search.result(ended=True), failure="the connection to the scheduler was lost")
    finally:
        search.end()
    return search.result(ended=True)


class _ClusterSearch:
    """The outstanding portions of a search, one for each thread of the workers."""

    def __init__(self, client: Any, report: LoadReport, request: Request, after: SearchResult | None) -> None:
        self._client, self._common = client, CommonBest(report, request, after)
        self._counted = with_least(report, request)
        self._homes = [address for address, threads in client.nthreads().items() for _ in range(threads)]
        self._request = replace(request, workers=len(self._homes))
        self._scenario, self._name = scenario_sent(report), token_hex(8)
        sent: tuple[Checkpoint, ...] = after.checkpoint if after is not None else ()
        self._after: dict[int, Checkpoint | None] = dict.fromkeys(range(len(self._homes))) | dict(enumerate(sent))
        self._steps = dict.fromkeys(self._after, 0)
        self._gone: set[int] = set()
        """Ranks whose workers were lost repeatedly; the others continue."""
        self._edition = 0
        self._sent: dict[Any, int] = {}
        self._granted: dict[int, int] = {}
        """Steps of the portion that each rank works on."""
        self._idle: list[int] = []
        """Ranks for which no steps were left."""
        self._ended: SimpleQueue[Any] = SimpleQueue()

    def run(self, on_result: OnResult) -> None:
        """Send portions until the search is over; raises errors of the search and of the callback."""
        reported, common = -inf, self._common
        waiting = list(self._after)
        self._send(waiting.pop(0))
        while not over(self._request, common.seconds, common.steps) and not common.proven and self._sent:
            with suppress(Empty):
                self._receive(self._ended.get(timeout=POLL_INTERVAL))
                # They find the kernels on disk that the first has compiled. A lost portion leaves steps to workers
                # without any.
                ready, waiting, self._idle = [*waiting, *self._idle], [], []
                for rank in ready:
                    self._send(rank)
            if time.perf_counter() >= reported + REPORT_INTERVAL:
                reported = time.perf_counter()
                on_result(self.result())
        on_result(self.result(ended=True))

    def _send(self, rank: int) -> None:
        steps = self._next_steps()
        if steps == 0:
            self._idle.append(rank)
            return
        best = self._common.slots, self._edition, self._after[rank]
        portion = SearchPortion(self._name, rank, self._scenario, self._request, *best, steps)
        home = [self._homes[rank]]
        future = self._client.submit(advance_portion, portion, workers=home, allow_other_workers=True, pure=False)
        self._sent[future], self._granted[rank] = rank, steps or 0
        future.add_done_callback(self._ended.put)

    def _next_steps(self) -> int | None:
        # The steps of a portion: an equal part of the unassigned ones, or None for as many as time allows.
        if self._request.steps is None:
            return None
        left = self._request.steps - self._common.steps - sum(self._granted.values())
        return max(-(-left // len(self._homes)), 0)

    def _receive(self, future: Any) -> None:
        from distributed import KilledWorker

        rank = self._sent.pop(future)
        self._granted.pop(rank, None)
        try:
            report: WorkerReport = future.result(timeout=ARRIVAL_SECONDS)
        except KilledWorker:
            self._gone.add(rank)
            return
        except (SpecError, CancelledError):
            raise
        except TimeoutError:  # lost with its worker
            self._send(rank)
            return
        except Exception as error:  # from a scheduler or worker without this program, for example
            words = f"{type(error).__name__}: {error}"
            advice = "start the scheduler and its workers with this program on their Python path"
            raise SpecError("--cluster", f"cannot search: {words}; {advice}") from error
        self._steps[rank] += report.steps
        if self._common.note(rank, report._replace(steps=self._steps[rank])):
            self._edition += 1
        self._after[rank] = Checkpoint(self._common.slots, *report.checkpoint)
        self._send(rank)

    def result(self, ended: bool = False) -> SearchResult:
        """Return the result of all workers together."""
        return self._counted(self._common.result(ended, self._gone))

    def end(self) -> None:
        """Release the outstanding portions."""
        with suppress(CancelledError, OSError):
            self._client.cancel(list(self._sent))
