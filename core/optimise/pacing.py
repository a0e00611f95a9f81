"""The number of steps a search takes between two checks of the clock, and when it ends."""

import time
from collections.abc import Callable
from typing import Protocol

from core.optimise.request import Request
from core.spec import Cancelled

PORTION = 0.02
"""Approximate seconds between two checks of the clock."""


REPORT_INTERVAL = 0.06
"""Seconds between two calls of the callback."""


FIRST_STEPS = 64
"""Steps before the first check."""


def over(request: Request, seconds: float, steps: int) -> bool:
    """Return whether a search has reached its limit of seconds or steps."""
    return (request.seconds is not None and seconds >= request.seconds) or (
        request.steps is not None and steps >= request.steps
    )


def next_portion(portion: int, seconds: float) -> int:
    """Return the next number of steps, given the duration of the last ones."""
    return max(1, min(2 * portion, int(portion * PORTION / max(seconds, 1e-9))))


class Steps(Protocol):
    """A search that advances by steps."""

    @property
    def steps(self) -> int:
        """Return the number of steps so far."""

    @property
    def proven(self) -> bool:
        """Return whether the best result is known to be optimal."""

    def advance(self, steps: int) -> None:
        """Take some steps."""


def advance_to_end(search: Steps, request: Request, begun: float, first: int, report: Callable[[bool], None]) -> None:
    """Advance a search to the limits of a request, until it is proven optimal, or until it is interrupted.

    Parameters
    ----------
    begun
        Time of `time.perf_counter` from which seconds are counted.
    first
        Steps of the search that do not count.
    report
        Called with False from time to time, and with True at the end unless interrupted; it may raise Cancelled.
    """
    portion, reported = FIRST_STEPS, -REPORT_INTERVAL
    try:
        while not over(request, time.perf_counter() - begun, search.steps - first) and not search.proven:
            if time.perf_counter() - begun >= reported + REPORT_INTERVAL:
                reported = time.perf_counter() - begun
                report(False)
            clock = time.perf_counter()
            left = portion if request.steps is None else request.steps - (search.steps - first)
            search.advance(min(portion, left))
            portion = next_portion(portion, time.perf_counter() - clock)
        report(True)
    except (Cancelled, KeyboardInterrupt):
        pass
