"""What a picture takes of the network and the loads, against plain loops."""

import numpy as np

from app.views.machine.plan import Heat, Plan
from core.network import Percs


def loaded(spec, seed=0, idle=0.0):
    """A plan and random loads on it, some of them nothing."""
    plan = Plan(spec.build())
    random = np.random.default_rng(seed)
    relative = random.random(plan.network.links)
    relative[random.random(relative.size) < idle] = 0
    return plan, Heat(plan, relative / relative.max())


def test_gathers_the_hottest_link_of_every_node_and_bundle():
    plan, heat = loaded(Percs(supernodes=5, d_links=4))
    nodes, bundles = np.zeros(plan.network.nodes), {}
    for link, load in enumerate(heat.link):
        src, dst = int(plan.network.src[link]), int(plan.network.dst[link])
        nodes[[src, dst]] = np.maximum(nodes[[src, dst]], load)
        pair = (src // 32, dst // 32)
        bundles[pair] = max(bundles.get(pair, 0), load)
    np.testing.assert_array_equal(heat.node, nodes)
    there, back = plan.hottest_ways(heat.link)
    for k, (a, b) in enumerate(zip(*plan.pairs, strict=True)):
        assert (there[k], back[k]) == (bundles[a, b], bundles[b, a])
        assert heat.pair[k] == max(bundles[a, b], bundles[b, a])
        assert plan.bundle_sizes[a, b] == 4
    assert list(zip(*plan.pairs, strict=True)) == [(a, b) for a in range(5) for b in range(a + 1, 5)]
