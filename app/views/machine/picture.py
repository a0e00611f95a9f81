"""Links, bundles, boxes and cells drawn by QPainter, as on the OpenGL canvas, for pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from app.model.channels_shown import drawn_channels
from app.model.nodes import closed_nodes, down_nodes
from app.model.routes_shown import drawn_links
from app.model.state import State
from app.style.colour import category_colours, lookup_table
from app.style.theme import Theme
from app.views.legend import legend_font
from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import Ids, MachineGeometry
from app.views.machine.scene import CurveBatch, MachineScene
from core.network.faults import Faults
from core.text import plural

Floats = NDArray[np.float64]
Table = NDArray[np.uint8]

NUMBER_PX = 19
"""Minimum width of a cell with its number inside."""
ALONG = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8)
"""Positions of the mark on a curve, best first."""
MARK_ROOM_PX = 5.0
"""Distance of the centre of a mark from cells with numbers."""
MAX_MOVED = 300
"""Maximum number of marks that are moved off such cells; more are indistinguishable anyway."""
OPAQUE = {False: 0.55, True: 0.3}
"""Coordinate on the scale from which links in the plane are opaque, for loads and for (signed) differences."""
THINNEST = 0.1
"""Minimum opacity of a line thinner than a pixel, unless its colour is fainter."""
BUNDLE, CELL = 0.5, 0.35
"""Opacity of idle bundles, and of idle cells in a solid."""


def link_colour_table(state: State, solid: bool, seen: float = 0.0) -> Table:
    """Return the colours of links, shape ``(256, 4)``: the scale's, translucent for cold links so that hot links show.

    `seen` is the least opacity, with colours adjusted to look like the legend's. In a solid the lower half is so
    translucent that hot links inside are visible from outside.
    """
    faintest = (0.05 if solid else 0.10) if state.style.theme.dark else (0.12 if solid else 0.10)
    return _through(_fainter(state, solid, seen), state) if seen > faintest else _fainter(state, solid, faintest)


def bundle_table(state: State) -> Table:
    """Return the colours of bundles: even cold ones stay visible, as bundles are few, or thin if they are many."""
    return _through(_fainter(state, False, BUNDLE), state)


def cell_table(state: State, solid: bool) -> Table:
    """Return the colours of cells: opaque in the plane; in a solid cold ones are translucent."""
    if not solid:
        return lookup_table(state.shading.map, state.style.theme.dark)
    return _through(_fainter(state, True, CELL), state)


def _fainter(state: State, solid: bool, opacity: float) -> Table:
    table = lookup_table(state.shading.map, state.style.theme.dark).copy()
    place = np.linspace(0, 1, len(table))
    if state.shading.signed:
        place = np.abs(2 * place - 1)
    warm = np.clip((place - 0.08) / 0.84, 0, 1) if solid else np.clip(place / OPAQUE[state.shading.signed], 0, 1)
    table[:, 3] = np.round(255 * (opacity + (1 - opacity) * warm * warm * (3 - 2 * warm)))
    return table


def _through(table: Table, state: State) -> Table:
    """Return translucent colours that look like the opaque ones when drawn over the background."""
    ground = QColor(state.style.theme.panel)
    panel = np.array([ground.red(), ground.green(), ground.blue()], np.float64)
    table[:, :3] = np.round(np.clip(panel + (table[:, :3] - panel) * 255 / table[:, 3:], 0, 255))
    return table


def fading(scene: MachineScene, state: State) -> tuple[float, float]:
    """Return the opacities of links and of cells, lower while something is selected."""
    drawn = drawn_links(state)
    if (drawn is not None and drawn.links.size) or (state.selection is not None and state.selection.kind == "flow"):
        return (0.25, 0.5) if scene.geometry.layout.solid else (0.15, 0.5)
    if drawn_channels(state) is not None:
        return (0.25, 0.5) if scene.geometry.layout.solid else (0.2, 0.7)
    if state.selection is None:
        return 1.0, 1.0
    # In a solid most are translucent already.
    return (0.5, 0.6) if scene.geometry.layout.solid else (0.25, 0.6)


@dataclass(frozen=True, eq=False)
class Picture:
    """One drawing of a scene: its target, the pixels of its items, and shared drawing helpers."""

    painter: QPainter
    scene: MachineScene
    camera: Camera
    size: Size
    state: State
    head: QRectF = field(default_factory=QRectF)
    """The rectangle of the heading, which names avoid."""

    @property
    def geometry(self) -> MachineGeometry:
        """Return the machine's geometry."""
        return self.scene.geometry

    @property
    def theme(self) -> Theme:
        """Return the theme of the state."""
        return self.state.style.theme

    @property
    def faults(self) -> Faults | None:
        """Return the faults, or None without faults."""
        return self.state.evaluation.case.faults

    @cached_property
    def closed(self) -> NDArray[np.bool_] | None:
        """Return which nodes are allocated to no job, shape ``(nodes,)``, or None if all are allocated."""
        closed, allocation = closed_nodes(self.state), self.state.evaluation.case.allocation
        if closed is not None and allocation is not None and allocation.others:
            closed[np.concatenate([nodes for _, nodes in allocation.others])] = False
        return closed

    @cached_property
    def down(self) -> Ids:
        """Return the nodes that are down."""
        return down_nodes(self.state).astype(np.intp)

    @cached_property
    def meaning(self) -> str:
        """Return a line that explains the marks of faults and hollow nodes; empty if there are none."""
        notes = [] if self.faults is None else [self.faults.words()]
        if self.closed is not None and self.closed.any():
            down = f", {self.down.size:,} of them down" if self.down.size else ""
            notes.append(f"hollow: {plural(int(self.closed.sum()), 'unallocated node')}{down}")
        return " · ".join(notes)

    @property
    def solid(self) -> bool:
        """Return whether the scene has depth."""
        return self.geometry.layout.solid

    @cached_property
    def boxes(self) -> Floats:
        """Return left, top, width and height of every box, shape ``(groups, 4)``."""
        centre = self.at(self.geometry.box_centres)
        extent = self.geometry.layout.boxes[:, 2:] * self.camera.scale
        return np.column_stack([centre - extent / 2, extent])

    @cached_property
    def cells(self) -> Floats:
        """Return left, top, width and height of every cell, shape ``(vertices, 4)``, with gaps between large ones."""
        return self.scene.cells(self.camera, self.size)

    @cached_property
    def in_sight(self) -> Ids:
        """Return the nodes and switches whose cells are inside the picture, ascending."""
        return np.flatnonzero(self.seen(self.cells))

    @cached_property
    def nodes_in_sight(self) -> Ids:
        """Return the visible nodes."""
        return self.in_sight[self.in_sight < self.geometry.network.nodes]

    def at(self, points: NDArray[np.floating]) -> Floats:
        """Return pixels of world points, shape ``(..., 2)``."""
        return self.camera.project(points, self.size)[..., :2]

    def seen(self, rects: Floats) -> NDArray[np.bool_]:
        """Return which rectangles intersect the picture."""
        left, top, width, height = rects.T
        inside = (left < self.size[0]) & (top < self.size[1]) & (left + width > 0) & (top + height > 0)
        return np.asarray(inside)

    def paths(self, batch: CurveBatch) -> list[QPainterPath]:
        """Return curves as paths."""
        paths = []
        for x, y, *bend in self.at(batch.curves).reshape(-1, 6).tolist():
            path = QPainterPath(QPointF(x, y))
            path.quadTo(*bend)
            paths.append(path)
        return paths

    def link_colours(self, batch: CurveBatch) -> list[QColor]:
        """Return the colour of each curve."""
        bundles, seen = batch.kind == "bundle", self.scene.least_opacity
        table = bundle_table(self.state) if bundles else link_colour_table(self.state, self.solid, seen)
        return self._colours(batch.heat, table)

    def pens(self, batch: CurveBatch) -> list[QPen]:
        """Return the pen of each curve; most curves share a pen."""
        colours = [colour.rgba() for colour in self.link_colours(batch)]
        looks = list(zip(colours, batch.width.tolist(), strict=True))
        pen_of = {(colour, width): flat_pen(QColor.fromRgba(colour), width) for colour, width in set(looks)}
        return [pen_of[look] for look in looks]

    def cell_colours(self, nodes: Ids | slice = slice(None)) -> list[QColor]:
        """Return the colour of each cell, or of some: of its load, or of the group of its first task."""
        colours = self._colours(self.scene.shading.node[nodes], cell_table(self.state, self.solid))
        groups, mapping = self.state.groups, self.state.evaluation.case.mapping
        if groups is None:
            return colours
        group = np.full(self.geometry.network.vertices, -1, np.int32)
        group[mapping.nodes[::-1]] = groups.group[::-1]
        table = [QColor(*colour) for colour in category_colours(groups.count, self.theme.dark).tolist()]
        return [table[k] if k >= 0 else colour for k, colour in zip(group[nodes].tolist(), colours, strict=True)]

    def _colours(self, heat: Floats, table: Table) -> list[QColor]:
        shading, theme, missing = self.state.shading, self.state.style.theme, np.isnan(heat)
        index = np.rint(shading.coordinate(np.where(missing, 0.0, heat)) * 255).astype(int)
        index[shading.exceeds(heat)] = len(table)
        index[missing] = len(table) + 1
        table = np.vstack([table, [QColor(theme.beyond).getRgb(), QColor(theme.missing).getRgb()]])
        colour_of = {i: QColor(*table[i].tolist()) for i in np.unique(index).tolist()}
        return [colour_of[i] for i in index.tolist()]

    def use_font(self, pixels: int) -> QFontMetricsF:
        """Set the type size for further text."""
        font = legend_font(self.painter.font(), pixels)
        self.painter.setFont(font)
        return QFontMetricsF(font)

    def centred(self, text: str, at: Floats, metrics: QFontMetricsF) -> None:
        """Write a text around a point."""
        x = float(at[0]) - metrics.horizontalAdvance(text) / 2
        self.painter.drawText(QPointF(x, float(at[1]) + metrics.capHeight() / 2), text)


def clear_of_names(picture: Picture, curves: NDArray[np.floating]) -> Floats:
    """Return the places of marks on curves, pixels ``(n, 2)``: in their middles, or moved off numbered cells.

    If all positions tried are on such cells, the middle.
    """
    start, control, end = np.moveaxis(picture.at(curves), 1, 0)
    t = np.array(ALONG)[:, None, None]
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end
    wide = np.flatnonzero(picture.cells[:, 2] >= NUMBER_PX) if 0 < len(curves) <= MAX_MOVED else np.zeros(0, np.intp)
    cells = picture.cells[wide]
    cells = cells[picture.seen(cells)]
    if not len(cells):
        return np.asarray(points[0])
    low, high = cells[:, :2] - MARK_ROOM_PX, cells[:, :2] + cells[:, 2:] + MARK_ROOM_PX
    covers = ((points[:, :, None] > low) & (points[:, :, None] < high)).all(axis=3).any(axis=2)
    return np.asarray(points[covers.argmin(axis=0), np.arange(len(curves))])


def paint_scene(picture: Picture) -> None:
    """Draw boxes, curves and cells, hot over cold; in a solid, near over far."""
    painter, scene = picture.painter, picture.scene
    links, cells = fading(scene, picture.state)
    painter.save()
    if picture.solid:
        painter.setOpacity(links)
        _paint_solid(picture)
    else:
        _paint_boxes(picture)
        painter.setOpacity(links * scene.bundle_opacity)
        paint_batch(picture, scene.bundles)
        painter.setOpacity(links)
        paint_batch(picture, scene.links)
        painter.setOpacity(cells)
        paint_cells(picture, picture.in_sight)
    painter.restore()


def paint_batch(picture: Picture, batch: CurveBatch) -> None:
    """Draw curves, hot over cold."""
    paths, pens = picture.paths(batch), picture.pens(batch)
    for k in np.argsort(np.abs(batch.heat), kind="stable").tolist():
        picture.painter.strokePath(paths[k], pens[k])


def paint_cells(picture: Picture, nodes: Ids) -> None:
    """Draw some cells."""
    rects, colours = picture.cells[nodes].tolist(), picture.cell_colours(nodes)
    for vertex, rect, colour in zip(nodes.tolist(), rects, colours, strict=True):
        paint_cell(picture, vertex, rect, colour)


def paint_cell(picture: Picture, vertex: int, rect: Sequence[float], colour: QColor) -> None:
    """Draw one cell: a rectangle for a node, round for a switch."""
    area = QRectF(*rect)
    if vertex < picture.geometry.network.nodes:
        picture.painter.fillRect(area, colour)
        return
    path, round_ = QPainterPath(), min(area.width(), area.height()) / 2
    path.addRoundedRect(area, round_, round_)
    picture.painter.fillPath(path, colour)


def flat_pen(colour: QColor, width: float) -> QPen:
    """Return a pen with flat caps; a pen narrower than a pixel is a pixel wide and more translucent instead.

    This matches the canvas; and some PDF viewers draw finer lines as wide as a pixel. The opacity falls no lower than
    `THINNEST`: below it a cold link changes no pixel of eight bits.
    """
    fainter, opacity = QColor(colour), colour.alphaF()
    fainter.setAlphaF(max(opacity * min(width, 1.0), min(opacity, THINNEST)))
    return QPen(fainter, max(width, 1.0), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


def _paint_boxes(picture: Picture) -> None:
    picture.painter.setPen(Qt.PenStyle.NoPen)
    picture.painter.setBrush(QColor(picture.theme.field))
    for rect in picture.boxes.tolist():
        picture.painter.drawRoundedRect(QRectF(*rect), 3, 3)
    picture.painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_solid(picture: Picture) -> None:
    painter, batch = picture.painter, picture.scene.links
    paths, pens = picture.paths(batch), picture.pens(batch)
    rects, fills = picture.cells.tolist(), picture.cell_colours()
    middles = np.concatenate([batch.curves.mean(axis=1), picture.geometry.layout.positions])
    depth = picture.camera.project(middles, picture.size)[:, 2]
    opaque = np.array([colour.alpha() >= 128 for colour in (*picture.link_colours(batch), *fills)])
    # First the translucent ones, then the opaque, far to near, as on the canvas.
    for k in np.lexsort((-depth, opaque)).tolist():
        if k < batch.count:
            painter.strokePath(paths[k], pens[k])
        else:
            vertex = k - batch.count
            paint_cell(picture, vertex, rects[vertex], fills[vertex])
