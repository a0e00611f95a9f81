"""The picture's data from the network and the loads, against plain loops."""

import numpy as np

from app.views.machine.geometry import LinkShading, MachineGeometry
from core.network import Percs


def loaded(spec, seed=0, idle=0.0):
    """A plan and random loads on it, some of them zero."""
    geometry = MachineGeometry(spec.build())
    random = np.random.default_rng(seed)
    relative = random.random(geometry.network.links)
    relative[random.random(relative.size) < idle] = 0
    return geometry, LinkShading(geometry, relative / relative.max())


def test_gathers_the_hottest_link_of_every_node_and_bundle():
    geometry, shading = loaded(Percs(supernodes=5, d_links=4))
    nodes, bundles = np.zeros(geometry.network.nodes), {}
    for link, load in enumerate(shading.link):
        src, dst = int(geometry.network.src[link]), int(geometry.network.dst[link])
        nodes[[src, dst]] = np.maximum(nodes[[src, dst]], load)
        pair = (src // 32, dst // 32)
        bundles[pair] = max(bundles.get(pair, 0), load)
    np.testing.assert_array_equal(shading.node, nodes)
    there, back = geometry.hottest_by_direction(shading.link)
    for k, (a, b) in enumerate(zip(*geometry.pairs, strict=True)):
        assert (there[k], back[k]) == (bundles[a, b], bundles[b, a])
        assert shading.pair[k] == max(bundles[a, b], bundles[b, a])
        assert geometry.bundle_sizes[a, b] == 4
    assert list(zip(*geometry.pairs, strict=True)) == [(a, b) for a in range(5) for b in range(a + 1, 5)]
