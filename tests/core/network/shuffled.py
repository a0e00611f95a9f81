"""Networks in random order."""

from dataclasses import replace

import numpy as np

from core.network.network import LinkClass
from core.network.tree_recognition import recognise_tree


def shuffled(network, seed, without=()):
    """The network with nodes, switches and cables in random order and direction, without some cables."""
    random = np.random.default_rng(seed)
    number = np.concatenate(
        [random.permutation(network.nodes), network.nodes + random.permutation(network.vertices - network.nodes)]
    ).astype(np.int32)
    cables = random.permutation(np.delete(np.arange(network.links // 2), without))
    ends = number[np.stack([network.src[2 * cables], network.dst[2 * cables]])]
    turned = random.random(cables.size) < 0.5
    src, dst = np.where(turned, ends[::-1], ends)
    links = [np.stack(pair, axis=1).ravel() for pair in ((src, dst), (dst, src))]
    return replace(
        network,
        src=links[0],
        dst=links[1],
        classes=(LinkClass("link", 12.5, slice(0, links[0].size)),),
        find_tree=recognise_tree,
    )
