"""Request and result of a search."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from core.load.bounds import Bound
from core.mapping.mapping import Slots
from core.network import AnyFault
from core.optimise.method import AnyMethod, Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import AnyObjective, Throughput
from core.optimise.restart_statistics import Spread
from core.routing.tables.forwarding import ForwardingTables

SECONDS = 60.0
MAPPING, ROUTES = "mapping", "routes"
MOVES = {
    MAPPING: "the slots of tasks, under fixed routes",
    ROUTES: "the next hops of forwarding tables, among ports on minimal paths, for a fixed mapping",
}
"""The moving parts of the scenario, with a description."""


@dataclass(frozen=True)
class Request:
    """A search request. A search ends when its seconds or its steps are used up."""

    objective: AnyObjective = field(default_factory=Throughput)
    method: AnyMethod = field(default_factory=Portfolio)
    constraints: MoveConstraints = field(default_factory=MoveConstraints)
    seconds: float | None = SECONDS
    steps: int | None = None
    """Mappings evaluated by all workers together, besides start mappings."""
    seed: int = 0
    workers: int = 1
    """Processes. With 1 the search runs in the calling thread, and the same seed takes the same steps."""
    apart: bool = False
    """Whether even a single worker gets its own process, which can be stopped at any moment."""
    failures: tuple[AnyFault, ...] = ()
    """Failures that the objective counts, each on top of the faults of the scenario; see `core.optimise.robust`."""
    move: str = MAPPING
    """One of `MOVES`. Routes have neither a method nor constraints, and are searched in the calling thread."""

    def steps_of(self, rank: int) -> int | None:
        """Return the steps that one of the workers takes, or None for as many as time allows."""
        return None if self.steps is None else (self.steps + self.workers - 1 - rank) // self.workers


class Checkpoint(NamedTuple):
    """State from which a search can continue: its best mapping, and the next round."""

    slots: Slots
    draw: int
    round: int
    steps: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search so far. Figures are exactly the objective's; for throughput, time in seconds."""

    slots: Slots
    """(tasks,) the best mapping so far."""
    start: float
    """The figure of the start mapping; nan if not known yet."""
    best: float
    current: float
    """The figure of the current mapping; not below `best`."""
    seconds: float
    """Search time, without loading and compiling."""
    steps: int
    """Mappings evaluated."""
    ended: bool = False
    start_lost: int = 0
    """Loss of the start mapping (`core.optimise.disconnection`); 0 if nothing is disconnected."""
    lost: int = 0
    """Loss of the best mapping; less is better, regardless of `best`."""
    checkpoint: tuple[Checkpoint, ...] = field(default=(), repr=False)
    """Where each worker can continue (`optimise`'s `after`)."""
    spread: Spread = field(default_factory=Spread)
    """Distribution of the figures of restarts."""
    gone: int = 0
    """Worker processes that were killed; the others continued."""
    failure: str = ""
    """Why the search ended early, if it did not end as requested."""
    start_hot: int = 0
    hot: int = 0
    """Numbers of hottest links of both mappings, which decide between equal figures; 0 if not counted."""
    tables: ForwardingTables | None = field(default=None, repr=False)
    """The best tables of a search for routes, which leaves the mapping as it is; None of a search for a mapping."""
    file: str = ""
    """File of the best tables, if written."""
    deadlock_free: bool | None = None
    """Whether all paths by the best tables together are free of deadlocks on one virtual lane; None if unknown."""
    bounds: tuple[Bound, ...] = ()
    """Bounds on all minimal routes, of a search for routes, strongest first."""
    failures: tuple[AnyFault, ...] = ()
    """Failures that the objective counts."""
    least: float = 0.0
    """Lower bound of the objective of any mapping, if it counts failures; 0 if unknown."""
    swaps: int = 0
    """Number of single swaps that lead from the start to the best mapping; 0 if not counted."""

    @property
    def rank(self) -> tuple[int, float, int]:
        """Return the key by which mappings are compared: smaller is better."""
        return self.lost, self.best, self.hot

    @property
    def better(self) -> bool:
        """Return whether the best mapping is better than the start."""
        return self.rank < (self.start_lost, self.start, self.start_hot)

    @property
    def steps_per_second(self) -> float:
        """Return the mappings evaluated per second, by all workers together."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    @property
    def trouble(self) -> str:
        """Return a warning if processes were killed, with advice; else empty."""
        if not self.gone:
            return ""
        count = "a process" if self.gone == 1 else f"{self.gone} processes"
        return f"{count} of the search ended too early, perhaps for lack of memory; fewer workers need less"


OnResult = Callable[[SearchResult], None]
"""Called with the result ten times a second or more; raises `Cancelled` to stop; the best is still returned."""


def ignore_result(result: SearchResult) -> None:
    """Ignore the result (default callback)."""
