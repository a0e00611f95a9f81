"""Frames around open boxes and the groups in them, and the names of both."""

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPen

from app.views.legend import FONT_PX
from app.views.machine.label_space import LabelSpace
from app.views.machine.picture import Picture
from app.wording.names import member_label
from core.network.nics import HOST

FRAME_PX = 3
"""Distance of an open box's frame from its cells."""
FRAME = (-FRAME_PX, -FRAME_PX, FRAME_PX, FRAME_PX)
HOST_PX, HOST_CELL_PX = 2.5, 6
"""Greatest distance of a host's frame from its NICs, and the smallest size of NICs with such frames."""
INNER_NAME_PX = 300
"""Minimum width of a box whose inner groups have names."""
ASIDE_PX = 6
"""Distance of a name from its frame."""


def paint_frames(picture: Picture) -> None:
    """Draw frames around open boxes and their groups of the second level, with their names next to them."""
    if not picture.scene.open.size:
        return
    picture.painter.setBrush(Qt.BrushStyle.NoBrush)
    room, layout = LabelSpace(picture), picture.geometry.layout
    for box in picture.scene.open.tolist():
        picture.painter.setPen(QPen(QColor(picture.theme.border), 1))
        picture.painter.drawRoundedRect(QRectF(*picture.boxes[box].tolist()).adjusted(*FRAME), 4, 4)
        # Among links across the box, groups without frames are not recognisable.
        if len(picture.geometry.network.levels) > 1 and (layout.near or not layout.rows):
            _inner_frames(picture, box, room)


def _inner_frames(picture: Picture, box: int, room: LabelSpace) -> None:
    frames = inner_frames(picture, box)
    if not picture.geometry.in_rows:
        # Grids are apart, with links between them.
        picture.painter.setPen(QPen(QColor(picture.theme.border), 1))
        for frame in frames.values():
            picture.painter.drawRoundedRect(frame, 3, 3)
    if picture.boxes[box, 2:].max() < INNER_NAME_PX:
        return
    metrics = picture.use_font(FONT_PX)
    outer = QRectF(*picture.boxes[box].tolist()).adjusted(*FRAME)
    for inner, frame in frames.items():
        name = member_label(picture.geometry.network, 1, inner)
        others = [other for other in frames.values() if other is not frame]
        below = picture.geometry.in_rows
        place = room.first_free(_places(frame, outer, others, name, metrics, below))
        if place is not None:
            room.write(name, place, picture.theme.dim, metrics, veiled=True)


def inner_frames(picture: Picture, box: int) -> dict[int, QRectF]:
    """Return the frame of each group of the second level in an open box, in pixels."""
    level = picture.geometry.network.levels[1]
    members = picture.geometry.members(box)
    at = picture.at(picture.geometry.layout.positions[members])
    half = picture.geometry.frame_reach * picture.camera.scale
    frames = {}
    for inner in np.unique(level.group[members]).tolist():
        points = at[level.group[members] == inner]
        (left, top), (right, bottom) = points.min(0) - half, points.max(0) + half
        frames[inner] = QRectF(left, top, right - left, bottom - top)
    return frames


def paint_hosts(picture: Picture) -> None:
    """Draw frames around the NICs of each host."""
    picture.painter.setBrush(Qt.BrushStyle.NoBrush)
    picture.painter.setPen(QPen(QColor(picture.theme.dim), 1))
    for frame in host_frames(picture).values():
        picture.painter.drawRoundedRect(frame, 3, 3)


def host_frames(picture: Picture) -> dict[int, QRectF]:
    """Return the frame of each host whose NICs are next to each other, large enough, and not framed as a group."""
    geometry, network = picture.geometry, picture.geometry.network
    hosts, second = network.host_slots, network.levels[1:2]
    boxes_are_hosts = geometry.boxed and network.levels[0].count == hosts.count
    if boxes_are_hosts or (geometry.boxed and not geometry.in_rows and second and second[0].name == HOST):
        return {}
    framed = geometry.compact_hosts[np.isin(geometry.compact_hosts, hosts.host_of[picture.nodes_in_sight])]
    cells = picture.cells[: network.nodes]
    if not framed.size or cells[0, 2] < HOST_CELL_PX:
        return {}
    low = np.minimum.reduceat(cells[:, :2], hosts.first, axis=0)[framed]
    high = np.maximum.reduceat(cells[:, :2] + cells[:, 2:], hosts.first, axis=0)[framed]
    gap = geometry.nic_distance * picture.camera.scale - float(cells[0, 2])
    margin = min(HOST_PX, gap / 2)
    rects = np.column_stack([low - margin, high - low + 2 * margin]).tolist()
    return {host: QRectF(*rect) for host, rect in zip(framed.tolist(), rects, strict=True)}


def _places(
    frame: QRectF, outer: QRectF, others: list[QRectF], name: str, metrics: QFontMetricsF, below: bool
) -> Iterator[QRectF]:
    """Yield places for the name of an inner frame: outside the box next to the frame, else on top of the frame.

    Names of frames side by side are all below the box if `below`.
    """
    width, height = metrics.horizontalAdvance(name), metrics.height()
    middle = frame.center().y() - height / 2
    row = [other for other in others if other.top() < frame.bottom() and other.bottom() > frame.top()]
    if below and row:
        yield QRectF(frame.center().x() - width / 2, outer.bottom() + 1, width, height)
    # The frame of the box is close to those inside, and thick if the box is selected.
    if not any(other.left() < frame.left() for other in row):
        yield QRectF(outer.left() - ASIDE_PX - width, middle, width, height)
    if not any(other.right() > frame.right() for other in row):
        yield QRectF(outer.right() + ASIDE_PX, middle, width, height)
    above = QRectF(frame.left() + 2, frame.top() - height - 1, width, height)
    if not any(above.intersects(other) for other in others):
        yield above


def paint_names_at_heads(picture: Picture) -> None:
    """Name boxes at their top; if that is not visible, in a free place in the box, never on a cell."""
    metrics, room = picture.use_font(FONT_PX), LabelSpace(picture)
    height = metrics.height()
    for box in np.flatnonzero(picture.seen(picture.boxes)).tolist():
        left, top, wide, _ = picture.boxes[box].tolist()
        network = picture.geometry.network
        name = network.group_name(box)
        if metrics.horizontalAdvance(name) > wide:
            name = network.group_label(box)
        width = metrics.horizontalAdvance(name)
        head = QRectF(left, top - 5 - height, width, height)
        place = head if room.free(head) else room.inside(picture.boxes[box], width, height)
        if place is not None:
            # A name at an open box or inside a box may be over links.
            veiled = place is not head or picture.scene.open.size > 0
            room.write(name, place, picture.theme.text, metrics, veiled=veiled)
