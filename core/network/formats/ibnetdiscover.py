"""Output of InfiniBand's ibnetdiscover: a block for each switch and channel adapter, a line for each cable end.

A channel adapter (Ca) hosts tasks; its name is the first word of its description, or its id if that is taken. Both ends
of a cable must name each other; parallel cables are separate links. Source: infiniband-diags, ibnetdiscover(8) and
ibnetdiscover.c; rates: data rate of a lane after encoding, InfiniBand Architecture Specification.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.network.formats.graph_builder import UNKNOWN, GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, at_line, shown, text_of, wrong
from core.network.ports import Ports
from core.text import plural

KINDS = {"Switch": "switch", "Ca": "channel adapter", "Rt": "router"}
BLOCK = re.compile(r'(\w+)\s+(\d{1,6})\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?')
EXTERNAL = r"(?:\[ext \d+\])?"
"""Number of an external port of a chassis, which ibnetdiscover -g adds."""
PORT = re.compile(rf'\[(\d{{1,6}})\]{EXTERNAL}(?:\([0-9a-fA-F]*\))?\s+"([^"]+)"\[(\d{{1,6}})\]{EXTERNAL}(?!\[)(.*)')
NO_RATE = re.compile(r"#|lid|lmc|\d+|\([0-9a-fA-F]*\)")
"""Words of a port line that are not a rate."""
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
"""GB/s of four lanes in one direction."""

End = tuple[str, int]


class _Block(NamedTuple):
    kind: str
    ports: int
    name: str


class _Cable(NamedTuple):
    line: int
    to: End
    rate: str
    """As written in the file; empty if missing."""

    @property
    def gbs(self) -> float:
        """Return the bandwidth; NaN if the rate is unknown."""
        rate = RATE.fullmatch(self.rate)
        return int(rate[1]) / 4 * GBS.get(rate[2], UNKNOWN) if rate else UNKNOWN


def read_ibnetdiscover(path: Path) -> ParsedGraph:
    """Return the network.

    Raises SpecError: naming the line, or the two ends of a cable that disagree.
    """
    blocks, cables = _parsed(text_of(path))
    for end, cable in cables.items():
        _check(blocks, cables, end, cable)
    taken: set[str] = set()
    names: dict[str, str] = {}
    for block, device in blocks.items():
        words = device.name.split()
        name = (words[0] if device.kind == "Ca" else device.name) if words else block
        names[block] = block if name in taken else name
        taken.add(names[block])
    builder = GraphBuilder()
    for block, device in blocks.items():
        builder.add(names[block], host=device.kind == "Ca")
    guessed: list[_Cable] = []
    ends_of_edges: list[tuple[End, End]] = []
    for end, cable in cables.items():
        if end < cable.to:
            ends = (cable, cables[cable.to])
            gbs = next((end.gbs for end in ends if not math.isnan(end.gbs)), UNKNOWN)
            builder.join(names[end[0]], names[cable.to[0]], gbs)
            ends_of_edges.append((end, cable.to))
            if math.isnan(gbs):
                guessed.append(min(ends, key=_by_rate))
    ports = _ports(blocks, [ends[side] for side in (0, 1) for ends in ends_of_edges])
    return replace(builder.graph(_guesses(guessed)), ports=ports)


def _ports(blocks: dict[str, _Block], ends: Sequence[End]) -> Ports:
    number = np.array([port for _, port in ends], np.int32)
    nic = np.array([0 if blocks[device].kind == "Ca" else -1 for device, _ in ends], np.int32)
    none = np.zeros(number.size, np.int32)
    return Ports(number, nic, none.astype(np.uint64), none, none)


def _parsed(text: str) -> tuple[dict[str, _Block], dict[End, _Cable]]:
    blocks: dict[str, _Block] = {}
    cables: dict[End, _Cable] = {}
    block = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := BLOCK.match(line):
            kind, ports, block, name = match.groups()
            if kind not in KINDS:
                raise at_line(number, f"unknown block {shown(kind)}; supported: {', '.join(KINDS)}")
            if block in blocks:
                raise at_line(number, f"{block} already has a block")
            blocks[block] = _Block(kind, int(ports), (name or "").strip() or block)
        elif match := PORT.match(line):
            port, peer, far, rest = match.groups()
            if not block:
                raise at_line(number, "a port before the first Switch, Ca or Rt")
            if int(port) > blocks[block].ports:
                raise at_line(number, f"port {port} of a {KINDS[blocks[block].kind]} with {blocks[block].ports} ports")
            if (block, int(port)) in cables:
                raise at_line(number, f"{block}[{port}] already has a cable")
            cables[block, int(port)] = _Cable(number, (peer, int(far)), _rate(rest))
        elif line.lstrip().startswith("["):
            raise at_line(number, f'{shown(line.strip())} is not a cable; write [1] "S-1"[2]')
    return blocks, cables


def _rate(rest: str) -> str:
    # The rate follows the last quoted description, which may itself contain any text.
    return next((word for word in rest.rpartition('"')[2].split() if not NO_RATE.fullmatch(word)), "")


def _by_rate(cable: _Cable) -> tuple[bool, int]:
    # Cable ends with an unknown rate come before ends without a rate.
    return not cable.rate, cable.line


def _guesses(cables: Sequence[_Cable]) -> tuple[str, ...]:
    """Return the warning on cables whose rate is unknown."""
    if not cables:
        return ()
    first = min(cables, key=_by_rate)
    what = f"unknown rate {shown(first.rate)}" if first.rate else "cable without a rate"
    which = f"{plural(len(cables), 'cable')} without a known rate"
    return (f"line {first.line:,}: {what}; the network's bandwidth (gbs) is used for {which}",)


def _check(blocks: dict[str, _Block], cables: dict[End, _Cable], end: End, cable: _Cable) -> None:
    if cable.to[0] not in blocks:
        raise at_line(cable.line, f"{cable.to[0]} has no block")
    back = cables.get(cable.to)
    if back is None or back.to != end:
        leads = f"leads to {_port(back.to)}" if back is not None else "has no cable"
        raise wrong(f"{_port(end)} leads to {_port(cable.to)}, but {_port(cable.to)} {leads}")


def _port(end: End) -> str:
    return f"{end[0]}[{end[1]}]"
