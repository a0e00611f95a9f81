"""Declared faults: the links that they affect, how they overlap, and how they are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import BundleFault, Dragonfly, Edges, Faults, LinkFault, Mesh, NodeFault, Percs, Torus
from core.network.faults import fault_text, fitting_faults, with_fault, without_fault
from core.network.hosts import named
from core.spec import SpecError
from tests.core.strategies import lattice_specs, percs_specs


@given(st.data(), percs_specs(most=4) | lattice_specs())
def test_every_link_can_fail_and_its_reverse_fails_too(data, spec):
    network = spec.build()
    link = data.draw(st.integers(0, network.links - 1))
    fault = LinkFault.of(network, link, 0.5)
    there, back = fault.links(network).tolist()
    assert link in (there, back)
    assert there != back
    assert (network.src[there], network.dst[there]) == (network.dst[back], network.src[back])
    assert LinkFault.of(network, there, 0.5) == LinkFault.of(network, back, 0.5) == fault
    assert network.class_of[there] == network.class_of[back]


def test_in_a_ring_of_two_plus_and_minus_share_a_cable():
    network = Torus(dims=(2,)).build()
    assert network.links == 4
    cables = {tuple(sorted(LinkFault.of(network, link).links(network).tolist())) for link in range(4)}
    assert cables == {(0, 3), (1, 2)}
    assert LinkFault.of(network, 2).parallel == 1


def test_parallel_links_of_different_bandwidths_are_different_cables(tmp_path):
    lines = ["0 1 10", "0 1 1", "1 2 10", "1 2 5", "1 2 10"]
    for order in (lines, lines[::-1], ["1 0 1", "0 1 10", *lines[2:]]):
        (tmp_path / "a.edges").write_text("\n".join(order))
        network = Edges(file="a.edges").build(tmp_path)
        for link in range(network.links):
            fault = LinkFault.of(network, link)
            there, back = fault.links(network)
            assert link in (there, back)
            assert network.gbs[there] == network.gbs[back]
            assert LinkFault.of(network, int(there)) == LinkFault.of(network, int(back)) == fault


@given(st.data(), percs_specs(most=4) | lattice_specs())
def test_a_failed_node_fails_all_its_links(data, spec):
    network = spec.build()
    node = data.draw(st.integers(0, network.nodes - 1))
    faults = Faults.of(network, (NodeFault(node),))
    np.testing.assert_array_equal(faults.failed, (network.src == node) | (network.dst == node))
    assert np.flatnonzero(faults.failed_nodes).tolist() == [node]
    slow = Faults.of(network, (NodeFault(node, 0.25),))
    np.testing.assert_array_equal(slow.slowed, faults.failed)
    assert not slow.failed_nodes.any()


@pytest.mark.parametrize("d_links", [1, 4, 32])
def test_a_bundle_is_the_d_links_of_two_supernodes_in_both_directions(d_links):
    network = Percs(4, d_links).build()
    links = BundleFault(2, 1).links(network)
    ends = {(int(a), int(b)) for a, b in zip(network.src[links] // 32, network.dst[links] // 32, strict=True)}
    assert ends == {(1, 2), (2, 1)}
    assert links.size == 2 * d_links
    assert (network.class_of[links] == 2).all()


def test_a_bundle_of_a_torus_connects_two_slices():
    network = Torus(dims=(4, 3, 3)).build()
    links = BundleFault(0, 3).links(network)
    assert links.size == 2 * 9
    assert (network.class_of[links] == 0).all()
    line = Torus(dims=(5,)).build()
    assert sorted(BundleFault(1, 2).links(line).tolist()) == sorted(LinkFault(1, 2).links(line).tolist())


def test_the_slowest_of_overlapping_faults_counts():
    network = Percs(2, 1).build()
    declared = (NodeFault(0, 0.5), LinkFault(0, 1, 0, 0.25), LinkFault(0, 2, 0, 0.75), LinkFault(0, 3))
    faults = Faults.of(network, declared)
    expected = {1: 0.25, 2: 0.5, 3: 0.0, 4: 0.5}
    for node, speed in expected.items():
        link = int(LinkFault(0, node).links(network)[0])
        assert faults.speed[link] == speed
        assert faults.gbs[link] == 21 * speed
    assert (faults.any_failed, faults.any_slowed) == (True, True)
    assert faults.failed.sum() == 2
    assert faults.words().startswith("2 links failed, ")
    assert faults.words().endswith(" links slow")


REFUSALS = (
    (Percs(2, 1), LinkFault(64, 0), "src", "0 to 63"),
    (Percs(2, 1), LinkFault(0, 99), "dst", "0 to 63"),
    (Percs(2, 1), LinkFault(0, 33), "dst", "links from 0 lead to 1, 2, 3"),
    (Percs(2, 1), LinkFault(0, 0), "dst", "links from 0 lead to 1, 2, 3"),
    (Percs(2, 1), LinkFault(0, 1, 1), "parallel", "0 to 0"),
    (Percs(2, 1), LinkFault(-1, 1), "src", "0 to 63"),
    (Percs(2, 1), LinkFault(0, 1, 0, 1e-9), "speed", "from 1e-06 to below 1"),
    (Percs(2, 1), LinkFault(0, 1, 0, 1.0), "speed", "from 1e-06 to below 1"),
    (Percs(2, 1), NodeFault(64), "node", "0 to 63"),
    (Percs(2, 1), BundleFault(0, 2), "b", "0 to 1"),
    (Percs(2, 1), BundleFault(2, 0), "a", "supernodes, 0 to 1"),
    (Percs(2, 1), BundleFault(1, 1), "b", "two different supernodes"),
    (Mesh(dims=(4, 3)), BundleFault(0, 2), "b", "has no link to row 0"),
)


@pytest.mark.parametrize(("spec", "fault", "field", "message"), REFUSALS)
def test_unknown_components_are_refused_with_the_known_ones(spec, fault, field, message):
    network = spec.build()
    with pytest.raises(SpecError) as refused:
        Faults.of(network, (NodeFault(0), fault))
    assert refused.value.field == f"faults[1].{field}"
    assert message in refused.value.message
    assert "\n" not in str(refused.value)
    if field != "speed":
        assert fitting_faults(network, (NodeFault(0), fault)) == (NodeFault(0),)


def test_a_fault_is_added_changed_and_removed():
    link_fault, bundle_fault = LinkFault(0, 1, 0, 0.5), BundleFault(0, 1)
    both = with_fault(with_fault((), link_fault), bundle_fault)
    assert both == (link_fault, bundle_fault)
    assert with_fault(both, LinkFault(0, 1)) == (bundle_fault, LinkFault(0, 1))
    assert without_fault(both, LinkFault(0, 1)) == (bundle_fault,)
    assert without_fault(both, NodeFault(0)) == both


def test_faults_are_described_in_words():
    network = Percs(2, 1).build()
    assert fault_text(LinkFault(0, 1, 0, 0.5), network) == "LL link 0 · d0 · 0 – 0 · d0 · 1 at 50 % of its bandwidth"
    assert fault_text(BundleFault(0, 1), network) == "the bundle of supernodes 0 and 1 failed"
    assert fault_text(NodeFault(40), network) == "node 1 · d1 · 8 failed"
    assert fault_text(BundleFault(0, 1), Torus(dims=(4,)).build()) == "the bundle of nodes (0) and (1) failed"


def test_vertices_may_be_given_by_the_names_of_hosts_and_switches():
    network = named(Dragonfly(2, 1, 3, 2).build(), "a,b,c,d,e,f,g,h,i,j,k,l", None)
    by_name = Faults.of(network, (LinkFault("b", network.label(12)), NodeFault("c"), NodeFault(network.label(13), 0.5)))
    by_number = Faults.of(network, (LinkFault(1, 12), NodeFault(2), NodeFault(13, 0.5)))
    np.testing.assert_array_equal(by_name.speed, by_number.speed)
    assert by_name.declared == by_number.declared
    assert by_name.failed_nodes.tolist() == by_number.failed_nodes.tolist()
    assert fault_text(NodeFault("c"), network) == "node c failed"
    assert fault_text(LinkFault("b", 12), network) == f"host link b – {network.label(12)} failed"


def test_an_unknown_name_is_refused():
    network = Torus((2, 2)).build()
    with pytest.raises(SpecError) as refusal:
        Faults.of(network, (NodeFault(1), LinkFault(0, "n9")))
    expected = "faults[1].dst: no node or switch has the name 'n9'; nodes are n0 to n3"
    assert str(refusal.value) == expected
