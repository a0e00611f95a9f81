"""Names of the ends of links: ports of files, otherwise numbers of parallel links."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Faults, LinkFault, Torus
from core.network.link_ends import end_named, links_at
from core.spec import SpecError
from tests.core.network.formats.fabrics import Cable, Device, dump
from tests.core.network.formats.files import written
from tests.core.routing.graphs import drawn_specs
from tests.core.strategies import built

TWO_CABLES = """Switch\t8 "S-1"\t\t# "west" base port 0 lid 1 lmc 0
[1]\t"S-2"[6]\t\t# "east" lid 2 4xEDR
[2]\t"S-2"[5]\t\t# "east" lid 2 4xEDR
[7]\t"H-1"[1](3)\t\t# "n1 HCA-1" lid 7 4xEDR

Switch\t8 "S-2"\t\t# "east" base port 0 lid 2 lmc 0
[5]\t"S-1"[2]\t\t# "west" lid 1 4xEDR
[6]\t"S-1"[1]\t\t# "west" lid 1 4xEDR
[7]\t"H-2"[1](4)\t\t# "n2 HCA-1" lid 8 4xEDR

Ca\t1 "H-1"\t\t# "n1 HCA-1"
[1](3)\t"S-1"[7]\t\t# lid 7 lmc 0 "west" lid 1 4xEDR

Ca\t1 "H-2"\t\t# "n2 HCA-1"
[1](4)\t"S-2"[7]\t\t# lid 8 lmc 0 "east" lid 2 4xEDR
"""
"""Two switches with two cables whose ports are crossed, and a host each."""


@pytest.fixture
def fabric(tmp_path):
    return written(tmp_path, "ib.txt", TWO_CABLES)


@given(drawn_specs())
def test_ends_and_class_tell_all_links_apart(spec):
    network = built(spec)
    names = [network.link_name(link) for link in range(network.links)]
    assert len(set(names)) == network.links
    assert network.ends_of_all_links() == [network.link_ends(link) for link in range(network.links)]
    for link in range(network.links):
        ends = [end_named(name, network.vertex_named) for name in network.link_ends(link)]
        assert [vertex for vertex, _ in ends] == [network.src[link], network.dst[link]]
        links = links_at(network, *(vertex for vertex, _ in ends), tuple(port for _, port in ends))
        assert link in links
        assert not ends[1][1] or links.tolist() == [link]


@given(drawn_specs(), st.data())
def test_links_between_two_vertices_are_ascending(spec, data):
    network = built(spec)
    u, v = (data.draw(st.integers(0, network.vertices - 1)) for _ in range(2))
    expected = np.flatnonzero((network.src == u) & (network.dst == v))
    np.testing.assert_array_equal(network.links_between(u, v), expected)
    assert [network.parallel(link) for link in expected.tolist()] == list(range(expected.size))


def test_parallel_links_are_numbered_as_in_faults():
    network = Torus(dims=(2,)).build()
    assert [network.link_name(link) for link in network.links_between(0, 1)] == [
        "X (0) → (1) (parallel 0)",
        "X (0) → (1) (parallel 1)",
    ]
    second = LinkFault(src="(0)", dst="(1) (parallel 1)")
    assert second.numbered(network) == LinkFault(src=0, dst=1, parallel=1)


def test_ports_of_files_are_part_of_the_names(fabric):
    assert fabric.ends_of_all_links() == [fabric.link_ends(link) for link in range(fabric.links)]
    west = {fabric.link_name(link) for link in range(fabric.links) if fabric.label(fabric.src[link]) == "west"}
    assert west == {
        "switch link west port 1 → east port 6",
        "switch link west port 2 → east port 5",
        "node link west port 7 → n1 port 1",
    }


def test_faults_take_ports_and_fail_both_directions_of_the_cable(fabric):
    for src, dst in (("west port 2", "east"), ("west", "east port 5"), ("east PORT 5", "west port 2")):
        faults = Faults.of(fabric, (LinkFault(src=src, dst=dst),))
        failed = np.flatnonzero(faults.failed).tolist()
        ends = {fabric.link_ends(link) for link in failed}
        assert ends == {("west port 2", "east port 5"), ("east port 5", "west port 2")}
        assert LinkFault.of(fabric, failed[0]) == LinkFault.of(fabric, failed[1])
        assert faults.declared[0].links(fabric).tolist() == LinkFault(src=src, dst=dst).links(fabric).tolist()
    assert faults.named_words().startswith("2 links failed: switch link ")


@pytest.fixture
def two_nics(tmp_path):
    """Host n1 has adapters on ports 3 and 4 of a switch, and n2 on port 5."""
    switch, *adapters = (
        Device(1, 8, "s1", switch=True),
        *(Device(16 * k, 2, name) for k, name in enumerate(("n1 mlx5_0", "n1 mlx5_1", "n2 mlx5_0"), 1)),
    )
    cables = [Cable(switch, 3 + k, adapter, 1 + (k == 1)) for k, adapter in enumerate(adapters)]
    return written(tmp_path, "ib.txt", dump([switch, *adapters], cables))


def test_nics_of_a_host_take_the_place_of_their_ports(two_nics):
    assert {two_nics.link_ends(link) for link in range(two_nics.links) if two_nics.dst[link] == 2} == {
        ("n1-nic0", "s1 port 3"),
        ("n1-nic1", "s1 port 4"),
        ("n2 port 1", "s1 port 5"),
    }


@pytest.mark.parametrize(
    ("src", "end"),
    [
        ("n1-nic0", "n1-nic0"),
        ("n1-NIC1", "n1-nic1"),
        ("n1-nic1 port 2", "n1-nic1"),
        ("n1 port 1", "n1-nic0"),
        ("n1 port 2", "n1-nic1"),
        ("n2 port 1", "n2 port 1"),
        ("n1", "n1-nic0"),
    ],
)
def test_faults_take_nics_with_or_without_ports(two_nics, src, end):
    fault = LinkFault(src=src, dst="s1")
    assert two_nics.link_ends(int(fault.links(two_nics)[0]))[0] == end
    assert Faults.of(two_nics, (fault,)).failed.sum() == 2


@pytest.mark.parametrize("src", ["n1-nic2", "n1-nic1 port 1", "n1-nic11", "n2-nic0"])
def test_nics_without_a_cable_are_refused(two_nics, src):
    with pytest.raises(SpecError, match="links between these vertices: n"):
        LinkFault(src=src, dst="s1").links(two_nics)


@pytest.mark.parametrize(
    ("src", "dst", "field", "words"),
    [
        ("west port 3", "east", "src", "no such link at west port 3; links between these vertices: west port 1 → east"),
        ("west port 1", "east port 5", "src", "no such link at west port 1"),
        ("west", "east port 7", "dst", "no such link at east port 7"),
        ("south port 1", "east", "src", "no node or switch has the name 'south port 1'"),
    ],
)
def test_ports_without_a_cable_are_refused(fabric, src, dst, field, words):
    with pytest.raises(SpecError) as refusal:
        LinkFault(src=src, dst=dst).links(fabric)
    assert refusal.value.field == field
    assert words in refusal.value.message


def test_sst_numbers_ports(tmp_path):
    text = """{"avg_num_hops": 1, "switches": {"s": {"outports": {"0": {"destination": "a", "inport": 0},
    "3": {"destination": "b", "inport": 1}}}}, "nodes": {"a": {"outports": {"0": {"destination": "s", "inport": 0}}},
    "b": {"outports": {"1": {"destination": "s", "inport": 3}}}}}"""
    network = written(tmp_path, "net.json", text)
    names = {network.link_name(link) for link in range(network.links)}
    assert names == {f"node link {u} → {v}" for u, v in [
        ("s port 0", "a port 0"), ("a port 0", "s port 0"), ("s port 3", "b port 1"), ("b port 1", "s port 3"),
    ]}  # fmt: skip
