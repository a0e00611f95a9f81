"""Time and limiting links of each phase, for jobs with few phases."""

from typing import NamedTuple

from core.job.measure import Measure
from core.load.evaluate import LoadReport

MAX_PHASES = 8
"""Jobs with more phases have a timeline for this."""


class PhaseTime(NamedTuple):
    """One phase."""

    name: str
    time: float
    """Seconds, or seconds for each task's unit of 1 GB."""
    link_class: str
    """The class of its slowest links; empty if nothing is loaded."""


def phase_times(report: LoadReport) -> tuple[PhaseTime, ...]:
    """Return the phases of a job in order; empty for a single phase, or more than a few."""
    count = len(report.case.job.phases)
    if not 2 <= count <= MAX_PHASES:
        return ()
    classes = report.case.network.classes
    times = []
    for index, busy in enumerate(report.busy):
        time, slowest = float(busy.max(initial=0.0)), int(busy.argmax())
        times.append(PhaseTime(report.case.job.step_name(index), time, classes[slowest].name if time > 0 else ""))
    return tuple(times)


def shares_in_words(times: tuple[PhaseTime, ...]) -> str:
    """Return ``data 56 % (rail), tensor 31 % (nvlink)``, longest first, as shares of the time; empty if that is 0."""
    total = sum(phase.time for phase in times)
    longest = sorted((phase for phase in times if phase.time > 0), key=lambda phase: -phase.time)
    return ", ".join(f"{phase.name} {100 * phase.time / total:.2g} % ({phase.link_class})" for phase in longest)


def waits_in_words(times: tuple[PhaseTime, ...], measure: Measure) -> str:
    """Return ``tensor for nvlink 112.7 ms, data for rail 201.7 ms``; phases without load are omitted."""
    return ", ".join(
        f"{phase.name} for {phase.link_class} {measure.time(phase.time)}" for phase in times if phase.time > 0
    )
