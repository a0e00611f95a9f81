"""The output of iblinkinfo: blocks of devices with a line for each port, or with -l only the lines.

Lines of blocks name the device at the other end by its LID, lines of -l by its GUID. Source: infiniband-diags,
iblinkinfo(8) and iblinkinfo.c.
"""

import re

from core.network.formats.infiniband.dump import Dump, Kind, SkippedLines
from core.network.formats.infiniband.seen_ports import SeenCable, SeenPort, dump_of
from core.network.formats.parsed_graph import at_line, shown

KINDS: dict[str, Kind] = {"Switch": "switch", "CA": "channel adapter", "Router": "router"}
BLOCK = re.compile(r"\s*(Switch|CA|Router)\s*:?\s+(?:0x([0-9a-fA-F]{1,16})\s+)?(.*):\s*")
GUID = r"(?:0x([0-9a-fA-F]{1,16})\s+)?"
PORT = r"(\d{1,9})\s+(\d{1,6})\s*\[\s*\d*\s*\]"
LINE = re.compile(rf'\s*{GUID}(?:"(.*)"\s+)?{PORT}\s+==\((.*)\)==>\s*(.*)')
FAR = re.compile(rf'{GUID}{PORT}\s+"(.*)"\s+\(.*\)\s*')
FREE = re.compile(r'(?:\[\s*\]\s+""\s+\(.*\)|"Port not available")\s*')
STATE = re.compile(r"\s*(\d+X)\s+([\d.]+) Gbps( \(FDR10\))?")
RATES = {
    "2.5": "SDR",
    "5.0": "DDR",
    "10.0": "QDR",
    "14.0625": "FDR",
    "25.78125": "EDR",
    "53.125": "HDR",
    "106.25": "NDR",
    "212.5": "XDR",
}
"""Names of the signalling rates of a lane, Gb/s."""


def read_links(text: str) -> Dump:
    """Return the fabric.

    Raises SpecError: naming the line.
    """
    seen, skipped = [], SkippedLines()
    block: tuple[Kind | None, int, str] = None, 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := LINE.fullmatch(line):
            seen.append(_cable(number, match, *block))
        elif "==(" in line:
            raise at_line(number, f"{shown(line.strip())} is not a port")
        elif match := BLOCK.fullmatch(line):
            block = KINDS[match[1]], int(match[2] or "0", 16), match[3]
        elif line.strip() and not line.startswith("#"):
            skipped.add(number, line)
    return dump_of(seen, skipped)


def _cable(number: int, match: re.Match[str], kind: Kind | None, guid: int, name: str) -> SeenCable:
    own_guid, own_name, lid, port, state, rest = match.groups()
    if own_name is not None:  # a line of -l, which is not in a block
        kind, name = None, own_name
    near = _port(own_guid or f"{guid:x}", lid, port, name, by_guid=own_name is not None, kind=kind)
    far = FAR.fullmatch(rest)
    if far is None and not FREE.fullmatch(rest):
        raise at_line(number, f"{shown(rest)} is not the other end of a cable")
    speed = STATE.match(state)
    rate = "" if speed is None else f"{speed[1].lower()}{'FDR10' if speed[3] else RATES.get(speed[2], speed[2])}"
    peer = None if far is None else _port(*far.groups(), by_guid=far[1] is not None)
    return SeenCable(number, near, peer, rate)


def _port(guid: str | None, lid: str, port: str, name: str, *, by_guid: bool, kind: Kind | None = None) -> SeenPort:
    number = int(guid or "0", 16)
    return SeenPort(("GUID", number) if by_guid else ("LID", int(lid)), int(port), name, int(lid), number, kind)
