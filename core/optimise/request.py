"""What is asked of a search, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from core.mapping.mapping import Slots
from core.optimise.method import AnyMethod, Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import AnyObjective, Throughput
from core.optimise.spread import Spread

SECONDS = 60.0


@dataclass(frozen=True)
class Request:
    """What is to be searched. A search ends after so many seconds or steps, whichever comes first."""

    objective: AnyObjective = field(default_factory=Throughput)
    method: AnyMethod = field(default_factory=Portfolio)
    constraints: MoveConstraints = field(default_factory=MoveConstraints)
    seconds: float | None = SECONDS
    steps: int | None = None
    """Mappings evaluated."""
    seed: int = 0
    workers: int = 1
    """Processes. With 1 the search runs in the calling thread, and the same seed takes the same steps."""
    apart: bool = False
    """Whether a single worker too gets a process of its own, which can be stopped at any moment."""


class Checkpoint(NamedTuple):
    """Where a search can go on: from its best mapping, with the next round."""

    slots: Slots
    draw: int
    round: int
    steps: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search so far. Figures are exactly those of the objective: of throughput the time t, seconds."""

    slots: Slots
    """(tasks,) the best mapping so far."""
    start: float
    """The figure of the start mapping; nan: not known yet."""
    best: float
    current: float
    """The figure of the current mapping; not below `best`."""
    seconds: float
    """Search time, without loading and compiling."""
    steps: int
    """Mappings evaluated."""
    ended: bool = False
    start_lost: int = 0
    """What failed links disconnect of the start mapping, to compare (`core.optimise.losses`); 0: nothing."""
    lost: int = 0
    """What they disconnect of the best one: less is better, whatever `best` is."""
    checkpoint: tuple[Checkpoint, ...] = field(default=(), repr=False)
    """Where each worker can go on (`optimise`'s `after`)."""
    spread: Spread = field(default_factory=Spread)
    """How many restarts there were, and where they ended."""
    gone: int = 0
    """Worker processes that were ended from outside; the others went on without them."""

    @property
    def rank(self) -> tuple[int, float]:
        """Return what mappings are compared by: the smaller is better."""
        return self.lost, self.best

    @property
    def better(self) -> bool:
        """Return whether the best mapping is better than the one to begin with."""
        return self.rank < (self.start_lost, self.start)

    @property
    def steps_per_second(self) -> float:
        """Return the mappings evaluated in a second, by all workers together."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    @property
    def trouble(self) -> str:
        """Return that processes of the search were ended from outside, and what helps; empty if none was."""
        if not self.gone:
            return ""
        count = "a process" if self.gone == 1 else f"{self.gone} processes"
        return f"{count} of the search ended too early, for want of memory perhaps: fewer workers need less"


OnResult = Callable[[SearchResult], None]
"""Called with the result ten times a second or more; raises `Cancelled` to stop: the best is still returned."""


def ignore_result(found: SearchResult) -> None:
    """Ignore the result (default callback)."""
