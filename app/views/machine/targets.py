"""Places highlighted on the machine: source and destination of a gesture, the brush's target, and selected tasks."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPen

from app.model.places import fill_text
from app.views.drawing import translucent
from app.views.legend import FONT_PX
from app.views.machine.legends import legend_areas
from app.views.machine.picture import Floats, Picture
from core.mapping.edit import Edit
from core.mapping.targets import Target

MIN_PX = 7.0
"""Minimum size of a place, so that one node among sixteen thousand is visible."""
REACH_PX = 3.0
"""Distance of a frame from its contents."""
UNDERLINED_PX = 5
"""Largest width of a cell that is underlined instead of framed."""
MAX_FRAME_PX = 2
"""Largest width of frames around nodes with selected tasks."""


@dataclass(frozen=True, slots=True)
class Look:
    """The style of a highlighted place."""

    fill: int
    """Opacity of its fill, 0 to 255."""
    width: float
    """Width of its frame in pixels."""
    dashed: bool = False


AIMED = Look(fill=34, width=3.0)
PICKED = Look(fill=0, width=2.0, dashed=True)
PAINTED = Look(fill=0, width=2.0)


def paint_places(picture: Picture, edit: Edit) -> None:
    """Highlight the grabbed place, the drop target and the brush's target; `edit` is the gesture's edit."""
    state, painter = picture.state, picture.painter
    painter.save()
    painted = state.targeted
    taken = legend_areas(picture)
    for target, look in ((painted, PAINTED), (state.edit.grabbed_place, PICKED), (state.edit.drop_target, AIMED)):
        if target is not None:
            _paint_place(picture, target, look)
    for target in dict.fromkeys((state.edit.drop_target, state.edit.grabbed_place)):
        if target is not None:
            what = edit if target == state.edit.drop_target and state.edit.grabbed_place is None else None
            _label(picture, target, fill_text(target, state.evaluation.case, what, state.edit.grabbed), taken)
    if painted is not None and painted not in (state.edit.drop_target, state.edit.grabbed_place):
        _label(picture, painted, painted.name(picture.geometry.network), taken)
    painter.restore()


def rects_of(picture: Picture, target: Target) -> Floats:
    """Return left, top, width and height of the rectangles of a place, ``(n, 4)``: in a lattice one for each node."""
    network = picture.geometry.network
    if picture.geometry.boxed and target.level == 0 and target.level < len(network.levels):
        return picture.boxes[[target.index]]
    cells = picture.cells[target.nodes(network)]
    if picture.geometry.boxed and target.level < len(network.levels):
        low, high = cells[:, :2].min(0), (cells[:, :2] + cells[:, 2:]).max(0)
        cells = np.concatenate([low, high - low])[None]
    return cells


def _paint_place(picture: Picture, target: Target, look: Look) -> None:
    rects = _grown(rects_of(picture, target))
    rects = rects[picture.seen(rects)]
    painter, accent = picture.painter, QColor(picture.theme.accent)
    areas = [QRectF(*rect) for rect in rects.tolist()]
    # A halo in the panel's colour separates the frame from cells of any colour.
    halo = QPen(QColor(picture.theme.panel), look.width + 2)
    frame = QPen(accent, look.width, Qt.PenStyle.DashLine if look.dashed else Qt.PenStyle.SolidLine)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (halo, frame):
        painter.setPen(pen)
        if pen is frame:
            painter.setBrush(translucent(accent, look.fill))
        if len(areas) > 1:
            painter.drawRects(areas)
        elif areas:
            painter.drawRoundedRect(areas[0], 3, 3)


def _grown(rects: Floats) -> Floats:
    # Frames have some distance, and tiny rectangles are enlarged around their centre.
    extent = np.maximum(rects[:, 2:] + 2 * (REACH_PX if len(rects) == 1 else 0.5), MIN_PX)
    middle = rects[:, :2] + rects[:, 2:] / 2
    return np.column_stack([middle - extent / 2, extent])


def _label(picture: Picture, target: Target, text: str, taken: list[QRectF]) -> None:
    """Write the name of a place above it, or in a free place."""
    rects = rects_of(picture, target)
    rects = rects[picture.seen(rects)]
    if not len(rects):
        return
    metrics = picture.use_font(FONT_PX + 1)
    low, high = rects[:, :2].min(0), (rects[:, :2] + rects[:, 2:]).max(0)
    width, height = metrics.horizontalAdvance(text) + 14, metrics.height() + 6
    x = float(np.clip((low[0] + high[0] - width) / 2, 4, max(picture.size[0] - width - 4, 4)))
    above, below = float(low[1]) - height - 8, float(high[1]) + 8
    for y in (above, below, float(low[1]) + 6, 4.0):
        pill = QRectF(x, y, width, height)
        inside = y >= 4 and pill.bottom() <= picture.size[1] - 4
        if inside and not any(pill.intersects(other) for other in taken):
            break
    taken.append(pill)
    painter, theme = picture.painter, picture.theme
    painter.setPen(QPen(QColor(theme.accent), 1))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(pill, 5, 5)
    painter.setPen(QColor(theme.text))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


def paint_marked(picture: Picture) -> None:
    """Frame the nodes with selected tasks, in one image for any number."""
    state = picture.state
    if not state.marked.size or picture.solid:
        return
    mapping = state.evaluation.case.mapping
    marked = state.marked[state.marked < mapping.slots.size]
    holds = np.zeros(picture.geometry.network.nodes, np.bool_)
    holds[mapping.nodes[marked]] = True
    seen = np.zeros(holds.size, np.bool_)
    seen[picture.nodes_in_sight] = True
    draw_frames(picture, picture.cells[: holds.size][holds & seen])


def draw_frames(picture: Picture, rects: Floats) -> None:
    """Frame rectangles of about one size, by pixel operations: thousands are as fast as a few."""
    if not len(rects):
        return
    width, height = (int(np.ceil(extent)) for extent in picture.size)
    across, down = (max(int(np.rint(extent.max())), 2) for extent in rects[:, 2:].T)
    # A margin as large as a rectangle, so that none exceeds the image.
    wide = width + 2 * across
    pixels = np.zeros((height + 2 * down, wide), np.uint32)
    left, top = np.rint(rects[:, :2]).astype(np.intp).T
    corner = (top + down) * wide + left + across
    rows, cols = np.arange(down)[:, None], np.arange(across)[None, :]
    thick = min(MAX_FRAME_PX, across // 4) or 1
    # A frame would cover tiny cells, so these are underlined.
    if across <= UNDERLINED_PX:
        edge = np.broadcast_to(rows == down - 1, (down, across))
    else:
        edge = (rows < thick) | (rows >= down - thick) | (cols < thick) | (cols >= across - thick)
    flat, colour = pixels.reshape(-1), np.uint32(QColor(picture.theme.accent).rgba())
    for dy, dx in np.argwhere(edge).tolist():
        flat[corner + (dy * wide + dx)] = colour
    image = QImage(pixels.data, wide, height + 2 * down, 4 * wide, QImage.Format.Format_ARGB32)
    picture.painter.drawImage(-across, -down, image)
