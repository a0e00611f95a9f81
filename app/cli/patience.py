"""Work that would take minutes is refused, with the estimate, as soon as its pace is known; unless the user insists."""

import argparse
import time
from collections.abc import Callable

from core.kernels import news
from core.spec import Progress, TooLarge

OPTION = "--patient"
MAX_SECONDS = 120.0
"""Seconds of computing that work may be estimated to take: not of waiting, which a busy machine makes longer."""
MIN_SECONDS = 5.0
"""Seconds after which its pace is known, if `MIN_DONE` of it is done."""
MIN_DONE, MAX_WAIT = 0.01, 20.0
"""If that part of it is not done after so many seconds, it is taken for done."""
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

    def check(fraction: float) -> None:
        nonlocal spent, last, compiled
        progress(fraction)
        now, kernels = clock(), news.compiled()
        if kernels == compiled:  # what is compiled now need not be for the rest
            spent += now - last
        last, compiled = now, kernels
        if spent < MIN_SECONDS or (fraction < MIN_DONE and spent < MAX_WAIT):
            return
        whole = spent / max(fraction, MIN_DONE)
        if whole - spent > MAX_SECONDS:
            least = "" if fraction >= MIN_DONE else "more than "
            raise TooLarge(
                "job", f"takes {least}about {_span(whole)} of computing; {option} waits, or choose a smaller one"
            )

    return check


def _span(seconds: float) -> str:
    minutes = seconds / MINUTE
    return f"{minutes:.0f} minutes" if minutes < MINUTE else f"{minutes / MINUTE:,.0f} hours"
