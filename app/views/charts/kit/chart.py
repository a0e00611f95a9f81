"""A chart: areas, axes and texts in one widget, which can be drawn into files at any size without being shown."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPaintEngine, QPainter, QResizeEvent
from PySide6.QtWidgets import QApplication, QGraphicsItem, QWidget

from app.background.timer import timer
from app.style.theme import Theme
from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import Axis
from app.views.charts.kit.caption import Caption, Legend, Message
from app.views.charts.kit.look import Look, plain_look
from app.views.charts.kit.setup import pg
from app.views.drawing import EDGE, draw_focus

ZOOM_KEYS = {Qt.Key.Key_Plus: 1.25, Qt.Key.Key_Equal: 1.25, Qt.Key.Key_Minus: 0.8}
"""Keys that zoom, and by how much."""
CLICK_PX = 4
"""Pixels that the pointer may move between press and release of a click; from 5 on it pans."""


class Plot(NamedTuple):
    """An area with the parts around it."""

    area: Area
    left: Axis
    below: Axis
    legend: Legend
    title: Caption
    """The upright title at the left."""


class Chart(pg.GraphicsLayoutWidget):
    """The widget of a chart. Keys go to its parent, which also has the focus.

    Parameters
    ----------
    parent
        The view, or None for a chart that is only drawn into files.
    """

    hovered = Signal(QPointF)
    """The pointer is at a point of the chart."""
    pointer_left = Signal()
    clicked = Signal(QPointF)
    """The left button was released where it was pressed. In a zoomed chart it is emitted once no double click, which
    shows the whole range, can follow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.look: Look = plain_look()
        self._ready = False
        super().__init__(parent)
        self._dressed = False
        self._pressed_at: QPointF | None = None
        self._clicked_at = QPointF()
        self._click_timer = timer(self, QApplication.doubleClickInterval(), single_shot=True)
        self._click_timer.timeout.connect(self._on_click_timer_timeout)
        if parent is None:
            self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        for widget in (self, self.viewport()):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.ci.layout.setContentsMargins(EDGE, 2, EDGE, 4)
        self.ci.layout.setSpacing(0)
        self._message = Message()
        self._message.hide()
        self.scene().addItem(self._message)
        self._ready = True

    def show_message(self, text: str) -> None:
        """Show a message instead of all parts; an empty text shows these again."""
        self._message.text = text
        self._message.setVisible(bool(text))
        self._message.update()
        self.ci.setVisible(not text)

    def add_plot(self, row: int, area: Area, left: Axis, below: Axis) -> Plot:
        """Put an area into the grid, with its axes, a legend above it and a title at the left, and return these.

        It takes three rows of the grid, from three times `row` on.
        """
        plot = Plot(area, left, below, Legend(), Caption(upright=True, beyond=16))
        top, middle, bottom = range(3 * row, 3 * row + 3)
        self.ci.addItem(plot.legend, top, 2)
        for column, part in enumerate((plot.title, left, area)):
            self.ci.addItem(part, middle, column)
        self.ci.addItem(below, bottom, 2)
        self.ci.layout.setColumnStretchFactor(2, 1)
        self.ci.layout.setRowStretchFactor(middle, 1)
        return plot

    def parts(self) -> Iterator[Any]:
        """Yield the items that can be dressed."""
        yield from (item for item in self.scene().items() if hasattr(item, "dress"))

    def areas(self) -> Iterator[Area]:
        """Yield the areas."""
        yield from (item for item in self.scene().items() if isinstance(item, Area))

    def dress(self, theme: Theme, font: QFont) -> None:
        """Apply a theme and a font, unless the chart has them already."""
        if self._dressed and (self.look.theme, self.look.font) == (theme, font):
            return
        self._dressed = True
        self.look = Look(theme, QFont(font))
        self.setBackground(theme.panel)
        self.dress_parts()
        self.arrange()
        self.viewport().update()

    def dress_parts(self) -> None:
        """Give all parts the look of the chart, including parts added later."""
        for part in self.parts():
            if part.look is not self.look:
                part.dress(self.look)

    def arrange(self) -> None:
        """Set the geometry of parts that are not in the grid; called when size, theme or font change."""

    @property
    def zoomed(self) -> bool:
        """Return whether any area shows only a part of its range."""
        return any(area.zoomed for area in self.areas())

    def show_all(self) -> bool:
        """Show the whole range of every area; return whether any was zoomed."""
        zoomed = self.zoomed
        for area in self.areas():
            area.show_all()
        return zoomed

    def fit(self, size: QSize) -> None:
        """Lay out a chart that is not shown for a picture of some size."""
        self.resize(size)
        # Widgets that are not shown get no such event.
        self.resizeEvent(QResizeEvent(size, size))
        self.scene().prepareForPaint()

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw it into a rectangle of any device, laid out for that size. It must not be shown."""
        self.fit(area.size().toSize())
        painter.setRenderHints(self.renderHints())
        with _drawn_straight(self.scene().items(), painter):
            self.scene().render(painter, area, self.sceneRect(), Qt.AspectRatioMode.IgnoreAspectRatio)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Arrange the parts."""
        super().resizeEvent(event)
        if self._ready:
            self.ci.layout.activate()
            self._message.setGeometry(QRectF(self.rect()))
            self.arrange()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """Draw the focus frame, if the view has the focus."""
        keeper = self.parentWidget()
        if keeper is not None and keeper.hasFocus():
            painter.resetTransform()
            draw_focus(painter, self.seen, self.look.theme)

    @property
    def seen(self) -> QRectF:
        """Return the part that is visible, if a page scrolls it."""
        return QRectF(self.viewport().visibleRegion().boundingRect())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emit the position of the pointer."""
        super().mouseMoveEvent(event)
        self.hovered.emit(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click."""
        super().mousePressEvent(event)
        self._press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole range, or begin a second click."""
        zoomed = self.zoomed
        super().mouseDoubleClickEvent(event)
        if zoomed:
            self._click_timer.stop()
        else:
            self._press(event)

    def _press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position()
            event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a click, unless the pointer has moved."""
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or self._pressed_at is None:
            return
        moved, self._pressed_at = event.position() - self._pressed_at, None
        if moved.manhattanLength() > CLICK_PX:
            return
        self._clicked_at = event.position()
        if self.zoomed:
            self._click_timer.start()
        else:
            self.clicked.emit(self._clicked_at)

    def _on_click_timer_timeout(self) -> None:
        self.clicked.emit(self._clicked_at)

    def leaveEvent(self, event: QEvent) -> None:
        """Emit that the pointer has left."""
        super().leaveEvent(event)
        self.pointer_left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the whole range by Home, zoom by plus and minus; pass other keys on to the view."""
        event.setAccepted(self.press(event))

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it has a meaning."""
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier & ~Qt.KeyboardModifier.ShiftModifier:
            return False
        if event.key() == Qt.Key.Key_Home:
            return self.show_all()
        factor = ZOOM_KEYS.get(Qt.Key(event.key()))
        return factor is not None and self.enlarge(factor)

    def enlarge(self, factor: float) -> bool:
        """Zoom around the middle of each area; return whether any can be zoomed."""
        areas = [area for area in self.areas() if area.zoom is not Zoom.OFF]
        for area in areas:
            area.enlarge(factor)
        return bool(areas)


@contextmanager
def _drawn_straight(items: list[QGraphicsItem], painter: QPainter) -> Iterator[None]:
    """Keep items from drawing their cached pixmaps into files."""
    # Pixels can be copied: the pictures of a film differ by little.
    raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
    cached = [item for item in items if not raster and item.cacheMode() != QGraphicsItem.CacheMode.NoCache]
    exported = [item for item in items if hasattr(item, "setExportMode")]
    for item in cached:
        item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    options = {"antialias": True, "background": None, "resolutionScale": 1.0, "painter": painter}
    for item in exported:
        item.setExportMode(True, options)
    try:
        yield
    finally:
        for item in exported:
            item.setExportMode(False)
        for item in cached:
            item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
