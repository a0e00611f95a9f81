"""Links between switches, and switches with nodes."""

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network
from core.routing.faulty import FaultyRouter
from core.routing.flows import Flags
from core.routing.router import Router


def switch_links(router: Router) -> Flags:
    """Return which links lead from one switch to another and have not failed, shape ``(links,)``.

    Where no link joins two switches, as in a torus without switch vertices, every link counts.
    """
    network = router.network
    counted = _between_switches(network) if joins_switches(network) else np.ones(network.links, np.bool_)
    return np.asarray(counted & ~router.failed) if isinstance(router, FaultyRouter) else counted


def joins_switches(network: Network) -> bool:
    """Return whether a link joins two switches."""
    return bool(_between_switches(network).any())


def leaf_switches(network: Network) -> NDArray[np.intp]:
    """Return the switches with a node, ascending; empty where no link joins two switches."""
    if not joins_switches(network):
        return np.zeros(0, np.intp)
    joined = np.unique(network.dst[network.src < network.nodes]).astype(np.intp)
    return joined[joined >= network.nodes]


def _between_switches(network: Network) -> Flags:
    return np.asarray((network.src >= network.nodes) & (network.dst >= network.nodes))
