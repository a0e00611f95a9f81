"""Base classes of jobs. A job is a tuple of phases, which yield flows (source, destination, volume) in blocks."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, isqrt
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.channels import Channels
from core.job.flow_parts import FlowParts
from core.job.logged_hosts import LoggedHosts
from core.job.measure import UNITS, Measure
from core.job.order import MessageOrder
from core.job.stencil import Stencil
from core.spec import Spec, SpecError, declare

BLOCK = 1 << 18
"""Approximate number of flows in a block: small enough for the cache, large enough to hide the cost of a call."""
MAX_TASKS = 1 << 22
MAX_FLOWS = 1 << 34

TaskCount = Annotated[int, declare("Tasks", "number of tasks n", ge=1, le=MAX_TASKS)]
GridRows = Annotated[int, declare("Rows", "rows P of the task grid", ge=1, le=1 << 20)]
GridColumns = Annotated[int, declare("Columns", "columns Q of the task grid", ge=1, le=1 << 20)]
PERIODIC = declare("Periodic", "wrap-around neighbours; otherwise the share of a missing neighbour is not sent")
"""The declaration of whether neighbours wrap around."""

Tasks = NDArray[np.int32]
NO_TASKS: Tasks = np.zeros(0, np.int32)


class FlowBlock(NamedTuple):
    """Flows, as three arrays of equal length."""

    src: Tasks
    dst: Tasks
    volume: NDArray[np.float64]

    @classmethod
    def joined(cls, blocks: Iterable["FlowBlock"]) -> "FlowBlock":
        """Concatenate the flows of any number of blocks."""
        columns = zip(NO_FLOWS, *blocks, strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def at(self, where: slice | NDArray[np.intp]) -> "FlowBlock":
        """Return the flows at some indices."""
        return FlowBlock(self.src[where], self.dst[where], self.volume[where])


NO_FLOWS = FlowBlock(NO_TASKS, NO_TASKS, np.zeros(0))


class Phase(ABC):
    """Flows that load the network together. A flow from a task to itself is allowed and free.

    Subclasses need `tasks`, `fan_out`, `out_flows` and `in_flows` (which `SymmetricPhase` defines). By default,
    `blocks` slices `out_flows`.
    """

    name: str = ""
    """Name in a job of several phases; empty for the number of the phase."""
    tasks: int
    fan_out: int
    """Largest number of flows out of one task."""
    pause_seconds: float = 0.0
    """Time before the flows, during which nothing is sent."""
    parts: FlowParts | None = None
    """Labelled parts of the flows, if there are any."""

    @abstractmethod
    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that leave the given tasks."""

    @abstractmethod
    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that reach the given tasks."""

    def messages(self) -> int:
        """Return the number of flows between different tasks."""
        return sum(int(np.count_nonzero(block.src != block.dst)) for _, block in self.blocks())

    def blocks(self) -> Iterator[tuple[float, FlowBlock]]:
        """Yield every flow once, in blocks of about `BLOCK`, each with the fraction of the phase done."""
        step = max(1, BLOCK // max(self.fan_out, 1))
        for first in range(0, self.tasks, step):
            last = min(first + step, self.tasks)
            yield last / self.tasks, self.out_flows(np.arange(first, last, dtype=np.int32))


class UniformPhase(Phase):
    """A phase of equivalent tasks: the flows between nodes depend only on the number of tasks on each.

    Other phases are evaluated task by task.
    """

    message_volume: float
    """Volume of each flow."""

    @abstractmethod
    def node_pair_flows(self, tasks_on: NDArray[np.int64]) -> Iterator[tuple[float, FlowBlock]]:
        """Yield the flows between nodes, each pair once, in blocks with the fraction done.

        `tasks_on`, shape ``(nodes,)``, is the number of tasks on each node.
        """


class SymmetricPhase(Phase):
    """A phase in which any two tasks send each other the same volume."""

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows from the tasks, reversed."""
        flows = self.out_flows(tasks)
        return FlowBlock(flows.dst, flows.src, flows.volume)


class PhaseRun(NamedTuple):
    """A phase of a job, and how often it is run."""

    first: int
    """Index of its first occurrence among the phases."""
    phase: Phase
    times: int


@dataclass(frozen=True, eq=False)
class TaskGroups:
    """A division of the tasks of a job into groups, as by a kind of parallelism."""

    name: str
    """Name of one group, such as ``tensor group``."""
    group: Tasks
    """(tasks,) number of each task's group, from 0."""
    count: int


@dataclass(frozen=True, eq=False)
class Job:
    """A built job."""

    spec: "JobSpec"
    tasks: int
    phases: tuple[Phase, ...]
    grid: tuple[int, int] | None
    """Rows and columns of the task grid (rank = row * columns + column), if tasks form one."""
    unit: bool
    """Whether each task sends one unit in total (throughput is then per node) rather than given volumes."""
    quantum: Fraction | None = None
    """A volume that divides every flow's volume, if known."""
    measure: Measure = UNITS
    """The measure of volumes."""
    repeats: int = 1
    """How often the same phases are repeated; `phases` includes all repeats."""
    warnings: tuple[str, ...] = ()
    """Notes on ignored or ambiguous parts of the file it was read from."""
    source: str = ""
    """Format of this file: ``a GOAL schedule``; empty for other jobs."""
    contents: tuple[str, ...] = ()
    """Contents of this file, in words, if the number of flows does not describe them."""
    order: MessageOrder | None = None
    """Order of the messages of all phases; None if each rank runs one phase after the other."""
    logged_hosts: LoggedHosts | None = None
    """Hosts on which its tasks ran; None if unknown."""
    unit_assumed: bool = False
    """Whether `measure` is assumed, because neither the scenario nor a file gives the unit of volumes."""

    @cached_property
    def groups(self) -> tuple[TaskGroups, ...]:
        """Return the divisions of its tasks that its pattern declares."""
        return self.spec.task_groups()

    @cached_property
    def channels(self) -> Channels | None:
        """Return the channels of its first phase that has any, or None."""
        phases = (run.phase for run in self.runs if run.phase.parts is not None)
        flows = ((phase.parts, FlowBlock.joined(block for _, block in phase.blocks())) for phase in phases)
        return next(filter(None, (Channels.of(parts, of.src, of.dst) for parts, of in flows)), None)

    @cached_property
    def runs(self) -> tuple[PhaseRun, ...]:
        """Return each distinct phase once, with its number of occurrences (`PhaseRun.times`)."""
        first: dict[int, int] = {}
        for index, phase in enumerate(self.phases):
            first.setdefault(id(phase), index)
        count = Counter(map(id, self.phases))
        return tuple(PhaseRun(index, self.phases[index], count[phase]) for phase, index in first.items())

    @cached_property
    def run_of(self) -> NDArray[np.intp]:
        """Return for each phase its index in `runs`, shape ``(phases,)``."""
        number = {id(run.phase): k for k, run in enumerate(self.runs)}
        return np.array([number[id(phase)] for phase in self.phases], np.intp)

    def step_name(self, index: int) -> str:
        """Return the name of a phase, with the number of its repeat."""
        name = self.phases[index].name or f"phase {index + 1}"
        period = len(self.phases) // self.repeats
        return name if self.repeats == 1 else f"{name}, repeat {index // period + 1:,}"

    def volume_per_node(self, slots: float, flowing: float | None = None) -> float:
        """Return the volume per node that, divided by the time t, is the throughput per node.

        If each task sends a unit: the number of tasks that fit a node, regardless of its actual tasks and of
        disconnected flows. A full node without disconnected flows does send this volume in t; `LoadReport.verdict`
        mentions the others.

        For traced flows: the connected volume, over the fewest nodes that can hold the job. That does not depend on the
        mapping, so of two mappings that disconnect the same flows the faster one has the higher throughput, and a
        minimum time is a maximum throughput.

        Parameters
        ----------
        slots
            Slots of a node.
        flowing
            Volume of connected flows; None if all are connected.
        """
        if self.unit:
            return slots
        return (self.volume if flowing is None else flowing) / ceil(self.tasks / slots)

    @cached_property
    def volume(self) -> float:
        """Return the volume of all flows, including flows within a node; for units, one per task."""
        if self.unit:
            return float(self.tasks)
        return float(sum(times * b.volume.sum() for _, phase, times in self.runs for _, b in phase.blocks()))

    @cached_property
    def run_shares(self) -> NDArray[np.float64]:
        """Return the fraction of the total volume that each of the `runs` sends each time, shape ``(runs,)``."""
        if len(self.runs) == 1:
            return np.array([1 / self.runs[0].times])
        sent = np.array([sum(float(b.volume.sum()) for _, b in run.phase.blocks()) for run in self.runs])
        total = float(sent @ [run.times for run in self.runs])
        return sent / (total or 1.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the grid, or a nearly square one for display."""
        if self.grid is not None:
            return self.grid
        columns = int(np.ceil(np.sqrt(self.tasks)))
        return -(-self.tasks // columns), columns


class JobSpec(Spec, frozen=True):
    """A traffic pattern: declared fields, `build` and `summary`.

    Other methods are optional. Without `resized` the pattern has a single size. Lower bounds, 0 by default, improve
    the bounds on times (`core.load.bounds`).
    """

    default_timing: ClassVar[str] = "barrier"
    """Tag of the timing of scenarios that choose none."""

    @abstractmethod
    def build(self, folder: Path | None = None) -> Job:
        """Build the job; files it names are in `folder`.

        Raises SpecError: naming the invalid field.
        """

    @abstractmethod
    def summary(self) -> str:
        """Return a short line for the form."""

    def resized(self, slots: int) -> "JobSpec":
        """Return the pattern in the size that fills `slots` slots; a pattern with a single size returns itself."""
        return self

    def textbook(self, folder: Path | None = None) -> "JobSpec | None":
        """Return the same operation by a textbook algorithm in the order of ranks, as a baseline; None by default.

        Raises SpecError: if the job cannot be built.
        """
        return None

    def task_groups(self) -> tuple[TaskGroups, ...]:
        """Return the divisions of the tasks into groups; none by default."""
        return ()

    def neighbourhood(self) -> Stencil | None:
        """Return the messages of a task if all tasks of a grid send the same, except across its border; else None."""
        return None

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a lower bound on the volume that leaves any set of tasks, for each size of the set; 0 if unknown."""
        return np.zeros(sizes.size)

    def min_crossing_volume(self, job: Job, capacity: int, groups: int) -> float:
        """Return a lower bound on the volume between groups, for any division of the tasks.

        There are at most `groups` groups of at most `capacity` tasks. By default it follows from `min_leaving_volume`:
        if the tasks fill every group exactly, the sum is ``groups * leaving(capacity)``. Else, with r the minimum of
        ``leaving(k) / k``, groups of k_1, k_2, ... tasks send at least ``r k_1 + r k_2 + ... = r * tasks``.
        """
        if job.tasks == capacity * groups:
            return float(groups * self.min_leaving_volume(np.array([capacity]))[0])
        sizes = np.arange(1, min(capacity, job.tasks) + 1)
        return float((self.min_leaving_volume(sizes) / sizes).min() * job.tasks)

    def min_crossing_volume_split(self, job: Job, capacity: int, groups: int, most: float) -> float:
        """Return the bound if no group may send more than `most` to another group; infinity if that is impossible."""
        crossing = self.min_crossing_volume(job, capacity, groups)
        # Tolerance for rounding where the limit is just met.
        return crossing if crossing <= groups * (groups - 1) * most * (1 + 1e-9) else inf

    def max_external_volume(self, job: Job, capacity: int) -> tuple[float, float]:
        """Return lower bounds on the largest volumes that a task sends and receives across the border of its group.

        Groups have at most `capacity` tasks; 0 if unknown. By default, the mean volume of a task to all but its
        ``capacity - 1`` heaviest partners.
        """
        return float(self.volume_by_partner_rank(job)[capacity - 1 :].sum()) / job.tasks, 0.0

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return the volume of all tasks to their heaviest, second heaviest, ... partner; empty if unknown."""
        return np.zeros(0)


def near_square(tasks: int) -> tuple[int, int]:
    """Return the most nearly square grid of exactly `tasks` tasks, rows <= columns: 512 gives 16 x 32."""
    rows = next(rows for rows in range(isqrt(tasks), 0, -1) if tasks % rows == 0)
    return rows, tasks // rows


def check_tasks(field: str, tasks: int, flows: int) -> None:
    """Check the numbers of tasks and flows of a job against the limits.

    Raises SpecError: naming the field and the limit that is exceeded.
    """
    if tasks > MAX_TASKS:
        raise SpecError(field, f"makes {tasks:,} tasks; the limit is {MAX_TASKS:,}")
    if flows > MAX_FLOWS:
        raise SpecError(field, f"makes {flows:,} flows; the limit is {MAX_FLOWS:,}")
