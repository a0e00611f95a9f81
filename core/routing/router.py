"""Base of routers: a router spreads the flows of a network's nodes over its links.

Loads are linear in the flows, except under planning schemes (`Router.plans`), whose plans are linear again.
`Router.loads` is fast and vectorised; `Router.route` lists the links of one pair, simple and slow; `Router.crossing`
returns the share of many flows on one link; `Router.trace` returns the links of few flows in fixed point. All four
agree.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.network.linked_groups import LinkedGroups
from core.network.network import Network, NetworkSpec
from core.routing.flows import FixedPoint, Ints, NodeFlows, Nodes, Traced, Volumes
from core.routing.path_order import Paths, in_order
from core.routing.route_tables import RouteTables, all_squares
from core.spec import Progress, Spec, SpecError, no_progress

MAX_SHARE_SCALE = 1 << 44
"""Fixed-point scale of shares without a common denominator."""
TABLES_FROM = 4
"""Pairs per node from which tables of all routes are worthwhile."""
Family = TypeVar("Family", bound=NetworkSpec)


@dataclass(frozen=True, eq=False)
class Route:
    """The route of a unit between two nodes: links, the share on each, and the role of the hop."""

    links: NDArray[np.int64]
    """Links may be repeated."""
    shares: Volumes
    roles: NDArray[np.int64]
    """Index into `Router.roles`."""
    path: NDArray[np.int64] | None = None
    """The number of the path that each entry is on, if the route lists its paths one by one, in order of their hops."""

    @classmethod
    def of(cls, links: ArrayLike, shares: ArrayLike, roles: ArrayLike) -> "Route":
        """Return the route with these hops, given as any array-likes."""
        return cls(np.array(links, np.int64), np.array(shares, np.float64), np.array(roles, np.int64))


class LinkSet(NamedTuple):
    """Some links of one class."""

    link_class: str
    links: int
    """Number of links."""


class Partition(NamedTuple):
    """Equal groups of nodes, and the minimum load of a unit between two of them, summed over sets of links."""

    name: str
    """Name of a group."""
    nodes: int
    """Nodes in a group."""
    groups: int
    least: dict[str, float]
    """By name of `Router.link_sets`; unknown for missing sets."""
    gates: LinkSet | None = None
    """The links that all traffic between groups crosses, and no other traffic, or None if unknown."""


class PlanNote(NamedTuple):
    """Remark on a plan."""

    words: str
    """Half a line of text."""
    figures: dict[str, float]


class Router(ABC):
    """A routing scheme on one network."""

    plans: ClassVar[bool] = False
    """Whether the paths of a flow depend on all flows of its phase; then only routers from `planned` are linear."""
    traceable: ClassVar[bool] = True
    """Whether single flows can be traced (`trace`, `core.load.live`)."""
    depends_on_sums: ClassVar[bool] = False
    """Whether loads depend only on the totals that every node sends and receives."""
    shift_invariant: ClassVar[bool] = False
    """Whether shifted flows give shifted loads, for shifts as in `Network.alike`: paths do not depend on numbers."""
    note: PlanNote | None = None
    """Remark on the plan, or None if there is none, or the router is not a plan."""
    memoryless: bool = False
    """Whether flows to a node divide at every vertex in the same ratios, no matter over which link they came."""
    read_share: float = 1.0
    """Approximate fraction of the work of `loads` done when all flows are read, unless they are very many."""
    source: str = ""
    """Format of the file that it was read from; empty for other schemes."""
    contents: tuple[str, ...] = ()
    """The contents of its file, in words."""
    warnings: tuple[str, ...] = ()
    """Warnings on parts of its file."""
    lane_of_role: tuple[int, ...] = ()
    """Virtual lane of the hops in each role, for schemes that are deadlock-free with these; empty: see `lane_of`."""
    roles: tuple[str, ...]
    """Names of the roles of hops, for the causes of a load: first L-hop, D-hop ..."""

    def __init__(self, network: Network) -> None:
        self.network = network

    @property
    def complete(self) -> bool:
        """Return whether there is a path between any two nodes of a connected network without failed links."""
        return True

    @property
    def linked_groups(self) -> LinkedGroups | None:
        """Return the groups of the network if paths use only direct links in groups and between groups; else None."""
        return None

    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> "Router":
        """Return the router planned for these flows of a phase; most schemes return themselves.

        Parameters
        ----------
        gbs
            ``(links,)`` bandwidth of every link, GB/s; 0 if it has failed.

        Raises SpecError: if there are too many flows to plan. Raises Cancelled: when `progress` does.
        """
        return self

    def read_share_of(self, flows: int) -> float:
        """Return the approximate fraction of the work of `loads` done when `flows` flows are read."""
        return self.read_share

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the vertex that all traffic of each node passes, ``(nodes,)``, which may be the node itself.

        `loads` then also takes flows between such vertices. None if flows are between nodes only.
        """
        return None

    @abstractmethod
    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the load of every link, shape ``(links,)``, in units of the flows' volume.

        `progress` is called with the work done after all flows are read; it may raise Cancelled.
        """

    @abstractmethod
    def route(self, u: int, v: int) -> Route:
        """Return the links that one unit from node u to node v uses."""

    @abstractmethod
    def crossing(self, link: int, src: Nodes, dst: Nodes) -> NDArray[np.float64]:
        """Return the share of each flow that crosses `link` in each role, shape ``(roles, flows)``."""

    def prepare_traces(self) -> None:  # noqa: B027 - most have nothing to find
        """Precompute the data for `trace`, so that a first edit does not wait for it."""

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the loads of flows in fixed point, for `core.load.live`.

        Volumes are multiples of `parts`. The loads of a flow and of its negative cancel exactly, regardless of other
        flows traced with them: non-integer shares are rounded for each flow separately.
        """
        pairs = zip(src.tolist(), dst.tolist(), volume.tolist(), strict=True)
        routes = ((self.route(u, v), scaled) for u, v, scaled in pairs)
        return Traced.joined(
            Traced(route.links.astype(np.int32), np.rint(route.shares * scaled).astype(np.int64))
            for route, scaled in routes
        )

    @property
    def single_path(self) -> bool:
        """Return whether every flow has at most one path, which carries all of its volume."""
        return self.traceable and not self.plans and self.parts == 1

    def paths(self, src: Nodes, dst: Nodes) -> Paths:
        """Return the path of every flow, for schemes with `single_path`; see `core.routing.path_order`.

        Raises ValueError: if a flow is split.
        """
        return in_order(self.trace(src, dst, np.arange(1, src.size + 1)), src, dst, self.network)

    @property
    def lanes(self) -> int:
        """Return the number of virtual lanes with which the scheme was published; 1 if it names none."""
        return max(self.lane_of_role, default=0) + 1

    def lane_of(self, link: Ints, role: Ints, dst: Ints) -> Ints:
        """Return the virtual lane, 0 to ``lanes - 1``, of hops over links in some roles of flows to nodes `dst`."""
        return np.array(self.lane_of_role or (0,) * len(self.roles))[role]

    def updates(self, flows: int) -> int:
        """Return the approximate number of entries that `trace` makes for `flows` flows."""
        return flows * max(self.route(0, self.network.nodes - 1).links.size, 1)

    def route_tables(self) -> RouteTables | None:
        """Return the routes of all pairs as tables, for `core.optimise`, or None if impossible or too large.

        Shares are multiples of 1 / `parts`.
        """
        return None

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the number of links that a unit crosses for each pair of nodes, shape of `src`, weighted by shares."""
        return np.array([self.route(u, v).shares.sum() for u, v in zip(src.tolist(), dst.tolist(), strict=True)], float)

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the sum over links of the squared shares of a unit, shape of `src`; without splits, its hops.

        In the square of the number of messages on a link, this is the contribution of each message with itself.
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
        scaled = parts * max(MAX_SHARE_SCALE // parts, 1)
        if u == v:
            return 0.0
        links, volume = self.trace(np.array([u], np.int32), np.array([v], np.int32), np.array([scaled]))
        _, place = np.unique(links, return_inverse=True)
        shares = np.bincount(place, volume / scaled)
        return float(shares @ shares)

    @property
    def parts(self) -> int | None:
        """Return the number that must divide volumes for `trace`, or None if any volumes will do."""
        quanta = self._share_quanta()
        return lcm(*(quantum.denominator for quantum in quanta)) if quanta is not None else None

    @property
    def splits_exactly(self) -> bool:
        """Return whether `trace` rounds nothing, given multiples of `parts`."""
        return self._share_quanta() is not None

    def _share_quanta(self) -> list[Fraction] | None:
        quanta = [self.share_quantum(c.name) for c in self.network.classes]
        defined = [quantum for quantum in quanta if quantum is not None]
        return defined if len(defined) == len(quanta) else None

    def link_sets(self) -> dict[str, LinkSet]:
        """Return the sets of links that `partitions` refers to: the classes, and parts of classes."""
        return {c.name: LinkSet(c.name, c.real) for c in self.network.classes}

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return chains of ever finer partitions, for `core.load.bounds`.

        In a chain, `Partition.least` holds for two nodes in one group of the previous partition, if there is one, and
        in different groups of this one.
        """
        return ()

    def nearest(self) -> NDArray[np.int64] | None:
        """Return lower bounds on the hops from any node to its j-th nearest other node, ascending; None if unknown."""
        return None

    def share_quantum(self, name: str) -> Fraction | None:
        """Return a number that divides every share on the class's links, if known."""
        return None


class RoutingSpec(Spec, frozen=True):
    """A routing scheme. `router` binds it to a network."""

    @abstractmethod
    def router(self, network: Network) -> Router:
        """Return the scheme bound to a network.

        Raises SpecError: if the scheme does not route this network.
        """

    def build(self, network: Network, folder: Path | None) -> Router:
        """Return the scheme bound to a network; files that it names are in `folder`.

        Raises SpecError: if the scheme does not route this network, or its file is invalid.
        """
        return self.router(network)

    @abstractmethod
    def check(self, network: Network) -> NetworkSpec:
        """Return the network's spec, if the scheme routes the network; unlike `router`, fast on large networks.

        Raises SpecError: listing the networks it routes.
        """

    def of_family(self, network: Network, family: type[Family], names: str) -> Family:
        """Return the network's spec, for schemes that route one family; `names` lists its members.

        Raises SpecError: on other networks.
        """
        if isinstance(network.spec, family):
            self.refuse_cables(network)
            return network.spec
        supported = f"{self.tag()} supports {names} networks only"
        raise SpecError("routing.type", f"{supported}, not {network.spec.tag()}; choose minimal")

    def refuse_cables(self, network: Network) -> None:
        """Refuse networks with added cables, for schemes whose paths cannot use these.

        Raises SpecError: if cables were added.
        """
        if network.plain is not None:
            words = "cannot use added cables; choose minimal with equal shares, or remove the cables"
            raise SpecError("routing.type", f"{self.tag()} {words}")

    def alternative(self) -> "RoutingSpec | None":
        """Return the most similar scheme, for networks that this one does not support, or None."""
        return None

    @abstractmethod
    def summary(self) -> str:
        """Return one short line for the form."""
