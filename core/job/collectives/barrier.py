"""Barrier: no task continues before all have arrived.

Source: Hensgen, Finkel and Manber, "Two Algorithms for Barrier Synchronization", 1988 (dissemination).
"""

from typing import Annotated, ClassVar, Literal

from core.job.collectives.steps import Collective, Steps, ceil_log2, shift
from core.job.message import MessageBytes
from core.spec import declare


class Barrier(Collective, frozen=True, tag="barrier"):
    """Barrier: no task continues before all have arrived; in step k each task signals the task 2^k further on."""

    title: ClassVar[str] = "Barrier"

    message_bytes: MessageBytes = 1.0
    algorithm: Annotated[
        Literal["dissemination"], declare("Algorithm", "dissemination (signals to the tasks 1, 2, 4, ... further on)")
    ] = "dissemination"

    def steps(self) -> Steps:
        """Return ``ceil(log2 n)`` steps."""
        return Steps(ceil_log2(self.tasks), lambda k: shift(self.tasks, 1 << k, self.volume))
