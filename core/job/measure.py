"""The measure of a job's volumes: units that tasks send, or what a trace counts. Also times in words.

Inside, a volume is in units, in GB or in messages; links carry GB/s, so over these it is a time in seconds, but for
messages, whose size is not known. Decimal: 1 KB is 1,000 bytes.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.text import duration, figure

Volume = TypeVar("Volume", float, NDArray[np.float64])
Counted = Literal["auto", "bytes", "KB", "MB", "GB", "messages"]
"""What a trace counts; auto: bytes, if its file says that it counts them, else GB."""


class Measure(NamedTuple):
    """The unit that a volume is given in."""

    one: str
    """Its name: ``unit``, ``MB``."""
    many: str
    """The same of several."""
    per_volume: float = 1.0
    """How many of them make 1 of a volume as it is held."""
    timed: bool = True
    """Whether over GB/s it is seconds."""

    def converted(self, volume: Volume) -> Volume:
        """Return a volume, or an array of volumes, in this measure."""
        return volume * self.per_volume

    def amount(self, volume: float) -> str:
        """Return a volume for people: ``1 unit``, ``11.5 MB``."""
        text = self.number(volume)
        return f"{text} {self.one if text == '1' else self.many}"

    def suited_amount(self, volume: float) -> str:
        """Return the same where it stands alone: ``8 bytes``, not ``8e-06 MB``."""
        return self.suited(volume).amount(volume)

    def suited(self, volume: float) -> "Measure":
        """Return this measure, or of volumes in bytes the one in which such a volume is no tiny or huge number."""
        least, most = READABLE
        if self == UNITS or not self.timed or volume <= 0 or least <= self.converted(volume) < most:
            return self
        return next((one for one in BYTES if one.converted(volume) >= 1), BYTES[-1])

    def number(self, volume: float) -> str:
        """Return a volume for people without its unit, where that is said beside it."""
        return figure(self.converted(volume))

    @property
    def rate(self) -> str:
        """Return what a throughput is: of messages it is true only if all are of one size, whatever that is."""
        return f"GB/s per node{self._proviso}"

    @property
    def brief_rate(self) -> str:
        """Return the same where there is little room."""
        return f"GB/s{self._proviso}"

    @property
    def _proviso(self) -> str:
        return "" if self.timed else " if messages are alike"

    def time(self, seconds: float) -> str:
        """Return a time t for people: ``1.75 s``, ``0.25 s per unit``, ``12 messages per GB/s``."""
        if not self.timed:
            return f"{self.amount(seconds)} per GB/s"
        return duration(seconds) + (" per unit" if self == UNITS else "")


UNITS = Measure("unit", "units")
"""What a task of a pattern sends in all; as 1 GB, where times are given."""
MEASURES: dict[str, Measure] = {
    "bytes": Measure("byte", "bytes", 1e9),
    "KB": Measure("KB", "KB", 1e6),
    "MB": Measure("MB", "MB", 1e3),
    "GB": Measure("GB", "GB"),
    "messages": Measure("message", "messages", timed=False),
}
"""By what a trace counts."""

BYTES = tuple(MEASURES[name] for name in ("GB", "MB", "KB", "bytes"))
READABLE = 1e-2, 1e6
"""From which number on, and below which, a volume stays in the measure that it was given in."""


def common(a: Measure, b: Measure) -> Measure:
    """Return the measure of both; of two that differ units, as volumes are held."""
    return a if a == b else UNITS


def strictest(measures: Iterable[Measure]) -> Measure:
    """Return the measure whose `rate` is true of the throughputs of all."""
    return next((measure for measure in measures if not measure.timed), UNITS)
