"""Allgather: every task's block to every task."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.collectives.steps import (
    Blocks,
    Collective,
    Step,
    bit_partner,
    exchange,
    handover,
    power_below,
    ring,
    rounds_of,
    shift,
)
from core.job.job import Tasks
from core.spec import SpecError, declare


class Allgather(Collective, frozen=True, tag="allgather"):
    """Allgather: every task's block to every task."""

    title: ClassVar[str] = "Allgather"

    algorithm: Annotated[
        Literal["ring", "recursive-doubling", "bruck", "neighbour-exchange"],
        declare(
            "Algorithm",
            "ring: a block to the next in each step; recursive-doubling and bruck: twice as much in each step; "
            "neighbour-exchange: two blocks, to one side and the other in turn",
        ),
    ] = "ring"

    def count(self) -> int:
        """Return n - 1 for the ring, half of n for neighbours, about log2 n for the others."""
        n = self.tasks
        if self.algorithm == "recursive-doubling":
            return rounds_of(power_below(n)) + 2 * (power_below(n) < n)
        return {"ring": n - 1, "bruck": rounds_of(n), "neighbour-exchange": n // 2}[self.algorithm]

    def steps(self) -> Iterator[Step]:
        """Yield the steps.

        Raises SpecError: for neighbours, if there is an odd number of tasks.
        """
        if self.algorithm == "ring":
            yield from ring(self.tasks, self.volume)
        elif self.algorithm == "recursive-doubling":
            yield from self._recursive_doubling()
        elif self.algorithm == "bruck":
            yield from self._bruck()
        else:
            yield from self._neighbour_exchange()

    def _bruck(self) -> Iterator[Step]:
        n = self.tasks
        for k in range(self.count()):
            sent = min(1 << k, n - (1 << k))
            yield shift(f"step {k + 1}: r -> r - {1 << k}", n, -(1 << k), sent * self.volume)

    def _neighbour_exchange(self) -> Iterator[Step]:
        n = self.tasks
        if n % 2 and n > 1:
            raise SpecError("job.algorithm", f"neighbour-exchange pairs tasks, and there are {n:,}; choose ring")
        for k in range(self.count()):

            def neighbour(r: Tasks, odd: int = k % 2) -> Tasks:
                return (r + np.where(r % 2 == odd, 1, -1)) % n

            yield exchange(f"step {k + 1}: with a neighbour", n, neighbour, (1 + (k > 0)) * self.volume)

    def _recursive_doubling(self) -> Iterator[Step]:
        n, q = self.tasks, power_below(self.tasks)
        rest = n - q
        first = 1
        if rest:
            yield handover(f"step 1: r -> r - {q}", n, slice(q, n), -q, self.volume)
            first = 2
        for k in range(rounds_of(q)):
            blocks = _held_blocks(1 << k, rest)
            yield exchange(f"step {first + k}: r <-> r XOR {1 << k}", n, bit_partner(1 << k, q), self.volume, blocks)
        if rest:
            name = f"step {self.count()}: r -> r + {q}"
            yield handover(name, n, slice(0, rest), q, (n - 1) * self.volume)


def _held_blocks(size: int, rest: int) -> Blocks:
    def held(r: Tasks) -> NDArray[np.float64]:
        # A task holds the blocks of the `size` tasks that agree with it but for the lowest bits, and of those folded
        # into the first `rest`.
        first = r // size * size
        return size + np.clip(rest - first, 0, size).astype(np.float64)

    return held
