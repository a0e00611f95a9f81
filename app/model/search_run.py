"""Searches of the window and the command line: their settings, and the progress of each run."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from app.wording.names import in_sentence
from app.wording.numbers import figure_text, percent, rate
from core.job.job import Tasks
from core.job.measure import Measure
from core.load.bounds import Bound
from core.load.rate import seconds, volume_per_node
from core.load.scenario import Case, Scenario
from core.mapping.mapping import Slots
from core.network.network import Network
from core.network.nics import HOST
from core.optimise.disconnection import share_of
from core.optimise.method import AnyMethod, Portfolio
from core.optimise.move_constraints import ANYWHERE, NODE, SOCKET, TASK, MoveConstraints
from core.optimise.objective import AnyObjective, Throughput
from core.optimise.request import MAPPING, ROUTES, SECONDS, Request, SearchResult
from core.optimise.tables import TIME
from core.spec import Seed, Spec, SpecError, declare
from core.text import plural, plural_noun

MAX_SAMPLES = 4000
"""Maximum points of a curve; beyond it every second point is dropped, to keep drawing fast."""
OF_START = "% of the start"
MARKED = "marked"
"""The field named in errors about moving selected tasks only."""
NO_TASK_SELECTED = "no task is selected; drag over the task grid with the Select tool"
Curve = NDArray[np.float64]
Sample = tuple[float, float, float, int]
"""Elapsed seconds, the current and the best figure, and `SearchResult.lost`."""


def cores() -> int:
    """Return how many cores this program may use."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


class Budget(Spec, frozen=True, tag="budget"):
    """Budget: the duration of a search, and its seed."""

    seconds: (
        Annotated[float, declare("Time", "time limit of the search, if any", unit="s", gt=0, le=604_800)] | None
    ) = SECONDS
    steps: Annotated[int, declare("Mappings", "limit on mappings evaluated, if any", ge=1, le=10**15)] | None = None
    seed: Seed = 0
    workers: Annotated[
        int, declare("Workers", "number of processes; with 1, a search is reproducible by its seed", ge=1, le=256)
    ] = cores()


@dataclass(frozen=True)
class SearchSettings:
    """Settings of the next search, valid for any network and job."""

    move: str = MAPPING
    """One of `core.optimise.request.MOVES`; on a network without forwarding tables, the mapping moves."""
    objective: AnyObjective = field(default_factory=Throughput)
    method: AnyMethod = field(default_factory=Portfolio)
    unit: str = TASK
    """Level of the groups that move as units; on a network without this level, single tasks move."""
    within: str = ANYWHERE
    """Level of the groups that tasks stay in; on a network without this level, they may go anywhere."""
    marked_only: bool = False
    empty: bool = True
    budget: Budget = field(default_factory=Budget)

    def on(self, network: Network) -> "SearchSettings":
        """Return the settings with levels that the network has and that leave something to move."""
        units, bounds = units_on(network), bounds_on(network, self.unit)
        unit = self.unit if self.unit in units else TASK
        move = self.move if has_tables(network) else MAPPING
        return replace(self, move=move, unit=unit, within=self.within if self.within in bounds else ANYWHERE)

    def request(self, case: Case, pinned: Tasks, marked: Tasks) -> Request:
        """Return the request for a search of a case.

        Raises SpecError: if only selected tasks may move, and no task is selected or all selected tasks are pinned.
        """
        fitting, budget = self.on(case.network), self.budget
        if fitting.move == ROUTES:
            seconds, steps, seed = budget.seconds, budget.steps, budget.seed
            return Request(self.objective, seconds=seconds, steps=steps, seed=seed, move=ROUTES)
        if self.marked_only:
            if not marked.size:
                raise SpecError(MARKED, NO_TASK_SELECTED)
            pinned = np.union1d(pinned, np.setdiff1d(np.arange(case.job.tasks), marked)).astype(np.int32)
        if pinned.size >= case.job.tasks:
            raise SpecError(MARKED, "all tasks that may move are pinned; unpin some")
        constraints = MoveConstraints(fitting.unit, fitting.within, pinned, self.empty)
        return Request(
            self.objective, self.method, constraints, budget.seconds, budget.steps, budget.seed, budget.workers
        )


def has_tables(network: Network) -> bool:
    """Return whether the switches of a network can have forwarding tables: it has LIDs."""
    return network.src_ports is not None and bool(network.src_ports.lid.any())


def units_on(network: Network) -> list[str]:
    """Return the units that can move, finest first: task, node, host, and all levels with more than one group."""
    levels = {level.name: level.count for level in reversed(network.levels)}
    return [name for name in _finest_first(network) if levels.get(name, 2) > 1]


def bounds_on(network: Network, unit: str) -> list[str]:
    """Return the levels that moved groups can be confined to, widest first: anywhere, then coarser levels."""
    finest_first = _finest_first(network)
    place = finest_first.index(unit) if unit in finest_first else 0
    single = network.slots_per_node == 1
    coarser = [name for name in finest_first[place + 1 :] if not (single and name == NODE)]
    return [ANYWHERE, *reversed(coarser)]


def _finest_first(network: Network) -> list[str]:
    sockets, hosts = [SOCKET] * bool(network.cores), [HOST] * (network.nics is not None)
    levels = [level.name for level in reversed(network.levels)]
    return list(dict.fromkeys((TASK, *sockets, NODE, *hosts, *levels)))


@dataclass(frozen=True, eq=False)
class SearchRun:
    """One search: its start, its curve, and its best mapping so far."""

    number: int
    """The number of the run in the window, from 1."""
    base: Scenario
    """The scenario that it starts from."""
    request: Request
    scale: Callable[[int], float] | None
    """Maps `SearchResult.lost` to the volume per node, which divided by a time is GB/s per node.

    None if the objective is not a time; figures are then shown unscaled.
    """
    measure: Measure
    """The unit of the job's volumes."""
    timed: bool
    """Whether a time in seconds is shown with the throughput, as for traced flows."""
    bound: float | None
    """Lower bound of the objective over all mappings; None if unknown."""
    until: float | None
    """Seconds of search at which it ends; None for no limit."""
    result: SearchResult | None = None
    """The result over all its continuations."""
    prepared: float = 0.0
    """Fraction done of evaluating failures, from which the worst are chosen before the search itself."""
    last: SearchResult | None = None
    """The last result as received, from which it can be continued."""
    ended: bool = False
    kept: bool = False
    """Whether its best mapping was ever kept."""
    changes: tuple[str, ...] = ()
    """The changes by its best mapping, in a few lines; empty until known."""
    resumed_at: tuple[float, int] = (0.0, 0)
    """Seconds and mappings tried before it was last resumed."""
    samples: tuple[Sample, ...] = ()
    """Its curve so far."""

    @classmethod
    def begun(cls, number: int, case: Case, request: Request, bounds: Sequence[Bound] = ()) -> "SearchRun":
        """Return a run that starts from a case, keeping only its scenario; `bounds` are strongest first."""
        is_time = request.objective.figure == TIME
        return cls(
            number,
            case.scenario,
            request,
            scale=volume_scale(case) if is_time else None,
            measure=case.job.measure,
            # Even if all flows are disconnected at the start: the best mapping may have a time.
            timed=seconds(case, 1.0) is not None,
            bound=bounds[0].time if is_time and bounds and request.move == MAPPING else None,
            until=request.seconds,
        )

    @property
    def slots(self) -> Slots | None:
        """Return its best mapping; None before there is a result."""
        return self.result.slots if self.result is not None else None

    @property
    def routes(self) -> bool:
        """Return whether it searches for routes, not for a mapping."""
        return self.request.move == ROUTES

    @property
    def best_words(self) -> str:
        """Return ``best mapping``, or ``best routes``."""
        return "best routes" if self.routes else "best mapping"

    @property
    def better_words(self) -> str:
        """Return ``a better mapping``, or ``better routes``."""
        return "better routes" if self.routes else "a better mapping"

    @property
    def tried(self) -> str:
        """Return the name of each step: ``mapping``, ``next hop``."""
        return "next hop" if self.routes else "mapping"

    @property
    def deadlocks(self) -> str:
        """Return whether its best routes can deadlock; empty if unknown."""
        free = None if self.last is None else self.last.deadlock_free
        return "" if free is None else f"{'deadlock-free' if free else 'deadlocks possible'} on one virtual lane"

    @property
    def rising(self) -> bool:
        """Return whether larger figures, as shown, are better."""
        return self.scale is not None

    @property
    def _of_start(self) -> bool:
        # Whether figures have no unit of their own and are shown in percent of the start.
        return not self.rising and not self.request.objective.unit_in(self.measure)

    @property
    def unit(self) -> str:
        """Return the unit of the figures shown."""
        return self.measure.rate if self.rising else self.request.objective.unit_in(self.measure) or OF_START

    def in_unit(self, figure: float | None, lost: int = 0) -> float | None:
        """Return a figure of the objective in `unit`, given the volume `lost` to faults; None if not known yet."""
        if figure is None or self.result is None or isnan(figure):
            return None
        if self.scale is not None:
            return self.scale(lost) / figure if figure > 0 else None
        if self._of_start:
            return 100 * figure / self.result.start if self.result.start else None
        return self.request.objective.converted(figure, self.measure)

    @property
    def start(self) -> float | None:
        """Return the figure of its start, in `unit`."""
        return self.in_unit(self.result.start, self.result.start_lost) if self.result is not None else None

    @property
    def best(self) -> float | None:
        """Return its best figure, in `unit`."""
        return self.in_unit(self.result.best, self.result.lost) if self.result is not None else None

    @property
    def times(self) -> tuple[float, float] | None:
        """Return the times of its start and of its best mapping if they are shown, or None."""
        return (self.result.start, self.result.best) if self.timed and self.rising and self.result is not None else None

    @property
    def limit(self) -> float | None:
        """Return the bound on all mappings, in `unit`, or None if unknown."""
        return self.in_unit(self.bound)

    @property
    def bound_title(self) -> str:
        """Return ``bound``, ``lower bound`` or, of restricted moves, ``bound for all mappings``."""
        return f"{'' if self.rising else 'lower '}bound{' for all mappings' if self.restricted else ''}"

    @property
    def ratio_title(self) -> str:
        """Return the name of the ratio, at least 1, of its best figure and the bound."""
        return "bound ÷ best" if self.rising else "best ÷ bound"

    @property
    def restricted(self) -> bool:
        """Return whether its moves are restricted, so that it may not reach some mappings; the bound is for all."""
        return not self.routes and self.request.constraints.restrict

    @property
    def gap(self) -> float | None:
        """Return the relative gap between its best figure and the bound, or None if unknown."""
        if self.bound is None or self.result is None or self.bound <= 0:
            return None
        return max(self.result.best / self.bound - 1, 0.0)

    @property
    def better(self) -> bool:
        """Return whether its best mapping is better than its start."""
        return self.result is not None and self.result.better

    @property
    def regained(self) -> str:
        """Return ``all flows connected`` or ``fewer flows disconnected`` if it reconnected flows, or an empty text."""
        if self.result is None or self.result.lost >= self.result.start_lost:
            return ""
        return "fewer flows disconnected" if self.result.lost else "all flows connected"

    @property
    def starting(self) -> bool:
        """Return whether it has not tried any mapping since it began or was resumed."""
        return not self.ended and self.steps <= self.resumed_at[1]

    @property
    def preparing(self) -> bool:
        """Return whether it evaluates failures, from which it chooses the worst."""
        return self.starting and 0 < self.prepared < 1

    @property
    def activity(self) -> str:
        """Return its status before it has tried any mapping: ``starting …``, ``evaluating failures, 40 % …``."""
        if self.preparing:
            return f"evaluating failures, {percent(self.prepared, whole_from=0)} …"
        return f"stopped before the first {self.tried} was tried" if self.ended else "starting …"

    @property
    def seconds(self) -> float:
        """Return how long it has searched."""
        return self.result.seconds if self.result is not None else 0.0

    @property
    def steps(self) -> int:
        """Return how many mappings it has tried."""
        return self.result.steps if self.result is not None else 0

    @property
    def restarts(self) -> tuple[int, tuple[float | None, ...]]:
        """Return the number of restarts since it began or was resumed, and their best, median and worst results."""
        if self.last is None or not self.last.spread.restarts:
            return 0, ()
        number, *figures = self.last.spread
        return number, tuple(self.in_unit(figure) for figure in figures)

    @property
    def swaps(self) -> str:
        """Return the number of single swaps that lead to its best mapping, as ``14 swaps``; empty if not counted."""
        return plural(self.result.swaps, "swap") if self.result is not None and self.result.swaps else ""

    @property
    def pace(self) -> float | None:
        """Return how many mappings it tries per second."""
        return self.result.steps_per_second or None if self.result is not None else None

    @property
    def name(self) -> str:
        """Return its name in the history: ``Optimise: 64.0 → 91.4 GB/s``, ``Optimise hop-bytes: 8,192 → 7,040``.

        ``Optimise hosts: 64.0 → 91.4 GB/s`` if hosts moved.
        """
        if not self.request.method.by_rounds:
            return f"Apply {self.swaps.replace('swap', 'best swap') or 'best swaps'}"
        start, best = self.start, self.best
        fewer = f", {self.regained}" if self.regained else ""
        unit = self.request.constraints.unit
        moved = ROUTES if self.routes else plural_noun(unit) if unit != TASK else ""
        words = f"Optimise {moved}".rstrip()
        if start is None or best is None:
            return words
        if self.rising:
            return f"{words}{fewer}: {rate((start, best), self.times or (), self.measure.brief_rate)}"
        figures = f"{figure_text(start)} → {figure_text(best)}"
        title = in_sentence(self.request.objective.title)
        return f"Optimise {title}{fewer}: {figures}{' %' if self._of_start else ''}"

    def with_result(self, result: SearchResult) -> "SearchRun":
        """Return the run with another result; its best mapping so far is kept."""
        total = replace(result, seconds=result.seconds + self.resumed_at[0], steps=result.steps + self.resumed_at[1])
        if (before := self.result) is not None:
            start = total.start if isnan(before.start) else before.start
            total = replace(total, start=start, start_lost=before.start_lost)
            if before.rank < total.rank:
                total = replace(total, lost=before.lost, best=before.best, slots=before.slots)
                total = replace(total, tables=before.tables, file=before.file)
        samples = (*self.samples, (total.seconds, total.current, total.best, total.lost))
        if len(samples) > MAX_SAMPLES:
            samples = samples[len(samples) % 2 :: 2] + samples[-1:]
        bound = total.bounds[0].time if total.bounds else total.least or self.bound
        return replace(self, result=total, last=result, samples=samples, bound=bound)

    def resumed(self, seconds: float | None) -> "SearchRun":
        """Return the run continued for `seconds` more, or without a limit; its results count from zero."""
        until = None if seconds is None else self.seconds + seconds
        return replace(self, ended=False, resumed_at=(self.seconds, self.steps), until=until)

    def curve(self) -> tuple[Curve, Curve, Curve]:
        """Return seconds, and the current and best figures in `unit` at these times, each of shape ``(samples,)``."""
        samples = np.array([sample[:3] for sample in self.samples], np.float64).reshape(-1, 3)
        return samples[:, 0], self._all_shown(samples[:, 1]), self._all_shown(samples[:, 2])

    def _all_shown(self, figures: Curve) -> Curve:
        if self.scale is not None:
            scale = {lost: self.scale(lost) for lost in {sample[3] for sample in self.samples}}
            volume = np.array([scale[sample[3]] for sample in self.samples])
            with np.errstate(divide="ignore"):
                return np.where(figures > 0, volume / figures, np.nan)
        start, objective = self.result.start if self.result is not None else 0.0, self.request.objective
        if self._of_start and start:
            return 100 * figures / start
        return figures * objective.converted(1.0, self.measure)

    def fits(self, scenario: Scenario) -> bool:
        """Return whether its result applies to a scenario.

        It must have the same network, cables, job and faults, and the same routing, or for routes the same mapping.
        """
        mine, fixed = self.base, "mapping" if self.routes else "routing"
        same = mine.network == scenario.network and mine.faults == scenario.faults
        same = same and mine.cables == scenario.cables
        same = same and getattr(mine, fixed) == getattr(scenario, fixed)
        return same and (mine.job, mine.folder) == (scenario.job, scenario.folder)


SearchFunction = Callable[..., SearchResult]
"""`core.optimise.run.optimise`: (report, request, listen, after) -> SearchResult."""


def volume_scale(case: Case) -> Callable[[int], float]:
    """Return a function from `SearchResult.lost` to the volume per node; divided by a time it is the throughput."""
    # The function must not keep a case alive. Lost volume of a job in units has no effect; see `core.load.rate`.
    per_node, tasks, unit = volume_per_node(case), case.job.tasks, case.job.unit
    return lambda lost: per_node if unit else per_node * (1 - share_of(lost, tasks))
