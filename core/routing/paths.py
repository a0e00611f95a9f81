"""Single paths of many flows: the links of each, in the order of hops."""

from collections.abc import Iterator

import numpy as np

from core.routing.flows import Nodes
from core.routing.path_order import Paths
from core.routing.router import Router
from core.spec import SpecError

PAIRS_AT_ONCE = 1 << 18
"""Approximate number of pairs whose paths are listed at once: some 50 MB."""

SINGLE = (
    "tables with one NIC and one LID per node (network nics=own, routing lids=first), d-mod-k on fat trees, "
    "dimension-order without rings of even size, or minimal with spread single"
)
"""The most common schemes with single paths, for messages."""


def single_paths(router: Router, src: Nodes, dst: Nodes) -> Paths:
    """Return the path of every flow; without links from a node to itself, and for disconnected flows.

    Raises SpecError: if the router splits flows (`Router.single_path`).
    """
    if not router.single_path:
        words = "splits flows over several paths; choose a scheme with a single path"
        raise SpecError("routing.type", f"{words}: {SINGLE}")
    return router.paths(src, dst)


def all_pairs(nodes: int) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield all ordered pairs of nodes, including pairs of equal nodes, some destinations at a time."""
    node, step = np.arange(nodes, dtype=np.int32), max(PAIRS_AT_ONCE // nodes, 1)
    for first in range(0, nodes, step):
        some = node[first : first + step]
        yield np.tile(node, some.size), np.repeat(some, nodes)
