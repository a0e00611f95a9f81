"""Lattice colouring: a mapping strategy for halo exchanges, whose search `core.mapping.lattice.search` describes."""

from functools import lru_cache
from math import ceil, prod
from typing import Annotated, ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.lattice.machine import machine_of
from core.mapping.lattice.search import LatticeSearch, tasks_per_group
from core.mapping.lattice.stencil import stencil_of
from core.mapping.lattice.units import Limits, Units
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network, NetworkSpec
from core.spec import Progress, Seed, SpecError, declare


class LatticeColouring(MappingSpec, frozen=True, tag="lattice-colouring"):
    """Lattice colouring: every group gets the same shape of a halo exchange, translated; a search determines it.

    The reference has a chapter on the construction, the search, and proofs that some results are optimal.
    """

    title: ClassVar[str] = "Lattice colouring"
    sees = "machine"
    searches: ClassVar[bool] = True

    target: Annotated[
        float,
        declare(
            "Target",
            "throughput at which the search stops, under direct routing (best: the highest that it can find)",
            unit="GB/s per node",
            zero="best",
            ge=0,
            le=1e9,
        ),
    ] = 0.0
    effort: Annotated[
        int, declare("Effort", "number of trials, of up to a few seconds each", unit="trials", ge=1, le=100_000)
    ] = 16
    seed: Seed = 0

    def search(self, job: Job, network: Network, progress: Progress) -> Slots:
        """Return the slots of the colouring that takes the least time.

        Raises SpecError: if the job is not a halo exchange, the network has no groups that are all linked to each
        other, tasks cannot be divided evenly among them, or no colouring was found. Raises Cancelled: when `progress`
        does.
        """
        stencil, machine = stencil_of(job), machine_of(network)
        results = _results(self, job.spec, network.spec)
        if not results:
            least = job.volume_per_node(network.slots_per_node) / self.target if self.target else _least(job, network)
            best = LatticeSearch(stencil, machine, self.seed, least).run(self.effort, progress)
            if best is None:
                reason = "found no colouring; lower the target, or raise the effort"
                raise SpecError("mapping.effort", f"lattice-colouring {reason}")
            results.append(best.slots)
        return results[0].copy()


@lru_cache(maxsize=8)
def _results(spec: LatticeColouring, job: object, network: NetworkSpec) -> list[Slots]:
    # The list that stores the result of a search, once there is any, while the same scenario is edited.
    return []


def _least(job: Job, network: Network) -> float:
    # A time that is not reached, from the messages that must leave each group: where the search begins.
    stencil, machine = stencil_of(job), machine_of(network)
    tasks = tasks_per_group(stencil, machine)
    leaving = float(job.spec.min_leaving_volume(np.array([tasks]))[0]) / stencil.part
    groups = prod(stencil.dims) // tasks
    return Units.of(stencil, machine).time(Limits(0, 0, ceil(leaving / (groups - 1) * (1 - 1e-9))))
