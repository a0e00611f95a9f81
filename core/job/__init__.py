"""Who sends what to whom: one file per pattern."""

from core.job.all_to_all import AllToAll
from core.job.flows import Flows
from core.job.halo import Halo
from core.job.job import FlowBlock, Job, JobSpec, Phase
from core.job.permutation import Permutation
from core.job.transpose import Transpose
from core.job.transpose_phases import TransposePhases

AnyJob = Halo | Transpose | TransposePhases | AllToAll | Permutation | Flows

__all__ = [
    "AllToAll",
    "AnyJob",
    "FlowBlock",
    "Flows",
    "Halo",
    "Job",
    "JobSpec",
    "Permutation",
    "Phase",
    "Transpose",
    "TransposePhases",
]
