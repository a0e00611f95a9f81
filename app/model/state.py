"""The state of the window: one frozen `State` that only the session replaces."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.model.channels import ChannelsState
from app.model.computation import Computation, Kind
from app.model.evaluation import Evaluation, Moment
from app.model.history import History
from app.model.measured_series import MeasuredInterval, MeasuredSeries
from app.model.measurement import Counters, LinkSource, Measurement
from app.model.performance import Baseline
from app.model.pointing import Item, exists, flow_item, tasks_of_flow
from app.model.routes import RoutesState
from app.model.search_run import SearchRun
from app.model.state_groups import (
    ComparisonMode,
    ComparisonState,
    Draft,
    EditState,
    FileState,
    Misfit,
    Offer,
    OptimiserState,
    PanelState,
    SearchPhase,
    StyleState,
    TimeState,
    TourState,
)
from app.model.what_if import FailureEvaluation, WhatIfState, unknown_harm
from app.style.colour import DifferenceScale, ScaleTop, Shading
from core.counters.measured_links import MeasuredLinks
from core.figures.resilience import Resilience
from core.job.job import NO_TASKS, TaskGroups, Tasks
from core.load.compare import comparable, difference, scaled
from core.load.evaluate import LoadReport
from core.load.explain import Explanation
from core.load.flow_paths import FlowPaths
from core.load.remedies import Remedy
from core.load.scenario import Scenario
from core.load.snapshots import bare
from core.load.swap_suggestions import Suggestions
from core.mapping.targets import Target
from core.network.network import LinkClass
from core.spec import SpecError
from core.timing.round_steps import RoundSteps

FILE = "file"
"""Field of errors about a file."""
EDIT = "edit"
"""Field of errors about an impossible edit."""
TOUR = "tour"
"""Field of errors about an impossible change of the tour."""
TRANSIENT_ERRORS = (FILE, EDIT, TOUR)
"""Errors about a file, an edit or a tour; cleared by the next successful command."""
TYPED = "typing"
"""Name of the undo step for invalid text in a field."""
ALL_LINKS = slice(None)


@dataclass(frozen=True, eq=False)
class State:
    """The entire content of the window. `evaluation` is the last good one; `wanted` may be ahead of it."""

    wanted: Scenario
    evaluation: Evaluation
    baseline: Baseline | None = None
    """The throughput before the last change."""
    error: SpecError | None = None
    """Error of the last command: often `refusal`, but also, for example, a file that cannot be opened."""
    refusal: SpecError | None = None
    """Why `wanted` cannot be built; `evaluation` is then of the last good scenario."""
    drafts: tuple[Draft, ...] = ()
    """The choices since the evaluation on screen, pending or refused, oldest first; undo reverts them one by one."""
    offer: Offer | None = None
    """The last remedies offered; see `remedies`."""
    computations: tuple[Computation, ...] = ()
    """The computations that take noticeable time, at most one of each kind."""
    selection: Item | None = None
    hover: Item | None = None
    explanation: Explanation | None = None
    flow_paths: tuple[FlowPaths, ...] = ()
    """The known paths of the selected and the hovered flow."""
    marked: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) selected tasks, to which the next edit applies, ascending."""
    history: History = field(default_factory=History)
    """The steps done and undone."""
    suggestions: Suggestions | None = None
    """Suggested swaps; their `report` identifies the state."""
    suggestion_progress: float | None = None
    """Fraction done of the search for these swaps."""
    file: FileState = field(default_factory=FileState)
    style: StyleState = field(default_factory=StyleState)
    edit: EditState = field(default_factory=EditState)
    comparison: ComparisonState = field(default_factory=ComparisonState)
    search: OptimiserState = field(default_factory=OptimiserState)
    time: TimeState = field(default_factory=TimeState)
    tour: TourState = field(default_factory=TourState)
    panels: PanelState = field(default_factory=PanelState)
    routes: RoutesState = field(default_factory=RoutesState)
    channels: ChannelsState = field(default_factory=ChannelsState)
    what_if: WhatIfState = field(default_factory=WhatIfState)
    desk: "State | None" = None
    """The state to restore when the presentation ends; None without a presentation."""

    def without_gesture(self) -> "State":
        """Return the state without a gesture under way, of the pointer or a search."""
        edit = replace(self.edit, gesture="", drop_target=None, grabbed=NO_TASKS, grabbed_place=None, lagging=False)
        search = replace(self.search, phase=SearchPhase.NONE, undecided=False, searched_from=None)
        return replace(self, edit=edit, search=search)

    def without_refusal(self) -> "State":
        """Return the state in which the scenario on screen is the requested one."""
        return replace(self, error=None, refusal=None, drafts=(), file=replace(self.file, stand_in=None))

    def detached(self) -> "State":
        """Return the state for a scene, without a file: saving would overwrite the user's work."""
        file, tour = self.file, self.tour.tour
        left = file.left if file.origin else file.path
        origin = (tour.title if tour is not None else "") or "Tour"
        return replace(self, file=replace(file, path=None, left=left, origin=origin))

    def attached(self) -> "State":
        """Return the state with the file that a scene has replaced."""
        return replace(self, file=replace(self.file, path=self.file.left, left=None, origin=""))

    @property
    def misfit(self) -> Misfit | None:
        """Return why `wanted` is refused, or how other choices were adapted to its network, or None if it fits."""
        return self.refusal or self.history.adaptation

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Return the known remedies for the misfit."""
        return self.offer.remedies if self.offer is not None and self.offer.misfit is self.misfit else ()

    @property
    def pending(self) -> Computation | None:
        """Return the most important computation, or None if none takes noticeable time."""
        return self.outdating or self.preparing

    @property
    def outdating(self) -> Computation | None:
        """Return the computation that will replace the results on screen, or None."""
        return next(
            (
                computation
                for kind in Kind
                for computation in self.computations
                if computation.kind is kind and computation.outdates
            ),
            None,
        )

    @property
    def preparing(self) -> Computation | None:
        """Return a computation that leaves the results on screen valid, or None."""
        return next(
            (
                computation
                for kind in Kind
                for computation in self.computations
                if computation.kind is kind and not computation.outdates
            ),
            None,
        )

    @property
    def outdated(self) -> bool:
        """Return whether the results on screen have been outdated for a noticeable time."""
        return self.outdating is not None

    @property
    def dirty(self) -> bool:
        """Return whether there are unsaved changes."""
        work = self.kept
        return work.wanted not in (work.file.saved, work.tour.looked_at)

    @property
    def kept(self) -> "State":
        """Return the state with the user's own work, during a presentation `desk`."""
        return self.desk or self

    @property
    def presenting(self) -> bool:
        """Return whether a tour, or the state on screen, is shown on the stage."""
        return self.desk is not None

    @property
    def tour_dirty(self) -> bool:
        """Return whether changes of the tour would be lost."""
        return self.tour.tour is not self.tour.tour_saved and self.tour.tour != self.tour.tour_saved

    @property
    def undoes(self) -> str:
        """Return the name of the step or gesture that undo reverts, but no search without a result; empty for none."""
        waits = self.search.phase is not SearchPhase.NONE and not self.search.undecided
        drafted = self.drafts[-1].name if self.drafts else TYPED if self.refuses_text else ""
        return drafted or ("" if waits else self.edit.gesture) or self.history.undo_name

    @property
    def refuses_text(self) -> bool:
        """Return whether a field contains invalid text, so that no choice was made."""
        return self.error is not None and not self.drafts and self.error.field not in TRANSIENT_ERRORS

    @property
    def usable_run(self) -> SearchRun | None:
        """Return the selected run if it can be resumed: it has ended, and its mapping fits the state on screen."""
        run = self.search.chosen_run
        return run if run is not None and run.ended and run.fits(self.evaluation.case.scenario) else None

    @property
    def targeted(self) -> Target | None:
        """Return the target of the brush, or of Enter with selected tasks."""
        uses = self.edit.tool == "paint" or (self.edit.tool == "select" and self.marked.size)
        return self.edit.target if uses else None

    @property
    def moment(self) -> Moment | None:
        """Return the step shown, or None for the entire job and while the loads of the step are not known."""
        moment, looks = self.time.moment, self.time.step is not None and self.compared_pair is None
        fits = moment is not None and moment.all_steps is self.evaluation and moment.rounds is self.rounds
        return moment if looks and fits else None

    @property
    def cursor_words(self) -> tuple[str, ...]:
        """Return the names of the step and of the measured interval shown; empty if all are shown together."""
        return tuple(shown.words for shown in (self.moment, self.interval) if shown is not None)

    @property
    def explained(self) -> Explanation | None:
        """Return the causes of the selected link's load, or None if no link is selected or they are not known yet."""
        explanation = self.explanation
        return (
            explanation
            if explanation is not None and self.selection == Item("link", explanation.link) and explanation.load > 0
            else None
        )

    @property
    def routed_report(self) -> LoadReport:
        """Return the report whose flows have paths: the shown report, or the job's report while a round is shown."""
        return self.report if self.moment is None or self.moment.rounds is None else self.evaluation.report

    def paths_of(self, item: Item | None) -> FlowPaths | None:
        """Return the paths of a flow in the shown report, or None for other items and if they are not known yet."""
        if item is None or item.kind != "flow":
            return None
        wanted, report = tasks_of_flow(item), self.routed_report
        return next(
            (
                paths
                for paths in self.flow_paths
                if paths.report is report and (paths.source, paths.destination) == wanted
            ),
            None,
        )

    @property
    def drawn_paths(self) -> FlowPaths | None:
        """Return the paths of the hovered flow, or else of the selected one."""
        hovered = self.hover is not None and self.hover.kind == "flow"
        return self.paths_of(self.hover if hovered else self.selection)

    @property
    def largest_cause(self) -> Item | None:
        """Return the flow that loads the selected link most, or None without one or if it is not known yet."""
        tasks = self.explained.tasks if self.explained is not None else None
        return flow_item(int(tasks.src[0]), int(tasks.dst[0])) if tasks is not None and tasks.src.size else None

    @property
    def rounds(self) -> RoundSteps | None:
        """Return the rounds shown as steps of the timeline, or None if phases are shown or it is not known yet."""
        timeline = self.time.timeline
        return timeline.each_round if timeline is not None and timeline.case is self.evaluation.case else None

    @property
    def job_steps(self) -> int:
        """Return the number of steps of the job, or of its rounds if they are shown."""
        return len(self.evaluation.case.job.phases if self.rounds is None else self.rounds)

    @property
    def intervals(self) -> tuple[MeasuredLinks, ...]:
        """Return the measured intervals if they are the steps of the timeline; empty if it shows the job's steps."""
        measured = self.evaluation.case.measured
        return measured.intervals if measured is not None and self.source.needs_counters else ()

    @property
    def steps(self) -> int:
        """Return the number of steps of the timeline shown: of the job, or measured intervals."""
        return len(self.intervals) or self.job_steps

    @property
    def cursor(self) -> int | None:
        """Return the step under the cursor of the timeline shown, or None if all steps are shown together."""
        return self.time.interval if self.intervals else self.time.step

    @property
    def series(self) -> MeasuredSeries | None:
        """Return the rows of the measured intervals, perhaps compared with earlier loads, or None if not known yet."""
        series = self.time.series
        fits = series is not None and series.measured is self.evaluation.case.measured
        return series if series is not None and fits and series.counters.source is self.source else None

    @property
    def interval(self) -> MeasuredInterval | None:
        """Return the measured interval shown, or None for the entire measurement and while it is not known."""
        interval, intervals = self.time.measured_interval, self.intervals
        if interval is None or self.time.interval is None or interval.number >= len(intervals):
            return None
        return interval if intervals[interval.number] is interval.links else None

    @property
    def shown(self) -> Evaluation:
        """Return the evaluation whose loads are shown: of the current step, or else the last good one."""
        moment = self.moment
        return self.evaluation if moment is None else moment.alone

    @property
    def groups(self) -> TaskGroups | None:
        """Return the groups by which tasks and nodes are coloured, or None."""
        return next((groups for groups in self.evaluation.case.job.groups if groups.name == self.style.groups), None)

    @property
    def report(self) -> LoadReport:
        """Return the loads shown: of the current step, or else of the last good evaluation."""
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
        """Return the utilisation of the links that limit the job; links used only by background jobs may be hotter.

        0 if colours show counters, which limit nothing.
        """
        if self.counters is not None:
            return 0.0
        own = self.report.bottleneck_links if self.report.others.size else slice(None)
        return float(self.utilisation[own].max(initial=0.0))

    @property
    def scale_top(self) -> ScaleTop:
        """Return the top of the colour scale, held during a gesture: only links with changed loads change colour."""
        held = self.style.held_top
        if held is None or (self.differing and not held.span):
            return self.fitting_top
        return held

    @cached_property
    def fitting_top(self) -> ScaleTop:
        """Return the top that fits the loads shown, or the frozen top; for two compared states, the longer time.

        A frozen scale of differences covers at least -100 % to 100 %.
        """
        frozen = self.style.scale.frozen_time
        time = frozen or max(evaluation.report.time for evaluation in self.compared_pair or (self.shown,))
        both = self.same_links_pair
        if both is None or not self.differing:
            return ScaleTop(time)
        largest = difference(both[0].report, both[1].report).largest / (time or 1.0)
        return ScaleTop(time, DifferenceScale.reaching(max(largest, 1.0) if frozen else largest).span)

    @property
    def full_scale_time(self) -> float:
        """Return the t, seconds per unit, at the top of the colour scale."""
        return self.scale_top.time

    @property
    def full_scale_name(self) -> str:
        """Return a name for the load at the top of the colour scale; empty for the hottest load shown."""
        if self.style.scale.frozen_time:
            return self.style.scale.frozen_as
        return "the previous hottest link" if self.style.held_top is not None and self.edit.gesture else ""

    @property
    def compared_pair(self) -> tuple[Evaluation, Evaluation] | None:
        """Return A and B while they are compared."""
        reference = self.comparison.reference
        if self.comparison.mode is ComparisonMode.OFF or reference is None:
            return None
        return (self.evaluation, reference) if self.comparison.swapped else (reference, self.evaluation)

    @property
    def shows_reference(self) -> bool:
        """Return whether views show A instead of the state on screen."""
        return self.comparison.mode is ComparisonMode.REFERENCE and self.comparison.reference is not None

    @property
    def pictured(self) -> "State":
        """Return the state that views show: this state, or A while only A is shown."""
        return self.of_reference if self.shows_reference and not self.comparison.swapped else self

    @cached_property
    def of_reference(self) -> "State":
        """Return the state with A instead of B, without tools and selected tasks; unchanged if nothing is pinned."""
        a, edit = self.comparison.reference, self.edit
        if a is None:
            return self
        selection, hover = (
            item if item is not None and exists(item, a.case) else None for item in (self.selection, self.hover)
        )
        return replace(
            self,
            evaluation=a,
            baseline=None,
            comparison=replace(self.comparison, reference=self.evaluation, swapped=True),
            selection=selection,
            hover=hover,
            marked=NO_TASKS,
            edit=EditState(
                brush=edit.brush, level=edit.level, lagging=edit.lagging, allocated=edit.allocated, hint=edit.hint
            ),
        )

    @property
    def differs(self) -> bool:
        """Return whether B differs from A: false before any change, or after all changes were undone."""
        a, b = self.comparison.reference, self.evaluation
        return a is not None and a is not b and bare(a.case.scenario) != bare(b.case.scenario)

    @property
    def same_links(self) -> bool:
        """Return whether A has the same links as the state on screen, whether or not they are compared now."""
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
    def measurement(self) -> Measurement | None:
        """Return the counters compared with the loads of the entire job, or None without counters."""
        return self.evaluation.measurement if self.evaluation.case.measured is not None else None

    @property
    def shown_measurement(self) -> Measurement | None:
        """Return the counters of the interval shown, or else of the entire measurement; None without counters."""
        return self.measurement if self.interval is None else self.interval.measurement

    @property
    def source(self) -> LinkSource:
        """Return the quantity that colours links.

        This is the predicted load without counters of the chosen quantity, and while A and B are compared.
        """
        chosen, measurement = self.style.source, self.evaluation.measurement
        if self.compared_pair is not None:
            return LinkSource.LOAD
        if not chosen.needs_counters:
            return chosen
        return chosen if measurement is not None and measurement.has(chosen) else LinkSource.LOAD

    @property
    def counters(self) -> Counters | None:
        """Return the counters, or the harm of failures, that colour links; None if loads do."""
        measurement = self.shown_measurement
        if self.source is LinkSource.HARM:
            failures = self.failures
            return unknown_harm(self.evaluation.case.network.links) if failures is None else failures.harm
        return None if self.source is LinkSource.LOAD or measurement is None else measurement.counters(self.source)

    @property
    def failures(self) -> FailureEvaluation | None:
        """Return the evaluated failures of the scenario on screen, or None if they are not known."""
        failures = self.what_if.failures
        return failures if failures is not None and failures.is_of(self.evaluation.report) else None

    @property
    def cable_failures(self) -> Resilience | None:
        """Return the figures of the failures of all cables of the scenario on screen, or None if they are not known."""
        failures = self.failures
        return failures.figures if failures is not None and failures.of_all_cables else None

    @property
    def shown_class(self) -> LinkClass | None:
        """Return the only link class shown, or None if all classes are shown."""
        classes = self.evaluation.case.network.classes
        return next((each for each in classes if each.name == self.style.link_class), None)

    @property
    def shown_links(self) -> slice:
        """Return the range of links shown."""
        return ALL_LINKS if self.shown_class is None else self.shown_class.links

    @cached_property
    def link_values(self) -> NDArray[np.float64]:
        """Return the values that determine the colours of links: utilisations, or B - A; 0 for hidden links.

        With counters as `source` these, relative to the top of their scale, and NaN for links without a value. The
        shape is ``(links,)``.
        """
        if self.counters is not None:
            return self._of_shown_links(self.counters.values)
        return self._of_shown_links(self.difference if self.differing else self.utilisation)

    @cached_property
    def reference_utilisation(self) -> NDArray[np.float64] | None:
        """Return the utilisations of A as `link_values` if A is shown side by side and has the same links, or None."""
        reference = self.comparison.reference
        if self.comparison.mode is not ComparisonMode.SIDE or self.same_links_pair is None or reference is None:
            return None
        return self._of_shown_links(scaled(reference.report, self.full_scale_time))

    def _of_shown_links(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.shown_class is None:
            return values
        shown = np.zeros_like(values)
        shown[self.shown_links] = values[self.shown_links]
        return shown

    @cached_property
    def difference(self) -> NDArray[np.float64]:
        """Return B - A relative to the top of the colour scale, shape ``(links,)``; zeros if not comparable."""
        both = self.same_links_pair
        if both is None:
            return np.zeros(self.utilisation.size)
        return difference(both[0].report, both[1].report).relative(self.full_scale_time)

    @cached_property
    def shading(self) -> Shading:
        """Return the mapping from `link_values` to colours."""
        if self.counters is not None and self.counters.signed:
            return DifferenceScale.reaching(self.counters.scale.largest)
        return DifferenceScale(self.scale_top.span) if self.differing else self.style.scale
