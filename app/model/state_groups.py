"""The groups of the state: typed fields that change together. `app.model.state` holds them."""

import enum
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.evaluation import Evaluation, Moment, WatchedItems
from app.model.history import Adaptation
from app.model.pointing import Item
from app.model.scenes import Tour
from app.model.search_run import SearchRun, SearchSettings
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
    """Searching; the best so far is on screen."""
    FOUND = "found"
    """Ended; its best is on screen, neither kept nor discarded yet."""


class ComparisonMode(enum.Enum):
    """How the state on screen, B, is compared with the pinned one, A."""

    OFF = "off"
    REFERENCE = "A alone"
    """Views show A in place of B, and do not edit it."""
    SIDE = "side by side"
    DIFFERENCE = "difference"


class StandIn(enum.Enum):
    """What is on screen in place of a scenario that was opened but cannot be evaluated."""

    FITTED = "fitted"
    """The scenario with whatever did not fit its network changed."""
    OTHER = "other"
    """What was on screen before."""


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
    """The top of the colour scale before the gesture under way, or on the way back from it; None without either."""
    hottest_percent: float = 100.0
    """Links and bundles shown in the machine view: this percentage of them, hottest first."""
    link_class: str = ""
    """Name of the only link class shown in tables and views; empty for all classes. Neither saved nor in reports."""
    groups: str = ""
    """The groups (`Job.groups`) by which tasks and their nodes are coloured; of no effect if the job has no such."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The scenario file."""

    path: Path | None = None
    saved: Scenario | None = None
    """The scenario in the file, or the one that the program started with."""
    origin: str = ""
    """The title of the tour whose scene, edited or not, is on screen; empty if none."""
    left: Path | None = None
    """The file of the work that the scene has replaced; undo returns to it."""
    stand_in: StandIn | None = None
    """What the evaluation on screen is in place of the file's scenario; None if it is of the user's work."""


@dataclass(frozen=True, slots=True, eq=False)
class EditState:
    """The pointer tools and the gesture under way."""

    tool: str = TOOLS[0]
    brush: int = 1
    """Side of the square brush in tasks."""
    target: Target | None = None
    """The target of painted tasks."""
    level: int | None = None
    """Level of the places that tools act on, as in `Target`; None for the one that fits the hit under the pointer."""
    gesture: str = ""
    """Name of the gesture under way; empty for none."""
    grabbed: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that the gesture has picked up, ascending."""
    grabbed_place: Target | None = None
    """The place that was picked up, if no single tasks were."""
    drop_target: Target | None = None
    """The target of the dragged tasks."""
    lagging: bool = False
    """Whether the loads do not include the entire gesture yet."""
    allocated: NDArray[np.bool_] | None = None
    """(nodes,) the job's nodes while they are being painted."""
    hint: str = ""
    """Why the last press did nothing, and what would; empty if it did something."""


@dataclass(frozen=True, slots=True, eq=False)
class OptimiserState:
    """The optimiser."""

    settings: SearchSettings = field(default_factory=SearchSettings)
    """Settings of the next search."""
    pinned_tasks: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that searches leave in their slots, ascending."""
    phase: SearchPhase = SearchPhase.NONE
    undecided: bool = False
    """Whether the mapping on screen is a search's, neither kept nor discarded yet."""
    searched_from: Scenario | None = None
    """The scenario to restore when a search's mapping is discarded; None without a search under way."""
    runs: tuple[SearchRun, ...] = ()
    """The runs kept, oldest first."""
    shown: int | None = None
    """Number of the run whose best is on screen, neither kept nor discarded yet; None for none."""
    chosen: int | None = None
    """Number of the run selected in the table of runs; None for the latest."""
    refused: SpecError | None = None
    """Why the last search could not begin, or None if it could."""
    message: str = ""
    """The outcome of the last search, if nothing else shows it."""

    def run(self, number: int | None) -> SearchRun | None:
        """Return a run by number, or None if it is no longer kept."""
        return next((run for run in self.runs if run.number == number), None)

    @property
    def shown_run(self) -> SearchRun | None:
        """Return the run whose best is on screen."""
        return self.run(self.shown)

    @property
    def chosen_run(self) -> SearchRun | None:
        """Return the run selected in the table, or else the latest; None without runs."""
        return self.run(self.chosen) or (self.runs[-1] if self.runs else None)

    def with_run(self, run: SearchRun) -> "OptimiserState":
        """Return the state with a run in place of the run with the same number, if that is kept."""
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


@dataclass(frozen=True, slots=True, eq=False)
class TimeState:
    """The timeline, the step shown, and the pinned items."""

    timeline: Timeline | None = None
    """The last computed timeline; its `case` identifies the state."""
    reference_timeline: Timeline | None = None
    """The timeline of A, likewise."""
    timeline_progress: float | None = None
    """Fraction done of computing it."""
    timeline_refused: str = ""
    """Why there is no timeline; empty if it is known, or was not requested yet."""
    step: int | None = None
    """The step under the cursor; None while the entire job is shown."""
    moment: Moment | None = None
    """The last computed loads of a step under the cursor; see `State.moment`."""
    pinned_items: tuple[Item, ...] = ()
    """Items with rows in the timeline."""
    watched: tuple[WatchedItems, ...] = ()
    """The last computed rows of these: of the evaluation on screen, or of A and B."""
    ranks: bool = False
    """Whether each rank has a row, if ranks need not wait for each other after each step."""
    begun: tuple[Timeline, Times] | None = None
    """The times at which all senders to each rank have begun each step (`core.timing.waiting`), with their timeline."""


class Glide(NamedTuple):
    """A transition of loads from those of the previous state."""

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
    """The scene on screen, or the one with the error; None if something else is on screen."""
    looked_at: Scenario | None = None
    """The scenario of a scene shown on the desk while nothing was unsaved: closing it loses nothing."""
    scene_asked: int | None = None
    """The scene being evaluated, or None."""
    arrivals: int = 0
    """Number of scenes shown so far: distinguishes a scene from the same one shown again."""
    prepared: int = 0
    """Number of scenes evaluated ahead of time so far."""
    scene_error: SpecError | None = None
    """Why the scene cannot be shown; the state before stays on screen."""
    tour_undo: str = ""
    """Name of the step that undo would revert in the tour; empty for none."""
    tour_redo: str = ""
    recording: bool = False
    """Whether edits of the mapping are being recorded."""
    recorded: bool = False
    """Whether there is a finished recording."""
    glide: Glide | None = None
    """The glide of loads under way; None while the final loads are shown."""


class Draft(NamedTuple):
    """A choice that is pending or was refused, while an older state is on screen."""

    name: str
    """What changed, as in the history."""
    topic: str
    """The fields concerned: a later change of the same continues it. Empty if none can."""
    before: Scenario
    """The scenario requested before it."""


Misfit = SpecError | Adaptation
"""Choices that do not fit: why they are refused, or how they were changed to fit the network."""


class Offer(NamedTuple):
    """Scenarios that remedy a misfit, each tried in advance."""

    misfit: Misfit
    remedies: tuple[Remedy, ...]


@dataclass(frozen=True, slots=True)
class PanelState:
    """The visible panels of the window, by their names in `app.model.panel_layout`."""

    hidden_panels: frozenset[str] = frozenset()
    maximised: str = ""
    """The only panel visible for the moment; empty for all that are not hidden."""

    def shows(self, panel: str) -> bool:
        """Return whether a panel is visible."""
        return panel == self.maximised if self.maximised else panel not in self.hidden_panels


Group = StyleState | FileState | EditState | OptimiserState | ComparisonState | TimeState | TourState | PanelState
