"""The machine view: boxes or grids of nodes, every link coloured by its load, at all zoom levels."""

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.background.timer import timer
from app.model.changes import COLOURS, ChangeSet
from app.model.pointing import CLICK_PX, NO_HIT, Hit, Item, nodes_of
from app.model.route_text import route_lines
from app.model.scenes import Seen
from app.session.session import Session
from app.style.opengl import opengl_version
from app.views.drawing import draw_focus
from app.views.legend import LegendOverlay, legend_font, legend_frame
from app.views.machine.arrow_keys import DIRECTIONS, next_item
from app.views.machine.bottleneck_marks import BottleneckMarks
from app.views.machine.camera import Camera, Size
from app.views.machine.camera_control import CameraController
from app.views.machine.canvas import MachineCanvas
from app.views.machine.channel_layer import ChannelLayer
from app.views.machine.faults import faulty_batches
from app.views.machine.focus import seen_by
from app.views.machine.geometry import MachineGeometry, shading_of
from app.views.machine.legends import paint_legends_above
from app.views.machine.overlay import paint_lost, paint_overlay
from app.views.machine.paint import HEAD, fit, paint_machine
from app.views.machine.picker import Picker, item_lines, scene_headline
from app.views.machine.picture import Picture
from app.views.machine.readout import Readout
from app.views.machine.scene import MachineScene, compose, detail
from app.views.machine.scene_image import CachedScene
from app.views.machine.targets import paint_marked, paint_places
from app.views.view import View
from app.widgets.painting import painter_on

HOVER_MS = 16
DETAIL_MS = 50
"""Minimum time between two rebuilds of the scene while the camera moves."""
SET_OFF = (
    ChangeSet.SELECTION | ChangeSet.HOVER | ChangeSet.PATHS | ChangeSet.MARKED | ChangeSet.TOOL | ChangeSet.MAPPING
    | ChangeSet.ROUTES | ChangeSet.CHANNELS
)  # fmt: skip
"""Changes that only affect highlights above the scene."""
NOTCH_ZOOM = 1.25
"""Zoom factor of one notch of the wheel, 120 units."""


class MachineView(View):
    """The entire machine; the wheel zooms at the pointer, dragging pans the plane and turns a solid.

    Arrow keys move from box to box, or from node to node.
    """

    id = "machine"
    pointed = Signal(object)
    """(Hit): reached by the keyboard."""
    picked = Signal(object)
    """(Hit): picked by the keyboard for a swap."""
    menu_requested = Signal(QPoint, object)
    """(point on the screen, Hit): a context menu is requested."""
    shows_legend: ClassVar[bool] = True
    pans: ClassVar[bool] = True
    camera_moved = Signal()
    """The user has moved the camera; not emitted when it follows a new size or another view."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._partner: MachineView | None = None
        self._geometry = MachineGeometry(self.state.evaluation.case.network, self.state.shown_class)
        self.controller = CameraController(self, self._geometry, self._camera_size)
        self._shade()
        self._scene: MachineScene | None = None
        """None if it must be recomposed."""
        self._cached = CachedScene()
        self._picker: Picker | None = None
        self._detail: tuple[object, ...] = ()
        self._lines: tuple[str, ...] = ()
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._dragging = False
        self._pointer: QPointF | None = None
        self._bottlenecks: BottleneckMarks | None = None
        """The marks drawn last."""
        self._ringed = False
        self._zoomed = self._zoom
        """The zoom for which sizes were set."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 180)
        self.canvas = MachineCanvas(self) if opengl_version() is not None else None
        self.controller.changed.connect(self._on_camera_changed)
        self.controller.moved.connect(self.camera_moved)
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        if self.canvas is not None:
            layout.addWidget(self.canvas.native)
        self._overlay = MachineOverlay(self)
        self._channels = ChannelLayer(self, self._overlay.update, sync=self.session.sync)
        self._legend = LegendOverlay(self.state, self)
        self._readout = Readout(self)
        self._hover_timer = timer(self, HOVER_MS, single_shot=True)
        self._hover_timer.timeout.connect(self._on_hover_due)
        self._detail_timer = timer(self, DETAIL_MS, single_shot=True)
        self._detail_timer.timeout.connect(self._on_detail_due)

    @property
    def scene(self) -> MachineScene:
        """Return the scene drawn."""
        if self._scene is None:
            percent = self.state.style.hottest_percent
            self._scene = compose(self._geometry, self._shading, self.camera, self._scene_size(), percent)
        return self._scene

    @property
    def picker(self) -> Picker:
        """Return the picker for the scene and camera."""
        if self._picker is None:
            more = faulty_batches(self.scene, self.camera, self.state.evaluation.case.faults)
            self._picker = Picker(self.scene, self.camera, self._size, more)
        return self._picker

    @property
    def camera(self) -> Camera:
        """Return the camera."""
        return self.controller.camera

    @property
    def event_widget(self) -> QWidget:
        """Return the widget that gets the pointer's events: itself."""
        return self

    def hit_at(self, at: QPointF) -> Hit:
        """Return the hit for tools at a point of the widget: the item there, and the intended node."""
        at = at / self._zoom
        picker, holding = self.picker, bool(self.state.edit.grabbed.size)
        item = picker.at(at.x(), at.y(), curves=not holding)
        # In a lattice a link between two nodes refers to neither of them; but a drag ends on the nearest one.
        lone = item is not None and item.kind != "node" and not self._geometry.boxed
        # A switch has no tasks, so nothing can be dropped near it.
        none = (lone and not holding) or (item is not None and item.kind == "switch")
        node = None if none else picker.node_near(at.x(), at.y(), landing=holding)
        return Hit(item, node, level=picker.frame_level(at.x(), at.y(), node))

    def refresh(self, changes: ChangeSet) -> None:
        """Rebuild what changed: geometry, colours, or only highlights."""
        if self._zoomed != self._zoom:
            self._fit_zoom()
        if changes & COLOURS:
            self._legend.set_state(self.state)
            self._legend.setVisible(self.shows_legend)
            self._load()
            self._compose()
        if self.canvas is not None and changes & (ChangeSet.SELECTION | ChangeSet.ROUTES | ChangeSet.CHANNELS):
            self.canvas.set_fading(self.scene, self.state)
        if changes & (COLOURS | ChangeSet.SELECTION | ChangeSet.HOVER | ChangeSet.PATHS | ChangeSet.ROUTES):
            self._show_readout()
        if changes & (COLOURS | SET_OFF):
            self._overlay.update()

    @property
    def picture_camera(self) -> Camera:
        """Return the camera for a picture of the same size, with everything below the heading."""
        return fit(self._geometry, self._size, HEAD) if self.controller.fits_all else self.camera

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw the visible part; if the entire machine is visible, fit it to the area."""
        self.catch_up()
        seen = None if self.controller.fits_all else (self._geometry, self.camera, self._size)
        paint_machine(painter, area, self.state, seen)

    def fit(self) -> None:
        """Animate to the view of the entire machine."""
        self.controller.animate_to_fit()
        self._compose_hidden()

    def look(self, seen: Seen, ms: int, head: int = 0) -> None:
        """Animate in `ms` to the camera of a scene, below `head` pixels.

        Raises SpecError: if the machine has no such part.
        """
        if seen == Seen():
            self.controller.animate_to_fit(ms)
        else:
            self.controller.animate_to(fit(self._geometry, self._camera_size(), head, seen=seen), ms)
        self._compose_hidden()

    @property
    def seen(self) -> Seen:
        """Return the camera as a scene stores it."""
        return seen_by(self.camera, self.controller.fits_all)

    def open_group(self, group: int) -> None:
        """Animate to one box, so that it opens."""
        if self._geometry.boxed:
            self.controller.animate_to(self.camera.onto(self._geometry.layout.boxes[group], self._camera_size()))
            self._compose_hidden()

    def sync_with(self, other: "MachineView | None") -> bool:
        """Share camera size and detail with another view of an equal machine, or none; return whether that is new."""
        if other is self._partner:
            return False
        self._partner = other
        self.controller.place()
        return True

    @property
    def _size(self) -> Size:
        return max(self.width() / self._zoom, 1.0), max(self.height() / self._zoom, 1.0)

    @property
    def _zoom(self) -> float:
        """Return the widget's pixels per pixel of the scene: type and marks have the same scale."""
        return self.state.style.theme.scale

    def _camera_size(self) -> Size:
        """Return the size for the camera: for two synchronised views the smaller one."""
        sizes = [view._size for view in (self, self._partner) if view is not None]
        return min(width for width, _ in sizes), min(height for _, height in sizes)

    def _scene_size(self) -> Size:
        """Return the size for the scene: for two synchronised views the larger one."""
        sizes = [view._size for view in (self, self._partner) if view is not None]
        return max(width for width, _ in sizes), max(height for _, height in sizes)

    def _load(self) -> None:
        """Update geometry and shading from the state if they have changed."""
        network, before = self.state.evaluation.case.network, self._geometry
        if (before.network, before.only) != (network, self.state.shown_class):
            self._geometry = MachineGeometry(network, self.state.shown_class)
            self._shade()
            if before.network is not network:
                self.controller.begin(self._geometry)
        elif self._loads != self.shading_source:
            self._shade()

    @property
    def _loads(self) -> tuple[object, ...]:
        """Return the values on which the colours of links depend."""
        state = self.state
        scale = state.full_scale_time, state.comparison.mode, state.same_links_pair, state.tour.glide
        return state.report, *scale, state.source, state.counters

    def _shade(self) -> None:
        state = self.state
        self._shading = shading_of(self._geometry, state, state.reference_utilisation)
        self.shading_source = self._loads

    def _compose_hidden(self) -> None:
        if not self.isVisible():
            self._compose()

    def _compose(self) -> None:
        """Rebuild the scene and show it."""
        self._scene = self._picker = None
        self._detail = detail(self._geometry, self.camera, self._scene_size())
        if self.canvas is not None:
            self.canvas.set_scene(self.scene, self.state)
            self.canvas.set_camera(self.camera, self._size, self._geometry, self._zoom)
        self.subtitle_changed.emit(" · ".join([*self.state.cursor_words, scene_headline(self.scene)]))
        self._overlay.update()

    def _on_camera_changed(self) -> None:
        self._picker = None
        if self.canvas is not None:
            self.canvas.set_camera(self.camera, self._size, self._geometry, self._zoom)
        self._overlay.update()
        if not self._detail_timer.isActive():
            self._detail_timer.start()

    def _on_detail_due(self) -> None:
        if detail(self._geometry, self.camera, self._scene_size()) != self._detail:
            self._compose()
        self._on_hover_due()

    def _on_hover_due(self) -> None:
        # Also after the camera moved: another item is then under a resting pointer.
        if self._pointer is not None and self._pressed is None and not self.moving:
            self.session.hover(self._item_at(self._pointer))
            self._show_readout()

    def _item_at(self, at: QPointF) -> Item | None:
        """Return the item at a pixel of the scene: a cell before an arc, and an arc before anything else."""
        item = self.picker.at(at.x(), at.y())
        if item is not None and item.kind in ("node", "switch"):
            return item
        return self._channels.item_at(at.x(), at.y(), self.camera, self.state) or item

    @property
    def moving(self) -> bool:
        """Return whether the camera is animated."""
        return self.controller.animating

    @property
    def readout_text(self) -> str:
        """Return the readout of the hovered or selected item."""
        return "\n".join(self._lines)

    def _show_readout(self) -> None:
        """Show the readout of the hovered or selected item, above the legend if there is no room next to it."""
        hover, selection = self.state.hover, self.state.selection
        item = hover or selection
        self._lines = route_lines(self.state) if item is None else item_lines(item, self._geometry, self.state)
        if self._lines and self._pointer is not None and self._bottlenecks is not None:
            self._lines += tuple(filter(None, [self._bottlenecks.text_at(self._pointer)]))
        if self._lines:
            self._readout.write(self._lines, self.state.style.theme)
        room = self._readout.place(self._legend.geometry() if self.shows_legend else QRect())
        # A selection lasts, so its readout does not hide a part of the machine; a hover may.
        self._readout.setVisible(bool(self._lines) and (room or hover is not None))

    def paint_above(self, painter: QPainter) -> None:
        """Draw everything above the canvas; without OpenGL, everything."""
        painter.setFont(legend_font(self.font()))
        picture = Picture(painter, self.scene, self.camera, self._size, self.state)
        if self.canvas is None:
            painter.drawPixmap(0, 0, self._cached.pixmap(picture, self.size(), self._zoom))
        painter.scale(self._zoom, self._zoom)
        arcs = partial(self._channels.paint, zoom=self._zoom)
        self._bottlenecks = paint_overlay(picture, self.state.hover, arcs)
        paint_marked(picture)
        paint_places(picture, self.session.editing.gesture_edit)
        paint_legends_above(picture)
        paint_lost(picture)
        if self._ringed:
            painter.resetTransform()
            draw_focus(painter, QRectF(self.rect()), self.state.style.theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw changes made while it was hidden."""
        super().showEvent(event)
        if self.canvas is not None:
            self.canvas.redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the visible part in view."""
        super().resizeEvent(event)
        self._overlay.setGeometry(self.rect())
        self._fit_zoom()

    def _fit_zoom(self) -> None:
        """Update what depends on the size in pixels of the scene."""
        if self._zoomed != self._zoom:
            self._zoomed = self._zoom
            for view in (self, self._partner):
                if view is not None:
                    view.controller.place()
        area = legend_frame(self._size)
        self._legend.setGeometry(QRectF(area.topLeft() * self._zoom, area.size() * self._zoom).toRect())
        self._show_readout()
        for view in (self, self._partner):
            if view is not None:
                view.controller.place()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop timers and animations."""
        super().hideEvent(event)
        self.controller.stop()
        self._hover_timer.stop()
        self._detail_timer.stop()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer."""
        at, factor = event.position() / self._zoom, NOTCH_ZOOM ** (event.angleDelta().y() / 120)
        self.controller.move(self.camera.zoomed(factor, at.x(), at.y(), self._size))
        if self.session.editing.active:
            self._point_again(event)
        event.accept()

    def _point_again(self, event: QWheelEvent) -> None:
        # Another item is under the pointer now: tools are notified by a synthetic move.
        none, kind = Qt.MouseButton.NoButton, QEvent.Type.MouseMove
        move = QMouseEvent(kind, event.position(), event.globalPosition(), none, event.buttons(), event.modifiers())
        QApplication.sendEvent(self, move)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pressed = self._last = event.position() / self._zoom
        self._dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag with a button down, else hover."""
        at = event.position() / self._zoom
        if self._pressed is None:
            self._pointer = at
            if not self._hover_timer.isActive():
                self._hover_timer.start()
            return
        if (at - self._pressed).manhattanLength() > CLICK_PX:
            self._dragging = True
        if self._dragging:
            step, self._last = at - self._last, at
            turns = self.camera.solid and event.buttons() == Qt.MouseButton.LeftButton
            turns = turns and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            move = self.camera.turned if turns else self.camera.panned
            self.controller.move(move(step.x(), step.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the clicked item, or clear the selection on empty space."""
        clicked = self._pressed is not None and not self._dragging
        self._pressed, self._dragging = None, False
        if clicked and event.button() == Qt.MouseButton.LeftButton:
            at = event.position() / self._zoom
            self.session.select(self._item_at(at))
        elif clicked and event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(event.globalPosition().toPoint(), self.hit_at(event.position()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request a menu for the menu key; the right button also drags, and requests it on release."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_requested.emit(self.mapToGlobal(self.rect().center()), self._hit_of(self.state.selection))
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the box under the pointer; elsewhere, zoom in."""
        self._pressed = None
        at = event.position() / self._zoom
        group = self.picker.box_at(at.x(), at.y())
        if group is not None:
            self.open_group(group)
        else:
            self.controller.animate_to(self.camera.zoomed(2.0, at.x(), at.y(), self._size))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a focus received by keyboard."""
        self._set_ringed(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus frame."""
        self._set_ringed(False)

    def _set_ringed(self, ringed: bool) -> None:
        # Qt's own handlers would draw the entire machine again for each change of the focus, most of which show no
        # ring.
        if ringed != self._ringed:
            self._ringed = ringed
            self._overlay.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the hover highlight."""
        super().leaveEvent(event)
        self._pointer = None
        self._hover_timer.stop()
        self.session.hover(None)
        if not self.session.editing.active:
            self.session.set_drop_target(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F and Escape show everything; arrows select; Enter and X pick."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_F, Qt.Key.Key_Escape):
            self.fit()
        elif key in DIRECTIONS:
            self._step(DIRECTIONS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_X) and self.state.selection is not None:
            self.pick()
        else:
            super().keyPressEvent(event)

    def pick(self) -> None:
        """Pick the selection for a swap."""
        if not self.state.shows_reference:
            self.picked.emit(self._hit_of(self.state.selection))

    def _step(self, direction: tuple[float, float]) -> None:
        """Select the next item in a direction."""
        nodes = self.state.edit.level is not None and self.state.edit.level > 0
        item = next_item(self.state.selection, direction, self.scene, self.camera, self._size, nodes)
        self.session.select(item)
        self.pointed.emit(self._hit_of(item))

    def _hit_of(self, item: Item | None) -> Hit:
        """Return an item as a hit for tools."""
        if item is None:
            return NO_HIT
        group, case = item.kind == "group", self.state.evaluation.case
        nodes = self._geometry.members(item.index).tolist() if group else nodes_of(item, case)
        return Hit(item, nodes[0] if nodes else None)


class MachineOverlay(QWidget):
    """The layer above the canvas, transparent for the pointer."""

    def __init__(self, view: MachineView) -> None:
        super().__init__(view)
        self._view = view
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Let the view draw."""
        with painter_on(self, smooth=True) as painter:
            self._view.paint_above(painter)
