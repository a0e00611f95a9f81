"""Channels of a collective on the machine: which are drawn, and the links that they cross more than once."""

from dataclasses import dataclass
from typing import NamedTuple

from core.load.crossings import PartCrossings
from core.load.evaluate import LoadReport


class Crossings(NamedTuple):
    """The links that each part of a job's channels crosses more than once."""

    report: LoadReport
    """Identifies the state."""
    parts: tuple[PartCrossings, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ChannelsState:
    """The channels drawn on the machine."""

    on_machine: bool = False
    """Whether channels are drawn."""
    only: int | None = None
    """Number of the only channel drawn; None for all."""
    crossings: Crossings | None = None
    """The last ones computed."""
