"""The states of a page: the loads of evaluated scenarios, and of the steps of their jobs."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from app.model.evaluation import Evaluation, Moment
from app.model.measurement import DISCONNECTS, LinkSource
from app.model.state import State
from app.model.state_groups import TimeState
from app.page.blobs import Blob, PageStruct, array_blob, text_blob
from app.session.moments import loaded_moment, moment_of
from app.style.colour import DifferenceScale
from app.views.legend import HEADINGS, difference_ticks, excess, heading, scale_ticks, side_text, top_text
from app.wording.names import step_title
from core.figures.evaluation import Evaluation as Figures
from core.figures.evaluation import evaluation_of
from core.job.measure import BYTES, UNITS, Measure
from core.spec import Progress, TooLarge, no_progress, subprogress
from core.text import duration, links_of, plural
from core.timing import Timeline, timing_of

MAX_STEP_CHARACTERS = 1 << 21
"""Characters for loads of single steps in a page; steps beyond it have times only."""
MAX_TASKS = 1 << 20
"""Maximum number of tasks whose nodes are in a page."""


class Look(PageStruct, frozen=True):
    """A colour scale and the texts of its legend."""

    heading: str
    ticks: list[str]
    """The texts at the beginning of the scale and at equal distances, the last one at its end."""
    side: str
    """A text next to the scale, which explains a mark, or how far values exceed the top; empty for none."""
    time: float
    """The time, s per unit, of 100 %."""
    span: float = 0.0
    """The difference at the ends of a scale of differences; 0 for other values."""
    map: str = "heat"
    log: bool = False
    beyond: bool = False
    """Whether values exceed the top."""
    top: float = 0.0
    """The value of counters at the top, in `unit`; 0 for loads."""
    unit: str = ""
    missing: str = ""
    """The text for links without a counter."""
    infinite: str = ""
    """The text for links with an infinite value."""


def look_of(state: State) -> Look:
    """Return the colour scale of a state."""
    shading, counters = state.shading, state.counters
    ticks = difference_ticks(state) if state.differing else scale_ticks(shading, counters)
    return Look(
        heading(state),
        [*(text for _, text in ticks), top_text(state)],
        side_text(state),
        state.full_scale_time,
        span=shading.span if isinstance(shading, DifferenceScale) else 0.0,
        map=shading.map,
        log=shading.log,
        beyond=excess(state) > 0,
        top=0.0 if counters is None else counters.top,
        unit="" if counters is None else counters.unit,
        missing="" if counters is None else counters.no_value,
        infinite="" if counters is None else DISCONNECTS,
    )


def quantity_name(source: LinkSource) -> str:
    """Return the name of the quantity that colours links."""
    return HEADINGS.get(source, "Load")


class MeasureData(PageStruct, frozen=True):
    """A measure of volumes."""

    singular: str
    many: str
    per_volume: float


class StepsData(PageStruct, frozen=True, kw_only=True):
    """The steps of a job, or the intervals between readings of counters."""

    titles: Blob
    """(steps,)"""
    facts: Blob
    """(steps,) duration, messages and bottleneck of each step."""
    start: Blob
    """(steps,) seconds, or the number of each step for message counts."""
    seconds: Blob
    busy: Blob
    """(classes, steps) bars of the link classes; see `shares`."""
    shares: str = "Share of each step in which the busiest link of a class is busy"
    """The meaning of the bars."""
    run: Blob
    """(steps,) index of its loads; steps that are repeated share their loads."""
    loads: list[Blob | None]
    """(runs,) load of every link, or counters as in `ViewData.values`; None if there is no room in the page."""
    times: list[float] = msgspec.field(default_factory=list)
    """(runs,) seconds per unit; empty for counters."""
    tops: list[str] = msgspec.field(default_factory=list)
    """(runs,) texts of the last colour."""
    heading: str = ""
    """The heading of the legend of a step."""
    look: Look | None = None
    """The colour scale of all intervals; None for the steps of a job, whose scales differ."""
    noun: str
    """The noun for a step."""
    timed: bool
    """Whether `start` and `seconds` are times."""
    summary: str
    """The total time, and when steps begin."""


class StateData(PageStruct, frozen=True):
    """An evaluated scenario."""

    machine: int
    """Index of its machine in the page."""
    name: str
    time: float
    """Seconds per unit."""
    load: Blob
    """(links,) load of every link, in internal volumes."""
    gbs: list[float]
    """(classes,)"""
    slow: list[tuple[int, float]]
    """Failed and slow links with their bandwidths, GB/s."""
    measures: list[MeasureData]
    """The measure of its volumes; then measures for larger and smaller volumes, if there are any."""
    figures: Figures
    """The figures that ``evaluate --json`` prints."""
    nodes: Blob
    """(tasks,) node of each task; empty if there are too many tasks."""
    explained: list[int]
    """Links whose causes are in the page."""
    own: Blob | None = None
    """(links,) the load of this job alone, if there are background jobs."""
    steps: StepsData | None = None


@dataclass
class StepRoom:
    """The room in a page that is left for loads of single steps."""

    characters: int = MAX_STEP_CHARACTERS
    omitted: int = 0
    """Number of steps without room."""

    def take(self, blob: Blob) -> Blob | None:
        """Return the loads of a step if there is room."""
        if blob.size > self.characters:
            self.omitted += 1
            return None
        self.characters -= blob.size
        return blob


def state_data(
    evaluation: Evaluation, machine: int, name: str, explained: list[int], steps: StepsData | None
) -> StateData:
    """Return the state of a page."""
    case, report = evaluation.case, evaluation.report
    slow = np.flatnonzero(case.gbs != case.network.gbs)
    nodes = case.mapping.nodes if case.job.tasks <= MAX_TASKS else case.mapping.nodes[:0]
    return StateData(
        machine=machine,
        name=name,
        time=report.time,
        load=array_blob(report.total_load, "f4"),
        gbs=[c.gbs for c in case.network.classes],
        slow=list(zip(slow.tolist(), case.gbs[slow].tolist(), strict=True)),
        measures=[MeasureData(m.singular, m.many, m.per_volume) for m in _measures(case.job.measure)],
        figures=evaluation_of(report, evaluation.bounds),
        nodes=array_blob(nodes, "i4", delta=True),
        explained=explained,
        own=array_blob(report.load, "f4") if report.others.size else None,
        steps=steps,
    )


def _measures(measure: Measure) -> tuple[Measure, ...]:
    return (measure,) if measure == UNITS or not measure.timed else (measure, *BYTES)


def steps_data(
    evaluation: Evaluation,
    timeline: Timeline,
    room: StepRoom,
    first: set[int] | frozenset[int] = frozenset(),
    progress: Progress = no_progress,
) -> StepsData:
    """Return the steps of a job that has several; the loads of the steps in `first` have priority.

    Raises Cancelled: when `progress` does.
    """
    case, each = evaluation.case, timeline.each_round
    count = len(case.job.phases) if each is None else len(each)
    run_of = case.job.run_of if each is None else np.arange(count)
    seconds = np.array([step.seconds for step in timeline.steps])
    start = np.array([step.start for step in timeline.steps])
    moments = _Moments(evaluation, timeline, run_of, seconds)
    loads, times, tops, shown_heading = moments.packed(room, first, progress)
    busy = np.divide(timeline.busy, seconds[:, None], out=np.zeros_like(timeline.busy), where=seconds[:, None] > 0)
    return StepsData(
        titles=text_blob(step_title(k, count, step.name) for k, step in enumerate(timeline.steps)),
        facts=text_blob(_facts(timeline)),
        start=array_blob(start, "f4"),
        seconds=array_blob(seconds, "f4"),
        busy=array_blob(np.minimum(busy, 1.0).T, "f4"),
        run=array_blob(run_of, "i4", delta=True),
        loads=loads,
        times=times,
        tops=tops,
        heading=shown_heading,
        noun=timeline.noun,
        timed=timeline.timed,
        summary=_summary(timeline),
    )


def _summary(timeline: Timeline) -> str:
    total = "" if timeline.total_seconds is None else f", {duration(timeline.total_seconds)}"
    return f"{plural(len(timeline.steps), timeline.noun)}{total}: {timing_of(timeline.case).summary()}"


def _facts(timeline: Timeline) -> Iterator[str]:
    classes = {c.name for c in timeline.case.network.classes}
    for step in timeline.figures():
        time = "" if step.seconds is None else f"{duration(step.seconds)} · "
        limit = links_of(step.bottleneck) if step.bottleneck in classes else step.bottleneck
        yield f"{time}{plural(step.messages, 'message')}" + (f" · limited by {limit}" if limit else "")


@dataclass
class _Moments:
    """The loads of the distinct steps of a job."""

    evaluation: Evaluation
    timeline: Timeline
    run_of: np.ndarray[tuple[int], np.dtype[np.intp]]
    seconds: np.ndarray[tuple[int], np.dtype[np.float64]]

    def packed(
        self, room: StepRoom, first: set[int] | frozenset[int], progress: Progress
    ) -> tuple[list[Blob | None], list[float], list[str], str]:
        """Return the loads, times and legends of all runs, and the heading of a legend.

        Runs in `first` have priority for the room, then runs that take longest.
        """
        runs = int(self.run_of.max()) + 1
        total = np.bincount(self.run_of, self.seconds, runs)
        total[[int(self.run_of[step]) for step in first]] = np.inf
        loads: list[Blob | None] = [None] * runs
        times, tops, title = [0.0] * runs, [""] * runs, ""
        steps = np.unique(self.run_of, return_index=True)[1]
        for done, run in enumerate(np.argsort(-total, kind="stable").tolist()):
            try:
                progress(done / runs)
                moment = self._moment(int(steps[run]), subprogress(progress, done, done + 1, runs))
            except TooLarge:
                room.omitted += runs - done
                break
            loads[run] = room.take(array_blob(moment.alone.report.total_load, "f4"))
            look = look_of(self._state(moment))
            times[run], tops[run], title = look.time, look.ticks[-1], look.heading
        return loads, times, tops, title

    def _moment(self, step: int, progress: Progress) -> Moment:
        if self.timeline.each_round is not None:
            return moment_of(self.evaluation, step, self.timeline.each_round)
        report = self.evaluation.report
        load, _ = report.phases.at(step, progress)
        return loaded_moment(self.evaluation, step, load, report.busy[step])

    def _state(self, moment: Moment) -> State:
        time = TimeState(timeline=self.timeline, step=moment.step, moment=moment)
        return State(self.evaluation.case.scenario, self.evaluation, time=time)
