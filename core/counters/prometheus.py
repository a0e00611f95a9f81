"""Counters in Prometheus's text format, as exported by infiniband_exporter and node_exporter."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, islice, repeat
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
    wrong,
)
from core.spec import error_at_line, text_of

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
    text = text_of(FIELD, path)
    # A list of strings is made several times faster than a tuple for each line.
    parts, every = COUNTER.split(text), COUNTER.groups + 1
    metrics, labels, texts, moments = (parts[k::every] for k in range(1, every))
    if not metrics:
        raise wrong("has no counters of InfiniBand ports, such as infiniband_switch_port_transmit_data_bytes_total")

    def line_of(place: int) -> int:
        begin = next(islice(COUNTER.finditer(text), place, None)).start()
        return text.count("\n", 0, begin) + 1

    values, size = counts_of(texts, line_of), _repeated(metrics, labels)
    keys, row_of = _ports(labels[:size], line_of)
    columns = [[NO_VALUE] * len(keys) for _ in range(3)]
    if len(keys) == size < len(labels):
        for first in range(0, len(labels), size):
            columns[METRICS[metrics[first]]] = values[first : first + size]
    else:
        _fill(columns, metrics, [row_of[given] for given in labels], values, line_of)
    times = [int(moment) for moment in {*moments} if moment]
    return Reading(_by_kind(keys, columns), moment=max(times) / MILLISECONDS if times else None)


def _repeated(metrics: list[str], labels: list[str]) -> int:
    """Return the number of ports if each metric lists the same ports in the same order, else of all labels."""
    size = next((place for place, metric in enumerate(metrics) if metric != metrics[0]), len(metrics))
    lists, rest = divmod(len(labels), size)
    each = metrics[::size]
    alike = not rest and len({METRICS[metric] for metric in each}) == lists
    alike = alike and all(metrics[k * size : (k + 1) * size].count(metric) == size for k, metric in enumerate(each))
    return size if alike and labels[:size] * lists == labels else len(labels)


def _fill(
    columns: Sequence[list[int]],
    metrics: Sequence[str],
    rows: Sequence[int],
    values: Sequence[int],
    line_of: Callable[[int], int],
) -> None:
    for place, (metric, row, value) in enumerate(zip(metrics, rows, values, strict=True)):
        column = columns[METRICS[metric]]
        if column[row] != NO_VALUE:
            raise error_at_line(FIELD, line_of(place), "gives a counter of a port that is listed already")
        column[row] = value


def _by_kind(keys: Sequence[Key], columns: Sequence[Sequence[int]]) -> dict[Kind, Samples]:
    samples = {}
    for kind, device in ((Kind.GUID, int), (Kind.NIC, tuple)):
        rows = [row for row, key in enumerate(keys) if isinstance(key[0], device)]
        if rows:
            samples[kind] = Samples.of([keys[k] for k in rows], [[column[k] for k in rows] for column in columns])
    return samples


def _ports(labels: Sequence[str], line_of: Callable[[int], int]) -> tuple[list[Key], dict[str, int]]:
    """Return the different ports, and the place in them of the port with some labels."""
    different = [*dict.fromkeys(labels)]
    parts, every = GUID_AND_PORT.split("\n".join(different)), GUID_AND_PORT.groups + 1
    keys: list[Key]
    try:
        keys = [*zip(map(int, parts[1::every], repeat(16)), map(int, parts[2::every]), strict=True)]
    except ValueError:
        keys = []  # an invalid GUID
    if len(keys) != len(different):
        keys = [_port(given, partial(_line_of_first, given, labels, line_of)) for given in different]
    row = dict(zip(dict.fromkeys(keys), count(), strict=False))
    return [*row], dict(zip(different, map(row.__getitem__, keys), strict=True))


def _line_of_first(given: str, labels: Sequence[str], line_of: Callable[[int], int]) -> int:
    return line_of(labels.index(given))


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
