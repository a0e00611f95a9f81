"""Networks written for other tools and read again: the same vertices, links and bandwidths."""

from collections import Counter

import pytest

from core.network import Circulant, Clex, Complete, Dragonfly, Edges, FatTree, Hypercube, Mesh, Percs, Torus
from core.network.formats import WRITERS
from core.spec import SpecError
from tests.core.network.formats.files import written

FAMILIES = (
    Torus((3, 4)),
    Torus((2, 2, 3), wrap=(True, False, True)),
    Mesh((3, 3), gbs=1.5),
    Hypercube(3),
    Complete(5),
    Circulant(9, (1, 2, 4)),
    FatTree(2, 3, host_gbs=3.0),
    Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2),
    Percs(2, 4),
)
KEPT = {"graphml": "roles", "dot": "roles", "edge-list": ""}
"""Formats that keep everything, and those that keep no roles."""


def links(network):
    """Directed links as triples of two vertices and GB/s, each as often as it is there."""
    return Counter(zip(network.src.tolist(), network.dst.tolist(), network.gbs.tolist(), strict=True))


def read_back(folder, network, kind):
    writer = WRITERS[kind]
    return written(folder, f"network{writer.ending}", writer.write(network).content)


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: f"{spec.tag()}-{spec.summary()}")
def test_what_is_written_is_read_as_the_same_network(tmp_path, spec, kind):
    network = spec.build()
    again = read_back(tmp_path, network, kind)
    assert links(again) == links(network)
    lost = WRITERS[kind].write(network).losses
    assert lost == (("which vertices are switches",) if network.vertices > network.nodes and not KEPT[kind] else ())
    assert (again.nodes, again.vertices) == ((network.vertices if lost else network.nodes), network.vertices)


@pytest.mark.parametrize("kind", KEPT)
def test_names_of_a_file_stay(tmp_path, kind):
    first = written(
        tmp_path, "first.dot", 'graph { h2 [type=host]; "h\\"1" [type=host]; s [type=switch]; s--"h\\"1"; s--h2 }'
    )
    again = read_back(tmp_path, first, kind)
    assert [again.label(v) for v in range(3)] == ["h2", 'h"1', "s"]


def test_links_of_one_way_are_only_for_graphml(tmp_path):
    network = Clex(2, 3).build()
    loops = network.src == network.dst
    assert loops.any()
    without = links(network) - Counter({(v, v, gbs): 99 for v in range(network.nodes) for gbs in set(network.gbs)})
    assert links(read_back(tmp_path, network, "graphml")) == without
    with pytest.raises(SpecError, match="network: has links that lead one way only"):
        WRITERS["dot"].write(network)


def test_bundles_are_no_links():
    with pytest.raises(SpecError, match="of which only bundles are kept; choose a smaller one"):
        WRITERS["dot"].write(Clex(32, 4).build())


def test_a_vertex_without_links_is_written(tmp_path):
    network = written(tmp_path, "g.txt", "7\n0 1 2\n1\n")
    assert WRITERS["edge-list"].write(network).content == "7\n0 1 2\n"
    assert isinstance(network.spec, Edges)
