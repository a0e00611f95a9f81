"""The settings of a scene other than its scenario, and a scene made from the state."""

from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from app.model.channels import ChannelsState
from app.model.channels_shown import chosen_channel, drawn_channels
from app.model.evaluation import Evaluation
from app.model.measurement import LinkSource
from app.model.parts import item_name, item_named
from app.model.pointing import Item
from app.model.scenes import Scale, Scene, Seen, ViewShare
from app.model.state import State
from app.model.state_groups import ComparisonMode
from app.model.what_if import FailureEvaluation
from app.session.scenes import SceneEvaluations
from app.style.colour import ColourScale
from app.tour.tour_file import plain_scenario
from core.job.job import NO_TASKS
from core.spec import SpecError

HEADLINE = "**{throughput_gbs} GB/s** per node, limited by {bottleneck}"
"""The caption of a new scene."""
MODES = {"side": ComparisonMode.SIDE, "difference": ComparisonMode.DIFFERENCE}


class SceneSetting(NamedTuple):
    """The settings of an evaluated scene other than its scenario."""

    selection: Item | None
    hottest_percent: float
    scale: ColourScale
    source: LinkSource
    reference: Evaluation | None
    mode: ComparisonMode
    step: int | None
    interval: int | None
    channels: ChannelsState
    failures: FailureEvaluation | None

    @classmethod
    def of(cls, number: int, scenes: SceneEvaluations) -> "SceneSetting":
        """Return the setting of a scene by number.

        Raises SpecError: if the scene names a missing part of the machine, or a scene that cannot be built.
        """
        scene, report = scenes.tour.scenes[number], scenes.evaluation(number).report
        reference = scenes.reference(number)
        return cls(
            selection=item_named(scene.selection, report) if scene.selection else None,
            hottest_percent=scene.hottest_percent,
            scale=_scale(scene, scenes),
            source=LinkSource.of(scene.link_values),
            reference=reference,
            mode=MODES[scene.compare] if reference is not None else ComparisonMode.OFF,
            step=None if scene.step is None else scene.step - 1,
            interval=None if scene.interval is None else scene.interval - 1,
            channels=ChannelsState(scene.channels is not None, None if scene.channels == "all" else scene.channels),
            failures=scenes.failures(number)
            if scene.link_values == LinkSource.HARM.id
            else scenes.known_failures(number),
        )

    def applied(self, state: State) -> State:
        """Return a state with these settings and no selected tasks."""
        return replace(
            state,
            selection=self.selection,
            marked=NO_TASKS,
            style=replace(
                state.style,
                hottest_percent=self.hottest_percent,
                link_class="",
                groups="",
                scale=self.scale,
                source=self.source,
            ),
            comparison=replace(state.comparison, reference=self.reference, mode=self.mode),
            time=replace(state.time, step=self.step, interval=self.interval, measured_interval=None),
            channels=replace(self.channels, crossings=state.channels.crossings),
            what_if=state.what_if if self.failures is None else replace(state.what_if, failures=self.failures),
        )


def _scale(scene: Scene, scenes: SceneEvaluations) -> ColourScale:
    frozen, scale = scene.scale.frozen, ColourScale(log=scene.scale.log, map=scene.scale.map)
    if frozen is None:
        return scale
    if isinstance(frozen, float):
        return replace(scale, frozen_time=frozen)
    other = scenes.tour.number(frozen)
    if other is None:
        raise SpecError("scale.frozen", f"no scene has the ID {frozen}")
    return replace(
        scale,
        frozen_time=scenes.evaluation(other).report.time or None,
        frozen_as=scenes.tour.scenes[other].title if scenes.tour.scenes[other] is not scene else "the beginning",
    )


def _channels(state: State) -> Literal["all"] | int | None:
    if drawn_channels(state) is None:
        return None
    chosen = chosen_channel(state)
    return "all" if chosen is None else chosen


def scene_of(state: State, views: tuple[ViewShare, ...], camera: Seen, folder: Path | None = None) -> Scene:
    """Return the state on screen as a scene of a tour in `folder`.

    Raises SpecError: if it names a file in another folder.
    """
    case, scale, tour = state.evaluation.case, state.style.scale, state.tour.tour
    selection, reference = state.selection, state.comparison.reference
    against = None
    if reference is not None and tour is not None and state.comparison.mode in MODES.values():
        plain = plain_scenario(reference.case.scenario, folder)
        against = next((scene.id for scene in tour.scenes if scene.scenario == plain and scene.id), None)
    return Scene(
        title=case.scenario.mapping.title,
        text=HEADLINE,
        scenario=plain_scenario(case.scenario, folder),
        views=views,
        camera=camera,
        selection=item_name(selection, case) if selection is not None else "",
        hottest_percent=state.style.hottest_percent,
        scale=Scale(scale.map, scale.log, scale.frozen_time),
        link_values=state.source.id,
        channels=_channels(state),
        step=None if state.time.step is None else state.time.step + 1,
        interval=state.time.interval + 1 if state.intervals and state.time.interval is not None else None,
        against=against,
        compare="difference" if state.comparison.mode is ComparisonMode.DIFFERENCE else "side",
    )
