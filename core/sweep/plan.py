"""Number of points of a study, and its duration, extrapolated from a few points.

Searches are shortened, and their speed in mappings per second is extrapolated.
"""

import time
from dataclasses import replace
from math import inf

import msgspec
from msgspec.structs import replace as replace_fields

from core.kernels import compile_events
from core.spec import Progress, no_progress
from core.sweep.measures import RequestedMeasures
from core.sweep.points import Builder, point_row
from core.sweep.study import Optimise, Study

TRIED, SECONDS = 7, 3.0
"""Maximum number of points timed, and seconds after which no further point is started."""
SHORT = 0.25
"""Duration in seconds of a search whose speed is measured."""
SECONDS_SEARCHED, STEPS = "optimise.seconds", "optimise.steps"


class StudyPlan(msgspec.Struct, frozen=True):
    """Estimated cost of a study."""

    points: int
    seconds: float
    """Estimated duration on `workers` processes."""
    workers: int
    timed: int
    """Number of points timed for the estimate."""


def plan(study: Study, workers: int, progress: Progress = no_progress) -> StudyPlan:
    """Return the estimate; some points spread over the study are timed in this process."""
    builder, count, compiled = Builder(), len(study.points), compile_events.compiled()
    study, asked = _with_short_searches(study), study.file.optimise
    seconds = _seconds(study, asked, 0, builder)
    if seconds >= SECONDS and compile_events.compiled() == compiled:
        return StudyPlan(count, seconds * count / min(workers, count), workers, 1)
    # The first point also loads modules and kernels, so it is timed again.
    numbers = sorted({k * (count - 1) // max(1, TRIED - 1) for k in range(TRIED)})
    begun, times = time.perf_counter(), list[float]()
    for number in numbers:
        times.append(_seconds(study, asked, number, builder))
        progress(len(times) / len(numbers))
        if time.perf_counter() - begun >= SECONDS:
            break
    return StudyPlan(count, sum(times) / len(times) * count / min(workers, count), workers, len(times))


def _with_short_searches(study: Study) -> Study:
    asked = study.file.optimise
    if asked is None:
        return study
    short = replace_fields(asked, seconds=min(asked.seconds or SHORT, SHORT))
    paths = dict.fromkeys((*study.measures.paths, SECONDS_SEARCHED, STEPS))
    return replace(study, file=replace_fields(study.file, optimise=short), measures=RequestedMeasures(tuple(paths)))


def _seconds(study: Study, asked: Optimise | None, number: int, builder: Builder) -> float:
    row = point_row(study, number, builder)
    taken, searched = float(row["seconds"]), row.get(SECONDS_SEARCHED)
    if asked is None or searched is None or searched < SHORT:  # the search ended by itself
        return taken
    by_steps = asked.steps * searched / row[STEPS] if asked.steps is not None else inf
    return taken - float(searched) + min(asked.seconds or inf, by_steps)
