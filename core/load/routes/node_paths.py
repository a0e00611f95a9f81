"""The paths from one node to another, whether or not a flow uses them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.load.flow_paths import NO_LINKS, Links, tell_apart
from core.load.routes.missing_path import reason_without_path
from core.routing.router import Router
from core.spec import Progress, no_progress

PLANNED = "paths are planned for the flows of the job; select a flow instead"


@dataclass(frozen=True, eq=False)
class NodePaths:
    """How a unit from one node to another is divided over links."""

    router: Router
    source: int
    destination: int
    links: Links
    """(n,) the links that it crosses, ascending; empty without a path."""
    shares: NDArray[np.float64]
    """(n,) fraction of the unit on each of them."""
    best: Links
    """(hops,) the links of the path with the largest share, in order; empty if paths cannot be distinguished."""
    best_share: float
    """Fraction of the unit on that path."""
    count: int | None
    """Number of paths; None if they cannot be distinguished."""
    reason: str = ""
    """Why there is no path; empty if there is one, and from a node to itself."""

    @property
    def hops(self) -> float:
        """Return the number of links that a unit crosses, on average over the paths."""
        return float(self.shares.sum())


def node_paths(router: Router, source: int, destination: int, progress: Progress = no_progress) -> NodePaths:
    """Return the paths from one node to another."""
    if router.plans:
        return NodePaths(router, source, destination, NO_LINKS, np.zeros(0), NO_LINKS, 0.0, 0, PLANNED)
    route = router.route(source, destination)
    links, place = np.unique(route.links, return_inverse=True)
    shares = np.asarray(np.bincount(place, route.shares, links.size), np.float64)
    links = links.astype(np.intp)
    best = tell_apart(router.network, source, destination, links, shares, [router], [route])
    lost = not links.size and source != destination
    reason = reason_without_path(router, source, destination) if lost else ""
    return NodePaths(router, source, destination, links, shares, *best, reason)
