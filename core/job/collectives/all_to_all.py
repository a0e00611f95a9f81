"""All-to-all: every task sends a message to every task, at once or in steps.

The algorithm node-by-node: in phase i, core j of every node sends to all cores of node j + i (modulo the number of
nodes), so that all links out of a node are in use. Source: Totoni and Kale, "Optimizing All-to-All Algorithm for PERCS
Network Using Simulation", 2011.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.collectives.steps import MAX_STEPS, Steps, ceil_log2, exchange_bit, power_below, shift
from core.job.job import (
    BLOCK,
    MAX_TASKS,
    FlowBlock,
    Job,
    JobSpec,
    Phase,
    SymmetricPhase,
    TaskCount,
    Tasks,
    UniformPhase,
)
from core.job.message import MessageSize, OwnBytes
from core.spec import declare


class AllToAll(JobSpec, frozen=True, tag="all-to-all"):
    """All-to-all: a message from every task to every task; by default, 1/n unit each."""

    title: ClassVar[str] = "All-to-all"

    tasks: TaskCount = 512
    algorithm: Annotated[
        Literal["at-once", "pairwise", "shift", "bruck", "node-by-node"],
        declare(
            "Algorithm",
            "at-once (one phase), pairwise (with r XOR s in step s), shift (to r + s in step s), bruck (log2 n steps "
            "with forwarding) or node-by-node (in each step, every core to all cores of another node)",
        ),
    ] = "at-once"
    message_bytes: OwnBytes = None
    per_node: Annotated[
        int, declare("Tasks per node", "consecutive ranks that node-by-node treats as a node", ge=1, le=1 << 16)
    ] = 32

    @property
    def unused(self) -> frozenset[str]:
        """Return the number of tasks per node, unless messages go node by node."""
        return frozenset(() if self.algorithm == "node-by-node" else ("per_node",))

    def summary(self) -> str:
        """Return the numbers of tasks and of flows, or of steps."""
        if self.algorithm == "at-once":
            return f"{self.tasks:,} tasks, {self.tasks**2:,} flows"
        return f"{self.tasks:,} tasks, {self.steps().words}"

    def resized(self, slots: int) -> "AllToAll":
        """Return the pattern with as many tasks as slots, within the limits."""
        spec = replace(self, tasks=min(slots, MAX_TASKS))
        return spec if spec.steps().count <= MAX_STEPS else replace(self, tasks=min(slots, MAX_STEPS))

    @property
    def size(self) -> MessageSize:
        """Return the size of a message."""
        return MessageSize.of(self.message_bytes, Fraction(1, self.tasks))

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each step. On few nodes with many tasks each, `MAX_FLOWS` may be exceeded.

        Raises SpecError: beyond the limit on steps.
        """
        n, size = self.tasks, self.size
        phases: tuple[Phase, ...] = (AllToAllPhase(n, size.volume),)
        if self.algorithm != "at-once":
            phases = self.steps().phases(n)
        return Job(self, n, phases, None, size.unit, size.quantum, size.measure)

    def steps(self) -> Steps:
        """Return the steps, unless all messages are sent at once."""
        n, volume = self.tasks, self.size.volume
        if self.algorithm == "node-by-node":
            return Steps(-(-n // self.per_node), lambda i: NodeByNodePhase(n, self.per_node, i, volume))
        if self.algorithm == "bruck":
            return Steps(ceil_log2(n), lambda k: shift(n, 1 << k, bruck_blocks(n, k) * volume))
        if self.algorithm == "pairwise" and n == power_below(n):
            return Steps(n - 1, lambda number: exchange_bit(n, number + 1, n, volume))
        return Steps(1 if self.algorithm == "at-once" else n - 1, lambda number: shift(n, number + 1, volume))

    @property
    def _sent(self) -> float:
        # Volume between two tasks; 0 if other tasks forward messages.
        return 0.0 if self.algorithm == "bruck" else self.size.volume

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return k (n - k) messages, which is exact; 0 if other tasks forward messages."""
        return np.asarray(sizes * (self.tasks - sizes) * self._sent)

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return, for each of n - 1 partners, a message from each of n tasks."""
        return np.full(self.tasks - 1, self.tasks * self._sent)


def bruck_blocks(tasks: int, k: int) -> int:
    """Return the number of blocks that a task sends in step k: those for tasks at distances with bit k set."""
    return int(np.count_nonzero(np.arange(tasks) & (1 << k)))


class AllToAllPhase(SymmetricPhase, UniformPhase):
    """A flow for every ordered pair of tasks."""

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
        """Yield the flows between nodes: from u to v, a message for each pair of a task on u and one on v.

        Sorted by destination, since routers search from destinations.
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
    """Core j of every node sends to all cores of node j + i (modulo the nodes)."""

    def __init__(self, tasks: int, per_node: int, i: int, volume: float) -> None:
        self.name = f"core j to node j + {i}"
        self.tasks, self.fan_out = tasks, per_node
        self._nodes, self._i, self._volume = -(-tasks // per_node), i, volume

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow from each task to every core of one node."""
        cores = self.fan_out
        node = (tasks % cores + self._i) % self._nodes
        dst = node[:, None] * cores + np.arange(cores)
        return self._flows(np.broadcast_to(tasks[:, None], dst.shape), dst)

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow to each task from the cores of other nodes that send to its node in this phase."""
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
