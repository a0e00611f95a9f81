"""Steepest descent: the best single swap, again and again until none helps.

The swaps come from `core.load.swap_suggestions`. Each raises the throughput or, if none does, leaves fewer hottest
links at the same throughput; so no mapping comes back, and the search ends.
"""

import time
from contextlib import suppress
from dataclasses import replace
from math import inf

from core.load.evaluate import TOLERANCE, LoadReport, evaluate
from core.load.live import Outcome
from core.load.swap_suggestions import suggest_swaps
from core.mapping.edit import Edit
from core.mapping.mapping import Slots
from core.optimise.disconnection import Losses
from core.optimise.move_constraints import TASK
from core.optimise.pacing import REPORT_INTERVAL, over
from core.optimise.request import OnResult, Request, SearchResult
from core.optimise.tables import TIME
from core.spec import Cancelled, SpecError


def apply_best_swaps(
    report: LoadReport, request: Request, on_result: OnResult, after: SearchResult | None
) -> SearchResult:
    """Make the best single swap until none helps; see `core.optimise.run.optimise`.

    Unless seconds are limited, the result depends on nothing but the mapping at the start.

    Raises SpecError: if the objective is not the throughput, or more than single tasks move, or the flows are too many.
    """
    if request.objective.figure != TIME:
        raise SpecError("objective", "best single swaps support only the objective throughput")
    if request.constraints.unit != TASK:
        raise SpecError("unit", "best single swaps move only single tasks")
    descent = Descent(report if after is None else _moved(report, after.slots), request, on_result, after)
    with suppress(Cancelled, KeyboardInterrupt):
        while descent.swap():
            on_result(descent.result())
    return descent.result(ended=True)


class Descent:
    """The mapping so far, its loads, and how it was reached."""

    def __init__(self, report: LoadReport, request: Request, on_result: OnResult, after: SearchResult | None) -> None:
        self._report, self._request, self._on_result = report, request, on_result
        self._time, self._hot = report.time, report.bottleneck_links.size
        """The least time, s, and the number of hottest links at that time."""
        self._losses, self._allowed = Losses(report.case), request.constraints.allowed(report.case.network)
        self._begun, self._reported = time.perf_counter(), -inf
        self._steps = self._swaps = 0
        self._start = self._time, self._losses.of(report.case.mapping.nodes), self._hot
        if after is not None:
            self._start, self._swaps = (after.start, after.start_lost, after.start_hot), after.swaps

    def swap(self) -> bool:
        """Make the best swap; return False if none helps.

        Raises Cancelled: when `on_result` does, or at a limit of the request.
        """
        suggestions = suggest_swaps(self._report, self._progress, 1, self._counted)
        if suggestions.declined:
            raise SpecError("job", "has too many flows to try swaps one by one")
        best = next(iter(suggestions.best), None)
        if best is None or not self._improves(best.after):
            return False
        self._report = _moved(self._report, best.edit.applied(self._report.case.mapping).slots)
        self._time, self._hot = min(self._time, self._report.time), self._report.bottleneck_links.size
        self._swaps += 1
        return True

    def _improves(self, after: Outcome) -> bool:
        # Compared with the least time: times that creep up within the tolerance could go round in circles.
        faster, slower = self._time * (1 - TOLERANCE), self._time * (1 + TOLERANCE)
        return after.time < faster or (after.time <= slower and after.hot < self._hot)

    def _counted(self, edit: Edit) -> bool:
        if not self._allowed(edit):
            return False
        if over(self._request, time.perf_counter() - self._begun, self._steps):
            raise Cancelled
        self._steps += 1
        return True

    def _progress(self, fraction: float) -> None:
        if time.perf_counter() >= self._reported + REPORT_INTERVAL:
            self._reported = time.perf_counter()
            self._on_result(self.result())

    def result(self, ended: bool = False) -> SearchResult:
        """Return the result so far."""
        mapping = self._report.case.mapping
        return SearchResult(
            slots=mapping.slots,
            start=self._start[0],
            best=self._time,
            current=self._time,
            seconds=time.perf_counter() - self._begun,
            steps=self._steps,
            ended=ended,
            start_lost=self._start[1],
            lost=self._losses.of(mapping.nodes),
            start_hot=self._start[2],
            hot=self._hot,
            swaps=self._swaps,
        )


def _moved(report: LoadReport, slots: Slots) -> LoadReport:
    return evaluate(replace(report.case, mapping=report.case.mapping.moved(slots)))
