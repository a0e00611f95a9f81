"""The matrix of links inside one group of the coarsest level."""

import numpy as np
from PySide6.QtGui import QFontMetricsF, QPainter

from app.model.changes import ChangeSet
from app.model.comparison_text import compared, range_text
from app.model.flow_text import flow_ends
from app.model.measured_text import counters_range, counters_text
from app.model.pointing import Item, groups_of, vertex_item, vertices_of
from app.views.drawing import spaced_numbers
from app.views.heatmaps.bundle_matrix import MAX_NODES, Marks, MatrixView, hottest_link, too_large
from app.views.heatmaps.heatmap_view import CONTENT
from app.views.reduce import Ids, PairMaximum
from app.wording.names import brief, capitalised, member_label, speed_text
from app.wording.numbers import load_percent
from core.network.network import Ints, Network
from core.text import links_of, plural, plural_noun

MAX_NEIGHBOURHOOD = 12
"""Number of nodes at which a neighbourhood is not extended further."""
MAX_NAMED = 3
"""Maximum number of classes whose links are located in the summary."""


class InnerMatrixView(MatrixView):
    """The links inside the selected group, or the group with the hottest link, from node to node.

    Without groups it shows the neighbourhood of a node, the selected one, or one at the hottest link.
    """

    id = "inner"
    content = CONTENT | ChangeSet.SELECTION

    _group = -1
    _nodes: Ids
    _borders: tuple[int, ...] = ()
    """First row of each inner group, and the end."""
    _about = ""

    def obstacle(self) -> str:
        """Refuse groups of too many nodes."""
        network = self.case.network
        if network.levels:
            rows, prefix = int(np.bincount(network.group_of + 1)[1:].max()), f"each {network.levels[0].name} has "
        else:
            rows, prefix = self._neighbourhood(network, self._wanted_group()).size, ""
        if rows <= MAX_NODES:
            return ""
        nodes = plural(rows, "node") if network.nodes == network.vertices else f"{rows:,} nodes and switches"
        # The group shown before no longer exists.
        self._network = None
        self.title_changed.emit(self.heading())
        return too_large(prefix + nodes, MAX_NODES)

    def load(self, changes: ChangeSet) -> None:
        """Find the group's links, and the hottest for each pair of nodes."""
        network, group = self.case.network, self._wanted_group()
        if (network, group, self.state.shown_class) != (self._network, self._group, self._only):
            self._network, self._group, self._only = network, group, self.state.shown_class
            self._enter(network, group)
        self.fill(self._nodes.size)
        self.title_changed.emit(self.heading())

    def heading(self) -> str:
        """Return the name of the group, or of the node in the middle."""
        if self._network is None:
            return self.title
        if not self._network.levels:
            return f"Near {self._network.vertex_name(self._group)}"
        return capitalised(self._network.group_name(self._group))

    def subtitle(self) -> str:
        """Return the meaning of rows and columns."""
        return self.of_shown(
            "nodes, from row to column" if self.case.network.levels else "nearby nodes, from row to column"
        )

    def names(self) -> list[str]:
        """Return the names of inner groups if there are any; else names of nodes if they have names, or numbers.

        A neighbourhood has the nodes' names.
        """
        if self._network is not None and (not self._network.levels or (self._network.hosts and len(self._borders) < 3)):
            return [self._network.label(vertex) for vertex in self._nodes.tolist()]
        if len(self._borders) < 3 or self._network is None:
            return super().names()
        return [self._inner_name(self._network, int(self._nodes[first])) for first in self._borders[:-1]]

    def _inner_name(self, network: Network, vertex: int) -> str:
        if vertex >= network.nodes:
            return "switches"
        if len(network.levels) < 2:
            return "nodes"
        return member_label(network, 1, int(network.levels[1].group[vertex]))

    def draw_names(self, painter: QPainter, chosen: Marks) -> None:
        """Separate the inner groups by lines and name them; without inner groups, number the nodes."""
        if len(self._borders) < 3:
            super().draw_names(painter, chosen)
            return
        self.part(painter, self._borders[1:-1], self._nodes.size)
        metrics, names = QFontMetricsF(painter.font()), self.names()
        tall, wide = metrics.height() * 1.1, max(map(metrics.horizontalAdvance, names)) + metrics.averageCharWidth()
        nodes, (width, height) = self._borders[1] - self._borders[0], self.heat.cell
        for above, side, room, lines in ((False, height, tall, chosen.rows), (True, width, wide, chosen.cols)):
            for k in spaced_numbers(len(names), side * nodes, room, set()):
                first, end = self._borders[k], self._borders[k + 1]
                cells = (0, first, 1, end - first) if above else (first, 0, end - first)
                self.write(painter, names[k], self.heat.cell_rect(*cells), above, any(first <= n < end for n in lines))

    def pair_item(self, row: int, col: int) -> Item | None:
        """Return the link of a cell (of parallel ones the hottest), or on the diagonal the node."""
        links = self._pairs.links(row * self._nodes.size + col)
        if links.size:
            return Item("link", hottest_link(links, self.state.link_values))
        return vertex_item(int(self._nodes[row]), self.case.network) if row == col else None

    def marks(self, item: Item | None) -> Marks:
        """Return the cell of a link of the group, or the row and column of its node."""
        place = {node: line for line, node in enumerate(self._nodes.tolist())}
        lines = tuple(dict.fromkeys(place[vertex] for vertex in vertices_of(item, self.case) if vertex in place))
        if item is not None and item.kind == "link" and len(lines) == 2:
            return Marks(cells=((lines[0], lines[1]),))
        return Marks(lines=lines)

    def cells_of(self, links: Ids) -> tuple[list[int], list[int]]:
        """Return the lines of the vertices at the ends of links."""
        line, network = np.full(self.case.network.vertices, -1, np.intp), self.case.network
        line[self._nodes] = np.arange(self._nodes.size)
        return line[network.src[links]].tolist(), line[network.dst[links]].tolist()

    def describe(self, item: Item) -> str:
        """Describe a link, node or task if it touches the group."""
        case, network = self.case, self.case.network
        vertices = vertices_of(item, case)
        if not np.isin(vertices, self._nodes).any():
            return ""
        if item.kind == "link":
            both = compared(self.state, np.array([item.index]))
            if both is not None:
                return f"{network.link_name(item.index)}: {both.text}"
            if self.state.counters is not None:
                return f"{network.link_name(item.index)}: {counters_text(self.state, np.array([item.index]))}"
            load = case.job.measure.suited_amount(float(self.state.report.total_load[item.index]))
            figures = f"{load_percent(float(self.state.utilisation[item.index]))}, {load}"
            speed = speed_text(case, item.index)
            text = speed if speed == "failed" else figures + f" · {speed}" * bool(speed)
            return f"{network.link_name(item.index)}: {text}"
        if item.kind == "flow":
            return flow_ends(item, case)
        vertex = vertices[0]
        return f"task {item.index:,} on {network.label(vertex)}" if item.kind == "task" else network.vertex_name(vertex)

    def summary(self) -> str:
        """Return the location of the links of each class, and the hottest link."""
        _, hottest = self._pairs(self.state.link_values)
        if not hottest.size:
            return f"no {links_of(self.state.style.link_class)} inside"
        if self.state.differing:
            return f"{range_text(hottest)} · {self._about}"
        if self.state.counters is not None:
            return f"{counters_range(self.state, hottest)} · {self._about}"
        return f"max {load_percent(float(hottest.max(initial=0.0)))} · {self._about}"

    def _wanted_group(self) -> int:
        network, report, selection = self.case.network, self.state.report, self.state.selection
        chosen = self._lying_in(selection)
        if network is self._network and not network.levels and self._has_link(selection, chosen):
            return self._group  # a selection inside the matrix does not change the group
        if chosen:
            return chosen[0]
        only = self.state.shown_class
        hottest = report.bottleneck_links if only is None else report.hottest(1, only.links)
        groups = self._lying_in(Item("link", int(hottest[0]))) if hottest.size else ()
        return groups[0] if groups else 0

    def _lying_in(self, item: Item | None) -> tuple[int, ...]:
        # Groups of switches only have no inner links to show.
        if not self.case.network.levels:
            return vertices_of(item, self.case)
        return tuple(group for group in groups_of(item, self.case) if group < self.case.network.node_groups)

    def _has_link(self, item: Item | None, ends: tuple[int, ...]) -> bool:
        return item is not None and item.kind == "link" and bool(np.isin(ends, self._nodes).all())

    @staticmethod
    def _neighbourhood(network: Network, vertex: int) -> Ids:
        """Return a vertex and its neighbours; if these are few, also their neighbours, and so on."""
        reached, before, now = np.arange(network.vertices) == vertex, 0, 1
        while before < now < MAX_NEIGHBOURHOOD:
            before, old = now, reached.copy()
            reached[network.dst[old[network.src]]] = True
            reached[network.src[old[network.dst]]] = True
            now = int(np.count_nonzero(reached))
        return np.flatnonzero(reached)

    def _enter(self, network: Network, group: int) -> None:
        # Switches come after the nodes, as an inner group of their own.
        inner = np.full(network.vertices, np.iinfo(np.int32).max if network.levels else 0, np.int32)
        inner[: network.nodes] = network.levels[1].group if len(network.levels) > 1 else 0
        nodes = np.flatnonzero(network.group_of == group) if network.levels else self._neighbourhood(network, group)
        self._nodes = nodes[np.argsort(inner[nodes], kind="stable")]
        border = np.flatnonzero(np.diff(inner[self._nodes])) + 1
        self._borders = (0, *border.tolist(), self._nodes.size)
        place = np.full(network.vertices, -1, np.int32)
        place[self._nodes] = np.arange(self._nodes.size)
        inside = (place[network.src] >= 0) & (place[network.dst] >= 0)
        links = np.arange(network.links)[self.state.shown_links][inside[self.state.shown_links]]
        src, dst = place[network.src[links]], place[network.dst[links]]
        # In an aggregated network a node has links to itself.
        self._pairs = PairMaximum(src, dst, self._nodes.size, links, within=network.aggregation > 1)
        self._locate_classes(network, links, inner)

    def _locate_classes(self, network: Network, links: Ids, inner: Ints) -> None:
        # "LL in drawers, LR across": which classes are inside inner groups, and which join two of them.
        src, dst, classes = network.src[links], network.dst[links], network.class_of[links]
        where: dict[str, list[str]] = {}
        for k in np.unique(classes).tolist():
            same = inner[src[classes == k]] == inner[dst[classes == k]]
            place = "inside" if same.all() else "both" if same.any() else "across"
            where.setdefault(place, []).append(network.classes[k].name)
        many = sum(map(len, where.values())) > MAX_NAMED
        if many or len(self._borders) < 3 or len(network.levels) < 2 or (self._nodes >= network.nodes).any():
            # A class may have the name "link".
            names = brief([network.classes[k].name for k in np.unique(classes).tolist()])
            self._about = links_of(names)
            return
        names = plural_noun(network.levels[1].name)
        across = " across" if len(where) > 1 else f" across {names}"
        words = {"inside": f" in {names}", "both": f" in and across {names}", "across": across}
        self._about = ", ".join(brief(where[place]) + word for place, word in words.items() if place in where)
