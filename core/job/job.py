"""A job is a tuple of phases; a phase yields its flows (source, destination, volume) in bounded blocks."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, isqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.measure import UNITS, Measure
from core.spec import Spec, SpecError

BLOCK = 1 << 18
"""Flows in a block, about: small enough to stay in the cache, large enough to hide the cost of the call."""
MAX_TASKS = 1 << 22
MAX_FLOWS = 1 << 34

Tasks = NDArray[np.int32]
NO_TASKS: Tasks = np.zeros(0, np.int32)


class FlowBlock(NamedTuple):
    """Some flows as three arrays of one length."""

    src: Tasks
    dst: Tasks
    volume: NDArray[np.float64]

    @classmethod
    def joined(cls, blocks: Iterable["FlowBlock"]) -> "FlowBlock":
        """Return the flows of all blocks, one after the other; of none, none."""
        columns = zip(NO_FLOWS, *blocks, strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def at(self, where: slice | NDArray[np.intp]) -> "FlowBlock":
        """Return the flows at these positions."""
        return FlowBlock(self.src[where], self.dst[where], self.volume[where])


NO_FLOWS = FlowBlock(NO_TASKS, NO_TASKS, np.zeros(0))


class Phase(ABC):
    """Flows that load the network at once. A flow of a task to itself is allowed and free.

    A pattern's phase has `tasks` and `fan_out` and gives `out_flows` and `in_flows` (`SymmetricPhase` has the latter).
    All else may be left out: `blocks` where slices of `out_flows` do.
    """

    name: str = ""
    """What a job of several phases calls it; empty: it is told by its number."""
    tasks: int
    fan_out: int
    """The most flows that leave one task."""
    pause_seconds: float = 0.0
    """How long nothing is sent before the flows are."""

    @abstractmethod
    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that leave the given tasks."""

    @abstractmethod
    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that reach the given tasks."""

    def messages(self) -> int:
        """Return how many flows go from a task to another."""
        return sum(int(np.count_nonzero(block.src != block.dst)) for _, block in self.blocks())

    def blocks(self) -> Iterator[tuple[float, FlowBlock]]:
        """Yield every flow once, in blocks of about `BLOCK`, each with the fraction of the phase done."""
        step = max(1, BLOCK // max(self.fan_out, 1))
        for first in range(0, self.tasks, step):
            last = min(first + step, self.tasks)
            yield last / self.tasks, self.out_flows(np.arange(first, last, dtype=np.int32))


class UniformPhase(Phase):
    """A phase of alike tasks: what one node sends another depends only on the number of tasks on each.

    Flows of others are evaluated task by task.
    """

    message_volume: float
    """The volume of every flow."""

    @abstractmethod
    def node_pair_flows(self, tasks_on: NDArray[np.int64]) -> Iterator[tuple[float, FlowBlock]]:
        """Yield what nodes send nodes, each pair once, in blocks with the fraction done.

        `tasks_on`, shape ``(nodes,)``, is how many tasks are on each node.
        """


class SymmetricPhase(Phase):
    """A phase in which every task receives from another what it sends it."""

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that leave the tasks, reversed."""
        flows = self.out_flows(tasks)
        return FlowBlock(flows.dst, flows.src, flows.volume)


class PhaseRun(NamedTuple):
    """One of the phases of a job, which may be run several times."""

    first: int
    """Where it is first among the phases."""
    phase: Phase
    times: int


@dataclass(frozen=True, eq=False)
class Job:
    """A built job."""

    spec: "JobSpec"
    tasks: int
    phases: tuple[Phase, ...]
    grid: tuple[int, int] | None
    """Rows and columns of the task grid (rank = row * columns + column), if tasks form one."""
    unit: bool
    """Whether each task sends one unit in all (throughput is then counted per node), or given volumes."""
    quantum: Fraction | None = None
    """Every flow's volume is a whole multiple of it, if such a quantum is known."""
    measure: Measure = UNITS
    """The measure of its volumes."""
    repeats: int = 1
    """How often the same phases are run one after the other; `phases` has all of these."""
    warnings: tuple[str, ...] = ()
    """What of a file that it was read from is left out, or may be meant otherwise."""

    @cached_property
    def runs(self) -> tuple[PhaseRun, ...]:
        """Return each of the phases once: what is looked at in one pass, of which each counts `PhaseRun.times`."""
        first: dict[int, int] = {}
        for index, phase in enumerate(self.phases):
            first.setdefault(id(phase), index)
        count = Counter(map(id, self.phases))
        return tuple(PhaseRun(index, self.phases[index], count[phase]) for phase, index in first.items())

    @cached_property
    def run_of(self) -> NDArray[np.intp]:
        """Return for each phase which of the `runs` it is, shape ``(phases,)``."""
        number = {id(run.phase): k for k, run in enumerate(self.runs)}
        return np.array([number[id(phase)] for phase in self.phases], np.intp)

    def step_name(self, index: int) -> str:
        """Return what a phase is called, and which of the repeats it is in."""
        name = self.phases[index].name or f"phase {index + 1}"
        period = len(self.phases) // self.repeats
        return name if self.repeats == 1 else f"{name}, repeat {index // period + 1:,}"

    @cached_property
    def volume(self) -> float:
        """Return the volume of all flows, also of those that stay on their node; of units, one a task."""
        if self.unit:
            return float(self.tasks)
        return float(sum(times * b.volume.sum() for _, phase, times in self.runs for _, b in phase.blocks()))

    @cached_property
    def run_shares(self) -> NDArray[np.float64]:
        """Return what part of the volume of all phases each of the `runs` sends at one time, shape ``(runs,)``."""
        if len(self.runs) == 1:
            return np.array([1 / self.runs[0].times])
        sent = np.array([sum(float(b.volume.sum()) for _, b in run.phase.blocks()) for run in self.runs])
        whole = float(sent @ [run.times for run in self.runs])
        return sent / (whole or 1.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the grid, or a near-square one to show tasks that form none."""
        if self.grid is not None:
            return self.grid
        columns = int(np.ceil(np.sqrt(self.tasks)))
        return -(-self.tasks // columns), columns


class JobSpec(Spec, frozen=True):
    """A traffic pattern: declared fields, `build` and `summary`.

    The other methods may be left out. Without `resized` the pattern has a single size. Each lower bound that a pattern
    knows makes the bounds on times (`core.load.bounds`) sharper; unknown ones are 0.
    """

    @abstractmethod
    def build(self, folder: Path | None = None) -> Job:
        """Return the built job; files it names lie in `folder`.

        Raises SpecError: naming the invalid field.
        """

    @abstractmethod
    def summary(self) -> str:
        """Return one short line for the form."""

    def resized(self, slots: int) -> "JobSpec":
        """Return the pattern in the size that fills `slots` slots; one that has a single size returns itself."""
        return self

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a lower bound on what leaves any set of so many tasks, for each of some sizes; 0 where unknown."""
        return np.zeros(sizes.size)

    def min_crossing_volume(self, job: Job, capacity: int, groups: int) -> float:
        """Return a lower bound on the volume between groups, however tasks are put into groups.

        At most `groups` groups, each of at most `capacity` tasks. Unless a pattern knows more it follows from what
        leaves sets. If tasks fill every group, each group has exactly `capacity` tasks: the sum is
        ``groups * leaving(capacity)``. Else, with r the least of ``leaving(k) / k``, groups of k_1, k_2, ... tasks send
        at least ``r k_1 + r k_2 + ... = r * tasks``.
        """
        if job.tasks == capacity * groups:
            return float(groups * self.min_leaving_volume(np.array([capacity]))[0])
        sizes = np.arange(1, min(capacity, job.tasks) + 1)
        return float((self.min_leaving_volume(sizes) / sizes).min() * job.tasks)

    def min_crossing_volume_split(self, job: Job, capacity: int, groups: int, most: float) -> float:
        """Return the same if no group may send more than `most` to any one other; infinity: there is no such way."""
        crossing = self.min_crossing_volume(job, capacity, groups)
        # The slack keeps rounding from making impossible what just fits.
        return crossing if crossing <= groups * (groups - 1) * most * (1 + 1e-9) else inf

    def max_external_volume(self, job: Job, capacity: int) -> tuple[float, float]:
        """Return what some task must send, and some receive, across the rim of any group of `capacity` tasks.

        At least; 0 where nothing is known. Unless a job knows more: what a task sends on average to all but its
        ``capacity - 1`` most served partners.
        """
        return float(self.volume_by_partner_rank(job)[capacity - 1 :].sum()) / job.tasks, 0.0

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return what all tasks together send to their first, second, ... most served partner; empty: unknown."""
        return np.zeros(0)


def near_square(tasks: int) -> tuple[int, int]:
    """Return the most nearly square grid of exactly `tasks` tasks, rows <= columns: 512 makes 16 x 32."""
    rows = next(rows for rows in range(isqrt(tasks), 0, -1) if tasks % rows == 0)
    return rows, tasks // rows


def check_tasks(field: str, tasks: int, flows: int) -> None:
    """Refuse a job of too many tasks or flows.

    Raises SpecError: naming the field and the limit.
    """
    if tasks > MAX_TASKS:
        raise SpecError(field, f"makes {tasks:,} tasks; at most {MAX_TASKS:,} fit")
    if flows > MAX_FLOWS:
        raise SpecError(field, f"makes {flows:,} flows; at most {MAX_FLOWS:,} can be evaluated")
