"""What each method does, round after round."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, repeat
from typing import NamedTuple

from core.network.network import Network
from core.optimise.freedom import ANYWHERE, NODE, TASK, Freedom
from core.optimise.method import Annealing, AnyMethod, Bottleneck, Portfolio
from core.optimise.tables import Rule

NEAR, HOT = 0.7, 0.9
"""Part of the moves that bring a task near one it talks to, or begin with one that loads a link too much."""
GAINS = (0.5, 0.25, 0.12, 0.06)
"""How much faster than the best so far a round wants to be, at most, as logarithms."""
SHORTEST = 64
"""Steps of the first round for each unit; the next is twice as long, and so on."""
LONGEST = 1 << 11
HEATS = ((0.005, 0.01), (0.3, 0.001))
SLACKS = (0.25, 0.05)
"""Of the portfolio, in turn: see `Round.heat` and `Round.slack`."""


class Round(NamedTuple):
    """One round: it ends after its steps, or when its goal is reached."""

    freedom: Freedom
    rule: Rule
    gain: float | None
    """How much faster than the best so far it wants to be, at most, as a logarithm; None: as fast as can be."""
    doublings: int
    """Of p, where the goal is no limit."""
    heat: tuple[float, float] | None
    """Part of the worse moves taken at its beginning, and part of the temperature left at its end; None: none."""
    effort: float | None
    """Steps for each unit; None: it never ends."""
    slack: float | None = None
    """Where the goal is a limit: temperature at the beginning, in parts of the square by which the best passes it."""
    tries: bool = False
    """Whether other mappings to begin with are tried before it."""


TWO_OPT = Rule(True, 1, 0, True, 0.0, 0.0, False)
FREE = Rule(False, 1, 0, False, 0.0, NEAR, False)


def rounds(method: AnyMethod, freedom: Freedom, network: Network, rank: int) -> Iterator[Round]:
    """Yield the rounds of a method, without end; workers of different rank go about it differently."""
    if isinstance(method, Annealing):
        return _annealing(method, freedom, rank)
    if isinstance(method, Bottleneck):
        return _bottleneck(method, freedom)
    if isinstance(method, Portfolio):
        return _portfolio(freedom, network, rank)
    return repeat(Round(freedom, TWO_OPT, None, 4, None, None))


def _effort(number: int) -> int:
    return min(SHORTEST << min(number, 30), LONGEST)


def _annealing(method: Annealing, freedom: Freedom, rank: int) -> Iterator[Round]:
    for number in count():
        yield _hot(freedom, number, GAINS[(number + rank) % len(GAINS)], (method.hot, method.cold))


def _hot(freedom: Freedom, number: int, gain: float, heat: tuple[float, float]) -> Round:
    return Round(freedom, FREE, gain, 3 + min(number // 2, 2), heat, _effort(number))


def _bottleneck(method: Bottleneck, freedom: Freedom) -> Iterator[Round]:
    rule = Rule(False, method.candidates, method.tenure, False, HOT, NEAR, False)
    for number in count():
        yield Round(freedom, rule, GAINS[number % len(GAINS)], 4, None, _effort(number))


def _portfolio(freedom: Freedom, network: Network, rank: int) -> Iterator[Round]:
    # Mostly single tasks; in between whole nodes and groups, in their groups and anywhere, where that is allowed.
    ways = [freedom]
    if freedom.together == TASK and freedom.within == ANYWHERE:
        levels = [level.name for level in network.levels]
        nodes = replace(freedom, together=NODE)
        groups = [replace(freedom, together=level) for level in levels]
        ways = [freedom, *groups, *(replace(nodes, within=level) for level in levels[:1]), freedom, nodes]
    for number in count():
        cycle, turn = divmod(number, len(ways))
        slack = SLACKS[(number + rank) % len(SLACKS)]
        heat = HEATS[(cycle + rank) % len(HEATS)]
        gain = GAINS[(number + cycle + rank) % len(GAINS)]
        yield Round(ways[turn], FREE, gain, 3 + min(cycle, 2), heat, _effort(cycle), slack, tries=True)
