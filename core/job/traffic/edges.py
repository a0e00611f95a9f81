"""A job's traffic as an undirected graph for partitioners, with an integer weight for each pair of tasks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock, Job, Tasks
from core.spec import SpecError
from core.text import plural

MAX_FLOWS = 1 << 24
"""Maximum number of flows of all phases."""
MAX_TOTAL = 1 << 30
"""Maximum sum of the weights; twice the sum fits the 32-bit integers of common builds of METIS and Scotch."""
EXACT = 1e-9
"""Relative distance from an integer that is attributed to rounding."""


class TaskGraph(NamedTuple):
    """Pairs of communicating tasks, sorted by the first and then the second."""

    src: Tasks
    """(pairs,) the lower task."""
    dst: Tasks
    """(pairs,) the higher task."""
    weight: NDArray[np.int64]
    """(pairs,) volume in both directions together, at least 1."""
    losses: tuple[str, ...]
    """Properties of the job that are not written."""


def task_graph(job: Job) -> TaskGraph:
    """Return the traffic of all phases as a graph.

    Raises SpecError: if there are too many flows for a text file.
    """
    flows = _flows(job)
    own = flows.src == flows.dst
    low, high = np.minimum(flows.src, flows.dst)[~own], np.maximum(flows.src, flows.dst)[~own]
    pair, where = np.unique(low.astype(np.int64) * job.tasks + high, return_inverse=True)
    signs = np.where(flows.src < flows.dst, 1.0, -1.0)[~own]
    more, volume = (
        np.asarray(np.bincount(where, flows.volume[~own] * sign, pair.size), np.float64) for sign in (signs, 1.0)
    )
    some = volume > 0
    weight, unit = _in_integers(job, job.measure.converted(volume[some]))
    lost = [
        ("messages of tasks to themselves", bool(own.any())),
        ("the direction of messages", bool((np.abs(more) > EXACT * volume).any())),
        (f"the times of messages ({plural(len(job.phases), 'phase')} are added up)", len(job.phases) > 1),
        (unit, bool(unit)),
    ]
    src, dst = (end.astype(np.int32) for end in np.divmod(pair[some], job.tasks))
    return TaskGraph(src, dst, weight, tuple(words for words, so in lost if so))


def _flows(job: Job) -> FlowBlock:
    blocks, count = list[FlowBlock](), 0
    for _, phase, times in job.runs:
        for _, block in phase.blocks():
            count += block.src.size
            if count > MAX_FLOWS:
                raise SpecError("job", f"has more than {MAX_FLOWS:,} flows, the limit for exports")
            blocks.append(block._replace(volume=block.volume * times))
    return FlowBlock.joined(blocks)


def _in_integers(job: Job, volume: NDArray[np.float64]) -> tuple[NDArray[np.int64], str]:
    # Prefer integer volumes as given; else divide by the job's quantum; else scale and round.
    units = [1.0] + ([job.measure.converted(float(job.quantum))] if job.quantum else [])
    total = float(volume.sum())
    for unit in units:
        weight = np.rint(volume / unit)
        if total / unit <= MAX_TOTAL and (np.abs(volume / unit - weight) <= EXACT * weight).all():
            words = "" if unit == 1 else f"the unit of volumes (1 stands for {unit:g} {job.measure.singular})"
            return weight.astype(np.int64), words
    unit = 10.0 ** np.ceil(np.log10(total / MAX_TOTAL))
    weight = np.maximum(np.rint(volume / unit), 1)
    return weight.astype(np.int64), f"exact volumes (rounded; 1 stands for {unit:g} {job.measure.singular})"
