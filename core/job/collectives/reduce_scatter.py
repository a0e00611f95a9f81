"""Reduce-scatter: each task receives its block, 1/n of the sum of all vectors."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.collectives.steps import (
    Collective,
    MessageStep,
    Steps,
    blocks_near,
    doubling,
    exchange_bit,
    folded,
    ring_steps,
    shift,
)
from core.job.job import Tasks
from core.spec import declare


class ReduceScatter(Collective, frozen=True, tag="reduce-scatter"):
    """Reduce-scatter: each task receives its block, 1/n of the sum of all vectors."""

    title: ClassVar[str] = "Reduce-scatter"

    algorithm: Annotated[
        Literal["ring", "recursive-halving", "pairwise"],
        declare(
            "Algorithm",
            "ring (one block to the next task per step), recursive-halving (half as many blocks in every step) or "
            "pairwise (its block to another task per step)",
        ),
    ] = "ring"

    @property
    def parts(self) -> int:
        """Return n."""
        return self.tasks

    def steps(self) -> Steps:
        """Return n - 1 steps, or about log2 n by halving."""
        n, block = self.tasks, self.volume / self.tasks
        if self.algorithm == "ring":
            return ring_steps(n, block)
        if self.algorithm == "pairwise":
            return Steps(n - 1, lambda number: shift(n, number + 1, block))
        return folded(n, self.volume, self._halving, block)

    def _halving(self, power: int) -> Iterator[MessageStep]:
        for bit in reversed(doubling(power)):

            def due(r: Tasks, bit: int = bit) -> NDArray[np.float64]:
                # The partner's blocks, and the blocks of tasks that differ from it in lower bits only.
                return blocks_near(r ^ bit, bit, self.tasks)

            yield exchange_bit(self.tasks, bit, power, self.volume / self.tasks, due)
