"""Work that would take minutes is refused, with the estimate, as soon as its pace is known; unless the user insists."""

import argparse
import time
from collections.abc import Callable

from core.spec import Progress, TooLarge

MOST = 120.0
"""Seconds of computing that work may be estimated to take: not of waiting, which a busy machine makes longer."""
LOOK = 5.0
"""Seconds after which its pace is known, if some of it is done."""
SURE, LATE = 0.01, 20.0
"""That part of it; if it is not done by then, it is taken for done."""
MINUTE = 60.0


def declare_insistence(parser: argparse.ArgumentParser) -> None:
    """Give the parser the option to insist."""
    parser.add_argument("--patient", action="store_true", help="take minutes where it takes minutes")


def patient(progress: Progress, insists: bool, clock: Callable[[], float] = time.process_time) -> Progress:
    """Return the progress function that also refuses what would take minutes, unless the user insists.

    It raises TooLarge, with the estimate.
    """
    if insists:
        return progress
    begun = clock()

    def hear(fraction: float) -> None:
        progress(fraction)
        spent = clock() - begun
        if spent < LOOK or (fraction < SURE and spent < LATE):
            return
        whole = spent / max(fraction, SURE)
        if whole - spent > MOST:
            least = "" if fraction >= SURE else "more than "
            raise TooLarge(
                "job", f"takes {least}about {_span(whole)} of computing; --patient waits, or choose a smaller one"
            )

    return hear


def _span(seconds: float) -> str:
    minutes = seconds / MINUTE
    return f"{minutes:.0f} minutes" if minutes < MINUTE else f"{minutes / MINUTE:,.0f} hours"
