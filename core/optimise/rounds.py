"""What a search does between two decisions what to do: a round, with a goal, a temperature and an end."""

from typing import NamedTuple

from core.optimise.move_constraints import MoveConstraints
from core.optimise.tables import Rule

MIN_EFFORT = 64
"""Steps of the first round for each unit; the next is twice as long, and so on."""
MAX_EFFORT = 1 << 11


class Round(NamedTuple):
    """One round: it ends after its steps, or when its goal is reached."""

    constraints: MoveConstraints
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
    fewest: int = 1
    """Steps, however few units there are."""
    aside: bool = False
    """Whether a search from elsewhere goes before it."""


def effort(number: int) -> int:
    """Return the steps for each unit in the round of a number."""
    return min(MIN_EFFORT << min(number, 30), MAX_EFFORT)
