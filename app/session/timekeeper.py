"""The timeline of the state on screen and the loads of single steps, computed off the GUI thread on request."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.background.latest_wins import Runner
from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.evaluation import Evaluation, Moment
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.session.editing import Editing
from app.session.evaluator import Evaluator
from app.session.moments import live_moment, moment_of
from app.session.store import Store
from app.wording.errors import error_text
from core.load.live import LiveLoads
from core.load.scenario import Case
from core.routing import FaultyRouter
from core.spec import Progress, SpecError, no_progress
from core.timing import detailed_timeline, timing_of
from core.timing.barrier import BarrierTiming
from core.timing.live import LiveTimeline
from core.timing.timeline import Timeline

_T = TypeVar("_T")
STOPPED = "stopped"
"""Why there is no timeline after the user has stopped its computation."""
MAX_CACHED_LOADS = 1 << 21
"""Maximum cached link loads of steps: 16 MB, and twice that for derived data."""
MAX_GUI_SECONDS = 0.010
"""Maximum time to compute a step's loads in the GUI thread, so that one frame shows both cursor and loads."""
MAX_LIVE_SECONDS = 0.1
"""Maximum time to recompute a timeline for each edit of a gesture, if it cannot follow the live loads."""
REST_MS = 150
"""Time for which the cursor rests on a step before a link's load is explained."""


class Timekeeper:
    """Computes the timeline of the state on screen, once per state, while a view shows it.

    While tasks are being dragged, it follows the live loads or is recomputed as fast as possible. The cursor moves at
    once; the loads of its step follow as soon as they are computed.
    """

    def __init__(self, store: Store, evaluator: Evaluator, editing: Editing) -> None:
        self._store, self._editing = store, editing
        self._live: tuple[LiveLoads, LiveTimeline | None] | None = None
        """Live loads, and their timeline, or None if it cannot follow them."""
        self._took = 0.0
        """Seconds to compute the last timeline."""
        self._last: tuple[Moment, float] | None = None
        """The last computed step, and the seconds to compute it."""
        self._moments = Runner("moment", self._on_moment_found, sync=store.sync, parent=store)
        self._cached_moments: OrderedDict[int, Moment] = OrderedDict()
        """Loads of steps of the state on screen, by step, most recently used last."""
        self._rest = timer(store, REST_MS, single_shot=True)
        self._rest.timeout.connect(evaluator.explain)
        store.changed.connect(self._on_store_changed)
        self._runner = Runner(
            "timeline", self._on_found, self._on_refused, self._on_progressed,
            sync=store.sync, prompt=True, parent=store,
        )  # fmt: skip
        self._asked: Case | None = None
        """The case whose timeline was requested last, known or not."""
        self._reference = Runner(
            "reference timeline", self._on_reference_found, self._on_reference_refused, self._on_progressed,
            sync=store.sync, parent=store,
        )  # fmt: skip
        self._asked_reference: Case | None = None

    @property
    def current(self) -> Timeline | None:
        """Return the timeline of the state on screen, or None if not known yet."""
        timeline = self._store.state.time.timeline
        return timeline if timeline is not None and timeline.case is self._store.state.evaluation.case else None

    @property
    def behind(self) -> bool:
        """Return whether the last known timeline is of an earlier state, and the next one takes noticeable time."""
        slow = self._took > MAX_LIVE_SECONDS or self._editing.persistent
        return self.current is None and (slow or self._store.state.time.timeline_progress is not None)

    def look(self, *, again: bool = False) -> None:
        """Compute the timeline of the state on screen, unless already requested, or too slow while tasks are moving.

        With `again`, also compute it after it was stopped.
        """
        state = self._store.state
        case = state.evaluation.case
        self._look_at_reference(again=again)
        if self._asked is case and not again:
            return
        followed = self._followed(case) if state.edit.gesture else None
        if followed is not None:
            self._asked = case
            self._runner.cancel()
            self._show_timeline(followed)
        elif not state.edit.gesture or not (
            self._runner.busy or self._editing.persistent or self._took > MAX_LIVE_SECONDS
        ):
            self._asked = case
            self._store.show_time(replace(self._store.state.time, timeline_progress=None, timeline_refused=""))
            self._runner.request(partial(_timed, partial(detailed_timeline, case)))

    def _followed(self, case: Case) -> Timeline | None:
        live, timing = self._editing.live, timing_of(case)
        if live.mapping is not case.mapping or not isinstance(timing, BarrierTiming):
            return None
        if self._live is None or self._live[0] is not live:
            follows = LiveTimeline.follows(live, case)
            self._live = live, LiveTimeline(live, case, timing) if follows else None
        return self._live[1].timeline(case) if self._live[1] is not None else None

    def _look_at_reference(self, *, again: bool) -> None:
        both = self._store.state.compared_pair
        case = both[0].case if both is not None else None
        if case is self._asked_reference and not (again and case is not None):
            return
        self._asked_reference = case
        self._store.show_time(replace(self._store.state.time, reference_timeline=None))
        if case is None:
            self._reference.cancel()
        else:
            self._reference.request(partial(detailed_timeline, case))

    def adopt(self, timeline: Timeline | None) -> None:
        """Take over a timeline computed elsewhere for the next state; for None, compute it here."""
        self._runner.cancel()
        self._asked = timeline.case if timeline is not None else None

    def cancel(self) -> None:
        """Stop the computation, which is not restarted automatically for this state."""
        if self._runner.busy or self._reference.busy:
            self._runner.cancel()
            self._reference.cancel()
            shown = self._store.state.time
            self._store.show_time(replace(shown, timeline_progress=None, timeline_refused=STOPPED))

    def go_to(self, step: int | None) -> None:
        """Show one step of the job, clipped to the existing steps; None for the entire job."""
        state = self._store.state
        if step is not None:
            step = min(max(step, 0), state.job_steps - 1)
            if state.compared_pair is not None:
                return
        if step == state.time.step:
            return
        if step is None:
            self._moments.cancel()
            self._show(None, None)
        else:
            self._store.show_time(replace(state.time, step=step, interval=None, measured_interval=None))

    def _show(self, step: int | None, moment: Moment | None) -> None:
        state = self._store.state
        self._store.show(replace(state, time=replace(state.time, step=step, moment=moment), explanation=None))
        self._rest.start(0 if self._store.sync else REST_MS)

    def _on_store_changed(self, changes: ChangeSet) -> None:
        """Compute the loads under the cursor if they are not known; comparisons are of entire jobs."""
        state = self._store.state
        step, case = state.time.step, state.evaluation.case
        if step is None or not changes & (ChangeSet.TIME | ChangeSet.LOADS | ChangeSet.COMPARISON | ChangeSet.TOOL):
            return
        if self._awaits_rounds(state):
            return
        if state.compared_pair is not None or step >= state.job_steps:
            self.go_to(None)
        elif state.edit.gesture and state.moment is None and self._follows(case):
            self._show(step, live_moment(state.evaluation, step, self._editing.live))
        elif not (state.edit.gesture or state.search.phase is SearchPhase.RUNNING or self._moments.busy):
            self._follow(state.evaluation, step)

    def _awaits_rounds(self, state: State) -> bool:
        # The cursor stays at its round until the rounds of the new state are known.
        last, case = state.time.timeline, state.evaluation.case
        if last is None or last.each_round is None or last.case is case or state.compared_pair is not None:
            return False
        return last.case.job is case.job and last.case.scenario.timing == case.scenario.timing

    def _follows(self, case: Case) -> bool:
        # The disconnected flows of a step must be recomputed.
        live = self._editing.live
        phases = self._store.state.time.timeline is None or self._store.state.time.timeline.each_round is None
        return phases and live.follows and live.mapping is case.mapping and not isinstance(case.router, FaultyRouter)

    def _follow(self, evaluation: Evaluation, step: int) -> None:
        shown = self._store.state.moment
        if shown is not None and shown.step == step:
            return
        moment, rounds = self._cached_moments.get(step), self._store.state.rounds
        if moment is not None and moment.all_steps is evaluation and moment.rounds is rounds:
            self._cached_moments.move_to_end(step)
            self._show(step, moment)
        elif self._is_quick(evaluation, step):
            self._on_moment_found(_timed(partial(moment_of, evaluation, step, rounds)))
        else:
            self._moments.request(partial(_timed, partial(moment_of, evaluation, step, rounds)))

    def _is_quick(self, evaluation: Evaluation, step: int) -> bool:
        # Steps of one job on one machine take about equally long.
        last = self._last
        phases = evaluation.case.job.phases
        return (
            last is not None
            and last[0].all_steps is evaluation
            and last[1] < MAX_GUI_SECONDS
            and last[0].rounds is self._store.state.rounds
            and (last[0].rounds is not None or type(phases[last[0].step]) is type(phases[step]))
        )

    def _on_moment_found(self, answer: tuple[Moment, float]) -> None:
        moment, _ = self._last = answer
        self._remember(moment)
        step = self._store.state.time.step
        if step is not None and moment.all_steps is self._store.state.evaluation:
            # Also a step that the cursor has left, so that every computed step is visible in a fast scrub.
            self._show(step, moment)
        else:
            self._on_store_changed(ChangeSet.TIME)

    def _remember(self, moment: Moment) -> None:
        if any(kept.all_steps is not moment.all_steps for kept in self._cached_moments.values()):
            self._cached_moments.clear()
        self._cached_moments[moment.step] = moment
        while len(self._cached_moments) > max(MAX_CACHED_LOADS // max(moment.all_steps.case.network.links, 1), 2):
            self._cached_moments.popitem(last=False)

    def _on_found(self, answer: tuple[Timeline, float]) -> None:
        timeline, self._took = answer
        self._show_timeline(timeline)

    def _show_timeline(self, timeline: Timeline) -> None:
        shown = self._store.state.time
        self._store.show_time(replace(shown, timeline=timeline, timeline_progress=None, timeline_refused=""))

    def _on_reference_found(self, timeline: Timeline) -> None:
        shown = self._store.state.time
        self._store.show_time(replace(shown, reference_timeline=timeline, timeline_progress=None))

    def _on_reference_refused(self, error: SpecError) -> None:
        # The entire job is shown then.
        self._on_progressed(None)

    def _on_refused(self, error: SpecError) -> None:
        shown = self._store.state.time
        self._store.show_time(replace(shown, timeline=None, timeline_progress=None, timeline_refused=error_text(error)))

    def _on_progressed(self, fraction: float | None) -> None:
        self._store.show_time(replace(self._store.state.time, timeline_progress=fraction))


def _timed(work: Callable[[Progress], _T], progress: Progress = no_progress) -> tuple[_T, float]:
    started = time.perf_counter()
    return work(progress), time.perf_counter() - started
