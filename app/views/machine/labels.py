"""Names on the machine, and arrows on its links."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from app.model.nodes import group_labels
from app.views.drawing import half_extent, ink, polygon, rect_around, spaced_numbers
from app.views.legend import FONT_PX
from app.views.machine.frames import paint_names_at_heads
from app.views.machine.geometry import Ids
from app.views.machine.label_space import LabelSpace
from app.views.machine.legends import legend_areas
from app.views.machine.picture import NUMBER_PX, Floats, Picture
from app.views.machine.scattered_labels import paint_scattered_names
from app.views.machine.scene import CurveBatch

MIN_NUMBER_PX = 9
"""Minimum type size of numbers in cells."""
NAME_PX = 84
"""Minimum width of a box with its name at its top instead of outside the ring."""
RING_NAME_PX = 6
"""Distance of the names around a circle from the marks of their nodes."""
RING_NAME_ROOM = 2.0
"""Distance of these names along the circle, relative to their width."""
CAPTION_PX = 8
"""Distance of captions at the left of the picture from the items they name."""
CORNER_PX, CORNER_STEP_PX = (8, 110), 4
"""Minimum and maximum distance of the names of corners from the corners, and its steps: beyond stubs, but near."""
ARROW_PX = 44
"""Minimum distance of lattice nodes whose links have arrows."""


def paint_group_names(picture: Picture) -> None:
    """Name boxes: large ones at their top, small ones outside the ring, as many as fit."""
    if picture.boxes[0, 2] >= NAME_PX or picture.geometry.in_rows:
        paint_names_at_heads(picture)
    else:
        _names_outside(picture)


def _names_outside(picture: Picture) -> None:
    legends, metrics = legend_areas(picture), picture.use_font(FONT_PX)
    labels = picture.geometry.layout.box_labels
    names = [picture.geometry.network.group_label(group) for group in range(len(labels))]
    at = picture.at(np.insert(labels, 2, 0.0, axis=1))
    room = np.array([max(map(metrics.horizontalAdvance, names)) + 4, metrics.height()])
    away = labels * [1, -1] / np.linalg.norm(labels, axis=1, keepdims=True)
    at += away * (6 + np.abs(away * room / 2).sum(axis=1, keepdims=True))
    picture.painter.setPen(QColor(picture.theme.dim))
    for group in spread_around(at, room):
        area = rect_around(at[group], room / 2)
        if not any(legend.intersects(area) for legend in legends):
            picture.centred(names[group], at[group], metrics)


def spread_around(at: Floats, room: Floats) -> range:
    """Return which places on a ring to name: from the first on, in the smallest power-of-two step that fits.

    The last one, less than a step from the first, is named if it fits.
    """
    stride = 1
    while stride < len(at):
        for end in (len(at), len(at) - stride // 2):
            shown = at[:end:stride]
            gap = np.abs(np.roll(shown, -1, axis=0) - shown)
            if (gap >= room).any(axis=1).all():
                return range(0, end, stride)
        stride *= 2
    return range(1)


def paint_captions(picture: Picture) -> list[QRectF]:
    """Write the captions of heights: left of the drawing, or at the border if that is not visible.

    Returns the rectangles of the captions.
    """
    if not picture.geometry.layout.captions:
        return []
    metrics, room = picture.use_font(FONT_PX), LabelSpace(picture)
    height, written = metrics.height(), []
    half = float(picture.cells[:, 3].max()) / 2
    for text, (x, y) in picture.geometry.layout.captions:
        end, middle = picture.at(np.array([x, y, 0.0])).tolist()
        width = metrics.horizontalAdvance(text)
        left = QRectF(end - width - CAPTION_PX, middle - height / 2, width, height)
        above, below = (middle + side * (half + 4) - height * (side < 0) for side in (-1, 1))
        pinned = [QRectF(2 * CAPTION_PX, top, width, height) for top in (middle - height / 2, above, below)]
        place = room.first_free([left, *pinned])
        if place is not None:
            room.write(text, place, picture.theme.dim, metrics, veiled=True)
            written.append(place.adjusted(-CAPTION_PX, 0, CAPTION_PX, 0))
    return written


def cells_numbered(picture: Picture) -> bool:
    """Return whether cells are large enough for their names: in a lattice, for all of them."""
    largest = float(picture.cells[:, 2].max())
    if largest < NUMBER_PX or picture.solid:
        return False
    network = picture.geometry.network
    if not picture.geometry.layout.axes:
        return True
    return _number_size(picture, _short(network.label(network.nodes - 1)), largest) is not None


def _number_size(picture: Picture, longest: str, width: float) -> int | None:
    """Return the type size in which a name fits into a cell, or None if no readable size does."""
    sizes = range(_number_px(width), MIN_NUMBER_PX - 1, -1)
    return next((px for px in sizes if picture.use_font(px).horizontalAdvance(longest) <= width - 2), None)


def paint_node_names(picture: Picture, taken: list[QRectF]) -> None:
    """Number the cells that are large enough; without boxes, name some around the picture, outside `taken`."""
    network, geometry = picture.geometry.network, picture.geometry
    if geometry.layout.scattered:
        _scattered_names(picture, taken)
    elif cells_numbered(picture):
        # Host names are known to the reader; other nodes are numbered within their box.
        in_box = geometry.boxed and not geometry.in_rows and not network.hosts
        group = network.levels[0].nodes_per_group if in_box else 0
        seen = picture.in_sight.tolist()
        names = [str(at % group) if group and at < network.nodes else _short(_in_box(picture, at)) for at in seen]
        groups = group_labels(picture.state, picture.nodes_in_sight)
        names = [groups.get(at, name) for at, name in zip(seen, names, strict=True)]
        _write_into(picture, picture.in_sight, names)
    elif geometry.layout.circle:
        _names_around(picture)
    elif not (geometry.boxed or geometry.plane):
        _corner_names(picture, taken)


def _scattered_names(picture: Picture, taken: list[QRectF]) -> None:
    """Write the names of nodes and of switches into their marks if all fit; else name some next to their marks.

    `taken` are rectangles that names avoid.
    """
    network, seen = picture.geometry.network, picture.in_sight
    outside = []
    for part in (seen[seen >= network.nodes], picture.nodes_in_sight):
        names = [_short(network.label(vertex)) for vertex in part.tolist()]
        if _all_fit(picture, part, names):
            _write_into(picture, part, names)
        else:
            outside.append(part)
    if outside:
        paint_scattered_names(picture, taken, np.concatenate(outside))


def _all_fit(picture: Picture, vertices: Ids, names: list[str]) -> bool:
    """Return whether the marks of visible vertices are wide enough for their names."""
    width = float(picture.cells[vertices, 2].min(initial=np.inf))
    if width < NUMBER_PX:
        return False
    wide, high = picture.geometry.layout.cell
    # Wide marks are made for names, also in small type.
    px = MIN_NUMBER_PX if wide > high else _number_px(width)
    metrics = picture.use_font(px)
    return all(metrics.horizontalAdvance(name) <= width - 2 for name in names)


def _number_px(width: float) -> int:
    return int(np.clip(width * 0.42, MIN_NUMBER_PX, 14))


def _in_box(picture: Picture, vertex: int) -> str:
    """Return the label of a vertex, without the name of its box if it begins with it."""
    network = picture.geometry.network
    group = int(network.group_of[vertex])
    box = network.group_label(group) if picture.geometry.in_rows and group >= 0 else ""
    return network.label(vertex).removeprefix(f"{box}-") if box else network.label(vertex)


def _short(label: str) -> str:
    # The last word of "L1 switch 3" or "g2 · r3": row or box show the rest.
    return label.split()[-1].strip("()") if label.strip() else label


def _write_into(picture: Picture, nodes: Ids, names: list[str]) -> None:
    rects = picture.cells[nodes]
    largest = float(rects[:, 2].max(initial=0.0))
    if largest < NUMBER_PX:
        return
    legends = legend_areas(picture)
    size = _number_size(picture, max(names, key=len), largest) or _number_px(largest)
    metrics = picture.use_font(size)
    for rect, fill, name in zip(rects, picture.cell_colours(nodes), names, strict=True):
        fits = rect[2] >= NUMBER_PX and metrics.horizontalAdvance(name) <= rect[2] - 2
        if fits and not any(area.intersects(QRectF(*rect.tolist())) for area in legends):
            picture.painter.setPen(ink(fill))
            picture.centred(name, rect[:2] + rect[2:] / 2, metrics)


def _names_around(picture: Picture) -> None:
    """Name nodes on a circle in round steps."""
    layout, network = picture.geometry.layout, picture.geometry.network
    legends, metrics = legend_areas(picture), picture.use_font(FONT_PX)
    rays = layout.positions / np.linalg.norm(layout.positions, axis=1, keepdims=True)
    room = np.array([metrics.horizontalAdvance(network.label(network.nodes - 1)), metrics.height()])
    away = rays[:, :2] * [1, -1]
    at = picture.at(layout.positions)
    at += away * (picture.cells[0, 2] / 2 + RING_NAME_PX + np.abs(away * room / 2).sum(axis=1, keepdims=True))
    picture.painter.setPen(QColor(picture.theme.dim))
    chord = float(np.hypot(*(at[1] - at[0])))
    for node in spaced_numbers(len(at), chord, RING_NAME_ROOM * float(room.max()), set()):
        name, last = network.label(node), node and (len(at) - node) * chord < room.max()
        place = rect_around(at[node], half_extent(metrics, name))
        if not last and not any(area.intersects(place) for area in legends):
            picture.centred(name, at[node], metrics)


def _corner_names(picture: Picture, taken: list[QRectF]) -> None:
    """Name the corners of a lattice that are far enough apart, off the drawing."""
    corners = _corners(picture.geometry.layout.positions[: picture.geometry.network.nodes])
    metrics = picture.use_font(FONT_PX)
    seen = picture.at(picture.geometry.layout.positions[corners])
    centre = seen.mean(0)
    reach = np.hypot(*(seen - centre).T)
    room = LabelSpace(picture, picture.scene.links)
    for rect in taken:
        room.take(rect)
    for node, at, off in zip(corners, seen, reach, strict=True):
        if off < 0.6 * reach.max():
            # The name of a corner that points towards or away from the viewer would be among the links.
            continue
        away = (at - centre) / max(float(off), 1e-9)
        name = picture.geometry.network.label(node)
        place = room.first_free(_outwards(picture, at, away, half_extent(metrics, name)))
        if place is not None:
            room.write(name, place, picture.theme.dim, metrics, veiled=False)


def _outwards(picture: Picture, at: Floats, away: Floats, half: Floats) -> Iterator[QRectF]:
    """Yield places for the name of a corner, from near outwards, kept inside the picture."""
    for off in range(CORNER_PX[0], CORNER_PX[1], CORNER_STEP_PX):
        place = at + away * (off + np.abs(away * half).sum())
        place = np.clip(place, half + 3, np.array(picture.size) - half - 3)
        yield rect_around(place, half)


def _corners(positions: NDArray[np.float32]) -> list[int]:
    signs = np.stack(np.meshgrid([-1, 1], [1, -1], [-1, 1]), axis=-1).reshape(-1, 3)
    corners = [int(np.argmax(positions @ sign)) for sign in signs * np.array([1.0, 1.01, 1.02])]
    return list(dict.fromkeys(corners))


def paint_arrows(picture: Picture, links: CurveBatch) -> None:
    """Draw arrows on the links of a plane lattice."""
    boxes = picture.geometry.boxed and not picture.geometry.in_rows
    if boxes or picture.solid or picture.camera.scale < ARROW_PX or not links.count:
        return
    points = picture.at(links.curves)
    seen = ((points.min(1) < picture.size) & (points.max(1) > 0)).all(1)
    start, control, end = (points[seen, k] for k in range(3))
    t = 0.64
    tip = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end
    along = (1 - t) * (control - start) + t * (end - control)
    along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    reach = (links.width[seen].astype(float) * 0.8 + 2)[:, None]
    corners = np.stack([tip + 1.4 * reach * along, tip + reach * across, tip - reach * across], axis=1)
    picture.painter.setPen(Qt.PenStyle.NoPen)
    for triangle, colour in zip(corners.tolist(), picture.link_colours(links.only(seen)), strict=True):
        picture.painter.setBrush(colour)
        picture.painter.drawPolygon(polygon(triangle))
