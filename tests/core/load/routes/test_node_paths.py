"""The paths between two nodes equal networkx's, and a pair without a path has a reason."""

import networkx as nx
import numpy as np
import pytest

from core.load.routes.node_paths import node_paths
from core.network import Dragonfly, FatTree, Torus
from core.routing import CongestionAware, DModK, Minimal
from core.routing.faulty import with_faults

NETWORKS = (Torus((3, 4)), FatTree(), Dragonfly())


@pytest.mark.parametrize("spec", NETWORKS, ids=lambda spec: spec.tag())
def test_equal_shares_use_all_shortest_paths(spec):
    network = spec.build()
    graph = nx.MultiDiGraph(list(zip(network.src.tolist(), network.dst.tolist(), strict=True)))
    router = Minimal("equal").router(network)
    for source, destination in ((0, 1), (0, network.nodes - 1), (network.nodes - 1, 2)):
        paths = node_paths(router, source, destination)
        if paths.count is not None:
            assert paths.count == len(list(nx.all_shortest_paths(graph, source, destination)))
        assert paths.hops == pytest.approx(nx.shortest_path_length(graph, source, destination))
        assert (paths.shares <= 1).all()
        assert paths.reason == ""


@pytest.mark.parametrize("spec", NETWORKS, ids=lambda spec: spec.tag())
def test_a_single_path_is_in_order(spec):
    network = spec.build()
    paths = node_paths(Minimal().router(network), 0, network.nodes - 1)
    assert paths.count == 1
    assert network.src[paths.best[0]] == 0
    assert network.dst[paths.best[-1]] == network.nodes - 1
    np.testing.assert_array_equal(network.src[paths.best[1:]], network.dst[paths.best[:-1]])


def test_there_is_no_link_from_a_node_to_itself():
    paths = node_paths(Minimal().router(Torus((3, 3)).build()), 4, 4)
    assert (paths.count, paths.links.size, paths.reason) == (0, 0, "")


def test_a_pair_without_a_path_has_a_reason():
    network = FatTree().build()
    failed = np.asarray(network.src == 0)
    paths = node_paths(with_faults(DModK().router(network), failed), 0, 5)
    assert (paths.count, paths.links.size) == (0, 0)
    assert paths.reason == "no path left without failed links"


def test_planned_paths_are_not_listed():
    paths = node_paths(CongestionAware().router(FatTree().build()), 0, 5)
    assert paths.reason.startswith("paths are planned for the flows of the job")
