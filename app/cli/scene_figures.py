"""The figures of a tour's scenes, and their errors, for all commands that show a tour."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.session.scenes import SceneEvaluations
from app.tour.tour_file import WITH_ERRORS
from core.spec import Progress, SpecError

SceneFigures = dict[str, Any]


def figures_of(scenes: SceneEvaluations, progress: Progress) -> list[SceneFigures]:
    """Return the figures of all scenes of a tour."""
    return [_scene_figures(number, scenes, progress) for number in range(len(scenes.tour.scenes))]


def failing(scenes: Sequence[SceneFigures]) -> list[SceneFigures]:
    """Return the scenes with errors or claims that do not hold."""
    return [scene for scene in scenes if "error" in scene or scene["failing"]]


def status_of(scenes: Sequence[SceneFigures]) -> int:
    """Return the exit status of a command that shows these scenes."""
    return WITH_ERRORS if failing(scenes) else 0


def complaints(scenes: Sequence[SceneFigures]) -> Iterator[str]:
    """Yield a line for each error and each claim that does not hold."""
    for number, figures in enumerate(scenes, start=1):
        scene = f"scene {number}, {figures['title']}"
        if "error" in figures:
            yield f"{scene}: cannot be shown: {figures['error']}"
            continue
        for error in figures["failing"]:
            yield f"{scene}: {shown_error(error, figures)}"


def shown_error(error: str, figures: SceneFigures) -> str:
    """Return the line for an entry of ``failing``."""
    if error not in figures["claims"]:
        return f"error in {error}"
    reason = figures["unchecked"].get(error)
    return f"does not hold: {error}" if reason is None else f"cannot be checked: {error}: {reason}"


def _scene_figures(number: int, scenes: SceneEvaluations, progress: Progress) -> SceneFigures:
    """Return a scene's caption and claims with all errors, or why the scene cannot be shown."""
    scene = scenes.tour.scenes[number]
    figures: SceneFigures = {"title": scene.title, "views": [shown.view for shown in scene.views]}
    try:
        scenes.prepare(number, progress)
    except SpecError as error:
        return figures | {"error": str(error)}
    caption, claims = scenes.caption(number), scenes.claims(number)
    return figures | {
        "text": caption.text,
        "throughput_gbs": scenes.evaluation(number).report.throughput_gbs,
        "claims": list(scene.claims),
        "failing": [
            *(f"text: {error}" for error in caption.errors),
            *(result.claim for result in claims if not result.holds),
        ],
        "unchecked": {result.claim: result.error for result in claims if result.error},
    }
