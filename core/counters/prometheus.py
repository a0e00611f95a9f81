"""Counters in Prometheus's text format, as exported by infiniband_exporter and node_exporter."""

import re
from pathlib import Path

from core.counters.reading import FIELD, Port, Reading, Sample, count_of, wrong
from core.spec import error_at_line, text_of

METRICS = {
    "port_transmit_data_bytes_total": "sent",
    "port_receive_data_bytes_total": "received",
    "port_transmit_wait_total": "wait",
    "port_data_transmitted_bytes_total": "sent",
    "port_data_received_bytes_total": "received",
}
"""Counters by the end of a metric's name."""
LINE = re.compile(
    rf"(?:node_infiniband|infiniband_(?:switch|hca))_(?P<metric>{'|'.join(METRICS)})"
    r"\{(?P<labels>.*)\}\s+(?P<value>\S+)(\s+(?P<moment>-?\d{1,15}))?\s*"
)
MILLISECONDS = 1000
"""Timestamps per second."""
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def read_prometheus(path: Path) -> Reading:
    """Return the counters in a scrape; other metrics are ignored.

    Raises SpecError: naming the line with an invalid value or without a port.
    """
    values, moments = dict[Port, dict[str, float]](), list[int]()
    for number, line in enumerate(text_of(FIELD, path).splitlines(), start=1):
        match = LINE.fullmatch(line.strip())
        if match is None:
            continue
        counters = values.setdefault(_port(dict(LABEL.findall(match["labels"])), number), {})
        name = METRICS[match["metric"]]
        if name in counters:
            raise error_at_line(FIELD, number, "gives a counter of a port that is listed already")
        counters[name] = count_of(match["value"], number)
        moments += [int(match["moment"])] if match["moment"] else []
    if not values:
        raise wrong("has no counters of InfiniBand ports, such as infiniband_switch_port_transmit_data_bytes_total")
    moment = max(moments) / MILLISECONDS if moments else None
    return Reading({port: Sample(**counters) for port, counters in values.items()}, moment=moment)


def _port(labels: dict[str, str], line: int) -> Port:
    port = labels.get("port", "")
    try:
        if "guid" in labels:
            return Port(f"guid 0x{int(labels['guid'], 16):x}", int(port))
        if "device" in labels and "instance" in labels:
            return Port(f"nic {labels['instance'].partition(':')[0]} {labels['device']}", int(port))
    except ValueError as error:
        raise error_at_line(FIELD, line, "has no valid GUID and port") from error
    raise error_at_line(FIELD, line, "has neither the label guid nor the labels instance and device")
