"""Work that would take minutes is refused, with the estimate, as soon as its pace is known; unless the user insists."""

import argparse
import time
from collections.abc import Callable

from core.kernels import news
from core.spec import Progress, TooLarge

OPTION = "--patient"
MAX_SECONDS = 120.0
"""Seconds of computing that work may be estimated to take: not of waiting, which a busy machine makes longer."""
LOOK = 5.0
"""Seconds after which its pace is known, if some of it is done."""
SURE, LATE = 0.01, 20.0
"""That part of it; if it is not done by then, it is taken for done."""
MINUTE = 60.0


def declare_insistence(parser: argparse.ArgumentParser) -> None:
    """Give the parser the option to insist."""
    parser.add_argument(OPTION, action="store_true", help="take minutes where it takes minutes")


def refuse_minutes(
    progress: Progress, insists: bool, option: str = OPTION, clock: Callable[[], float] = time.process_time
) -> Progress:
    """Return the progress function that also refuses what would take minutes, unless the user insists by `option`.

    It raises TooLarge, with the estimate.
    """
    if insists:
        return progress
    spent, last, compiled = 0.0, clock(), news.compiled()

    def hear(fraction: float) -> None:
        nonlocal spent, last, compiled
        progress(fraction)
        now, kernels = clock(), news.compiled()
        if kernels == compiled:  # what is compiled now need not be for the rest
            spent += now - last
        last, compiled = now, kernels
        if spent < LOOK or (fraction < SURE and spent < LATE):
            return
        whole = spent / max(fraction, SURE)
        if whole - spent > MAX_SECONDS:
            least = "" if fraction >= SURE else "more than "
            raise TooLarge(
                "job", f"takes {least}about {_span(whole)} of computing; {option} waits, or choose a smaller one"
            )

    return hear


def _span(seconds: float) -> str:
    minutes = seconds / MINUTE
    return f"{minutes:.0f} minutes" if minutes < MINUTE else f"{minutes / MINUTE:,.0f} hours"
