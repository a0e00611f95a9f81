"""Output of perfquery: blocks of counters, port by port, in a stream or in a file per device named by its GUID.

Data counters are in units of four octets. Source: the manual page perfquery(8).
"""

import re
from math import nan
from pathlib import Path

from core.counters.reading import FIELD, Port, Reading, Sample, count_of, wrong
from core.network.formats.infiniband.dump import SkippedLines
from core.spec import decoded_text, error_at_line
from core.text import plural

BLOCK = re.compile(
    r"# Port (?P<extended>extended )?counters: (?:Lid (?P<lid>\d+)|.*?) port (?P<port>\d+)\b.*", re.IGNORECASE
)
COUNTER = re.compile(r"(?P<name>\w+):\.*(?P<value>\d+|0x[0-9a-fA-F]+|N/A)?")
GUID = re.compile(r"(0x)?[0-9a-fA-F]{9,16}(-\d+)?")
"""Name of a file with the counters of a device, or of one of its ports."""
OCTETS = 4
ALL_PORTS = 255
SATURATED = 2**32 - 1
"""A counter of 32 bits stops here."""
COUNTERS = {"portxmitdata": ("sent", OCTETS), "portrcvdata": ("received", OCTETS), "portxmitwait": ("wait", 1)}


def read_perfquery(path: Path) -> Reading:
    """Return the counters in a file, or in all files of its folder if it is named by a GUID.

    Raises SpecError: naming the line that is invalid, or a port that is listed twice.
    """
    files = [path]
    if GUID.fullmatch(path.stem):
        files = sorted(file for file in path.parent.glob(f"*{path.suffix}") if GUID.fullmatch(file.stem))
    blocks = _Blocks()
    for file in files:
        blocks.read(file)
    return blocks.reading()


class _Blocks:
    """Counters of the ports read so far."""

    def __init__(self) -> None:
        self._values = dict[Port, dict[str, float]]()
        self._skipped, self._summed, self._saturated = SkippedLines(), 0, 0

    def read(self, path: Path) -> None:
        """Add the counters in a file."""
        guid = f"guid 0x{int(path.stem.partition('-')[0], 16):x}" if GUID.fullmatch(path.stem) else ""
        values, limit = dict[str, float](), False
        for number, line in enumerate(decoded_text(FIELD, path.read_bytes()).splitlines(), start=1):
            text = line.strip()
            block = BLOCK.fullmatch(text) if text.startswith("#") else None
            counter = COUNTER.fullmatch(text) if block is None else None
            if block is not None:
                values, limit = self._begun(block, guid, number), not block["extended"]
            elif counter is not None:
                self._take(values, counter, limit, number)
            elif text:
                self._skipped.add(number, line)

    def _begun(self, block: re.Match[str], guid: str, line: int) -> dict[str, float]:
        lid, number = int(block["lid"] or 0), int(block["port"])
        if number == ALL_PORTS:
            self._summed += 1
            return {}
        if not lid and not guid:
            raise error_at_line(FIELD, line, "has no LID; name the file by the GUID of the device instead")
        port = Port(guid or f"lid {lid}", number)
        if port in self._values:
            raise error_at_line(FIELD, line, f"{port.device} port {number} has counters already")
        self._values[port] = {}
        return self._values[port]

    def _take(self, values: dict[str, float], counter: re.Match[str], limited: bool, line: int) -> None:
        name, factor = COUNTERS.get(counter["name"].lower(), ("", 1))
        if not name or not (counter["value"] or "").isdigit():
            return
        value = count_of(counter["value"], line)
        stopped = limited and value >= SATURATED
        self._saturated += stopped
        values[name] = nan if stopped else value * factor

    def reading(self) -> Reading:
        """Return all counters, with notes on omitted ones."""
        if not self._values:
            raise wrong("has no counters; give the output of perfquery -x")
        notes = list(self._skipped.notes())
        if self._summed:
            notes.append(f"omits the sums of all ports of {plural(self._summed, 'device')} (port {ALL_PORTS})")
        if self._saturated:
            notes.append(f"omits {plural(self._saturated, 'counter')} of 32 bits at their maximum; use perfquery -x")
        return Reading({port: Sample(**values) for port, values in self._values.items()}, warnings=tuple(notes))
