"""Blocks of devices, each followed by its cables: the output of ibnetdiscover, and ibsim's network files.

Sources: infiniband-diags, ibnetdiscover(8) and ibnetdiscover.c; ibsim, net-examples and sim_net.c.
"""

import re

from core.network.formats.infiniband.dump import CableEnd, Device, Dump, Kind, Lid
from core.network.formats.parsed_graph import at_line, shown

KINDS: dict[str, Kind] = {"Switch": "switch", "Ca": "channel adapter", "Hca": "channel adapter", "Rt": "router"}
BLOCK = re.compile(r'([\w?]+)\s+(\d{1,6})\s+"([^"]+)"\s*(?:#\s*(.*))?')
ID = re.compile(r"[SHR]-([0-9a-fA-F]{1,16})")
PORT_0 = re.compile(r"\b(?:base|enhanced) port 0(?: lid (\d{1,9}))?(?: lmc (\d{1,2}))?")
"""After the description of a switch."""
PORT_GUID = r"(?:\((?:0x)?([0-9a-fA-F]{0,16})\))?"
EXTERNAL = r"(?:\[ext \d+\])?"
"""Number of an external port of a chassis, which ibnetdiscover -g adds."""
CABLE = re.compile(rf'\[(\d{{1,6}})\]{EXTERNAL}{PORT_GUID}\s+"([^"]+)"\s*(?:\[(\d{{1,6}})\])?{EXTERNAL}(?!\[)(.*)')
OWN_LID = re.compile(r"[^\"#]*#\s*lid (\d{1,9}) lmc (\d{1,2})\b")
"""After the ends of a cable in the block of an adapter."""
NO_RATE = re.compile(r"#|lid|lmc|\d+|\((?:0x)?[0-9a-fA-F]*\)|[a-z]+=\d+")
"""Words of a port line that are not a rate."""
DEVICE_GUID = re.compile(r"(?:switch|ca|hca|rt)guids?\s*=\s*0x([0-9a-fA-F]{1,16})\b")
OTHER = re.compile(r"(?:vendid|devid|sysimgguid|\w+guids?)\s*[=+]|(?:Non-)?Chassis (?:\d+|Nodes)\b|Hostname: |#")
"""Properties of devices, headings and comments."""
UNSUPPORTED = re.compile(r"(?:include\b|@)")
"""Statements of ibsim that change the network."""


def read_blocks(text: str) -> Dump:
    """Return the fabric.

    Raises SpecError: naming the line.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, line.strip())
    return reader.dump


class _Reader:
    def __init__(self) -> None:
        self.dump = Dump()
        self._block = ""
        self._ports: dict[str, int] = {}
        self._guid = 0

    def read(self, number: int, line: str) -> None:
        if match := BLOCK.match(line):
            self._begin(number, *match.groups(default=""))
        elif match := CABLE.match(line):
            self._connect(number, match[1], match[3], match[4] or "1", match[5])
            self._name_port(int(match[1]), match[2])
        elif line.startswith("["):
            raise at_line(number, f'{shown(line)} is not a cable; write [1] "S-1"[2]')
        elif UNSUPPORTED.match(line):
            raise at_line(number, f"{shown(line)} is not supported; give the network in one file, without aliases")
        elif match := DEVICE_GUID.match(line):
            self._guid = int(match[1], 16)
        elif line and not OTHER.match(line):
            self.dump.skipped.add(number, line)

    def _begin(self, number: int, word: str, ports: str, block: str, rest: str) -> None:
        if word not in KINDS:
            raise at_line(number, f"unknown block {shown(word)}; supported: {', '.join(KINDS)}")
        if block in self.dump.devices:
            raise at_line(number, f"{block} already has a block")
        # The last match counts, as a description may contain any text.
        if KINDS[word] == "switch" and (matches := list(PORT_0.finditer(rest))):
            rest = rest[: matches[-1].start()]
            self.dump.lids[block, 0] = Lid(*(int(number or 0) for number in matches[-1].groups()))
        named = ID.fullmatch(block)
        guid = self._guid or (int(named[1], 16) if named else 0)
        self.dump.devices[block] = Device(KINDS[word], _unquoted(rest), guid, int(ports))
        self._block, self._ports[block], self._guid = block, int(ports), 0

    def _connect(self, number: int, port: str, peer: str, far: str, rest: str) -> None:
        block = self._block
        if not block:
            raise at_line(number, f"a port before the first {', '.join(KINDS)}")
        own = block, int(port)
        kind = self.dump.devices[block].kind
        if not 1 <= own[1] <= self._ports[block]:
            raise at_line(number, f"port {port} of a {kind} with {self._ports[block]} ports")
        self.dump.connect(own, CableEnd(number, (peer, int(far)), _rate(rest)))
        if kind != "switch" and (lid := OWN_LID.match(rest)):
            self.dump.lids[own] = Lid(int(lid[1]), int(lid[2]))

    def _name_port(self, port: int, guid: str | None) -> None:
        if guid and self.dump.devices[self._block].kind != "switch":
            self.dump.port_guids[self._block, port] = int(guid, 16)


def _unquoted(text: str) -> str:
    # Descriptions may contain quotation marks, and are followed by "(scp)" in Xsigo fabrics.
    text = text.strip()
    return (text[1 : text.rindex('"')] if text.startswith('"') and text.count('"') > 1 else text).strip()


def _rate(rest: str) -> str:
    # The rate follows the last quoted description, which may itself contain any text.
    return next((word for word in rest.rpartition('"')[2].split() if not NO_RATE.fullmatch(word)), "")
