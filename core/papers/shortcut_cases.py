"""Networks, collectives, mappings and searches of Cui's thesis on shortcut networks, for its tables.

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies", PhD
thesis, 2024.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from core.job.collectives.all_to_all import AllToAll
from core.job.collectives.allreduce import Allreduce
from core.job.collectives.binomial import Broadcast
from core.job.job import Job, JobSpec
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Case, Scenario
from core.mapping import HierarchicalTree, Random, RingConsecutive
from core.mapping.mapping import MappingSpec
from core.network import Circulant, Dragonfly, Shortcut
from core.network.metrics.metrics import count
from core.network.network import NetworkSpec
from core.optimise.method import AnyMethod
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import AnyObjective
from core.optimise.request import Request, SearchResult
from core.optimise.run import optimise
from core.papers.bounds import Bounds, hop_sum
from core.papers.papers import Cell, as_printed, drawn_cell
from core.papers.printed_figures import printed_figures
from core.routing import Minimal
from core.timing import BarrierTiming
from core.timing.messages import total

PRINTED = printed_figures("shortcut")
TOPOLOGIES = 8
"""Random topologies of Tables 3.4 to 3.6; their number in the thesis is not given."""
FEW = 2
"""Random topologies if results hardly vary."""
NODES, RANKS = 1024, 512
SWAPS = 200_000
MANY_SWAPS = 1_000_000
FEW_SWAPS = 20_000
"""With more swaps, two-opt removes all contention."""
NEAR = 0.01
"""Relative distance of the printed figure from our mean, for random topologies."""

COLLECTIVES: dict[str, Callable[[int], JobSpec]] = {
    "Broadcast": Broadcast,
    "Allreduce": Allreduce,
    "Alltoall": lambda tasks: AllToAll(tasks, "bruck"),
}
"""Binomial tree, recursive doubling and Bruck's algorithm."""
MAPPINGS: dict[str, Callable[[int], MappingSpec]] = {
    "random": lambda seed: Random(seed),
    "tree": lambda seed: HierarchicalTree(root=seed, order="random", seed=seed),
    "ring": lambda seed: RingConsecutive(),
}


def circulant(nodes: int) -> Circulant:
    """Return G(n, log2 n)."""
    return Circulant(nodes, tuple(1 << k for k in range(nodes.bit_length() - 1)))


def shortcuts(nodes: int, seed: int) -> Shortcut:
    """Return a ring with random shortcuts of the degree of G(n, log2 n)."""
    return Shortcut(nodes, degree(nodes), seed)


DRAGONFLY = Dragonfly(routers=16, global_links=4, groups=64)
"""The network of section 5.2, of degree 19. The arrangement of its global links is not given."""


TIMING = BarrierTiming(hop_seconds=1e-7)
"""Tables 3.3 and 4.2: a switch takes 100 ns; links have 100 Gb/s, our default."""
LINK_GBS = 12.5


def minimal_case(network: NetworkSpec, job: JobSpec, mapping: MappingSpec, previous: Case | None = None) -> Case:
    """Return a job on shortest paths; each vertex forwards to the neighbour with the lowest ID.

    A known case of the same network saves finding its paths again.
    """
    return Scenario(network, job, mapping, Minimal(), timing=TIMING).build(previous)


def evaluated(network: NetworkSpec, job: JobSpec, mapping: MappingSpec) -> LoadReport:
    """Return the loads of `minimal_case`."""
    return evaluate(minimal_case(network, job, mapping))


def hops(network: NetworkSpec, job: JobSpec, mapping: MappingSpec) -> int:
    """Return the sum of the links crossed by the messages of a collective."""
    return round(total(evaluated(network, job, mapping))[1])


def best_ranks(report: LoadReport, objective: AnyObjective, method: AnyMethod, swaps: int) -> SearchResult:
    """Return the best order of ranks within `swaps` swaps."""
    only_ranks = MoveConstraints(empty=False)
    return optimise(report, Request(objective, method, only_ranks, seconds=None, steps=swaps))


def drawn(
    table: str, row: str, column: str, figures: Sequence[float], note: str = "", bounds: Bounds | None = None
) -> Cell:
    """Return a cell of several topologies, with the printed figure if there is one."""
    return of_draws(table, row, column, figures, PRINTED.value(table, row, column), note, bounds)


def of_draws(
    table: str,
    row: str,
    column: str,
    figures: Sequence[float],
    printed: float | None,
    note: str = "",
    bounds: Bounds | None = None,
) -> Cell:
    """Return a cell of several topologies: the printed figure agrees in their range as rounded, or near their mean."""
    shown = drawn_cell(table, row, column, figures, printed, bounds=bounds)
    if printed is not None and not shown.agrees:
        rounded = as_printed(shown.low, printed) or as_printed(shown.high, printed)
        shown = replace(shown, agrees=rounded or abs(shown.ours - printed) <= NEAR * abs(printed))
    return replace(shown, note=note)


MESSAGES: dict[str, Callable[[int], int]] = {
    "Broadcast": lambda tasks: tasks - 1,
    "Allreduce": lambda tasks: tasks * (tasks.bit_length() - 1),
    "Alltoall": lambda tasks: tasks * (tasks.bit_length() - 1),
}
"""Messages of each collective among a power of two of tasks."""


def degree(nodes: int) -> int:
    """Return the links of a node of G(n, log2 n): its longest jump leads to one node, the others to two."""
    return 2 * (nodes.bit_length() - 1) - 1


@lru_cache
def diameter(network: NetworkSpec) -> int:
    """Return the largest distance between two nodes, counted without routing."""
    return count(network.build())[0].diameter


def hop_bounds(name: str, tasks: int, *networks: NetworkSpec) -> Bounds:
    """Return bounds of the hops of a collective on any of some networks, summed over its messages."""
    return hop_sum(MESSAGES[name](tasks), max(map(diameter, networks)))


class PhaseSum(NamedTuple):
    """A phase's messages between different tasks."""

    messages: int
    largest: float
    """Size of the largest message in GB."""
    total: float
    """Size of all messages in GB."""


def phase_sums(job: Job) -> list[PhaseSum]:
    """Return the sums of every phase, in order."""
    sums = []
    for phase in job.phases:
        volumes = np.concatenate([flows.volume[flows.src != flows.dst] for _, flows in phase.blocks()])
        sums.append(PhaseSum(volumes.size, float(volumes.max(initial=0.0)), float(volumes.sum())))
    return sums


def barrier_seconds(job: Job, diameter: int) -> Bounds:
    """Return bounds of the time of a job under `TIMING`, its tasks on different nodes.

    A phase takes at least the time of its largest message over one link, and at most the time of all of them over it.
    """
    sums = [phase for phase in phase_sums(job) if phase.messages]
    least = sum(2 * TIMING.hop_seconds + phase.largest / LINK_GBS for phase in sums)
    return least, sum((diameter + 1) * TIMING.hop_seconds + phase.total / LINK_GBS for phase in sums)
