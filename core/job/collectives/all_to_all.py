"""All-to-all: every task sends a message to every task, at once or in steps.

Node by node: Totoni and Kale, "Optimizing All-to-All Algorithm for PERCS Network Using Simulation", 2011: in phase i
core j of every node sends to all cores of node j + i, around, so that all links out of a node are in use.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.collectives.steps import (
    BYTES_PER_GB,
    MAX_STEPS,
    Step,
    check_steps,
    exchange,
    power_below,
    rounds_of,
    shift,
    silence,
)
from core.job.job import BLOCK, MAX_TASKS, FlowBlock, Job, JobSpec, Phase, SymmetricPhase, Tasks
from core.job.measure import MEASURES, UNITS
from core.spec import declare


class AllToAll(JobSpec, frozen=True, tag="all-to-all"):
    """All-to-all: a message from every task to every task; each task's unit in n parts, unless their size is given."""

    title: ClassVar[str] = "All-to-all"

    tasks: Annotated[int, declare("Tasks", "number of tasks n", ge=1, le=MAX_TASKS)] = 512
    algorithm: Annotated[
        Literal["at-once", "pairwise", "shift", "bruck", "node-by-node"],
        declare(
            "Algorithm",
            "at-once: one phase; pairwise: with r XOR s in step s; shift: to r + s in step s; bruck: log2 n steps, "
            "through others; node-by-node: every core to all cores of one node, another in each step",
        ),
    ] = "at-once"
    message_bytes: (
        Annotated[
            float,
            declare(
                "Message", "size between each pair; left out: an n-th of a task's unit", unit="bytes", gt=0, le=1e18
            ),
        ]
        | None
    ) = None
    per_node: Annotated[
        int, declare("Tasks a node", "consecutive ranks that node-by-node takes for a node", ge=1, le=1 << 16)
    ] = 32

    def summary(self) -> str:
        """Return the numbers of tasks and of flows, or of steps."""
        if self.algorithm == "at-once":
            return f"{self.tasks:,} tasks, {self.tasks**2:,} flows"
        return f"{self.tasks:,} tasks, {self.count():,} step{'' if self.count() == 1 else 's'}"

    def resized(self, slots: int) -> "AllToAll":
        """Return the pattern for as many tasks as there are slots, or as the limits allow."""
        spec = replace(self, tasks=min(slots, MAX_TASKS))
        return spec if spec.count() <= MAX_STEPS else replace(self, tasks=min(slots, MAX_STEPS))

    def count(self) -> int:
        """Return the number of steps."""
        n = self.tasks
        steps = {"at-once": 1, "bruck": rounds_of(n), "node-by-node": -(-n // self.per_node)}
        return steps.get(self.algorithm, n - 1)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each step. More than `MAX_FLOWS` are for few nodes with many tasks each.

        Raises SpecError: beyond the limit on steps.
        """
        check_steps(self.count())
        if self.message_bytes is None:
            volume, quantum, measure = 1 / self.tasks, Fraction(1, self.tasks), UNITS
        else:
            volume, quantum = self.message_bytes / BYTES_PER_GB, Fraction(self.message_bytes) / BYTES_PER_GB
            measure = MEASURES["MB"]
        unit = self.message_bytes is None
        phases = tuple(self.steps(volume)) or (silence(self.tasks),)
        return Job(self, self.tasks, phases, None, unit, quantum, measure)

    def steps(self, volume: float) -> Iterator[Phase]:
        """Yield the phases, each message of some volume."""
        n = self.tasks
        if self.algorithm == "at-once":
            yield AllToAllPhase(n, volume)
        elif self.algorithm == "node-by-node":
            for i in range(self.count()):
                yield NodeByNodePhase(n, self.per_node, i, volume)
        elif self.algorithm == "bruck":
            for k in range(self.count()):
                blocks = int(np.count_nonzero(np.arange(n) & (1 << k)))
                yield shift(f"step {k + 1}: r -> r + {1 << k}", n, 1 << k, blocks * volume)
        else:
            exchanges = self.algorithm == "pairwise" and n == power_below(n)
            for s in range(1, n):
                yield _exchange(n, s, volume) if exchanges else shift(f"step {s}: r -> r + {s}", n, s, volume)

    @property
    def _sent(self) -> float:
        # What a task sends another in all: what goes through others is not told of.
        if self.algorithm == "bruck":
            return 0.0
        return 1 / self.tasks if self.message_bytes is None else self.message_bytes / BYTES_PER_GB

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return k (n - k) messages, which is exact; 0 where messages go through others."""
        return np.asarray(sizes * (self.tasks - sizes) * self._sent)

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return a message from each of n tasks for each of n - 1 partners."""
        return np.full(self.tasks - 1, self.tasks * self._sent)


def _exchange(tasks: int, bits: int, volume: float) -> Step:
    return exchange(f"step {bits}: r <-> r XOR {bits}", tasks, lambda r: r ^ bits, volume)


class AllToAllPhase(SymmetricPhase):
    """Every ordered pair of tasks."""

    aggregates_by_node = True

    def __init__(self, tasks: int, volume: float) -> None:
        self.tasks = self.fan_out = tasks
        self.message_volume = volume
        self._everyone = np.arange(tasks, dtype=np.int32)

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return n flows for each task."""
        count = tasks.size * self.tasks
        return FlowBlock(
            np.repeat(tasks, self.tasks), np.tile(self._everyone, tasks.size), np.full(count, self.message_volume)
        )

    def messages(self) -> int:
        """Return n (n - 1)."""
        return self.tasks * (self.tasks - 1)

    def node_pair_flows(self, tasks_on: NDArray[np.int64]) -> Iterator[tuple[float, FlowBlock]]:
        """Yield, from u to v, as many messages as there are pairs of a task on u and one on v.

        Node after node that they reach, since paths are looked for from where they end.
        """
        used = np.flatnonzero(tasks_on).astype(np.int32)
        count = tasks_on[used].astype(np.float64)
        step = max(1, BLOCK // used.size)
        for first in range(0, used.size, step):
            some = slice(first, first + step)
            dst, sent = used[some], count[some, None] * count * self.message_volume
            done = min(first + step, used.size) / used.size
            yield done, FlowBlock(np.tile(used, dst.size), np.repeat(dst, used.size), sent.ravel())


class NodeByNodePhase(Phase):
    """Core j of every node sends to all cores of node j + i, around."""

    def __init__(self, tasks: int, per_node: int, i: int, volume: float) -> None:
        self.name = f"step {i + 1}: core j to node j + {i}"
        self.tasks, self.fan_out = tasks, per_node
        self._nodes, self._i, self._volume = -(-tasks // per_node), i, volume

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow from each task to every core of one node."""
        cores = self.fan_out
        node = (tasks % cores + self._i) % self._nodes
        dst = node[:, None] * cores + np.arange(cores)
        return self._flows(np.broadcast_to(tasks[:, None], dst.shape), dst)

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow to each task from those cores of every node whose turn it is."""
        cores = self.fan_out
        first = (tasks // cores - self._i) % self._nodes
        core = first[:, None] + np.arange(0, cores, self._nodes)
        src = np.where(core < cores, core, self.tasks)[:, None, :] + np.arange(self._nodes)[:, None] * cores
        return self._flows(src, np.broadcast_to(tasks[:, None, None], src.shape))

    def _flows(self, src: NDArray[np.integer], dst: NDArray[np.integer]) -> FlowBlock:
        # The last node may have fewer cores.
        both = (src < self.tasks) & (dst < self.tasks)
        count = int(np.count_nonzero(both))
        return FlowBlock(src[both].astype(np.int32), dst[both].astype(np.int32), np.full(count, self._volume))
