"""A tip at the pointer during a gesture: its name, the resulting throughput and its limit."""

from html import escape

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.session.session import Session
from app.style.theme import Theme
from app.wording import keys
from app.wording.numbers import gbs
from core.load.evaluate import TOLERANCE
from core.text import duration

BESIDE = QPoint(18, 20)
"""Offset from the pointer, so that the item under it stays visible."""
HINT_MS = 6000
"""Longest time that a hint is shown; the next press hides it too."""
MARGIN = 6
"""Distance from the borders of the window."""
LAGGING = "With this many tasks, loads are recomputed with a delay …"
PLANNED = "This routing is planned for all flows at once. Loads are being recomputed …"
CANCEL = f"{keys.ESCAPE} cancels"
PLACE_HINT = f"Release on another place to swap · {CANCEL}"
AIMED_HINT = f"Release to swap · {CANCEL}"
HINTS = {
    "paint": CANCEL,
    "drag": f"Shift: move to the enclosing group · {CANCEL}",
    "allocate": CANCEL,
    "swap": f"Click another task or place to swap · {CANCEL}",
}


class GestureTip(QLabel):
    """A readout that follows the pointer while a gesture lasts, takes no events and never covers the pointer."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self._session = session
        self._at: QPoint | None = None
        self._widest = 0
        self._begun = False
        self._before: float | None = None
        """Throughput when the gesture began."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.RichText)
        self._hint = timer(self, HINT_MS, single_shot=True)
        self._hint.timeout.connect(lambda: session.hint(""))
        self.hide()
        session.changed.connect(self._on_session_changed)

    def follow(self, at: QPoint) -> None:
        """Move next to a point of the screen."""
        self._at = self._room.mapFromGlobal(at)
        if self.isVisible():
            self._place()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if not changes & (ChangeSet.TOOL | ChangeSet.LOADS | ChangeSet.STYLE):
            return
        state = self._session.state
        gestures = bool(state.edit.gesture) and state.search.phase is SearchPhase.NONE
        if not gestures:
            self._begun = False
            self._widest = 0
        elif not self._begun:
            self._begun, self._before = True, state.evaluation.report.throughput_gbs
        self._say(gesture_text(state, self._before) if gestures else escape(state.edit.hint), changes)

    def _say(self, text: str, changes: ChangeSet) -> None:
        state = self._session.state
        self._hint.stop()
        if not text:
            self.hide()
            return
        if state.edit.hint:
            self._hint.start()
        if ChangeSet.STYLE in changes or not self.isVisible():
            self.setStyleSheet(_look(state.style.theme))
        self._show(text)

    def _show(self, text: str) -> None:
        if text != self.text() or not self._widest:
            self.setText(text)
            wanted = self.sizeHint()
            # The width never shrinks during a gesture, so that changing figures do not flicker.
            self._widest = max(self._widest, wanted.width())
            self.resize(self._widest, wanted.height())
        self._place()
        if not self.isVisible():
            self.raise_()
            self.show()

    def _place(self) -> None:
        room = self._room.rect()
        self.move(beside(self._at or QPoint(room.center().x(), MARGIN), self.size(), room))


def beside(at: QPoint, size: QSize, room: QRect) -> QPoint:
    """Return the place of a tip: right of and below a point, or on the other side, inside `room`."""
    inner = room.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    x, y = at.x() + BESIDE.x(), at.y() + BESIDE.y()
    if x + size.width() > inner.right():
        x = at.x() - BESIDE.x() - size.width()
    if y + size.height() > inner.bottom():
        y = at.y() - BESIDE.y() - size.height()
    return QPoint(max(x, inner.left()), max(y, inner.top()))


def gesture_text(state: State, before: float | None) -> str:
    """Return the text on a gesture, as rich text; `before` is the throughput when it began."""
    lines = [f"<b>{escape(state.edit.gesture)}</b>"]
    if state.edit.lagging:
        router = state.evaluation.case.router
        planned = router is not None and (router.plans or not router.traceable)
        why = PLANNED if planned else LAGGING
        lines.append(f'<span style="color: {state.style.theme.warning}">{why}</span>')
    else:
        report = state.evaluation.report
        value, seconds = report.throughput_gbs, report.seconds
        took = "" if seconds is None else f"{duration(seconds)} · "
        unit = report.case.job.measure.rate
        figure = "" if value is None else f"{gbs(value)} {unit}{_change(state, value, before)} · {took}"
        lines.append(figure + escape(report.verdict))
    hint = HINTS.get(state.edit.tool, "")
    if state.edit.tool == "drag" and state.edit.grabbed_place is not None:
        hint = PLACE_HINT if state.edit.drop_target is None else AIMED_HINT
    if hint:
        lines.append(f'<span style="color: {state.style.theme.dim}">{hint}</span>')
    return "<br>".join(lines)


def _change(state: State, value: float, before: float | None) -> str:
    if before is None:
        return ""
    if abs(value - before) <= TOLERANCE * max(value, before):
        return ", no change"
    sign, colour = ("+", state.style.theme.good) if value > before else ("−", state.style.theme.bad)
    return f', <span style="color: {colour}; font-weight: 600">{sign}{gbs(abs(value - before))}</span>'


def _look(theme: Theme) -> str:
    return (
        f"background: {theme.panel}; color: {theme.text};"
        f"border: 1px solid {theme.accent}; border-radius: 6px; padding: 5px 9px;"
    )
