"""Rings with random shortcuts: regular, simple, connected, and with paths as short as published."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Shortcut
from core.network.families import shortcut
from core.spec import SpecError
from tests.oracle.graphs import graph_of, is_symmetric


@st.composite
def rings(draw):
    nodes = draw(st.integers(3, 20))
    return Shortcut(nodes=nodes, degree=draw(st.integers(2, nodes - 1)), seed=draw(st.integers(0, 1 << 20)))


@given(rings())
def test_every_node_has_the_degree_except_one_if_the_sum_is_odd(spec):
    network = spec.build()
    graph = graph_of(network)
    missing = spec.degree - np.bincount(network.src, minlength=spec.nodes)
    assert missing.min() >= 0
    assert missing.sum() == spec.nodes * spec.degree % 2
    # Neither loops nor parallel links; every link has a reverse.
    assert graph.number_of_edges() == nx.DiGraph(graph).number_of_edges()
    assert nx.number_of_selfloops(graph) == 0
    assert is_symmetric(network)
    assert nx.is_strongly_connected(graph)
    assert len(network.warnings) == missing.sum()
    assert ("one less" in spec.summary()) == bool(missing.sum())
    assert f"{network.links // 2:,} links" in spec.summary()


@given(rings())
def test_the_ring_is_a_separate_class(spec):
    network = spec.build()
    near = network.link_class("ring").links
    step = (network.dst - network.src) % spec.nodes
    assert near == slice(0, 2 * spec.nodes)
    assert set(step[near].tolist()) == {1, spec.nodes - 1}
    assert not {1, spec.nodes - 1} & set(step[near.stop :].tolist())
    assert [c.name for c in network.classes] == ["ring", "shortcut"][: 1 + (network.links > near.stop)]


def distances(spec):
    """Diameter and average distance, from sets of vertices within one link, two links, and so on, as bits."""
    network, nodes = spec.build(), spec.nodes
    neighbours = network.dst[np.argsort(network.src)].reshape(nodes, spec.degree).T
    within, farthest, total = np.packbits(np.eye(nodes, dtype=bool), axis=1), 0, 0
    while farther := nodes * nodes - int(np.bitwise_count(within).sum()):
        farthest, total = farthest + 1, total + farther
        within = np.bitwise_or.reduce([within, *(within[some] for some in neighbours)])
    return farthest, total / nodes / (nodes - 1)


@pytest.mark.parametrize(
    ("nodes", "degree", "diameter", "aspl"),
    [(64, 11, 3, 1.925), (256, 15, 3, 2.333), (1024, 19, 4, 2.681), (4096, 23, 4, 2.929)],
)
def test_published_table(nodes, degree, diameter, aspl):
    measured = [distances(Shortcut(nodes=nodes, degree=degree, seed=seed)) for seed in range(3 if nodes < 4096 else 1)]
    assert {farthest for farthest, _ in measured} == {diameter}
    assert np.mean([average for _, average in measured]) == pytest.approx(aspl, rel=0.01)


def test_lengths_of_shortcuts_are_uniform():
    network = Shortcut(nodes=1024, degree=19, seed=1).build()
    far = network.link_class("shortcut").links
    length = ((network.dst - network.src) % 1024)[far]
    # Uniform from 2 to 1022: in each of eight parts an eighth, within four standard deviations.
    share = np.histogram(length, 8, (1.5, 1022.5))[0] / length.size
    assert np.abs(share - 1 / 8).max() < 4 * np.sqrt(1 / 8 * 7 / 8 / (length.size / 2))


def test_the_seed_decides():
    first, same, other = (Shortcut(nodes=100, degree=7, seed=seed).build() for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.dst, same.dst)
    assert not np.array_equal(first.dst, other.dst)


def test_the_draw_is_the_same_on_every_machine():
    network = Shortcut(nodes=12, degree=4, seed=5).build()
    far = network.link_class("shortcut").links
    pairs = list(zip(network.src[far][::2].tolist(), network.dst[far][::2].tolist(), strict=True))
    drawn = "0-4 0-8 1-5 1-9 2-6 2-7 3-6 3-9 4-10 5-11 7-11 8-10"
    assert pairs == [tuple(map(int, pair.split("-"))) for pair in drawn.split()]


def test_nodes_with_missing_links_give_a_warning(monkeypatch):
    monkeypatch.setattr(shortcut, "TRIES", 0)
    monkeypatch.setattr(shortcut._RandomGraph, "_insert", lambda *_: False)
    specs = [Shortcut(nodes=8, degree=4, seed=seed) for seed in range(20)]
    warnings_of_specs = [spec.build().warnings for spec in specs]
    assert any("nodes have fewer than 4 links" in warning for warnings in warnings_of_specs for warning in warnings)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Shortcut(nodes=8, degree=8), "is 8; must be at most 7 for 8 nodes"),
        (Shortcut(nodes=1 << 20, degree=64), "67,108,864 directed links; must be at most 10,000,000"),
    ],
)
def test_refusals_name_the_field(spec, words):
    with pytest.raises(SpecError, match=words) as refusal:
        spec.build()
    assert refusal.value.field == "network.degree"


@pytest.mark.parametrize("name", Shortcut.presets)
def test_presets_have_as_many_links_as_the_circulant_networks(name):
    spec = Shortcut(**Shortcut.presets[name])
    assert spec.degree == 2 * np.log2(spec.nodes) - 1
    assert spec.sized(1024).degree == 19
    assert Shortcut(nodes=1000, degree=5).sized(4) == Shortcut(nodes=4, degree=3)
