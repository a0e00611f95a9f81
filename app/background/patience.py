"""Refusal of work that would take minutes, with an estimate, as soon as its speed is known."""

import time
from collections.abc import Callable

from core.kernels import compile_events
from core.spec import Progress, TooLarge

OPTION = "--patient"
MAX_SECONDS = 120.0
"""Maximum estimated CPU time of work that is not refused; elapsed time would depend on other load."""
MIN_SECONDS = 5.0
"""CPU time after which the speed is known, if the fraction `MIN_DONE` of the work is done."""
MIN_DONE, MAX_WAIT = 0.01, 20.0
"""Minimum fraction done for an estimate; after `MAX_WAIT` seconds with less, this fraction is assumed."""
MINUTE = 60.0
NEARLY_DONE = 0.7
"""Work is not refused beyond this fraction done."""
TAKES = "would take"
"""Beginning of every refusal, before the time."""


def refuse_minutes(
    progress: Progress,
    patient: bool,
    option: str = OPTION,
    clock: Callable[[], float] = time.process_time,
    field: str = "job",
) -> Progress:
    """Wrap `progress` so that work that would take minutes is refused; with `patient`, return `progress` itself.

    The returned function raises TooLarge with the estimate, and names the `option` that allows the work. `field` is the
    choice that determines the work.
    """
    if patient:
        return progress
    watch = _Watch(clock)

    def check(fraction: float) -> None:
        progress(fraction)
        spent = watch.spent()
        if spent < MIN_SECONDS or (fraction < MIN_DONE and spent < MAX_WAIT):
            return
        total = spent / max(fraction, MIN_DONE)
        if total - spent > MAX_SECONDS:
            least = "about" if fraction >= MIN_DONE else "more than"
            estimate = f"{TAKES} {least} {_span(total)} of computing time"
            raise TooLarge(field, f"{estimate}; use {option} to allow it, or choose a smaller {field}")

    return check


def refuse_after(
    seconds: float, progress: Progress, option: str = OPTION, clock: Callable[[], float] = time.process_time
) -> Progress:
    """Wrap `progress` so that work is stopped after `seconds`, unless it is nearly done.

    The returned function raises TooLarge and names the `option` that allows the work.
    """
    watch = _Watch(clock)

    def check(fraction: float) -> None:
        progress(fraction)
        if watch.spent() > seconds and fraction < NEARLY_DONE:
            estimate = f"{TAKES} more than {seconds:.0f} seconds of computing time"
            raise TooLarge("job", f"{estimate}; use {option} to allow it")

    return check


class _Watch:
    """A stopwatch of CPU time without kernel compilation, which is unrelated to the speed of the work."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._last, self._compiled, self._spent = clock, clock(), compile_events.compiled(), 0.0

    def spent(self) -> float:
        """Return the CPU time so far, in seconds."""
        now, kernels = self._clock(), compile_events.compiled()
        if kernels == self._compiled:
            self._spent += now - self._last
        self._last, self._compiled = now, kernels
        return self._spent


def _span(seconds: float) -> str:
    minutes = seconds / MINUTE
    return f"{minutes:.0f} minutes" if minutes < MINUTE else f"{minutes / MINUTE:,.0f} hours"
