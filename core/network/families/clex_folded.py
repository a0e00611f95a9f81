"""CLEX networks of too many links to keep: the nodes of a clique are one node, links between two cliques one link.

All links of a level that lead from one clique to another, k of them, are one: of level 2 those of the node with the
place of the other clique, of a level above one for each place. The k (k - 1) links inside a clique are a loop. So what
is left is a CLEX network of one level less whose lowest level has loops too: 64^3, 50 million links, keeps 528,384.
With fat links a link of level 2 stands for itself alone, and those of a level above for k.
"""

from collections.abc import Sequence

import numpy as np

from core.network.layouts.cliques import cliques
from core.network.layouts.ring import ring
from core.network.network import Cut, Ints, Level, Network, NetworkSpec
from core.network.wiring import EdgeList, network_from_edges


def folded_clex(
    spec: NetworkSpec, k: int, levels: int, fat: bool, gbs: float, slots: int, cuts: Sequence[Cut]
) -> Network:
    """Return the folded network; of two levels or more. Its classes are those of the network that it stands for.

    Nodes are the cliques, ``v2 + k v3 + ..``. In order of their numbers, links leave clique after clique.

    Parameters
    ----------
    gbs
        Of a link that is not fat, GB/s.
    slots
        Of a node of the network that it stands for, which has the `cuts`.

    Raises SpecError: if even so there are too many links.
    """
    count = k ** (levels - 1)
    clique = np.arange(count, dtype=np.int32)
    # From each clique to any clique v1 of its copy.
    within = np.repeat(clique, k), ((clique - clique % k)[:, None] + np.arange(k, dtype=np.int32)).ravel()
    wide = gbs * k if fat else gbs
    edges = [
        EdgeList("level 1", gbs, clique, clique, one_way=True, multiplicity=k * (k - 1)),
        EdgeList("level 2", wide, *within, one_way=True, multiplicity=1 if fat else k),
    ]
    for level in range(3, levels + 1):
        # As in the network of one level less.
        ends = links_between_copies(count, k, level - 1, fat)
        edges.append(EdgeList(f"level {level}", wide, *ends, one_way=True, multiplicity=k))
    return network_from_edges(
        spec,
        count,
        edges,
        lambda network: ring(network) if levels == 2 else cliques(network, k, levels - 1),
        slots=slots * k,
        levels=tuple(
            Level(f"level {size} copy", *copies(count, k, levels - size)) for size in range(levels - 1, 1, -1)
        ),
        cuts=tuple(Cut(cut.name, cut.nodes // k, cut.leaving) for cut in cuts),
        label=lambda node: f"(*,{','.join(str(node // k**place % k) for place in range(levels - 1))})",
        warnings=(
            f"too many links to keep each: a node here is a clique of {k:,}, a link all links of a level between two, "
            "with their mean load, as if the nodes of a clique had the same traffic",
        ),
        aggregation=k,
    )


def stored_links(k: int, levels: int, fat: bool) -> int:
    """Return how many links the folded network keeps."""
    above = 1 if fat else k
    return int(k ** (levels - 1)) * (1 + k * (levels > 1) + above * max(levels - 2, 0))


def links_between_copies(nodes: int, k: int, level: int, fat: bool) -> tuple[Ints, Ints]:
    """Return the ends of the links of a level >= 2 in a CLEX of so many nodes, in order of their numbers."""
    node = np.arange(nodes, dtype=np.int32)
    low, high = k ** (level - 2), k ** (level - 1)
    inner, copy = node // low % k, node // high % k
    # Without what it has at the two places, and with v(l-1) at place l; what is left is j at place l - 1.
    base = node - inner * low - copy * high + inner * high
    if fat:
        return node, base + copy * low
    return np.repeat(node, k), (base[:, None] + np.arange(k, dtype=np.int32) * low).ravel()


def copies(nodes: int, k: int, depth: int) -> tuple[Ints, int]:
    """Return the copy of every node when a CLEX is split into k parts `depth` times, and how many copies there are."""
    count = k**depth
    return np.arange(nodes, dtype=np.int32) // np.int32(nodes // count), count
