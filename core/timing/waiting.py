"""Which rank waits for which in timings without a barrier; computed on demand from when each rank begins a step."""

import numpy as np
from numpy.typing import NDArray

from core.spec import Progress, no_progress
from core.timing.timeline import Timeline

Times = NDArray[np.float64]


def all_begun(timeline: Timeline, progress: Progress = no_progress) -> Times:
    """Return when all ranks that send to each rank in each step have begun it, ``(steps, tasks)``, in seconds.

    At the earliest when the rank itself begins it. The timeline must have `rank_times`. Raises Cancelled: when
    `progress` does.
    """
    assert timeline.rank_times is not None
    begun: Times = timeline.rank_times[:-1].copy()
    phases = timeline.case.job.phases
    for step, phase in enumerate(phases):
        progress(step / len(phases))
        for _, block in phase.blocks():
            np.maximum.at(begun[step], block.dst, timeline.rank_times[step][block.src])
    return begun


def last_to_begin(timeline: Timeline, step: int, rank: int) -> int | None:
    """Return, of the ranks that send to a rank in a step, the last to begin it; None if the rank need not wait."""
    assert timeline.rank_times is not None
    src = timeline.case.job.phases[step].in_flows(np.array([rank], np.int32)).src
    begins = timeline.rank_times[step]
    last = int(src[begins[src].argmax()]) if src.size else rank
    return last if begins[last] > begins[rank] else None
