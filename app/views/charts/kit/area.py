"""The area of a plot: the range that is shown, zooming and panning, and pointer events."""

from enum import Enum, auto
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QGraphicsSceneMouseEvent, QGraphicsSceneWheelEvent

from app.views.charts.kit.scales import LINEAR, Scale
from app.views.charts.kit.setup import pg

MAX_ZOOM = 10_000
"""Maximum zoom relative to the entire range."""

NOTCH = 120
"""Qt's angle delta for one notch of the wheel."""
PAN_PART = 0.15
"""Part of the visible range that one notch moves it by."""

Ends = tuple[float, float]


class Zoom(Enum):
    """When the wheel zooms in under the pointer; otherwise it is passed on, and scrolls."""

    OFF = auto()
    WITH_CTRL = auto()
    ALWAYS = auto()


class Area(pg.ViewBox):
    """The rectangle of a plot.

    Ranges are stored as places of the scales, such as logarithms; all methods take and return values.

    Parameters
    ----------
    x, y
        The scales.
    zoom
        When the wheel zooms. Then dragging pans (with `picks` only with the middle button, or along the axis), a wheel
        that turns sideways too, and a double click shows the whole range.
    zooms_y
        Whether zooming changes the range upwards too.
    max_zoom_y
        Maximum zoom upwards: figures at the left get longer.
    picks
        Whether the left button picks places: `pressed`, `dragged` and `released` are emitted with the values there.
    overhang
        Pixels around the area in which drawings are visible too.
    """

    pressed = Signal(float, float)
    dragged = Signal(float, float)
    released = Signal(float, float)

    def __init__(
        self,
        x: Scale = LINEAR,
        y: Scale = LINEAR,
        *,
        zoom: Zoom = Zoom.OFF,
        zooms_y: bool = False,
        max_zoom_y: int = MAX_ZOOM,
        picks: bool = False,
        overhang: float = 0.0,
    ) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self.scales = x, y
        self.zoom, self.picks = zoom, picks
        self._max_zoom_y = max_zoom_y
        self._overhang = overhang
        self.home: tuple[Ends, Ends] | None = None
        """The entire range, as places of the scales."""
        self.setMouseEnabled(zoom is not Zoom.OFF, zoom is not Zoom.OFF and zooms_y)

    def set_home(self, x: Ends, y: Ends, *, keep: bool = False) -> None:
        """Set the whole range, and show it, unless it is the same as before.

        `keep`: the content has only grown, so a part that is shown stays, unless it is not in the new range.
        """
        (x_low, x_high), (y_low, y_high) = (
            tuple(float(scale.forward(end)) for end in ends) for scale, ends in zip(self.scales, (x, y), strict=True)
        )
        home = (x_low, x_high), (y_low, y_high)
        if home == self.home:
            return
        parts = self._parts() if keep else (None, None)
        self.home = home
        self.setLimits(
            xMin=x_low, xMax=x_high, yMin=y_low, yMax=y_high,
            minXRange=(x_high - x_low) / MAX_ZOOM, minYRange=(y_high - y_low) / self._max_zoom_y,
        )  # fmt: skip
        shown = [
            part if part is not None and low <= part[0] and part[1] <= high else (low, high)
            for part, (low, high) in zip(parts, home, strict=True)
        ]
        self.setRange(xRange=shown[0], yRange=shown[1], padding=0)

    def show_all(self) -> None:
        """Show the entire range."""
        if self.home is not None:
            self.setRange(xRange=self.home[0], yRange=self.home[1], padding=0)

    @property
    def zoomed(self) -> bool:
        """Return whether only a part is shown."""
        return any(part is not None for part in self._parts())

    def _parts(self) -> tuple[Ends | None, Ends | None]:
        """Return the visible parts across and upwards, as places of the scales, or None for the entire range."""
        if self.home is None:
            return None, None
        across, up = (
            (low, high) if high - low < (end - start) * (1 - 1e-6) else None
            for (low, high), (start, end) in zip(self.viewRange(), self.home, strict=True)
        )
        return across, up

    def show_span(self, low: float, high: float) -> None:
        """Show a range across; for areas that are zoomed together."""
        forward = self.scales[0].forward
        self.setXRange(float(forward(low)), float(forward(high)), padding=0)

    def pan(self, part: float) -> None:
        """Move the visible range by a part of its width, as far as the whole range goes."""
        low, high = self.viewRange()[0]
        self.translateBy(x=part * (high - low))

    def enlarge(self, factor: float, centre: float | None = None) -> None:
        """Zoom in horizontally by `factor` around the value `centre`, or around the middle if None."""
        low, high = self.viewRange()[0]
        middle = (low + high) / 2 if centre is None else float(self.scales[0].forward(centre))
        self.setXRange(middle - (middle - low) / factor, middle + (high - middle) / factor, padding=0)

    @property
    def span(self) -> Ends:
        """Return the values at the left and at the right."""
        back, (low, high) = self.scales[0].back, self.viewRange()[0]
        return float(back(low)), float(back(high))

    @property
    def rise(self) -> Ends:
        """Return the values at the bottom and at the top."""
        back, (low, high) = self.scales[1].back, self.viewRange()[1]
        return float(back(low)), float(back(high))

    def x_of(self, value: Any) -> Any:
        """Return the pixel of a value, or the pixels of an array of values, from the left of the area."""
        low, high = self.viewRange()[0]
        return (self.scales[0].forward(value) - low) / (high - low) * self.rect().width()

    def y_of(self, value: Any) -> Any:
        """Return the pixel of a value, or the pixels of an array of values, from the top of the area."""
        low, high = self.viewRange()[1]
        return (high - self.scales[1].forward(value)) / (high - low) * self.rect().height()

    def at(self, x: float, y: float) -> QPointF:
        """Return the point of two values in the area."""
        return QPointF(self.x_of(x), self.y_of(y))

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the point of two values in the chart."""
        return QPointF(self.mapToScene(self.at(x, y)))

    def values_at(self, point: QPointF) -> tuple[float, float]:
        """Return the values at a point of the area."""
        (x_low, x_high), (y_low, y_high) = self.viewRange()
        size = self.rect()
        x = x_low + point.x() / max(size.width(), 1e-9) * (x_high - x_low)
        y = y_high - point.y() / max(size.height(), 1e-9) * (y_high - y_low)
        return float(self.scales[0].back(x)), float(self.scales[1].back(y))

    def values_under(self, point: QPointF) -> tuple[float, float]:
        """Return the values at a point of the chart."""
        return self.values_at(self.mapFromScene(point))

    @property
    def frame(self) -> QRectF:
        """Return its rectangle in the chart."""
        return QRectF(self.mapToScene(QPointF()), self.rect().size())

    @property
    def drawn(self) -> QRectF:
        """Return the rectangle in which drawings are visible, from its own corner."""
        more = self._overhang
        return QRectF(self.rect()).adjusted(-more, -more, more, more)

    def shape(self) -> QPainterPath:
        """Return the same rectangle, which clips drawings."""
        path = QPainterPath()
        path.addRect(self.drawn)
        return path

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Zoom, or pass the wheel on to the scroll area; a sideways wheel pans."""
        held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self.zoomed and event.orientation() == Qt.Orientation.Horizontal:
            self.pan(-event.delta() / NOTCH * PAN_PART)
            event.accept()
        elif self.zoom is Zoom.ALWAYS or (self.zoom is Zoom.WITH_CTRL and held):
            self.updateMatrix()  # else the last frame's matrix zooms at another place
            super().wheelEvent(event, axis)
        else:
            event.ignore()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """Pan; `axis` is given by an axis that is dragged."""
        pans = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
        if self.picks and axis is None:
            pans = Qt.MouseButton.MiddleButton
        if self.zoomed and event.button() & pans:
            self.updateMatrix()
            super().mouseDragEvent(event, axis)
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Show the entire range."""
        if self.zoomed and event.button() == Qt.MouseButton.LeftButton:
            self.show_all()
            event.accept()
        elif self._picks(event):
            self._emit(self.pressed, event)
        else:
            super().mouseDoubleClickEvent(event)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Begin to pick places; Qt's own event, since pyqtgraph's events come late and lose the last move."""
        if self._picks(event):
            self._emit(self.pressed, event)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Pick another place."""
        if self.picks and event.buttons() & Qt.MouseButton.LeftButton:
            self._emit(self.dragged, event)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Pick the last place."""
        if self._picks(event):
            self._emit(self.released, event)
        else:
            super().mouseReleaseEvent(event)

    def _picks(self, event: QGraphicsSceneMouseEvent) -> bool:
        return self.picks and event.button() == Qt.MouseButton.LeftButton

    def _emit(self, signal: Any, event: QGraphicsSceneMouseEvent) -> None:
        event.accept()
        signal.emit(*self.values_at(event.pos()))
