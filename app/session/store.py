"""The owner of the state: only it replaces the state, and emits one signal for each change. It computes nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QObject, Signal

from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind, without
from app.model.evaluation import Evaluation
from app.model.place_fields import without_missing
from app.model.pointing import Item
from app.model.search_run import SearchSettings
from app.model.state import TRANSIENT_ERRORS, State
from app.model.state_changes import changes_between
from app.model.state_groups import (
    BRUSHES,
    ComparisonMode,
    ComparisonState,
    EditState,
    FileState,
    Glide,
    OptimiserState,
    StyleState,
    TimeState,
    TourState,
)
from app.style.colour import ColourScale
from app.style.theme import Theme
from core.job.job import Tasks
from core.load.scenario import Scenario
from core.load.snapshots import with_notes_of
from core.mapping.targets import Target
from core.spec import SpecError


class Store(QObject):
    """Holds the `State`; only its methods replace it."""

    changed = Signal(object)
    """The ChangeSet: emitted once for each change, after `state` holds it."""

    def __init__(self, state: State, *, sync: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.sync = sync
        """Whether all work is done synchronously in the caller's thread: for tests and pictures without a window."""

    @property
    def state(self) -> State:
        """Return what is shown now."""
        return self._state

    def show(self, state: State) -> None:
        """Replace the state and emit what differs, if anything; for the session and its parts alone.

        Places and tasks that the state's case lacks are left out: a view that still shows the network before may
        point at them. Derive the state from `state` at the moment of the call, or changes in between are lost.
        """
        state = without_missing(self._state, state)
        changes = changes_between(self._state, state)
        if changes is not ChangeSet.NONE:
            self._state = state
            self.changed.emit(changes)

    def reset(self, state: State) -> None:
        """Replace the whole state by one that was shown before; for the session's parts alone."""
        self._state = state
        self.changed.emit(ChangeSet.ALL)

    def report_error(self, error: SpecError) -> None:
        """Show why something the user asked for cannot be done; nothing else changes."""
        self.show(replace(self._state, error=error))

    def clear_transient_error(self) -> None:
        """Clear a message about a file or an edit, because a later command succeeded."""
        if self._state.error is not None and self._state.error.field in TRANSIENT_ERRORS:
            self.show(replace(self._state, error=self._state.refusal))

    def show_computation(self, computation: Computation) -> None:
        """Show what is being computed, in place of what was of its kind."""
        self.set_computations(*without(self._state.computations, computation.kind), computation)

    def end_computation(self, kind: Kind) -> None:
        """Note that a computation has ended, or was cancelled."""
        self.set_computations(*without(self._state.computations, kind))

    def set_computations(self, *computations: Computation) -> None:
        """Show that these things are being computed, and nothing else."""
        self.show(replace(self._state, computations=computations))

    def noted(self, scenario: Scenario) -> Scenario:
        """Return a scenario with the current note, folder and snapshots, which belong to the file."""
        noted = with_notes_of(scenario, self._state.wanted)
        return scenario if noted == scenario else noted

    def hover(self, item: Item | None) -> None:
        """Point at one thing, or at nothing."""
        self.show(replace(self._state, hover=item))

    def mark(self, tasks: ArrayLike) -> None:
        """Mark tasks, which the next edit is then about; none: nothing is marked."""
        self.show(replace(self._state, marked=_ascending(tasks)))

    def show_edit(self, edit: EditState) -> None:
        """Show the pointer tools, and the gesture under way."""
        self.show(replace(self._state, edit=edit))

    def set_tool(self, tool: str) -> None:
        """Take up another pointer tool."""
        if tool != self._state.edit.tool:
            self.show_edit(replace(self._state.edit, tool=tool, hint=""))

    def hint(self, text: str) -> None:
        """Say beside the pointer why a press does nothing, and what would; empty: clear the hint."""
        self.show_edit(replace(self._state.edit, hint=text))

    def set_brush(self, brush: int) -> None:
        """Paint with a square brush of so many tasks a side."""
        self.show_edit(replace(self._state.edit, brush=min(max(brush, BRUSHES[0]), BRUSHES[-1])))

    def set_target(self, target: Target | None) -> None:
        """Paint tasks onto this place of the machine."""
        self.show_edit(replace(self._state.edit, target=target))

    def set_level(self, level: int | None) -> None:
        """Let tools act on places of a level of the network, as in `Target`; None: the level that fits."""
        self.show_edit(replace(self._state.edit, level=level))

    def set_drop_target(self, target: Target | None) -> None:
        """Light the place where what is being dragged would go."""
        self.show_edit(replace(self._state.edit, drop_target=target))

    def set_allocated(self, nodes: NDArray[np.bool_] | None) -> None:
        """Show which nodes would be the job's, shape ``(nodes,)``; None: those it has."""
        self.show_edit(replace(self._state.edit, allocated=nodes))

    def set_grabbed(self, tasks: ArrayLike, place: Target | None = None) -> None:
        """Show what a gesture has picked up: tasks, or all that is on a place."""
        self.show_edit(replace(self._state.edit, grabbed=_ascending(tasks), grabbed_place=place))

    def show_search(self, search: OptimiserState) -> None:
        """Show the optimiser's settings, runs and progress."""
        self.show(replace(self._state, search=search))

    def set_pinned_tasks(self, tasks: ArrayLike) -> None:
        """Pin these tasks, and no others, for searches; none: every task may move."""
        self.show_search(replace(self._state.search, pinned_tasks=_ascending(tasks)))

    def set_search_settings(self, settings: SearchSettings) -> None:
        """Choose what the next search does."""
        self.show_search(replace(self._state.search, settings=settings))

    def choose_run(self, number: int | None) -> None:
        """Select a run of the optimiser by number; None: the latest."""
        self.show_search(replace(self._state.search, chosen=number))

    def show_comparison(self, comparison: ComparisonState) -> None:
        """Show another comparison of what is on screen with A."""
        self.show(replace(self._state, comparison=comparison))

    def set_reference(self, evaluation: Evaluation | None, mode: ComparisonMode = ComparisonMode.SIDE) -> None:
        """Make a state A and compare what is on screen with it; None: compare with nothing."""
        mode = mode if evaluation is not None else ComparisonMode.OFF
        self.show_comparison(replace(self._state.comparison, reference=evaluation, mode=mode))

    def compare(self, mode: ComparisonMode) -> None:
        """Compare in another way, or not; A stays."""
        if self._state.comparison.reference is not None:
            self.show_comparison(replace(self._state.comparison, mode=mode))

    def show_style(self, style: StyleState) -> None:
        """Draw loads in another way."""
        self.show(replace(self._state, style=style))

    def set_scale(self, scale: ColourScale) -> None:
        """Change how loads become colours."""
        self.show_style(replace(self._state.style, scale=scale))

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.show_style(replace(self._state.style, theme=theme.scaled(self._state.style.theme.scale)))

    def set_font_scale(self, scale: float) -> None:
        """Change how large type and marks are, of the desktop's size."""
        self.show_style(replace(self._state.style, theme=self._state.style.theme.scaled(scale)))

    def set_hottest_percent(self, percent: float) -> None:
        """Show only the hottest so many percent of the links in the machine view."""
        self.show_style(replace(self._state.style, hottest_percent=min(max(percent, 0.01), 100.0)))

    def show_time(self, time: TimeState) -> None:
        """Show another timeline, or another step."""
        self.show(replace(self._state, time=time))

    def show_tour(self, tour: TourState) -> None:
        """Show another tour, or another of its scenes."""
        self.show(replace(self._state, tour=tour))

    def show_glide(self, glide: Glide | None) -> None:
        """Show loads on the way to those of the state; None: the loads of the state."""
        self.show_tour(replace(self._state.tour, glide=glide))

    def show_file(self, file: FileState, wanted: Scenario | None = None) -> None:
        """Note which file the scenario is of; `wanted`: another scenario than the wanted one."""
        self.show(replace(self._state, file=file, wanted=self._state.wanted if wanted is None else wanted))

    def annotate(self, scenario: Scenario) -> None:
        """Set another note or other snapshots, which need no evaluation."""
        wanted = replace(self._state.wanted, note=scenario.note, snapshots=scenario.snapshots)
        if wanted != self._state.wanted:
            self.show(replace(self._state, wanted=wanted))

    def opened(self, path: Path) -> None:
        """Note that the wanted scenario was read from `path`."""
        self.show_file(replace(self._state.file, path=path, saved=self._state.wanted))

    def saved(self, path: Path, scenario: Scenario) -> None:
        """Note that a scenario, the wanted one or the last valid one, was saved to `path`."""
        wanted = replace(self._state.wanted, folder=path.parent)
        written = wanted if scenario is self._state.wanted else replace(scenario, folder=path.parent)
        self.show_file(replace(self._state.file, path=path, saved=written), wanted)


def _ascending(tasks: ArrayLike) -> Tasks:
    return np.unique(np.asarray(tasks, np.int32))
