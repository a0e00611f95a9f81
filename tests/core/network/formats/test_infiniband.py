"""InfiniBand fabrics: the output of ibnetdiscover and iblinkinfo, and networks of ibsim."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.recognise import choice_of
from core.formats import recognised, written_of
from core.job import AllToAll
from core.mapping import Sequential
from core.mapping.formats.placement import Placed
from core.network import Edges
from core.spec import SpecError
from tests.core.ibsim import needs_ibsim, simulated
from tests.core.network.formats.fabrics import Cable, Device, dump, two_rails
from tests.core.network.formats.files import written

DATA = Path(__file__).parents[3] / "data" / "infiniband"
DIALECTS = (
    "network.ibsim",
    "ibnetdiscover-g.txt",
    "ibnetdiscover-f.txt",
    "ibnetdiscover-p.txt",
    "iblinkinfo.txt",
    "iblinkinfo-l.txt",
)
"""One fabric, as ibsim, ibnetdiscover and iblinkinfo write it: standard output with standard error."""
CABLES = {
    ("leaf 1", 1, "n1", 1),
    ("leaf 1", 2, "n1", 1),
    ("leaf 2", 1, "n2", 1),
    ("leaf 2", 2, "n2", 2),
    ("leaf 1", 5, "leaf 2", 5),
    ("leaf 1", 6, "leaf 2", 6),
}
BANDWIDTHS = [
    Device(0x1, 8, "s1", switch=True),
    Device(0x11, 2, "h1 HCA-1"),
    Device(0x21, 1, "h2 HCA-1"),
    Device(0x31, 1, "h3 HCA-1"),
]
S1, H1, H2, H3 = BANDWIDTHS
SAME_NAMES = [S1, Device(0x11, 1, "localhost HCA-1"), Device(0x21, 1, "localhost HCA-1"), H3]


def reads(name, **fields):
    """The network of a sample."""
    return Edges(file=name, **fields).build(DATA)


def ports_of(network):
    """The names and ports of both ends of each directed link."""
    ends = zip(
        network.src.tolist(),
        network.src_ports.number.tolist(),
        network.dst.tolist(),
        network.dst_ports.number.tolist(),
        strict=True,
    )
    return Counter((network.label(u), p, network.label(v), q) for u, p, v, q in ends)


def both_ways(cables):
    """The directed links of cables."""
    return Counter([*cables, *((v, q, u, p) for u, p, v, q in cables)])


def star(*devices, lmc=0, rate="4xHDR"):
    """A dump of adapters at one switch."""
    return dump([S1, *devices], [Cable(S1, 1 + k, device, 1, rate) for k, device in enumerate(devices)], lmc)


def test_links_keep_their_ports_though_sorted_by_bandwidth(tmp_path):
    cables = [Cable(S1, 3, H1, 2, "4xEDR"), Cable(S1, 4, H2, 1, "4xHDR"), Cable(S1, 7, H3, 1, "4xEDR")]
    network = written(tmp_path, "ib.txt", dump(BANDWIDTHS, cables))
    assert ports_of(network) == both_ways([("s1", 3, "h1", 2), ("s1", 4, "h2", 1), ("s1", 7, "h3", 1)])
    assert [c.gbs for c in network.classes] == [25.0, 12.5]


@pytest.mark.parametrize("name", DIALECTS)
def test_all_dialects_give_the_same_fabric(name):
    network = reads(name)
    assert set(network.host_names) == {"n1", "n2"}
    assert ports_of(network) == both_ways(CABLES)
    assert set(network.gbs.tolist()) == {4.0}  # 4xQDR
    tails, heads = network.src_ports, network.dst_ports
    lids = {(network.label(u), p): lid for u, p, lid in zip(network.src, tails.number, tails.lid, strict=True)}
    assert lids["leaf 1", 1] == lids["leaf 1", 6] == 1
    assert lids["leaf 2", 1] == 6
    assert lids["n2", 2] == 5
    # NICs follow the names of adapters: mlx5_0 has LIDs 2 and 4.
    assert {(int(lid), int(nic)) for lid, nic in zip(tails.lid, tails.nic, strict=True) if nic >= 0} == {
        (2, 0),
        (3, 1),
        (4, 0),
        (5, 1),
    }
    assert np.array_equal(tails.nic >= 0, network.src < network.nodes)
    guid_of_port = 0 if name.startswith(("network", "ibnetdiscover-g", "ibnetdiscover-f")) else 1
    assert {int(guid) for guid, lid in zip(heads.guid, heads.lid, strict=True) if lid == 4} == {0x30 + guid_of_port}
    assert {int(guid) for guid, lid in zip(heads.guid, heads.lid, strict=True) if lid == 6} == {0x200}
    # Cables to a unit for SHARP and to the switch itself occupy ports. A free port of an adapter does not count.
    free = network.spec.free_ports(network)
    assert {network.label(vertex): free[vertex] for vertex in range(network.vertices)} == {
        "n1": 0, "n2": 0, "leaf 1": 4, "leaf 2": 1,
    }  # fmt: skip
    own = reads(name, nics="own")
    assert own.spec.free_ports(own).tolist() == [0, 0, 0, 0, *free[2:]]


@pytest.mark.parametrize("name", DIALECTS)
def test_the_notes_state_what_differs_from_the_file(name):
    first, left_out, loop, *skipped = reads(name).warnings
    assert first == "2 hosts with 2 NICs each"
    assert left_out == "leaves out 1 channel adapter: 'Mellanox Technologies Aggregation Node'"
    assert loop.startswith("leaves out 1 cable from a device to itself: leaf 2[")
    words = "skips 1 line not understood, such as messages on standard error: line 1 'ibwarn: ["
    assert [line[: len(words)] for line in skipped] == ([] if name == "network.ibsim" else [words])


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_are_recognised_after_other_lines(name):
    content = (DATA / name).read_bytes()
    expected = "iblinkinfo" if name.startswith("iblinkinfo") else "ibnetdiscover"
    assert recognised(content).id == expected
    assert recognised(b"some warning; of 1,2,3\n" * 100 + content).id == expected


FABRICS = sorted({*DATA.glob("*.*"), *DATA.glob("*/ibnetdiscover.txt")})


@pytest.mark.parametrize("path", FABRICS, ids=lambda path: path.relative_to(DATA).as_posix())
def test_a_fabric_is_imported_as_a_network(path):
    assert choice_of(path) == "network"


def test_the_headings_of_g_and_hca_are_recognised():
    assert recognised(b"#\n#\n\nNon-Chassis Nodes\n\nfoo").id == "ibnetdiscover"
    assert recognised(b"# x\n\nChassis 1 (guid 0x1)\n").id == "ibnetdiscover"
    assert recognised(b'#\n  switch 8 "a"\n').id == "ibnetdiscover"
    assert recognised(b'# x\nSwitch 8 "Switch1"\n\nHca\t1 "Hca1"\n').id == "ibsim"


def test_cables_between_external_ports_of_a_chassis_are_read():
    network = reads("chassis.txt")
    assert (network.nodes, network.vertices, network.links // 2) == (2, 4, 5)
    assert [links.count // 2 for links in network.classes] == [3, 2]


def test_a_laboratory_switch_with_loopbacks_is_read():
    network = reads("loopbacks.topo")
    assert sorted(network.host_names) == ["node100", "node101", "node111", "node216", "node96"]
    assert (network.vertices, network.links // 2) == (7, 7)
    assert network.warnings[0] == "5 hosts: 4 with 1 NIC and 1 with 2 NICs"
    assert network.warnings[1].startswith("leaves out 3 cables from a device to itself: SwitchIB Mellanox")
    assert "line 1 'src/query_smp.c:195; umad" in network.warnings[2]


@pytest.mark.parametrize("name", ["a.topo", "fabric.out", "x"])
def test_lines_between_blocks_are_skipped_with_a_note(tmp_path, name):
    text = "warn 1\n" + star(H1, H2).replace("\n\n", "\n\nwarn 2 is long " + "x" * 80 + "\n\n")
    (warning,) = written(tmp_path, name, text).warnings
    assert warning.startswith(
        "skips 4 lines not understood, such as messages on standard error: line 1 'warn 1', line 6"
    )
    assert warning.endswith(" and 1 more")


def test_two_adapters_of_a_host_are_one_node_in_exported_files():
    network = reads("sharp.txt")
    assert (network.nodes, network.links // 2) == (2, 4)
    assert network.classes[0].gbs == 25.0
    assert exported(network, "slurm-hostfile").split() == ["dgx01", "dgx02"]


def exported(network, form):
    """The file of a launcher for one rank on each node."""
    job = AllToAll(network.nodes).build()
    return written_of("mapping")[form].write(Placed.of(Sequential().build(job, network), network, None)).content


def test_a_fabric_of_two_rails_exports_exactly_its_hosts(tmp_path):
    devices, cables = two_rails()
    network = written(tmp_path, "fabric.txt", dump(devices, cables))
    hosts = [f"node{k:03d}" for k in range(64)]
    assert list(network.host_names) == hosts
    assert exported(network, "slurm-hostfile").split() == hosts
    assert exported(network, "openmpi-rankfile").splitlines() == [f"rank {k}={h} slot=0" for k, h in enumerate(hosts)]
    switches = [device for device in devices if device.switch]
    assert network.vertices - network.nodes == len(switches) == 12
    assert [(links.gbs, links.count // 2) for links in network.classes] == [(50.0, 32), (25.0, 128)]
    assert network.warnings == (
        "64 hosts with 2 NICs each",
        "leaves out 12 channel adapters: 'Mellanox Technologies Aggregation Node'",
        "leaves out 1 cable from a device to itself: leaf0[61] - leaf0[62]",
    )
    assert sorted(map(network.label, range(64, 76))) == [
        *(f"leaf{k}" for k in range(8)),
        *(f"spine{k}" for k in range(4)),
    ]
    assert network.closed == network.nodes


@pytest.mark.parametrize(
    ("descriptions", "names"),
    [
        (["MF0;s1:MQM8700/U1", "MF0;s2.site:MSB7700/U1"], ["s1", "s2.site"]),
        (["MF0;s1:MQM8700/U1", "MF0;s1:MQM8700/U2"], ["MF0;s1:MQM8700/U1", "MF0;s1:MQM8700/U2"]),
        (["MF0;s1:CS7520/L01/U1", "MF0;s1:CS7520/S01/U1"], ["MF0;s1:CS7520/L01/U1", "MF0;s1:CS7520/S01/U1"]),
        (["MF0;h1:MQM8700/U1", "s2"], ["MF0;h1:MQM8700/U1", "s2"]),
        (["MF0;s2:MQM8700/U1", "s2"], ["MF0;s2:MQM8700/U1", "s2"]),
        (["xMF0;s1:MQM8700/U1", "MF0;s1"], ["xMF0;s1:MQM8700/U1", "MF0;s1"]),
    ],
)
def test_managed_switches_have_their_host_name_if_it_is_unique(tmp_path, descriptions, names):
    switches = [Device(1 + k, 8, description, switch=True) for k, description in enumerate(descriptions)]
    cables = [
        Cable(switches[0], 1, H1, 1),
        Cable(switches[1], 1, H2, 1),
        Cable(*sum(zip(switches, (8, 8), strict=True), ())),
    ]
    network = written(tmp_path, "ib.txt", dump([*switches, H1, H2], cables))
    assert [network.label(vertex) for vertex in range(network.vertices)] == ["h1", "h2", *names]


def test_hosts_with_one_switch_need_not_be_closed(tmp_path):
    # Routings that need nodes that forward then apply.
    assert written(tmp_path, "ib.txt", star(H1, H2, Device(0x41, 1, "h2 HCA-2"))).closed == 0


def test_a_host_does_not_forward(tmp_path):
    other = Device(0x2, 8, "s2", switch=True)
    adapters = [
        Device(0x41 + 16 * k, 1, f"{name}") for k, name in enumerate(("a HCA-1", "a HCA-2", "b HCA-1", "c HCA-1"))
    ]
    cables = [
        Cable(switch, 1 + k, adapter, 1)
        for k, (switch, adapter) in enumerate(zip((S1, other) * 2, adapters, strict=True))
    ]
    network = written(tmp_path, "ib.txt", dump([S1, other, *adapters], cables))
    assert network.host_names == ("a", "b", "c")
    assert network.closed == 3


@pytest.mark.parametrize("lmc", [0, 3])
def test_ports_have_their_lmc(tmp_path, lmc):
    network = written(tmp_path, "ib.txt", star(H1, H2, lmc=lmc))
    own = network.src < network.nodes
    assert set(network.src_ports.lmc[own].tolist()) == {lmc}
    assert set(network.src_ports.lmc[~own].tolist()) == {0}
    assert sorted(network.src_ports.lid.tolist()) == sorted([H1.lid, H2.lid, S1.lid, S1.lid])


def test_nics_are_in_natural_order(tmp_path):
    adapters = [Device(0x11 * k, 1, f"h1 mlx5_{number}") for k, number in enumerate((10, 9, 2), 1)]
    network = written(tmp_path, "ib.txt", star(*adapters, H2))
    nic = {int(lid): int(nic) for lid, nic in zip(network.src_ports.lid, network.src_ports.nic, strict=True)}
    assert [nic[adapter.lid] for adapter in adapters] == [2, 1, 0]


NAMELESS = "MT4129 ConnectX7   Mellanox Technologies"


@pytest.mark.parametrize(
    ("descriptions", "hosts", "words"),
    [
        (["n1 HCA-1", "n1 HCA-2", "n2 HCA-1"], ["n1", "n2"], "2 hosts: 1 with 1 NIC and 1 with 2 NICs"),
        (["n1.cluster mlx5_0", "n1.cluster mlx5_bond_0", "ib2 hfi1_0"], ["n1.cluster", "ib2"], "2 hosts: "),
        (["n1", "n1", "n2"], ["n1", "n2"], "2 hosts: "),
        ([NAMELESS, NAMELESS], ["H-ID0", "H-ID1"], f"2 channel adapters without a host's name .* by ID: '{NAMELESS}'"),
        (["localhost HCA-1", "localhost HCA-1", "n2 HCA-1"], ["H-ID0", "H-ID1", "n2"], "several hosts, .* 'localhost'"),
        (["s1 HCA-1", "n2 HCA-1"], ["s1", "n2"], "1 name of several devices, which are named by ID: 's1'"),
        (["HCA-1", "n2"], ["HCA-1", "n2"], ""),
    ],
)  # fmt: skip
def test_hosts_are_told_from_adapters(tmp_path, descriptions, hosts, words):
    adapters = [Device(0x101 * (k + 1), 1, text) for k, text in enumerate(descriptions)]
    network = written(tmp_path, "ib.txt", star(*adapters))
    assert list(network.host_names) == [re.sub(r"H-ID(\d)", lambda m: adapters[int(m[1])].id, host) for host in hosts]
    notes = "\n".join(network.warnings)
    assert re.search(words, notes) if words else not notes


def test_switches_of_one_name_are_named_by_id(tmp_path):
    second = Device(0x2, 8, "s1", switch=True)
    cables = [Cable(S1, 1, H1, 1), Cable(second, 1, H2, 1), Cable(S1, 2, second, 2)]
    network = written(tmp_path, "ib.txt", dump([S1, second, H1, H2], cables))
    assert [network.label(vertex) for vertex in range(network.vertices)] == ["h1", "h2", S1.id, second.id]
    assert network.warnings == ("1 name of several devices, which are named by ID: 's1'",)


def test_two_ports_of_an_adapter_in_a_list_of_ports_are_one_host(tmp_path):
    lines = [
        "SW    1  1 0x0000000000000100 4x HDR - CA     2  1 0x0000000000000011 ( 's1' - 'n1 HCA-1' )",
        "SW    1  2 0x0000000000000100 4x HDR - CA     3  2 0x0000000000000012 ( 's1' - 'n1 HCA-1' )",
        "SW    1  3 0x0000000000000100 4x HDR - CA     4  1 0x0000000000000021 ( 's1' - 'n2 HCA-1' )",
        "SW    1  4 0x0000000000000100 4x SDR                                    's1'",
    ]
    network = written(tmp_path, "ports.txt", "\n".join(lines))
    assert ports_of(network) == both_ways([("s1", 1, "n1", 1), ("s1", 2, "n1", 2), ("s1", 3, "n2", 1)])
    assert network.warnings == (
        "2 hosts: 1 with 1 NIC and 1 with 2 NICs",
        "3 cables listed at one end only: s1[1] - n1[1], s1[2] - n1[2], s1[3] - n2[1]",
    )


def test_the_fields_choose_hosts_and_adapters(tmp_path):
    text = star(*(Device(0x101 * (k + 1), 1, f"rack{k // 4} blade{k // 2} card{k}") for k in range(8)))
    assert written(tmp_path, "ib.txt", text, node_of=r"(rack\d)").host_names == ("rack0", "rack1")
    assert written(tmp_path, "ib.txt", text, node_of=r"rack\d (\w+)", leave_out="").host_names == (
        *(f"blade{k}" for k in range(4)),
    )
    rail = written(tmp_path, "ib.txt", text, node_of=r"rack\d (\w+)", leave_out="card[02468]")
    assert rail.links // 2 == 4
    assert rail.warnings == (
        "leaves out 4 channel adapters: 'rack0 blade0 card0', 'rack0 blade1 card2', 'rack1 blade2 card4' and 1 more",
    )


def test_without_leave_out_units_for_sharp_are_hosts():
    assert reads("sharp.txt", leave_out="").nodes == 3


@pytest.mark.parametrize("field", ["node_of", "leave_out"])
@pytest.mark.parametrize("pattern", ["(", "[a", "(a+)+$", "(a|a)*b", r"((\w+)x?){3,}", "(a?){30}a"])
def test_patterns_that_are_invalid_or_slow_are_refused(field, pattern):
    with pytest.raises(SpecError) as refused:
        reads("sharp.txt", **{field: pattern})
    assert refused.value.field == f"network.{field}"
    assert "\n" not in str(refused.value)


def test_a_pattern_for_hosts_needs_a_group():
    with pytest.raises(SpecError, match=r"network\.node_of: 'dgx' has no group"):
        reads("sharp.txt", node_of="dgx")


def test_fields_for_fabrics_are_named_if_they_do_not_apply(tmp_path):
    network = written(tmp_path, "e.edges", "a b\nb c\n", node_of="(a)", unknown_gbs=2.0)
    words = "the field {} does not apply to an edge list"
    assert sorted(network.warnings) == [words.format("node_of"), words.format("unknown_gbs")]


def test_switches_are_told_from_adapters_that_alone_are_listed(tmp_path):
    text = (DATA / "iblinkinfo.txt").read_text()
    adapters = re.findall(r"^CA: .*\n.*\n", text, re.MULTILINE)
    network = written(tmp_path, "cas.txt", "".join(adapters[:1] + adapters[2:4]))
    assert network.host_names == ("n2", "n1")
    assert [network.label(vertex) for vertex in range(network.nodes, network.vertices)] == ["leaf 2", "leaf 1"]


@pytest.mark.parametrize(
    ("rest", "name", "lid"),
    [
        ('# "sw 1" base port 0 lid 12 lmc 0', "sw 1", 12),
        ("# sw 1 enhanced port 0 lid 12 lmc 0", "sw 1", 12),
        ('# "sw "old" base port 0" base port 0 lid 12 lmc 0', 'sw "old" base port 0', 12),
        ('# "sw"', "sw", 0),
        ("", "S-1", 0),
        ('# ""', "S-1", 0),
    ],
)
def test_the_header_of_a_switch_has_its_description_and_lid(tmp_path, rest, name, lid):
    ports = '[1]\t"H-1"[1](2)\t# "a" lid 7 4xEDR\n[2]\t"H-2"[1](3)\t# "b" lid 8 4xEDR\n\n'
    hosts = (
        'Ca 1 "H-1" # "a" (scp)\n[1](2) "S-1"[1] # lid 7 lmc 0 "" lid 1 4xEDR\nCa 1 "H-2" # "b"\n[1] "S-1"[2] # 4xEDR\n'
    )
    network = written(tmp_path, "ib.txt", f'Switch 8 "S-1"\t\t{rest}\n{ports}{hosts}')
    assert [network.label(vertex) for vertex in range(3)] == ["a", "b", name]
    assert set(network.src_ports.lid[network.src == 2].tolist()) == {lid}
    assert network.warnings == ()


UP = "==(4X 2.5 Gbps Active/LinkUp)==>"
NO_LIDS = f'CA: a:\n 0x1 0 1[  ] {UP} 1 1[ ] "s" ( )\nCA: b:\n 0x2 0 1[  ] {UP} 1 2[ ] "s" ( )\n'
SWITCH = "SW    1  1 0x0000000000000100 4x HDR"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("p", f"{SWITCH} - CA     2  1", "line 1: '- CA     2  1' is not the other end of a cable"),
        ("p", f"{SWITCH}\nSW 1 2 0x100", "line 2: 'SW 1 2 0x100' is not a port"),
        ("p", f"{SWITCH} - CA 2 1 0x11 ( 's' - 'n1' )\n{SWITCH} - CA 3 1 0x12 ( 's' - 'n1' )", "already has a cable"),
        ("p", f"{SWITCH}                 's1'", "has no cable between two devices"),
        ("l", f'0x1 "a" 1 1[  ] {UP} nothing', "line 1: 'nothing' is not the other end of a cable"),
        ("l", f'\n0x1 "a" 1 x[  ] {UP}  0x2 2 1[ ] "b" ( )', "Gbps Active/L…' is not a port"),
        ("l", NO_LIDS, "LID 0 is the LID of 0x0000000000000001 and 0x0000000000000002"),
    ],
)  # fmt: skip
def test_lines_that_are_not_understood_are_refused(tmp_path, name, text, words):
    form = {"p": "ibnetdiscover", "l": "iblinkinfo"}[name]
    with pytest.raises(SpecError) as refused:
        written(tmp_path, "f.txt", text, format=form)
    assert words in str(refused.value)


@st.composite
def fabrics(draw):
    """Switches, adapters and cables between free ports, with loopbacks and parallel cables."""
    switches = [Device(k + 1, 12, f"s{k}", switch=True) for k in range(draw(st.integers(1, 4)))]
    adapters = [Device(0x100 + 16 * k, 4, f"n{k // 2} mlx5_{k % 2}") for k in range(draw(st.integers(3, 8)))]
    devices = draw(st.permutations([*switches, *adapters]))
    free = draw(st.permutations([(device, port) for device in devices for port in range(1, device.ports + 1)]))
    count = draw(st.integers(2, len(free) // 2))
    rates = draw(st.lists(st.sampled_from(["4xEDR", "4xHDR", "1xSDR"]), min_size=count, max_size=count))
    cables = [Cable(*free[2 * k], *free[2 * k + 1], rate) for k, rate in enumerate(rates)]
    return devices, cables


@given(fabrics())
def test_any_fabric_is_read_as_it_was_written(empty_folder, fabric):
    devices, cables = fabric
    name = {device: device.description.split()[0] for device in devices}
    joined = [(name[a], p, name[b], q) for a, p, b, q, _ in cables if name[a] != name[b]]
    if not joined:
        return
    network = written(empty_folder(), "ib.txt", dump(devices, cables))
    assert ports_of(network) == both_ways(joined)
    assert {network.label(vertex) for vertex in range(network.vertices)} == set(name.values())
    rates = Counter(rate for a, _, b, _, rate in cables if name[a] != name[b])
    gbs = {"4xEDR": 12.5, "4xHDR": 25.0, "1xSDR": 0.25}
    assert Counter(network.gbs.tolist()) == Counter({gbs[rate]: 2 * times for rate, times in rates.items()})
    # A NIC of each host for each port that has a cable to another device.
    nics = Counter(end for u, _, v, _ in joined for end in (u, v) if end.startswith("n"))
    own = network.src < network.nodes
    for node, host in enumerate(network.host_names):
        assert sorted(network.src_ports.nic[own & (network.src == node)].tolist()) == list(range(nics[host]))


@needs_ibsim
def test_simulated_fabrics_are_discovered_as_made(tmp_path):
    devices, cables = two_rails(hosts=16, leaves=4, spines=2)
    (tmp_path / "net").write_text(dump(devices, cables).replace("4xNDR", "4xQDR").replace("4xHDR", "4xQDR"))
    made = Edges(file="net").build(tmp_path)
    commands = ["ibnetdiscover", "ibnetdiscover -g", "ibnetdiscover -p", "iblinkinfo", "iblinkinfo -l"]
    with simulated(tmp_path, "net") as run:
        texts = [run(*command.split()) for command in commands]
    words = (line.split() for line in (tmp_path / "guid2lid").read_text().splitlines())
    assigned = {int(entry[0], 16): int(entry[1], 16) for entry in words if entry}
    for text in texts:
        network = written(tmp_path, "read.txt", text)
        assert sorted(network.host_names) == sorted(made.host_names)
        assert ports_of(network) == ports_of(made)
        assert set(network.gbs.tolist()) == {4.0}
        lids = dict(zip(network.src_ports.guid.tolist(), network.src_ports.lid.tolist(), strict=True))
        if b"\nCA " in text:  # with GUIDs of ports
            assert lids.items() <= assigned.items()
            assert len(lids) == 32 + 6
