"""The groups of the state: typed fields that change together. `app.model.state` holds them."""

import enum
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.channels import ChannelsState
from app.model.evaluation import Evaluation, Moment, WatchedItems
from app.model.history import Adaptation
from app.model.measured_series import MeasuredInterval, MeasuredSeries
from app.model.measurement import LinkSource
from app.model.pointing import Item
from app.model.routes import RoutesState
from app.model.scenes import Tour
from app.model.search_run import SearchRun, SearchSettings
from app.model.what_if import WhatIfState
from app.style.colour import ColourScale, ScaleTop
from app.style.theme import DARK, Theme
from core.job.job import NO_TASKS, Tasks
from core.load.remedies import Remedy
from core.load.scenario import Scenario
from core.mapping.targets import Target
from core.spec import SpecError
from core.timing.timeline import Timeline
from core.timing.waiting import Times


class SearchPhase(enum.Enum):
    """The phase of the optimiser."""

    NONE = "none"
    RUNNING = "running"
    """Searching; the best mapping so far is on screen."""
    FOUND = "found"
    """Ended; the best mapping is on screen, neither kept nor discarded yet."""


class ComparisonMode(enum.Enum):
    """How the state on screen, B, is compared with the pinned state, A."""

    OFF = "off"
    REFERENCE = "A alone"
    """Views show A instead of B, read-only."""
    SIDE = "side by side"
    DIFFERENCE = "difference"


class StandIn(enum.Enum):
    """The substitute on screen for a scenario that was opened but cannot be evaluated."""

    FITTED = "fitted"
    """The scenario, adapted to its network."""
    OTHER = "other"
    """The previous scenario."""


TOOLS = ("select", "paint", "drag", "swap", "allocate")
"""The pointer tools, in the order of the toolbar."""
BRUSHES = (1, 2, 4, 8, 16, 32)
"""Sides of the brush in tasks."""


@dataclass(frozen=True, slots=True)
class StyleState:
    """How loads are drawn."""

    theme: Theme = DARK
    scale: ColourScale = field(default_factory=ColourScale)
    held_top: ScaleTop | None = None
    """The top of the colour scale held during a gesture and while the scale returns after it, or None."""
    hottest_percent: float = 100.0
    """Percentage of links and bundles shown in the machine view, hottest first."""
    link_class: str = ""
    """Name of the only link class shown in tables and views; empty for all classes. Neither saved nor in reports."""
    source: LinkSource = LinkSource.LOAD
    """The quantity that colours links, if the scenario has counters; see `State.source`."""
    groups: str = ""
    """Name of the groups (`Job.groups`) by which tasks and their nodes are coloured; ignored if the job has none."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The scenario file."""

    path: Path | None = None
    saved: Scenario | None = None
    """The scenario in the file, or the scenario that the program started with."""
    origin: str = ""
    """The title of the tour whose scene, edited or not, is on screen; empty if none."""
    left: Path | None = None
    """The file of the work that a scene has replaced; undo returns to it."""
    stand_in: StandIn | None = None
    """Kind of substitute on screen for the file's scenario; None if the user's work is on screen."""


@dataclass(frozen=True, slots=True, eq=False)
class EditState:
    """The pointer tools and the gesture under way."""

    tool: str = TOOLS[0]
    brush: int = 1
    """Side of the square brush in tasks."""
    target: Target | None = None
    """The target of painted tasks."""
    level: int | None = None
    """Level of the places that tools act on, as in `Target`; None for the level under the pointer."""
    gesture: str = ""
    """Name of the gesture under way; empty for none."""
    grabbed: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that the gesture has picked up, ascending."""
    grabbed_place: Target | None = None
    """The place that was picked up, unless single tasks were."""
    drop_target: Target | None = None
    """The target of the dragged tasks."""
    lagging: bool = False
    """Whether the loads do not include the entire gesture yet."""
    allocated: NDArray[np.bool_] | None = None
    """(nodes,) the job's nodes while they are being painted."""
    hint: str = ""
    """Why the last press had no effect, and what would have; empty if it had an effect."""


@dataclass(frozen=True, slots=True, eq=False)
class OptimiserState:
    """The optimiser."""

    settings: SearchSettings = field(default_factory=SearchSettings)
    """Settings of the next search."""
    pinned_tasks: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that searches leave in their slots, ascending."""
    phase: SearchPhase = SearchPhase.NONE
    undecided: bool = False
    """Whether the mapping on screen is the result of a search, neither kept nor discarded yet."""
    searched_from: Scenario | None = None
    """The scenario to restore when a search's mapping is discarded; None without a search."""
    runs: tuple[SearchRun, ...] = ()
    """The runs in the table, oldest first."""
    shown: int | None = None
    """Number of the run whose best mapping is on screen, neither kept nor discarded yet, or None."""
    chosen: int | None = None
    """Number of the run selected in the table of runs; None for the latest."""
    refused: SpecError | None = None
    """Why the last search could not begin, or None if it could."""
    message: str = ""
    """The outcome of the last search, if it is not shown elsewhere."""

    def run(self, number: int | None) -> SearchRun | None:
        """Return a run by number, or None if it was dropped."""
        return next((run for run in self.runs if run.number == number), None)

    @property
    def shown_run(self) -> SearchRun | None:
        """Return the run whose best mapping is on screen."""
        return self.run(self.shown)

    @property
    def chosen_run(self) -> SearchRun | None:
        """Return the run selected in the table, or else the latest; None without runs."""
        return self.run(self.chosen) or (self.runs[-1] if self.runs else None)

    def with_run(self, run: SearchRun) -> "OptimiserState":
        """Return the state with a run replacing the run with the same number, if there is one."""
        return replace(self, runs=tuple(run if run.number == other.number else other for other in self.runs))

    def without_run(self, number: int) -> "OptimiserState":
        """Return the state without a run."""
        return replace(self, runs=tuple(run for run in self.runs if run.number != number))


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonState:
    """The comparison of the state on screen, B, with a reference, A."""

    reference: Evaluation | None = None
    mode: ComparisonMode = ComparisonMode.OFF
    swapped: bool = False
    """Whether `State.evaluation` is A and `reference` is B, as in the picture of A."""

    @property
    def both(self) -> bool:
        """Return whether A and B are shown side by side, or their difference."""
        return self.reference is not None and self.mode in (ComparisonMode.SIDE, ComparisonMode.DIFFERENCE)


@dataclass(frozen=True, slots=True, eq=False)
class TimeState:
    """The timeline, the step shown, and the pinned items."""

    timeline: Timeline | None = None
    """The last computed timeline; its `case` identifies the state."""
    reference_timeline: Timeline | None = None
    """The last computed timeline of A."""
    timeline_progress: float | None = None
    """Fraction done of the computation of the timeline."""
    timeline_refused: str = ""
    """Why there is no timeline; empty if there is one or it was not requested yet."""
    step: int | None = None
    """The step under the cursor; None while the entire job is shown."""
    moment: Moment | None = None
    """The last computed loads of a step under the cursor; see `State.moment`."""
    pinned_items: tuple[Item, ...] = ()
    """Items with rows in the timeline."""
    watched: tuple[WatchedItems, ...] = ()
    """The last computed rows of these items: of the evaluation on screen, or of A and B."""
    ranks: bool = False
    """Whether each rank has a row, for timings without barriers."""
    interval: int | None = None
    """The measured interval under the cursor; None while the entire measurement is shown."""
    measured_interval: MeasuredInterval | None = None
    """The last computed interval under the cursor; see `State.interval`."""
    series: MeasuredSeries | None = None
    """The last computed rows of measured intervals; see `State.series`."""
    series_progress: float | None = None
    """Fraction done of their computation."""
    series_stopped: bool = False
    """Whether the user has stopped it."""
    begun: tuple[Timeline, Times] | None = None
    """The times at which all senders to each rank have begun each step (`core.timing.waiting`), with their timeline."""


class Glide(NamedTuple):
    """A transition from the loads of the previous state."""

    start: NDArray[np.float64]
    """(links,) utilisations at its beginning."""
    done: float
    """Fraction done, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class TourState:
    """The open tour, and its scene on screen."""

    tour: Tour | None = None
    tour_path: Path | None = None
    """The file that it was read from or saved to."""
    tour_saved: Tour | None = None
    """The content of that file."""
    scene: int | None = None
    """Number of the scene on screen or with the error; None if no scene is on screen."""
    looked_at: Scenario | None = None
    """The scenario of a scene that was shown while nothing was unsaved: it can be closed without loss."""
    scene_asked: int | None = None
    """The scene being evaluated, or None."""
    arrivals: int = 0
    """Number of scenes shown so far, which distinguishes repeated displays of one scene."""
    prepared: int = 0
    """Number of scenes evaluated ahead of time so far."""
    scene_error: SpecError | None = None
    """Why the scene cannot be shown; the previous state stays on screen."""
    tour_undo: str = ""
    """Name of the step that undo would revert in the tour; empty for none."""
    tour_redo: str = ""
    recording: bool = False
    """Whether edits of the mapping are being recorded."""
    recorded: bool = False
    """Whether there is a finished recording."""
    glide: Glide | None = None
    """The current transition of loads; None while the final loads are shown."""


class Draft(NamedTuple):
    """A choice that is pending or was refused, while an older state is on screen."""

    name: str
    """Description of the change, as in the history."""
    topic: str
    """The fields concerned; a later change of the same topic continues this one. Empty if none can."""
    before: Scenario
    """The scenario requested before it."""


Misfit = SpecError | Adaptation
"""Choices that do not fit: the error, or the adaptation to the network."""


class Offer(NamedTuple):
    """Scenarios that remedy a misfit, each evaluated in advance."""

    misfit: Misfit
    remedies: tuple[Remedy, ...]


@dataclass(frozen=True, slots=True)
class PanelState:
    """The visible panels of the window, by their names in `app.model.panel_layout`."""

    hidden_panels: frozenset[str] = frozenset()
    maximised: str = ""
    """The maximised panel; empty for none."""

    def shows(self, panel: str) -> bool:
        """Return whether a panel is visible."""
        return panel == self.maximised if self.maximised else panel not in self.hidden_panels


Group = (
    StyleState
    | FileState
    | EditState
    | OptimiserState
    | ComparisonState
    | TimeState
    | TourState
    | PanelState
    | RoutesState
    | ChannelsState
    | WhatIfState
)
