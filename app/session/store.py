"""The one owner of the state: it alone replaces it, and tells so by one signal. It computes nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QObject, Signal

from app.model.changes import ChangeSet
from app.model.pointing import Item
from app.model.search_run import SearchSettings
from app.model.state import BRUSHES, TRANSIENT_ERRORS, ComparisonMode, Evaluation, State
from app.style.colour import ColourScale
from app.style.theme import Theme
from core.load.scenario import Scenario
from core.mapping.targets import Target
from core.spec import SpecError


class Store(QObject):
    """Holds the `State`; only its methods replace it."""

    changed = Signal(object, object)
    """(ChangeSet, initiator): emitted once for each change, after `state` holds it."""

    def __init__(self, state: State, *, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state

    @property
    def state(self) -> State:
        """Return what is shown now."""
        return self._state

    def report_error(self, error: SpecError) -> None:
        """Show why something the user asked for cannot be; nothing else changes."""
        self.show(ChangeSet.STATUS, error=error)

    def clear_transient_error(self) -> None:
        """Drop a message about a file or an edit, because a later command went well."""
        if self._state.error is not None and self._state.error.field in TRANSIENT_ERRORS:
            self.show(ChangeSet.STATUS, error=None)

    def noted(self, scenario: Scenario) -> Scenario:
        """Return a scenario with note, folder and snapshots as they are now: these belong to the file."""
        kept = self._state.wanted
        noted = replace(scenario, note=kept.note, folder=kept.folder, snapshots=kept.snapshots)
        return scenario if noted == scenario else noted

    def hover(self, item: Item | None, initiator: object = None) -> None:
        """Point at one thing, or at nothing."""
        if item != self._state.hover:
            self.show(ChangeSet.HOVER, initiator, hover=item)

    def mark(self, tasks: ArrayLike, initiator: object = None) -> None:
        """Mark tasks, which the next edit is then about; none: nothing is marked."""
        marked = np.unique(np.asarray(tasks, np.int32))
        if not np.array_equal(marked, self._state.marked):
            self.show(ChangeSet.MARKED, initiator, marked=marked)

    def set_tool(self, tool: str) -> None:
        """Take up another pointer tool."""
        if tool != self._state.edit.tool:
            self.show(ChangeSet.TOOL, tool=tool, hint="")

    def hint(self, text: str) -> None:
        """Say beside the pointer why a press does nothing, and what would; empty: nothing is to be said."""
        if text != self._state.edit.hint:
            self.show(ChangeSet.TOOL, hint=text)

    def set_brush(self, brush: int) -> None:
        """Paint with a square brush of so many tasks a side."""
        brush = min(max(brush, BRUSHES[0]), BRUSHES[-1])
        if brush != self._state.edit.brush:
            self.show(ChangeSet.TOOL, brush=brush)

    def set_target(self, target: Target | None) -> None:
        """Paint tasks onto this place of the machine."""
        if target != self._state.edit.target:
            self.show(ChangeSet.TOOL, target=target)

    def set_level(self, level: int | None) -> None:
        """Let tools take places of a level of the network, as in `Target`; None: what fits."""
        if level != self._state.edit.level:
            self.show(ChangeSet.TOOL, level=level)

    def set_drop_target(self, target: Target | None) -> None:
        """Light the place where what is being dragged would go."""
        if target != self._state.edit.drop_target:
            self.show(ChangeSet.TOOL, drop_target=target)

    def set_pinned_tasks(self, tasks: ArrayLike, initiator: object = None) -> None:
        """Let searches leave these tasks where they are, and no others; none: every task may move."""
        pinned = np.unique(np.asarray(tasks, np.int32))
        if not np.array_equal(pinned, self._state.search.pinned_tasks):
            self.show(ChangeSet.SEARCH, initiator, pinned_tasks=pinned)

    def set_search_settings(self, settings: SearchSettings, initiator: object = None) -> None:
        """Choose what the next search does."""
        if settings != self._state.search.settings:
            self.show(ChangeSet.SEARCH, initiator, settings=settings)

    def set_grabbed(self, tasks: ArrayLike, place: Target | None = None) -> None:
        """Show what a gesture has picked up: tasks, or all that is on a place."""
        grabbed = np.unique(np.asarray(tasks, np.int32))
        if place != self._state.edit.grabbed_place or not np.array_equal(grabbed, self._state.edit.grabbed):
            self.show(ChangeSet.TOOL, grabbed=grabbed, grabbed_place=place)

    def set_reference(self, evaluation: Evaluation | None, mode: ComparisonMode = ComparisonMode.SIDE) -> None:
        """Make a state A and compare what is on screen with it; None: compare with nothing."""
        mode = mode if evaluation is not None else ComparisonMode.OFF
        self.show(ChangeSet.COMPARISON | ChangeSet.STYLE, reference=evaluation, mode=mode)

    def compare(self, mode: ComparisonMode) -> None:
        """Compare in another way, or not; A stays."""
        if self._state.comparison.reference is not None and mode is not self._state.comparison.mode:
            self.show(ChangeSet.COMPARISON | ChangeSet.STYLE, mode=mode)

    def set_scale(self, scale: ColourScale, initiator: object = None) -> None:
        """Change how loads become colours."""
        if scale != self._state.style.scale:
            self.show(ChangeSet.STYLE, initiator, scale=scale)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if theme != self._state.style.theme:
            self.show(ChangeSet.STYLE, theme=theme)

    def set_hottest_percent(self, percent: float, initiator: object = None) -> None:
        """Show only the hottest so many percent of the links in the machine view."""
        percent = min(max(percent, 0.01), 100.0)
        if percent != self._state.style.hottest_percent:
            self.show(ChangeSet.STYLE, initiator, hottest_percent=percent)

    def annotate(self, scenario: Scenario, initiator: object = None) -> None:
        """Take over another note or other snapshots: what needs no evaluation."""
        wanted = replace(self._state.wanted, note=scenario.note, snapshots=scenario.snapshots)
        if wanted != self._state.wanted:
            self.show(ChangeSet.FILE, initiator, wanted=wanted)

    def opened(self, path: Path) -> None:
        """Note that what is wanted came from `path`."""
        self.show(ChangeSet.FILE, path=path, saved=self._state.wanted)

    def saved(self, path: Path) -> None:
        """Note that what is wanted now stands in `path`."""
        written = replace(self._state.wanted, folder=path.parent)
        self.show(ChangeSet.FILE, path=path, wanted=written, saved=written)

    def show(self, changes: ChangeSet, initiator: object = None, **values: Any) -> None:
        """Replace values of the state and tell so; for the session and its parts alone."""
        self._state = self._state.with_values(**values)
        self.changed.emit(changes, initiator)
