"""Volumes between tasks, as a sparse symmetric matrix."""

from typing import TYPE_CHECKING

from core.job.job import Job
from core.spec import SpecError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_FLOWS = 1 << 25


def affinity(job: Job, strategy: str) -> "csr_array":
    """Return the total volume between any two tasks, shape ``(tasks, tasks)``, 0 on the diagonal.

    Raises SpecError: if the job has too many flows.
    """
    from scipy.sparse import coo_array, csr_array  # takes time to load, and few strategies need it

    flows = sum(run.phase.tasks * run.phase.fan_out for run in job.runs)
    if flows > MAX_FLOWS:
        raise SpecError("mapping.type", f"{strategy} looks at each flow, up to {MAX_FLOWS:,}; this job has {flows:,}")
    total = csr_array((job.tasks, job.tasks))
    for run in job.runs:
        for _, block in run.phase.blocks():
            goes = block.src != block.dst
            ends = block.src[goes], block.dst[goes]
            part = coo_array((block.volume[goes] * run.times, ends), shape=total.shape)
            total = total + part.tocsr()
    both = csr_array(total + total.T)
    both.sum_duplicates()
    return both
