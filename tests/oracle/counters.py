"""Readers of port counters, line by line.

Each returns the counters by port or link, as (sent, received, wait) in bytes and ticks, None without a value.
"""

import re

HEADING = re.compile(r"# Port (extended )?counters: (?:Lid (\d+)|.*?) port (\d+)\b.*", re.IGNORECASE)
COUNTER = re.compile(r"(\w+):\.*(\d+|0x[0-9a-fA-F]+|N/A)?")
UNITS = {"portxmitdata": (0, 4), "portrcvdata": (1, 4), "portxmitwait": (2, 1)}
METRIC = re.compile(r"(?:node_infiniband|infiniband_(?:switch|hca))_port_(\w+)_total\{(.*)\}\s+(\S+)(\s+-?\d{1,15})?")
METRICS = {
    "transmit_data_bytes": 0,
    "data_transmitted_bytes": 0,
    "receive_data_bytes": 1,
    "data_received_bytes": 1,
    "transmit_wait": 2,
}


def perfquery(text):
    """The counters by (LID, port) in the output of perfquery, the skipped lines, and the saturated counters."""
    ports, skipped, saturated = {}, [], 0
    values, limited = {}, False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        heading, counter = HEADING.fullmatch(line), COUNTER.fullmatch(line)
        if heading:
            extended, lid, port = heading.groups()
            values, limited = [None] * 3, not extended
            if int(port) != 255:
                assert (int(lid), int(port)) not in ports
                ports[int(lid), int(port)] = values
        elif counter:
            name, value = counter[1].lower(), counter[2] or ""
            if name in UNITS and value.isdigit() and values:
                place, unit = UNITS[name]
                stopped = limited and int(value) >= 2**32 - 1
                saturated += stopped
                values[place] = None if stopped else int(value) * unit
        elif line:
            skipped.append(number)
    return {port: tuple(values) for port, values in ports.items()}, skipped, saturated


def table(text):
    """The counters in a table with commas, by the first two cells, or by (GUID, port)."""
    header, *rows = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")]
    counters = {}
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        if "guid" in cells:
            key, names = (int(cells["guid"], 16), int(cells["port"])), ("xmit_bytes", "rcv_bytes", "wait")
        else:
            key, names = (cells["src"], cells["dst"]), ("bytes", "", "wait")
        assert key not in counters
        counters[key] = tuple(int(cells[name]) if cells.get(name) else None for name in names)
    return counters


def prometheus(text):
    """The counters of a scrape by (GUID, port) or ((host, adapter), port)."""
    ports = {}
    for line in text.splitlines():
        match = METRIC.fullmatch(line.strip())
        if match is None or match[1] not in METRICS:
            continue
        labels = dict(re.findall(r'(\w+)="([^"]*)"', match[2]))
        if "guid" in labels:
            device = int(labels["guid"], 16)
        else:
            device = labels["instance"].partition(":")[0], labels["device"]
        values = ports.setdefault((device, int(labels["port"])), [None] * 3)
        assert values[METRICS[match[1]]] is None
        values[METRICS[match[1]]] = int(float(match[3]))
    return {port: tuple(values) for port, values in ports.items()}


def of_links(network, counters):
    """The bytes sent over and received from each link, by the ports at its ends: LIDs below 2^32, or GUIDs."""
    sent, received = [None] * network.links, [None] * network.links
    for values, place, ports in ((sent, 0, network.src_ports), (received, 1, network.dst_ports)):
        for link in range(network.links):
            number = int(ports.number[link])
            for device in (int(ports.lid[link]), int(ports.guid[link])):
                if (device, number) in counters:
                    values[link] = counters[device, number][place]
    return sent, received
