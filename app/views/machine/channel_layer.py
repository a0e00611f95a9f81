"""The arcs of channels above the machine in a window: drawn off the GUI thread, since there may be many thousands."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QImage, QPainter

from app.background.latest_wins import Runner
from app.model.pointing import Item, flow_item
from app.model.state import State
from app.style.theme import Theme
from app.views.machine.camera import Camera, Size
from app.views.machine.channels import Arcs, arcs_of, paint_arcs
from app.views.machine.geometry import MachineGeometry
from app.views.machine.picker import REACH_PX, curve_samples, distances
from app.views.machine.picture import Floats, Picture
from core.spec import Progress


@dataclass(frozen=True, eq=False)
class ArcsWanted:
    """The content of a picture of arcs."""

    arcs: Arcs
    geometry: MachineGeometry
    camera: Camera
    size: Size
    """Logical pixels of the scene."""
    ratio: float
    """Pixels of the screen per pixel of the scene."""
    theme: Theme

    def alike(self, other: "ArcsWanted | None") -> bool:
        """Return whether another picture looks the same."""
        if other is None or other.arcs is not self.arcs or other.theme != self.theme:
            return False
        return (other.camera, other.size, other.ratio) == (self.camera, self.size, self.ratio)


@dataclass(frozen=True, eq=False)
class ArcPicture:
    """A picture of arcs on a transparent background."""

    of: ArcsWanted
    image: QImage
    lines: Floats
    """(arcs, points, 2) each arc as a polyline, pixels of the scene."""


class ChannelLayer:
    """Shows the last picture of the arcs, moved with the camera until the next is drawn."""

    def __init__(self, parent: QObject, update: Callable[[], object], *, sync: bool) -> None:
        self._update = update
        self._runner = Runner("arcs", self._on_drawn, sync=sync, parent=parent)
        self._source: tuple[object, ...] = ()
        """The values that determine the arcs."""
        self._arcs: Arcs | None = None
        self._wanted: ArcsWanted | None = None
        self._picture: ArcPicture | None = None

    def paint(self, picture: Picture, zoom: float) -> None:
        """Draw the arcs, of which another picture is requested if they have changed."""
        arcs = self._current(picture.geometry, picture.state)
        if arcs is None:
            self._runner.cancel()
            self._wanted = self._picture = None
            return
        ratio = picture.painter.device().devicePixelRatio() * zoom
        wanted = ArcsWanted(arcs, picture.geometry, picture.camera, picture.size, ratio, picture.theme)
        if not wanted.alike(self._wanted):
            self._wanted = wanted
            self._runner.request(partial(_draw, wanted))
        if self._picture is not None and self._picture.of.geometry is picture.geometry:
            area = area_under(self._picture.of, picture.camera, picture.size)
            if area is not None:
                picture.painter.drawImage(area, self._picture.image)

    def item_at(self, x: float, y: float, camera: Camera, state: State) -> Item | None:
        """Return the flow whose arc is nearest to a pixel, within reach; None without one, or while it is drawn."""
        shown, channels = self._picture, state.evaluation.case.job.channels
        if shown is None or channels is None or shown.of.camera != camera or shown.of.arcs is not self._arcs:
            return None
        away = distances(shown.lines, x, y)
        if not away.size or away.min() > REACH_PX:
            return None
        message = int(shown.of.arcs.message[int(away.argmin())])
        return flow_item(int(channels.src[message]), int(channels.dst[message]))

    def _current(self, geometry: MachineGeometry, state: State) -> Arcs | None:
        case = state.evaluation.case
        source = geometry, case.job, case.mapping, state.channels.on_machine, state.channels.only
        if len(source) != len(self._source) or any(a is not b for a, b in zip(source, self._source, strict=True)):
            self._source, self._arcs = source, arcs_of(geometry, state)
        return self._arcs

    def _on_drawn(self, picture: ArcPicture) -> None:
        self._picture = picture
        self._update()


def _draw(wanted: ArcsWanted, progress: Progress) -> ArcPicture:
    width, height = (max(round(wanted.ratio * length), 1) for length in wanted.size)
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    curves = wanted.arcs.curves(wanted.camera, wanted.size)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(wanted.ratio, wanted.ratio)
        paint_arcs(painter, wanted.arcs, curves, wanted.size, wanted.theme, progress)
    finally:
        painter.end()
    # A view of wider rows, as of projected points, for which the kernel is compiled.
    lines = np.pad(curve_samples(curves), ((0, 0), (0, 0), (0, 1)))[..., :2]
    return ArcPicture(wanted, image, lines)


def area_under(of: ArcsWanted, camera: Camera, size: Size) -> QRectF | None:
    """Return the rectangle of a picture under another camera, in pixels; None if the camera has turned."""
    if of.camera == camera and of.size == size:
        return QRectF(0.0, 0.0, *size)
    if camera.solid:
        return None
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    (x, y), (right, top) = of.camera.project(corners, of.size)[:, :2].tolist()
    (new_x, new_y), (new_right, new_top) = camera.project(corners, size)[:, :2].tolist()
    across, down = (new_right - new_x) / (right - x), (new_top - new_y) / (top - y)
    return QRectF(new_x - across * x, new_y - down * y, across * of.size[0], down * of.size[1])
