"""The content of a page: on a scenario, on two scenarios, or on the scenes of a tour."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.model.comparison_text import DIFFERENT_LINKS, what_differs
from app.model.evaluation import Evaluation, Moment
from app.model.measurement import LinkSource
from app.model.scenes import Scene
from app.model.state import State
from app.model.state_groups import ComparisonMode, ComparisonState, TimeState
from app.model.what_if import FailureEvaluation
from app.page.blobs import Blob, PageStruct, array_blob
from app.page.intervals import interval_steps
from app.page.machine import MachineData, machine_data
from app.page.panels import Panel, comparison_panel, state_panel
from app.page.states import StateData, StepRoom, StepsData, look_of, quantity_name, state_data, steps_data
from app.page.views import Mode, ViewData, camera_data, caption_html, item_data
from app.report.comparison import Rival
from app.report.evaluation_report import titles
from app.report.findings import Stage
from app.report.reproduction import Reproduction
from app.session.scene_state import SceneSetting
from app.session.scenes import SceneEvaluations
from app.style.colour import lookup_table
from app.style.theme import THEMES
from app.tour.expression import IMAGE
from app.views.machine import camera, focus, geometry, picture, scene
from app.views.machine.geometry import MachineGeometry
from app.views.machine.picture import bundle_table, cell_table, link_colour_table
from app.wording.errors import cannot_be_shown
from app.wording.numbers import MINUS, throughput_text
from core.load.compare import comparable
from core.load.scenario import Case
from core.spec import Progress, SpecError, TooLarge
from core.text import plural
from core.timing import Rounds, Timeline, detailed_timeline, timing_of

EXPLAINED = {"scenario": 12, "pair": 8, "tour": 4}
"""Maximum number of links of each state whose causes are in a page, by its kind."""
Kind = Literal["scenario", "pair", "tour"]
OPEN_LIMIT = 6000
"""Maximum number of links in open boxes, and of links from these to other boxes; more than in the window."""
MODES: dict[ComparisonMode, Mode] = {
    ComparisonMode.OFF: "alone",
    ComparisonMode.SIDE: "side",
    ComparisonMode.DIFFERENCE: "difference",
}


@dataclass(frozen=True)
class Side:
    """A state with its name, and the command that reproduces the page."""

    name: str
    evaluation: Evaluation
    reproduction: Reproduction
    timeline: Callable[[Case, Progress], Timeline] = detailed_timeline
    """Returns when its steps begin."""


class PageData(PageStruct, frozen=True):
    """The data of a page, for its script."""

    kind: Kind
    machines: list[MachineData]
    states: list[StateData]
    views: list[ViewData]
    rules: dict[str, Any]
    """The constants of `app.views.machine` that its script uses, by their names in camel case."""
    tables: dict[str, Blob]
    """Colours, RGBA, by map, theme, and whether the machine is a solid: ``heat dark flat``.

    Shape (5, 256, 4): of the legend, of links, of links in sparse boxes, of bundles and of cells.
    """


@dataclass(frozen=True)
class PageContent:
    """A page before it is HTML."""

    title: str
    subtitle: str
    note: str
    data: PageData
    panels: Sequence[Panel]
    stills: Sequence[State | None]
    """For each view, the state in the picture that is shown without scripts; None for a view without one."""


def scenario_content(side: Side, stage: Stage, failures: FailureEvaluation | None = None) -> PageContent:
    """Return the content of a page on a scenario, with the harm of failures if they are given.

    Raises SpecError: if its machine is too large. Raises Cancelled: when a progress function does.
    """
    builder = _Builder("scenario", stage)
    number = builder.state(side)
    state = State(side.evaluation.case.scenario, side.evaluation)
    measurement = state.measurement
    for source in LinkSource:
        if source is LinkSource.LOAD or (source.needs_counters and measurement is not None and measurement.has(source)):
            builder.coloured(state, source, number)
    if failures is not None:
        builder.coloured(replace(state, what_if=replace(state.what_if, failures=failures)), LinkSource.HARM, number)
    return builder.content(*titles(side.evaluation.case, side.name))


def pair_content(a: Side, b: Side, title: str, stage: Stage) -> PageContent:
    """Return the content of a page on two scenarios.

    Raises SpecError: if a machine is too large. Raises Cancelled: when a progress function does.
    """
    builder = _Builder("pair", stage)
    numbers = builder.state(a), builder.state(b)
    builder.panels.append(comparison_panel(Rival(a.name, a.evaluation), b.evaluation, b.name))
    panel = len(builder.panels) - 1
    scenario, first = b.evaluation.case.scenario, ComparisonState(a.evaluation, ComparisonMode.REFERENCE)
    both = State(scenario, b.evaluation, comparison=first)
    texts = _pane_title("A", a), _pane_title("B", b)
    modes: tuple[tuple[str, Mode, ComparisonMode], ...] = (
        ("A | B", "side", ComparisonMode.SIDE),
        (f"B {MINUS} A", "difference", ComparisonMode.DIFFERENCE),
    )
    for label, mode, comparison in modes:
        state = replace(both, comparison=replace(first, mode=comparison))
        if mode == "side" or state.differing:
            shown_titles = texts if mode == "side" else (f"{label} · {b.name} {MINUS} {a.name}",)
            view = ViewData(label, panel, numbers[1], reference=numbers[0], mode=mode, titles=shown_titles)
            builder.view(state, view)
    # Each alone has the scale of both, so that switching between them shows what differs.
    for label, number, state, text in zip("AB", numbers, (both.of_reference, both), texts, strict=True):
        builder.view(state, ViewData(label, panel=number, state=number, titles=(text,)))
    note = "" if comparable(a.evaluation.case, b.evaluation.case) else DIFFERENT_LINKS
    return builder.content(title, what_differs(a.evaluation, b.evaluation), note)


def _pane_title(label: str, side: Side) -> str:
    return f"{label} · {throughput_text(side.evaluation.report, brief=True)} · {side.name}"


def tour_content(scenes: SceneEvaluations, command: str, stage: Stage) -> PageContent:
    """Return the content of a page on a tour whose scenes are evaluated; `command` makes the page.

    Raises SpecError: if a machine is too large. Raises Cancelled: when a progress function does.
    """
    builder = _Builder("tour", stage)
    tour = scenes.tour
    for number, shown in enumerate(tour.scenes):
        try:
            _add_scene(builder, scenes, number, shown, command)
        except TooLarge:
            raise
        except SpecError as error:
            builder.views.append(ViewData(shown.title, -1, error=cannot_be_shown(error)))
            builder.stills.append(None)
    return builder.content(tour.title, f"Tour · {plural(len(tour.scenes), 'scene')}", tour.note.strip())


def _add_scene(builder: "_Builder", scenes: SceneEvaluations, number: int, shown: Scene, command: str) -> None:
    evaluation = scenes.evaluation(number)
    case, setting = evaluation.case, SceneSetting.of(number, scenes)
    reproduction = Reproduction(command, case.scenario)
    side = Side(shown.title, evaluation, reproduction, lambda _, progress: scenes.timeline(number, progress))
    state_number = builder.state(side, setting.step)
    reference, pane_titles = -1, tuple[str, ...]()
    if setting.reference is not None:
        other = next(other for other in scenes.tour.scenes if other.id == shown.against)
        a = Side(other.title, setting.reference, Reproduction(command, setting.reference.case.scenario))
        reference = builder.state(a)
        if setting.mode is ComparisonMode.SIDE:
            pane_titles = _pane_title("A", a), _pane_title("B", side)
    timeline = builder.timelines.get(state_number)
    state = setting.applied(State(case.scenario, evaluation, time=TimeState(timeline=timeline)))
    alone = scenes.figures(number).shown
    if setting.step is not None and alone is not None:
        each = None if timeline is None else timeline.each_round
        moment = Moment(setting.step, evaluation, alone, each)
        state = replace(state, time=replace(state.time, moment=moment))
    caption = scenes.caption(number).text.replace(IMAGE, "[")
    view = ViewData(
        shown.title,
        panel=state_number,
        state=state_number,
        reference=reference,
        mode=MODES[setting.mode],
        titles=pane_titles,
        step=_step(setting, state),
        percent=shown.hottest_percent,
        camera=camera_data(shown.camera, evaluation),
        selection=item_data(setting.selection, case),
        caption=str(caption_html(caption)),
    )
    builder.view(state, view)


def _step(setting: SceneSetting, state: State) -> int:
    if setting.interval is not None and state.intervals:
        return setting.interval
    return -1 if setting.step is None or state.moment is None else setting.step


@dataclass
class _Builder:
    """Collects the parts of a page; equal states and machines are in it once."""

    kind: Kind
    stage: Stage
    machines: list[MachineData] = field(default_factory=list)
    states: list[StateData] = field(default_factory=list)
    views: list[ViewData] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    stills: list[State | None] = field(default_factory=list)
    tables: dict[str, Blob] = field(default_factory=dict)
    timelines: dict[int, Timeline] = field(default_factory=dict)
    _evaluations: list[Evaluation] = field(default_factory=list)
    _shown: list[Evaluation] = field(default_factory=list)
    """An evaluation of each machine."""
    _room: StepRoom = field(default_factory=StepRoom)

    def state(self, side: Side, step: int | None = None) -> int:
        """Return the index of a state, which is added with its panel unless it is in the page; `step` is shown."""
        evaluation = side.evaluation
        for number, other in enumerate(self._evaluations):
            if other is evaluation:
                return number
        number, machine = len(self.states), self._machine(evaluation)
        name = side.name if self.kind != "scenario" else ""
        panel = state_panel(evaluation, name, side.reproduction, self.stage, EXPLAINED[self.kind])
        steps = self._steps(side, number, frozenset() if step is None else frozenset([step]))
        self.panels.append(panel)
        self.states.append(state_data(evaluation, machine, side.name, panel.explained, steps))
        self._evaluations.append(evaluation)
        return number

    def _machine(self, evaluation: Evaluation) -> int:
        for number, other in enumerate(self._shown):
            if comparable(other.case, evaluation.case):
                return number
        self.stage("geometry")
        self.machines.append(machine_data(MachineGeometry(evaluation.case.network)))
        self._shown.append(evaluation)
        return len(self.machines) - 1

    def _steps(self, side: Side, number: int, first: frozenset[int]) -> StepsData | None:
        evaluation = side.evaluation
        if len(evaluation.case.job.phases) == 1 and not isinstance(timing_of(evaluation.case), Rounds):
            return None
        try:
            timeline = side.timeline(evaluation.case, self.stage("steps"))
        except SpecError:
            return None  # takes too long, or its program is missing
        self.timelines[number] = timeline
        return steps_data(evaluation, timeline, self._room, first, self.stage("loads of steps"))

    def view(self, state: State, view: ViewData) -> None:
        """Add a view of a state."""
        solid = bool(state.evaluation.case.network.layout.solid)
        for name, table in _tables(state, solid):
            if name not in self.tables:
                self.tables[name] = array_blob(table(), "u1")
        counters = None if state.counters is None else array_blob(state.counters.values, "f4")
        intervals = interval_steps(state, self._room, self.stage("intervals"))
        self.views.append(msgspec.structs.replace(view, look=look_of(state), values=counters, intervals=intervals))
        self.stills.append(state)

    def coloured(self, state: State, source: LinkSource, number: int) -> None:
        """Add a view of a state, by its number, whose links are coloured by a quantity."""
        coloured = replace(state, style=replace(state.style, source=source))
        self.view(coloured, ViewData(quantity_name(source), panel=number, state=number))

    def content(self, title: str, subtitle: str, note: str) -> PageContent:
        """Return the content of all parts."""
        data = PageData(self.kind, self.machines, self.states, self.views, rules(), self.tables)
        return PageContent(title, subtitle, note, data, self.panels, self.stills)


def _tables(state: State, solid: bool) -> Iterator[tuple[str, Callable[[], NDArray[np.uint8]]]]:
    """Yield the names of the colours that a state needs in both themes, and functions that return them."""
    for theme in THEMES.values():
        in_theme = replace(state, style=replace(state.style, theme=theme))
        name = f"{state.shading.map} {theme.name} {'solid' if solid else 'flat'}"
        yield name, partial(_table, in_theme, solid)


def _table(state: State, solid: bool) -> NDArray[np.uint8]:
    legend = lookup_table(state.shading.map, state.style.theme.dark)
    links = (link_colour_table(state, solid, seen) for seen in (0.0, scene.CLEAREST))
    return np.stack([legend, *links, bundle_table(state), cell_table(state, solid)])


def rules() -> dict[str, Any]:
    """Return the constants of the picture of a machine that the page's script uses, by their names in camel case."""
    names = {
        camera: ("AZIMUTH", "ELEVATION", "EYE", "ZOOM_LIMITS"),
        geometry: ("BEYOND",),
        scene: (
            "BOLD", "BOLD_PX", "BUNDLE_LIMIT", "CALM_INK", "CLEAR", "CLEAREST", "CLOSED_CELL", "CROSSING_LIMIT",
            "CURVE_LIMIT", "DOT", "EVEN_INK_BUDGET", "FULL", "IDLE_LIMIT", "INK_BUDGET", "INNER_IDLE", "MAX_COVERAGE",
            "MIN_CELL_PX", "MIN_INK_BUDGET", "OPEN_PX", "OPEN_STEP_PX", "PASSING", "PASSING_BY", "PASSING_WIDTH",
            "SAMPLED_LINKS", "SPREAD_PX", "STRAIGHT_LIMIT", "THINNEST",
        ),
    }  # fmt: skip
    values = {name: getattr(module, name) for module, own in names.items() for name in own}
    values |= {"FOCUS_CELLS": focus.CELLS, "OPEN_LIMIT": OPEN_LIMIT, "THINNEST_OPACITY": picture.THINNEST}
    return {_camel(name): value for name, value in values.items()}


def _camel(name: str) -> str:
    first, *others = name.lower().split("_")
    return first + "".join(map(str.capitalize, others))
