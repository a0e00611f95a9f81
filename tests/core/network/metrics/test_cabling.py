"""Cables and cost: the thesis's floor, counted by hand and as printed."""

import msgspec
import numpy as np
import pytest

from core.network import AnyNetwork, Edges
from core.network.families.bcube import BCube
from core.network.families.circulant import Circulant
from core.network.families.clex import Clex
from core.network.families.fat_tree import FatTree
from core.network.families.shortcut import Shortcut
from core.network.families.torus import Mesh, Torus
from core.network.layouts.ring import ring
from core.network.metrics.cabling import Prices, cabling
from core.network.wiring import EdgeList, network_from_edges
from core.spec import members


def powers(nodes):
    return Circulant(nodes=nodes, jumps=tuple(1 << k for k in range(nodes.bit_length() - 1)))


def test_circulants_need_less_cable_than_random_networks_as_in_the_thesis():
    circulant, random = cabling(powers(1024).build()), cabling(Shortcut(nodes=1024, degree=19).build())
    assert (circulant.switches, circulant.cabinets, circulant.rows, circulant.columns) == (1024, 128, 12, 11)
    assert circulant.cables == random.cables == 9728
    assert 0.45 < 1 - circulant.mean_m / random.mean_m < 0.465
    assert circulant.switch_cost == random.switch_cost
    assert circulant.cost < random.cost


def test_cables_run_along_and_across_the_rows():
    # 20 switches in a line: cabinets of 8, 8 and 4, two in the first row and one in the second.
    cables = cabling(Mesh(dims=(20,)).build())
    assert (cables.cabinets, cables.rows, cables.columns) == (3, 2, 2)
    assert (cables.cables, cables.inside) == (19, 17)
    # From the first to the second 0.6 m, on to the third 0.6 + 2.1 m; both have 2 m more.
    assert cables.total_m == pytest.approx(17 * 1.0 + 2.6 + 4.7)
    assert (cables.longest_m, cables.mean_m) == (pytest.approx(4.7), pytest.approx(cables.total_m / 19))


def test_the_floor_is_a_parameter():
    floor = Prices(switches_per_cabinet=5, width=1.0, depth=3.0, inside=0.5, between=0.0)
    cables = cabling(Mesh(dims=(20,)).build(), floor)
    assert (cables.cabinets, cables.rows, cables.columns) == (4, 2, 2)
    assert cables.total_m == pytest.approx(16 * 0.5 + 1.0 + (1.0 + 3.0) + 1.0)


def test_cost_of_a_few_cables():
    # 16 switches of 3.4 Gb/s links: 8 + 8 in two rows, joined by one cable of 4.1 m, all copper.
    cables = cabling(Mesh(dims=(16,)).build())
    assert cables.ports == 2 * 15 + 16
    assert cables.switch_cost == 16 * 2000 + cables.ports * 300
    assert cables.cable_cost == pytest.approx(3.4 * (14 * (0.5 + 0.4) + (0.5 + 0.4 * 4.1)))
    assert cables.cost == cables.switch_cost + cables.cable_cost
    optical = cabling(Mesh(dims=(16,)).build(), Prices(copper_reach=2.0))
    assert (cables.optical, optical.optical) == (0, 1)
    assert optical.cable_cost == pytest.approx(3.4 * (14 * (0.5 + 0.4) + (2.5 + 0.1 * 4.1)))


@pytest.mark.parametrize(
    ("price", "amount"), [("switch", 16), ("port", 46), ("copper", 15 * 3.4), ("copper_metre", 18.1 * 3.4)]
)
def test_each_price_counts_as_often_as_its_item(price, amount):
    network = Mesh(dims=(16,)).build()
    usual = getattr(Prices(), price)
    dearer = cabling(network, msgspec.structs.replace(Prices(), **{price: usual + 10}))
    assert dearer.cost - cabling(network).cost == pytest.approx(10 * amount)


def test_cables_to_nodes_count_and_have_one_port():
    # Eight switches in one cabinet, 16 cables between them and 16 to nodes.
    cables = cabling(FatTree(arity=4, levels=2).build())
    assert (cables.switches, cables.cabinets, cables.cables, cables.total_m) == (8, 1, 32, 32.0)
    assert cables.ports == 2 * 16 + 16


@pytest.mark.parametrize(("ports", "levels"), [(4, 1), (3, 2), (32, 1)])
def test_all_cables_of_a_bcube_end_at_nodes(ports, levels):
    # n^(k + 1) nodes with a cable to a switch of each of k + 1 levels.
    wiring = cabling(BCube(ports=ports, levels=levels).build())
    cables = (levels + 1) * ports ** (levels + 1)
    assert wiring.cables == wiring.ports == cables
    assert wiring.total_m >= cables * 1.0
    assert wiring.cable_cost > 0


def test_a_node_is_in_the_cabinet_of_its_first_switch():
    # Switches of level 0 in the first cabinet with their nodes, switches of level 1 in the second, 2.1 + 2 m away.
    cables = cabling(BCube(ports=8, levels=1).build())
    assert (cables.cabinets, cables.rows, cables.columns, cables.inside) == (2, 2, 1, 64)
    assert cables.total_m == pytest.approx(64 * 1.0 + 64 * (2.0 + 2.1))


@pytest.mark.parametrize("spec", [family() for family in members(AnyNetwork) if family not in (Edges,)])
def test_every_link_of_every_family_is_a_cable(spec):
    network = spec.build()
    cables = cabling(network)
    if cables is None:
        assert network.aggregation > 1
        return
    proper = network.src != network.dst
    assert network.links == 0 or cables.cables > 0
    # Both directions share one cable; a one-way link also is one.
    assert np.count_nonzero(proper) / 2 <= cables.cables <= np.count_nonzero(proper)
    assert cables.total_m >= cables.cables * min(Prices().inside, Prices().between)


def test_parallel_links_are_separate_cables():
    assert cabling(Torus((2, 4)).build()).cables == 16


def test_one_way_links_back_and_forth_share_a_cable():
    arcs = np.array([(0, 1), (0, 1), (1, 0), (2, 2), (2, 0)], np.int32).T
    network = network_from_edges(Circulant(), 3, [EdgeList("arc", 1.0, *arcs, one_way=True)], ring, slots=1)
    # Two from 0 to 1, one of which is bidirectional, none for the loop, one from 2 to 0.
    assert cabling(network).cables == 3
    assert cabling(Clex(k=4, levels=1).build()).cables == 6


def test_links_of_two_classes_are_two_cables():
    there, back = (np.array([v], np.int32) for v in (0, 1))
    edges = [EdgeList("thin", 1.0, there, back, one_way=True), EdgeList("wide", 2.0, back, there, one_way=True)]
    assert cabling(network_from_edges(Circulant(), 2, edges, ring, slots=1)).cables == 2


def test_a_network_without_links_has_no_cables():
    cables = cabling(network_from_edges(Circulant(), 3, [], ring, slots=1))
    assert (cables.cables, cables.mean_m, cables.longest_m, cables.cable_cost) == (0, 0.0, 0.0, 0.0)
