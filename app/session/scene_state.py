"""What a scene sets besides its scenario: what is chosen, how loads become colours, what is compared."""

from dataclasses import replace
from typing import Any

from app.model.parts import item_named
from app.model.scenes import Scene
from app.model.state import ComparisonMode
from app.session.scenes import SceneEvaluations
from app.style.colour import ColourScale
from core.job.job import NO_TASKS
from core.spec import SpecError

MODES = {"side": ComparisonMode.SIDE, "difference": ComparisonMode.DIFFERENCE}


def values_of(number: int, scenes: SceneEvaluations) -> dict[str, Any]:
    """Return the values of the state that a scene which is evaluated sets, by their names.

    Raises SpecError: if what it names is nothing of its machine, or a scene that it names cannot be built.
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
        scale, frozen_time=scenes.evaluation(other).report.time or None, frozen_as=scenes.tour.scenes[other].title
    )
