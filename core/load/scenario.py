"""Scenarios: network, job, mapping and routing, with faults and background jobs; built, they are a `Case`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, cast

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from core.counters.measured import Measured
from core.counters.measured_links import MeasuredLinks
from core.job import AnyJob
from core.job.job import MAX_FLOWS, FlowBlock, Job, JobSpec, Phase, UniformPhase
from core.load.job_identity import JobColour, JobName, job_colours, job_names, named_by_pattern
from core.load.link_load import LinkLoad, loads_of_links
from core.load.neighbours import Neighbour, Wanted, check_measures, divided, place_of, within
from core.mapping import AnyMapping
from core.mapping.allocation import Allocation, same_nodes
from core.mapping.explicit import Explicit
from core.mapping.mapping import Mapping, MappingSpec, Slots
from core.network import AnyNetwork
from core.network.added_cables import AddedCable, with_cables
from core.network.faults import AnyFault, Faults
from core.network.hosts import Hosts, named, with_sockets
from core.network.network import Network, NetworkSpec
from core.routing import AnyRouting, FaultyRouter, with_faults, without_faults
from core.routing.flows import NodeFlows, Volumes
from core.routing.router import Router, RoutingSpec
from core.spec import Progress, SharedProgress, Spec, SpecError, no_progress, subprogress
from core.text import plural

UNIONS: dict[str, Any] = {"network": AnyNetwork, "job": AnyJob, "mapping": AnyMapping, "routing": AnyRouting}
"""The choices, in the order of their dependence."""
CHOICES = tuple(UNIONS)
MAPPING_PART = 0.8
"""Fraction of the progress for mappings that search, if the loads are computed next."""
SEARCH_PART = 0.5
"""Fraction of the progress for these searches, if counters are read next."""
PLAIN = ("network", "hosts", "cores", "folder")
"""Fields of a scenario that determine its built network without added cables."""
MACHINE = (*PLAIN, "cables")
"""Fields of a scenario that determine its built network."""


@dataclass(frozen=True)
class Scenario:
    """The choices of a study, as in a scenario file."""

    network: NetworkSpec
    job: JobSpec
    mapping: MappingSpec
    routing: RoutingSpec
    note: str = ""
    folder: Path | None = None
    """Folder of the files that it names."""
    faults: tuple[AnyFault, ...] = ()
    """Failed or slow components; the network itself stays the same."""
    snapshots: "tuple[Snapshot, ...]" = ()
    """Named states, in the order in which they were taken."""
    hosts: Hosts | None = None
    """Host names of the nodes in order; None for numbers, or for the names in the network's file."""
    cores: int = 0
    """Slots per socket of a node; 0 without sockets."""
    allocation: str = ""
    """The job's nodes, by host name or number, in the order of strategies; empty for all nodes."""
    down: tuple[str, ...] = ()
    """Nodes that host no task. Their links work: a failed node is one of `faults`."""
    timing: Spec | None = None
    """One of `core.timing`; None for the default of the job, usually a barrier after each phase."""
    neighbours: tuple[Neighbour, ...] = ()
    """Background jobs: see `core.load.neighbours`."""
    job_name: JobName = ""
    """The job's name among background jobs; empty to use its pattern's name."""
    job_colour: JobColour = 0
    """The number of the job's colour among background jobs."""
    background: tuple[LinkLoad, ...] = ()
    """Constant background loads of links, of unknown origin."""
    measured: Measured | None = None
    """Counters of the machine's ports."""
    cables: tuple[AddedCable, ...] = ()
    """Cables added to the network. Strategies place tasks as without them."""

    def build(self, before: "Case | None" = None, progress: Progress = no_progress) -> "Case":
        """Build the scenario; parts with the same choice in `before` are reused.

        The searches of mapping strategies report progress, and the reading of counters.

        Raises SpecError: naming the field that cannot be built, or two that do not fit. Raises Cancelled: when
        `progress` does.
        """
        shared = SharedProgress(progress)
        searches = self._search_progress(shared.part(1.0 if self.measured is None else SEARCH_PART))

        def kept(*fields: str) -> "Case | None":
            # `before`, if these fields are equal.
            same = before is not None and all(getattr(before.scenario, f) == getattr(self, f) for f in fields)
            return before if same else None

        reused = kept(*MACHINE)
        network = reused.network if reused is not None else self._machine(kept(*PLAIN))
        reused = kept("job", "folder")
        job = reused.job if reused is not None else self.job.build(self.folder)
        check_flows(job, network)
        background_jobs = self._background_jobs(network, before)
        # The division of unallocated nodes depends on the number of tasks of each job.
        nodes = (*PLAIN, "allocation", "down", "neighbours", *(("job", "job_name") if background_jobs else ()))
        reused = kept(*nodes)
        tasks = [built_job.tasks for built_job in (job, *background_jobs)]
        allocations = reused.allocations if reused is not None else self.allocations(network.without_cables, tasks)
        reused = kept(*MACHINE, "routing")
        router = without_faults(reused.router) if reused is not None else self.routing.build(network, self.folder)
        faults = self._faults(network, before)
        failed = _failed(network, router, faults)
        if failed is not None:
            same_failed = reused is not None and _has_failed(reused.router, failed)
            router = reused.router if reused is not None and same_failed else with_faults(router, failed)
        mapping = _mapping(self, job, network.without_cables, allocations[0], before, searches[0])
        reused = kept(*MACHINE, "measured")
        measured = reused.measured if reused is not None else self._measured(network, shared.part())
        case = Case(self, network, job, mapping, router, faults, allocations[0], measured=measured)
        if not background_jobs and not self.background:
            return case
        reused = kept(*MACHINE, "faults", "background")
        constant = reused.neighbours.constant if reused is not None else self._constant(case)
        return replace(
            case, neighbours=_neighbours(case, background_jobs, allocations[1:], searches[1:], constant, before)
        )

    def with_textbook_job(self) -> "Scenario":
        """Return the scenario with a textbook algorithm for the same collective, as a baseline: `JobSpec.textbook`.

        Tasks are placed as in the scenario, also if their mapping follows from the log.

        Raises SpecError: if there is none.
        """
        job = self.job.textbook(self.folder)
        if job is None:
            raise SpecError(
                "job", f"{self.job.tag()} has no textbook algorithm; choose a collective of ranks from a log"
            )
        mapping = Explicit.of(self.build().mapping) if self.mapping.needs_log else self.mapping
        return replace(self, job=job, mapping=mapping)

    def _constant(self, case: "Case") -> Volumes:
        # Failed links carry nothing.
        loads = loads_of_links(case.network, self.background)
        return np.where(case.gbs > 0, loads, 0.0) if loads.size else loads

    def _measured(self, network: Network, progress: Progress) -> MeasuredLinks | None:
        return None if self.measured is None else self.measured.build(network, self.folder, progress)

    def _search_progress(self, progress: Progress) -> list[Progress]:
        # The progress function for the mapping of each job; searches have equal parts of the bar.
        searches = [spec.searches for spec in (self.mapping, *(neighbour.mapping for neighbour in self.neighbours))]
        return [subprogress(progress, end - 1, end, sum(searches)) for end in accumulate(searches)]

    def machine(self) -> Network:
        """Build the network, with host names, sockets and added cables.

        Raises SpecError: if it cannot be built, or the host names do not fit its nodes.
        """
        return self._machine(None)

    def _machine(self, before: "Case | None") -> Network:
        # The network; `before` has the same network, perhaps with other added cables.
        network = self._plain() if before is None else before.network.without_cables
        return with_cables(network, self.cables)

    def _plain(self) -> Network:
        network = self.network.build(self.folder)
        if self.cores:
            network = with_sockets(network, self.cores)
        return network if self.hosts is None else named(network, self.hosts, self.folder)

    def routes(self) -> Router:
        """Build the network and its routing around faults, without the job and its mapping.

        Raises SpecError: naming the field that cannot be built.
        """
        network = self.machine()
        router = self.routing.build(network, self.folder)
        failed = _failed(network, router, self._faults(network, None))
        return router if failed is None else with_faults(router, failed)

    def allocations(self, network: Network, tasks: Sequence[int]) -> "list[Allocation | None]":
        """Return the nodes of each job, the main job first, given the number of tasks of each; None for all nodes.

        Raises SpecError: naming an unknown node, a node with two jobs, or that too few are left.
        """
        if not self.neighbours:
            return [Allocation.of(network, self.allocation, self.down)]
        if network.aggregation > 1:
            words = f"do not support aggregated networks, such as this one with {network.real_nodes:,} nodes"
            raise SpecError("neighbours", f"{words}; remove the background jobs, or choose a smaller network")
        return [*divided(network, self.wanted(tasks), self.down)]

    def _background_jobs(self, network: Network, before: "Case | None") -> list[Job]:
        cases = before.neighbours.cases if before is not None and before.scenario.folder == self.folder else ()
        jobs = []
        for number, neighbour in enumerate(self.neighbours, start=1):
            with within(place_of(number)):
                built = (case.job for case in cases if case.scenario.job == neighbour.job)
                jobs.append(next(built, None) or neighbour.job.build(self.folder))
                check_flows(jobs[-1], network)
        return jobs

    def _faults(self, network: Network, before: "Case | None") -> Faults | None:
        if not self.faults:
            return None
        if network.aggregation > 1:
            words = f"do not support aggregated networks, such as this one with {network.real_links:,} links"
            raise SpecError("faults", f"{words}; remove the faults, or choose a smaller network")
        if before is not None and before.network is network and before.scenario.faults == self.faults:
            return before.faults
        return Faults.of(network, self.faults)

    @property
    def job_names(self) -> tuple[str, ...]:
        """Return the names of the jobs, the main job first."""
        return job_names(
            [(self.job_name, self.job), *((neighbour.name, neighbour.job) for neighbour in self.neighbours)]
        )

    @property
    def job_colours(self) -> tuple[int, ...]:
        """Return the numbers of the jobs' colours, from 1, the main job's first."""
        return job_colours([self.job_colour, *(neighbour.colour for neighbour in self.neighbours)])

    @property
    def jobs_in_order(self) -> tuple[int, ...]:
        """Return the numbers of the jobs, 0 for the main job, in an order that does not depend on which is in focus."""
        colours = self.job_colours
        return tuple(sorted(range(len(colours)), key=colours.__getitem__))

    def with_identities(self) -> "Scenario":
        """Return the scenario with the names and colours of all jobs filled in, so that they stay with the jobs."""
        if not self.neighbours:
            return self
        names, colours = self.job_names, self.job_colours
        identities = zip(self.neighbours, names[1:], colours[1:], strict=True)
        neighbours = tuple(
            structs.replace(neighbour, name=name, colour=colour) for neighbour, name, colour in identities
        )
        return replace(self, job_name=names[0], job_colour=colours[0], neighbours=neighbours)

    def wanted(self, tasks: Iterable[int]) -> list[Wanted]:
        """Return the requirements of each job, given its number of tasks."""
        texts = [self.allocation, *(neighbour.allocation for neighbour in self.neighbours)]
        slots = [None, *(neighbour.mapping.named for neighbour in self.neighbours)]
        return [Wanted(*each) for each in zip(self.job_names, texts, tasks, slots, strict=True)]

    def looking_at(self, neighbour: Neighbour) -> "Scenario":
        """Return the scenario with a background job as its job; its `neighbours` are unchanged."""
        return replace(
            self,
            job=neighbour.job,
            mapping=neighbour.mapping,
            allocation=neighbour.allocation,
            job_name=neighbour.name,
            job_colour=neighbour.colour,
        )

    def exchanged(self, number: int) -> "Scenario":
        """Return the scenario with its job and a background job, by number from 0, exchanged.

        Its own inverse, except for `with_identities`. Tasks keep their slots if at most one job is without an
        allocation.
        """
        job, mapping = cast(AnyJob, self.job), cast(AnyMapping, self.mapping)
        own = Neighbour(
            name=self.job_name, colour=self.job_colour, job=job, mapping=mapping, allocation=self.allocation
        )
        neighbours = (*self.neighbours[:number], own, *self.neighbours[number + 1 :])
        return replace(self.looking_at(self.neighbours[number]), neighbours=neighbours)

    def with_choice(self, choice: str, spec: Any) -> "Scenario":
        """Return the scenario with one of the four `CHOICES` replaced."""
        changed: Scenario = replace(self, **{choice: spec})
        if choice == "job" and spec.title != self.job.title and named_by_pattern(self.job_name, self.job):
            return replace(changed, job_name="")
        return changed

    def changed_choices(self, before: "Scenario") -> list[str]:
        """Return the choices that differ from another scenario."""
        return [choice for choice in CHOICES if getattr(self, choice) != getattr(before, choice)]


@dataclass(frozen=True)
class Snapshot:
    """A named state."""

    name: str
    kept: Scenario
    """Choices only: note, folder and snapshots belong to the file."""


def check_flows(job: Job, network: Network) -> None:
    """Check the number of flows, after summation between nodes if possible.

    Raises SpecError: naming the limit.
    """
    pairs = min(job.tasks, network.nodes) ** 2
    for phase in job.phases:
        flows = phase.tasks * phase.fan_out
        if min(flows, pairs) > MAX_FLOWS and isinstance(phase, UniformPhase):
            few = f"or {pairs:,} if summed between {network.nodes:,} nodes"
            raise SpecError("job.tasks", f"makes {flows:,} flows, {few}; at most {MAX_FLOWS:,} can be evaluated")


def _mapping(
    scenario: Scenario,
    job: Job,
    network: Network,
    allocation: Allocation | None,
    before: "Case | None",
    progress: Progress,
) -> Mapping:
    # The mapping of a job, reused from any job in `before` with the same choices and nodes.
    for case in (before, *before.neighbours.cases) if before is not None else ():
        same = all(getattr(case.scenario, field) == getattr(scenario, field) for field in ("job", "mapping", "folder"))
        if same and case.network.without_cables is network and same_nodes(case.allocation, allocation):
            return case.mapping
    return scenario.mapping.build(job, network, allocation, scenario.folder, progress)


def _failed(network: Network, router: Router, faults: Faults | None) -> NDArray[np.bool_] | None:
    # Which links have failed, shape (links,), or None if there is a path between any two nodes without detours.
    if faults is not None and faults.any_failed:
        return faults.failed
    return None if network.connected and router.complete else np.zeros(network.links, np.bool_)


def _has_failed(router: Router, failed: NDArray[np.bool_]) -> bool:
    return isinstance(router, FaultyRouter) and np.array_equal(router.failed, failed)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Built background jobs: see `core.load.neighbours`."""

    cases: "tuple[Case, ...]" = ()
    """Each job as if alone on the machine, but with its own nodes."""
    part: float = 1.0
    """Fraction of their loads that counts: 1 during the entire job, less during a single phase."""
    constant: Volumes = field(default_factory=lambda: np.zeros(0))
    """(links,) background load of unknown origin; of size 0 for none."""

    def __bool__(self) -> bool:
        """Return whether there is any background load."""
        return bool(self.cases) or self.constant.size > 0


NO_NEIGHBOURS = Neighbours()


@dataclass(frozen=True, eq=False)
class Case:
    """A built scenario."""

    scenario: Scenario
    network: Network
    job: Job
    mapping: Mapping
    router: Router
    """The scheme, wrapped if links have failed or the network is disconnected."""
    faults: Faults | None = None
    """None without faults."""
    allocation: Allocation | None = None
    """The job's nodes; None for all nodes."""
    neighbours: Neighbours = NO_NEIGHBOURS
    """Background jobs."""
    measured: MeasuredLinks | None = None
    """Measured loads of links; None without counters."""

    @property
    def allocations(self) -> list[Allocation | None]:
        """Return the nodes of all jobs, its own first."""
        return [self.allocation, *(case.allocation for case in self.neighbours.cases)]

    @property
    def slots(self) -> int:
        """Return the number of slots for the job's tasks."""
        return self.network.slots if self.allocation is None else self.allocation.slots

    def room(self, name: str, nodes: int) -> int:
        """Return the largest number of tasks in one of equal groups of `nodes` nodes, perhaps of the level `name`."""
        if self.allocation is not None:
            nodes = min(nodes, self.allocation.most_in(name, nodes))
        return nodes * self.network.slots_per_node

    def own(self, slots: Slots) -> Slots:
        """Return the slots in `slots` that are on the job's nodes."""
        return slots if self.allocation is None else slots[self.allocation.is_open[slots]]

    @property
    def gbs(self) -> NDArray[np.float64]:
        """Return the bandwidth of every link, shape ``(links,)``, GB/s: less if slow, 0 if failed."""
        return self.network.gbs if self.faults is None else self.faults.gbs

    @property
    def used_nodes(self) -> int:
        """Return the number of nodes with tasks."""
        return int(np.count_nonzero(np.bincount(self.mapping.nodes))) * self.network.aggregation

    @property
    def size(self) -> str:
        """Return ``4,096 tasks on 1,024 nodes``, or ``64 tasks on 32 of 64 nodes`` if some are empty."""
        used, nodes = self.used_nodes, self.network.real_nodes
        some = f"{used:,} of " if used < nodes else ""
        return f"{plural(self.job.tasks, 'task')} on {some}{plural(nodes, 'node')}"

    def node_flows(self, phase: Phase, progress: Progress = no_progress) -> Iterator[NodeFlows]:
        """Yield the flows of a phase between nodes, block by block, with progress after each.

        They are summed by pair of nodes, or of the router's `entry_vertices`, if that gives fewer.
        """
        for done, block in self._fewest(phase):
            yield block
            progress(done)

    def of_one(self, phase: Phase) -> NodeFlows | None:
        """Return the flows of the first node if all other flows are shifts of these, and loads shift with flows.

        Else None: `core.network.Network.alike` is unknown, or tasks are not distributed evenly.
        """
        # The cheapest test comes first: most phases are not uniform, and `alike` takes time on a large network.
        if not (isinstance(phase, UniformPhase) and self.router.shift_invariant):
            return None
        tasks_on = np.bincount(self.mapping.nodes, minlength=self.network.nodes)
        if np.ptp(tasks_on) > 0 or self.network.alike is None:
            return None
        others = np.arange(1, self.network.nodes, dtype=np.int32)
        sent, _ = self._exchanged(phase, int(tasks_on[0]))
        return NodeFlows(np.zeros_like(others), others, np.full(others.size, sent / others.size))

    def flows(self, phase: Phase) -> int:
        """Return the approximate number of flows that the router gets for a phase."""
        if self.of_one(phase) is not None:
            return self.network.nodes
        flows = phase.tasks * phase.fan_out
        if not isinstance(phase, UniformPhase):
            return min(flows, self.network.nodes**2)
        places = [self.mapping.nodes]
        if self.router.entry_vertices is not None:
            places.append(self.router.entry_vertices[self.mapping.nodes])
        return min(flows, *(np.unique(place).size ** 2 for place in places))

    def _fewest(self, phase: Phase) -> Iterator[tuple[float, NodeFlows]]:
        added = self._added_up(phase) if isinstance(phase, UniformPhase) else None
        if added is not None:
            yield from added
            return
        node = self.mapping.nodes
        for done, block in phase.blocks():
            yield done, NodeFlows(node[block.src], node[block.dst], block.volume)

    def _added_up(self, phase: UniformPhase) -> Iterator[tuple[float, NodeFlows]] | None:
        # None if that does not reduce the flows.
        node, entries = self.mapping.nodes, self.router.entry_vertices
        if self.router.depends_on_sums and (ring := self._in_a_ring(phase)) is not None:
            return iter([(1.0, ring)])
        if entries is not None and _fewer(phase, entries[node]):
            some = phase.node_pair_flows(np.bincount(entries[node]))
            ends = self._to_entries(phase, entries)
            return chain([(0.0, ends)], ((done, NodeFlows(*block)) for done, block in some))
        if _fewer(phase, node):
            return ((done, NodeFlows(*block)) for done, block in self.added_up(phase))
        return None

    def _to_entries(self, phase: UniformPhase, entries: NDArray[np.int32]) -> NodeFlows:
        # The total volume that nodes with these numbers of tasks each send to the others, and receive.
        tasks_on = np.bincount(self.mapping.nodes, minlength=self.network.nodes)
        sent, received = np.zeros(tasks_on.size), np.zeros(tasks_on.size)
        for tasks in np.unique(tasks_on).tolist():
            sent[tasks_on == tasks], received[tasks_on == tasks] = self._exchanged(phase, tasks)
        node = np.arange(tasks_on.size, dtype=np.int32)
        return NodeFlows(np.append(node, entries), np.append(entries, node), np.append(sent, received))

    def _exchanged(self, phase: UniformPhase, tasks: int) -> tuple[float, float]:
        # The volume that a node with this number of tasks sends to all others, and receives.
        sent = received = 0.0
        for _, block in phase.node_pair_flows(np.array([tasks, self.job.tasks - tasks])):
            sent += block.volume[(block.src == 0) & (block.dst == 1)].sum()
            received += block.volume[(block.src == 1) & (block.dst == 0)].sum()
        return sent, received

    def _in_a_ring(self, phase: UniformPhase) -> NodeFlows | None:
        # Flows from each node to the next with the same totals, or None if nodes have different numbers of tasks.
        used, tasks = np.unique(self.mapping.nodes, return_counts=True)
        if np.ptp(tasks):
            return None
        sent, received = self._exchanged(phase, int(tasks[0]))
        return NodeFlows(used, np.roll(used, -1), np.full(used.size, sent)) if sent == received else None

    def added_up(self, phase: UniformPhase) -> Iterator[tuple[float, FlowBlock]]:
        """Yield the flows of a phase summed by pair of nodes, with the fraction done."""
        return phase.node_pair_flows(np.bincount(self.mapping.nodes, minlength=self.network.nodes))


def _fewer(phase: Phase, place: NDArray[np.int32]) -> bool:
    # Whether summation by place, given the place of each task, gives no more flows.
    return bool(np.unique(place).size ** 2 <= phase.tasks * phase.fan_out)


def _neighbours(
    alone: Case,
    jobs: Sequence[Job],
    allocations: Sequence[Allocation | None],
    searches: Sequence[Progress],
    constant: Volumes,
    before: Case | None,
) -> Neighbours:
    # The background jobs with their nodes; jobs equal in `before` are reused. `searches`: the progress of each mapping.
    old, scenario, cases = before.neighbours if before is not None else NO_NEIGHBOURS, alone.scenario, []
    for number, (neighbour, job, allocation, progress) in enumerate(
        zip(scenario.neighbours, jobs, allocations, searches, strict=True), start=1
    ):
        reused = next((case for case in old.cases if _same(case, alone, neighbour, allocation)), None)
        if reused is None:
            with within(place_of(number)):
                check_measures(job.measure, alone.job.measure)
                own = replace(scenario.looking_at(neighbour), neighbours=(), background=(), snapshots=(), note="")
                mapping = _mapping(own, job, alone.network.without_cables, allocation, before, progress)
            reused = replace(alone, scenario=own, job=job, mapping=mapping, allocation=allocation)
        cases.append(reused)
    same = list(old.cases) == cases and old.constant is constant
    return old if same else Neighbours(tuple(cases), constant=constant)


def _same(case: Case, alone: Case, neighbour: Neighbour, allocation: Allocation | None) -> bool:
    # Whether a built background job has the same choices, machine and nodes.
    if not all(getattr(case, part) is getattr(alone, part) for part in ("network", "router", "faults")):
        return False
    same_choices = neighbour.job == case.scenario.job and neighbour.mapping == case.scenario.mapping
    return bool(same_choices and same_nodes(case.allocation, allocation))
