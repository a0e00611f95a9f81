"""One search from beginning to end: what is asked for, what is heard meanwhile, and what was found."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.load.evaluate import LoadReport
from core.mapping.mapping import Slots
from core.optimise.freedom import Freedom
from core.optimise.method import AnyMethod, Portfolio
from core.optimise.objective import AnyObjective, Throughput
from core.optimise.problem import Problem, check_follows
from core.optimise.spread import Spread, spread_of
from core.spec import Cancelled

if TYPE_CHECKING:
    from core.optimise.search import Checkpoint

SECONDS = 60.0
PORTION = 0.02
"""Seconds between two looks at the clock, about."""
TELL_EVERY = 0.06
"""Seconds after which the listener hears again."""
FIRST_STEPS = 64


@dataclass(frozen=True)
class Request:
    """What is asked for. A search ends after so many seconds or steps, whichever comes first."""

    objective: AnyObjective = field(default_factory=Throughput)
    method: AnyMethod = field(default_factory=Portfolio)
    freedom: Freedom = field(default_factory=Freedom)
    seconds: float | None = SECONDS
    steps: int | None = None
    """Mappings looked at."""
    seed: int = 0
    workers: int = 1
    """With one the search runs in the calling thread, and the same seed takes the same steps; else in processes."""
    apart: bool = False
    """Whether a single worker has a process of its own too, which can be stopped at any moment."""


@dataclass(frozen=True, eq=False)
class Found:
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
    checkpoint: "tuple[Checkpoint, ...]" = field(default=(), repr=False)
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


Listener = Callable[[Found], None]
"""Hears ten times a second or more what was found; raises `Cancelled` to stop: the best so far is still returned."""


def deaf(found: Found) -> None:
    """Stand for a listener where nobody listens."""


def optimise(report: LoadReport, request: Request, listen: Listener = deaf, after: Found | None = None) -> Found:
    """Return the best mapping found; never one worse than that of the report.

    `after` is where an earlier search of the same case, objective and method stopped: this one goes on from there.
    An interruption (Ctrl-C) stops the search as `Cancelled` does.

    Raises SpecError: if there is nothing to search: a job too large, levels that the network has not.
    """
    check_follows(report.case)
    request.method.moving(request.freedom).check(report.case.network, report.case.mapping)
    if request.workers > 1 or request.apart:
        from core.optimise.workers import search_apart

        return search_apart(report, request, listen, after)
    return _search_here(report, request, listen, after)


def _search_here(report: LoadReport, request: Request, listen: Listener, after: Found | None) -> Found:
    from core.optimise.search import Search  # its kernels take time to import, which starting the program need not

    problem = Problem.of(report, request.objective)
    checkpoint = after.checkpoint[0] if after is not None and after.checkpoint else None
    search = Search(problem, request.method, request.freedom, request.seed, after=checkpoint)
    first = search.steps
    start, start_lost = (search.best, search.lost) if after is None else (after.start, after.start_lost)
    # By then the kernels are loaded, or compiled, which takes none of the time given.
    search.advance(1)
    begun = time.perf_counter()
    portion, told = FIRST_STEPS, -TELL_EVERY

    def found(ended: bool = False) -> Found:
        """Return what the search has come to."""
        seconds, steps = time.perf_counter() - begun, search.steps - first
        best, current = search.best, search.current
        lost = start_lost, search.lost
        told = (search.checkpoint,), spread_of([search.tally])
        return Found(search.slots, start, best, current, seconds, steps, ended, *lost, *told)

    try:
        while not over(request, time.perf_counter() - begun, search.steps - first) and not search.proven:
            if time.perf_counter() - begun >= told + TELL_EVERY:
                told = time.perf_counter() - begun
                listen(found())
            clock = time.perf_counter()
            left = portion if request.steps is None else request.steps - (search.steps - first)
            search.advance(min(portion, left))
            portion = next_portion(portion, time.perf_counter() - clock)
        listen(found(ended=True))
    except (Cancelled, KeyboardInterrupt):
        pass
    return found(ended=True)


def over(request: Request, seconds: float, steps: int) -> bool:
    """Return whether a search has used up what it was given."""
    return (request.seconds is not None and seconds >= request.seconds) or (
        request.steps is not None and steps >= request.steps
    )


def next_portion(portion: int, seconds: float) -> int:
    """Return how many steps to take at once, after so many took so long."""
    return max(1, min(2 * portion, int(portion * PORTION / max(seconds, 1e-9))))
