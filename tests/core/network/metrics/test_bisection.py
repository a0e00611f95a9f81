"""Bisections: theory where available, all halves of small graphs, and the cuts that a family declares."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Clex
from core.network.families.circulant import Circulant
from core.network.families.complete import Complete
from core.network.families.fat_tree import FatTree
from core.network.families.hypercube import Hypercube
from core.network.families.percs import Percs
from core.network.families.torus import Mesh, Torus
from core.network.layouts.ring import ring
from core.network.metrics.bisection import bisection
from core.network.wiring import EdgeList, network_from_edges


def least_of_a_lattice(dims, wrap):
    """Aroca and Fernández Anta, Bisection (band)width of product networks: a cut with steps, down to an even side."""
    sides, total = sorted(dims, reverse=True), 0
    for place, side in enumerate(sides):
        total += prod(sides[place + 1 :])
        if side % 2 == 0:
            break
    return total * (2 if wrap else 1)


@pytest.mark.parametrize(
    "dims", [(4, 4), (5, 3), (7, 5), (9, 4), (6, 5), (5, 5, 5), (4, 3, 3), (8, 6, 3), (11,), (16,)]
)
@pytest.mark.parametrize("family", [Torus, Mesh])
def test_lattices_have_the_proved_bisection(family, dims):
    cut = bisection(family(dims=dims).build())
    assert cut.links == least_of_a_lattice(dims, family is Torus)
    assert cut.gbs == pytest.approx(cut.links * 0.425)


@pytest.mark.parametrize(
    ("spec", "links"),
    [(Complete(nodes=9), 20), (Complete(nodes=12), 36), (Hypercube(dimensions=6), 32), (FatTree(4, 2), 8)],
)
def test_families_with_a_known_bisection(spec, links):
    assert bisection(spec.build()).links == links


def test_a_declared_cut_is_named_and_replaced_only_by_a_smaller_one():
    declared = bisection(Torus((8, 4)).build())
    assert declared.declared
    assert declared.note == "declared by the family: bisection along X"
    # Along the short side it would be 18, with a step across the long one 10.
    cut = bisection(Torus((9, 4)).build())
    assert (cut.declared, cut.links) == (False, 10)
    assert cut.note.startswith("upper bound")


def test_bandwidth_counts_instead_of_the_number_of_links():
    # Few wide D-links run between the halves of the supernodes.
    cut = bisection(Percs(supernodes=4, d_links=1).build())
    assert (cut.links, cut.gbs) == (4, 40.0)


def test_a_disconnected_network_has_a_bisection_of_zero():
    pairs = np.array([[0, 1], [2, 3]], np.int32)
    network = network_from_edges(Circulant(), 4, [EdgeList("link", 1.0, *pairs.T)], ring, slots=1)
    assert (bisection(network).links, bisection(network).gbs) == (0, 0.0)
    assert bisection(network_from_edges(Circulant(), 5, [], ring, slots=1, switches=2)).links == 0


def test_the_bisection_is_reproducible():
    first, second = (bisection(Circulant(nodes=200, jumps=(1, 9, 55)).build()) for _ in range(2))
    assert first == second


@st.composite
def weighted(draw):
    nodes, switches = draw(st.integers(2, 7)), draw(st.integers(0, 2))
    vertex = st.integers(0, nodes + switches - 1)
    pairs = st.lists(st.tuples(vertex, vertex), min_size=1, max_size=16)
    return nodes, switches, draw(pairs), draw(pairs), draw(st.sampled_from([0.5, 1.0, 3.0]))


@given(weighted())
def test_no_halves_of_a_small_graph_have_less_bandwidth(graph):
    nodes, switches, thin, wide, gbs = graph
    edges = [EdgeList(f"{gbs:g}", width, *np.array(pairs, np.int32).T) for pairs, width in ((thin, 1.0), (wide, gbs))]
    network = network_from_edges(Circulant(), nodes, edges, ring, slots=1, switches=switches)
    least = min(carried(network, sides) for sides in halves(nodes, switches))
    assert bisection(network).gbs >= least - 1e-9


def test_the_minimum_bisection_of_small_graphs_is_found():
    chance = np.random.default_rng(1)
    for _ in range(60):
        nodes, switches = chance.integers(4, 9), chance.integers(0, 3)
        ends = chance.integers(0, nodes + switches, (2, 16)).astype(np.int32)
        network = network_from_edges(
            Circulant(), int(nodes), [EdgeList("link", 1.0, *ends)], ring, slots=1, switches=int(switches)
        )
        least = min(carried(network, sides) for sides in halves(nodes, switches))
        assert bisection(network).gbs == pytest.approx(least)


def halves(nodes, switches):
    for some in combinations(range(nodes), nodes // 2):
        for bits in range(1 << switches):
            sides = np.zeros(nodes + switches, bool)
            sides[list(some)] = True
            sides[nodes:] = [bits >> place & 1 for place in range(switches)]
            yield sides


def carried(network, sides):
    return network.gbs[sides[network.src] & ~sides[network.dst]].sum()


def test_the_note_gives_the_imbalance_of_aggregated_halves():
    network = Clex(k=173, levels=2).build()
    assert network.aggregation == 173
    assert bisection(network).note.endswith("; the sides differ by 173 nodes")
