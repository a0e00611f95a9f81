"""All patterns; import new ones here and add them to `AnyPattern`."""

from core.job.collectives.all_to_all import AllToAll as AllToAll
from core.job.collectives.allgather import Allgather as Allgather
from core.job.collectives.allreduce import Allreduce as Allreduce
from core.job.collectives.barrier import Barrier as Barrier
from core.job.collectives.binomial import Broadcast as Broadcast
from core.job.collectives.binomial import Gather as Gather
from core.job.collectives.binomial import Reduce as Reduce
from core.job.collectives.binomial import Scatter as Scatter
from core.job.collectives.reduce_scatter import ReduceScatter as ReduceScatter
from core.job.flows import Flows as Flows
from core.job.halo import Halo as Halo
from core.job.halo_nd import HaloNd as HaloNd
from core.job.hot_spot import HotSpot as HotSpot
from core.job.job import FlowBlock as FlowBlock
from core.job.job import Job as Job
from core.job.job import JobSpec as JobSpec
from core.job.job import Phase as Phase
from core.job.msccl.job import Msccl as Msccl
from core.job.nccl.nccl import Nccl as Nccl
from core.job.pattern import Pattern as Pattern
from core.job.pencils import Pencils as Pencils
from core.job.permutation import Permutation as Permutation
from core.job.random_traffic import RandomTraffic as RandomTraffic
from core.job.sweep import Sweep as Sweep
from core.job.training import Training as Training
from core.job.transpose import Transpose as Transpose
from core.job.transpose_phases import TransposePhases as TransposePhases

AnyPattern = (
    Halo
    | HaloNd
    | Transpose
    | TransposePhases
    | Pencils
    | AllToAll
    | Permutation
    | Pattern
    | Flows
    | Broadcast
    | Reduce
    | Scatter
    | Gather
    | Allgather
    | ReduceScatter
    | Allreduce
    | Barrier
    | RandomTraffic
    | HotSpot
    | Sweep
    | Training
    | Msccl
    | Nccl
)
