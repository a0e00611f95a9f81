"""Minimal routes compared with SimGrid, if installed (Debian package python3-simgrid)."""

import re

import numpy as np
import pytest

from core.network import FatTree, Torus
from core.network.adjacency import distances_from
from core.routing import DimensionOrder, Minimal
from tests.oracle import simgrid

pytestmark = pytest.mark.skipif(not simgrid.pythons(), reason="needs SimGrid (Debian package python3-simgrid)")


def vertices(names, start):
    """Return the vertices of a route from the names of its links: link_from_3_to_0_DOWN goes from 0 to 3."""
    here, passed = start, []
    for name in names:
        a, b = (int(number) for number in re.findall(r"_(\d+)", name)[-2:])
        here = b if here == a else a
        passed.append(here)
    return passed


@pytest.mark.parametrize("dims", [(5, 3), (3, 3, 5)])
def test_dimension_order_matches_without_ties(tmp_path, dims):
    network = Torus(dims).build()
    router = DimensionOrder().router(network)
    nodes = np.arange(network.nodes)
    # SimGrid's first dimension is the fastest in its numbering, ours the slowest.
    column_major = np.ravel_multi_index(np.unravel_index(nodes, dims), dims, order="F")
    ours = np.argsort(column_major)
    routes = simgrid.routes(tmp_path, "TORUS", ",".join(map(str, dims)), network.nodes)
    for u in nodes:
        for v in nodes:
            passed = vertices(routes[column_major[u]][column_major[v]], column_major[u])
            np.testing.assert_array_equal(network.dst[router.route(u, v).links], ours[passed])


@pytest.mark.parametrize(("dims", "parameters"), [((4, 4), "4,4"), ((2, 4, 6), "2,4,6")])
def test_tori_have_the_same_distances(tmp_path, dims, parameters):
    network = Torus(dims).build()
    hops = Minimal().router(network).hops
    routes = simgrid.routes(tmp_path, "TORUS", parameters, network.nodes)
    column_major = np.ravel_multi_index(np.unravel_index(np.arange(network.nodes), dims), dims, order="F")
    for u in range(network.nodes):
        nodes = np.arange(network.nodes, dtype=np.int32)
        expected = [len(routes[column_major[u]][column_major[v]]) for v in nodes]
        np.testing.assert_array_equal(hops(np.full(nodes.size, u, np.int32), nodes), expected)


@pytest.mark.parametrize(("arity", "levels"), [(4, 2), (2, 3)])
def test_fat_trees_have_the_same_distances(tmp_path, arity, levels):
    network = FatTree(arity=arity, levels=levels).build()
    down, up = ",".join([str(arity)] * levels), ",".join(["1", *[str(arity)] * (levels - 1)])
    routes = simgrid.routes(tmp_path, "FAT_TREE", f"{levels};{down};{up};{','.join(['1'] * levels)}", network.nodes)
    away, queue = np.zeros(network.vertices, np.int32), np.zeros(network.vertices, np.int32)
    for u in range(network.nodes):
        distances_from(u, network.out_links, away, queue)
        expected = [0 if u == v else len(routes[u][v]) for v in range(network.nodes)]
        np.testing.assert_array_equal(away[: network.nodes], expected)
