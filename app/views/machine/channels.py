"""Channels of a collective above the machine: an arc for each message, from node to node, in the colour of its channel.

Arcs show which rank sends to which. The links that a message crosses are shown when it is pointed at. The arcs of
messages in opposite directions bend to opposite sides, and the arcs of several channels bend more and more. Of more
channels than there are colours, messages between the same nodes in the same direction have a single arc.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.model.channels_shown import chosen_channel, drawn_channels
from app.model.state import State
from app.style.theme import Theme
from app.views.drawing import polygon, translucent
from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import Ids, MachineGeometry
from app.views.machine.picture import Floats, Picture, flat_pen
from core.spec import Progress, no_progress

BENDS = (0.10, 0.34)
"""Height of the arcs of the first and of the last channel, relative to their lengths."""
BEND = 0.18
"""The same for a single channel."""
MANY, CROWD = 300, 6000
"""Numbers of arcs beyond which they are thinner, and fainter and without arrows."""
WIDTHS, OPACITIES = (1.6, 1.1, 1.0), (230, 200, 80)
"""Pixels and opacity of arcs: of few, of many, and of a crowd."""
ARROW_AT, ARROW_PX, MIN_ARROW_PX = 0.62, 3.6, (16.0, 26.0)
"""Position of an arrow along an arc, its largest reach, and the minimum length of an arc, of few or many, with one."""
ROOM_OF_ARROW = 40.0
"""Minimum area of the drawing per arc, in square pixels, with arrows."""
ARROW_SHARE = 0.09
"""Reach of an arrow relative to the length of a short arc."""
REPORT_EVERY = 256
"""Arcs drawn between two looks whether the picture is still wanted."""


@dataclass(frozen=True, eq=False)
class Arcs:
    """Messages between different nodes; arrays have the shape ``(arcs, ...)``."""

    message: Ids
    """Numbers of the messages in `core.job.channels.Channels`."""
    channel: Ids
    ends: Floats
    """(arcs, 2, 3) source and destination, world units."""
    bend: Floats
    """Height relative to the length."""

    def curves(self, camera: Camera, size: Size) -> Floats:
        """Return start, control and end in pixels, shape ``(arcs, 3, 2)``."""
        start, end = np.moveaxis(camera.project(self.ends, size)[..., :2], 1, 0)
        along = end - start
        control = (start + end) / 2 + self.bend[:, None] * np.stack([along[:, 1], -along[:, 0]], axis=1)
        return np.stack([start, control, end], axis=1)


def arcs_of(geometry: MachineGeometry, state: State) -> Arcs | None:
    """Return the arcs of the channels drawn, or None if no channels are drawn.

    An arc of several channels has the number of the first.
    """
    channels, chosen = drawn_channels(state), chosen_channel(state)
    if channels is None:
        return None
    node, channel = state.evaluation.case.mapping.nodes, channels.of_message
    src, dst = node[channels.src], node[channels.dst]
    shown = np.flatnonzero((src != dst) & (True if chosen is None else channel == chosen))
    colours = len(state.style.theme.roles)
    if chosen is None and len(channels.names) > colours:
        shown = shown[np.argsort(channel[shown], kind="stable")]
        _, first = np.unique(np.stack([src[shown], dst[shown]]), axis=1, return_index=True)
        shown = np.sort(shown[first])
    last = max(min(len(channels.names), colours) - 1, 1)
    bends = BENDS[0] + (BENDS[1] - BENDS[0]) * (channel[shown] % colours) / last
    bend = bends if chosen is None else np.full(shown.size, BEND)
    ends = geometry.layout.positions[np.stack([src[shown], dst[shown]], axis=1)]
    return Arcs(shown, channel[shown].astype(np.intp), ends.astype(np.float64), bend)


def channel_colour(theme: Theme, channel: int) -> QColor:
    """Return the colour of a channel; colours repeat, so that a legend has to name the channels."""
    return QColor(theme.job_colour(channel + 1))


def paint_channels(picture: Picture) -> None:
    """Draw the arcs of the channels drawn, if there are any."""
    arcs = arcs_of(picture.geometry, picture.state)
    if arcs is not None:
        picture.painter.save()
        paint_arcs(picture.painter, arcs, arcs.curves(picture.camera, picture.size), picture.size, picture.theme)
        picture.painter.restore()


def paint_arcs(
    painter: QPainter, arcs: Arcs, curves: Floats, size: Size, theme: Theme, progress: Progress = no_progress
) -> None:
    """Draw arcs, given their curves in pixels; arcs outside the picture are omitted.

    Raises Cancelled: when `progress` does.
    """
    low, high = curves.min(axis=1), curves.max(axis=1)
    seen = np.flatnonzero((high >= 0).all(axis=1) & (low <= size).all(axis=1))
    look = int(seen.size > MANY) + int(seen.size > CROWD)
    pens = {
        channel: flat_pen(translucent(channel_colour(theme, channel), OPACITIES[look]), WIDTHS[look])
        for channel in np.unique(arcs.channel[seen]).tolist()
    }
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for done, (k, path) in enumerate(zip(seen.tolist(), _paths(curves[seen]), strict=True)):
        painter.strokePath(path, pens[int(arcs.channel[k])])
        if done % REPORT_EVERY == 0:
            progress(done / seen.size)
    area = float(np.prod(np.ptp(curves[seen].reshape(-1, 2), axis=0))) if seen.size else 0.0
    if look < len(MIN_ARROW_PX) and area >= ROOM_OF_ARROW * seen.size:
        _paint_arrows(painter, arcs.channel[seen], curves[seen], theme, MIN_ARROW_PX[look])


def _paths(curves: Floats) -> Iterator[QPainterPath]:
    for x, y, *bend in curves.reshape(-1, 6).tolist():
        path = QPainterPath(QPointF(x, y))
        path.quadTo(*bend)
        yield path


def _paint_arrows(painter: QPainter, channel: Ids, curves: Floats, theme: Theme, shortest: float) -> None:
    start, control, end = np.moveaxis(curves, 1, 0)
    t, length = ARROW_AT, np.hypot(*(end - start).T)
    tip = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end
    along = (1 - t) * (control - start) + t * (end - control)
    along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    reach = np.minimum(ARROW_PX, ARROW_SHARE * length)[:, None]
    corners = np.stack([tip + 2 * reach * along, tip + reach * across, tip - reach * across], axis=1)
    painter.setPen(QPen(QColor(theme.panel), 0.7))
    for k in np.flatnonzero(length >= shortest).tolist():
        painter.setBrush(channel_colour(theme, int(channel[k])))
        painter.drawPolygon(polygon(corners[k].tolist()))
