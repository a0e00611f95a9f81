"""D-mod-k: the published rule hop by hop, one path per pair, and shifts that meet only where they must."""

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.network import Edges, FatTree, Torus, Xgft
from core.routing import DModK, Minimal, with_faults
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED
from core.routing.flows import NodeFlows
from core.spec import SpecError
from tests.core.network.shuffled import shuffled
from tests.core.strategies import node_flows

FABRICS = Path(__file__).parents[3] / "data" / "infiniband"
trees = st.integers(1, 3).flatmap(
    lambda h: st.builds(
        Xgft,
        down=st.tuples(*[st.integers(2, 3)] * h),
        up=st.tuples(*[st.integers(1, 3)] * h),
        parallel=st.tuples(*[st.integers(1, 2)] * h),
    )
) | st.builds(FatTree, arity=st.integers(2, 3), levels=st.integers(1, 3), links_per_node=st.integers(1, 2))


def walked(network, u, v):
    """The links of a path by the text of the rule: vertices by their digits, cables by their number."""
    tree = network.spec.tree
    digits = lambda node: [node // tree.leaves[i] % tree.down[i] for i in range(tree.height)]  # noqa: E731

    def vertex(level, place):
        number, weight = tree.first[level], 1
        for i, digit in enumerate(place):
            number += digit * weight
            weight *= tree.up[i] if i < level else tree.down[i]
        return number

    at, climbed, level = digits(u), [], 0
    while at[level:] != digits(v)[level:]:
        port = v // tree.roots[level] % (tree.up[level] * tree.parallel[level])
        parent, cable = port % tree.up[level], port // tree.up[level]
        above = [*at[:level], parent, *at[level + 1 :]]
        climbed.append((vertex(level, at), vertex(level + 1, above), cable, level))
        at, level = above, level + 1
    fell = []
    while level:
        level -= 1
        port = v // tree.roots[level] % (tree.up[level] * tree.parallel[level])
        below = [*at[:level], digits(v)[level], *at[level + 1 :]]
        fell.append((vertex(level + 1, at), vertex(level, below), port // tree.up[level], level))
        at = below
    return [link(network, *hop) for hop in (*climbed, *fell)]


def link(network, src, dst, cable, level):
    """The link of a cable between two vertices: parallel cables in order, those to two parents alternating."""
    return int(np.flatnonzero((network.src == src) & (network.dst == dst))[cable])


@given(st.data(), trees)
def test_paths_follow_the_rule(data, spec):
    network = spec.build()
    router = DModK().router(network)
    node = st.integers(0, network.nodes - 1)
    u, v = data.draw(node), data.draw(node)
    route = router.route(u, v)
    assert sorted(route.links.tolist()) == sorted(walked(network, u, v) if u != v else [])
    assert (route.shares == 1).all()
    minimal = Minimal(spread="equal").router(network).hops(np.array([u]), np.array([v]))
    assert router.hops(np.array([u]), np.array([v])) == minimal


@given(st.data(), trees)
def test_loads_crossings_and_traces_agree(data, spec):
    network = spec.build()
    router, flows = DModK().router(network), data.draw(node_flows(network))
    expected = np.zeros((2, network.links))
    for u, v, volume in zip(*flows, strict=True):
        route = router.route(int(u), int(v))
        np.add.at(expected, (route.roles, route.links), volume)
    np.testing.assert_allclose(router.loads([flows]), expected.sum(axis=0), atol=1e-12)
    for link in range(0, network.links, max(network.links // 5, 1)):
        np.testing.assert_allclose(router.crossing(link, flows.src, flows.dst) @ flows.volume, expected[:, link])


@pytest.mark.parametrize(
    ("spec", "most"),
    [
        (Xgft(down=(3, 3, 3), up=(1, 3, 3)), 1),
        (Xgft(down=(4, 4), up=(1, 2), parallel=(1, 2)), 1),
        (Xgft(down=(6, 4), up=(1, 3)), 2),
    ],
)
def test_the_worst_of_all_shifts(spec, most):
    network = spec.build()
    router, node = DModK().router(network), np.arange(spec.nodes, dtype=np.int32)
    loads = [router.loads([NodeFlows(node, np.roll(node, k), np.ones(node.size))]) for k in range(1, spec.nodes)]
    assert np.max(loads) == most


def loads_of_all(network):
    node = np.arange(network.nodes, dtype=np.int32)
    src, dst = np.repeat(node, node.size), np.tile(node, node.size)
    return DModK().router(network).loads([NodeFlows(src, dst, np.ones(src.size))])


def between_switches(network):
    return (network.src >= network.nodes) & (network.dst >= network.nodes)


@given(trees, st.integers(0, 99))
def test_shuffled_trees_have_equal_loads(spec, seed):
    network, imported = spec.build(), shuffled(spec.build(), seed)
    assert sorted(loads_of_all(network).tolist()) == sorted(loads_of_all(imported).tolist())


def test_loads_of_the_ftree_engine_of_opensm():
    network = shuffled(Xgft(down=(8, 8, 4), up=(1, 8, 4)).build(), 1)
    assert Counter(loads_of_all(network)[between_switches(network)].tolist()) == {248: 512, 384: 256}


def test_a_recorded_tree():
    network = Edges(file="ibnetdiscover.txt").build(FABRICS / "tree")
    assert set(loads_of_all(network)[between_switches(network)].tolist()) == {12}


def test_a_recorded_fabric_less_two_cables():
    network = Edges(file="ibnetdiscover.txt").build(FABRICS / "degraded")
    # Without the cables to two spine switches, 8 x 7 flows more go from two leaves, and to them, over other spines.
    assert Counter(loads_of_all(network)[between_switches(network)].tolist()) == {48: 28, 56: 64, 64: 28, 112: 4}


tall_trees = trees.filter(lambda spec: spec.tree.height > 1)


class SlowPath:
    """A path as links of the network: at every vertex the first usable port from the port of the rule on."""

    def __init__(self, embedding, present, u, v):
        self.tree, self.present = embedding.tree, present
        self.target = int(embedding.place[v])
        hops = self.climb(0, int(embedding.place[u]))
        self.links = None if hops is None else [int(embedding.link[2 * cable + role]) for cable, role in hops]

    def cables(self, level, below, ports, rule):
        """The present cables of a vertex among some of its ports, in cyclic order."""
        first = self.tree.first_cable[level] + below * self.tree.up[level] * self.tree.parallel[level]
        turned = [*ports[rule:], *ports[:rule]]
        return [(first + port, port) for port in turned if self.present[first + port]]

    def climb(self, level, below):
        tree = self.tree
        if below // tree.roots[level] == self.target // tree.leaves[level]:
            return self.fall(level, below % tree.roots[level])
        ports = range(tree.up[level] * tree.parallel[level])
        for cable, port in self.cables(level, below, ports, self.target // tree.roots[level] % len(ports)):
            rest = self.climb(level + 1, int(tree.parent(level, below, port % tree.up[level])))
            if rest is not None:
                return [(cable, 0), *rest]
        return None

    def fall(self, level, root):
        if not level:
            return []
        tree, level = self.tree, level - 1
        digit, root = divmod(root, tree.roots[level])
        up, parallel = tree.up[level], tree.parallel[level]
        below = root + tree.roots[level] * (self.target // tree.leaves[level])
        rule = self.target // tree.roots[level] % (up * parallel) // up
        for cable, _ in self.cables(level, below, range(digit, up * parallel, up), rule):
            rest = self.fall(level, root)
            return None if rest is None else [(cable, 1), *rest]
        return None


@given(st.data(), tall_trees, st.integers(0, 99))
def test_the_next_port_replaces_a_missing_one(data, spec, seed):
    network = spec.build()
    removed = data.draw(st.sets(st.integers(0, network.links // 2 - 1), max_size=4))
    assume(len(removed) < network.links // 2)
    network = shuffled(network, seed, sorted(removed))
    assume(network.tree is not None)
    router, reached = DModK().router(network), True
    for u, v in product(range(network.nodes), repeat=2):
        path = SlowPath(network.tree, network.tree.link[::2] >= 0, u, v).links
        reached &= path is not None
        ends = np.array([u]), np.array([v])
        assert router.reaches(*ends) == (path is not None)
        assert router.route(u, v).links.tolist() == (path or [])
        if path:
            assert (router.paths(*ends).links == path).all()
    assert router.complete == reached


@given(st.data(), tall_trees)
def test_a_failed_cable_is_like_a_missing_one(data, spec):
    network = spec.build()
    failed = np.zeros(network.links, np.bool_)
    for link in data.draw(st.sets(st.integers(0, network.links - 1), min_size=1, max_size=4)):
        failed[link] = True
    router = with_faults(DModK().router(network), failed)
    present, disconnects = ~(failed[::2] | failed[1::2]), False
    for u, v in product(range(network.nodes), repeat=2):
        path = SlowPath(network.tree, present, u, v).links
        disconnects |= path is None
        ends = np.array([u]), np.array([v])
        intact = router.base.route(u, v).links.tolist()
        assert router.route(u, v).links.tolist() == (path or [])
        assert router.state(*ends) == (DISCONNECTED if path is None else INTACT if path == intact else REROUTED)
    assert router.disconnects == disconnects


def test_other_graphs_are_refused(tmp_path):
    (tmp_path / "net.txt").write_text("a s\nb t\ns t")
    with pytest.raises(SpecError, match="fat trees only, and this network is not one"):
        DModK().router(Edges(file="net.txt", hosts="leaves").build(tmp_path))


def test_other_networks_are_refused():
    with pytest.raises(SpecError, match="d-mod-k supports fat-tree and xgft networks only, not torus"):
        DModK().router(Torus(dims=(4,)).build())
