"""What each method does, round after round."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from core.network.network import Network
from core.optimise.freedom import Freedom
from core.optimise.method import Annealing, AnyMethod, Bottleneck, Portfolio
from core.optimise.tables import Rule

NEAR, HOT = 0.3, 0.9
"""Part of the moves that bring a task near one it talks to, or begin with one that loads a link too much."""
AIMS = (0.5, 0.25, 0.75, 0.1)
"""How far from the best so far towards the bound a round wants to come."""
SHORTEST = 32
"""Steps of the first round for each unit; every round is twice as long as the one before."""
LONGEST = 1 << 12


class Round(NamedTuple):
    """One round: it ends after its steps, or when its goal is reached."""

    together: str
    """What moves together, see `Freedom`."""
    rule: Rule
    aim: float
    """How far from the best so far towards the bound it wants to come."""
    doublings: int
    """Of p, where the goal is no limit."""
    heat: tuple[float, float] | None
    """Part of the worse moves taken at its beginning, and part of the temperature left at its end; None: none."""
    effort: float | None
    """Steps for each unit; None: it never ends."""


TWO_OPT = Rule(True, 1, 0, True, 0.0, 0.0, False)
FREE = Rule(False, 1, 0, False, 0.0, NEAR, False)


def rounds(method: AnyMethod, freedom: Freedom, network: Network, rank: int) -> Iterator[Round]:
    """Yield the rounds of a method; workers of different rank go about it differently."""
    if isinstance(method, Annealing):
        return _annealing(method, freedom.together)
    if isinstance(method, Bottleneck):
        return _bottleneck(method, freedom.together)
    if isinstance(method, Portfolio):
        return _portfolio(freedom, network, rank)
    return iter([Round(freedom.together, TWO_OPT, 0.0, 4, None, None)])


def _annealing(method: Annealing, together: str) -> Iterator[Round]:
    for number in count():
        yield _hot(together, number, number, (method.hot, method.cold))


def _hot(together: str, number: int, turn: int, heat: tuple[float, float]) -> Round:
    effort = min(SHORTEST << number, LONGEST)
    return Round(together, FREE, AIMS[turn % len(AIMS)], 3 + min(number // 2, 2), heat, effort)


def _bottleneck(method: Bottleneck, together: str) -> Iterator[Round]:
    rule = Rule(False, method.candidates, method.tenure, False, HOT, NEAR, False)
    for number in count():
        yield Round(together, rule, AIMS[-1 - 2 * number % 4], 4, None, min(SHORTEST << number, LONGEST))


def _portfolio(freedom: Freedom, network: Network, rank: int) -> Iterator[Round]:
    for number in count():
        yield _hot(freedom.together, number, number + rank, (0.02, 0.01))
