"""Figures of a search, as printed by `optimise --json`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypedDict, TypeVar

from msgspec import UNSET, Struct, UnsetType

from core.figure import RATE, Figure
from core.figures.computing import computed
from core.figures.notes import job_notes
from core.figures.result import Result
from core.job.measure import UNITS, Measure
from core.load.bounds import Bound, bounds
from core.load.evaluate import LoadReport
from core.optimise.best import Best
from core.optimise.request import ROUTES, Request
from core.optimise.tables import TIME
from core.routing.deadlock.deadlock import deadlock_of

Text = TypeVar("Text", str | None, bool)


@dataclass(frozen=True, eq=False)
class Searched:
    """The source of the figures of a search."""

    best: Best
    request: Request
    known_bounds: tuple[Bound, ...] | None = None
    """Bounds on the better mapping, strongest first; None to compute them on demand."""

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Return the bounds on the better mapping, strongest first."""
        return bounds(self.best.better.case, self.best.better) if self.known_bounds is None else self.known_bounds

    @property
    def measure(self) -> Measure:
        """Return the measure of volumes."""
        return self.best.start.case.job.measure

    @property
    def timed(self) -> bool:
        """Return whether the objective is the throughput."""
        return self.request.objective.figure == TIME

    @property
    def objective(self) -> str | UnsetType:
        """Return the objective, if it is not the throughput."""
        return UNSET if self.timed else self.request.objective.tag()

    def value(self, figure: float) -> float | UnsetType | None:
        """Return a value of the objective as printed."""
        return UNSET if self.timed else self.request.objective.printed(figure, self.measure)

    @property
    def failures(self) -> list[str] | UnsetType:
        """Return the failures that the objective counts, if it counts any."""
        network = self.best.start.case.network
        return [failure.what(network) for failure in self.best.result.failures] or UNSET

    @cached_property
    def robust_bound(self) -> float | UnsetType | None:
        """Return the lower bound of the time under the worst failure, if the objective counts failures."""
        result = self.best.result
        return (self.measure.seconds(result.least) or None) if result.failures else UNSET

    @property
    def unit(self) -> str | UnsetType:
        """Return the unit of the objective, if volumes have one."""
        plain = self.timed or self.measure == UNITS
        return UNSET if plain else self.request.objective.unit_in(self.measure) or UNSET

    def of_routes(
        self, figure: Callable[[LoadReport], str | bool | None], start: bool
    ) -> str | bool | UnsetType | None:
        """Return a figure of the start or of the best, if routes were searched."""
        return UNSET if self.request.move != ROUTES else figure(self.best.start if start else self.best.better)


def hottest_link(report: LoadReport) -> str | None:
    """Return the first of the hottest links, with its ends, or None if no link carries anything."""
    hottest = report.hottest(1)
    return report.case.network.link_name(int(hottest[0])) if hottest.size and report.time > 0 else None


def deadlock_free(report: LoadReport) -> bool:
    """Return whether all paths together are free of deadlocks on one virtual lane."""
    return deadlock_of(report.case.router).free


class Spread(TypedDict):
    """Throughputs of restarts."""

    best: Annotated[float | None, Figure("Best restart", RATE, "highest throughput of restarts", better="high")]
    median: Annotated[float | None, Figure("Median restart", RATE, "median throughput of restarts", better="high")]
    worst: Annotated[float | None, Figure("Worst restart", RATE, "lowest throughput of restarts", better="high")]


class SearchFigures(Result, Struct, frozen=True, kw_only=True):
    """Result of a search for a better mapping."""

    start_gbs: Annotated[
        float | None,
        Figure("Initial throughput", RATE, "throughput of the initial mapping", lambda s: s.best.start.throughput_gbs,
               better="high"),
    ]  # fmt: skip
    throughput_gbs: Annotated[
        float | None,
        Figure("Best throughput", RATE, "throughput of the best mapping", lambda s: s.best.better.throughput_gbs,
               better="high"),
    ]  # fmt: skip
    bound_gbs: Annotated[
        float | None,
        Figure("Upper bound", RATE, "upper bound of the throughput of any mapping; none if unknown",
               lambda s: _bound(s), better="high"),
    ]  # fmt: skip
    start_time: Annotated[
        float | None,
        Figure("Initial time", "s", "time per unit of the initial mapping; none for message counts",
               lambda s: s.measure.seconds(s.best.start.time), better="low"),
    ]  # fmt: skip
    time: Annotated[
        float | None,
        Figure("Best time", "s", "time per unit of the best mapping; none for message counts",
               lambda s: s.measure.seconds(s.best.better.time), better="low"),
    ]  # fmt: skip
    steps: Annotated[
        int, Figure("Mappings tried", "", "mappings that the search evaluated", lambda s: s.best.result.steps)
    ]
    steps_per_second: Annotated[
        float,
        Figure("Mappings per second", "", "mappings evaluated per second", lambda s: s.best.result.steps_per_second),
    ]
    seconds: Annotated[float, Figure("Search time", "s", "duration of the search", lambda s: s.best.result.seconds)]
    seed: Annotated[int, Figure("Seed", "", "seed of the search", lambda s: s.request.seed)]
    objective: Annotated[str | UnsetType, Figure("Objective", "", "objective of the search, if not the throughput")] = (
        UNSET
    )
    start: Annotated[
        float | UnsetType | None,
        Figure("Initial objective", "", "objective of the initial mapping", lambda s: s.value(s.best.result.start)),
    ] = UNSET
    found: Annotated[
        float | UnsetType | None,
        Figure("Best objective", "", "objective of the best mapping", lambda s: s.value(s.best.result.best)),
    ] = UNSET
    bound: Annotated[
        float | UnsetType | None,
        Figure("Lower bound", "", "lower bound of the objective of any mapping, of the worst failure; none if unknown",
               lambda s: s.robust_bound),
    ] = UNSET  # fmt: skip
    failures: Annotated[
        list[str] | UnsetType,
        Figure("Failures", "", "failures that the objective counts, one at a time", lambda s: s.failures),
    ] = UNSET
    unit: Annotated[str | UnsetType, Figure("Unit", "", "unit of the objective for traced flows")] = UNSET
    restarts: Annotated[int, Figure("Restarts", "", "completed restarts", lambda s: s.best.result.spread[0])]
    spread: Annotated[
        Spread | None, Figure("Spread", "", "throughputs of restarts; none without restarts", lambda s: _spread(s))
    ]
    start_hottest_link: Annotated[
        str | UnsetType | None,
        Figure("Initial hottest link", "", "hottest link of the initial routes, if routes were searched",
               lambda s: s.of_routes(hottest_link, True)),
    ] = UNSET  # fmt: skip
    hottest_link: Annotated[
        str | UnsetType | None,
        Figure("Hottest link of the best routes", "", "hottest link of the best routes, if routes were searched",
               lambda s: s.of_routes(hottest_link, False)),
    ] = UNSET  # fmt: skip
    start_deadlock_free: Annotated[
        bool | UnsetType,
        Figure("Initial routes deadlock-free", "", "whether the initial routes are free of deadlocks on one virtual "
               "lane, if routes were searched", lambda s: s.of_routes(deadlock_free, True)),
    ] = UNSET  # fmt: skip
    deadlock_free: Annotated[
        bool | UnsetType,
        Figure("Best routes deadlock-free", "", "whether the best routes are free of deadlocks on one virtual lane, if "
               "routes were searched", lambda s: s.of_routes(deadlock_free, False)),
    ] = UNSET  # fmt: skip
    notes: Annotated[
        list[str] | UnsetType,
        Figure("Notes", "", "warnings of the job's file, and the reason for missing times",
               lambda s: job_notes(s.best.start.case.job) or UNSET),
    ] = UNSET  # fmt: skip


def search_figures(best: Best, request: Request, all_bounds: tuple[Bound, ...]) -> SearchFigures:
    """Return the figures of a search, given the bounds on the better mapping, strongest first."""
    return SearchFigures(**computed(SearchFigures, Searched(best, request, all_bounds)))


def _bound(search: Searched) -> float | None:
    return search.best.better.throughput(search.bounds[0].time) if search.bounds else None


def _spread(search: Searched) -> Spread | None:
    restarts, *times = search.best.result.spread
    best, median, worst = map(search.best.better.throughput, times)
    return Spread(best=best, median=median, worst=worst) if restarts else None
