"""The toolbox passes pointer events of the views to the active tool."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.pointing import NO_HIT, Hit
from app.session.session import Session
from app.style.motion import FRAME_MS
from app.tools.tool import PointerEvent, PointerSurface, Tool
from app.widgets.session_widget import RefreshScheduler

KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)


class ShiftWatch(QObject):
    """Listens to all keys of the application between `start` and `stop`."""

    toggled = Signal(bool)
    """Whether Shift is now held."""

    def start(self) -> None:
        """Listen."""
        self._application().installEventFilter(self)

    def stop(self) -> None:
        """Stop listening."""
        self._application().removeEventFilter(self)

    def _application(self) -> QCoreApplication:
        application = QCoreApplication.instance()
        assert application is not None
        return application

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the key, without consuming it."""
        if isinstance(event, QKeyEvent) and event.type() in KEYS and event.key() == Qt.Key.Key_Shift:
            self.toggled.emit(event.type() == QEvent.Type.KeyPress)
        return False


NOT_EDITED = "A is pinned and cannot be edited. Choose B in the toolbar to edit."
DRAWING = "This view is still being drawn."


class Toolbox(QObject):
    """Filters pointer events of some views; events that no tool handles are left to the view.

    Of moves faster than 60 per second only the last is kept; `moves` and `dropped` count them.
    """

    pointed = Signal(QPoint)
    """The pointer's place on the screen; emitted before the tool gets the event."""

    def __init__(
        self, session: Session, tools: Sequence[Tool], surfaces: Sequence[PointerSurface], parent: QObject
    ) -> None:
        super().__init__(parent)
        self.tools = {tool.name: tool for tool in tools}
        self.moves = self.dropped = 0
        self._session = session
        self._scheduler = RefreshScheduler.of(session)
        self._surfaces = {surface.event_widget: surface for surface in surfaces}
        self._held: Tool | None = None
        self._cursor: Qt.CursorShape | None = None
        self._at, self._over = QPoint(), False
        """The pointer's last place on the screen, and whether it has not left that view since."""
        self._shift = ShiftWatch(self)
        self._shift.toggled.connect(self._on_shift_toggled)
        self._waiting: tuple[QPoint, Qt.KeyboardModifier] | None = None
        self._frame = timer(self, FRAME_MS, single_shot=True, precise=True)
        self._frame.timeout.connect(self._on_frame_due)
        for event_widget in self._surfaces:
            event_widget.installEventFilter(self)
        session.changed.connect(self._on_session_changed)

    @property
    def tool(self) -> Tool:
        """Return the active tool."""
        return self.tools[self._session.state.edit.tool]

    @property
    def waiting(self) -> bool:
        """Return whether a move is held back until its frame is due."""
        return self._waiting is not None

    @property
    def pointed_hit(self) -> Hit | None:
        """Return the hit under the pointer, or None if it is over none of the views."""
        event = self.locate(self._at) if self._over else None
        return None if event is None or event.surface is None else event.hit

    def cancel(self) -> bool:
        """Cancel the tool's gesture; return whether there was one."""
        self._drop_moves()
        self._hold(None)
        return self.tool.cancel()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass pointer events to the tool; consume events that it handles."""
        if not isinstance(event, QMouseEvent):
            self._over = self._over and event.type() not in (QEvent.Type.Leave, QEvent.Type.Hide)
            return False
        self._over, self._at = True, event.globalPosition().toPoint()
        kind, left = event.type(), event.button() == Qt.MouseButton.LeftButton
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick) and left:
            return self._press(event)
        if kind == QEvent.Type.MouseMove:
            return self._move(event)
        if kind == QEvent.Type.MouseButtonRelease and left:
            return self._release(event)
        return False

    def refuses(self) -> bool:
        """Return whether A is shown alone, which no tool edits, and then hint at that."""
        refused = self._session.state.shows_reference
        if refused and self.tool.name != "select":
            self._session.hint(NOT_EDITED)
        return refused

    def locate(self, at: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> PointerEvent:
        """Return the pointer event for a place on the screen."""
        for event_widget, surface in self._surfaces.items():
            inside = event_widget.mapFromGlobal(at)
            if event_widget.isVisible() and event_widget.rect().contains(inside):
                return PointerEvent(surface, QPointF(inside), surface.hit_at(QPointF(inside)), modifiers)
        return PointerEvent(None, QPointF(at), NO_HIT, modifiers)

    def _located(self, event: QMouseEvent) -> PointerEvent:
        return self.locate(event.globalPosition().toPoint(), event.modifiers())

    def _press(self, event: QMouseEvent) -> bool:
        self._drop_moves()
        self._at = event.globalPosition().toPoint()
        self.pointed.emit(self._at)
        self._session.hint("")
        tool, double = self.tool, event.type() == QEvent.Type.MouseButtonDblClick
        located = self._located(event)
        if located.surface is not None and located.surface.behind:
            self._hold(None)
            self._session.hint(self._session.editing.obstacle or DRAWING)
            return True
        if self.refuses():
            self._hold(None)
            return False
        self._hold(tool if tool.press(replace(located, double=double)) else None)
        if self._held is None and located.surface is not None and not located.surface.pans:
            self._session.hint(self._session.state.edit.hint or tool.wants)
        return self._held is not None

    def _move(self, event: QMouseEvent) -> bool:
        held = self._held
        if held is None and event.buttons() != Qt.MouseButton.NoButton:
            return False
        self.moves += 1
        self.dropped += self._waiting is not None
        self._waiting = event.globalPosition().toPoint(), event.modifiers()
        if not self._frame.isActive():
            self._on_frame_due()
        return held is not None

    def _release(self, event: QMouseEvent) -> bool:
        held = self._held
        self._hold(None)
        if held is None:
            return False
        self._drop_moves()
        held.release(self._located(event))
        return True

    def _hold(self, tool: Tool | None) -> None:
        """Give all events until the release to a tool, or, for None, to no tool."""
        if tool is not None:
            self._shift.start()
        elif self._held is not None:
            self._shift.stop()
        self._held = tool

    def _on_shift_toggled(self, down: bool) -> None:
        # Shift changes the level of a drag, even while the pointer rests.
        key = Qt.KeyboardModifier.ShiftModifier if down else Qt.KeyboardModifier.NoModifier
        self._waiting = self._at, key
        if not self._frame.isActive():
            self._on_frame_due()

    def _show_cursor(self) -> None:
        self._cursor = self.tool.cursor
        for event_widget in self._surfaces:
            event_widget.setCursor(self._cursor)

    def _drop_moves(self) -> None:
        self._waiting = None
        self._frame.stop()

    def _on_frame_due(self) -> None:
        if self._waiting is None:
            return
        self._frame.start()
        if self._held is not None and self._scheduler.take_frame():
            return  # the move waits for the next frame, or a later move replaces it
        waiting, self._waiting = self._waiting, None
        self._at = waiting[0]
        self.pointed.emit(self._at)
        event = self.locate(*waiting)
        if self._held is not None:
            # The hovered item has been picked up: the gesture highlights it instead.
            self._session.hover(None)
            self._held.move(event)
        else:
            self.tool.hover(event)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.TOOL in changes:
            if self._cursor != self.tool.cursor:
                self._show_cursor()
            if self._held is not None and self._held is not self.tool:
                self._hold(None)
