"""Allreduce: every task receives the sum of all vectors.

Rabenseifner's algorithm (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
MPICH", 2005, section 4.5): a reduce-scatter by halving, then an allgather by doubling.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from core.job.collectives.steps import (
    Collective,
    MessageStep,
    Steps,
    doubling,
    exchange_bit,
    folded,
    power_below,
    ring_steps,
)
from core.spec import declare


class Allreduce(Collective, frozen=True, tag="allreduce"):
    """Allreduce: every task receives the sum of all vectors."""

    title: ClassVar[str] = "Allreduce"

    algorithm: Annotated[
        Literal["recursive-doubling", "ring", "rabenseifner"],
        declare(
            "Algorithm",
            "recursive-doubling (full vectors in log2 n steps), ring (1/n of the vector to the next task in 2 (n - 1) "
            "steps) or rabenseifner (halves, quarters, ... and back)",
        ),
    ] = "recursive-doubling"

    @property
    def parts(self) -> int:
        """Return n for the ring, and the largest power of two up to n for Rabenseifner's algorithm."""
        return {"recursive-doubling": 1, "ring": self.tasks, "rabenseifner": power_below(self.tasks)}[self.algorithm]

    def steps(self) -> Steps:
        """Return 2 (n - 1) steps for the ring, else log2 n or twice as many, plus 2 if tasks are folded."""
        if self.algorithm == "ring":
            return ring_steps(self.tasks, self.volume / self.tasks, rounds=2)
        return folded(self.tasks, self.volume, self._exchanges, self.volume)

    def _exchanges(self, power: int) -> Iterator[MessageStep]:
        bits = doubling(power)
        if self.algorithm == "recursive-doubling":
            return (exchange_bit(self.tasks, bit, power, self.volume) for bit in bits)
        return (exchange_bit(self.tasks, bit, power, bit / power * self.volume) for bit in (*reversed(bits), *bits))
