"""Measures of volume: units of patterns, or bytes or messages of traces; with texts for volumes and times.

Internally a volume is in units, in GB or in messages. Divided by GB/s it is a time in seconds, except for messages,
whose size is unknown. Prefixes are decimal: 1 KB is 1,000 bytes.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.text import duration, figure

Volume = TypeVar("Volume", float, NDArray[np.float64])
Counted = Literal["auto", "bytes", "KB", "MB", "GB", "messages"]
"""Unit of a trace's volumes; auto: given by its file, otherwise GB."""


class Measure(NamedTuple):
    """A unit of volume."""

    singular: str
    """Its name in the singular: ``unit``, ``MB``."""
    many: str
    """The plural."""
    per_volume: float = 1.0
    """Number of these units in an internal volume of 1."""
    timed: bool = True
    """Whether volume over GB/s is a time in seconds."""

    def converted(self, volume: Volume) -> Volume:
        """Convert an internal volume, or an array of volumes."""
        return volume * self.per_volume

    def amount(self, volume: float) -> str:
        """Return a volume as text: ``1 unit``, ``11.5 MB``."""
        text = self.number(volume)
        return f"{text} {self.singular if text == '1' else self.many}"

    def suited_amount(self, volume: float) -> str:
        """Return a volume as text in a suitable measure: ``8 bytes``, not ``8e-06 MB``."""
        return self.suited(volume).amount(volume)

    def suited(self, volume: float) -> "Measure":
        """Return the measure of bytes that suits the size of a volume; other measures return themselves."""
        least, most = READABLE
        if self == UNITS or not self.timed or volume <= 0 or least <= self.converted(volume) < most:
            return self
        return next((measure for measure in BYTES if measure.converted(volume) >= 1), BYTES[-1])

    def number(self, volume: float) -> str:
        """Return a volume as text without its unit."""
        return figure(self.converted(volume))

    @property
    def rate(self) -> str:
        """Return the unit of throughput, which for messages requires equal sizes."""
        return f"GB/s per node{self._proviso}"

    @property
    def brief_rate(self) -> str:
        """Return an abbreviated `rate`."""
        return f"GB/s{self._proviso}"

    @property
    def _proviso(self) -> str:
        return "" if self.timed else " for equal messages"

    def seconds(self, time: float) -> float | None:
        """Return a time of steps or links in seconds, or None for message counts, which have no times."""
        return time if self.timed else None

    def time(self, seconds: float) -> str:
        """Return a time t as text: ``1.75 s``, ``0.25 s per unit``, ``12 messages per GB/s``."""
        if not self.timed:
            return f"{self.amount(seconds)} per GB/s"
        return duration(seconds) + (" per unit" if self == UNITS else "")


UNTIMED = "no time is given for message counts; the throughput assumes equal sizes"
"""The note shown instead of times of steps or links."""
UNITS = Measure("unit", "units")
"""Total volume that a task of a pattern sends; 1 GB where times are given."""
MEASURES: dict[str, Measure] = {
    "bytes": Measure("byte", "bytes", 1e9),
    "KB": Measure("KB", "KB", 1e6),
    "MB": Measure("MB", "MB", 1e3),
    "GB": Measure("GB", "GB"),
    "messages": Measure("message", "messages", timed=False),
}
"""Measures by the unit of a trace's volumes."""

BYTES = tuple(MEASURES[name] for name in ("GB", "MB", "KB", "bytes"))
READABLE = 1e-2, 1e6
"""Range of numbers in which a volume keeps its original measure."""


def common(a: Measure, b: Measure) -> Measure:
    """Return the measure of both, or units if they differ."""
    return a if a == b else UNITS


def strictest(measures: Iterable[Measure]) -> Measure:
    """Return the measure whose `rate` is correct for all."""
    return next((measure for measure in measures if not measure.timed), UNITS)
