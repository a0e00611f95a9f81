"""Volumes between tasks, as a sparse symmetric matrix."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job, Tasks
from core.spec import SpecError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_FLOWS = 1 << 25
FLOWS_AT_ONCE = 1 << 20
"""Number of flows after which a batch is added."""


def affinity(job: Job, strategy: str) -> "csr_array":
    """Return the total volume between any two tasks, shape ``(tasks, tasks)``, 0 on the diagonal.

    Raises SpecError: if the job has too many flows.
    """
    from scipy.sparse import coo_array, csr_array  # slow to load, and few strategies need it

    flows = sum(run.phase.tasks * run.phase.fan_out for run in job.runs)
    if flows > MAX_FLOWS:
        raise SpecError("mapping.type", f"{strategy} needs a job of at most {MAX_FLOWS:,} flows, not {flows:,}")
    total = csr_array((job.tasks, job.tasks))
    for src, dst, volume in _batches(job):
        total = total + coo_array((volume, (src, dst)), shape=total.shape).tocsr()
    both = csr_array(total + total.T)
    both.sum_duplicates()
    return both


def _batches(job: Job) -> Iterator[tuple[Tasks, Tasks, NDArray[np.float64]]]:
    # The flows between different tasks. Small phases are batched, since adding a small matrix takes as long.
    blocks, count = [], 0
    for run in job.runs:
        for _, block in run.phase.blocks():
            goes = block.src != block.dst
            blocks.append((block.src[goes], block.dst[goes], block.volume[goes] * run.times))
            count += block.src.size
            if count >= FLOWS_AT_ONCE:
                yield _joined(blocks)
                blocks, count = [], 0
    if blocks:
        yield _joined(blocks)


def _joined(
    parts: list[tuple[Tasks, Tasks, NDArray[np.float64]]],
) -> tuple[Tasks, Tasks, NDArray[np.float64]]:
    src, dst, volume = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return src, dst, volume
