"""A discovered fabric: devices, and the cables between their ports."""

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from core.network.formats.parsed_graph import at_line, shown, wrong
from core.text import first_few, plural

Kind = Literal["switch", "channel adapter", "router"]
RATE = re.compile(r"(1|2|4|8|12)x(\w+)")
"""Lanes and the rate of each: ``4xEDR``."""
GBS = {
    "SDR": 1.0,
    "DDR": 2.0,
    "QDR": 4.0,
    "FDR10": 5.0,
    "FDR": 6.8,
    "EDR": 12.5,
    "HDR": 25.0,
    "NDR": 50.0,
    "XDR": 100.0,
}
"""GB/s of four lanes in one direction, after encoding. Source: InfiniBand Architecture Specification."""

Port = tuple[str, int]
"""Id of a device, and number of one of its ports."""


class Device(NamedTuple):
    """A switch, channel adapter or router."""

    kind: Kind
    description: str
    """Its node description, without blanks at the ends; empty if the file gives none."""
    guid: int = 0
    """GUID of the device, or in lists of ports of its first port; 0 if unknown."""
    ports: int = 0
    """Number of ports, except port 0 of a switch; 0 if unknown."""


class Lid(NamedTuple):
    """Address of a port, or of port 0 of a switch."""

    base: int
    lmc: int = 0


class CableEnd(NamedTuple):
    """A cable as listed at one of its ends."""

    line: int
    to: Port
    rate: str
    """As written in the file, such as ``4xEDR``; empty if missing."""

    @property
    def gbs(self) -> float | None:
        """Return the bandwidth in one direction, GB/s; None if the rate is unknown or missing."""
        lanes = RATE.fullmatch(self.rate)
        return int(lanes[1]) / 4 * GBS[lanes[2]] if lanes and lanes[2] in GBS else None


class Cable(NamedTuple):
    """A cable, with its ends in the order of the file."""

    first: Port
    second: Port
    ends: tuple[CableEnd, ...]
    """The cable as listed at its first end, and at its second end if the file lists it there."""


class SkippedLines:
    """Lines that do not belong to the dump, such as messages on standard error."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, number: int, line: str) -> None:
        """Record a line."""
        self._lines.append(f"line {number:,} {shown(line.strip())}")

    def notes(self) -> tuple[str, ...]:
        """Return the warning on these lines, if any."""
        if not self._lines:
            return ()
        lines = plural(len(self._lines), "line")
        return (f"skips {lines} not understood, such as messages on standard error: {first_few(self._lines)}",)


@dataclass
class Dump:
    """The contents of a file, in its order."""

    devices: dict[str, Device] = field(default_factory=dict)
    """By id."""
    ends: dict[Port, CableEnd] = field(default_factory=dict)
    lids: dict[Port, Lid] = field(default_factory=dict)
    """LIDs of the ports of adapters, and of port 0 of switches."""
    port_guids: dict[Port, int] = field(default_factory=dict)
    """GUIDs of the ports of adapters."""
    both_ends: bool = True
    """Whether each cable must be listed at both ends."""
    skipped: SkippedLines = field(default_factory=SkippedLines)

    def connect(self, port: Port, end: CableEnd) -> None:
        """Add an end of a cable.

        Raises SpecError: if the port has a cable already.
        """
        if port in self.ends:
            raise at_line(end.line, f"{port_text(port)} already has a cable")
        self.ends[port] = end

    def cables(self) -> list[Cable]:
        """Return the cables, in the order of their first ends.

        Raises SpecError: if the two ends of a cable disagree.
        """
        cables: dict[frozenset[Port], Cable] = {}
        for port, end in self.ends.items():
            if end.to[0] not in self.devices:
                raise at_line(end.line, f"{end.to[0]} has no block")
            back = self.ends.get(end.to)
            if (back.to != port) if back is not None else self.both_ends:
                leads = f"leads to {port_text(back.to)}" if back is not None else "has no cable"
                raise wrong(f"{port_text(port)} leads to {port_text(end.to)}, but {port_text(end.to)} {leads}")
            cables.setdefault(frozenset((port, end.to)), Cable(port, end.to, (end,) if back is None else (end, back)))
        return list(cables.values())


def port_text(port: Port) -> str:
    """Return a port as in the file: ``S-1[2]``."""
    return f"{port[0]}[{port[1]}]"
