"""Counts volumes between tasks and their heaviest, second heaviest ... partners, for patterns without a formula."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock, Job, JobSpec, Tasks
from core.kernels import kernel

MAX_FLOWS = 1 << 22
"""Maximum number of flows that are counted; beyond it the volumes are unknown."""


class PartnerVolumes(NamedTuple):
    """Volumes between a task and its first, second, ... heaviest partner, shape ``(partners,)`` each."""

    total: NDArray[np.float64]
    """Sum over all tasks."""
    beyond: NDArray[np.float64]
    """Maximum over tasks of the volume with this partner and all lighter partners."""


UNKNOWN = PartnerVolumes(np.zeros(0), np.zeros(0))


class RankedJob(JobSpec, frozen=True):
    """A job whose bounds follow from the volumes of all pairs, summed over phases."""

    def min_crossing_volume(self, job: Job, capacity: int, groups: int) -> float:
        """Return the volume that leaves groups of `capacity` even if each task had its heaviest partners in its group.

        Proof. A task shares its group with at most ``capacity - 1`` others, so all but its ``capacity - 1``
        largest flows leave the group. Summed over the tasks every flow is counted at most once, by its
        source. The same holds by destinations.
        """
        return max(float(ranks.total[capacity - 1 :].sum()) for ranks in _ranks(job))

    def max_external_volume(self, job: Job, capacity: int) -> tuple[float, float]:
        """Return the largest sum of all but the ``capacity - 1`` largest flows of a task."""
        sent, received = (float(ranks.beyond[capacity - 1 : capacity].sum()) for ranks in _ranks(job))
        return sent, received

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return the volumes by rank, summed over all sources."""
        return _ranks(job)[0].total


@lru_cache(maxsize=2)
def _ranks(job: Job) -> tuple[PartnerVolumes, PartnerVolumes]:
    # By source, and by destination.
    blocks, count = [], 0
    for run in job.runs:
        for _, block in run.phase.blocks():
            blocks.append(block._replace(volume=block.volume * run.times))
            count += block.src.size
            if count > MAX_FLOWS:
                return UNKNOWN, UNKNOWN
    src, dst, volume = FlowBlock.joined(blocks)
    return _ranked(src, dst, volume, job.tasks), _ranked(dst, src, volume, job.tasks)


def _ranked(owner: Tasks, other: Tasks, volume: NDArray[np.float64], tasks: int) -> PartnerVolumes:
    # A partner's rank is 0 if it is the heaviest. Flows from a task to itself are omitted.
    remote = owner != other
    pair, where = np.unique(owner[remote].astype(np.int64) * tasks + other[remote], return_inverse=True)
    total = np.asarray(np.bincount(where, volume[remote], pair.size), np.float64)
    order = np.lexsort((-total, pair // tasks))
    who = (pair // tasks)[order]
    rank = np.arange(who.size) - np.searchsorted(who, who)
    by_rank = np.asarray(np.bincount(rank, total[order]), np.float64)
    return PartnerVolumes(by_rank, _beyond(rank, total[order], by_rank.size))


@kernel
def _beyond(rank: NDArray[np.int64], volume: NDArray[np.float64], ranks: int) -> NDArray[np.float64]:
    # Sums from the lightest partner of each owner up: differences of running totals would lose the digits of small
    # volumes next to large ones.
    largest, beyond = np.zeros(ranks), 0.0
    for k in range(rank.size - 1, -1, -1):
        beyond += volume[k]
        largest[rank[k]] = max(largest[rank[k]], beyond)
        if rank[k] == 0:
            beyond = 0.0
    return largest
