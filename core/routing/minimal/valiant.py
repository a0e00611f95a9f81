"""Valiant's routing on any network, as a fluid: every flow goes over a random intermediate.

A random node is drawn, source and destination included. In direct networks the flow goes over that node (directly, if
it is its source or destination). If nodes are attached to switches, it goes over the node's switch, not through the
node: so a unit crosses the links from its source and to its destination once, as under any other routing, and a switch
is the intermediate in proportion to its nodes. If a node has several switches, each of its links to them has the same
probability.

On both halves all shortest paths carry the same volume (`scheme.py`). So the load of a link depends on the total that
every node sends and receives, not on the pairs.

Source: Valiant, "A scheme for fast parallel communication", 1982, where nodes are switches; over a random router in
indirect networks: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", 2008.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Adjacency
from core.network.network import Network, NetworkSpec
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.group_minimal.legs import Legs, has_group_legs
from core.routing.group_minimal.valiant import GroupLegsRouter
from core.routing.group_minimal.valiant_groups import GroupLegsThroughGroups
from core.routing.hop_list import HopListRouter
from core.routing.minimal.demand import portions, too_many_paths
from core.routing.minimal.kernel import IncidentLinks, PathScratch, path_scratch, room_for
from core.routing.minimal.scheme import Ends, EqualRouter, GeneralRouting
from core.routing.minimal.trunk import Entering
from core.routing.minimal.turns import ROLES, parts_of, turning
from core.routing.minimal.valiant_groups import GroupValiantRouter
from core.routing.minimal.valiant_kernel import carry_uniform, mean_distances, shares_on
from core.routing.route_tables import MAX_ENTRIES, RouteTables, Rows, tables_by_ends
from core.routing.router import Router
from core.spec import Progress, SpecError, declare, no_progress, subprogress

SAMPLES = 4
"""Nodes from which the number of links loaded by a flow is estimated."""


class Valiant(GeneralRouting, frozen=True, tag="valiant"):
    """Valiant: minimal paths, in equal shares, to a random node, switch or group and from there to the destination.

    On networks with a link between every two groups, such as dragonflies, both legs are group-minimal unless `legs` is
    shortest.
    """

    title: ClassVar[str] = "Valiant"

    through: Annotated[
        Literal["node", "group"],
        declare("Intermediate", "node (a random node or its switch) or group (the entry point of a random group)"),
    ] = "node"
    legs: Legs = "automatic"

    def check(self, network: Network) -> NetworkSpec:
        """Return the network's spec; refuse networks without groups if the intermediate is a group."""
        spec = super().check(network)
        if self.through == "group" and not network.levels:
            raise SpecError("routing.through", f"{spec.tag()} has no groups; choose node")
        has_group_legs(self.legs, network)
        return spec

    def router(self, network: Network) -> Router:
        """Return the router."""
        self.check(network)
        if has_group_legs(self.legs, network):
            return GroupLegsRouter(network) if self.through == "node" else GroupLegsThroughGroups(network)
        return ValiantRouter(network) if self.through == "node" else GroupValiantRouter(network)

    def summary(self) -> str:
        """Return the two halves in words."""
        where = "a random node or its switch" if self.through == "node" else "a random group"
        paths = "minimal paths" if self.legs == "automatic" else f"{self.legs} paths"
        return f"over {where}, equal shares on all {paths} of both legs"


class Sweeps(NamedTuple):
    """Volumes to carry, by vertex of the network or of its trunk."""

    sent: Volumes
    received: Volumes
    weight: Volumes
    """Probability of each vertex as intermediate."""
    islands: Nodes
    incident: IncidentLinks


class ValiantRouter(HopListRouter):
    """Carries each flow in two sweeps: from its source to all intermediates, and from these to its destination.

    So a search uses tables of the loads of each node's sent and received volume (`route_tables`): a move reads four
    rows, regardless of the number of flows, and none if the totals of the nodes stay the same.

    With failed links the intermediate is in the same part of the remaining network; see `islands`.
    """

    roles, depends_on_sums, shift_invariant = ROLES, True, True

    def __init__(self, network: Network, failed: Flags | None = None, islands: Nodes | None = None) -> None:
        super().__init__(network)
        self.minimal = EqualRouter(network, failed)
        self.islands = parts_of(network) if islands is None else islands
        """(vertices,) island of each vertex: vertices of an island reach each other, and no flow leaves it."""
        self._weight = turning(network, self.islands, failed)
        self._last: tuple[int, Ends, Volumes] | None = None
        self._loaded: tuple[Volumes, Volumes, Volumes] | None = None
        """Last totals sent and received by vertices, and their loads."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; `progress` is called after some nodes or switches.

        Raises SpecError: if there are more shortest paths between two nodes than can be counted.
        """
        vertices = self.network.vertices
        sent, received = np.zeros(vertices), np.zeros(vertices)
        for block in flows:
            goes = self._goes(block.src, block.dst)
            sent += np.bincount(block.src[goes], block.volume[goes], vertices)
            received += np.bincount(block.dst[goes], block.volume[goes], vertices)
        last = self._loaded
        if last is None or not (np.array_equal(last[0], sent) and np.array_equal(last[1], received)):
            last = sent, received, self._carried(sent, received, progress)
            self._loaded = last
        return last[2].copy()

    def _carried(self, sent: Volumes, received: Volumes, progress: Progress) -> Volumes:
        network, loads = self.network, np.zeros(self.network.links)
        in_links, room = self.minimal.incident.in_links, path_scratch(network)
        if network.alike is not None and self.minimal.failed is None and not (np.ptp(sent) or np.ptp(received)):
            # One intermediate is enough; for the others loads are shifted.
            self._carry(np.zeros(1, np.int32), sent, received, in_links, room, loads)
            return network.shifted(loads)
        # Nodes on single cables are not intermediates, and their cables' loads are known.
        trunk = self.minimal.trunk
        if trunk is not None and not self._weight[trunk.number < 0].any():
            entering = Entering(trunk)
            entering.note(sent, received)
            inside = np.flatnonzero(trunk.number >= 0)
            entry = trunk.number[trunk.at]
            begin, end = (np.bincount(entry, totals, inside.size).astype(float) for totals in (sent, received))
            self._sweep(Sweeps(begin, end, self._weight[inside], self.islands[inside], trunk.incident), loads, progress)
            entering.load(loads)
        else:
            self._sweep(Sweeps(sent, received, self._weight, self.islands, self.minimal.incident), loads, progress)
        return loads

    def _sweep(self, of: "Sweeps", loads: Volumes, progress: Progress) -> None:
        places = np.flatnonzero(of.weight).astype(np.int32)
        # Sent volume goes to all intermediates. Received volume comes from there; if these are all nodes, in the same
        # sweeps, node by node, else in reverse, as intermediates are fewer than nodes.
        vertices = of.weight.size
        direct, none = places.size == self.network.nodes == vertices, np.zeros(vertices)
        room = room_for(vertices, of.incident.in_links.link.size)
        sweeps = [(of.sent, of.received if direct else none, of.incident.in_links)]
        if not direct:
            sweeps.append((of.received, none, of.incident.out_links))
        for k, (begin, end, adjacency) in enumerate(sweeps):
            for first, last in portions(self.network, subprogress(progress, k, k + 1, len(sweeps)), places.size):
                if not carry_uniform(places[first:last], begin, end, of.weight, of.islands, adjacency, room, loads):
                    raise too_many_paths()

    def _carry(
        self, places: Nodes, sent: Volumes, received: Volumes, adjacency: Adjacency, room: PathScratch, loads: Volumes
    ) -> None:
        if not carry_uniform(places, sent, received, self._weight, self.islands, adjacency, room, loads):
            raise too_many_paths()

    @property
    def _adjacency(self) -> tuple[Adjacency, Adjacency]:
        # By role: for searches from the source, and from the destination.
        return self.minimal.incident.out_links, self.minimal.incident.in_links

    def _swept(self, node: int, adjacency: Adjacency) -> tuple[Nodes, Volumes]:
        """Return the links, and loads, of a unit between a node and the intermediates of its part."""
        vertices, loads = self.network.vertices, np.zeros(self.network.links)
        none, every, room = np.zeros(vertices), np.ones(vertices), path_scratch(self.network)
        self._carry(np.array([node], np.int32), none, every, adjacency, room, loads)
        used = np.flatnonzero(loads).astype(np.int32)
        return used, loads[used]

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows; as many as there are intermediates. Roles: to and from the intermediate."""
        swept: dict[tuple[int, int], tuple[Nodes, Volumes]] = {}
        hops = []
        for i in np.flatnonzero(self._goes(src, dst)).tolist():
            for role, node in enumerate((int(src[i]), int(dst[i]))):
                if (role, node) not in swept:
                    swept[role, node] = self._swept(node, self._adjacency[role])
                links, shares = swept[role, node]
                hops.append(Hops(np.full(links.size, i, np.int32), links, shares, np.full(links.size, role, np.int8)))
        return Hops.joined(hops)

    def _goes(self, src: Nodes, dst: Nodes) -> Flags:
        return np.asarray((src != dst) & (self.islands[src] == self.islands[dst]))

    def route_tables(self) -> RouteTables | None:
        """Return a table with a row for every source and one with a row for every target, or None if too large."""
        return self._route_tables

    @cached_property
    def _route_tables(self) -> RouteTables | None:
        nodes = self.network.nodes
        if nodes * self._mean_links > MAX_ENTRIES // 2:
            return None
        by_source, by_target = (self._rows(adjacency) for adjacency in self._adjacency)
        return tables_by_ends(by_source, by_target)

    def _rows(self, adjacency: Adjacency) -> Rows:
        rows = [self._swept(end, adjacency) for end in range(self.network.nodes)]
        start = np.cumsum([0, *(links.size for links, _ in rows)])
        links, shares = (np.concatenate(column) for column in zip(*rows, strict=True))
        return start, links, shares

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`: on its first half, and on its second."""
        ends = self.minimal.ends(link)
        if ends is None:
            return np.zeros((2, src.size))
        goes = self._goes(src, dst)
        shares = self._shares_on(link, ends, np.unique(src[goes]), np.unique(dst[goes]))
        return np.where(goes, np.stack([shares[0, src], shares[1, dst]]), 0.0)

    def _shares_on(self, link: int, ends: Ends, src: Nodes, dst: Nodes) -> Volumes:
        # (2, nodes), cached for the last link requested.
        last = self._last
        shares = last[2] if last is not None and last[0] == link else np.full((2, self.network.nodes), np.nan)
        might = ends.to_end[src] == ends.to_begin[src] + 1, ends.from_begin[dst] == ends.from_end[dst] + 1
        for role, (nodes, mine, adjacency) in enumerate(zip((src, dst), might, self._adjacency, strict=True)):
            shares[role, nodes[~mine]] = 0.0
            some = nodes[mine & np.isnan(shares[role, nodes])]
            shares[role, some] = shares_on(
                link, some, self._weight, self.islands, adjacency, path_scratch(self.network)
            )
        self._last = link, ends, shares
        return shares

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the mean distances to and from the intermediate, together; 0 if there is no path."""
        goes = self._goes(src, dst)
        distance: Volumes = np.where(goes, self._mean_distances[0, src] + self._mean_distances[1, dst], 0.0)
        return distance

    @cached_property
    def _mean_distances(self) -> NDArray[np.float64]:
        # (2, nodes) from every node, and to every node.
        args = self._weight, self.islands, path_scratch(self.network)
        return np.stack([mean_distances(self.network.nodes, adjacency, *args) for adjacency in self._adjacency])

    def updates(self, flows: int) -> int:
        """Return for each flow the number of links of its paths, from the mean over a few nodes: usually all links."""
        return int(flows * self._mean_links) + flows

    @cached_property
    def _mean_links(self) -> float:
        nodes = np.unique(np.arange(SAMPLES) * self.network.nodes // SAMPLES).astype(np.int32)
        return self.hops_of(nodes, np.roll(nodes, 1)).link.size / nodes.size
