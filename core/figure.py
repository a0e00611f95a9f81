"""The record of a figure: title, unit, meaning and how it is computed, declared at the field that holds it.

A field of a result is declared as ``diameter: Annotated[int | None, Figure("Diameter", "hops", "longest distance")]``.
`core.figures.registry` gathers these declarations; whatever prints, measures or captions figures reads them there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

RATE = "GB/s per node"
"""Unit of throughputs; for message counts it is given with the condition that makes it right."""
VOLUME = "volume"
"""Unit of loads: what the job's volumes are counted in, units or MB."""


class Alias(NamedTuple):
    """An older name of a figure."""

    name: str
    """As captions and studies spell it; CLASS stands for a link class."""
    factor: float = 1.0
    """Its value over that of the figure."""
    under: str = ""
    """Beginning of the only path that it stands for, if the field occurs under several."""
    in_volumes: bool = False
    """Whether it is in units, of traced jobs in GB, whatever the job's volumes are counted in."""


@dataclass(frozen=True, eq=False)
class Figure:
    """What is said of a figure, and how it is computed."""

    title: str
    """A noun phrase, for tables and forms."""
    unit: str
    """Empty: a count or a text. `RATE` and `VOLUME` depend on the job."""
    meaning: str
    """A noun phrase of one line, without a full stop."""
    of: Callable[[Any], Any] | None = None
    """Computes it from what its command evaluates, None: unknown; without one it is the attribute of its name."""
    also: tuple[Alias, ...] = ()
    better: Literal["low", "high", ""] = ""
    """Which end of the scale is good, if any."""
    placed: bool = False
    """Whether texts and reports have a place of their own for it; others stand in their lists of figures."""
    ticked: bool = False
    """Whether the form of a study has a box for it; others can be typed."""
    slow: bool = False
    """Whether every flow is looked at to compute it."""
    column: str = ""
    """Its name in tables of several networks; empty: it is in none."""
    name: str = ""
    """Path in what the commands print as JSON; set by the registry."""
