"""Readers of port counters, and counters as loads of links: made-up counters come back exactly."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.counters.measured import Measured
from core.counters.reading import Kind
from core.formats import read_of
from core.network import Edges, Torus
from core.spec import SpecError
from tests.core.counters.test_reading import values_of
from tests.core.ibsim import needs_ibsim, simulated
from tests.core.network.formats.fabrics import dump, two_rails
from tests.core.routing.tables.test_scheme import TREE

READ = {name: form.read for name, form in read_of("counters").items()}


def block(device, port, sent, received, wait=None, kind="extended counters"):
    lines = [f"# Port {kind}: {device} port {port} (CapMask: 0x5300)", f"PortSelect:......................{port}"]
    lines += [f"PortXmitData:....................{sent}", f"PortRcvData:.....................{received}"]
    return "\n".join([*lines, *([] if wait is None else [f"PortXmitWait:....................{wait}"])]) + "\n"


def read(folder, form, text, name="c.txt"):
    (folder / name).write_text(text)
    return READ[form](folder / name)


def tree():
    return Edges(file="ibnetdiscover.txt").build(TREE)


def measured(folder, network, after, before=None, **fields):
    (folder / "after.txt").write_text(after)
    if before is not None:
        (folder / "before.txt").write_text(before)
        fields["before"] = "before.txt"
    return Measured(after="after.txt", **fields).build(network, folder)


def by_ends(network, links):
    """GB sent by the ends of links with a value."""
    return {network.link_ends(k): links.gb[k] for k in np.flatnonzero(~np.isnan(links.gb)).tolist()}


def test_perfquery_counts_units_of_four_octets(tmp_path):
    network = tree()
    links = measured(tmp_path, network, block("Lid 7", 5, 2000, 30), block("Lid 7", 5, 1000, 10), seconds=1.0)
    assert by_ends(network, links) == {
        ("s1_0000 port 5", "s2_0000 port 1"): 4000 / 1e9,
        ("s2_0000 port 1", "s1_0000 port 5"): 80 / 1e9,  # counted at its head alone
    }
    assert np.nanmax(links.gbs) == 4000 / 1e9


@pytest.mark.parametrize("kind", ["extended counters", "counters"])
def test_blocks_of_a_stream(tmp_path, kind):
    text = "ibwarn: [7] retry\n" + block("Lid 7", 1, 5, 6, 7, kind) + block("Lid 7", 255, 9, 9, kind=kind)
    reading = read(tmp_path, "perfquery", text + block("Lid 8", 2, 2**63, 0))
    ports = values_of(reading.samples[Kind.LID])
    assert ports[7, 1] == (20, 24, 7)
    assert ports[8, 2] == (2**65, 0, None)
    assert reading.warnings == (
        "skips 1 line not understood, such as messages on standard error: line 1 'ibwarn: [7] retry'",
        "omits the sums of all ports of 1 device (port 255)",
    )


def test_counters_of_32_bits_stop_at_their_maximum(tmp_path):
    reading = read(tmp_path, "perfquery", block("Lid 7", 1, 2**32 - 1, 6, kind="counters"))
    assert values_of(reading.samples[Kind.LID])[7, 1] == (None, 24, None)
    assert reading.warnings == ("omits 1 counter of 32 bits at their maximum; use perfquery -x",)


def test_files_named_by_guids_are_read_together(tmp_path):
    for guid, sent in ((0x200004, 3), (0x200005, 4)):
        (tmp_path / f"0x{guid:016x}.out").write_text(block("DR path 0,1", 5, sent, 0))
    (tmp_path / "other.out").write_text("nothing")
    network = tree()
    links = Measured(after="0x0000000000200004.out").build(network, tmp_path)
    values = {int(network.src_ports.guid[k]): round(links.gb[k] * 1e9) for k in np.flatnonzero(links.gb > 0)}
    assert values == {0x200004: 12, 0x200005: 16}


def test_a_table_by_names_goes_with_any_family(tmp_path):
    network = Torus(dims=(3, 3)).build()
    links = measured(tmp_path, network, 'src,dst,bytes,wait\n0,1,5e9,7\n\n# remark\n"(1,1)",4,3,\n7,"(1,2)",0,\n')
    forth = network.links_between(0, 1)
    assert links.gb[forth].tolist() == [5.0]
    assert links.wait[forth].tolist() == [7]


def test_a_file_named_by_a_time_is_read_alone(tmp_path):
    for name, sent in (("1732876443", 3), ("1732876503", 4)):
        (tmp_path / f"{name}.txt").write_text(block("Lid 7", 5, sent, 0))
    links = Measured(after="1732876503.txt", before="1732876443.txt").build(tree(), tmp_path)
    assert np.nansum(links.gb) == 4 / 1e9


def test_parallel_links_share_a_counter_of_their_vertices(tmp_path):
    network = Torus(dims=(2, 3)).build()
    both = network.links_between(0, 3)
    links = measured(tmp_path, network, "src,dst,bytes,wait\n0,3,4e9,6\n3,0,1e9,\n")
    assert links.gb[both].tolist() == [2, 2]
    assert links.wait[both].tolist() == [3, 3]
    first, second = network.links_between(3, 0).tolist()
    named = 'src,dst,bytes\n"(1,0)","(0,0) (parallel 1)",3e9\n'
    links = measured(tmp_path, network, named)
    assert links.gb[second] == 3
    assert np.isnan(links.gb[first])


def test_each_lid_of_a_port_is_its_own(tmp_path):
    (tmp_path / "fabric.txt").write_text(dump(*two_rails(hosts=2, leaves=2, spines=1), lmc=2))
    network = Edges(file="fabric.txt").build(tmp_path)
    link = int(np.flatnonzero(network.src < network.nodes)[0])
    lid, port = int(network.src_ports.lid[link]), int(network.src_ports.number[link])
    for k in range(4):
        links = measured(tmp_path, network, block(f"Lid {lid + k}", port, 10**9 // 4, 0))
        assert links.gb[link] == 1.0


def test_a_table_by_names_takes_ports(tmp_path):
    network = tree()
    links = measured(tmp_path, network, "src;dst;bytes\ns1_0000 port 8;s2_0003;2000000000\nn0000;s1_0000;1e9\n")
    assert by_ends(network, links) == {
        ("s1_0000 port 8", "s2_0003 port 1"): 2.0,
        ("n0000 port 1", "s1_0000 port 1"): 1.0,
    }


PROMETHEUS = """# HELP infiniband_switch_port_transmit_data_bytes_total x
go_threads 7
infiniband_switch_port_transmit_data_bytes_total{guid="0x0000000000200004",port="5",switch="s1"} 1.5e+09
infiniband_switch_port_receive_data_bytes_total{guid="0x0000000000200004",port="5",switch="s1"} 500000000
infiniband_switch_port_transmit_wait_total{guid="0x0000000000200004",port="5",switch="s1"} 12 1700000000000
node_infiniband_port_data_transmitted_bytes_total{instance="n0003:9100",device="mlx5_0",port="1"} 7000000000
"""


def test_prometheus_names_switches_by_guid_and_hosts_by_name(tmp_path):
    network = tree()
    links = measured(tmp_path, network, PROMETHEUS)
    assert by_ends(network, links) == {
        ("s1_0000 port 5", "s2_0000 port 1"): 1.5,
        ("s2_0000 port 1", "s1_0000 port 5"): 0.5,
        ("n0003 port 1", "s1_0003 port 1"): 7.0,
    }
    assert np.nanmax(links.wait) == 12


def test_resets_and_missing_ports_have_no_value(tmp_path):
    network = tree()
    before = block("Lid 7", 5, 100, 0) + block("Lid 7", 6, 100, 0) + block("Lid 7", 7, 1, 0)
    links = measured(tmp_path, network, block("Lid 7", 5, 90, 0) + block("Lid 7", 6, 150, 0), before)
    at = lambda port: (network.src_ports.lid == 7) & (network.src_ports.number == port)  # noqa: E731
    assert np.isnan(links.gb[at(5)]).all()
    assert links.gb[at(6)] * 1e9 == pytest.approx(200)
    assert links.warnings == (
        "omits counters of 1 port or link in one of the two files only: port 7 of LID 7",
        "omits counters of 1 port or link that were reset: port 5 of LID 7",
    )


def test_ends_that_disagree_are_listed(tmp_path):
    network = tree()
    rows = "0x200004,5,1000,0\n0x200000,1,0,1011\n0x200004,6,1000,0\n0x200001,1,0,1009\n"
    links = measured(tmp_path, network, f"guid,port,xmit_bytes,rcv_bytes\n{rows}")
    assert [network.link_ends(k)[0] for k in links.disagree.tolist()] == ["s1_0000 port 5"]


@given(st.data())
def test_counters_of_all_ports_come_back(empty_folder, data):
    folder, network = empty_folder(), tree()
    counts = data.draw(st.lists(st.integers(0, 2**64), min_size=network.links, max_size=network.links))
    rows = {}
    for k, sent in enumerate(counts):
        rows.setdefault((int(network.src_ports.guid[k]), int(network.src_ports.number[k])), [0, 0])[0] = sent
        rows.setdefault((int(network.dst_ports.guid[k]), int(network.dst_ports.number[k])), [0, 0])[1] = sent
    table = [f"0x{guid:x},{port},{sent},{got}" for (guid, port), (sent, got) in rows.items()]
    links = measured(folder, network, "guid,port,xmit_bytes,rcv_bytes\n" + "\n".join(table))
    np.testing.assert_allclose(links.gb, np.array(counts, float) / 1e9)
    assert links.disagree.size == 0


@pytest.mark.parametrize(
    ("form", "text", "words"),
    [
        ("perfquery", "", "has no counters; give the output of perfquery -x for each port"),
        ("perfquery", block("Lid 7", 255, 1, 1), "has only sums of all ports of a device (port 255); give the output"),
        ("perfquery", block("DR path 0", 1, 1, 1), "line 1: has no LID; name the file by the GUID of the device"),
        ("perfquery", block("Lid 7", 1, 1, 1) * 2, "line 5: port 1 of LID 7 has counters already"),
        ("counters-csv", "", "is empty; give a table of counters"),
        ("counters-csv", "src,dst,bytes\n# none\n", "has no counters below its header"),
        ("counters-csv", "a,b\n", "line 1: the header must be src,dst,bytes or guid,port,xmit_bytes"),
        ("counters-csv", "src,dst,bytes\n0,1\n", "line 2: has 2 columns; must have 3, as the header"),
        ("counters-csv", "src,dst,bytes\n0,1,-3\n", "line 2: '-3' is not a counter; must be a number from 0"),
        ("counters-csv", "src,dst,bytes\n0,1,nan\n", "line 2: 'nan' is not a counter"),
        ("counters-csv", "src,dst,bytes\n0,1,3\n0,1,3\n", "line 3: 0 → 1 is listed already"),
        ("counters-csv", "guid,port,xmit_bytes\nx,1,3\n", "line 2: 'x' and '1' are not a GUID and a port"),
        ("counters-csv", f"src,dst,bytes\n0,1,{10**400}\n", "line 2: '1000"),
        ("counters-csv", "src,dst,bytes,bytes\n0,1,3,3\n", "line 1: has the column bytes twice"),
        ("perfquery", block("Lid 7", 1, 10**30, 1), "line 3: '1000000000000000000000000000000' is not a counter"),
        ("perfquery", block("Lid 7", 1, "9" * 5000, 1), "line 3: '9999999999999999999999999999999999999999' is"),
        ("prometheus", "go_threads 7\n", "has no counters of InfiniBand ports"),
        ("prometheus", 'infiniband_hca_port_transmit_wait_total{port="1"} 7\n', "line 1: has neither the label guid"),
        ("prometheus", 'infiniband_hca_port_transmit_wait_total{guid="0x1",port="1"} x', "'x' is not a counter"),
    ],
)  # fmt: skip
def test_invalid_files_are_refused(tmp_path, form, text, words):
    with pytest.raises(SpecError, match=re.escape(words)):
        read(tmp_path, form, text)


def test_counters_of_another_machine_are_refused(tmp_path):
    with pytest.raises(SpecError, match="has no counter of a link of the network; it has port 1 of LID 999"):
        measured(tmp_path, tree(), block("Lid 999", 1, 1, 1))


@needs_ibsim
def test_counters_of_a_simulated_fabric(tmp_path):
    devices, cables = two_rails(hosts=4, leaves=2, spines=1)
    (tmp_path / "net").write_text(dump(devices, cables).replace("4xNDR", "4xQDR").replace("4xHDR", "4xQDR"))
    with simulated(tmp_path, "net") as run:
        (tmp_path / "fabric.txt").write_bytes(run("ibnetdiscover"))
        network = Edges(file="fabric.txt").build(tmp_path)
        lids = np.unique(network.src_ports.lid[network.src >= network.nodes]).tolist()
        for name in ("before.txt", "after.txt"):
            (tmp_path / name).write_bytes(b"".join(run("perfquery", "-x", "-l", str(lid), "1-4") for lid in lids))
    links = Measured(before="before.txt", after="after.txt", seconds=2.0).build(network, tmp_path)
    values = links.gb[~np.isnan(links.gb)]
    assert (values >= 0).all()
    assert values.max() > 0


def series(folder, network, moments=(None, None, None), **fields):
    """Counters read four times, of the port 5 of the device 0x200004."""
    metric = 'infiniband_switch_port_transmit_data_bytes_total{guid="0x200004",port="5"}'
    for k, (sent, moment) in enumerate(zip((0, 10, 40, 50), moments, strict=True)):
        (folder / f"{k}.prom").write_text(f"{metric} {sent}e9{'' if moment is None else f' {moment}'}\n")
    given = Measured(before="0.prom", between=("1.prom", "2.prom"), after="3.prom", **fields)
    return given.build(network, folder)


@pytest.mark.parametrize(
    ("fields", "seconds", "gbs"),
    [
        ({"seconds": 6.0}, (2, 2, 2), (5, 15, 5)),
        ({"moments": (0, 1000, 11000, 13000)}, (1, 10, 2), (10, 3, 5)),
        ({"moments": (1000, None, 11000, 13000)}, (4, 4, 4), (2.5, 7.5, 2.5)),
        ({"moments": (None,) * 4}, (None, None, None), (10, 30, 10)),
    ],
)  # fmt: skip
def test_readings_in_between_divide_the_interval(tmp_path, fields, seconds, gbs):
    links = series(tmp_path, tree(), **{"moments": (None,) * 4} | fields)
    assert tuple(part.seconds for part in links.intervals) == seconds
    assert tuple(np.nanmax(part.gbs) for part in links.intervals) == gbs
    assert np.nanmax(links.gb) == 50
    np.testing.assert_allclose(sum(part.gb for part in links.intervals), links.gb)
