"""Counters in Prometheus's text format, as exported by infiniband_exporter and node_exporter."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from core.counters.reading import (
    FIELD,
    NO_VALUE,
    RECEIVED,
    SENT,
    WAIT,
    Key,
    Kind,
    Reading,
    Samples,
    counts_of,
    pieces,
    wrong,
)
from core.spec import error_at_line

METRICS = {
    "port_transmit_data_bytes_total": SENT,
    "port_receive_data_bytes_total": RECEIVED,
    "port_transmit_wait_total": WAIT,
    "port_data_transmitted_bytes_total": SENT,
    "port_data_received_bytes_total": RECEIVED,
}
"""Rows of values by the end of a metric's name."""
COUNTER = re.compile(
    rf"^[ \t]*(?:infiniband_(?:switch|hca)|node_infiniband)_({'|'.join(METRICS)})"
    r"\{(.*)\}[ \t]+(\S+)(?:[ \t]+(-?\d{1,15}))?[ \t\r]*$",
    re.MULTILINE,
)
"""A line with a counter: its metric, labels, value and moment."""
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
GUID_AND_PORT = re.compile(
    r'^(?:[^\n]*?,)??guid="([0-9a-fA-Fx]{1,18})",(?:[^\n]*?,)??port="(\d{1,9})"(?:,[^\n]*)?$', re.MULTILINE
)
"""The labels of a port of a device with a GUID, in their usual order."""
MILLISECONDS = 1000
"""Timestamps per second."""


def read_prometheus(path: Path) -> Reading:
    """Return the counters in a scrape; other metrics are ignored.

    Raises SpecError: naming the line with an invalid value or without a port.
    """
    scrape, line = _Scrape(), 1
    for piece in pieces(path):
        scrape.add(piece, line)
        line += piece.count("\n")
    return scrape.reading()


class _Scrape:
    """Counters of the ports read so far."""

    def __init__(self) -> None:
        self._rows = dict[Key, int]()
        self._row_of = dict[str, int]()
        """The row of the port with some labels."""
        self._columns = [list[int]() for _ in range(3)]
        self._moments = set[str | None]()

    def add(self, piece: str, line: int) -> None:
        """Add the counters in some lines, of which the first has a number."""
        # A list of all strings is made several times faster than a tuple for each line.
        parts, every = COUNTER.split(piece), COUNTER.groups + 1
        metrics, labels, texts, moments = (parts[k::every] for k in range(1, every))

        def line_of(place: int) -> int:
            begin = next(islice(COUNTER.finditer(piece), place, None)).start()
            return line + piece.count("\n", 0, begin)

        values, rows = counts_of(texts, line_of), self._rows_of(labels, line_of)
        for place, (metric, row, value) in enumerate(zip(metrics, rows, values, strict=True)):
            column = self._columns[METRICS[metric]]
            if column[row] != NO_VALUE:
                raise error_at_line(FIELD, line_of(place), "gives a counter of a port that is listed already")
            column[row] = value
        self._moments.update(moments)

    def _rows_of(self, labels: Sequence[str], line_of: Callable[[int], int]) -> list[int]:
        new = [*dict.fromkeys(given for given in labels if given not in self._row_of)]
        for given, port in zip(new, _ports(new, lambda k: line_of(labels.index(new[k]))), strict=True):
            row = self._row_of[given] = self._rows.setdefault(port, len(self._rows))
            if row == len(self._columns[0]):
                for column in self._columns:
                    column.append(NO_VALUE)
        return [self._row_of[given] for given in labels]

    def reading(self) -> Reading:
        """Return all counters."""
        if not self._rows:
            raise wrong("has no counters of InfiniBand ports, such as infiniband_switch_port_transmit_data_bytes_total")
        times = [int(moment) for moment in self._moments if moment]
        samples = _by_kind([*self._rows], self._columns)
        return Reading(samples, moment=max(times) / MILLISECONDS if times else None)


def _by_kind(keys: Sequence[Key], columns: Sequence[Sequence[int]]) -> dict[Kind, Samples]:
    samples = {}
    for kind, device in ((Kind.GUID, int), (Kind.NIC, tuple)):
        rows = [row for row, key in enumerate(keys) if isinstance(key[0], device)]
        if rows:
            samples[kind] = Samples.of([keys[k] for k in rows], [[column[k] for k in rows] for column in columns])
    return samples


def _ports(labels: Sequence[str], line_of: Callable[[int], int]) -> list[Key]:
    """Return the ports with some different labels."""
    parts, every = GUID_AND_PORT.split("\n".join(labels)), GUID_AND_PORT.groups + 1
    if len(parts) == len(labels) * every + 1:
        try:
            return [(int(guid, 16), int(port)) for guid, port in zip(parts[1::every], parts[2::every], strict=True)]
        except ValueError:
            pass  # an invalid GUID
    return [_port(given, partial(line_of, place)) for place, given in enumerate(labels)]


def _port(text: str, line: Callable[[], int]) -> Key:
    labels = dict(LABEL.findall(text))
    port = labels.get("port", "")
    try:
        if "guid" in labels:
            return int(labels["guid"], 16), int(port)
        if "device" in labels and "instance" in labels:
            return (labels["instance"].partition(":")[0], labels["device"]), int(port)
    except ValueError as error:
        raise error_at_line(FIELD, line(), "has no valid GUID and port") from error
    raise error_at_line(FIELD, line(), "has neither the label guid nor the labels instance and device")
