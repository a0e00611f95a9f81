"""How many steps a search takes between two looks at the clock, and when it ends."""

from core.optimise.request import Request

PORTION = 0.02
"""Seconds between two looks at the clock, about."""


REPORT_INTERVAL = 0.06
"""Seconds between two calls of the callback."""


FIRST_STEPS = 64
"""Steps of the first portion."""


def over(request: Request, seconds: float, steps: int) -> bool:
    """Return whether a search has used up what it was given."""
    return (request.seconds is not None and seconds >= request.seconds) or (
        request.steps is not None and steps >= request.steps
    )


def next_portion(portion: int, seconds: float) -> int:
    """Return how many steps to take at once, after so many took so long."""
    return max(1, min(2 * portion, int(portion * PORTION / max(seconds, 1e-9))))
