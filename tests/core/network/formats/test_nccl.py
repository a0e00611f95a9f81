"""Topology files of NCCL: devices, links and their bandwidths, servers and fabrics, notes, and errors by line."""

from collections import Counter
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Edges
from core.network.hosts import named
from core.routing import Minimal
from core.routing.flows import NodeFlows
from core.spec import SpecError
from tests.core.network.formats.files import written
from tests.core.network.formats.topologies import (
    cpu,
    gpu,
    gpu_on,
    in_pairs,
    net,
    nic,
    nic_on,
    nvlink,
    nvswitch,
    pci,
    system,
    with_nvswitch,
)

TWO = (gpu_on("02:00", 0), gpu_on("03:00", 1))


def read(folder, text, **fields):
    """The network of a topology file."""
    return written(folder, "topo.xml", text, **fields)


def cables(network, name=""):
    """The cables of a class, as a set of their ends, with bandwidths; ends are sorted."""
    bandwidth_of = {}
    for links in network.classes:
        if links.name.startswith(name):
            for link in range(links.links.start, links.links.stop):
                ends = (network.label(int(network.src[link])), network.label(int(network.dst[link])))
                bandwidth_of[tuple(sorted(ends))] = round(links.gbs, 4)
    return bandwidth_of


def notes(network):
    return "\n".join(network.warnings)


def test_gpus_are_nodes_and_other_devices_are_switches(tmp_path):
    text = system(
        cpu(pci("10:00", gpu_on("11:00", 0), nic_on("12:00", net("ib0", 0)))), cpu(gpu_on("21:00", 1), numaid=1)
    )
    network = read(tmp_path, text)
    assert [network.label(v) for v in range(network.vertices)] == ["gpu0", "gpu1", "cpu0", "cpu1", "pci-10", "ib0"]
    assert network.nodes == 2
    assert cables(network, "pcie") == {
        ("cpu0", "pci-10"): 63.0154,
        ("gpu0", "pci-10"): 63.0154,
        ("ib0", "pci-10"): 63.0154,
        ("cpu1", "gpu1"): 63.0154,
    }
    assert cables(network, "numa") == {("cpu0", "cpu1"): 10}
    assert network.source == "a topology file of NCCL"
    assert [network.vertex_name(v) for v in (0, 2, 5)] == ["gpu0", "cpu0", "ib0"]


@pytest.mark.parametrize(
    ("speed", "width", "gbs"),
    [
        # One lane and sixteen, as in the tables of PCI-SIG, GB/s.
        ("2.5 GT/s", 1, 0.25),
        ("5 GT/s", 4, 2.0),
        ("5.0 GT/s PCIe", 16, 8.0),
        ("8 GT/s", 1, 0.9846),
        ("16.0 GT/s PCIe", 16, 31.5077),
        ("32 GT/s", 8, 31.5077),
        ("64.0 GT/s PCIe", 16, 121.0),
    ],
)
def test_pcie_has_the_bandwidth_of_its_lanes(tmp_path, speed, width, gbs):
    network = read(tmp_path, system(cpu(pci("01:00", *TWO, speed=speed, width=width))))
    assert cables(network)["cpu0", "pci-01"] == gbs
    assert not network.warnings


@pytest.mark.parametrize(
    ("speed", "width"), [("", 0), (None, None), ("Unknown", 16), ("100000 MT/s", 16), ("8 GT/s", 0)]
)
def test_a_link_without_a_known_speed_is_as_fast_as_in_nccl(tmp_path, speed, width):
    network = read(tmp_path, system(cpu(pci("01:00", *TWO, speed=speed, width=width))))
    assert cables(network)["cpu0", "pci-01"] == round(16 * 8 * 128 / 130 / 8, 4)
    assert "line 3: link_speed" in notes(network)
    assert "8 GT/s and 16 lanes are assumed if unknown, as in NCCL, for 1 such link" in notes(network)


@pytest.mark.parametrize(
    ("sm", "gbs"), [(60, 20), (70, 25), (80, 25), (86, 25), (90, 25), (100, 50), (103, 50), (None, 25)]
)
def test_nvlinks_have_the_bandwidth_of_their_generation(tmp_path, sm, gbs):
    text = system(
        cpu(gpu_on("01:00", 0, nvlink("02:00", 3), sm=sm)), cpu(gpu_on("02:00", 1, nvlink("01:00", 3), sm=sm))
    )
    network = read(tmp_path, text)
    assert cables(network, "nvlink") == {("gpu0", "gpu1"): 3 * gbs}
    assert f"assumes {gbs} GB/s per NVLink and direction (nvlink_gbs)" in network.warnings
    network = read(tmp_path, text, nvlink_gbs=7, numa_gbs=4)
    assert cables(network, "nvlink") == {("gpu0", "gpu1"): 21}
    assert cables(network, "numa") == {("cpu0", "cpu0-2"): 4}
    assert not network.warnings


def test_links_listed_at_both_ends_count_once(tmp_path):
    network = read(tmp_path, in_pairs())
    assert cables(network, "xgmi") == {(f"gpu{a}", f"gpu{b}"): 100 for b in range(4) for a in range(b)}
    assert "assumes 50 GB/s per xGMI link and direction (nvlink_gbs)" in network.warnings


def test_counts_that_differ_and_links_listed_once_are_noted(tmp_path):
    gpus = (
        gpu_on("01:00", 0, nvlink("02:00", 3), nvlink("02:00", 1), nvlink("03:00"), nvlink("01:00")),
        gpu_on("02:00", 1, nvlink("01:00", 2)),
        gpu_on("03:00", 2),
    )
    network = read(tmp_path, system(cpu(*gpus)), nvlink_gbs=1)
    assert cables(network, "nvlink") == {("gpu0", "gpu1"): 2, ("gpu0", "gpu2"): 1}
    assert network.warnings == (
        "1 NVLink with different counts at both ends, of which the lower is used",
        "1 NVLink between GPUs listed at one end only",
        "leaves out 1 NVLink from a GPU to itself",
    )


def test_nvswitches_of_a_server_are_one_switch(tmp_path):
    gpus = (gpu_on(f"0{k}:00", k, nvswitch("07:00", 10), nvswitch("08:00", 8)) for k in (1, 2))
    network = read(tmp_path, system(cpu(*gpus)))
    assert cables(network, "nvlink") == {("gpu1", "nvswitch"): 450, ("gpu2", "nvswitch"): 450}
    assert "assumes that 2 NVSwitches are one switch, as in NCCL" in network.warnings


def test_nvlinks_and_c2c_lead_to_the_cpu_of_the_gpu(tmp_path):
    c2c = ['<c2c bw="44712" count="5"/>']
    near, far = (
        gpu_on("01:00", 0, nvlink("ff:ff", 3, "0x068001")),
        gpu_on("02:00", 1, c2c, nvlink("ff:ff", 2, "0x068001")),
    )
    network = read(tmp_path, system(cpu(near), cpu(far, numaid=1)))
    assert cables(network, "nvlink") == {("cpu0", "gpu0"): 75, ("cpu1", "gpu1"): 50}
    assert cables(network, "c2c") == {("cpu1", "gpu1"): 223.56}


def test_functions_of_a_nic_share_its_link(tmp_path):
    first = pci("05:00", nic(net("ib0", 1)), class_="0x020700")
    second = [
        line.replace("05:00.0", "05:00.1") for line in pci("05:00", nic(net("ib1", 0, 100_000)), class_="0x020700")
    ]
    network = read(tmp_path, system(cpu(*TWO, first, second)), fabric="rail")
    assert cables(network, "pcie").keys() == {("cpu0", "gpu0"), ("cpu0", "gpu1"), ("cpu0", "ib0")}
    # In the order of their device numbers.
    assert cables(network, "net") == {("ib0", "rail0"): 12.5, ("ib0", "rail1"): 50}


def test_a_nic_without_a_pci_device_is_limited_by_its_networks(tmp_path):
    network = read(tmp_path, system(cpu(*TWO, nic(net("eth0", 0, -1), net("eth1", 1, 20_000)))), fabric="single")
    assert cables(network, "pcie")["cpu0", "eth0"] == 3.75
    assert sorted(links.gbs for links in network.classes if links.name.startswith("net")) == [1.25, 2.5]
    assert "assumes 10 Gb/s for 1 network without a speed, as in NCCL" in network.warnings


def test_files_without_gpus_and_nics_name_them_by_class(tmp_path):
    devices = [pci(f"0{k}:00", class_="0x030200") for k in range(2)] + [pci("09:00", class_="0x020000")]
    text = system(cpu(pci("0a:00", *devices)), cpu(pci("0b:00"), numaid=1))
    network = read(tmp_path, text, fabric="single", gbs=3)
    assert [network.label(v) for v in range(network.vertices)] == [
        "gpu0",
        "gpu1",
        "cpu0",
        "cpu1",
        "pci-0a",
        "nic-09",
        "switch",
    ]
    assert cables(network, "net") == {("nic-09", "switch"): 3}
    assert "has no <gpu>: the PCI devices of class 0x03 are GPUs (2), and their NVLinks are unknown" in network.warnings
    assert "has no <nic>: the PCI devices of class 0x02 are NICs (1), of unknown bandwidth (gbs is used)" in notes(
        network
    )
    assert "leaves out 1 PCI device without a GPU or a NIC" in network.warnings


# -- errors


def last_line(text, words):
    """The number of the last line with some words."""
    return max(number for number, row in enumerate(text.splitlines(), 1) if words in row)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        (
            system(cpu(gpu_on("01:00", 0, nvlink("99:00")))),
            "99:00",
            "<nvlink> has the unknown target '0000:99:00.0'; give",
        ),
        (system(cpu(gpu_on("01:00", 0), ["<gpu/>"])), "<gpu/>", "unknown element <gpu> in <cpu>; give <pci> or <nic>"),
        (system(cpu(["<nic><net><x/></net></nic>"])), "<x/>", "unknown element <x> in <net>; give none there"),
        (
            system(cpu(gpu_on("01:00", 0), gpu_on("01:00", 1))),
            "busid",
            "bus '0000:01:00.0' has another GPU on line 3",
        ),
        (system(cpu(gpu_on("01:00", 0), ["<pci><gpu/></pci>"])), "<gpu/>", "<pci> has no busid"),
        (
            system(cpu(gpu_on("01:00", 0, nvlink("02:00", 0)))),
            "nvlink",
            "count is '0'; give a whole number of at least 1",
        ),
        (
            system(cpu(pci("01:00", gpu(0), width="x16"))),
            "x16",
            "link_width is 'x16'; give a whole number of at least 0",
        ),
        (system(cpu(*TWO, nic_on("05:00", net("a", 0, "fast")))), "fast", "speed is 'fast'; give a whole number"),
        (system(cpu(gpu_on("01:00", "a"))), 'dev="a"', "dev is 'a'; give a whole number of at least 0"),
        (system(cpu(gpu_on("01:00", 0, ['<c2c count="1"/>']))), "c2c", "<c2c> has no bw; give MB/s"),
        ("<system>\n<cpu>\n</system>", "</system>", "cannot be read as XML: mismatched tag"),
        ("<system><cpu>\n" + "<pci busid='1'>\n" * 70, "", "elements are nested more than 64 deep"),
    ],
)
def test_an_error_names_its_line(tmp_path, text, where, message):
    with pytest.raises(SpecError) as error:
        read(tmp_path, text)
    number = last_line(text, where) if where else 64
    assert error.value.message.startswith(f"topo.xml, line {number}: {message}")


@pytest.mark.parametrize(
    ("text", "fields", "field", "message"),
    [
        (system(cpu(pci("01:00", class_=None))), {}, "network.file", "has no <gpu>, and no PCI device of class 0x03"),
        (with_nvswitch(), {"servers": 2}, "network.fabric", "is none; 2 servers need rail or single"),
        (system(cpu(*TWO)), {"fabric": "rail"}, "network.file", "has no NIC, so the fabric rail joins nothing"),
        (
            with_nvswitch(),
            {"nics": "own"},
            "network.nics",
            "is own, but nodes of the file are GPUs, not NICs; choose shared",
        ),
        (with_nvswitch(), {"servers": 4096, "fabric": "rail", "slots_per_node": 1}, "", ""),
    ],
)
def test_servers_that_cannot_be_joined_are_refused(tmp_path, text, fields, field, message):
    if not message:
        # 4,096 servers with 33 cables each, and 8 to the rails.
        assert read(tmp_path, text, **fields).links == 2 * 4096 * 41
        return
    with pytest.raises(SpecError) as error:
        read(tmp_path, text, **fields)
    assert error.value.field == field
    assert message in error.value.message


# -- servers


def test_net_i_of_every_server_joins_rail_i(tmp_path):
    network = read(tmp_path, with_nvswitch(4), servers=3, fabric="rail")
    joined = {(f"rail{k}", f"s{server}-ib{k}"): 50 for k in range(4) for server in range(3)}
    assert cables(network, "net") == joined
    single = read(tmp_path, with_nvswitch(4), servers=3, fabric="single")
    assert cables(single, "net") == {(f"s{server}-ib{k}", "switch"): 50 for k in range(4) for server in range(3)}
    assert single.vertices == network.vertices - 3


def test_servers_are_hosts_and_levels(tmp_path):
    network = read(tmp_path, with_nvswitch(4), servers=3, fabric="rail")
    assert network.hosts == ("s0", "s1", "s2")
    assert network.host_slots.nics_of.tolist() == [4, 4, 4]
    servers, cpus = network.levels
    assert (servers.name, servers.names, cpus.name, cpus.names[:2]) == (
        "server",
        network.hosts,
        "CPU",
        ("s0-cpu0", "s0-cpu1"),
    )
    assert servers.group.tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert cpus.group.tolist() == np.repeat(range(6), 2).tolist()
    assert [network.label(k) for k in range(5)] == ["s0-gpu0", "s0-gpu1", "s0-gpu2", "s0-gpu3", "s1-gpu0"]
    groups = {network.label(v): int(network.group_of[v]) for v in range(network.vertices)}
    assert groups["s2-nvswitch"] == groups["s2-ib3"] == 2
    assert [network.group_name(groups[f"rail{k}"]) for k in range(4)] == [f"rail{k}" for k in range(4)]


def test_a_single_server_has_its_cpus_as_level(tmp_path):
    network = read(tmp_path, with_nvswitch(4))
    assert network.nics is None
    assert network.hosts == ("gpu0", "gpu1", "gpu2", "gpu3")
    assert [(level.name, level.names) for level in network.levels] == [("CPU", ("cpu0", "cpu1"))]
    assert network.place_name(0, 1) == "cpu1"


def test_gpus_are_in_the_order_of_their_numbers(tmp_path):
    first, second = [pci(f"1{k}:00", *(gpu_on(f"{k}{dev}:00", dev) for dev in (k, k + 2))) for k in (0, 1)]
    network = read(tmp_path, system(cpu(second), cpu(first, numaid=1)))
    assert [network.label(k) for k in range(4)] == ["gpu0", "gpu1", "gpu2", "gpu3"]
    assert network.levels[0].names == ("cpu1", "cpu0")
    assert network.levels[0].group.tolist() == [0, 1, 0, 1]


def test_cpus_with_different_numbers_of_gpus_are_no_level(tmp_path):
    text = system(cpu(gpu_on("01:00", 0), gpu_on("02:00", 1)), cpu(gpu_on("03:00", 2), numaid=1))
    assert read(tmp_path, text).levels == ()


def test_servers_of_one_file_share_their_nvswitches(tmp_path):
    hosts = [cpu(*(gpu_on(f"0{k}:00", k, nvswitch()) for k in (1, 2)), host_hash=f"0x{host}") for host in "abc"]
    network = read(tmp_path, system(*hosts))
    assert cables(network, "nvlink") == {("nvswitch", f"s{host}-gpu{k}"): 450 for host in range(3) for k in (1, 2)}
    assert network.connected
    assert network.hosts == ("s0", "s1", "s2")


# -- counts and paths


@st.composite
def servers(draw):
    """A server with bridges in bridges: for each CPU a tree of PCI devices, GPUs with random links among all."""
    buses = iter(f"{k // 256 + 16:02x}:{k % 256:02x}" for k in range(10_000))
    gpus = []

    def tree(depth):
        kind = draw(st.sampled_from(["gpu", "nic", "bridge", "bridge"] if depth < 3 else ["gpu", "nic"]))
        bus = next(buses)
        if kind == "gpu":
            gpus.append(bus)
            return ("gpu", bus, len(gpus) - 1)
        return (kind, bus, [tree(depth + 1) for _ in range(draw(st.integers(1, 3)))] if kind == "bridge" else None)

    cpus = [[tree(0) for _ in range(draw(st.integers(1, 3)))] for _ in range(draw(st.integers(1, 3)))]
    if len(gpus) < 2:
        cpus[0] += [("gpu", next(buses), len(gpus) + k) for k in range(2)]
        gpus += [bus for _, bus, _ in cpus[0][-2:]]
    joined = draw(st.sets(st.tuples(*[st.integers(0, len(gpus) - 1)] * 2).filter(lambda pair: pair[0] < pair[1])))
    switched = draw(st.booleans())

    def device(kind, bus, more):
        if kind == "bridge":
            return pci(bus, *(device(*child) for child in more))
        if kind == "nic":
            return nic_on(bus, net(f"ib{bus}"))
        links = [nvlink(gpus[b if a == more else a]) for a, b in sorted(joined) if more in (a, b)]
        return gpu_on(bus, more, *links, *([nvswitch()] if switched else []))

    return system(*(cpu(*(device(*child) for child in below), numaid=k) for k, below in enumerate(cpus)))


@given(servers(), st.integers(1, 3), st.sampled_from(["rail", "single"]))
def test_elements_of_any_server_are_counted_as_in_the_file(tmp_path_factory, text, copies, fabric):
    root = ElementTree.fromstring(text)
    nets, gpus = len(root.findall(".//net")), root.findall(".//gpu")
    fields = {"servers": copies, "fabric": fabric} if nets else {}
    copies = copies if nets else 1
    network = read(tmp_path_factory.mktemp("nccl"), text, **fields)
    count = Counter()
    for links in network.classes:
        count[links.name.split()[0]] += links.count // 2
    ports = sum("-pcie" in network.label(vertex) for vertex in range(network.vertices))
    nvlinks, cpus = root.findall(".//nvlink"), len(root.findall("cpu"))
    to_switch = sum(link.get("tclass") == "0x068000" for link in nvlinks)
    assert network.nodes == copies * len(gpus)
    assert count["nvlink"] == copies * (to_switch + (len(nvlinks) - to_switch) // 2)
    used = [
        device for device in root.iter("pci") if device.find(".//gpu") is not None or device.find(".//nic") is not None
    ]
    assert count["pcie"] == copies * len(used) + ports
    assert count["numa"] == copies * cpus * (cpus - 1) // 2
    assert count["net"] == copies * nets
    assert network.connected


@given(servers())
def test_paths_between_gpus_prefer_nvlinks(tmp_path_factory, text):
    network = read(tmp_path_factory.mktemp("nccl"), text)
    router, own = (
        Minimal(spread="equal").router(network),
        np.array([c.name.startswith("nvlink") for c in network.classes]),
    )
    graph = nx.Graph(list(zip(network.src.tolist(), network.dst.tolist(), strict=True)))
    on_nvlinks = own[network.class_of]
    by_nvlink = nx.Graph(list(zip(network.src[on_nvlinks].tolist(), network.dst[on_nvlinks].tolist(), strict=True)))
    by_nvlink.add_nodes_from(range(network.nodes))
    for u in range(network.nodes):
        near = nx.single_source_shortest_path_length(by_nvlink, u, cutoff=2)
        for v in range(network.nodes):
            links = router.route(u, v).links
            if v != u and v in near:
                assert on_nvlinks[links].all()
            assert len(links) >= nx.shortest_path_length(graph, u, v)


def test_a_gpu_without_nvlink_uses_pcie_and_the_nearest_nic(tmp_path):
    text = system(
        *(cpu(pci(f"1{k}:00", gpu_on(f"2{k}:00", k), nic_on(f"3{k}:00", net(f"ib{k}", k))), numaid=k) for k in (0, 1))
    )
    network = read(tmp_path, text, servers=2, fabric="rail")
    router = Minimal(spread="equal").router(network)

    def path(src, dst):
        number = [network.label(v) for v in range(network.vertices)].index
        links = router.route(number(src), number(dst)).links
        return [network.label(int(network.dst[link])) for link in links]

    assert path("s0-gpu0", "s0-gpu1") == ["s0-pci-10", "s0-cpu0", "s0-cpu1", "s0-pci-11", "s0-gpu1"]
    assert path("s0-gpu1", "s1-gpu1") == ["s0-pci-11", "s0-ib1", "rail1", "s1-ib1", "s1-pci-11", "s1-gpu1"]


@pytest.mark.parametrize(("copies", "fabric"), [(1, "none"), (4, "rail"), (8, "rail"), (8, "single")])
def test_all_to_all_crosses_the_nics_once(tmp_path, copies, fabric):
    """On rails, too, each NIC carries the traffic of one GPU to other servers, by relays or through the CPUs."""
    network = read(tmp_path, with_nvswitch(), servers=copies, fabric=fabric)
    gpus, node = network.nodes, np.arange(network.nodes, dtype=np.int32)
    src, dst = np.repeat(node, gpus), np.tile(node, gpus)
    loads = Minimal(spread="equal").router(network).loads([NodeFlows(src, dst, np.full(src.size, 1 / gpus))])
    of = {links.name: loads[links.links] for links in network.classes}
    outside = (copies - 1) / copies
    if copies == 1:
        np.testing.assert_allclose(of["nvlink"], 7 / 8)
        assert not of["pcie"].any()
    else:
        np.testing.assert_allclose(of["net"], outside)
        assert of["nvlink"].sum() >= 2 * gpus * 7 / gpus
    assert not of["numa"].any() or fabric == "rail"


def test_gpus_that_share_a_bridge_have_a_port_before_it(tmp_path):
    text = system(cpu(pci("01:00", gpu_on("02:00", 0, nvswitch()), gpu_on("03:00", 1, nvswitch()))))
    network = read(tmp_path, text)
    assert cables(network, "pcie").keys() == {
        ("gpu0", "gpu0-pcie"),
        ("gpu1", "gpu1-pcie"),
        ("gpu0-pcie", "pci-01"),
        ("gpu1-pcie", "pci-01"),
        ("cpu0", "pci-01"),
    }


def test_hosts_of_a_scenario_rename_servers(tmp_path):
    network = read(tmp_path, with_nvswitch(4), servers=2, fabric="rail")
    assert network.node_names == tuple(f"s{server}-gpu{gpu}" for server in range(2) for gpu in range(4))
    network = named(network, "rack-a,rack-b", None)
    assert network.levels[0].names == ("rack-a", "rack-b")
    assert network.levels[1].names[2] == "rack-b-cpu0"
    assert network.label(5) == network.node_names[5] == "rack-b-gpu1"
    assert {"rack-a-ib3", "rack-b-nvswitch", "rail2"} <= {network.label(v) for v in range(network.vertices)}
    assert network.node_named("rack-b-gpu1") == 5


def test_the_fields_do_not_apply_to_other_formats(tmp_path):
    network = Edges(file=str((tmp_path / "g.edges").resolve()), servers=2, fabric="rail")
    (tmp_path / "g.edges").write_text("a b\nb c\n")
    assert "the field servers does not apply to an edge list" in network.build().warnings


def test_gpus_without_unique_numbers_are_numbered_in_the_order_of_the_file(tmp_path):
    network = read(tmp_path, system(cpu(*(gpu_on(f"0{k}:00", 7) for k in (2, 1)))))
    assert [network.label(k) for k in range(2)] == ["gpu0", "gpu1"]
