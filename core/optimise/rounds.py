"""A round of a search: its moves, goal, temperatures and end."""

from typing import NamedTuple

from core.optimise.move_constraints import MoveConstraints
from core.optimise.tables import Rule

FIRST_EFFORT = 64
"""Steps per unit of the first round; each round is twice as long as the one before."""
MAX_EFFORT = 1 << 11


class Round(NamedTuple):
    """One round: it ends after its steps, or when its goal is reached."""

    constraints: MoveConstraints
    rule: Rule
    gain: float | None
    """Target speed-up over the best so far, at most, as a logarithm; None for as fast as possible."""
    doublings: int
    """p = 2^doublings of the p-norm, if the goal is not a limit."""
    heat: tuple[float, float] | None
    """Fraction of worse moves accepted at its beginning, and of the temperature left at its end; None if none."""
    effort: float | None
    """Steps for each unit; None if it never ends."""
    slack: float | None = None
    """If the goal is a limit: initial temperature over the squared relative excess of the best."""
    tries: bool = False
    """Whether other start mappings are tried before it."""
    min_steps: int = 1
    """Least number of steps."""
    restarts: bool = False
    """Whether a restart precedes it."""


def effort(number: int) -> int:
    """Return the steps for each unit in round `number`."""
    return min(FIRST_EFFORT << min(number, 30), MAX_EFFORT)
