"""Time and limiting links of each phase, for jobs with few phases."""

from typing import NamedTuple

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
