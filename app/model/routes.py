"""The paths of a routing, regardless of the job: their figures, and the links that are drawn on the machine."""

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.load.flow_paths import NO_LINKS, Links
from core.load.routes.node_paths import NodePaths
from core.routing.router import Router
from core.spec import Progress, SpecError

if TYPE_CHECKING:
    from core.figures.routes import RouteFigures
    from core.routing.deadlock.deadlock import Deadlock

Figures = TypeVar("Figures")
MAX_PAIRS = 1 << 23
"""Number of pairs of nodes up to which figures are computed without being asked for: a second or two."""


class Drawn(enum.Enum):
    """The paths or links that are drawn on the machine."""

    NOTHING = "nothing"
    PATH = "path"
    """The path between two nodes."""
    CYCLE = "cycle"
    """The links that wait for each other in a deadlock."""
    UNUSED = "unused links"
    """The links that no path crosses."""


class LinkPaths(Protocol):
    """Links to draw, by share."""

    @property
    def links(self) -> Links:
        """Return the links, ascending, shape ``(n,)``."""

    @property
    def shares(self) -> NDArray[np.float64]:
        """Return the share of each link, from 0 to 1, shape ``(n,)``."""

    @property
    def best(self) -> Links:
        """Return the links that are still bold if there are too many."""


class DrawnLinks(NamedTuple):
    """Links that are all drawn alike."""

    links: Links
    shares: NDArray[np.float64]
    best: Links = NO_LINKS

    @classmethod
    def of(cls, links: Links) -> "DrawnLinks":
        """Return these links, each with the share 1."""
        return cls(links, np.ones(links.size))


@dataclass(frozen=True, eq=False)
class RouteAnalysis:
    """The figures of a router."""

    router: Router
    figures: "RouteFigures | None"
    """None if the routing splits flows."""
    unused: Links = field(default_factory=lambda: NO_LINKS)
    """The links between switches that no path crosses, ascending."""
    refused: str = ""
    """Why there are no figures, after the name of the routing; empty if there are."""
    deadlock: "Deadlock | None" = None
    """None if the scheme does not list its paths."""
    unlisted: str = ""
    """Why there is no `deadlock`; empty if there is one."""

    @cached_property
    def cycle(self) -> Links:
        """Return the links of a shortest cycle on one virtual lane, in order; empty without one."""
        return NO_LINKS if self.deadlock is None else self.deadlock.cycle.astype(np.intp)


Ends = tuple[int | None, int | None]
"""The nodes at the beginning and at the end of a path, None if not chosen."""
NO_ENDS: Ends = (None, None)


@dataclass(frozen=True, slots=True, eq=False)
class RoutesState:
    """The analysis of the routing, the path between two nodes, and which of them is drawn."""

    analysis: RouteAnalysis | None = None
    """The last one; its `router` identifies the state."""
    progress: float | None = None
    """Fraction done of the analysis."""
    ends: Ends = NO_ENDS
    paths: NodePaths | None = None
    """The last paths between `ends`; their `router` identifies the state."""
    drawn: Drawn = Drawn.NOTHING


def analyse(router: Router, progress: Progress) -> RouteAnalysis:
    """Return the figures of a router, or why there are none.

    Raises Cancelled: when `progress` does.
    """
    from core.figures.routes import Routed, route_figures
    from core.routing.deadlock.deadlock import deadlock_of

    routed = Routed(router, progress=progress)
    figures, refused = _or_reason(lambda: route_figures(routed))
    if figures is not None:
        return RouteAnalysis(router, figures, np.flatnonzero(routed.unused), deadlock=routed.deadlock)
    deadlock, unlisted = _or_reason(lambda: deadlock_of(router, progress))
    return RouteAnalysis(router, None, NO_LINKS, refused, deadlock, unlisted)


def _or_reason(compute: Callable[[], Figures]) -> tuple[Figures | None, str]:
    try:
        return compute(), ""
    except SpecError as error:
        return None, error.message
