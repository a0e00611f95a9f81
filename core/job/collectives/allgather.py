"""Allgather: every task receives the blocks of all tasks."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from core.job.collectives.steps import (
    Collective,
    MessageStep,
    Steps,
    blocks_near,
    ceil_log2,
    doubling,
    exchange_bit,
    exchange_step,
    folded,
    ring_steps,
    shift,
)
from core.job.job import Job, Tasks
from core.spec import SpecError, declare


class Allgather(Collective, frozen=True, tag="allgather"):
    """Allgather: every task receives the blocks of all tasks."""

    title: ClassVar[str] = "Allgather"

    algorithm: Annotated[
        Literal["ring", "recursive-doubling", "bruck", "neighbour-exchange"],
        declare(
            "Algorithm",
            "ring (one block to the next task per step), recursive-doubling or bruck (twice as many blocks per step) "
            "or neighbour-exchange (two blocks per step, to either side in turn)",
        ),
    ] = "ring"

    def build(self, folder: Path | None = None) -> Job:
        """Return the job.

        Raises SpecError: beyond the limit on steps, or for neighbour-exchange among an odd number of tasks.
        """
        n = self.tasks
        if self.algorithm == "neighbour-exchange" and n % 2 and n > 1:
            raise SpecError(
                "job.algorithm", f"neighbour-exchange needs an even number of tasks, not {n:,}; choose ring"
            )
        return super().build(folder)

    def resized(self, slots: int) -> Collective:
        """Return the collective with as many tasks as slots, or an even number for neighbour-exchange."""
        even = self.algorithm == "neighbour-exchange" and slots > 1
        return super().resized(slots - slots % 2 if even else slots)

    def steps(self) -> Steps:
        """Return n - 1 steps for the ring, n / 2 for neighbour-exchange, about log2 n for the other algorithms."""
        n, block = self.tasks, self.volume
        if self.algorithm == "ring":
            return ring_steps(n, block)
        if self.algorithm == "recursive-doubling":
            return folded(n, block, self._doubling, (n - 1) * block)
        if self.algorithm == "bruck":
            return Steps(ceil_log2(n), lambda k: shift(n, -(1 << k), min(1 << k, n - (1 << k)) * block))
        return Steps(n // 2, self._with_neighbour)

    def _doubling(self, power: int) -> Iterator[MessageStep]:
        # A task has the blocks of all tasks that differ from it in lower bits only, and sends them all.
        for bit in doubling(power):
            held = partial(blocks_near, size=bit, tasks=self.tasks)
            yield exchange_bit(self.tasks, bit, power, self.volume, held)

    def _with_neighbour(self, number: int) -> MessageStep:
        def neighbour(r: Tasks) -> Tasks:
            # Even tasks exchange with the right neighbour first, then with the left neighbour.
            return (r + np.where(r % 2 == number % 2, 1, -1)) % self.tasks

        return exchange_step("with a neighbour", self.tasks, neighbour, (1 if number == 0 else 2) * self.volume)
