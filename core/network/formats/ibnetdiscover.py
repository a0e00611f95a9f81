"""Output of InfiniBand's ibnetdiscover: a block for each switch and channel adapter, a line for each cable end.

A channel adapter (Ca) hosts tasks; its name is the first word of its description, or its id if that is taken. Both ends
of a cable must name each other; parallel cables are separate links. Source: infiniband-diags, ibnetdiscover(8).
"""

import re
from pathlib import Path
from typing import NamedTuple

from core.network.formats.graph_builder import UNKNOWN, GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, at_line, text_of, wrong

BLOCK = re.compile(r'(Switch|Ca|Rt)\s+(\d{1,6})\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?')
PORT = re.compile(r'\[(\d{1,6})\](?:\([0-9a-fA-F]*\))?\s+"([^"]+)"\[(\d{1,6})\](.*)')
SPEED = re.compile(r"\b(\d{1,2})x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR)\b")
GBS = {"SDR": 1.0, "DDR": 2.0, "QDR": 4.0, "FDR10": 5.0, "FDR": 6.8, "EDR": 12.1, "HDR": 25.0, "NDR": 50.0}
"""GB/s of four lanes in one direction."""

End = tuple[str, int]


class _Block(NamedTuple):
    kind: str
    ports: int
    name: str


class _Cable(NamedTuple):
    line: int
    to: End
    gbs: float


def read_ibnetdiscover(path: Path) -> ParsedGraph:
    """Return the network.

    Raises SpecError: naming the line, or the two ends of a cable that disagree.
    """
    blocks, cables = _parsed(text_of(path))
    for end, cable in cables.items():
        _check(blocks, cables, end, cable)
    taken: set[str] = set()
    names: dict[str, str] = {}
    for block, found in blocks.items():
        words = found.name.split()
        name = (words[0] if found.kind == "Ca" else found.name) if words else block
        names[block] = block if name in taken else name
        taken.add(names[block])
    builder = GraphBuilder()
    for block, found in blocks.items():
        builder.add(names[block], host=found.kind == "Ca")
    for end, cable in cables.items():
        if end < cable.to:
            back = cables[cable.to].gbs
            builder.join(names[end[0]], names[cable.to[0]], back if cable.gbs != cable.gbs else cable.gbs)
    return builder.graph()


def _parsed(text: str) -> tuple[dict[str, _Block], dict[End, _Cable]]:
    blocks: dict[str, _Block] = {}
    cables: dict[End, _Cable] = {}
    block = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := BLOCK.match(line):
            kind, ports, block, name = found.groups()
            if block in blocks:
                raise at_line(number, f"{block} has a block already")
            blocks[block] = _Block(kind, int(ports), (name or "").strip() or block)
        elif found := PORT.match(line):
            port, peer, far, rest = found.groups()
            if not block:
                raise at_line(number, "a port before the first Switch, Ca or Rt")
            if int(port) > blocks[block].ports:
                what = {"Switch": "switch", "Ca": "channel adapter", "Rt": "router"}[blocks[block].kind]
                raise at_line(number, f"port {port} of a {what} with {blocks[block].ports}")
            if (block, int(port)) in cables:
                raise at_line(number, f"{block}[{port}] has a cable already")
            cables[block, int(port)] = _Cable(number, (peer, int(far)), _gbs(rest))
    return blocks, cables


def _gbs(rest: str) -> float:
    found = SPEED.search(rest)
    return int(found[1]) / 4 * GBS[found[2]] if found else UNKNOWN


def _check(blocks: dict[str, _Block], cables: dict[End, _Cable], end: End, cable: _Cable) -> None:
    if cable.to[0] not in blocks:
        raise at_line(cable.line, f"{cable.to[0]} has no block")
    back = cables.get(cable.to)
    if back is None or back.to != end:
        says = f"says {_port(back.to)}" if back is not None else "has no cable"
        raise wrong(f"{_port(cable.to)} {says}; {_port(end)} says {_port(cable.to)}")


def _port(end: End) -> str:
    return f"{end[0]}[{end[1]}]"
