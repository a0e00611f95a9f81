"""Trees in networks with any numbering: shuffled, less some cables; and graphs of other kinds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Edges, FatTree, Torus, Xgft
from tests.core.network.shuffled import shuffled

trees = st.integers(1, 4).flatmap(
    lambda h: st.builds(
        Xgft,
        down=st.tuples(*[st.integers(1, 4)] * (h - 1), st.integers(2, 4)),
        up=st.tuples(*[st.integers(1, 3)] * h),
        parallel=st.tuples(*[st.integers(1, 3)] * h),
    )
)


def check(network, tree):
    """Compare the ends of every cable of a recognised tree with the ends of its links."""
    embedding = network.tree
    assert embedding.tree == tree
    lower, upper = (np.concatenate(ends) for ends in zip(*map(tree.parents, range(tree.height)), strict=True))
    up, down = embedding.link[::2], embedding.link[1::2]
    present = up >= 0
    assert np.array_equal(present, down >= 0)
    assert np.array_equal(np.sort(embedding.link[embedding.link >= 0]), np.arange(network.links))
    for links, ends in ((up, (lower, upper)), (down, (upper, lower))):
        assert np.array_equal(embedding.place[network.src[links[present]]], ends[0][present])
        assert np.array_equal(embedding.place[network.dst[links[present]]], ends[1][present])
    cables = np.arange(lower.size)
    assert [embedding.ends(int(cable)) for cable in cables] == list(zip(lower.tolist(), upper.tolist(), strict=True))


@given(trees, st.integers(0, 99))
def test_shuffled_trees_are_recognised(spec, seed):
    network = shuffled(spec.build(), seed)
    check(network, spec.tree)
    assert network.tree.exact


@given(st.data(), st.integers(3, 5), st.integers(3, 5), st.integers(0, 99))
def test_missing_cables_are_named(data, leaves, spines, seed):
    network = Xgft(down=(2, leaves), up=(1, spines)).build()
    removed = data.draw(st.sets(st.integers(network.nodes, network.links // 2 - 1), min_size=1, max_size=2))
    network = shuffled(network, seed, sorted(removed))
    check(network, Xgft(down=(2, leaves), up=(1, spines)).tree)
    embedding = network.tree
    assert not embedding.exact
    assert embedding.missing_cables.size == len(removed)
    # The two ends of a missing cable have no link.
    for cable in embedding.missing_cables.tolist():
        low, high = embedding.vertex[list(embedding.ends(cable))].tolist()
        assert not network.links_between(low, high).size
        assert f"{network.label(low)} - {network.label(high)}" in embedding.name


@given(st.data(), trees.filter(lambda spec: len(spec.down) > 1), st.integers(0, 99))
def test_any_missing_cables_give_a_valid_tree_or_none(data, spec, seed):
    network = spec.build()
    removed = data.draw(st.sets(st.integers(0, network.links // 2 - 1), max_size=4))
    if len(removed) < network.links // 2:
        network = shuffled(network, seed, sorted(removed))
        if network.tree is not None:
            check(network, network.tree.tree)


def test_hosts_and_switches_without_cables_fill_gaps():
    original = Xgft(down=(4, 4), up=(1, 4)).build()
    # Of node 5 and of the last spine switch.
    last = original.vertices - 1
    lost = [5, *np.flatnonzero((original.src[::2] == last) | (original.dst[::2] == last)).tolist()]
    network = shuffled(original, 1, lost)
    check(network, replace(original.spec.tree, up=(1, 3)))
    assert network.tree.missing == (0, 0, 0)
    assert network.tree.missing_cables.size == 1
    assert np.count_nonzero(network.tree.place < 0) == 1


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([("a", "s"), ("b", "s"), ("c", "t"), ("d", "t"), ("s", "t")], None),  # leaves linked to each other
        ([("a", "s"), ("b", "s"), ("c", "s")], "XGFT(1; 3; 1)"),
        ([("a", "s"), ("b", "s"), ("c", "t"), ("d", "t"), ("s", "r"), ("t", "r")], "XGFT(2; 2,2; 1,1)"),
        ([("a", "s"), ("b", "s"), ("c", "t"), ("s", "r"), ("t", "r")], "XGFT(2; 2,2; 1,1), less 1 node"),
        ([("a", "s"), ("b", "s"), ("c", "t"), ("s", "r"), ("t", "q"), ("r", "q")], None),
    ],
)
def test_small_graphs(tmp_path, rows, name):
    (tmp_path / "net.txt").write_text("\n".join(" ".join(row) for row in rows))
    tree = Edges(file="net.txt", hosts="/^[a-d]$/").build(tmp_path).tree
    assert (tree and tree.name) == name


def test_families_have_their_own_numbers():
    network = FatTree(arity=3, levels=2, links_per_node=2).build()
    check(network, network.spec.tree)
    assert network.tree.exact
    assert Torus(dims=(4, 4)).build().tree is None


def test_direct_networks_and_one_way_links_are_not_trees(tmp_path):
    (tmp_path / "ring.txt").write_text("0 1\n1 2\n2 3\n3 0")
    assert Edges(file="ring.txt").build(tmp_path).tree is None
    (tmp_path / "ring.txt").write_text("s t\nt u\nu s\na s\nb t\nc u")
    assert Edges(file="ring.txt", hosts="leaves").build(tmp_path).tree is None
    (tmp_path / "one-way.dot").write_text("digraph { a -> s; s -> b; b -> t; t -> a; }")
    assert Edges(file="one-way.dot", hosts="a,b").build(tmp_path).tree is None


def test_names_and_ports_of_an_infiniband_fabric():
    folder = Path(__file__).parents[2] / "data" / "infiniband"
    tree = Edges(file="ibnetdiscover.txt").build(folder / "degraded").tree
    assert tree.name == (
        "8-ary 2-tree, XGFT(2; 8,8; 1,8), less 2 cables: "
        "s1_0001 port 12 - s2_0003 port 2, s1_0000 port 9 - s2_0000 port 1"
    )
    assert tree.switches_text == "8 leaf switches and 8 spine switches"
    assert not tree.exact
