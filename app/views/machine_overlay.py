"""What QPainter draws above links and cells, on the canvas and in pictures: names, frames, what is chosen."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from app.colour import lookup_table
from app.session import Item, State
from app.views.legend import diamond, legend_font, legend_rect
from app.views.machine_camera import Camera, Size
from app.views.machine_items import Chosen, resolve
from app.views.machine_marks import box_rects, cell_rects, coloured, colours_of, stroke_paths
from app.views.machine_scene import Ids, Scene

Floats = NDArray[np.float64]

NUMBER_PX = 19
"""Width of a cell from which its number is written into it."""
NAME_PX = 84
"""Width of a box from which its name stands at its head instead of outside the ring."""
INNER_NAME_PX = 300
"""Width of a box from which its inner groups have names."""
ARROW_PX = 44
"""Distance of lattice nodes from which links show their direction."""
MARK_CELL_PX = 8
"""Width of a cell from which a dot tells that it has a bottleneck link."""
MARK_LIMIT = 200
"""Marks of bottlenecks drawn at most; where so many are alike, the mark tells nothing that the colour does not."""
BADGE_PX = 20
"""Width of a box from which a diamond tells that a bottleneck lies inside."""
MARK_FEW = 60
"""Marks up to which they are drawn large."""


class Overlay:
    """One drawing of the overlay; `paint_overlay` is the way in."""

    def __init__(self, painter: QPainter, scene: Scene, camera: Camera, size: Size, state: State) -> None:
        self.painter = painter
        self.scene = scene
        self.camera = camera
        self.size = size
        self.state = state
        self.theme = state.theme
        self.plan = scene.plan
        self.font = painter.font()

    def paint(self) -> None:
        """Draw all but what is chosen."""
        if self.plan.boxed:
            self._inner_frames()
            self._group_names()
            self._cell_marks()
            self._badges()
        elif not self.plan.layout.solid:
            self._arrows()
        self._marks()
        self._node_names()

    def paint_chosen(self, item: Item, strong: bool) -> None:
        """Set one item off: strongly if it is selected, lightly if it is only pointed at."""
        assert self.state.answer is not None
        chosen = resolve(item, self.scene, self.camera, self.state.answer.case)
        if chosen is None:
            return
        accent = QColor(self.theme.accent)
        if not strong:
            accent.setAlpha(170)
        self._chosen_strokes(chosen, accent)
        self._chosen_cells(chosen, strong)
        pen = QPen(accent, 2.0 if strong else 1.5)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        self.painter.setPen(pen)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for rect in self._outlines(chosen):
            self.painter.drawRoundedRect(rect, 2.5, 2.5)

    def _outlines(self, chosen: Chosen) -> list[QRectF]:
        boxes = box_rects(self.scene, self.camera, self.size)[chosen.groups] if self.plan.boxed else np.zeros((0, 4))
        cells = cell_rects(self.scene, self.camera, self.size)[chosen.nodes]
        return [QRectF(*rect).adjusted(-2, -2, 2, 2) for rect in np.concatenate([boxes, cells]).tolist()]

    def _chosen_strokes(self, chosen: Chosen, accent: QColor) -> None:
        paths = stroke_paths(chosen.strokes, self.camera, self.size)
        colours = coloured(chosen.strokes, self.state)
        painter = self.painter
        for k in np.argsort(chosen.strokes.heat, kind="stable").tolist():
            width = float(chosen.strokes.width[k])
            if chosen.outlined:
                painter.strokePath(paths[k], QPen(accent, width + 5, c=Qt.PenCapStyle.RoundCap))
            colour = colours[k]
            colour.setAlpha(255)
            painter.strokePath(paths[k], QPen(colour, width))

    def _chosen_cells(self, chosen: Chosen, strong: bool) -> None:
        # Selecting fades all cells; those chosen keep their colour.
        if not strong:
            return
        groups = [self.plan.members(int(g)) for g in chosen.groups]
        nodes = np.unique(np.concatenate([chosen.nodes, *groups])).astype(np.intp)
        table = lookup_table(self.state.scale.map, self.theme.dark)
        fills = colours_of(self.scene.heat.node[nodes], table, self.state)
        rects = cell_rects(self.scene, self.camera, self.size)[nodes]
        for rect, fill in zip(rects.tolist(), fills, strict=True):
            self.painter.fillRect(QRectF(*rect), fill)

    def _inner_frames(self) -> None:
        """Draw frames around the groups of the second level in open boxes, and their names."""
        if not self.scene.open.size:
            return
        rects = box_rects(self.scene, self.camera, self.size)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for box in self.scene.open.tolist():
            self.painter.setPen(QPen(QColor(self.theme.border), 1))
            self.painter.drawRoundedRect(QRectF(*rects[box].tolist()).adjusted(-3, -3, 3, 3), 4, 4)
            if len(self.plan.network.levels) > 1:
                self._inner_groups(box, float(rects[box, 2]))

    def _inner_groups(self, box: int, width: float) -> None:
        level = self.plan.network.levels[1]
        members = self.plan.members(box)
        group = level.group[members]
        at = self.camera.project(self.plan.layout.positions[members], self.size)[:, :2]
        half = self.plan.layout.cell[0] * self.camera.scale * 0.47
        metrics = self._use_font(11)
        for rank, inner in enumerate(np.unique(group)):
            points = at[group == inner]
            left, top = points.min(0) - half
            right, bottom = points.max(0) + half
            self.painter.setPen(QPen(QColor(self.theme.border), 1))
            self.painter.drawRoundedRect(QRectF(left, top, right - left, bottom - top), 3, 3)
            name = f"{level.name} {rank}"
            if width >= INNER_NAME_PX and left - metrics.horizontalAdvance(name) > 12:
                self.painter.setPen(QColor(self.theme.dim))
                self._right_aligned(name, left - 8, (top + bottom) / 2, metrics)

    def _right_aligned(self, text: str, right: float, middle: float, metrics: QFontMetricsF) -> None:
        at = QPointF(right - metrics.horizontalAdvance(text), middle + metrics.capHeight() / 2)
        self.painter.drawText(at, text)

    def _group_names(self) -> None:
        rects = box_rects(self.scene, self.camera, self.size)
        if rects[0, 2] >= NAME_PX:
            self._names_at_heads(rects)
        else:
            self._names_outside()

    def _names_at_heads(self, rects: Floats) -> None:
        metrics = self._use_font(11)
        self.painter.setPen(QColor(self.theme.text))
        seen = (rects[:, :2] < self.size).all(1) & (rects[:, :2] + rects[:, 2:] > 0).all(1)
        for box in np.flatnonzero(seen).tolist():
            left, top, width, _ = rects[box].tolist()
            name = f"{self.plan.network.levels[0].name} {box}"
            if metrics.horizontalAdvance(name) > width:
                name = str(box)
            self.painter.drawText(QPointF(max(left, 6), max(top - 6, metrics.ascent() + 4)), name)

    def _names_outside(self) -> None:
        metrics = self._use_font(11)
        labels = self.plan.layout.box_labels
        at = self.camera.project(np.column_stack([labels, np.zeros(len(labels))]), self.size)[:, :2]
        room = np.array([metrics.horizontalAdvance(str(len(labels))) + 4, metrics.height()])
        away = labels * [1, -1] / np.linalg.norm(labels, axis=1, keepdims=True)
        at += away * (6 + np.abs(away * room / 2).sum(axis=1, keepdims=True))
        shown = np.arange(0, len(at), _stride(at, room))
        self.painter.setPen(QColor(self.theme.dim))
        for group in shown.tolist():
            self._centred(str(group), at[group], metrics)

    def _centred(self, text: str, at: Floats, metrics: QFontMetricsF) -> None:
        x = float(at[0]) - metrics.horizontalAdvance(text) / 2
        self.painter.drawText(QPointF(x, float(at[1]) + metrics.capHeight() / 2), text)

    def _cell_marks(self) -> None:
        """Dot the cells that have a bottleneck link."""
        rects = cell_rects(self.scene, self.camera, self.size)
        nodes = self._seen(rects, np.flatnonzero(self.scene.heat.marked(self.scene.heat.node)))
        width = rects[nodes, 2] if nodes.size else np.zeros(1)
        if width.min() < MARK_CELL_PX:
            return
        table = lookup_table(self.state.scale.map, self.theme.dark)
        numbered = width.max() >= NUMBER_PX
        self.painter.setPen(Qt.PenStyle.NoPen)
        fills = colours_of(self.scene.heat.node[nodes], table, self.state)
        for rect, fill in zip(rects[nodes].tolist(), fills, strict=True):
            side = min(max(rect[2] * 0.22, 3.0), 5.0)
            corner = QPointF(rect[0] + rect[2] - side, rect[1] + side)
            self.painter.setBrush(_ink(fill))
            centre = corner if numbered else QPointF(rect[0] + rect[2] / 2, rect[1] + rect[3] / 2)
            self.painter.drawEllipse(centre, side / 2, side / 2)

    def _badges(self) -> None:
        """Set diamonds on the closed boxes that hold a bottleneck."""
        a, b = self.plan.ends
        inside = np.flatnonzero(self.scene.heat.marked(self.scene.heat.link) & (a == b))
        boxes = np.setdiff1d(a[inside], self.scene.open)
        rects = box_rects(self.scene, self.camera, self.size)
        if boxes.size > MARK_LIMIT or rects[0, 2] < BADGE_PX:
            return
        self.painter.setPen(QPen(QColor(self.theme.panel), 1))
        self.painter.setBrush(QColor(self.theme.text))
        for left, top, width, _ in rects[boxes].tolist():
            diamond(self.painter, left + width - 1, top + 1, 4 if width >= 30 else 3)

    def _marks(self) -> None:
        """Set diamonds on the links and bundles that limit the job."""
        middles, width = self.scene.marks()
        at = self.camera.project(middles, self.size)[:, :2]
        seen = ((at > 0) & (at < self.size)).all(1)
        if seen.sum() > MARK_LIMIT:
            return
        most = 5.0 if seen.sum() <= MARK_FEW else 3.0
        self.painter.setPen(QPen(QColor(self.theme.panel), 1))
        self.painter.setBrush(QColor(self.theme.text))
        for (x, y), wide in zip(at[seen].tolist(), width[seen].tolist(), strict=True):
            diamond(self.painter, x, y, min(wide / 2 + 2.5, most))

    def _seen(self, rects: Floats, nodes: Ids) -> Ids:
        chosen = rects[nodes]
        inside = (chosen[:, :2] < self.size).all(1) & (chosen[:, :2] + chosen[:, 2:] > 0).all(1)
        return np.asarray(nodes[inside], np.intp)

    def _node_names(self) -> None:
        """Number the cells that are large enough; in a lattice, name the corners otherwise."""
        rects = cell_rects(self.scene, self.camera, self.size)
        nodes = self._seen(rects, np.arange(self.plan.network.nodes))
        if not nodes.size:
            return
        if self.plan.boxed:
            first = self.plan.network.levels[0].nodes_per_group
            self._write_into(rects, nodes, [str(int(node) % first) for node in nodes])
        elif not self.plan.layout.solid and rects[0, 2] >= NUMBER_PX:
            self._write_into(rects, nodes, [self.plan.network.label(int(node)).strip("()") for node in nodes])
        else:
            self._corner_names()

    def _write_into(self, rects: Floats, nodes: Ids, names: list[str]) -> None:
        if rects[nodes, 2].max() < NUMBER_PX:
            return
        metrics = self._use_font(int(np.clip(rects[nodes, 2].max() * 0.42, 9, 14)))
        table = lookup_table(self.state.scale.map, self.theme.dark)
        fills = colours_of(self.scene.heat.node[nodes], table, self.state)
        for rect, fill, name in zip(rects[nodes], fills, names, strict=True):
            if rect[2] >= NUMBER_PX and metrics.horizontalAdvance(name) <= rect[2] - 2:
                self.painter.setPen(_ink(fill))
                self._centred(name, rect[:2] + rect[2:] / 2, metrics)

    def _corner_names(self) -> None:
        """Name the corners of a lattice, as far as they lie apart."""
        positions = self.plan.layout.positions[: self.plan.network.nodes]
        metrics = self._use_font(11)
        corners = _corners(positions)
        seen = self.camera.project(positions[corners], self.size)[:, :2]
        centre = seen.mean(0)
        reach = np.hypot(*(seen - centre).T)
        taken = [legend_rect(self.size)]
        self.painter.setPen(QColor(self.theme.dim))
        for node, at in zip(corners, seen, strict=True):
            if np.hypot(*(at - centre)) < 0.6 * reach.max():
                # A corner of a solid that points towards the viewer or away: its name would lie among the links.
                continue
            away = (at - centre) / max(float(np.hypot(*(at - centre))), 1e-9)
            name = self.plan.network.label(node)
            half = np.array([metrics.horizontalAdvance(name) / 2, metrics.height() / 2])
            at = at + away * (self.camera.scale * 0.6 + 2 + np.abs(away * half).sum())
            at = np.clip(at, half + 2, np.array(self.size) - half - 2)
            rect = QRectF(*(at - half).tolist(), *(2 * half).tolist())
            if not any(rect.intersects(other) for other in taken):
                taken.append(rect)
                self._centred(name, at, metrics)

    def _arrows(self) -> None:
        """Point the links of a plane lattice where they lead."""
        links = self.scene.links
        if self.camera.scale < ARROW_PX or not links.count:
            return
        points = self.camera.project(links.curves, self.size)[..., :2]
        seen = ((points.min(1) < self.size) & (points.max(1) > 0)).all(1)
        start, control, end = (points[seen, k] for k in range(3))
        t = 0.64
        tip = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end
        along = (1 - t) * (control - start) + t * (end - control)
        along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        reach = float(links.width.max()) * 0.8 + 2
        corners = np.stack([tip + 1.4 * reach * along, tip + reach * across, tip - reach * across], axis=1)
        self.painter.setPen(Qt.PenStyle.NoPen)
        for triangle, colour in zip(corners.tolist(), coloured(links.only(seen), self.state), strict=True):
            self.painter.setBrush(colour)
            self.painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in triangle]))

    def _use_font(self, pixels: int) -> QFontMetricsF:
        font = QFont(legend_font(self.font, pixels))
        self.painter.setFont(font)
        return QFontMetricsF(font)


def paint_overlay(
    painter: QPainter, scene: Scene, camera: Camera, size: Size, state: State, hover: Item | None = None
) -> None:
    """Draw names and frames, what is selected, and what is pointed at."""
    painter.save()
    overlay = Overlay(painter, scene, camera, size, state)
    overlay.paint()
    if state.selection is not None:
        overlay.paint_chosen(state.selection, strong=True)
    if hover is not None and hover != state.selection:
        overlay.paint_chosen(hover, strong=False)
    painter.restore()


def _stride(at: Floats, room: Floats) -> int:
    """Return the least power of two such that names at every so many places do not touch."""
    stride = 1
    while stride < len(at):
        shown = at[::stride]
        gap = np.abs(np.roll(shown, -1, axis=0) - shown)
        if (gap >= room).any(axis=1).all():
            return stride
        stride *= 2
    return stride


def _ink(fill: QColor) -> QColor:
    """Return black or white, whichever is read better on a colour."""
    light = 0.299 * fill.red() + 0.587 * fill.green() + 0.114 * fill.blue() > 140
    return QColor(20, 22, 26) if light else QColor(240, 242, 246)


def _corners(positions: NDArray[np.float32]) -> list[int]:
    signs = np.stack(np.meshgrid([-1, 1], [1, -1], [-1, 1]), axis=-1).reshape(-1, 3)
    found = [int(np.argmax(positions @ sign)) for sign in signs * np.array([1.0, 1.01, 1.02])]
    return list(dict.fromkeys(found))
