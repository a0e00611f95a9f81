"""Why there is no path between two nodes."""

from core.routing.faulty import FaultyRouter
from core.routing.router import Router


def reason_without_path(router: Router, u: int, v: int) -> str:
    """Return the reason why no path leads from node u to node v, for a pair without one."""
    component = router.network.components
    if component[u] != component[v]:
        return "in different connected components"
    return (router.reason(u, v) if isinstance(router, FaultyRouter) else "") or "no path left without failed links"
