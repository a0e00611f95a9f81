"""Links of a PERCS machine by their ends, in kernels or, by `core.kernels.plain`, for arrays of ends."""

from typing import Any, NamedTuple

import numpy as np

from core.kernels import inlined
from core.network.families.percs import Percs, local_links
from core.routing.flows import FixedPoint


class PercsWiring(NamedTuple):
    """Parameters of the machine and of the scheme, for kernels."""

    ns: int
    """Supernodes."""
    size: int
    """Nodes of a supernode, n."""
    mates: int
    """Nodes of a drawer."""
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
    """(n * n,) the link from node u to v of supernode 0 at n u + v; -1 if u = v."""
    l_step: FixedPoint
    """(n * n,) increment of the link's number per supernode; 0 if u = v."""
    d_first: int
    """The first D-link."""


def wiring_of(spec: Percs, striped: bool, indirect: bool, middle: bool) -> PercsWiring:
    """Return the wiring of a machine under a scheme."""
    ns, size, mates, w = spec.supernodes, spec.nodes_per_supernode, spec.nodes_per_drawer, spec.bucket
    first, step, d_first = np.full(size * size, -1), np.zeros(size * size, np.int64), 0
    # LL comes before LR, and LR before D; a drawer of one node has no LL, a supernode of one drawer no LR.
    for flat in local_links(spec):
        first[flat], step[flat] = d_first + np.arange(flat.size), flat.size
        d_first += ns * flat.size
    served = np.bincount(np.arange(ns) % w, minlength=w)
    return PercsWiring(ns, size, mates, spec.d_links, w, striped, indirect, middle, served, first, step, d_first)


@inlined
def l_link(a: Any, u: Any, v: Any, wiring: PercsWiring) -> Any:
    """Return the L-link from node u to node v of supernode a; -1 if u = v."""
    place = u * wiring.size + v
    return wiring.l_first[place] + a * wiring.l_step[place]


@inlined
def d_link(a: Any, b: Any, j: Any, wiring: PercsWiring) -> Any:
    """Return the D-link of bucket j from supernode a to supernode b; -1 if a = b."""
    link = wiring.d_first + (a * (wiring.ns - 1) + b - (b > a)) * wiring.nd + j
    return (a != b) * (link + 1) - 1
