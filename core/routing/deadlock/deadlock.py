"""Whether a routing can deadlock: on one virtual lane, and on the lanes that its scheme prescribes."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict

from core.figure import Figure
from core.network.network import Network
from core.routing.deadlock.dependencies import Channels, shortest_cycle
from core.routing.deadlock.in_use import dependencies_of
from core.routing.router import Router
from core.spec import Progress, no_progress, subprogress


class Channel(NamedTuple):
    """A virtual lane of a link."""

    link: int
    lane: int


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


@dataclass(frozen=True)
class Deadlock:
    """Cycles of the channel dependency graph of all paths of a routing."""

    cycle: tuple[Channel, ...]
    """A shortest cycle on one virtual lane; empty if there is none."""
    lanes: int
    """Virtual lanes that the scheme prescribes (`Router.lanes`)."""
    lane_cycle: tuple[Channel, ...]
    """A shortest cycle on these lanes; empty if there is none."""

    @property
    def free(self) -> bool:
        """Return whether the routing is free of deadlocks on one virtual lane."""
        return not self.cycle

    @property
    def free_on_lanes(self) -> bool:
        """Return whether the routing is free of deadlocks on the prescribed lanes."""
        return not self.lane_cycle

    def figures(self, network: Network) -> DeadlockFigures:
        """Return the figures."""
        return {
            "free": self.free,
            "cycle": [place_of(channel.link, network) for channel in self.cycle],
            "lanes": self.lanes,
            "free_on_lanes": self.free_on_lanes,
        }


def deadlock_of(router: Router, progress: Progress = no_progress) -> Deadlock:
    """Return whether all paths of a routing between all pairs of nodes together are free of deadlocks.

    Raises SpecError: if the scheme does not list its paths. Raises Cancelled: when `progress` does.
    """
    lanes = router.lanes
    cycle = _cycle_of(router, 1, subprogress(progress, 0, 0.5 if lanes > 1 else 1))
    if not cycle or lanes == 1:
        return Deadlock(cycle, lanes, cycle)
    return Deadlock(cycle, lanes, _cycle_of(router, lanes, subprogress(progress, 0.5, 1)))


def _cycle_of(router: Router, lanes: int, progress: Progress) -> tuple[Channel, ...]:
    cycle: Channels = shortest_cycle(dependencies_of(router, lanes, progress))
    return tuple(Channel(*divmod(channel, lanes)) for channel in cycle.tolist())


def place_of(link: int, network: Network) -> tuple[str, int | str]:
    """Return the tail of a link and its port there; without port numbers, both ends of the link."""
    if network.src_ports is not None:
        return network.label(int(network.src[link])), int(network.src_ports.number[link])
    return network.link_ends(link)
