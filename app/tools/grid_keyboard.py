"""Tools by keyboard: a cursor in the task grid, moved by the arrow keys."""

from collections.abc import Callable
from typing import cast

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent

from app.model.changes import ChangeSet
from app.model.places import level_meant, next_target, places_of_tasks
from app.model.pointing import NO_HIT, Hit, Item
from app.tools.grid_cells import Modifier, place_in_grid, tasks_between
from app.tools.paint import PaintTool
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.heatmaps.task_grid import JobGridView
from core.mapping.targets import Target, target_numbered

Key = Qt.Key
ARROWS = {Key.Key_Left: (0, -1), Key.Key_Right: (0, 1), Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0)}
LEAP = 1 << 30


class GridKeys(QObject):
    """Listens to the keys of the task grid while it has the focus.

    Arrows move the cursor, with Control to the next place of the machine; Shift selects a rectangle or, with the paint
    tool, paints a line. Space acts at the cursor like a click of the tool, Enter puts the selected tasks on the target.
    """

    put_asked = Signal()
    """Asks to move the selected tasks to the target."""

    def __init__(self, grid: JobGridView, toolbox: Toolbox, parent: QObject) -> None:
        super().__init__(parent)
        self._grid, self._toolbox = grid, toolbox
        self._session = grid.session
        self.cell = (0, 0)
        """Row and column of the cursor."""
        self._anchor: tuple[int, int] | None = None
        """Corner where the rectangle selected with Shift began."""
        self._painting = False
        self._typed = ""
        """Digits of a target's index typed so far."""
        grid.surface.installEventFilter(self)
        self._session.changed.connect(self._on_session_changed)

    @property
    def hit(self) -> Hit:
        """Return the hit at the cursor, which hits nothing while the grid is hidden."""
        return self._grid.cell_hit(*self.cell) if self._grid.isVisible() else NO_HIT

    @property
    def active(self) -> bool:
        """Return whether keys go to the task grid."""
        focused: bool = self._grid.surface.hasFocus()
        return focused

    def move_to(self, row: int, col: int) -> None:
        """Move the cursor to a cell, clipped to the grid, and hover its task."""
        case = self._grid.case
        rows, cols = case.job.shape
        row = min(max(row, 0), rows - 1)
        # Beyond the last task there are no cells.
        last = min(cols, case.job.tasks - row * cols)
        row, col = (row, min(max(col, 0), last - 1)) if last > 0 else divmod(case.job.tasks - 1, cols)
        self.cell = row, col
        self._grid.show_cursor(self.cell)
        self._session.hover(Item("task", row * cols + col))

    def pick(self) -> None:
        """Pick the task at the cursor for a swap, or swap it with the picked one; nothing while no cursor is shown."""
        tool = self._toolbox.tools["swap"]
        # With the pointer no cursor is visible: its task was not chosen by the user.
        if isinstance(tool, SwapTool) and self._grid.marks.cursor is not None:
            tool.pick(self.hit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys that have a meaning in the grid."""
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress:
            self._hide_cursor()
        elif kind == QEvent.Type.KeyPress:
            return self._press(cast(QKeyEvent, event))
        elif kind == QEvent.Type.KeyRelease and cast(QKeyEvent, event).key() == Key.Key_Shift:
            self._end_line()
        elif kind == QEvent.Type.FocusOut:
            self._end_line()
            self._hide_cursor()
        elif kind == QEvent.Type.FocusIn:
            self._grid.surface.update()
            if cast(QFocusEvent, event).reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
                self.move_to(*self.cell)
        return False

    def _press(self, event: QKeyEvent) -> bool:
        key, modifiers = Key(event.key()), event.modifiers() & ~Modifier.KeypadModifier
        if Key.Key_0 <= key <= Key.Key_9 and not modifiers:
            self._type(event.text())
            return True
        acts: dict[Key, Callable[[], object]] = {
            Key.Key_Space: self._act,
            Key.Key_Return: self.put_asked.emit,
            Key.Key_Enter: self.put_asked.emit,
            Key.Key_PageUp: lambda: self._step_target(-1),
            Key.Key_PageDown: lambda: self._step_target(1),
        }
        goal = self._goal(key, modifiers)
        if goal is None and (key not in acts or modifiers):
            return False
        self._typed = ""
        if goal is None:
            acts[key]()
        else:
            self._go(goal, bool(modifiers & Modifier.ShiftModifier))
        return True

    def _step_target(self, step: int) -> None:
        self._session.set_target(next_target(self._session.state, step))

    def _type(self, digit: str) -> None:
        # Digits combine while such a place exists: 1 and 2 are 12, but with 32 supernodes 1, 2 and 5 are 5.
        network, target = self._session.state.evaluation.case.network, self._session.state.edit.target
        level = target.level if target is not None else level_meant(self._session.state)
        for text in (self._typed + digit, digit):
            index = target_numbered(int(text), network, level)
            if index is not None:
                self._typed = text
                self._session.set_target(Target(level, index))
                return
        self._typed = ""

    def _goal(self, key: Key, modifiers: Modifier) -> tuple[int, int] | None:
        """Return the cell to which a key moves the cursor, or None for other keys."""
        (row, col), jump = self.cell, bool(modifiers & Modifier.ControlModifier)
        if modifiers & ~(Modifier.ControlModifier | Modifier.ShiftModifier):
            return None
        if key in ARROWS:
            down, right = ARROWS[key]
            step = self._to_next_place(down, right) if jump else 1
            return row + step * down, col + step * right
        if key == Key.Key_Home:
            return (0 if jump else row), 0
        if key == Key.Key_End:
            return (LEAP if jump else row), LEAP
        return None

    def _to_next_place(self, down: int, right: int) -> int:
        """Return the distance to the next task on another place of the machine."""
        case = self._grid.case
        (row, col), (_, cols) = self.cell, case.job.shape
        reach = {(0, -1): col, (0, 1): cols - 1 - col, (-1, 0): row}.get((down, right), case.job.shape[0] - 1 - row)
        line = (row * cols + col) + np.arange(reach + 1) * (down * cols + right)
        place = places_of_tasks(case, level_meant(self._session.state))[line[line < case.job.tasks]]
        others = np.flatnonzero(place != place[0])
        return int(others[0]) if others.size else reach

    def _go(self, goal: tuple[int, int], extend: bool) -> None:
        before = self.cell
        if not extend:
            self._anchor = None
            self.move_to(*goal)
            return
        paint = self._toolbox.tool
        if isinstance(paint, PaintTool):
            if not self._painting:
                self._painting = paint.start(self.hit)
            self.move_to(*goal)
            paint.draw_to(place_in_grid(self.cell))
            return
        self._anchor = self._anchor or before
        self.move_to(*goal)
        self._session.mark(tasks_between(self._anchor, self.cell, self._grid.case.job))

    def _act(self) -> None:
        """Act at the cursor like a click with the tool."""
        if self._toolbox.refuses():
            return
        self.move_to(*self.cell)
        tool, hit, state = self._toolbox.tool, self.hit, self._session.state
        self._session.clear_transient_error()
        if isinstance(tool, PaintTool):
            if state.edit.target is None:
                tool.take(hit)
            elif not self._painting and tool.begin(place_in_grid(self.cell)):
                tool.end()
        elif isinstance(tool, SwapTool):
            tool.pick(hit)
        elif hit.task is not None:
            self._session.mark(np.setxor1d(state.marked, [hit.task]))

    def _end_line(self) -> None:
        tool = self._toolbox.tools["paint"]
        if self._painting and isinstance(tool, PaintTool):
            tool.end()
        self._painting = False

    def _hide_cursor(self) -> None:
        self._typed, self._anchor = "", None
        self._grid.show_cursor(None)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.TOOL in changes and not self._session.state.edit.gesture:
            self._painting = False
        if ChangeSet.MAPPING in changes and self._grid.marks.cursor is not None:
            rows, cols = self._grid.case.job.shape
            self.cell = min(self.cell[0], rows - 1), min(self.cell[1], cols - 1)
            self._grid.show_cursor(self.cell)
