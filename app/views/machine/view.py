"""The machine view: boxes or grids of nodes, every link coloured by its load, from the whole down to one drawer."""

from html import escape
from typing import ClassVar

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, QVariantAnimation
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.session import ChangeSet, Item, Session
from app.views.legend import LegendOverlay, legend_font, legend_rect
from app.views.machine.camera import Camera, Size
from app.views.machine.canvas import MachineCanvas, opengl_available
from app.views.machine.items import Picker, describe, headline
from app.views.machine.marks import Picture, paint_scene
from app.views.machine.overlay import paint_lost, paint_overlay
from app.views.machine.paint import fit, paint_empty, paint_machine
from app.views.machine.scene import Heat, Plan, Scene, compose, detail
from app.views.view import View

HOVER_MS = 16
DETAIL_MS = 50
"""Least time between two rebuilds of the scene while the camera moves."""
GLIDE_MS = 160
"""Time to move to a chosen box."""
CLICK_PX = 4
"""How far the pointer may move between press and release of a click."""
NOTCH_ZOOM = 1.25
"""Magnification of one notch of the wheel, 120 units."""
READOUT_PX = 10
"""Distance of the readout from the borders."""


class MachineView(View):
    """The whole machine; the wheel zooms at the pointer, dragging pans the plane and turns a solid."""

    title: ClassVar[str] = "Machine"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._plan: Plan | None = None
        self._heat: Heat | None = None
        self._heat_source: tuple[object, float | None] = (None, None)
        self._scene: Scene | None = None
        self._detail: tuple[object, ...] = ()
        self._camera: Camera | None = None
        self._home = True
        self._laid_out: Size = (1.0, 1.0)
        self._course: tuple[Camera, Camera] | None = None
        self._picker: Picker | None = None
        self._lines: tuple[str, ...] = ()
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._dragging = False
        self._pointer: QPointF | None = None
        self._ringed = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 180)
        self.canvas = MachineCanvas(self) if opengl_available() else None
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        if self.canvas is not None:
            layout.addWidget(self.canvas.native)
        self._overlay = MachineOverlay(self)
        self._legend = LegendOverlay(self.state, self)
        self._readout = QLabel(self)
        self._readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._readout.setTextFormat(Qt.TextFormat.RichText)
        self._readout.hide()
        self._hover_timer = self._timer(HOVER_MS)
        self._hover_timer.timeout.connect(self._on_hover_due)
        self._detail_timer = self._timer(DETAIL_MS)
        self._detail_timer.timeout.connect(self._on_detail_due)
        self._glide = QVariantAnimation(self)
        self._glide.setStartValue(0.0)
        self._glide.setEndValue(1.0)
        self._glide.setDuration(GLIDE_MS)
        self._glide.valueChanged.connect(self._on_glide_moved)

    def _timer(self, interval: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        return timer

    @property
    def scene(self) -> Scene | None:
        """Return what is drawn; None before the first answer."""
        return self._scene

    @property
    def camera(self) -> Camera | None:
        """Return where it is seen from; None before the first answer."""
        return self._camera

    def refresh(self, changes: ChangeSet) -> None:
        """Rebuild what differs: geometry, colours, or only what is set off."""
        drawn = ChangeSet.TOPOLOGY | ChangeSet.LOADS | ChangeSet.STYLE
        if self.state.answer is None:
            self._legend.hide()
            self._overlay.update()
            if self.canvas is not None:
                self.canvas.set_style(self.state)
            return
        if changes & drawn:
            self._legend.set_state(self.state)
            self._legend.show()
            self._load()
            self._compose()
        if self.canvas is not None and changes & ChangeSet.SELECTION:
            self.canvas.set_fading(self.state)
        if changes & (drawn | ChangeSet.SELECTION | ChangeSet.HOVER):
            self._show_readout()
            self._overlay.update()

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw what is seen; where all is seen, all that fits the area."""
        self.catch_up()
        seen = None
        if self._plan is not None and self._camera is not None and not self._home:
            seen = (self._plan, self._camera, self._laid_out)
        paint_machine(painter, area, self.state, seen)

    def fit(self) -> None:
        """Move to where the whole machine is seen."""
        if self._plan is not None:
            self._home = True
            self._glide_to(fit(self._plan, self._size))

    def open_group(self, group: int) -> None:
        """Move to one box, so that it opens."""
        if self._plan is not None and self._plan.boxed and self._camera is not None:
            self._home = False
            self._glide_to(self._camera.onto(self._plan.layout.boxes[group], self._size))

    @property
    def _size(self) -> Size:
        return float(max(self.width(), 1)), float(max(self.height(), 1))

    def _load(self) -> None:
        """Take the network and the loads from the state, as far as they are new."""
        answer, scale = self.state.answer, self.state.scale
        assert answer is not None
        if self._plan is None or self._plan.network is not answer.case.network:
            self._plan, self._heat = Plan(answer.case.network), None
            self._home = True
            self._place_camera()
        source = (answer.report, scale.frozen_time)
        if self._heat is None or self._heat_source != source:
            self._heat, self._heat_source = Heat(self._plan, self.state.relative), source

    def _place_camera(self) -> None:
        """Fit the camera to the size of the widget, or keep what it showed."""
        if self._plan is None:
            return
        self._glide.stop()
        old, self._laid_out = self._laid_out, self._size
        if self._home or self._camera is None:
            self._set_camera(fit(self._plan, self._size))
        else:
            self._set_camera(self._camera.resized(old, self._size))

    def _compose(self) -> None:
        """Build the scene anew and show it."""
        if self._plan is None or self._heat is None or self._camera is None:
            return
        state = self.state
        self._scene = compose(self._plan, self._heat, self._camera, self._size, state.hottest_percent)
        self._detail = detail(self._plan, self._camera, self._size)
        self._picker = None
        if self.canvas is not None:
            self.canvas.set_scene(self._scene)
            self.canvas.set_camera(self._camera, self._size)
            self.canvas.set_style(state)
            self.canvas.set_fading(state)
        self.subtitle_changed.emit(headline(self._scene))
        self._overlay.update()

    def _set_camera(self, camera: Camera) -> None:
        self._camera = camera
        self._picker = None
        if self.canvas is not None:
            self.canvas.set_camera(camera, self._size)
        self._overlay.update()
        if self._plan is not None and self._heat is not None and not self._detail_timer.isActive():
            self._detail_timer.start()

    def _on_detail_due(self) -> None:
        if self._plan is None or self._camera is None:
            return
        if detail(self._plan, self._camera, self._size) != self._detail:
            self._compose()
        self._on_hover_due()

    def _glide_to(self, target: Camera) -> None:
        self._glide.stop()
        if self._camera is None or not self.isVisible():
            self._set_camera(target)
            self._compose()
            return
        self._course = (self._camera, target)
        self._glide.start()

    def _on_glide_moved(self, part: float) -> None:
        if self._course is not None:
            start, target = self._course
            self._set_camera(target if part >= 1 else start.between(target, part))

    def _move_camera(self, camera: Camera) -> None:
        """Look where the pointer leads."""
        self._glide.stop()
        self._home = False
        self._set_camera(camera)

    def _on_hover_due(self) -> None:
        # Also after the camera moved: what lies under a resting pointer is then something else.
        if self._pointer is not None and self._pressed is None and not self.moving:
            self.session.hover(self._at(self._pointer), self)

    @property
    def moving(self) -> bool:
        """Return whether it is on its way to another view."""
        return self._glide.state() == QVariantAnimation.State.Running

    @property
    def readout_text(self) -> str:
        """Return what is said about the thing under the pointer, or the chosen one."""
        return "\n".join(self._lines)

    def _pick(self) -> Picker | None:
        if self._picker is None and self._scene is not None and self._camera is not None:
            self._picker = Picker(self._scene, self._camera, self._size)
        return self._picker

    def _at(self, at: QPointF) -> Item | None:
        picker = self._pick()
        return picker.at(at.x(), at.y()) if picker is not None else None

    def _show_readout(self) -> None:
        """Say what is pointed at or selected; where there is no room beside the legend, in its place."""
        hover, selection, answer = self.state.hover, self.state.selection, self.state.answer
        item = hover or selection
        self._lines = ()
        if item is not None and answer is not None and self._plan is not None:
            self._lines = describe(item, self._plan, self.state)
        if self._lines:
            self._write_readout(self._lines)
        beside = self._place_readout()
        # What is selected stays; the legend must not be gone for so long.
        shown = bool(self._lines) and (beside or hover is not None)
        self._readout.setVisible(shown)
        self._legend.setVisible(answer is not None and (beside or not shown))

    def _write_readout(self, lines: tuple[str, ...]) -> None:
        theme = self.state.theme
        panel = QColor(theme.panel)
        self._readout.setStyleSheet(
            f"background: rgba({panel.red()}, {panel.green()}, {panel.blue()}, 225); color: {theme.text};"
            f"border: 1px solid {theme.border}; border-radius: 5px; padding: 4px 7px;"
        )
        first, *others = (escape(line) for line in lines)
        self._readout.setFont(legend_font(self.font(), 12))
        self._readout.setText("<br>".join([f"<b>{first}</b>", *others]))
        self._readout.adjustSize()

    def _place_readout(self) -> bool:
        """Put the readout at the bottom right and return whether that leaves the legend free."""
        size = self._readout.size()
        x = max(self.width() - size.width() - READOUT_PX, READOUT_PX)
        self._readout.move(x, self.height() - size.height() - READOUT_PX)
        return x > self._legend.geometry().right()

    def paint_above(self, painter: QPainter) -> None:
        """Draw what lies above the canvas; without OpenGL, everything."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(legend_font(self.font()))
        if self._scene is None or self._camera is None or self.state.answer is None:
            paint_empty(painter, self._size, self.state)
            return
        picture = Picture(painter, self._scene, self._camera, self._size, self.state)
        if self.canvas is None:
            painter.fillRect(self.rect(), QColor(self.state.theme.panel))
            paint_scene(picture)
        paint_overlay(picture, self.state.hover)
        paint_lost(picture)
        if self._ringed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(self.state.theme.accent))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep in view what was in view."""
        super().resizeEvent(event)
        self._overlay.setGeometry(self.rect())
        self._legend.setGeometry(legend_rect(self._size).toRect().adjusted(-6, -4, 6, 4))
        self._show_readout()
        self._place_camera()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest while hidden."""
        super().hideEvent(event)
        self._glide.stop()
        self._hover_timer.stop()
        self._detail_timer.stop()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer."""
        if self._camera is not None:
            at, factor = event.position(), NOTCH_ZOOM ** (event.angleDelta().y() / 120)
            self._move_camera(self._camera.zoomed(factor, at.x(), at.y(), self._size))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pressed = self._last = event.position()
        self._dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag with a button down, else point."""
        at = event.position()
        if self._pressed is None:
            self._pointer = at
            if not self._hover_timer.isActive():
                self._hover_timer.start()
            return
        if (at - self._pressed).manhattanLength() > CLICK_PX:
            self._dragging = True
        if self._dragging and self._camera is not None:
            step, self._last = at - self._last, at
            turns = self._camera.solid and event.buttons() == Qt.MouseButton.LeftButton
            turns = turns and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            move = self._camera.turned if turns else self._camera.panned
            self._move_camera(move(step.x(), step.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select what was clicked; on nothing, select nothing."""
        clicked = self._pressed is not None and not self._dragging
        self._pressed, self._dragging = None, False
        if clicked and event.button() == Qt.MouseButton.LeftButton:
            self.session.select(self._at(event.position()), self)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the box under the pointer; elsewhere, look closer."""
        self._pressed = None
        at, picker = event.position(), self._pick()
        if self._camera is None or picker is None:
            return
        group = picker.box_at(at.x(), at.y())
        if group is not None:
            self.open_group(group)
        else:
            self._home = False
            self._glide_to(self._camera.zoomed(2.0, at.x(), at.y(), self._size))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a focus that came by the keyboard."""
        super().focusInEvent(event)
        self._ringed = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._overlay.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the focus no more."""
        super().focusOutEvent(event)
        self._ringed = False
        self._overlay.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self._pointer = None
        self._hover_timer.stop()
        self.session.hover(None, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show everything on F and Escape."""
        if event.key() in (Qt.Key.Key_F, Qt.Key.Key_Escape):
            self.fit()
        else:
            super().keyPressEvent(event)


class MachineOverlay(QWidget):
    """What lies above the canvas; the pointer does not notice it."""

    def __init__(self, view: MachineView) -> None:
        super().__init__(view)
        self._view = view
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Let the view draw."""
        self._view.paint_above(QPainter(self))
