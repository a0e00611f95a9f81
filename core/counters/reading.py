"""Counters of ports at one moment, as files hold them."""

from dataclasses import dataclass, field
from math import nan
from typing import NamedTuple

from core.spec import SpecError, error_at_line

FIELD = "measured"
MAX_COUNT = 10**24
"""Limit of counters, beyond the range of 64 bits in any unit."""


class Port(NamedTuple):
    """A port, by its device and number."""

    device: str
    """``lid 5``, ``guid 0x2c9``, or ``nic n001 mlx5_0``: the host and its adapter."""
    number: int


class Sample(NamedTuple):
    """Counters of a port or a link; NaN where the file has no value. Integers are exact."""

    sent: float = nan
    """Bytes sent."""
    received: float = nan
    """Bytes received."""
    wait: float = nan
    """Ticks in which data waited to be sent, of a length that depends on the device."""

    def since(self, before: "Sample") -> "Sample":
        """Return the differences to an earlier sample; a counter that was reset has no value."""
        pairs = zip(self, before, strict=True)
        return Sample(*(late - early if late >= early else nan for late, early in pairs))

    def was_reset(self, before: "Sample") -> bool:
        """Return whether a counter is lower than in an earlier sample."""
        return any(late < early for late, early in zip(self, before, strict=True))


@dataclass(frozen=True)
class Reading:
    """Counters of ports, or of links by the names of their ends."""

    ports: dict[Port, Sample] = field(default_factory=dict)
    links: dict[tuple[str, str], Sample] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    moment: float | None = None
    """Time of the reading, s since 1970; None if the file does not say."""

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.ports) + len(self.links)


def count_of(text: str, line: int) -> float:
    """Return a counter, exact if it is an integer.

    Raises SpecError: naming the line, if it is not a number from 0 to `MAX_COUNT`.
    """
    try:
        value = int(text) if text.isdecimal() else float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= MAX_COUNT:
        raise error_at_line(FIELD, line, f"{text[:40]!r} is not a counter; must be a number from 0")
    return value


def wrong(message: str) -> SpecError:
    """Return an error in a file of counters."""
    return SpecError(FIELD, message)
