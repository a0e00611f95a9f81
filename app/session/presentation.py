"""Shows scenes, on the desk or on the stage: evaluated off the GUI thread, the next one ahead of time.

During a presentation everything stays interactive, but changes are not the user's work: the state of the desk is saved,
and restored exactly when the presentation ends.
"""

import time
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QEasingCurve

from app.background.latest_wins import Runner
from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind, computing
from app.model.scenes import Scene
from app.model.state import Evaluation, Glide
from app.session.editing import Editing
from app.session.evaluation import EditableEvaluation
from app.session.history import History
from app.session.scene_state import scene_values
from app.session.scenes import SceneEvaluations
from app.session.store import Store
from app.session.timekeeper import Timekeeper
from app.session.tours import Tours
from app.style.motion import FRAME_MS, moves
from core.load.compare import comparable
from core.load.live import LiveLoads
from core.spec import Progress, SpecError
from core.timing.timeline import Timeline

GLIDE_MS = 600
"""Duration of the glide of camera and loads between scenes of one network."""
CHANGES = (
    ChangeSet.SELECTION | ChangeSet.EXPLANATION | ChangeSet.STYLE | ChangeSet.COMPARISON | ChangeSet.TIME
    | ChangeSet.MARKED | ChangeSet.TOUR
)  # fmt: skip
"""The changes that a scene brings besides the loads."""


class Arrived(NamedTuple):
    """An evaluated scene, ready to be shown."""

    number: int
    scene: Scene
    result: EditableEvaluation
    timeline: Timeline | None
    values: dict[str, Any]
    """Values of the state, by name."""


class Presentation:
    """The part of a session that shows scenes."""

    def __init__(self, store: Store, editing: Editing, tours: Tours, timekeeper: Timekeeper) -> None:
        self._store, self._editing, self._tours, self._timekeeper = store, editing, tours, timekeeper
        self._desk: tuple[History, LiveLoads] | None = None
        """History and live loads of the desk, to restore when the presentation ends."""
        self._scene = Runner(
            "scene", self._arrive, self._on_refused, self._on_progressed, sync=store.sync, prompt=True, parent=store
        )
        self._ahead = Runner("scene ahead", self._on_prepared, self._on_not_prepared, sync=store.sync, parent=store)
        self._began = 0.0
        self._ease = QEasingCurve(QEasingCurve.Type.InOutCubic)
        self._frames = timer(store, FRAME_MS, precise=True)
        self._frames.timeout.connect(self._on_frame_due)

    @property
    def busy(self) -> bool:
        """Return whether a scene is being evaluated, or loads glide."""
        return self._scene.busy or self._store.state.tour.glide is not None

    def begin(self, scene: int | None = None) -> None:
        """Present the open tour from a scene on; without a tour or scene, what is on screen."""
        if self._store.state.presenting:
            return
        self._editing.finish_for_other()
        self._desk = self._editing.history, self._editing.live
        self._editing.history = self._editing.history.copy()
        self._store.show(ChangeSet.TOUR | ChangeSet.FILE, desk=self._store.state)
        if scene is not None:
            self.go(scene)

    def end(self) -> None:
        """Restore the desk."""
        desk, now = self._store.state.tour.desk, self._store.state.tour
        if desk is None or self._desk is None:
            return
        self.cancel()
        self._editing.finish_for_other()
        back = desk.with_values(
            tour=now.tour, tour_path=now.tour_path, tour_saved=now.tour_saved, tour_undo=now.tour_undo,
            tour_redo=now.tour_redo, arrivals=now.arrivals, computations=(),
        )  # fmt: skip
        self._editing.resume(back, *self._desk)
        self._desk = None

    def cancel(self) -> None:
        """Drop a pending scene, and end a glide at its goal."""
        self._scene.cancel()
        self._ahead.cancel()
        self._stop()
        self._store.set(ChangeSet.TOUR, scene_asked=None)
        self._store.end_computation(Kind.SCENE)

    def go(self, number: int) -> None:
        """Show a scene of the open tour; a number out of range is clipped."""
        scenes = self._tours.scenes
        if scenes is None:
            return
        number = min(max(number, 0), len(scenes.tour.scenes) - 1)
        self._ahead.cancel()
        self._store.show(ChangeSet.TOUR, scene_asked=number)
        if any(one.kind is Kind.SCENE for one in self._store.state.computations):
            self._on_progressed(0.0)  # of this scene, at once, so that nothing flickers
        self._scene.request(partial(ready, number, scenes))

    def step(self, by: int) -> None:
        """Go so many scenes forward; from none to the first."""
        tour = self._store.state.tour
        now = tour.scene if tour.scene_asked is None else tour.scene_asked
        self.go(0 if now is None else now + by)

    def _arrive(self, found: Arrived) -> None:
        state, evaluation = self._store.state, found.result.evaluation
        self._stop()
        self._store.end_computation(Kind.SCENE)
        self._timekeeper.adopt(found.timeline)
        values = found.values | ({"timeline": found.timeline, "timeline_refused": ""} if found.timeline else {})
        if self._glides(evaluation):
            values["glide"] = Glide(state.utilisation, 0.0)
        name = "" if state.presenting else f"Scene {found.number + 1}"
        values |= {
            "scene": found.number,
            "scene_asked": None,
            "scene_error": None,
            "moment": None,
            "arrivals": state.tour.arrivals + 1,
        }
        self._editing.show_scene(found.scene, found.result, CHANGES, name, **values)
        if self._store.state.tour.glide is not None:
            self._began = time.perf_counter()
            self._frames.start()
        self._prepare_next(found.number + 1)

    def _glides(self, evaluation: Evaluation) -> bool:
        old = self._store.state
        still = old.compared_pair is None and not self._store.sync
        return still and moves() and comparable(old.evaluation.case, evaluation.case)

    def _on_frame_due(self) -> None:
        glide = self._store.state.tour.glide
        done = (time.perf_counter() - self._began) * 1000 / GLIDE_MS
        if glide is None or done >= 1:
            self._stop()
        else:
            self._store.show(ChangeSet.LOADS, glide=glide._replace(done=self._ease.valueForProgress(done)))

    def _stop(self) -> None:
        self._frames.stop()
        if self._store.state.tour.glide is not None:
            self._store.show(ChangeSet.LOADS, glide=None)

    def _prepare_next(self, number: int) -> None:
        scenes = self._tours.scenes
        if scenes is not None and number < len(scenes.tour.scenes):
            self._ahead.request(partial(prepared, number, scenes))

    def _on_prepared(self, found: object) -> None:
        # The scenes keep what was prepared.
        self._store.show(ChangeSet.TOUR)

    def _on_not_prepared(self, error: SpecError) -> None:
        """Leave it: a scene that cannot be built is reported when it is shown."""

    def _on_progressed(self, fraction: float) -> None:
        number = self._store.state.tour.scene_asked
        if number is not None:
            self._store.show_computation(Computation(Kind.SCENE, computing(f"scene {number + 1}"), fraction))

    def _on_refused(self, error: SpecError) -> None:
        number = self._store.state.tour.scene_asked
        self._store.end_computation(Kind.SCENE)
        self._store.show(ChangeSet.TOUR, scene=number, scene_asked=None, scene_error=error)
        if number is not None:
            self._prepare_next(number + 1)


def prepared(number: int, scenes: SceneEvaluations, progress: Progress) -> None:
    """Evaluate a scene with all that it needs, ahead of time."""
    scenes.prepare(number, progress)


def ready(number: int, scenes: SceneEvaluations, progress: Progress) -> Arrived:
    """Return a scene ready to be shown.

    Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
    """
    scenes.prepare(number, progress)
    evaluation, scene = scenes.evaluation(number), scenes.tour.scenes[number]
    timeline = scenes.timeline(number, progress) if scene.step is not None else scenes.known_timeline(number)
    return Arrived(
        number, scene, EditableEvaluation(evaluation, LiveLoads(evaluation.report)), timeline,
        scene_values(number, scenes),
    )  # fmt: skip
