"""Allreduce: the sum of all tasks' vectors, for every task.

Rabenseifner's algorithm (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
MPICH", 2005, section 4.5): a reduce-scatter by halving, then an allgather by doubling.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from core.job.collectives.steps import Collective, Step, bit_partner, exchange, handover, power_below, ring, rounds_of
from core.spec import declare


class Allreduce(Collective, frozen=True, tag="allreduce"):
    """Allreduce: the sum of all tasks' vectors, for every task."""

    title: ClassVar[str] = "Allreduce"

    algorithm: Annotated[
        Literal["recursive-doubling", "ring", "rabenseifner"],
        declare(
            "Algorithm",
            "recursive-doubling: whole vectors, log2 n times; ring: an n-th to the next, 2 (n - 1) times; "
            "rabenseifner: halves, quarters, ... and back",
        ),
    ] = "recursive-doubling"

    @property
    def parts(self) -> int:
        """Return n for the ring, the power of two below for Rabenseifner's."""
        return {"recursive-doubling": 1, "ring": self.tasks, "rabenseifner": power_below(self.tasks)}[self.algorithm]

    def count(self) -> int:
        """Return 2 (n - 1) for the ring, log2 n or twice that for the others, and 2 more where tasks are folded."""
        n, q = self.tasks, power_below(self.tasks)
        if self.algorithm == "ring":
            return 2 * (n - 1)
        return rounds_of(q) * (1 + (self.algorithm == "rabenseifner")) + 2 * (q < n)

    def steps(self) -> Iterator[Step]:
        """Yield the steps."""
        n, q = self.tasks, power_below(self.tasks)
        if self.algorithm == "ring":
            yield from ring(n, self.volume / n)
            yield from ring(n, self.volume / n, first=n)
            return
        number = 1
        if q < n:
            yield handover(f"step 1: r -> r - {q}", n, slice(q, n), -q, self.volume)
            number = 2
        bits = [1 << k for k in range(rounds_of(q))]
        if self.algorithm == "rabenseifner":
            bits = [*reversed(bits), *bits]
        for bit in bits:
            part = bit / q if self.algorithm == "rabenseifner" else 1.0
            yield exchange(f"step {number}: r <-> r XOR {bit}", n, bit_partner(bit, q), part * self.volume)
            number += 1
        if q < n:
            yield handover(f"step {number}: r -> r + {q}", n, slice(0, n - q), q, self.volume)
