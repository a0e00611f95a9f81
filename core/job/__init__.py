"""Who sends what to whom: one file per pattern."""

from core.job.all_to_all import AllToAll as AllToAll
from core.job.flows import Flows as Flows
from core.job.halo import Halo as Halo
from core.job.job import FlowBlock as FlowBlock
from core.job.job import Job as Job
from core.job.job import JobSpec as JobSpec
from core.job.job import Phase as Phase
from core.job.permutation import Permutation as Permutation
from core.job.transpose import Transpose as Transpose
from core.job.transpose_phases import TransposePhases as TransposePhases

AnyJob = Halo | Transpose | TransposePhases | AllToAll | Permutation | Flows
