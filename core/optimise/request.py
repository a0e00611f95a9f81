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
    """What is asked for. A search ends after so many seconds or steps, whichever comes first."""

    objective: AnyObjective = field(default_factory=Throughput)
    method: AnyMethod = field(default_factory=Portfolio)
    constraints: MoveConstraints = field(default_factory=MoveConstraints)
    seconds: float | None = SECONDS
    steps: int | None = None
    """Mappings looked at."""
    seed: int = 0
    workers: int = 1
    """With one the search runs in the calling thread, and the same seed takes the same steps; else in processes."""
    apart: bool = False
    """Whether a single worker has a process of its own too, which can be stopped at any moment."""


class Checkpoint(NamedTuple):
    """Where a search can go on: from its best mapping, with the next round."""

    slots: Slots
    draw: int
    round: int
    steps: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search has come to. Figures are those of the objective, exact: for throughput the time t in seconds."""

    slots: Slots
    """(tasks,) the best mapping so far."""
    start: float
    """The figure to begin with; nan: not known yet."""
    best: float
    current: float
    """The figure where the search is now; not below `best`."""
    seconds: float
    """Since all was loaded."""
    steps: int
    """Mappings looked at."""
    ended: bool = False
    start_lost: int = 0
    """What failed links cut of the mapping to begin with, a number to compare (`core.optimise.losses`); 0: nothing."""
    lost: int = 0
    """What they cut of the best one: less is better, whatever `best` is."""
    checkpoint: tuple[Checkpoint, ...] = field(default=(), repr=False)
    """Where each worker can go on (`optimise`'s `after`)."""
    spread: Spread = field(default_factory=Spread)
    """How many restarts there were, and where they ended."""
    gone: int = 0
    """Processes of the search that were ended from outside; the others went on without them."""

    @property
    def rank(self) -> tuple[int, float]:
        """Return what makes one mapping better than another: the less."""
        return self.lost, self.best

    @property
    def better(self) -> bool:
        """Return whether the best mapping is better than the one to begin with."""
        return self.rank < (self.start_lost, self.start)

    @property
    def steps_per_second(self) -> float:
        """Return the mappings looked at in a second, by all workers together."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    @property
    def trouble(self) -> str:
        """Return that processes of the search were ended from outside, and what helps; empty if none was."""
        if not self.gone:
            return ""
        count = "a process" if self.gone == 1 else f"{self.gone} processes"
        return f"{count} of the search ended too early, for want of memory perhaps: fewer workers need less"


OnResult = Callable[[SearchResult], None]
"""Hears ten times a second or more what was found; raises `Cancelled` to stop: the best so far is still returned."""


def ignore_result(found: SearchResult) -> None:
    """Stand for a listener where nobody listens."""
