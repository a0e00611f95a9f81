"""Search methods: a declaration of each, with the rounds that it runs.

Two-opt follows Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network
Topologies", PhD thesis, 2024.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, repeat
from typing import Annotated, ClassVar

from core.network.network import Network
from core.optimise.move_constraints import ANYWHERE, NODE, TASK, MoveConstraints
from core.optimise.rounds import Round, effort
from core.optimise.tables import Rule
from core.spec import Spec, declare

NEAR, HOT = 0.7, 0.9
"""Fractions of moves that bring a task near a partner, and of moves that begin with a task loading a hot link."""
GAINS = (0.5, 0.25, 0.12, 0.06)
"""Targets of rounds relative to the best so far, at most, as logarithms of the speed-up."""
HEATS = ((0.005, 0.01), (0.3, 0.001))
SLACKS = (0.25, 0.05)
"""Used by the portfolio in turn: see `Round.heat` and `Round.slack`."""
MIN_STEPS = 50_000
"""Steps of the portfolio's rounds with single tasks."""

TWO_OPT = Rule(True, 1, 0, 0.0, 0.0, False)
FREE = Rule(False, 1, 0, 0.0, NEAR, False)


class Method(Spec, frozen=True):
    """A search method."""

    restarts: ClassVar[bool] = False
    """Whether it also restarts from new mappings (`core.optimise.restarts`)."""
    keeps_start: ClassVar[bool] = False
    """Whether it starts from the given mapping; others start from the best mapping known beforehand."""

    by_rounds: ClassVar[bool] = True
    """Whether it searches in `rounds`, without end; other methods run in one process (`core.optimise.best_swaps`)."""

    def rounds(self, constraints: MoveConstraints, network: Network, rank: int) -> Iterator[Round]:
        """Yield rounds without end, different ones for workers of different rank; none unless `by_rounds`."""
        return iter(())

    def moving(self, constraints: MoveConstraints) -> MoveConstraints:
        """Return the constraints, with the method's own added."""
        return constraints


class Portfolio(Method, frozen=True, tag="portfolio"):
    """Portfolio: rounds of all methods, moving blocks, nodes or tasks, each from the best mapping so far."""

    title: ClassVar[str] = "Portfolio"
    restarts: ClassVar[bool] = True

    def rounds(self, constraints: MoveConstraints, network: Network, rank: int) -> Iterator[Round]:
        """Yield mostly rounds of single tasks; between them, whole nodes and groups move, if allowed."""
        kinds = _move_kinds(constraints, network)
        for number in count():
            cycle, turn = divmod(number, len(kinds))
            slack = SLACKS[(number + rank) % len(SLACKS)]
            heat = HEATS[(cycle + rank) % len(HEATS)]
            gain = GAINS[(number + cycle + rank) % len(GAINS)]
            single = kinds[turn].unit == TASK
            min_steps, restarts = MIN_STEPS if single else 1, single and number > 0
            yield Round(
                kinds[turn], FREE, gain, 3 + min(cycle, 2), heat, effort(cycle), slack, True, min_steps, restarts
            )


class Annealing(Method, frozen=True, tag="annealing"):
    """Annealing: random swaps; worse ones are accepted too, ever more rarely (Kirkpatrick et al., 1983)."""

    title: ClassVar[str] = "Simulated annealing"

    hot: Annotated[
        float, declare("Hot", "fraction of worse swaps accepted at the beginning of a round", gt=0, le=0.9)
    ] = 0.02
    cold: Annotated[float, declare("Cold", "fraction of the temperature left at the end of a round", gt=0, le=1)] = 0.01

    def rounds(self, constraints: MoveConstraints, network: Network, rank: int) -> Iterator[Round]:
        """Yield rounds that cool from hot to cold, each twice as long as the one before."""
        for number in count():
            gain = GAINS[(number + rank) % len(GAINS)]
            yield Round(constraints, FREE, gain, 3 + min(number // 2, 2), (self.hot, self.cold), effort(number))


class Bottleneck(Method, frozen=True, tag="bottleneck"):
    """Bottleneck: tasks that load the hottest links move where it helps most, not back for a while (tabu search)."""

    title: ClassVar[str] = "Bottleneck tabu search"

    candidates: Annotated[int, declare("Candidates", "swaps evaluated for each one that is made", ge=1, le=10_000)] = 64
    tenure: Annotated[
        int, declare("Tenure", "number of swaps during which a moved task stays in place", ge=0, le=1_000_000)
    ] = 50

    def rounds(self, constraints: MoveConstraints, network: Network, rank: int) -> Iterator[Round]:
        """Yield rounds that differ in their target gain."""
        rule = Rule(False, self.candidates, self.tenure, HOT, NEAR, False)
        for number in count():
            yield Round(constraints, rule, GAINS[number % len(GAINS)], 4, None, effort(number))


class TwoOpt(Method, frozen=True, tag="two-opt"):
    """Two-opt: from the given mapping, two random tasks swap if the figure improves (Cui, 2024, section 3.4)."""

    title: ClassVar[str] = "Two-opt"
    keeps_start: ClassVar[bool] = True

    empty: Annotated[
        bool, declare("Empty slots", "also move tasks to empty slots, which the published method does not")
    ] = False

    def rounds(self, constraints: MoveConstraints, network: Network, rank: int) -> Iterator[Round]:
        """Yield one round, which never ends."""
        return repeat(Round(self.moving(constraints), TWO_OPT, None, 4, None, None))

    def moving(self, constraints: MoveConstraints) -> MoveConstraints:
        """Keep empty slots empty, unless `empty` is set."""
        return replace(constraints, empty=constraints.empty and self.empty)


class BestSwaps(Method, frozen=True, tag="best-swaps"):
    """Best single swaps: the swap that helps most, repeated until none helps (steepest descent)."""

    title: ClassVar[str] = "Best single swaps"
    keeps_start: ClassVar[bool] = True
    by_rounds: ClassVar[bool] = False


AnyMethod = Portfolio | Annealing | Bottleneck | TwoOpt | BestSwaps


def _move_kinds(constraints: MoveConstraints, network: Network) -> list[MoveConstraints]:
    # The moved units, alternating: single tasks, whole groups, nodes in their groups, single tasks, nodes anywhere.
    if constraints.unit != TASK or constraints.within != ANYWHERE:
        return [constraints, constraints]
    levels = [level.name for level in network.levels]
    nodes = replace(constraints, unit=NODE)
    groups = [replace(constraints, unit=level) for level in levels]
    return [constraints, *groups, *(replace(nodes, within=level) for level in levels[:1]), constraints, nodes]
