"""CLEX networks: unit cases, and the paper's recursive definition."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Clex
from core.network.families.clex import coordinates
from core.spec import SpecError
from tests.oracle.graphs import diameter_and_aspl, graph_of, is_symmetric

sizes = st.sampled_from([(2, 1), (5, 1), (2, 2), (3, 2), (5, 2), (2, 3), (3, 3), (2, 4)])


def arcs_by_definition(k, levels):
    """All arcs as (level, source, destination), coordinates from 0: copies of the level below, and what joins them."""
    if levels == 1:
        return [(1, (u,), (v,)) for u in range(k) for v in range(k) if u != v]
    inner = arcs_by_definition(k, levels - 1)
    arcs = [(level, (*u, i), (*v, i)) for level, u, v in inner for i in range(k)]
    for *v, i in product(range(k), repeat=levels):
        arcs += [(levels, (*v, i), (*v[:-1], j, v[-1])) for j in range(k)]
    return arcs


@given(sizes)
def test_links_match_the_definition(size):
    k, levels = size
    network = Clex(k=k, levels=levels).build()
    at = [coordinates(node, k, levels) for node in range(network.nodes)]
    level = network.class_of + 1
    ours = Counter((level[link], at[network.src[link]], at[network.dst[link]]) for link in range(network.links))
    assert ours == Counter(arcs_by_definition(k, levels))
    assert [c.name for c in network.classes] == [f"level {level}" for level in range(1, levels + 1)]


UNIT_CASES = [
    (3, 2, 9, 45, 5, 3, 36, 2, Fraction(3, 2)),
    (4, 2, 16, 112, 7, 4, 96, 2, Fraction(8, 5)),
    (3, 3, 27, 216, 8, 18, 174, 3, Fraction(229, 117)),
    (4, 3, 64, 704, 11, 32, 612, 3, Fraction(243, 112)),
    (2, 4, 16, 112, 7, 24, 72, 4, Fraction(39, 20)),
]
"""Of the specification: k, levels, nodes, links, degree, loops, joined ordered pairs, diameter, average path."""


@pytest.mark.parametrize(("k", "levels", "nodes", "arcs", "degree", "loops", "simple", "diameter", "aspl"), UNIT_CASES)
def test_unit_cases(k, levels, nodes, arcs, degree, loops, simple, diameter, aspl):
    network = Clex(k=k, levels=levels).build()
    assert (network.nodes, network.links, network.spec.degree) == (nodes, arcs, degree)
    assert (np.bincount(network.src) == degree).all()
    assert np.count_nonzero(network.src == network.dst) == loops
    assert len({(u, v) for u, v in graph_of(network).edges() if u != v}) == simple
    assert diameter_and_aspl(network) == (diameter, aspl)
    assert network.spec.summary() == f"{k}^{levels} = {nodes:,} nodes of out-degree {degree}, {arcs:,} directed links"


@pytest.mark.parametrize(
    ("k", "levels", "degree", "diameter", "aspl"), [(4, 2, 4, 3, Fraction(11, 5)), (3, 3, 4, 6, Fraction(10, 3))]
)
def test_unit_cases_of_fat_links(k, levels, degree, diameter, aspl):
    network = Clex(k=k, levels=levels, fat_links=True, gbs=2.0).build()
    assert network.spec.degree == degree
    assert (np.bincount(network.src) == degree).all()
    assert is_symmetric(network)
    assert diameter_and_aspl(network) == (diameter, aspl)
    assert [c.gbs for c in network.classes] == [2.0] + [2.0 * k] * (levels - 1)


@given(sizes)
def test_a_fat_link_leads_to_the_node_with_two_coordinates_swapped(size):
    k, levels = size
    network = Clex(k=k, levels=levels, fat_links=True).build()
    for number, link_class in enumerate(network.classes[1:], 1):
        links = link_class.links
        np.testing.assert_array_equal(network.src[links], np.arange(network.nodes))
        for u, v in zip(network.src[links].tolist(), network.dst[links].tolist(), strict=True):
            swapped = list(coordinates(u, k, levels))
            swapped[number - 1], swapped[number] = swapped[number], swapped[number - 1]
            assert coordinates(v, k, levels) == tuple(swapped)
    # One of the links that it represents also leads there.
    thin = graph_of(Clex(k=k, levels=levels).build())
    assert all(thin.has_edge(u, v) for u, v in graph_of(network).edges())


@given(sizes, st.booleans())
def test_levels_are_nested_copies_and_cuts_count_leaving_links(size, fat):
    k, levels = size
    network = Clex(k=k, levels=levels, fat_links=fat).build()
    assert [level.count for level in network.levels] == [k**place for place in range(1, levels)]
    for place, level in enumerate(network.levels, 1):
        assert (np.bincount(level.group) == level.nodes_per_group).all()
        # A copy is the nodes that share their last coordinates.
        ends = [coordinates(node, k, levels)[-place:] for node in range(network.nodes)]
        assert len(set(zip(level.group.tolist(), ends, strict=True))) == len(set(ends)) == level.count
    for coarse, fine in zip(network.levels, network.levels[1:], strict=False):
        assert len(set(zip(fine.group.tolist(), coarse.group.tolist(), strict=True))) == fine.count
    for cut in network.cuts:
        inside = np.arange(network.nodes) < cut.nodes
        leaving = np.flatnonzero(inside[network.src] & ~inside[network.dst])
        assert Counter(network.classes[c].name for c in network.class_of[leaving]) == cut.leaving
    assert len(network.cuts) == (2 if levels > 1 else 0)


def test_names_of_levels_and_nodes():
    network = Clex(k=3, levels=3).build()
    assert [level.name for level in network.levels] == ["level 2 copy", "clique"]
    assert network.label(2 + 3 * 0 + 9 * 1) == "(2,0,1)"


@pytest.mark.parametrize(
    ("spec", "links"),
    [
        (Clex(k=14, levels=5), "37,109,856"),
        (Clex(k=4096, levels=20), r"more than 10\^12"),
    ],
)
def test_too_large_networks_are_refused_before_they_are_built(spec, links):
    with pytest.raises(SpecError, match=f"{links}.* directed links; must be at most 10,000,000") as refusal:
        spec.build()
    assert refusal.value.field == "network.levels"


@pytest.mark.parametrize("spec", [Clex(k=200, levels=3), Clex(k=4096, levels=2), Clex(k=60, levels=4)])
def test_aggregated_networks_may_be_too_large(spec):
    with pytest.raises(SpecError, match=r"aggregated by clique, have .* must be at most 10,000,000") as refusal:
        spec.build()
    assert refusal.value.field == "network.k"


@pytest.mark.parametrize("name", Clex.presets)
def test_presets_are_named_after_their_size(name):
    network = Clex(**Clex.presets[name]).build()
    assert f"{network.real_nodes:,} nodes" in name
    assert network.real_links == network.real_nodes * network.spec.degree


@pytest.mark.parametrize(("nodes", "k"), [(2, 2), (27, 3), (50, 4), (1024, 10), (1 << 20, 102)])
def test_another_size_keeps_the_levels(nodes, k):
    assert Clex(k=5, levels=3, fat_links=True).sized(nodes) == Clex(k=k, levels=3, fat_links=True)
