"""Hypercubes, against networkx and the distances given by their numbers."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Hypercube, Lattice
from core.network.adjacency import distances_from
from core.routing import Adaptive, DimensionOrder

DIMENSIONS = [1, 2, 3, 4, 6, 10]


@pytest.mark.parametrize("count", DIMENSIONS)
def test_links_match_networkx(count):
    network = Hypercube(dimensions=count).build()
    cube = nx.hypercube_graph(count)
    number = {bits: int("".join(map(str, np.atleast_1d(bits))), 2) for bits in cube}
    expected = nx.relabel_nodes(cube, number).to_directed().edges
    ours = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    assert sorted(ours) == sorted(expected)
    assert network.links == count << count


@pytest.mark.parametrize("count", DIMENSIONS)
def test_distance_is_the_number_of_bits_that_differ(count):
    network = Hypercube(dimensions=count).build()
    away, queue = np.empty(network.vertices, np.int32), np.empty(network.vertices, np.int32)
    for begin in (0, network.nodes // 3, network.nodes - 1):
        distances_from(begin, network.out_links, away, queue)
        assert away.tolist() == [(begin ^ v).bit_count() for v in range(network.nodes)]
        # The mean is half of the bits.
        assert 2 * away.sum() == count * network.nodes


def test_classes_are_the_bits_and_the_first_is_x():
    network = Hypercube(dimensions=6).build()
    assert [c.name for c in network.classes] == ["X", "Y", "Z", "W", "D5", "D6"]
    for bit, link_class in enumerate(network.classes):
        assert set((network.src[link_class.links] ^ network.dst[link_class.links]).tolist()) == {32 >> bit}
    assert network.label(11) == "001011"


@pytest.mark.parametrize("count", DIMENSIONS)
def test_levels_are_nested_subcubes(count):
    network = Hypercube(dimensions=count).build()
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    for level in network.levels:
        bits = int(level.name.removesuffix("-cube"))
        assert level.nodes_per_group == 1 << bits
        for group in range(min(level.count, 4)):
            inside = graph.subgraph(np.flatnonzero(level.group == group).tolist())
            assert inside.number_of_nodes() == 1 << bits
            assert {degree for _, degree in inside.degree} == {bits}
    for coarse, fine in zip(network.levels, network.levels[1:], strict=False):
        assert len(set(zip(fine.group.tolist(), coarse.group.tolist(), strict=True))) == fine.count


def test_dimension_order_corrects_bits_from_the_first_to_the_last():
    network = Hypercube(dimensions=5).build()
    route = DimensionOrder().router(network).route(0b01100, 0b10101)
    assert network.dst[route.links].tolist() == [0b11100, 0b10100, 0b10101]
    assert route.shares.tolist() == [1.0] * 3


@pytest.mark.parametrize(("model", "first"), [("uniform", 1 / 3), ("hop-local", 1 / 3)])
def test_adaptive_splits_equally_among_the_bits_that_differ(model, first):
    network = Hypercube(dimensions=4).build()
    route = Adaptive(model=model).router(network).route(0b0000, 0b1011)
    leaving = network.src[route.links] == 0
    assert route.shares[leaving] == pytest.approx([first] * 3)
    assert route.shares.sum() == pytest.approx(3)


@given(st.integers(1, 200_000))
def test_sized_is_the_nearest_power_of_two(nodes):
    nearest = 1 << Hypercube().sized(nodes).dimensions
    assert all(abs(nearest - nodes) <= abs((1 << n) - nodes) for n in range(1, 17))


def test_the_hypercube_is_a_lattice_with_its_size_in_the_summary():
    spec = Hypercube(dimensions=10)
    assert isinstance(spec, Lattice)
    assert spec.summary() == "1,024 nodes of degree 10"
    largest = Hypercube(dimensions=16).build()
    assert (largest.nodes, largest.links) == (65536, 1048576)
