"""Minimum-congestion multicommodity flow: flows are spread to minimise the longest link time.

In each round the cost of a link grows exponentially with its time, and one destination after the other moves part of
its flow to the currently cheapest paths (multiplicative weights, with a line search for the step). The exponent is
small at first, so that flow does not move to long paths, and grows from round to round.

A bound shows the distance from the optimum. For any costs ``l`` of links, every flow costs at least its volume times
the cost of its cheapest path; and if no link takes longer than t, all flows cost at most ``t * sum(l * gbs)``. So t is
at least the quotient (linear programming duality). Sources: Garg and Koenemann, "Faster and simpler algorithms for
multicommodity flow and other fractional packing problems", 2007; Young, "Sequential and parallel algorithms for mixed
packing and covering", 2001; Gallager, "A minimum delay routing algorithm using distributed computation", 1977, for the
resulting split ratios by vertex.
"""

from dataclasses import dataclass
from math import inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.routing.congestion.kernel import (
    DestinationFlow,
    UsableLinks,
    Workspace,
    add_flow,
    equal_on_shortest,
    improve,
    least_cost,
    price,
    workspace,
)
from core.routing.flows import Nodes, Volumes
from core.routing.minimal.demand import too_many_paths
from core.routing.planned import PlannedFlow
from core.spec import Progress, subprogress

INITIAL_SMOOTHING = 8.0
"""Initial smoothing; the cost of a link is about ``exp(log(links) / smoothing * time / longest time)``."""
SMOOTHING_DECAY = 0.75
"""Factor applied to the smoothing each round, unless it is already fine enough for the gap."""
REACH = 1.5
"""It is fine enough if the gap exceeds the difference that the smoothing resolves by this factor."""
SLOW_ABOVE, SLOW_FACTOR = 1 / 3, 0.95
"""Above this smoothing the gap may never narrow: then the smoothing shrinks at least by this factor."""
MIN_SMOOTHING_PART = 4
"""Lower limit of the smoothing, as the divisor of the tolerance."""
MEAN_DECAY = 0.7
"""Weight of earlier rounds in the mean loads, which often prove better bounds than the last loads."""


class Demand(NamedTuple):
    """All flows to one destination."""

    target: int
    src: Nodes
    volume: Volumes


@dataclass(frozen=True)
class MinCongestionFlow(PlannedFlow):
    """Result of the solver."""

    rows: list[DestinationFlow]
    """The flow to each destination."""


class MinCongestionSolver:
    """Moves flow to cheaper paths, round by round.

    Raises SpecError: if there are more shortest paths than can be counted.
    """

    def __init__(self, demands: list[Demand], graph: UsableLinks) -> None:
        self._demands, self._graph = demands, graph
        self._work: Workspace = workspace(graph.src.size, graph.start.size - 1)
        self._rows = [equal_on_shortest(d.target, d.src, d.volume, graph, self._work) for d in demands]
        self._load = self._total()
        if not np.isfinite(self._load).all():
            raise too_many_paths()
        self._mean = self._load.copy()
        self._smoothing = INITIAL_SMOOTHING
        self._best = self._rows.copy()
        self.time, self.bound = self._time(self._load), 0.0
        """The shortest time and the highest bound so far."""

    def solve(self, tolerance: float, rounds: int, progress: Progress) -> MinCongestionFlow:
        """Run at most `rounds` rounds, or until the time is within `tolerance` of the bound."""
        done = 0
        self._prove(self._load, subprogress(progress, 0, 1, rounds + 1))
        while done < rounds and self.time > self.bound * (1 + tolerance):
            self._round(done % 2 == 1, subprogress(progress, 1 + done, 2 + done, rounds + 1))
            gap = self.time / self.bound - 1 if self.bound > 0 else inf
            self._smoothing = next_smoothing(self._smoothing, gap, tolerance)
            done += 1
        return MinCongestionFlow(self.time, min(self.bound, self.time), done, self._best)

    def _round(self, move_all: bool, progress: Progress) -> None:
        top = self._price(self._load)
        exponent = self._exponent(top)
        for k, (target, src, volume) in enumerate(self._demands):
            progress(k / len(self._demands) / 2)
            self._rows[k] = improve(
                target, src, volume, self._rows[k], self._load, exponent, top, move_all, self._graph, self._work
            )
        # Recomputed: sums after many small moves drift.
        self._load = self._total()
        self._mean = MEAN_DECAY * self._mean + (1 - MEAN_DECAY) * self._load
        time = self._time(self._load)
        if time < self.time:
            self.time, self._best = time, self._rows.copy()
        # Proving with both loads in every round would gain little.
        self._prove(self._mean if move_all else self._load, subprogress(progress, 0.5, 1))

    def _prove(self, load: Volumes, progress: Progress) -> None:
        # Improve the bound with the costs under these loads.
        self._price(load)
        seconds_per_unit = self._graph.seconds_per_unit
        paid = float((self._work.cost[seconds_per_unit > 0] / seconds_per_unit[seconds_per_unit > 0]).sum())
        least = 0.0
        for k, (target, src, volume) in enumerate(self._demands):
            progress(k / len(self._demands))
            least += least_cost(target, src, volume, self._graph, self._work)
        self.bound = max(self.bound, least / paid) if paid > 0 else self.bound

    def _price(self, load: Volumes) -> float:
        top = self._time(load)
        price(load, self._graph.seconds_per_unit, self._exponent(top), top, self._work.cost)
        return top

    def _exponent(self, top: float) -> float:
        return log(max(self._load.size, 2)) / (self._smoothing * top)

    def _time(self, load: Volumes) -> float:
        return float((load * self._graph.seconds_per_unit).max())

    def _total(self) -> NDArray[np.float64]:
        load = np.zeros(self._graph.src.size)
        for row in self._rows:
            add_flow(row, load)
        return load


def next_smoothing(smoothing: float, gap: float, tolerance: float) -> float:
    """Return the smoothing of the next round, given the relative gap between time and bound."""
    # When nothing moves any more, the gap is at most smoothing / (1 - smoothing): a third is surely resolved.
    least = max(smoothing * SMOOTHING_DECAY, gap / REACH)
    if smoothing > SLOW_ABOVE:
        least = min(least, smoothing * SLOW_FACTOR)
    return min(smoothing, max(least, tolerance / MIN_SMOOTHING_PART))
