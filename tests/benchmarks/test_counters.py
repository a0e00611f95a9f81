"""Port counters of a fabric with 65,536 ports: read, and found on its links; CPU time, the least of three.

Compared with a reader of the same file line by line, and one link after the other (tests/oracle/counters.py).
"""

import time

import pytest

from core.counters.measured import Measured
from core.network import Xgft
from tests.benchmarks.timing import faster, seconds_text, timed
from tests.core.routing.tables.fabrics import HOST, built, discovered
from tests.oracle import counters as oracle

FABRIC = Xgft(down=(32, 16, 32), up=(1, 16, 16))
"""16,384 nodes; half as many cables between each two levels of switches."""
OTHERS = [
    *(f"Port{what}{way}Pkts" for what in ("", "Unicast", "Multicast") for way in ("Xmit", "Rcv")),
    *(f"{name}Errors" for name in ("PortRcv", "PortRcvRemotePhysical", "PortRcvSwitchRelay", "PortXmitConstraint")),
    *("SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortXmitDiscards", "VL15Dropped"),
    *("PortRcvConstraintErrors", "LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors", "QP1Dropped"),
]
"""Counters that perfquery prints besides."""
HOSTS = 0x20000
"""First GUID of the hosts, above the GUIDs of all switches, so that all LIDs differ."""


@pytest.fixture(scope="module")
def fabric(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fabric")
    devices, cables = discovered(FABRIC)
    moved = {
        device: device if device.switch else device._replace(guid=device.guid - HOST + HOSTS) for device in devices
    }
    cables = [cable._replace(a=moved[cable.a], b=moved[cable.b]) for cable in cables]
    return folder, built(folder, ([*moved.values()], cables))


def counters(network):
    """GUID, LID, number and three counters of each port."""
    ports = network.src_ports
    columns = ports.guid.tolist(), ports.lid.tolist(), ports.number.tolist()
    return [(*port, 10**11 + 7 * k, 10**11 + 3 * k, k % 1000) for k, port in enumerate(zip(*columns, strict=True))]


def perfquery(network):
    """A stream with all counters of each port."""
    lines = []
    for _, lid, number, sent, received, wait in counters(network):
        values = {"PortSelect": number, "PortXmitData": sent, "PortRcvData": received, **dict.fromkeys(OTHERS, 0)}
        lines.append(f"# Port extended counters: Lid {lid} port {number} (CapMask: 0x5A00 CapMask2: 0x0000002)")
        lines += [f"{name + ':':.<33}{value}" for name, value in (values | {"PortXmitWait": wait}).items()]
    return "\n".join(lines) + "\n"


def table(network):
    """A table by GUID and port."""
    rows = (
        f"0x{guid:016x},{number},{sent},{received},{wait}"
        for guid, _, number, sent, received, wait in counters(network)
    )
    return "\n".join(["guid,port,xmit_bytes,rcv_bytes,wait", *rows]) + "\n"


def prometheus(network):
    """A scrape with three metrics of each port."""
    rows = [
        (f'guid="0x{guid:016x}",port="{number}",switch="s{guid}"', *row) for guid, _, number, *row in counters(network)
    ]
    return "".join(
        f"infiniband_switch_port_{metric}_total{{{row[0]}}} {row[place]}\n"
        for place, metric in enumerate(("transmit_data_bytes", "receive_data_bytes", "transmit_wait"), start=1)
        for row in rows
    )


@pytest.mark.parametrize(
    ("words", "write", "plain"),
    [
        ("perfquery, 23 lines a port", perfquery, oracle.perfquery),
        ("table by GUID and port", table, oracle.table),
        ("Prometheus", prometheus, oracle.prometheus),
    ],
    ids=["perfquery", "csv", "prometheus"],
)
def test_counters_read(record, fabric, words, write, plain):
    folder, network = fabric
    path = folder / "counters.txt"
    path.write_text(write(network))
    spec = Measured(after=path.name)

    def line_by_line():
        counted = plain(path.read_text())
        oracle.of_links(network, counted[0] if isinstance(counted, tuple) else counted)

    seconds = min(timed(spec.build, network, folder, clock=time.process_time) for _ in range(3))
    slow = min(timed(line_by_line, clock=time.process_time) for _ in range(2))
    size = path.stat().st_size / 1e6
    record(f"{words}, {size:.0f} MB", f"{seconds_text(seconds)} of CPU", f"{faster(slow, seconds)} than line by line")
    assert seconds < slow
