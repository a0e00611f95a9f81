"""Broadcast, reduce, scatter and gather along a binomial tree, in ``ceil(log2 n)`` steps of n - 1 messages in all.

Tasks are counted from the root on, around. Broadcast and scatter halve the distance: 0 to 4; 0 to 2 and 4 to 6; ...
Reduce and gather are the same messages in reverse.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.collectives.steps import Collective, Step, rounds_of
from core.job.job import Job, Tasks
from core.spec import SpecError, declare


class Rooted(Collective, frozen=True):
    """A collective in which one task has, or gets, everything."""

    algorithm: Annotated[Literal["binomial"], declare("Algorithm", "binomial: along a tree that doubles")] = "binomial"
    root: Annotated[int, declare("Root", "task that everything comes from or goes to", ge=0)] = 0

    towards_root: ClassVar[bool] = False
    gathers: ClassVar[bool] = False
    """Whether each task has a block of its own, so that messages carry as many as tasks lie behind them."""

    def build(self, folder: Path | None = None) -> Job:
        """Return the job.

        Raises SpecError: if there is no such root.
        """
        if self.root >= self.tasks:
            raise SpecError("job.root", f"is task {self.root}; tasks are 0 to {self.tasks - 1}")
        return super().build(folder)

    def count(self) -> int:
        """Return ``ceil(log2 n)``."""
        return rounds_of(self.tasks)

    def steps(self) -> Iterator[Step]:
        """Yield the steps, distances halving on the way from the root and doubling on the way to it."""
        distances = [1 << k for k in range(self.count())]
        for number, distance in enumerate(distances if self.towards_root else reversed(distances), 1):
            yield self._step(number, distance)

    def _step(self, number: int, distance: int) -> Step:
        n, root = self.tasks, self.root

        def away(r: Tasks) -> Tasks:
            place = (r - root) % n
            sends = (place % (2 * distance) == 0) & (place + distance < n)
            return np.where(sends, (place + distance + root) % n, -1)

        def back(r: Tasks) -> Tasks:
            place = (r - root) % n
            return np.where(place % (2 * distance) == distance, (place - distance + root) % n, -1)

        def behind(r: Tasks) -> NDArray[np.float64]:
            # The farther end of the message has all tasks within `distance` behind it, as far as there are any.
            place = (r - root) % n + (0 if self.towards_root else distance)
            return np.minimum(distance, n - place).astype(np.float64)

        blocks = behind if self.gathers else None
        if self.towards_root:
            return Step(f"step {number}: r -> r - {distance}", n, back, away, self.volume, blocks)
        return Step(f"step {number}: r -> r + {distance}", n, away, back, self.volume, blocks)


class Broadcast(Rooted, frozen=True, tag="broadcast"):
    """Broadcast: the root's message to every task, along a binomial tree."""

    title: ClassVar[str] = "Broadcast"


class Reduce(Rooted, frozen=True, tag="reduce"):
    """Reduce: every task's vector, summed on the way, to the root."""

    title: ClassVar[str] = "Reduce"
    towards_root: ClassVar[bool] = True


class Scatter(Rooted, frozen=True, tag="scatter"):
    """Scatter: the root hands every task a block of its own."""

    title: ClassVar[str] = "Scatter"
    gathers: ClassVar[bool] = True


class Gather(Rooted, frozen=True, tag="gather"):
    """Gather: every task's block to the root."""

    title: ClassVar[str] = "Gather"
    towards_root: ClassVar[bool] = True
    gathers: ClassVar[bool] = True
