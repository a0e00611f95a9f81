"""How many points a study has, and about how long they take: from the time that a few of them do."""

import time

import msgspec

from core.kernels import news
from core.spec import Progress, no_progress
from core.study.sweep.points import Builder, row_of
from core.study.sweep.study import Study

TRIED, SECONDS = 7, 3.0
"""Points that are timed at most, and seconds after which no other one is."""


class Plan(msgspec.Struct, frozen=True):
    """What a study will take."""

    points: int
    seconds: float
    """About how long it takes on so many processes."""
    workers: int
    timed: int
    """From how many points that was found."""


def plan(study: Study, workers: int, progress: Progress = no_progress) -> Plan:
    """Return what a study will take; points all over it are timed, one after the other, in this process."""
    builder, count, compiled = Builder(), len(study.points), news.compiled()
    seconds = _seconds(study, 0, builder)
    if seconds >= SECONDS and news.compiled() == compiled:
        return Plan(count, seconds * count / min(workers, count), workers, 1)
    # The first one also loads what the others need: it is timed again.
    numbers = sorted({k * (count - 1) // max(1, TRIED - 1) for k in range(TRIED)})
    begun, found = time.perf_counter(), list[float]()
    for number in numbers:
        found.append(_seconds(study, number, builder))
        progress(len(found) / len(numbers))
        if time.perf_counter() - begun >= SECONDS:
            break
    return Plan(count, sum(found) / len(found) * count / min(workers, count), workers, len(found))


def _seconds(study: Study, number: int, builder: Builder) -> float:
    return float(row_of(study, number, builder)["seconds"])
