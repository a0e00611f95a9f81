"""D-mod-k: the published rule hop by hop, one path per pair, and shifts that meet only where they must."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import FatTree, Torus, Xgft
from core.routing import DModK, Minimal
from core.routing.flows import NodeFlows
from core.spec import SpecError
from tests.core.strategies import node_flows

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


def test_other_networks_are_refused():
    with pytest.raises(SpecError, match="d-mod-k supports fat-tree and xgft networks only, not torus"):
        DModK().router(Torus(dims=(4,)).build())
