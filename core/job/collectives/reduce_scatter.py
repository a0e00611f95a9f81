"""Reduce-scatter: the sum of all tasks' vectors, of which every task gets its block, an n-th."""

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
from core.spec import declare


class ReduceScatter(Collective, frozen=True, tag="reduce-scatter"):
    """Reduce-scatter: the sum of all vectors, of which every task gets its n-th."""

    title: ClassVar[str] = "Reduce-scatter"

    algorithm: Annotated[
        Literal["ring", "recursive-halving", "pairwise"],
        declare(
            "Algorithm",
            "ring: a block to the next in each step; recursive-halving: half as much in each step; "
            "pairwise: in each step to another task what it is due",
        ),
    ] = "ring"

    @property
    def parts(self) -> int:
        """Return n."""
        return self.tasks

    def count(self) -> int:
        """Return n - 1, or about log2 n by halving."""
        n = self.tasks
        halvings = rounds_of(power_below(n)) + 2 * (power_below(n) < n)
        return halvings if self.algorithm == "recursive-halving" else n - 1

    def steps(self) -> Iterator[Step]:
        """Yield the steps."""
        block = self.volume / self.tasks
        if self.algorithm == "ring":
            yield from ring(self.tasks, block)
        elif self.algorithm == "pairwise":
            for by in range(1, self.tasks):
                yield shift(f"step {by}: r -> r + {by}", self.tasks, by, block)
        else:
            yield from self._recursive_halving(block)

    def _recursive_halving(self, block: float) -> Iterator[Step]:
        n, q = self.tasks, power_below(self.tasks)
        rest = n - q
        first = 1
        if rest:
            yield handover(f"step 1: r -> r - {q}", n, slice(q, n), -q, self.volume)
            first = 2
        for k in range(rounds_of(q)):
            bit = q >> (k + 1)
            name = f"step {first + k}: r <-> r XOR {bit}"
            yield exchange(name, n, bit_partner(bit, q), block, _due_beyond(bit, rest))
        if rest:
            yield handover(f"step {self.count()}: r -> r + {q}", n, slice(0, rest), q, block)


def _due_beyond(bit: int, rest: int) -> Blocks:
    def due(r: Tasks) -> NDArray[np.float64]:
        # The blocks of the `bit` tasks around the partner, and of those folded into the first `rest`.
        first = (r ^ bit) // bit * bit
        return np.asarray(bit + np.clip(rest - first, 0, bit), np.float64)

    return due
