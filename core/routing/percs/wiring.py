"""Links of a PERCS machine by their ends: for kernels and, with `core.kernels.plain`, for whole arrays of ends."""

from typing import Any, NamedTuple

import numpy as np

from core.kernels import inlined
from core.network.families.percs import SUPERNODE, Percs, local_links
from core.network.network import Network
from core.routing.flows import FixedPoint


class Wiring(NamedTuple):
    """What kernels need to know of the machine and of the scheme."""

    ns: int
    """Supernodes."""
    nd: int
    """D-links between two supernodes."""
    w: int
    """Nodes in a bucket."""
    striped: bool
    indirect: bool
    middle: bool
    """Whether the middle L-hop of indirect routing counts."""
    served: FixedPoint
    """(w,) supernodes that each gate of a bucket leads to."""
    l_first: FixedPoint
    """(32 * 32,) the link from node u to v of supernode 0 at 32 u + v; -1 where u = v."""
    l_step: FixedPoint
    """(32 * 32,) how much higher the same link of the next supernode is numbered; 0 where u = v."""
    d_first: int
    """The first D-link."""


def wiring_of(network: Network, spec: Percs, striped: bool, indirect: bool, middle: bool) -> Wiring:
    """Return the wiring of a machine under a scheme."""
    first, step = np.full(SUPERNODE * SUPERNODE, -1), np.zeros(SUPERNODE * SUPERNODE, np.int64)
    for name, flat in zip(("LL", "LR"), local_links(), strict=True):
        first[flat] = network.link_class(name).links.start + np.arange(flat.size)
        step[flat] = flat.size
    ns, w = spec.supernodes, spec.bucket
    served = np.bincount(np.arange(ns) % w, minlength=w)
    d_first = int(network.link_class("LR").links.stop)
    return Wiring(ns, spec.d_links, w, striped, indirect, middle, served, first, step, d_first)


@inlined
def l_link(a: Any, u: Any, v: Any, wiring: Wiring) -> Any:
    """Return the L-link from node u to node v of supernode a; -1 where u = v."""
    place = u * SUPERNODE + v
    return wiring.l_first[place] + a * wiring.l_step[place]


@inlined
def d_link(a: Any, b: Any, j: Any, wiring: Wiring) -> Any:
    """Return the D-link of bucket j from supernode a to supernode b; -1 where a = b."""
    link = wiring.d_first + (a * (wiring.ns - 1) + b - (b > a)) * wiring.nd + j
    return (a != b) * (link + 1) - 1
