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
"""Unit of loads, the measure of the job's volumes: units or MB."""


class Alias(NamedTuple):
    """An older name of a figure."""

    name: str
    """As captions and studies spell it; CLASS stands for a link class."""
    factor: float = 1.0
    """Ratio of its value to that of the figure."""
    under: str = ""
    """Beginning of the only path that it stands for, if the field occurs under several."""
    in_volumes: bool = False
    """Whether it is in units, of traced jobs in GB, whatever the job's volumes are counted in."""


@dataclass(frozen=True, eq=False)
class Figure:
    """The description of a figure, and how it is computed."""

    title: str
    """A noun phrase, for tables and forms."""
    unit: str
    """Empty for a count or a text. `RATE` and `VOLUME` depend on the job."""
    meaning: str
    """A noun phrase of one line, without a full stop."""
    of: Callable[[Any], Any] | None = None
    """Computes it from the source of its command, or None if unknown; without it, the attribute of its name."""
    also: tuple[Alias, ...] = ()
    better: Literal["low", "high", ""] = ""
    """The better end of the scale, if any."""
    placed: bool = False
    """Whether texts and reports have a separate place for it; others are in their lists of figures."""
    ticked: bool = False
    """Whether the form of a study has a box for it; others can be typed."""
    slow: bool = False
    """Whether every flow is looked at to compute it."""
    column: str = ""
    """Its name in tables of several networks; empty if it is in none."""
    name: str = ""
    """Path in the JSON of commands; set by the registry."""
