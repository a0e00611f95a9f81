"""Broadcast, reduce, scatter and gather along a binomial tree, in ``ceil(log2 n)`` steps with n - 1 messages in all.

Tasks are counted from the root, modulo n. Broadcast and scatter halve the distance: 0 to 4; 0 to 2 and 4 to 6; ...
Reduce and gather send the same messages in reverse.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.collectives.steps import Collective, MessageStep, Steps, ceil_log2
from core.job.job import Job, Tasks
from core.spec import SpecError, declare


class Rooted(Collective, frozen=True):
    """A collective in which one task, the root, holds or receives all data."""

    algorithm: Annotated[Literal["binomial"], declare("Algorithm", "binomial (along a binomial tree)")] = "binomial"
    root: Annotated[int, declare("Root", "task that sends or receives all data", ge=0)] = 0

    towards_root: ClassVar[bool] = False
    gathers: ClassVar[bool] = False
    """Whether each task has its own block, so that messages carry the blocks of whole subtrees."""

    def build(self, folder: Path | None = None) -> Job:
        """Return the job.

        Raises SpecError: if the root does not exist.
        """
        if self.root >= self.tasks:
            raise SpecError("job.root", f"is task {self.root:,}; tasks are 0 to {self.tasks - 1:,}")
        return super().build(folder)

    def resized(self, slots: int) -> "Rooted":
        """Return the collective with as many tasks as slots; a root beyond the last task becomes the last task."""
        spec = super().resized(slots)
        return replace(self, tasks=spec.tasks, root=min(self.root, spec.tasks - 1))

    def steps(self) -> Steps:
        """Return ``ceil(log2 n)`` steps; distances halve away from the root, or double towards it."""
        distances = [1 << k for k in range(ceil_log2(self.tasks))]
        return Steps.listed(map(self._step, distances if self.towards_root else reversed(distances)))

    def _step(self, distance: int) -> MessageStep:
        branch = Branch(self.tasks, self.root, distance)
        blocks = None
        if self.gathers:
            blocks = branch.behind if self.towards_root else branch.behind_child
        if self.towards_root:
            return MessageStep(f"r -> r - {distance}", self.tasks, branch.parent, branch.child, self.volume, blocks)
        return MessageStep(f"r -> r + {distance}", self.tasks, branch.child, branch.parent, self.volume, blocks)


class Branch(NamedTuple):
    """The edges of one length in a binomial tree, each from a parent to a child further from the root."""

    tasks: int
    root: int
    distance: int

    def child(self, r: Tasks) -> Tasks:
        """Return the child of each task along such an edge, or -1."""
        place = self._place(r)
        is_parent = (place % (2 * self.distance) == 0) & (place + self.distance < self.tasks)
        return np.where(is_parent, (r + self.distance) % self.tasks, -1)

    def parent(self, r: Tasks) -> Tasks:
        """Return the parent of each task along such an edge, or -1."""
        is_child = self._place(r) % (2 * self.distance) == self.distance
        return np.where(is_child, (r - self.distance) % self.tasks, -1)

    def behind(self, r: Tasks) -> NDArray[np.float64]:
        """Return the size of each child's subtree: `distance`, or less at the end of the numbering."""
        return np.minimum(self.distance, self.tasks - self._place(r)).astype(np.float64)

    def behind_child(self, r: Tasks) -> NDArray[np.float64]:
        """Return the size of the subtree of each parent's child."""
        return self.behind((r + self.distance) % self.tasks)

    def _place(self, r: Tasks) -> Tasks:
        # Number counted from the root.
        return (r - self.root) % self.tasks


class Broadcast(Rooted, frozen=True, tag="broadcast"):
    """Broadcast: the root sends a message to every task, along a binomial tree."""

    title: ClassVar[str] = "Broadcast"


class Reduce(Rooted, frozen=True, tag="reduce"):
    """Reduce: the root receives the sum of all vectors, formed on the way."""

    title: ClassVar[str] = "Reduce"
    towards_root: ClassVar[bool] = True


class Scatter(Rooted, frozen=True, tag="scatter"):
    """Scatter: the root sends each task its own block."""

    title: ClassVar[str] = "Scatter"
    gathers: ClassVar[bool] = True


class Gather(Rooted, frozen=True, tag="gather"):
    """Gather: the root receives the block of every task."""

    title: ClassVar[str] = "Gather"
    towards_root: ClassVar[bool] = True
    gathers: ClassVar[bool] = True
