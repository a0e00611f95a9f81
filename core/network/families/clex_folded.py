"""CLEX networks of too many links to keep: the nodes of a clique are one node, links between two cliques one link.

All links of a level that lead from one clique to another, k of them, are one: of level 2 those of the node with the
place of the other clique, of a level above one for each place. The k (k - 1) links inside a clique are a loop. So what
is left is a CLEX network of one level less whose lowest level has loops too: 64^3, 50 million links, keeps 528,384.
With fat links a link of level 2 stands for itself alone, and those of a level above for k.
"""

from typing import TYPE_CHECKING

import numpy as np

from core.network.layouts.cliques import cliques
from core.network.layouts.ring import ring
from core.network.network import Cut, Ints, Level, Network
from core.network.wiring import Wires, wired

if TYPE_CHECKING:
    from core.network.families.clex import Clex


def folded_clex(spec: "Clex") -> Network:
    """Return the folded network; of two levels or more. Its classes are those of the network that it stands for.

    Nodes are the cliques, ``v2 + k v3 + ..``. In order of their numbers, links leave clique after clique.

    Raises SpecError: if even so there are too many links.
    """
    k, levels = spec.k, spec.levels
    count = k ** (levels - 1)
    clique = np.arange(count, dtype=np.int32)
    wires = [Wires("level 1", spec.gbs, clique, clique, one_way=True, strands=k * (k - 1))]
    wires += [_level(spec, clique, level) for level in range(2, levels + 1)]
    return wired(
        spec,
        count,
        wires,
        lambda network: ring(network) if levels == 2 else cliques(network, k, levels - 1),
        slots=spec.slots_per_node * k,
        levels=_copies(k, levels),
        cuts=tuple(Cut(cut.name, cut.nodes // k, cut.leaving) for cut in spec.cuts()),
        label=lambda node: f"(*,{','.join(str(node // k**place % k) for place in range(levels - 1))})",
        warnings=(
            f"too many links to keep each: a node here is a clique of {k:,}, a link all links of a level between two, "
            "with their mean load, as if the nodes of a clique had the same traffic",
        ),
        folded=k,
    )


def kept_links(spec: "Clex") -> int:
    """Return how many links the folded network keeps."""
    low, high = (spec.k, 1) if spec.fat_links else (spec.k, spec.k)
    each = 1 + low * (spec.levels > 1) + high * max(spec.levels - 2, 0)
    return int(spec.k ** (spec.levels - 1) * each)


def _level(spec: "Clex", clique: Ints, level: int) -> Wires:
    # Of level 2 from i to any clique v1 of the copy, of a level above as in the network of one level less.
    k, fat = spec.k, spec.fat_links
    gbs, strands = (spec.gbs * k if fat else spec.gbs), (1 if fat and level == 2 else k)
    name, any_ = f"level {level}", np.arange(k, dtype=np.int32)
    if level == 2:
        there = (clique - clique % k)[:, None] + any_
        return Wires(name, gbs, np.repeat(clique, k), there.ravel(), one_way=True, strands=strands)
    low, high = k ** (level - 3), k ** (level - 2)
    here, copy = clique // low % k, clique // high % k
    base = clique - here * low - copy * high + here * high
    if fat:
        return Wires(name, gbs, clique, base + copy * low, one_way=True, strands=strands)
    there = base[:, None] + any_ * low
    return Wires(name, gbs, np.repeat(clique, k), there.ravel(), one_way=True, strands=strands)


def _copies(k: int, levels: int) -> tuple[Level, ...]:
    clique: Ints = np.arange(k ** (levels - 1), dtype=np.int32)
    sizes = range(levels - 1, 1, -1)
    return tuple(Level(f"level {size} copy", clique // k ** (size - 1), k ** (levels - size)) for size in sizes)
