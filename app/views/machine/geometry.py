"""Data for a machine's picture: of its network, computed once per network, and of the loads, once per report."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.model.measurement import LinkSource
from app.model.state import State
from app.views.reduce import PairMaximum, strongest_at_ends
from core.load.evaluate import TOLERANCE
from core.network.network import LinkClass, Network

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

INNER_REACH = 0.47
"""How far the frame of a group in a box extends beyond the centres of its nodes, in cells."""
CHANGED = "changed", "most changed"
DIFFERENT = "different from predicted", "most different"
UNEVALUATED = "evaluated", "evaluated"
HARMFUL = "that matter if they fail", "most important"
BEYOND = 1.25
"""The strength of infinite values, such as the harm of failures that disconnect flows, over the largest finite one."""
ROOM_OF_NODE = 0.5
"""Half the distance of neighbours in a lattice, world units."""


def shading_of(geometry: "MachineGeometry", state: State, other: Floats | None = None) -> "LinkShading":
    """Return the values of a state's links, for drawing."""
    counters, signed, top = state.counters, state.shading.signed, state.bottleneck_load
    if counters is None:
        return LinkShading(geometry, state.link_values, other, signed=signed, top=top)
    words = DIFFERENT
    if counters.source is LinkSource.HARM:
        words = HARMFUL if state.failures is not None else UNEVALUATED
    return LinkShading(geometry, state.link_values, other, signed=signed, top=top, words=words, equal=counters.agrees)


class MachineGeometry:
    """The geometry of a network's picture, computed once for each network and link class shown.

    With `only`, the links of other classes are not drawn, and bundles are the links of that class.
    """

    def __init__(self, network: Network, only: LinkClass | None = None) -> None:
        self.network = network
        self.classes = network.classes if only is None else (only,)
        """The link classes drawn."""
        self.only = only
        self.layout = network.layout
        self.boxed = len(self.layout.boxes) > 0
        self.plane = len(self.layout.axes) == 2 and not self.layout.solid
        """Whether it is a two-dimensional lattice."""
        self.in_rows = self.boxed and self.layout.rows
        """Whether boxes are lattices in rows, whose links are drawn like links of lattices when open."""
        self.group = network.levels[0].group if network.levels else np.arange(network.nodes, dtype=np.int32)
        """(nodes,) group of the coarsest level of each node."""
        self.groups = network.groups

    @cached_property
    def _between(self) -> PairMaximum:
        return PairMaximum(*self.ends, self.groups)

    @cached_property
    def box_centres(self) -> Floats:
        """Return the centres of the boxes, shape ``(boxes, 3)``."""
        boxes = self.layout.boxes
        return np.column_stack([boxes[:, :2], np.zeros(len(boxes))])

    @cached_property
    def marks(self) -> NDArray[np.float32]:
        """Return width and height of the mark of every vertex, shape ``(vertices, 2)``, world units."""
        marks = np.empty((self.network.vertices, 2), np.float32)
        marks[: self.network.nodes] = self.layout.cell
        marks[self.network.nodes :] = self.layout.switch or self.layout.cell
        return marks

    @cached_property
    def ends(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the groups at the ends of every link, shape ``(links,)`` each.

        -1 for a switch in no group, and for a link that is not drawn.
        """
        group = self.network.group_of
        ends = group[self.network.src], group[self.network.dst]
        if self.only is not None:
            for end in ends:
                end[: self.only.links.start] = end[self.only.links.stop :] = -1
        return ends

    @cached_property
    def drawn(self) -> Ids:
        """Return the links of the classes drawn, ascending."""
        links = slice(0, self.network.links) if self.only is None else self.only.links
        drawn: Ids = np.arange(links.start, links.stop)
        return drawn

    def drawn_of(self, links: Ids) -> Ids:
        """Return the drawn links among some links."""
        return links if self.only is None else links[self.only.has(links)]

    @cached_property
    def bundle_sizes(self) -> NDArray[np.int64]:
        """Return the number of links from group a to group b, shape ``(groups, groups)``."""
        count = np.zeros(self.groups**2, np.int64)
        count[self._between.pairs] = self._between.sizes
        return count.reshape(self.groups, self.groups)

    @cached_property
    def pairs(self) -> tuple[Ids, Ids]:
        """Return the pairs of groups a < b joined by links."""
        both = self.bundle_sizes + self.bundle_sizes.T
        a, b = np.nonzero(np.triu(both, 1))
        return a, b

    @cached_property
    def direction_indices(self) -> tuple[Ids, Ids]:
        """Return for all `pairs` the indices of a to b and of b to a in `PairMaximum.pairs`, -1 for none."""
        number = np.full(self.groups**2, -1, np.intp)
        number[self._between.pairs] = np.arange(self._between.pairs.size)
        a, b = self.pairs
        return number[a * self.groups + b], number[b * self.groups + a]

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Return two opposite corners of the drawing, ``(3,)`` each."""
        layout = self.layout
        if self.boxed:
            half = layout.boxes[:, 2:] / 2
            points = np.concatenate([layout.boxes[:, :2] - half, layout.boxes[:, :2] + half])
            low, high = points.min(0), points.max(0)
            return np.append(low, 0.0), np.append(high, 0.0)
        # Room for the stubs of wrap-around links.
        margin = np.array([0.62, 0.62, 0.62 if layout.solid else 0.0])
        return layout.positions.min(0) - margin, layout.positions.max(0) + margin

    @property
    def frame_reach(self) -> float:
        """Return how far the frame of a group in a box extends beyond the centres of its nodes, world units."""
        return ROOM_OF_NODE if self.in_rows else self.layout.cell[0] * INNER_REACH

    @cached_property
    def nic_distance(self) -> float:
        """Return the smallest distance of successive NICs of a host, world units."""
        positions = self.layout.positions[: self.network.nodes, :2]
        steps = np.abs(np.diff(positions, axis=0)).max(axis=1)
        return float(steps[np.diff(self.network.host_slots.host_of) == 0].min())

    @cached_property
    def compact_hosts(self) -> Ids:
        """Return the hosts with several NICs whose NICs are drawn next to each other, with no other node between."""
        hosts, positions = self.network.host_slots, self.layout.positions[: self.network.nodes, :2]
        if self.network.nics is None or self.layout.solid:
            return np.zeros(0, np.intp)
        low, high = (reach.reduceat(positions, hosts.first, axis=0) for reach in (np.minimum, np.maximum))
        # Less than the room of a further node is left.
        room = ((high - low) / self.nic_distance + 1).prod(axis=1)
        return np.flatnonzero((hosts.nics_of > 1) & (room < hosts.nics_of + 0.9))

    def hottest_by_direction(self, relative: Floats) -> tuple[Floats, Floats]:
        """Return the hottest utilisation from a to b and from b to a, for all `pairs`; 0 without a link."""
        hottest = self._between(relative)[1]
        there, back = self.direction_indices
        return np.where(there >= 0, hottest[there], 0.0), np.where(back >= 0, hottest[back], 0.0)

    def members(self, group: int) -> Ids:
        """Return the nodes of a group of the coarsest level."""
        return np.flatnonzero(self.group == group)

    def vertices_of_group(self, group: int) -> Ids:
        """Return the nodes and switches of a group, which may have switches only."""
        return np.flatnonzero(self.network.group_of == group)

    def links_between(self, a: int, b: int) -> Ids:
        """Return the links that lead from group a to group b."""
        return np.flatnonzero((self.ends[0] == a) & (self.ends[1] == b))

    def links_joining(self, a: int, b: int) -> Ids:
        """Return the links between two groups, first those from a."""
        return np.concatenate([self.links_between(a, b), self.links_between(b, a)])

    def links_at(self, node: int) -> Ids:
        """Return the links drawn that leave or reach a node."""
        return self.drawn_of(np.flatnonzero((self.network.src == node) | (self.network.dst == node)))


class LinkShading:
    """Utilisations of one report, relative to the top of the scale, reduced to the drawn parts; NaN without a value.

    Infinite values are drawn as somewhat stronger than all others.

    If `signed`, differences of two reports: the strongest changes count, and nothing is a bottleneck.

    With another report's utilisations in `other`, both pictures show the same curves in the same widths: the hottest
    in either.

    `top` is the utilisation of bottlenecks, if links of other jobs are hotter. `words` describe signed values: values
    that are not 0, and the strongest. Of these, links in `equal` (links,) count as 0.
    """

    def __init__(
        self,
        geometry: MachineGeometry,
        relative: Floats,
        other: Floats | None = None,
        *,
        signed: bool = False,
        top: float | None = None,
        words: tuple[str, str] = CHANGED,
        equal: NDArray[np.bool_] | None = None,
    ) -> None:
        self.link = relative
        self.words = words
        self.signed = signed
        self.paired = other is not None
        finite = relative[np.isfinite(relative)]
        self._infinite = BEYOND * float(np.abs(finite).max(initial=0.0)) or 1.0
        ranked = relative if equal is None else np.where(equal, 0.0, relative)
        self.rank = self.strength(ranked) if other is None else np.maximum(relative, other)
        """(links,) the value that determines which links are drawn, and how wide."""
        self.node = strongest_at_ends(geometry.network, relative)
        self.top = float(np.fmax.reduce(self.node, initial=0.0)) if top is None else top
        self.most_marked = np.inf if top is None else top * (1 + TOLERANCE)
        self.limiting_groups = np.zeros(0, np.intp) if signed else holding(geometry, self.marked(relative))
        """Groups with a bottleneck inside."""
        if geometry.boxed:
            onwards, back = geometry.hottest_by_direction(ranked)
            self.backwards = self.strength(back) > self.strength(onwards)
            """(pairs,) whether the links from b to a are hotter than those from a to b."""
            self.pair = np.where(self.backwards, back, onwards)
            self.pair_rank = self.strength(self.pair)
            """(pairs,) the same for bundles."""
            if other is not None:
                self.pair_rank = np.maximum(self.pair_rank, np.maximum(*geometry.hottest_by_direction(other)))

    def marked(self, values: Floats) -> NDArray[np.bool_]:
        """Return which values are bottlenecks."""
        if self.signed:
            return np.zeros(values.shape, np.bool_)
        return np.asarray((values >= self.least_marked) & (values <= self.most_marked))

    @property
    def even(self) -> bool:
        """Return whether there are several links, all with equal load."""
        return not self.signed and self.link.size > 1 and bool(self.marked(self.link).all())

    @property
    def least_marked(self) -> float:
        """Return the least utilisation that counts as a bottleneck."""
        return max(self.top * (1 - TOLERANCE), 1e-12)

    def strength(self, values: Floats) -> Floats:
        """Return the values by which the hottest are chosen: for differences the magnitudes."""
        if not np.isfinite(values).all():
            values = np.nan_to_num(values, nan=0.0, posinf=self._infinite, neginf=-self._infinite)
        return np.abs(values) if self.signed else values


def holding(geometry: MachineGeometry, marked: NDArray[np.bool_]) -> Ids:
    """Return the groups with a marked link inside."""
    hot = np.flatnonzero(marked)
    leaves, reaches = (end[hot] for end in geometry.ends)
    # Switches in no group have group -1.
    return np.flatnonzero(np.bincount(leaves[leaves == reaches] + 1, minlength=1)[1:])
