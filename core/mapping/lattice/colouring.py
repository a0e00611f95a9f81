"""Lattice colouring: a mapping strategy for halo exchanges, whose search `core.mapping.lattice.search` describes."""

from typing import Annotated, ClassVar

from core.job.job import Job
from core.mapping.lattice.search import LatticeSearch
from core.mapping.mapping import MappingSpec, Slots, results_of
from core.network.network import Network
from core.spec import Progress, Seed, SpecError, declare


class LatticeColouring(MappingSpec, frozen=True, tag="lattice-colouring"):
    """Lattice colouring: every group gets the same shape of a halo exchange, translated; a search determines it.

    The reference has a chapter on the construction, the search, and proofs that some results are optimal.
    """

    title: ClassVar[str] = "Lattice colouring"
    sees = "machine"
    searches: ClassVar[bool] = True
    starts_searches: ClassVar[bool] = False

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
        groups = network.spec.linked_groups()
        if groups is None:
            needed = "percs with several supernodes, or a dragonfly with equally many links between every two groups"
            raise SpecError("mapping.type", f"lattice-colouring needs {needed}; try blocks or sequential")
        results = results_of(self, job.spec, network.spec)
        if not results:
            least = job.volume_per_node(network.slots_per_node) / self.target if self.target else 0.0
            best = LatticeSearch.of(job, groups, self.seed, least).run(self.effort, progress)
            if best is None:
                reason = "found no colouring; lower the target, or raise the effort"
                raise SpecError("mapping.effort", f"lattice-colouring {reason}")
            results.append(best.slots)
        return results[0].copy()
