"""Barrier: nobody goes on before all have come.

Source: Hensgen, Finkel and Manber, "Two Algorithms for Barrier Synchronization", 1988 (dissemination).
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from core.job.collectives.steps import Collective, MessageBytes, Step, rounds_of, shift
from core.spec import declare


class Barrier(Collective, frozen=True, tag="barrier"):
    """Barrier: nobody goes on before all have come; in step k word goes 2^k tasks on."""

    title: ClassVar[str] = "Barrier"

    message_bytes: MessageBytes = 1.0
    algorithm: Annotated[
        Literal["dissemination"], declare("Algorithm", "dissemination: word goes 1, 2, 4, ... tasks on")
    ] = "dissemination"

    def count(self) -> int:
        """Return ``ceil(log2 n)``."""
        return rounds_of(self.tasks)

    def steps(self) -> Iterator[Step]:
        """Yield the steps."""
        for k in range(self.count()):
            yield shift(f"step {k + 1}: r -> r + {1 << k}", self.tasks, 1 << k, self.volume)
