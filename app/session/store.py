"""The owner of the state, which alone replaces it and emits one signal for each change. It computes nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QObject, Signal

from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind, without
from app.model.evaluation import Evaluation
from app.model.measurement import LinkSource
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
    PanelState,
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
    """The ChangeSet: emitted once per change, after `state` has changed."""

    def __init__(self, state: State, *, sync: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.sync = sync
        """Whether all work is done synchronously in the caller's thread, for tests and pictures without a window."""

    @property
    def state(self) -> State:
        """Return the current state."""
        return self._state

    def show(self, state: State) -> None:
        """Replace the state and emit the differences, if any; only for the session and its parts.

        Places and tasks that the state's case lacks are removed, because a view that still shows the previous network
        may point at them. Derive the new state from `state` at the time of the call, or changes in between are lost.
        """
        state = without_missing(self._state, state)
        changes = changes_between(self._state, state)
        if changes is not ChangeSet.NONE:
            self._state = state
            self.changed.emit(changes)

    def reset(self, state: State) -> None:
        """Replace the entire state by a previous state; only for the session's parts."""
        self._state = state
        self.changed.emit(ChangeSet.ALL)

    def report_error(self, error: SpecError) -> None:
        """Show an error of a request of the user; nothing else changes."""
        self.show(replace(self._state, error=error))

    def clear_transient_error(self) -> None:
        """Clear a message about a file or an edit, because a later command succeeded."""
        if self._state.error is not None and self._state.error.field in TRANSIENT_ERRORS:
            self.show(replace(self._state, error=self._state.refusal))

    def show_computation(self, computation: Computation) -> None:
        """Show a computation, replacing the previous one of its kind."""
        self.set_computations(*without(self._state.computations, computation.kind), computation)

    def end_computation(self, kind: Kind) -> None:
        """Record that a computation has ended, or was cancelled."""
        self.set_computations(*without(self._state.computations, kind))

    def set_computations(self, *computations: Computation) -> None:
        """Show these computations and no others."""
        self.show(replace(self._state, computations=computations))

    def noted(self, scenario: Scenario) -> Scenario:
        """Return a scenario with the current note, folder and snapshots, which belong to the file."""
        noted = with_notes_of(scenario, self._state.wanted)
        return scenario if noted == scenario else noted

    def hover(self, item: Item | None) -> None:
        """Hover over an item, or over none."""
        self.show(replace(self._state, hover=item))

    def mark(self, tasks: ArrayLike) -> None:
        """Select tasks, to which the next edit applies; an empty array deselects all."""
        self.show(replace(self._state, marked=_ascending(tasks)))

    def show_edit(self, edit: EditState) -> None:
        """Set the state of the pointer tools and of the gesture."""
        self.show(replace(self._state, edit=edit))

    def set_tool(self, tool: str) -> None:
        """Choose another pointer tool."""
        if tool != self._state.edit.tool:
            self.show_edit(replace(self._state.edit, tool=tool, hint=""))

    def hint(self, text: str) -> None:
        """Show next to the pointer why a press has no effect, and what would; an empty text clears the hint."""
        self.show_edit(replace(self._state.edit, hint=text))

    def set_brush(self, brush: int) -> None:
        """Paint with a square brush with a side of `brush` tasks."""
        self.show_edit(replace(self._state.edit, brush=min(max(brush, BRUSHES[0]), BRUSHES[-1])))

    def set_target(self, target: Target | None) -> None:
        """Set the place of the machine onto which tasks are painted."""
        self.show_edit(replace(self._state.edit, target=target))

    def set_level(self, level: int | None) -> None:
        """Set the level of the places that tools act on, as in `Target`; None for automatic."""
        self.show_edit(replace(self._state.edit, level=level))

    def set_drop_target(self, target: Target | None) -> None:
        """Highlight the place where the dragged tasks would go."""
        self.show_edit(replace(self._state.edit, drop_target=target))

    def set_allocated(self, nodes: NDArray[np.bool_] | None) -> None:
        """Show a preview of the job's nodes, a mask of shape ``(nodes,)``; None for its current nodes."""
        self.show_edit(replace(self._state.edit, allocated=nodes))

    def set_grabbed(self, tasks: ArrayLike, place: Target | None = None) -> None:
        """Show the tasks that a gesture has picked up, or the place that it has picked up."""
        self.show_edit(replace(self._state.edit, grabbed=_ascending(tasks), grabbed_place=place))

    def show_search(self, search: OptimiserState) -> None:
        """Show the optimiser's settings, runs and progress."""
        self.show(replace(self._state, search=search))

    def set_pinned_tasks(self, tasks: ArrayLike) -> None:
        """Pin these tasks, and no others, for searches."""
        self.show_search(replace(self._state.search, pinned_tasks=_ascending(tasks)))

    def set_search_settings(self, settings: SearchSettings) -> None:
        """Set the options of the next search."""
        self.show_search(replace(self._state.search, settings=settings))

    def choose_run(self, number: int | None) -> None:
        """Select a run of the optimiser by number, or the latest for None."""
        self.show_search(replace(self._state.search, chosen=number))

    def show_comparison(self, comparison: ComparisonState) -> None:
        """Show another comparison of the state on screen with A."""
        self.show(replace(self._state, comparison=comparison))

    def set_reference(self, evaluation: Evaluation | None, mode: ComparisonMode = ComparisonMode.SIDE) -> None:
        """Make a state A and compare the state on screen with it, or end the comparison for None."""
        mode = mode if evaluation is not None else ComparisonMode.OFF
        self.show_comparison(replace(self._state.comparison, reference=evaluation, mode=mode))

    def compare(self, mode: ComparisonMode) -> None:
        """Set the mode of comparison; A is kept."""
        if self._state.comparison.reference is not None:
            self.show_comparison(replace(self._state.comparison, mode=mode))

    def show_style(self, style: StyleState) -> None:
        """Set how loads are drawn."""
        self.show(replace(self._state, style=style))

    def set_scale(self, scale: ColourScale) -> None:
        """Set how loads become colours."""
        self.show_style(replace(self._state.style, scale=scale))

    def set_source(self, source: LinkSource) -> None:
        """Set the quantity that colours links."""
        self.show_style(replace(self._state.style, source=source))

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.show_style(replace(self._state.style, theme=theme.scaled(self._state.style.theme.scale)))

    def set_font_scale(self, scale: float) -> None:
        """Set the size of text and symbols, relative to the desktop's."""
        self.show_style(replace(self._state.style, theme=self._state.style.theme.scaled(scale)))

    def set_hottest_percent(self, percent: float) -> None:
        """Show only the hottest `percent` of the links in the machine view."""
        self.show_style(replace(self._state.style, hottest_percent=min(max(percent, 0.01), 100.0)))

    def set_link_class(self, name: str) -> None:
        """Show only the links of a class in tables and views; an empty name shows all."""
        self.show_style(replace(self._state.style, link_class=name))

    def toggle_link_class(self, name: str) -> None:
        """Show only the links of a class, or all links if the class is shown already."""
        self.set_link_class("" if name == self._state.style.link_class else name)

    def colour_by_groups(self, name: str) -> None:
        """Colour tasks and their nodes by groups of the job; empty for none."""
        self.show_style(replace(self._state.style, groups=name))

    def show_time(self, time: TimeState) -> None:
        """Show another timeline, or another step."""
        self.show(replace(self._state, time=time))

    def show_tour(self, tour: TourState) -> None:
        """Show another tour, or another of its scenes."""
        self.show(replace(self._state, tour=tour))

    def show_panels(self, panels: PanelState) -> None:
        """Show other panels of the window."""
        self.show(replace(self._state, panels=panels))

    def reveal_panel(self, panel: str) -> None:
        """Make a panel visible, even if another is maximised."""
        panels = self._state.panels
        if not panels.shows(panel):
            self.show_panels(PanelState(panels.hidden_panels - {panel}))

    def set_panel_visible(self, panel: str, visible: bool) -> None:
        """Show or hide a panel; a maximised panel is restored first."""
        hidden = self._state.panels.hidden_panels
        self.show_panels(PanelState(hidden - {panel} if visible else hidden | {panel}))

    def maximise(self, panel: str) -> None:
        """Maximise a panel; restore all panels for an empty name or if it is maximised already."""
        panels = self._state.panels
        self.show_panels(replace(panels, maximised="" if panel == panels.maximised else panel))

    def show_glide(self, glide: Glide | None) -> None:
        """Show a transition to the loads of the state; None for the final loads."""
        self.show_tour(replace(self._state.tour, glide=glide))

    def show_file(self, file: FileState, wanted: Scenario | None = None) -> None:
        """Set the file of the scenario, and optionally another requested scenario."""
        self.show(replace(self._state, file=file, wanted=self._state.wanted if wanted is None else wanted))

    def annotate(self, scenario: Scenario) -> None:
        """Set another note or other snapshots, which need no evaluation."""
        wanted = replace(self._state.wanted, note=scenario.note, snapshots=scenario.snapshots)
        if wanted != self._state.wanted:
            self.show(replace(self._state, wanted=wanted))

    def opened(self, path: Path) -> None:
        """Record that the requested scenario was read from `path`."""
        self.show_file(replace(self._state.file, path=path, saved=self._state.wanted))

    def drop_note(self) -> None:
        """Drop the note of a changed preset, since the note describes the preset."""
        file, wanted = self._state.file, self._state.wanted
        preset = file.saved if file.path is None and not file.origin else None
        if preset is not None and self._state.dirty and wanted.note == preset.note:
            self.annotate(replace(wanted, note=""))

    def saved(self, path: Path, scenario: Scenario) -> None:
        """Record that the requested scenario, or the last valid one, was saved to `path`."""
        wanted = replace(self._state.wanted, folder=path.parent)
        written = wanted if scenario is self._state.wanted else replace(scenario, folder=path.parent)
        self.show_file(replace(self._state.file, path=path, saved=written), wanted)


def _ascending(tasks: ArrayLike) -> Tasks:
    return np.unique(np.asarray(tasks, np.int32))
