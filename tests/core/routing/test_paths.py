"""Single paths of many flows: a path each, with the links of the slow routes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Clex, Complete, Dragonfly, FatTree, HyperX, Mesh, Percs, Torus
from core.routing import (
    ClexRouting,
    CongestionAware,
    DimensionOrder,
    DModK,
    GroupMinimal,
    Minimal,
    PercsDirect,
    Valiant,
    with_faults,
)
from core.routing.flows import Traced
from core.routing.path_order import in_order
from core.routing.paths import all_pairs, single_paths
from core.spec import SpecError
from tests.core.routing.graphs import routed_graphs
from tests.core.routing.groups import routed_groups
from tests.core.strategies import routed

SINGLE = (
    (FatTree(4, 3), DModK()),
    (Mesh((4, 3, 2)), DimensionOrder()),
    (Torus((5, 3)), DimensionOrder()),
    (HyperX(dims=(3, 4)), DimensionOrder()),
    (Torus((4, 4)), Minimal()),
    (Dragonfly(4, 2), Minimal()),
    (Clex(k=3, levels=3), ClexRouting(scheme="ordered")),
    (Complete(nodes=5), Minimal(spread="equal")),
    (Percs(supernodes=4, d_links=1, drawers=2, nodes_per_drawer=2), PercsDirect(intra="single-hop")),
)
"""Networks with schemes of one path per pair."""
SPLIT = (
    (Torus((4, 3)), DimensionOrder()),
    (FatTree(4, 3), Minimal(spread="equal")),
    (Torus((5, 3)), Valiant()),
    (Torus((5, 3)), CongestionAware()),
    (Percs(supernodes=4, d_links=2, drawers=2, nodes_per_drawer=2), PercsDirect()),
    (Dragonfly(4, 2, groups=3), GroupMinimal(spread="equal")),
)


def paths_of_all_pairs(network, router):
    """Yield the ends and the path of every pair of nodes."""
    for src, dst in all_pairs(network.nodes):
        paths = single_paths(router, src, dst)
        for i, pair in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
            yield pair, paths.of(i)


def assert_paths_are_routes(network, router):
    """Check that every pair's path leads from one node to the other over the links of its route."""
    pairs = 0
    for (u, v), links in paths_of_all_pairs(network, router):
        pairs += 1
        assert sorted(links) == sorted(router.route(u, v).links)
        at = [u, *network.dst[links]]
        assert at[:-1] == network.src[links].tolist()
        assert at[-1] == v or not links.size
    assert pairs == network.nodes**2


@pytest.mark.parametrize(("spec", "routing"), SINGLE)
@pytest.mark.parametrize("failures", [0, 3])
def test_paths_are_the_routes_in_order(spec, routing, failures):
    network = spec.build()
    router, failed = routing.router(network), np.zeros(network.links, bool)
    failed[np.linspace(0, network.links - 1, failures).astype(int)] = True
    router = with_faults(router, failed) if failures else router
    if router.single_path:
        assert_paths_are_routes(network, router)
    else:  # a failed path leaves several of equal length
        assert failures
        assert isinstance(spec, Complete)


@given(st.data(), routed | routed_graphs() | routed_groups())
def test_single_path_is_true_of_routers_that_split_nothing(data, case):
    network, router, _ = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    if router.single_path:
        src, dst = np.array([u, v, u], np.int32), np.array([v, u, u], np.int32)
        paths = single_paths(router, src, dst)
        assert sorted(paths.of(0)) == sorted(router.route(u, v).links)
        assert (router.route(u, v).shares == 1).all()
        assert paths.of(2).size == 0


@pytest.mark.parametrize(("spec", "routing"), SPLIT)
def test_split_flows_have_no_single_path(spec, routing):
    router = routing.router(spec.build())
    assert not router.single_path
    with pytest.raises(SpecError, match="splits flows over several paths; choose a scheme with a single path"):
        single_paths(router, np.array([0], np.int32), np.array([1], np.int32))


@pytest.mark.parametrize(
    ("links", "volume"), [([0, 0], [1, 1]), ([0], [2]), ([1], [1]), ([], [])], ids=["twice", "share", "apart", "none"]
)
def test_links_that_form_no_path_are_refused(links, volume):
    network = Mesh((2, 2)).build()
    src, dst = np.array([int(network.src[0])], np.int32), np.array([int(network.dst[0])], np.int32)
    traced = Traced(np.array(links, np.int32), np.array(volume, np.int64))
    if not links:
        assert in_order(traced, src, dst, network).start.tolist() == [0, 0]
        return
    with pytest.raises(ValueError, match="form no single path"):
        in_order(traced, src, dst, network)
