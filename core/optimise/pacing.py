"""The number of steps a search takes between two checks of the clock, and when it ends."""

from core.optimise.request import Request

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
