"""The output of ibnetdiscover -p: a line for each port, with both ends of its cable.

Source: infiniband-diags, ibnetdiscover.c, dump_ports_report.
"""

import re

from core.network.formats.infiniband.dump import Dump, Kind, SkippedLines
from core.network.formats.infiniband.seen_ports import SeenCable, SeenPort, dump_of
from core.network.formats.parsed_graph import at_line, shown

KINDS: dict[str, Kind] = {"SW": "switch", "CA": "channel adapter", "RT": "router"}
PORT = r"(SW|CA|RT)\s+(\d{1,9})\s+(\d{1,6})\s+0x([0-9a-fA-F]{1,16})"
LINE = re.compile(rf"\s*{PORT}\s+(\S+)\s+(\S+)(.*)")
FAR = re.compile(rf"\s+-\s+{PORT}\s+\( '(.*)' - '(.*)' \)\s*")


def is_port_list(text: str) -> bool:
    """Return whether a text has a line of this kind."""
    return re.search(rf"^\s*{PORT}\s", text, re.MULTILINE) is not None


def read_ports(text: str) -> Dump:
    """Return the fabric.

    Raises SpecError: naming the line.
    """
    seen, skipped = [], SkippedLines()
    for number, line in enumerate(text.splitlines(), 1):
        if match := LINE.fullmatch(line):
            seen.append(_cable(number, match))
        elif re.match(rf"\s*{PORT}", line):
            raise at_line(number, f"{shown(line.strip())} is not a port; expected its width and rate")
        elif line.strip() and not line.startswith("#"):
            skipped.add(number, line)
    return dump_of(seen, skipped)


def _cable(number: int, match: re.Match[str]) -> SeenCable:
    width, speed, rest = match.groups()[4:]
    far = FAR.fullmatch(rest)
    if far is None and re.match(r"\s*-\s", rest):
        raise at_line(number, f"{shown(rest.strip())} is not the other end of a cable")
    near = _port(match, far[5] if far else rest.strip().strip("'"))
    return SeenCable(number, near, _port(far, far[6]) if far else None, f"{width}{speed}")


def _port(match: re.Match[str], description: str) -> SeenPort:
    kind, lid, port, digits = match.groups()[:4]
    guid = int(digits, 16)
    return SeenPort(guid, int(port), description, int(lid), guid, KINDS[kind])
