"""The record of a figure: title, unit, meaning and how it is computed, declared at the field that holds it.

A field of a result is declared as ``diameter: Annotated[int | None, Figure("Diameter", "hops", "longest distance")]``.
`core.figures.registry` gathers these declarations for everything that prints, measures or captions figures.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

RATE = "GB/s per node"
"""Unit of throughputs; for message counts it is shown with the condition under which it holds."""
VOLUME = "volume"
"""Unit of loads: the measure of the job's volumes, such as units or MB."""


class Alias(NamedTuple):
    """An older name of a figure."""

    name: str
    """The spelling in captions and studies; CLASS stands for a link class."""
    factor: float = 1.0
    """Ratio of its value to the value of the figure."""
    under: str = ""
    """Beginning of the only path that it replaces, if the field occurs under several paths."""
    in_volumes: bool = False
    """Whether its value is in units, or in GB for traced jobs, regardless of the measure of the job's volumes."""


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
    """Whether texts and reports have a separate place for it; other figures are in their lists of figures."""
    ticked: bool = False
    """Whether the form of a study has a checkbox for it; other figures can be typed."""
    slow: bool = False
    """Whether computing it visits every flow."""
    column: str = ""
    """Its name in tables of several networks, or empty if it is not in them."""
    name: str = ""
    """Path in the JSON of commands; set by the registry."""
