"""How busy chosen sets of links are in each step; computed for these alone."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.load.evaluate import LoadReport
from core.load.phases import NO_LOADS, neighbours_part, pressing
from core.spec import Progress, no_progress, subprogress
from core.timing.round_steps import RoundSteps


class Watched(NamedTuple):
    """Loads of sets of links by step, as `core.timing.timeline.Timeline` has them for each class."""

    busy: NDArray[np.float64]
    """Seconds that the busiest link of each set needs in each step, shape ``(steps, sets)``."""
    sent: NDArray[np.float64]
    """Load of all links of each set in each step, shape ``(steps, sets)``."""
    gbs: NDArray[np.float64]
    """Bandwidth of all links of each set, shape ``(sets,)``."""


def watched(
    report: LoadReport,
    sets: Sequence[NDArray[np.intp]],
    progress: Progress = no_progress,
    rounds: RoundSteps | None = None,
) -> Watched:
    """Return how busy sets of links are in each step of a job, or in each of its rounds.

    Raises Cancelled: when `progress` does.
    """
    gbs, steps = report.case.gbs, len(report.phases if rounds is None else rounds)
    busy, sent = np.zeros((steps, len(sets))), np.zeros((steps, len(sets)))
    for step in range(steps):
        some = subprogress(progress, step, step + 1, steps)
        loads = report.phases.at(step, some)[0] if rounds is None else rounds.load(step)
        others = neighbours_part(report.case, int(report.case.job.run_of[step])) if rounds is None else NO_LOADS
        loads_of_all = pressing(loads, others)
        for number, links in enumerate(sets):
            # A failed link has no bandwidth, and carries nothing.
            times = loads_of_all[links] / np.where(gbs[links] > 0, gbs[links], 1.0)
            busy[step, number], sent[step, number] = times.max(initial=0.0), loads[links].sum()
        progress((step + 1) / steps)
    return Watched(busy, sent, np.array([gbs[links].sum() for links in sets]))
