"""What the window shows: one frozen `State` that only the session replaces."""

import enum
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.computation import Computation, Kind
from app.model.history import History
from app.model.performance import Baseline
from app.model.pointing import Item
from app.model.scenes import Tour
from app.model.search_run import SearchRun, SearchSettings
from app.style.colour import ColourScale, DifferenceScale, Shading
from app.style.theme import DARK, Theme
from app.wording.names import step_title
from core.figures.predictions import Prediction
from core.job.job import NO_TASKS, Tasks
from core.load.bounds import Bound
from core.load.compare import comparable, difference, scaled
from core.load.evaluate import LoadReport
from core.load.explain import Explanation
from core.load.scenario import Case, Scenario
from core.load.swap_suggestions import Suggestions
from core.mapping.targets import Target
from core.spec import SpecError
from core.timing.round_steps import RoundSteps
from core.timing.timeline import Timeline
from core.timing.waiting import Times
from core.timing.watched import Watched

FILE = "file"
"""Field of errors about a file."""
EDIT = "edit"
"""Field of errors about an edit that cannot be done."""
TRANSIENT_ERRORS = (FILE, EDIT)
"""Errors about a file or an edit; cleared by the next successful command."""
TYPED = "what was typed"
"""Name of text that a field refuses, as a step that can be undone."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluated scenario: case, report, bounds and predictions."""

    case: Case
    report: LoadReport
    bounds: tuple[Bound, ...]
    predictions: tuple[Prediction, ...]
    seconds: float
    """Wall time of building and evaluating."""


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
    hottest_percent: float = 100.0
    """Links and bundles shown in the machine view: the hottest so many percent."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The scenario file."""

    path: Path | None = None
    saved: Scenario | None = None
    """The scenario in the file, or the one that the program started with."""
    origin: str = ""
    """The title of the tour whose scene, edited or not, is on screen; empty: there is none."""
    left: Path | None = None
    """The file of the work that the scene has replaced; undo returns to it."""
    stand_in: StandIn | None = None
    """What the evaluation on screen is in place of the file's scenario; None: an evaluation of the user's work."""


@dataclass(frozen=True, slots=True, eq=False)
class EditState:
    """The pointer tools and the gesture under way."""

    tool: str = TOOLS[0]
    brush: int = 1
    """Side of the square brush in tasks."""
    target: Target | None = None
    """Where painted tasks go."""
    level: int | None = None
    """Level of the places that tools act on, as in `Target`; None: the one that fits what is under the pointer."""
    gesture: str = ""
    """Name of the gesture under way; empty: none."""
    grabbed: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that the gesture has picked up, ascending."""
    grabbed_place: Target | None = None
    """The place that was picked up, if no single tasks were."""
    drop_target: Target | None = None
    """Where what is being dragged would go."""
    lagging: bool = False
    """Whether the loads do not include the whole gesture yet."""
    allocated: NDArray[np.bool_] | None = None
    """(nodes,) the job's nodes while they are being painted."""
    hint: str = ""
    """Why the last press did nothing, and what would; empty: it did something."""


@dataclass(frozen=True, slots=True, eq=False)
class OptimiserState:
    """The optimiser."""

    settings: SearchSettings = field(default_factory=SearchSettings)
    """Settings of the next search."""
    pinned_tasks: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that searches leave where they are, ascending."""
    phase: SearchPhase = SearchPhase.NONE
    found: bool = False
    """Whether the mapping on screen is a search's, neither kept nor discarded yet."""
    searched_from: Scenario | None = None
    """The scenario to restore when a search's mapping is discarded; None: no search is under way."""
    runs: tuple[SearchRun, ...] = ()
    """The runs kept, oldest first."""
    shown: int | None = None
    """Number of the run whose best is on screen, neither kept nor discarded yet; None: there is none."""
    chosen: int | None = None
    """Number of the run selected in the table of runs; None: the latest."""
    refused: SpecError | None = None
    """Why the last search could not begin; None: it could."""
    message: str = ""
    """The outcome of the last search, where nothing else shows it."""

    def run(self, number: int | None) -> SearchRun | None:
        """Return a run by number; None: it is not kept any more."""
        return next((run for run in self.runs if run.number == number), None)

    @property
    def shown_run(self) -> SearchRun | None:
        """Return the run whose best is on screen."""
        return self.run(self.shown)

    @property
    def chosen_run(self) -> SearchRun | None:
        """Return the run selected in the table, else the latest; None: there are no runs."""
        return self.run(self.chosen) or (self.runs[-1] if self.runs else None)

    def with_run(self, run: SearchRun) -> "OptimiserState":
        """Return the state with a run in place of the run of the same number, if that is kept."""
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


@dataclass(frozen=True, eq=False)
class Moment:
    """The loads of one step of the job."""

    step: int
    whole: Evaluation
    """The evaluation of the whole job."""
    alone: Evaluation
    """The evaluation of the step as if it were the job; without bounds and predictions, which apply to whole jobs."""
    rounds: RoundSteps | None = None
    """The rounds that it is one of; None: it is a phase of the job."""

    @property
    def words(self) -> str:
        """Return ``step 7 of 31: r <-> r XOR 7``."""
        job = self.whole.case.job
        if self.rounds is not None:
            return step_title(self.step, len(self.rounds), self.rounds.name(self.step))
        return step_title(self.step, len(job.phases), job.step_name(self.step))


@dataclass(frozen=True, eq=False)
class WatchedItems:
    """Utilisation in each step of the links of what is pinned to the timeline."""

    evaluation: Evaluation
    items: tuple[Item, ...]
    """The pinned items that the case has."""
    rows: Watched
    """The rows of the links of each item."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeState:
    """The timeline, the step shown, and the items with rows of their own."""

    timeline: Timeline | None = None
    """The timeline found last; its `case` tells for which state."""
    reference_timeline: Timeline | None = None
    """The timeline of A, likewise."""
    timeline_progress: float | None = None
    """Fraction done of finding it."""
    timeline_refused: str = ""
    """Why there is no timeline; empty: it is known, or was not requested yet."""
    step: int | None = None
    """The step under the cursor; None: the whole job is shown."""
    moment: Moment | None = None
    """The loads found last of a step under the cursor: see `State.moment`."""
    pinned_items: tuple[Item, ...] = ()
    """Items with rows of their own."""
    watched: tuple[WatchedItems, ...] = ()
    """These rows as found last: of the evaluation on screen, or of A and B."""
    ranks: bool = False
    """Whether each rank has a row, where ranks need not wait for each other after each step."""
    begun: tuple[Timeline, Times] | None = None
    """For a timeline the times at which all senders to each rank have begun each step (`core.timing.waiting`)."""


class Glide(NamedTuple):
    """A transition of loads from those of the state before."""

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
    """The scene on screen, or whose error is; None: something else is."""
    looked_at: Scenario | None = None
    """The scenario of a scene shown on the desk while nothing was unsaved: closing it loses nothing."""
    scene_asked: int | None = None
    """The scene being evaluated; None: none is."""
    arrivals: int = 0
    """Number of scenes shown so far: distinguishes a scene from the same one shown again."""
    prepared: int = 0
    """Number of scenes evaluated ahead of time so far."""
    scene_error: SpecError | None = None
    """Why the scene cannot be shown; the state before stays on screen."""
    tour_undo: str = ""
    """Name of what would be undone in the tour; empty: nothing."""
    tour_redo: str = ""
    recording: bool = False
    """Whether edits of the mapping are being recorded."""
    recorded: bool = False
    """Whether there is a finished recording."""
    glide: Glide | None = None
    """The glide of loads under way; None: the final loads are shown."""


class Draft(NamedTuple):
    """A choice that is pending or was refused, so that what is on screen is older."""

    name: str
    """What changed, as in the history."""
    topic: str
    """The fields concerned: a later change of the same continues it. Empty: none does."""
    before: Scenario
    """The scenario wanted before it."""


@dataclass(frozen=True, eq=False)
class State:
    """All that the window shows. `evaluation` is the last good one; `wanted` may be ahead of it."""

    wanted: Scenario
    evaluation: Evaluation
    baseline: Baseline | None = None
    """The throughput before the last change."""
    error: SpecError | None = None
    """Why the last command failed: often `refusal`, but also a file that cannot be opened."""
    refusal: SpecError | None = None
    """Why `wanted` cannot be built; the evaluation is then still that of the last good scenario."""
    drafts: tuple[Draft, ...] = ()
    """The choices since the evaluation on screen, pending or refused, oldest first; undo takes them back one by one."""
    computations: tuple[Computation, ...] = ()
    """What is being computed for longer than a moment, at most one of each kind."""
    selection: Item | None = None
    hover: Item | None = None
    explanation: Explanation | None = None
    marked: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that the next edit applies to, ascending."""
    history: History = field(default_factory=History)
    """The steps done and undone."""
    suggestions: Suggestions | None = None
    """Swaps that help; their `report` tells for which state."""
    suggestion_progress: float | None = None
    """Fraction done of the search for such swaps."""
    file: FileState = field(default_factory=FileState)
    style: StyleState = field(default_factory=StyleState)
    edit: EditState = field(default_factory=EditState)
    comparison: ComparisonState = field(default_factory=ComparisonState)
    search: OptimiserState = field(default_factory=OptimiserState)
    time: TimeState = field(default_factory=TimeState)
    tour: TourState = field(default_factory=TourState)
    desk: "State | None" = None
    """The state to restore when the presentation ends; None: nothing is presented."""

    def without_gesture(self) -> "State":
        """Return the state with no gesture under way, neither of the pointer nor a search."""
        edit = replace(self.edit, gesture="", drop_target=None, grabbed=NO_TASKS, grabbed_place=None, lagging=False)
        search = replace(self.search, phase=SearchPhase.NONE, found=False, searched_from=None)
        return replace(self, edit=edit, search=search)

    def without_refusal(self) -> "State":
        """Return the state in which the scenario on screen is the wanted one."""
        return replace(self, error=None, refusal=None, drafts=(), file=replace(self.file, stand_in=None))

    def detached(self) -> "State":
        """Return the state for a scene, which has no file: saving would overwrite the user's work."""
        file, tour = self.file, self.tour.tour
        left = file.left if file.origin else file.path
        origin = (tour.title if tour is not None else "") or "Tour"
        return replace(self, file=replace(file, path=None, left=left, origin=origin))

    def attached(self) -> "State":
        """Return the state back at the file that a scene has replaced."""
        return replace(self, file=replace(self.file, path=self.file.left, left=None, origin=""))

    @property
    def pending(self) -> Computation | None:
        """Return the most important computation; None: nothing is being computed for longer than a moment."""
        return self.outdating or self.preparing

    @property
    def outdating(self) -> Computation | None:
        """Return the computation that will replace the results on screen; None: there is none."""
        return next((one for kind in Kind for one in self.computations if one.kind is kind and one.outdates), None)

    @property
    def preparing(self) -> Computation | None:
        """Return a computation that leaves the results on screen valid; None: there is none."""
        return next((one for kind in Kind for one in self.computations if one.kind is kind and not one.outdates), None)

    @property
    def outdated(self) -> bool:
        """Return whether the results on screen are not those of the settings, and have not been for a moment."""
        return self.outdating is not None

    @property
    def dirty(self) -> bool:
        """Return whether something unsaved would be lost."""
        work = self.kept
        return work.wanted not in (work.file.saved, work.tour.looked_at)

    @property
    def kept(self) -> "State":
        """Return the state with the user's own work: during a presentation that of the desk."""
        return self.desk or self

    @property
    def presenting(self) -> bool:
        """Return whether a tour, or what is on screen, is shown on the stage."""
        return self.desk is not None

    @property
    def tour_dirty(self) -> bool:
        """Return whether changes of the tour would be lost."""
        return self.tour.tour is not self.tour.tour_saved and self.tour.tour != self.tour.tour_saved

    @property
    def undoes(self) -> str:
        """Return the name of what undo reverts, also a gesture, but no search without a result; empty: nothing."""
        waits = self.search.phase is not SearchPhase.NONE and not self.search.found
        drafted = self.drafts[-1].name if self.drafts else TYPED if self.refuses_text else ""
        return drafted or ("" if waits else self.edit.gesture) or self.history.undo_name

    @property
    def refuses_text(self) -> bool:
        """Return whether what was typed into a field is no value of it, so that no choice was made."""
        return self.error is not None and not self.drafts and self.error.field not in TRANSIENT_ERRORS

    @property
    def usable_run(self) -> SearchRun | None:
        """Return the chosen run, if it has ended and its mapping fits what is on screen, so that it can be resumed."""
        run = self.search.chosen_run
        return run if run is not None and run.ended and run.fits(self.evaluation.case.scenario) else None

    @property
    def targeted(self) -> Target | None:
        """Return the target for the brush, or for Enter with marked tasks."""
        uses = self.edit.tool == "paint" or (self.edit.tool == "select" and self.marked.size)
        return self.edit.target if uses else None

    @property
    def moment(self) -> Moment | None:
        """Return the step shown; None: the whole job is, also while the loads of a step are not known."""
        found, looks = self.time.moment, self.time.step is not None and self.compared_pair is None
        fits = found is not None and found.whole is self.evaluation and found.rounds is self.rounds
        return found if looks and fits else None

    @property
    def explained(self) -> Explanation | None:
        """Return the causes of the selected link's load; None: none is selected, or they are not known yet."""
        found = self.explanation
        return found if found is not None and self.selection == Item("link", found.link) and found.load > 0 else None

    @property
    def rounds(self) -> RoundSteps | None:
        """Return the rounds that are the steps of the timeline; None: phases are, or it is not known yet."""
        found = self.time.timeline
        return found.each_round if found is not None and found.case is self.evaluation.case else None

    @property
    def steps(self) -> int:
        """Return the number of steps for the cursor."""
        return len(self.evaluation.case.job.phases if self.rounds is None else self.rounds)

    @property
    def shown(self) -> Evaluation:
        """Return the evaluation whose loads are shown: of the step shown, else the last good one."""
        moment = self.moment
        return self.evaluation if moment is None else moment.alone

    @property
    def report(self) -> LoadReport:
        """Return the loads that are shown: of the step shown, else of the last good evaluation."""
        return self.shown.report

    @cached_property
    def utilisation(self) -> NDArray[np.float64]:
        """Return the utilisation of every link, relative to the top of the colour scale, shape ``(links,)``."""
        arrived, glide = scaled(self.report, self.full_scale_time), self.tour.glide
        if glide is None or glide.start.size != arrived.size:
            return arrived
        return np.asarray(glide.start + (arrived - glide.start) * glide.done)

    @cached_property
    def bottleneck_load(self) -> float:
        """Return the utilisation of the links that limit the job; links of other jobs may be hotter."""
        own = self.report.bottleneck_links if self.report.others.size else slice(None)
        return float(self.utilisation[own].max(initial=0.0))

    @cached_property
    def full_scale_time(self) -> float:
        """Return the t, seconds per unit, at the top of the colour scale: of two states compared, the longer."""
        if self.style.scale.frozen_time:
            return self.style.scale.frozen_time
        return max(evaluation.report.time for evaluation in self.compared_pair or (self.shown,))

    @property
    def compared_pair(self) -> tuple[Evaluation, Evaluation] | None:
        """Return A and B while they are compared."""
        reference = self.comparison.reference
        if self.comparison.mode is ComparisonMode.OFF or reference is None:
            return None
        return (self.evaluation, reference) if self.comparison.swapped else (reference, self.evaluation)

    @property
    def same_links(self) -> bool:
        """Return whether A has the same links as what is on screen, whether or not they are compared now."""
        reference, evaluation = self.comparison.reference, self.evaluation
        return reference is not None and comparable(reference.case, evaluation.case)

    @cached_property
    def same_links_pair(self) -> tuple[Evaluation, Evaluation] | None:
        """Return A and B while they are compared and have the same links."""
        both = self.compared_pair
        return both if both is not None and comparable(both[0].case, both[1].case) else None

    @property
    def differing(self) -> bool:
        """Return whether links are coloured by B - A."""
        return self.comparison.mode is ComparisonMode.DIFFERENCE and self.same_links_pair is not None

    @property
    def link_values(self) -> NDArray[np.float64]:
        """Return what links are coloured by, shape ``(links,)``: utilisations, or their difference B - A."""
        return self.difference if self.differing else self.utilisation

    @cached_property
    def reference_utilisation(self) -> NDArray[np.float64] | None:
        """Return the utilisations of A shown side by side, if it has the same links, ``(links,)``; else None."""
        reference = self.comparison.reference
        if self.comparison.mode is not ComparisonMode.SIDE or self.same_links_pair is None or reference is None:
            return None
        return scaled(reference.report, self.full_scale_time)

    @cached_property
    def difference(self) -> NDArray[np.float64]:
        """Return B - A in units of the top of the colour scale, shape ``(links,)``; zeros if they do not compare."""
        both = self.same_links_pair
        if both is None:
            return np.zeros(self.utilisation.size)
        return difference(both[0].report, both[1].report).relative(self.full_scale_time)

    @cached_property
    def shading(self) -> Shading:
        """Return how `link_values` becomes colours; frozen, differences reach from -100 % to 100 % at least."""
        both = self.same_links_pair if self.comparison.mode is ComparisonMode.DIFFERENCE else None
        if both is None:
            return self.style.scale
        largest = difference(both[0].report, both[1].report).largest / (self.full_scale_time or 1.0)
        return DifferenceScale.reaching(max(largest, 1.0) if self.style.scale.frozen_time else largest)
