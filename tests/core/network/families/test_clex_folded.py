"""CLEX networks aggregated by clique: every link represents the declared links of the full network."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Clex
from core.network.families import clex as module
from core.network.families.clex import stored_links
from core.network.metrics.bisection import bisection
from core.network.metrics.cabling import cabling
from core.network.metrics.metrics import measure

specs = st.builds(
    lambda size, fat: Clex(k=size[0], levels=size[1], fat_links=fat, gbs=2.0, slots_per_node=3),
    st.sampled_from([(2, 2), (3, 2), (5, 2), (2, 3), (3, 3), (4, 3), (2, 4), (3, 4)]),
    st.booleans(),
)


@given(specs)
def test_every_link_represents_the_links_between_two_cliques(spec):
    full, folded = spec.build(), spec.build_folded()
    assert [c.name for c in folded.classes] == [c.name for c in full.classes]
    assert [c.gbs for c in folded.classes] == [c.gbs for c in full.classes]
    for real, kept in zip(full.classes, folded.classes, strict=True):
        between = Counter(zip(*(end[real.links] // spec.k for end in (full.src, full.dst)), strict=True))
        ends = [end[kept.links].tolist() for end in (folded.src, folded.dst)]
        assert between == dict.fromkeys(zip(*ends, strict=True), kept.multiplicity)
        assert (kept.count, kept.real) == (len(between), real.count)


@given(specs)
def test_aggregated_counts_match_the_full_network(spec):
    full, folded = spec.build(), spec.build_folded()
    assert (folded.real_nodes, folded.real_links) == (full.nodes, full.links)
    assert (folded.aggregation, full.aggregation) == (spec.k, 1)
    assert folded.slots == full.slots
    assert folded.degree == full.degree == spec.degree
    assert folded.links == stored_links(spec) == folded.multiplicity.size
    assert (full.multiplicity == 1).all()
    assert [(level.name, level.count) for level in folded.levels] == [
        (level.name, level.count) for level in full.levels[:-1]
    ]
    for coarse, fine in zip(folded.levels, full.levels, strict=False):
        np.testing.assert_array_equal(np.repeat(coarse.group, spec.k), fine.group)
    for cut, full_cut in zip(folded.cuts, full.cuts, strict=True):
        assert cut.nodes * spec.k == full_cut.nodes
        inside = np.arange(folded.nodes) < cut.nodes
        leaving = inside[folded.src] & ~inside[folded.dst]
        assert cut.leaving == full_cut.leaving == {folded.classes[-1].name: folded.multiplicity[leaving].sum()}


def test_names_of_cliques_match_their_nodes():
    spec = Clex(k=3, levels=4)
    full, folded = spec.build(), spec.build_folded()
    for node in range(full.nodes):
        assert folded.label(node // 3) == f"(*,{full.label(node).partition(',')[2]}"


@pytest.mark.parametrize("fat", [False, True])
def test_large_networks_are_aggregated(fat):
    spec = Clex(k=64, levels=3, fat_links=fat)
    network = spec.build()
    assert (network.nodes, network.real_nodes) == (64**2, 64**3)
    assert network.links == (4096 * (1 + 64 + 1) if fat else 528_384)
    assert network.real_links == (17_039_360 if fat else 50_069_504)
    assert "each node stands for a clique of 64 nodes" in network.warnings[0]
    assert network.layout.positions.shape == (4096, 3)
    assert cabling(network) is None


def test_networks_within_the_limit_are_not_aggregated(monkeypatch):
    spec = Clex(k=4, levels=3)
    monkeypatch.setattr(module, "MAX_LINKS", 704)
    assert spec.build().aggregation == 1
    monkeypatch.setattr(module, "MAX_LINKS", 703)
    assert spec.build().aggregation == 4


@pytest.mark.parametrize("spec", [Clex(k=4, levels=3), Clex(k=6, levels=2), Clex(k=4, levels=3, fat_links=True)])
def test_metrics_match_the_full_network(spec):
    full, folded = measure(spec.build()), measure(spec.build_folded())
    for name in full.__dataclass_fields__:
        if name != "bisection":
            assert getattr(folded, name) == getattr(full, name), name
    # Both are upper bounds, and there are fewer halves of entire cliques to choose from.
    assert folded.bisection.gbs >= full.bisection.gbs * (1 - 1e-9)
    if not spec.fat_links:
        assert (folded.bisection.links, folded.bisection.gbs) == (full.bisection.links, full.bisection.gbs)


def test_the_note_gives_the_imbalance_of_halves():
    assert "sides differ by 3 nodes" in bisection(Clex(k=3, levels=3).build_folded()).note


def test_metrics_of_64_to_the_3():
    metrics = measure(Clex(k=64, levels=3).build())
    assert (metrics.nodes, metrics.directed_links, metrics.loops) == (262_144, 50_069_504, 8192)
    assert (metrics.degree_min, metrics.degree_max, metrics.diameter) == (191, 191, 3)
    assert metrics.connected
    assert metrics.distance_sum == 201_912_758_208
    assert metrics.bisection.declared
    assert metrics.bisection.links == 32 * 32 * 64**2
