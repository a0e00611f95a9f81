"""How evenly leaf switches spread destinations over their links to other switches."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.load.routes.path_totals import PathTotals
from core.load.routes.switch_links import leaf_switches, switch_links
from core.routing.flows import FixedPoint
from core.routing.router import Router

EVEN = 1
"""Largest spread of an evenly divided leaf switch: the destinations may not be divisible by the links."""


@dataclass(frozen=True, eq=False)
class LeafBalance:
    """Destinations of each link from a leaf switch to another switch, as OpenSM's check_lft_balance compares them."""

    leaves: NDArray[np.intp]
    """(leaves,) switches with nodes and with links to other switches."""
    spread: FixedPoint
    """(leaves,) the largest number of destinations over one of these links, minus the smallest."""


def leaf_balance(router: Router, totals: PathTotals) -> LeafBalance:
    """Return the spread of destinations at each leaf switch; failed links do not count."""
    up = np.flatnonzero(switch_links(router))
    tail, number = router.network.src[up], totals.destinations[up]
    up_ports = np.bincount(tail, minlength=router.network.vertices)
    leaves = leaf_switches(router.network)
    leaves = leaves[up_ports[leaves] > 0]
    order = np.argsort(tail, kind="stable")
    first = np.searchsorted(tail[order], leaves)
    ranges = [number[order[at : at + up_ports[leaf]]] for at, leaf in zip(first, leaves, strict=True)]
    return LeafBalance(leaves, np.array([np.ptp(some) for some in ranges], np.int64))
