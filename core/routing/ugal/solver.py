"""Splits the volume of each pair between its minimal path and paths over intermediates, until no part gains by moving.

Link costs, their growing exponent, and the bound are as in `core.routing.congestion.solver`; as only paths over at
most one intermediate are allowed here, the bound is tighter: no split over such paths is faster. Pair after pair moves
part of its volume from its most expensive path to the cheapest, as far as that reduces the total cost.
"""

from dataclasses import dataclass
from math import inf, log

import numpy as np

from core.routing.congestion.kernel import price
from core.routing.congestion.solver import INITIAL_SMOOTHING, MEAN_DECAY, next_smoothing
from core.routing.flows import Volumes
from core.routing.node_pairs import NodePairDemand
from core.routing.planned import PlannedFlow
from core.routing.ugal.kernel import NONE, Choices, UgalWorkspace, add_loads, cheapest_turns, improve, segment_costs
from core.routing.ugal.minimal_paths import MinimalPaths
from core.spec import Progress, subprogress

MIN_CHOICES, MAX_CHOICES = 8, 64
"""Limits on the number of a pair's paths in use at once; it grows as the number of pairs falls."""
CHOICES = 1 << 24
"""Approximate number of paths in use over all pairs."""
PORTIONS = 8
"""Number of batches of pairs; before each, the cheapest intermediates are searched again."""
SWEEPS = 8
"""Number of times that a batch then moves volume: finding intermediates takes far longer."""


@dataclass(frozen=True)
class AdaptiveFlow(PlannedFlow):
    """Result of the solver."""

    choices: Choices


class AdaptiveSolver:
    """Moves volume to cheaper paths, round by round. All pairs must be connected.

    `least` is the time of links whose load does not depend on the split.
    """

    def __init__(
        self, pairs: NodePairDemand, paths: MinimalPaths, seconds_per_unit: Volumes, least: float = 0.0
    ) -> None:
        self._pairs, self._turns, self._ends, self._segments = pairs, paths.turns, paths.ends.size, paths.segments
        self._seconds_per_unit, links = seconds_per_unit, seconds_per_unit.size
        count = min(max(CHOICES // max(pairs.src.size, 1), MIN_CHOICES), MAX_CHOICES, paths.turns.size + 1)
        self._choices = Choices(np.full((pairs.src.size, count), NONE, np.int32), np.zeros((pairs.src.size, count)))
        self._choices.via[:, 0], self._choices.share[:, 0] = pairs.src, 1.0
        longest = int(np.diff(paths.segments.start).max(initial=0))
        self._work = UgalWorkspace(
            np.zeros(links), np.zeros(links), np.zeros(links, np.int8), np.empty(4 * longest, np.int32)
        )
        self._mean_cost, self._turn = np.zeros((self._ends, self._ends)), np.zeros(pairs.src.size, np.int32)
        self._load = self._total()
        self._mean = self._load.copy()
        self._smoothing, self._least = INITIAL_SMOOTHING, least
        self._best, self.time, self.bound = self._copy(), self._time(self._load), least
        """The best split, its time, and the highest bound so far."""

    def solve(self, tolerance: float, rounds: int, progress: Progress) -> AdaptiveFlow:
        """Run at most `rounds` rounds, or until the time is within `tolerance` of the bound."""
        done = 0
        self._prove(self._load)
        while done < rounds and self.time > self.bound * (1 + tolerance):
            self._round(subprogress(progress, done, done + 1, rounds))
            self._prove(self._mean if done % 2 else self._load)
            gap = self.time / self.bound - 1 if self.bound > 0 else inf
            self._smoothing = next_smoothing(self._smoothing, gap, tolerance)
            done += 1
        time = max(self.time, self._least)
        return AdaptiveFlow(time, min(self.bound, time), done, self._best)

    def _round(self, progress: Progress) -> None:
        top = self._price(self._load)
        exponent, count = self._exponent(top), self._pairs.src.size
        portions = min(max(count // self._ends, 1), PORTIONS)
        for k in range(portions):
            progress(k / portions)
            some = count * k // portions, count * (k + 1) // portions
            self._find_turns(*some)
            self._improve(some, exponent, top)
        # Recomputed: sums after many small moves drift.
        self._load = self._total()
        self._mean = MEAN_DECAY * self._mean + (1 - MEAN_DECAY) * self._load
        time = self._time(self._load)
        if time < self.time:
            self.time, self._best = time, self._copy()

    def _improve(self, some: tuple[int, int], exponent: float, top: float) -> None:
        first, last = some
        for _ in range(SWEEPS):
            improve(
                first,
                last,
                self._ends,
                self._pairs,
                self._turn,
                self._segments,
                self._choices,
                self._load,
                exponent,
                top,
                self._seconds_per_unit,
                self._work,
            )

    def _prove(self, load: Volumes) -> None:
        # Improve the bound with the costs under these loads.
        self._price(load)
        used = self._seconds_per_unit > 0
        paid = float((self._work.cost[used] / self._seconds_per_unit[used]).sum())
        least = self._find_turns(0, self._pairs.src.size)
        self.bound = max(self.bound, least / paid) if paid > 0 else self.bound

    def _find_turns(self, first: int, last: int) -> float:
        mean = self._mean_cost
        segment_costs(self._ends, self._segments, self._work.cost, mean)
        out, back = np.ascontiguousarray(mean[:, self._turns]), np.ascontiguousarray(mean[self._turns].T)
        cost: float = cheapest_turns(first, last, self._pairs, self._turns, out, back, mean, self._turn)
        return cost

    def _price(self, load: Volumes) -> float:
        top = self._time(load)
        price(load, self._seconds_per_unit, self._exponent(top), top, self._work.cost)
        return top

    def _exponent(self, top: float) -> float:
        return log(max(self._load.size, 2)) / (self._smoothing * top) if top > 0 else 0.0

    def _time(self, load: Volumes) -> float:
        return float((load * self._seconds_per_unit).max(initial=0.0))

    def _total(self) -> Volumes:
        load = np.zeros(self._seconds_per_unit.size)
        add_loads(self._ends, self._pairs, self._segments, self._choices, load)
        return load

    def _copy(self) -> Choices:
        return Choices(self._choices.via.copy(), self._choices.share.copy())
