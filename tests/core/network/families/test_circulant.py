"""Circulant networks: the closed forms of G(n, log2 n), and networkx for any jumps."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Circulant
from core.spec import SpecError
from tests.oracle.graphs import diameter_and_aspl, distances, graph_of, is_symmetric, simple_graph_of


def powers(nodes):
    return Circulant(nodes=nodes, jumps=tuple(1 << k for k in range(nodes.bit_length() - 1)))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7, 8, 10, 12])
def test_closed_forms_of_all_powers_of_two(k):
    away = distances(powers(1 << k).build(), 0)
    assert away.max() == -(-k // 2)
    assert 9 * away.sum() == (3 * k + 1) * 2**k - (-1) ** k


@pytest.mark.parametrize(
    ("nodes", "degree", "links", "diameter", "aspl"),
    [
        (64, 11, 352, 3, 2.142857),
        (256, 15, 1920, 4, 2.788235),
        (1024, 19, 9728, 5, 3.447703),
        (4096, 23, 47104, 6, 4.112088),
    ],
)
def test_published_table(nodes, degree, links, diameter, aspl):
    network = powers(nodes).build()
    graph = simple_graph_of(network)
    # All nodes are equivalent.
    for begin in (0, nodes // 3):
        away = nx.single_source_shortest_path_length(graph, begin).values()
        assert (len(away), max(away)) == (nodes, diameter)
        assert sum(away) / (nodes - 1) == pytest.approx(aspl, abs=5e-7)
    assert network.links == 2 * links
    assert (np.bincount(network.src) == degree).all()
    assert network.spec.summary() == f"{nodes:,} nodes of degree {degree}"


def test_the_circulant_of_sixteen_nodes():
    network = powers(16).build()
    assert network.links == 2 * 56
    assert diameter_and_aspl(network) == (2, Fraction(23, 15))


@st.composite
def circulants(draw):
    nodes = draw(st.integers(2, 24))
    return Circulant(nodes=nodes, jumps=tuple(draw(st.sets(st.integers(1, nodes // 2), min_size=1))))


@given(circulants())
def test_links_match_networkx(spec):
    network = spec.build()
    ours = graph_of(network)
    assert nx.DiGraph(ours).edges == nx.circulant_graph(spec.nodes, spec.jumps).to_directed().edges
    assert ours.number_of_edges() == nx.DiGraph(ours).number_of_edges()
    assert is_symmetric(network)
    # Classes are the jumps, each with the length that its name says.
    for link_class, jump in zip(network.classes, sorted(spec.jumps), strict=True):
        step = (network.dst - network.src)[link_class.links] % spec.nodes
        assert link_class.name == f"C{jump}"
        assert set(step.tolist()) == {jump, spec.nodes - jump}


@pytest.mark.parametrize(
    ("jumps", "words"),
    [((1, 9), "has 9; must be at most 8 for 16 nodes"), ((1, 2, 1), "has a jump twice; give each once")],
)
def test_refusals_name_the_field(jumps, words):
    with pytest.raises(SpecError, match=words) as refusal:
        Circulant(nodes=16, jumps=jumps).build()
    assert refusal.value.field == "network.jumps"
