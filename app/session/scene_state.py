"""The state that a scene sets besides its scenario, and a scene made from the state."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from app.model.parts import item_name, item_named
from app.model.scenes import Scale, Scene, Seen, ViewShare
from app.model.state import ComparisonMode, State
from app.session.scenes import SceneEvaluations
from app.style.colour import ColourScale
from app.tour.tour_file import plain_scenario
from core.job.job import NO_TASKS
from core.spec import SpecError

HEADLINE = "**{throughput_gbs} GB/s** per node, limited by {bottleneck}"
"""The caption of a new scene."""
MODES = {"side": ComparisonMode.SIDE, "difference": ComparisonMode.DIFFERENCE}


def scene_values(number: int, scenes: SceneEvaluations) -> dict[str, Any]:
    """Return the values of the state that an evaluated scene sets, by name.

    Raises SpecError: if its machine has no part of a name in it, or a scene that it names cannot be built.
    """
    scene, report = scenes.tour.scenes[number], scenes.evaluation(number).report
    reference = scenes.reference(number)
    return {
        "selection": item_named(scene.selection, report) if scene.selection else None,
        "marked": NO_TASKS,
        "hottest_percent": scene.hottest_percent,
        "scale": _scale(scene, scenes),
        "reference": reference,
        "mode": MODES[scene.compare] if reference is not None else ComparisonMode.OFF,
        "step": None if scene.step is None else scene.step - 1,
    }


def _scale(scene: Scene, scenes: SceneEvaluations) -> ColourScale:
    frozen, scale = scene.scale.frozen, ColourScale(log=scene.scale.log, map=scene.scale.map)
    if frozen is None:
        return scale
    if isinstance(frozen, float):
        return replace(scale, frozen_time=frozen)
    other = scenes.tour.number(frozen)
    if other is None:
        raise SpecError("scale.frozen", f"no scene has the id {frozen}")
    return replace(
        scale,
        frozen_time=scenes.evaluation(other).report.time or None,
        frozen_as=scenes.tour.scenes[other].title if scenes.tour.scenes[other] is not scene else "the beginning",
    )


def scene_of(state: State, views: tuple[ViewShare, ...], camera: Seen, folder: Path | None = None) -> Scene:
    """Return what is on screen as a scene of a tour in `folder`.

    Raises SpecError: if it names a file that lies elsewhere.
    """
    case, scale, tour = state.evaluation.case, state.style.scale, state.tour.tour
    selection, reference = state.selection, state.comparison.reference
    against = None
    if reference is not None and tour is not None and state.comparison.mode is not ComparisonMode.OFF:
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
        step=None if state.time.step is None else state.time.step + 1,
        against=against,
        compare="difference" if state.comparison.mode is ComparisonMode.DIFFERENCE else "side",
    )
