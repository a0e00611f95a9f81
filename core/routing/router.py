"""Which way data goes: a router spreads the flows of a network's nodes over its links.

Loads are linear in the flows, except under schemes that look at all flows of a phase before they fix the ways
(`Router.plans`); what they then plan is linear again. `Router.loads` is fast and vectorised; `Router.route` lists
the links of one pair, obvious and slow; `Router.crossing` answers the inspector's question, what share of many flows
one link carries; `Router.trace` takes few flows to links in whole numbers. All four agree.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.network.network import Network, NetworkSpec
from core.routing.flows import FixedPoint, NodeFlows, Nodes, Traced, Volumes
from core.routing.route_tables import RouteTables, all_squares
from core.spec import Progress, Spec, SpecError, no_progress

MAX_SHARE_SCALE = 1 << 44
"""Shares that no whole number divides are known to such a part."""
TABLES_FROM = 4
"""Nodes for each of so many pairs at most where it is worth while to make tables of all routes."""
Family = TypeVar("Family", bound=NetworkSpec)


@dataclass(frozen=True, eq=False)
class Route:
    """Where a unit from one node to another goes: links, the share on each, and the role of the hop."""

    links: NDArray[np.int64]
    """A link may appear more than once."""
    shares: Volumes
    roles: NDArray[np.int64]
    """Index into `Router.roles`."""

    @classmethod
    def of(cls, links: ArrayLike, shares: ArrayLike, roles: ArrayLike) -> "Route":
        """Return the route of hops, given in any form of array."""
        return cls(np.array(links, np.int64), np.array(shares, np.float64), np.array(roles, np.int64))


class LinkSet(NamedTuple):
    """Some links of one class."""

    link_class: str
    links: int
    """How many."""


class Partition(NamedTuple):
    """Groups of nodes, and what a unit between two of them puts, in all, on some sets of links, at least."""

    name: str
    """What a group is called."""
    nodes: int
    """Nodes in a group; all groups have the same."""
    groups: int
    least: dict[str, float]
    """By name of `Router.link_sets`; of sets not named nothing is known."""
    gates: LinkSet | None = None
    """All that goes from one group to another crosses these links, and nothing else does; None: nothing is known."""


class PlanNote(NamedTuple):
    """What a plan has to say of itself."""

    words: str
    """In half a line."""
    figures: dict[str, float]


class Router(ABC):
    """A routing scheme on one network."""

    plans: ClassVar[bool] = False
    """Whether the ways of a flow depend on all flows of its phase: then only what `planned` returns is linear."""
    traceable: ClassVar[bool] = True
    """Whether it can be followed what single flows put on links, which `trace` and `core.load.live` do."""
    depends_on_sums: ClassVar[bool] = False
    """Whether loads depend on nothing but what every node sends to others, and receives from others, in all."""
    shift_invariant: ClassVar[bool] = False
    """Whether flows that are shifted load links that are shifted as they are: no numbers of nodes decide about ways.

    Known where `Network.alike` is.
    """
    note: PlanNote | None = None
    """What a plan has to say of itself; None: nothing, or it is no plan."""
    read_share: float = 1.0
    """About what part of the work in `loads` is done when all flows are read, unless they are very many."""
    roles: tuple[str, ...]
    """What a hop can be, for the inspector: first L-hop, D-hop ..."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> "Router":
        """Return the router with the ways that it fixes for these flows, those of one phase; most need no plan.

        Parameters
        ----------
        gbs
            ``(links,)`` bandwidth of every link, GB/s; 0 if it has failed.

        Raises SpecError: if so many flows cannot be planned. Raises Cancelled: when `progress` does.
        """
        return self

    def read_share_of(self, flows: int) -> float:
        """Return about what part of the work in `loads` is done when so many flows are read."""
        return self.read_share

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the vertex through which all reach and leave each node, shape ``(nodes,)``; itself if there is none.

        Then `loads` takes flows between such vertices too. None: it takes them between nodes alone.
        """
        return None

    @abstractmethod
    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the load of every link, shape ``(links,)``, in units of the flows' volume.

        `progress` hears of the work that is left once all flows are read; it may raise Cancelled.
        """

    @abstractmethod
    def route(self, u: int, v: int) -> Route:
        """Return the links that one unit from node u to node v uses."""

    @abstractmethod
    def crossing(self, link: int, src: Nodes, dst: Nodes) -> NDArray[np.float64]:
        """Return the share of each flow that crosses `link` in each role, shape ``(roles, flows)``."""

    def prepare_traces(self) -> None:  # noqa: B027 - most have nothing to find
        """Find now what `trace` would look for, so that a first edit does not wait for it."""

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return what flows put on links, in whole numbers, for `core.load.live`.

        Volumes are multiples of `parts`. What a flow and its negative put on a link cancels without remainder,
        in whatever company they come: shares that are not whole are rounded for each flow by itself.
        """
        pairs = zip(src.tolist(), dst.tolist(), volume.tolist(), strict=True)
        routes = ((self.route(u, v), whole) for u, v, whole in pairs)
        return Traced.joined(
            Traced(route.links.astype(np.int32), np.rint(route.shares * whole).astype(np.int64))
            for route, whole in routes
        )

    def updates(self, flows: int) -> int:
        """Return about how many entries `trace` makes of that many flows."""
        return flows * max(self.route(0, self.network.nodes - 1).links.size, 1)

    def route_tables(self) -> RouteTables | None:
        """Return the routes of all pairs as a few tables, for `core.optimise`; None: they do not come in such.

        Shares are in parts of `parts`.
        """
        return None

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return how many links a unit crosses from each node to each, shape of `src`: parts count as such."""
        return np.array([self.route(u, v).shares.sum() for u, v in zip(src.tolist(), dst.tolist(), strict=True)], float)

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the sum over links of the squares of a unit's shares there, shape of `src`; unsplit, its hops.

        That is what is no pair of two messages in the square of how many cross a link.
        """
        tables = self._tables if TABLES_FROM * src.size > self.network.nodes else None
        if tables is not None:
            return all_squares(tables, src, dst, self.network.links)
        return np.array([self._squared(*pair) for pair in zip(src.tolist(), dst.tolist(), strict=True)], float)

    @cached_property
    def _tables(self) -> RouteTables | None:
        return self.route_tables()

    def _squared(self, u: int, v: int) -> float:
        parts = self.parts or 1
        whole = parts * max(MAX_SHARE_SCALE // parts, 1)
        if u == v:
            return 0.0
        links, volume = self.trace(np.array([u], np.int32), np.array([v], np.int32), np.array([whole]))
        _, place = np.unique(links, return_inverse=True)
        shares = np.bincount(place, volume / whole)
        return float(shares @ shares)

    @property
    def parts(self) -> int | None:
        """Return the number of which volumes given to `trace` are multiples; None: any volumes will do."""
        quanta = self._share_quanta()
        return lcm(*(quantum.denominator for quantum in quanta)) if quanta is not None else None

    @property
    def splits_exactly(self) -> bool:
        """Return whether `trace` rounds nothing, given multiples of `parts`."""
        return self._share_quanta() is not None

    def _share_quanta(self) -> list[Fraction] | None:
        quanta = [self.share_quantum(c.name) for c in self.network.classes]
        known = [quantum for quantum in quanta if quantum is not None]
        return known if len(known) == len(quanta) else None

    def link_sets(self) -> dict[str, LinkSet]:
        """Return the sets of links that `partitions` speaks of: the classes, and parts of classes."""
        return {c.name: LinkSet(c.name, c.real) for c in self.network.classes}

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return chains of ever finer partitions, for `core.load.bounds`.

        In a chain, `Partition.least` is said of two nodes in one group of the partition before, if there is
        one, and in two groups of this one.
        """
        return ()

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the least hops of a unit from any node to its j-th nearest other node, ascending; None: unknown."""
        return None

    def share_quantum(self, name: str) -> Fraction | None:
        """Return a number of which every share on that class's links is a whole multiple, if one is known."""
        return None


class RoutingSpec(Spec, frozen=True):
    """A routing scheme. `router` binds it to a network."""

    @abstractmethod
    def router(self, network: Network) -> Router:
        """Return the scheme bound to a network.

        Raises SpecError: if the scheme does not route this network.
        """

    @abstractmethod
    def check(self, network: Network) -> NetworkSpec:
        """Return the network's spec, if the scheme routes the network; quick, unlike `router`, on large networks.

        Raises SpecError: saying which networks it routes.
        """

    def of_family(self, network: Network, family: type[Family], names: str) -> Family:
        """Return the network's spec, for schemes that route one family, called `names`.

        Raises SpecError: on other networks.
        """
        if isinstance(network.spec, family):
            return network.spec
        refused = f"{self.tag()} routes {names} networks only, not {network.spec.tag()}; minimal routes any"
        raise SpecError("routing.type", refused)

    @abstractmethod
    def summary(self) -> str:
        """Return one short line for the form."""
