"""Whether a routing can deadlock, and on how many virtual lanes it cannot."""

from dataclasses import dataclass
from typing import Annotated, TypedDict

import numpy as np

from core.figure import Figure
from core.network.network import Network
from core.routing.deadlock.dependencies import Channels, Dependencies, shortest_cycle
from core.routing.deadlock.in_use import dependencies_of
from core.routing.deadlock.lanes import pairs_by_lane
from core.routing.router import Router
from core.spec import Progress, no_progress, subprogress


class DeadlockFigures(TypedDict):
    """Deadlock freedom of a routing, as printed in JSON."""

    free: Annotated[
        bool,
        Figure(
            "Deadlock-free", "", "whether the channel dependency graph of all paths has no cycle on one virtual lane"
        ),
    ]
    cycle: Annotated[
        list[tuple[str, int | str]],
        Figure(
            "Cycle of links", "", "shortest cycle of links that wait for each other: switch and port, or tail and head"
        ),
    ]
    lanes: Annotated[int, Figure("Virtual lanes", "", "virtual lanes of each link that the routing scheme prescribes")]
    free_on_lanes: Annotated[
        bool, Figure("Deadlock-free on its lanes", "", "whether no cycle remains on the prescribed virtual lanes")
    ]
    lanes_needed: Annotated[
        int | None,
        Figure(
            "Needed virtual lanes",
            "",
            "virtual lanes on which the paths are deadlock-free, an upper bound; none if unknown",
            better="low",
        ),
    ]


@dataclass(frozen=True, eq=False)
class Deadlock:
    """Cycles of the channel dependency graph of all paths of a routing."""

    cycle: Channels
    """(hops,) the links of a shortest cycle on one virtual lane, the lowest first; empty if there is none."""
    lanes: int
    """Virtual lanes that the scheme prescribes (`Router.lanes`)."""
    free_on_lanes: bool
    """Whether there is no cycle on these lanes."""
    lanes_needed: int | None
    """Virtual lanes without a cycle, an upper bound on the fewest; None if unknown."""

    @property
    def free(self) -> bool:
        """Return whether the routing is free of deadlocks on one virtual lane."""
        return not self.cycle.size

    def figures(self, network: Network) -> DeadlockFigures:
        """Return the figures."""
        return {
            "free": self.free,
            "cycle": [place_of(link, network) for link in self.cycle.tolist()],
            "lanes": self.lanes,
            "free_on_lanes": self.free_on_lanes,
            "lanes_needed": self.lanes_needed,
        }


def deadlock_of(router: Router, progress: Progress = no_progress) -> Deadlock:
    """Return whether all paths between all pairs of nodes together are free of deadlocks.

    With cycles on the lanes of the scheme, the lanes needed by single paths are found by first fit.

    Raises SpecError: if the scheme does not list its paths. Raises Cancelled: when `progress` does.
    """
    graph = dependencies_of(router, 1, subprogress(progress, 0, 0.5))
    cycle = shortest_cycle(graph)
    rest = subprogress(progress, 0.5, 1)
    lanes, free = router.lanes, not cycle.size
    if not free and lanes > 1:
        free = not shortest_cycle(dependencies_of(router, lanes, rest)).size
    needed = 1 if not cycle.size else lanes if free else _by_first_fit(router, graph, rest)
    progress(1.0)
    return Deadlock(cycle, lanes, free, needed)


def _by_first_fit(router: Router, graph: Dependencies, progress: Progress) -> int | None:
    pairs = pairs_by_lane(router, graph, progress) if router.single_path else np.zeros(0, np.int64)
    return pairs.size or None


def place_of(link: int, network: Network) -> tuple[str, int | str]:
    """Return the tail of a link and its port there; without port numbers, both ends of the link."""
    if network.src_ports is not None:
        return network.label(int(network.src[link])), int(network.src_ports.number[link])
    return network.link_ends(link)
