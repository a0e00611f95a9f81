"""The base of matrices of links, from row to column, and the matrix of bundles between groups of the coarsest level."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.model.changes import ChangeSet
from app.model.comparison_text import compared, range_text
from app.model.measured_text import counters_range, counters_text
from app.model.pointing import Item, exists, groups_of, vertex_item
from app.views.drawing import TextRun, at_least, blend, frame_pen, spaced_numbers
from app.views.heatmaps.faulty_cells import FaultyCells, draw_faulty_cells, faults_text, faulty_cells
from app.views.heatmaps.heatmap_view import HeatmapView
from app.views.reduce import Ids, PairMaximum
from app.wording.names import group_labels, only_text, pair_name
from app.wording.numbers import load_percent
from core.network.faults import Faults
from core.network.network import LinkClass, Network
from core.text import enumerated, links_of, plural, plural_noun

MAX_GROUPS = 2048
MAX_NODES = 1024
"""Maximum number of rows of a matrix of nodes."""
NAME_PX = 110
"""Largest width of the name of a row or column: names from files may be long."""
MIN_MARK = 7
"""Minimum size of the outline of a cell."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The place of an item in a matrix: lines (a row and the column of the same number) and cells (row, column)."""

    lines: tuple[int, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()

    @property
    def rows(self) -> set[int]:
        """Return all rows concerned."""
        return {*self.lines, *(row for row, _ in self.cells)}

    @property
    def cols(self) -> set[int]:
        """Return all columns concerned."""
        return {*self.lines, *(col for _, col in self.cells)}


class MatrixView(HeatmapView):
    """Shows the hottest link from each row to each column."""

    _network: Network | None = None
    _only: LinkClass | None = None
    _pairs: PairMaximum
    _faulty_cells: tuple[Faults, PairMaximum, FaultyCells] | None = None

    @abstractmethod
    def marks(self, item: Item | None) -> Marks:
        """Return the marks of an item in the matrix."""

    @abstractmethod
    def cells_of(self, links: Ids) -> tuple[list[int], list[int]]:
        """Return row and column of each link, -1 if it is not in the matrix."""

    @abstractmethod
    def pair_item(self, row: int, col: int) -> Item | None:
        """Return the item of a cell."""

    @abstractmethod
    def describe(self, item: Item) -> str:
        """Return the readout of an item; empty if it is not in the matrix."""

    @abstractmethod
    def summary(self) -> str:
        """Return the readout while nothing is hovered."""

    def of_shown(self, subtitle: str) -> str:
        """Return a subtitle with the link class, if only one is shown."""
        return " · ".join(filter(None, [only_text(self.state.shown_class), subtitle]))

    def names(self) -> list[str]:
        """Return the names of the rows and columns."""
        return [str(line) for line in range(self.heat.shape[0])]

    def label_room(self, metrics: QFontMetricsF) -> tuple[float, float]:
        """Return the room for the names of rows and columns."""
        return min(metrics.horizontalAdvance(longest(self.names())), self._most) + 8, metrics.height() + 2

    def fill(self, size: int) -> None:
        """Fill the heatmap with the pairs' hottest links."""
        pairs, hottest = self._pairs(self.state.link_values)
        relative, present = np.zeros((size, size)), np.zeros((size, size), np.bool_)
        relative.reshape(-1)[pairs] = hottest
        present.reshape(-1)[pairs] = ~np.isnan(hottest)
        shading = self.state.shading
        middle = 0.5 if shading.signed else 0.0
        self.heat.set_values(shading.coordinate(relative), present, shading.exceeds(relative), middle)
        self.mark_bottlenecks(relative)

    def item_at(self, where: QPointF) -> Item | None:
        """Return the item of the cell at a point."""
        cell = self.heat.cell_at(where)
        return None if cell is None or self.obstructed else self.pair_item(*cell)

    def readout(self) -> tuple[TextRun, ...]:
        """Describe the hovered or else the selected item, or else the entire matrix."""
        theme = self.theme
        for item, colour in ((self.state.hover, theme.text), (self.state.selection, theme.accent)):
            if item is not None and exists(item, self.case) and (text := self.describe(item)):
                return (TextRun(text, colour),)
        return (TextRun(self.summary(), theme.dim),)

    def draw_over(self, painter: QPainter) -> None:
        """Draw names of rows and columns, and outlines of the hovered and selected items."""
        hovered, chosen = self._marks_of(self.state.hover), self._marks_of(self.state.selection)
        self._draw_faulty_cells(painter)
        self.draw_names(painter, chosen)
        if hovered != chosen:
            self._draw_marks(painter, hovered, blend(self.theme.panel, self.theme.text, 0.8), 1)
        self._draw_marks(painter, chosen, QColor(self.theme.accent), 2)

    def _marks_of(self, item: Item | None) -> Marks:
        """Return the marks of an item; of a flow the cells that its paths cross, if there are any."""
        paths = self.state.paths_of(item)
        rows, cols = self.cells_of(paths.links) if paths is not None else ((), ())
        cells = tuple({(row, col) for row, col in zip(rows, cols, strict=True) if row != col and min(row, col) >= 0})
        return Marks(cells=cells) if cells else self.marks(item)

    def draw_names(self, painter: QPainter, chosen: Marks) -> None:
        """Write numbers in round steps, and always the numbers of the selection."""
        names, metrics, cell = self.names(), QFontMetricsF(painter.font()), self.heat.cell
        tall = metrics.height() * 1.8
        wide = max(min(metrics.horizontalAdvance(longest(names)), self._most) * 1.5, tall)
        for row in spaced_numbers(len(names), cell[1], tall, chosen.rows):
            self.write(painter, names[row], self.heat.cell_rect(row, 0), False, row in chosen.rows)
        for col in spaced_numbers(len(names), cell[0], wide, chosen.cols):
            self.write(painter, names[col], self.heat.cell_rect(0, col), True, col in chosen.cols)

    def write(self, painter: QPainter, name: str, cells: QRectF, above: bool, chosen: bool) -> None:
        """Write the name of some cells left of or above them."""
        painter.setPen(QColor(self.theme.accent if chosen else self.theme.dim))
        heat, middle = self.heat.rect, cells.center()
        name = QFontMetricsF(painter.font()).elidedText(name, Qt.TextElideMode.ElideMiddle, self._most)
        room = self._most + 10
        if above:
            where = QRectF(middle.x() - room / 2, heat.top() - 42, room, 40)
            painter.drawText(where, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, name)
        else:
            # Low enough not to meet the name of the first column.
            y = max(middle.y(), heat.top() + QFontMetricsF(painter.font()).height() / 2 - 2)
            where = QRectF(heat.left() - room - 6, y - 20, room, 40)
            painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    @property
    def _most(self) -> float:
        """Return the largest width of a name."""
        return NAME_PX * self.theme.scale

    def part(self, painter: QPainter, borders: tuple[int, ...], size: int) -> None:
        """Draw a line before some rows and the columns of the same number."""
        colour = blend(self.theme.panel, self.theme.text, 0.4)
        for border in borders:
            across, down = self.heat.cell_rect(border, 0, 0, size), self.heat.cell_rect(0, border, size, 0)
            painter.fillRect(across.adjusted(0, -1, 0, 0), colour)
            painter.fillRect(down.adjusted(-1, 0, 0, 0), colour)

    def _draw_faulty_cells(self, painter: QPainter) -> None:
        faults = self.case.faults
        if faults is None:
            return
        if self._faulty_cells is None or self._faulty_cells[:2] != (faults, self._pairs):
            cells = faulty_cells(faults, *self._pairs.counted_links(), self._pairs.groups)
            self._faulty_cells = faults, self._pairs, cells
        draw_faulty_cells(painter, self.heat, self._faulty_cells[2], self.theme)

    def _draw_marks(self, painter: QPainter, marks: Marks, colour: QColor, width: float) -> None:
        painter.setPen(frame_pen(colour, width * self.theme.scale))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        size = self.heat.shape[0]
        for line in marks.lines:
            for rect in (self.heat.cell_rect(line, 0, 1, size), self.heat.cell_rect(0, line, size, 1)):
                painter.drawRect(at_least(rect, MIN_MARK + 1))
        for row, col in marks.cells:
            painter.drawRect(at_least(self.heat.cell_rect(row, col).adjusted(-1, -1, 1, 1), MIN_MARK))


class BundleMatrixView(MatrixView):
    """The hottest link from each group of the coarsest level to each other group."""

    id = "matrix"
    _names: tuple[str, ...] = ()

    def obstacle(self) -> str:
        """Refuse networks with more groups than pixels."""
        network = self.case.network
        groups, limit = network.groups, MAX_GROUPS if network.levels else MAX_NODES
        if groups > limit:
            return too_large(f"{groups:,} {enumerated([plural_noun(kind) for kind in network.group_kinds])}", limit)
        if (network, self.state.shown_class) != (self._network, self._only):
            self._network, self._only = network, self.state.shown_class
            self._pairs = PairMaximum.of_network(network, self.state.shown_links)
            self._names = tuple(group_labels(network))
        return ""

    def load(self, changes: ChangeSet) -> None:
        """Find the hottest link of each bundle."""
        self.fill(self._pairs.groups)

    def subtitle(self) -> str:
        """Return what rows and columns are."""
        return self.of_shown(
            f"{enumerated([plural_noun(kind) for kind in self.case.network.group_kinds])}, from row to column"
        )

    def names(self) -> list[str]:
        """Return the names of rows and columns."""
        return list(self._names)

    def draw_names(self, painter: QPainter, chosen: Marks) -> None:
        """Separate groups of switches only from the others by a line."""
        border, size = self.case.network.node_groups, self.case.network.groups
        if border < size:
            self.part(painter, (border,), size)
        super().draw_names(painter, chosen)

    def pair_item(self, row: int, col: int) -> Item | None:
        """Return the bundle (without levels: the hottest link), on the diagonal the group."""
        if row == col:
            return Item("group", row) if self.case.network.levels else vertex_item(row, self.case.network)
        links = self._pairs.links(row * self._pairs.groups + col)
        if not links.size:
            return None
        if self.case.network.levels:
            return Item("bundle", row * self._pairs.groups + col)
        return Item("link", hottest_link(links, self.state.link_values))

    def marks(self, item: Item | None) -> Marks:
        """Return the cell of an item that joins two groups, or the row and column of an item inside a group."""
        groups = groups_of(item, self.case)
        if len(groups) == 2:
            return Marks(cells=((groups[0], groups[1]),))
        return Marks(lines=groups)

    def cells_of(self, links: Ids) -> tuple[list[int], list[int]]:
        """Return the groups at the ends of links."""
        network = self.case.network
        return network.group_of[network.src[links]].tolist(), network.group_of[network.dst[links]].tolist()

    def describe(self, item: Item) -> str:
        """Describe the bundle, or the group: its hottest links."""
        groups = groups_of(item, self.case)
        if len(groups) == 2:
            return self._describe_bundle(*groups)
        return self._describe_group(groups[0]) if groups else ""

    def summary(self) -> str:
        """Return the number of bundles, and of idle ones."""
        _, hottest = self._pairs(self.state.link_values)
        if not hottest.size:
            return f"no {links_of(self.state.style.link_class)} between groups"
        noun = "bundle" if self.case.network.levels else "pair"
        if self.state.differing:
            return range_text(hottest)
        if self.state.counters is not None:
            return f"{counters_range(self.state, hottest)} · {plural(hottest.size, noun)}"
        idle = int((hottest <= 0).sum())
        return f"max {load_percent(float(hottest.max()))} · {plural(hottest.size, noun)} · {idle:,} idle"

    def _describe_bundle(self, a: int, b: int) -> str:
        name = pair_name(self.case.network, a, b)
        links = self._pairs.links(a * self._pairs.groups + b)
        report = self.state.report
        if not links.size:
            return f"{name}: no links"
        both = compared(self.state, links)
        if both is not None:
            return f"{name}: {both.text} · {plural(links.size, 'link')}"
        if self.state.counters is not None:
            return f"{name}: {counters_text(self.state, links)} · {plural(links.size, 'link')}"
        hottest = hottest_link(links, report.utilisation)
        load = self.case.job.measure.suited_amount(float(report.total_load[hottest]))
        figures = f"{load_percent(float(self.state.utilisation[hottest]))}, {load}"
        faults = faults_text(self.case.faults, links)
        if faults.startswith("all"):
            return f"{name}: {faults} · {plural(links.size, 'link')}"
        return f"{name}: max {figures} · {faults or plural(links.size, 'link')}"

    def _describe_group(self, group: int) -> str:
        pairs, hottest = self._pairs(self.state.link_values)
        a, b = np.divmod(pairs, self._pairs.groups)
        name = self.case.network.group_name(group)
        if self.state.differing:
            return f"{name}: {range_text(hottest[(a == group) | (b == group)])}"
        if self.state.counters is not None:
            return f"{name}: {counters_range(self.state, hottest[(a == group) | (b == group)])}"
        out, into = (float(hottest[end == group].max(initial=0.0)) for end in (a, b))
        return f"{name}: out {load_percent(out)}, in {load_percent(into)}"


def hottest_link(links: Ids, relative: NDArray[np.float64]) -> int:
    """Return the hottest of some links, or for differences the link that changed most."""
    return int(links[int(np.nan_to_num(np.abs(relative[links]), nan=-1.0).argmax())])


def longest(names: list[str]) -> str:
    """Return the longest of some names; without any, one digit."""
    return max(names, key=len, default="0")


def too_large(what: str, limit: int) -> str:
    """Return the message of a matrix that would have too many rows."""
    return f"Too large for a matrix: {what} (maximum {limit:,})."
