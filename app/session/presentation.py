"""Shows scenes in the main window or on the stage, evaluated off the GUI thread, the next scene ahead of time.

During a presentation everything stays interactive, but changes are not the user's work: the state before it, the desk,
is saved, and restored exactly when the presentation ends.
"""

import time
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEasingCurve

from app.background.latest_wins import Runner
from app.background.timer import timer
from app.model.computation import Computation, Kind, computing
from app.model.evaluation import Evaluation
from app.model.scenes import Scene
from app.model.state import State
from app.model.state_groups import Glide
from app.session.editing import Editing
from app.session.evaluation import EditableEvaluation
from app.session.scene_state import SceneSetting
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
"""Duration of the transition of camera and loads between scenes of one network."""


class Arrived(NamedTuple):
    """An evaluated scene, ready to be shown."""

    number: int
    scene: Scene
    result: EditableEvaluation
    timeline: Timeline | None
    setting: SceneSetting


class Presentation:
    """The part of a session that shows scenes."""

    def __init__(self, store: Store, editing: Editing, tours: Tours, timekeeper: Timekeeper) -> None:
        self._store, self._editing, self._tours, self._timekeeper = store, editing, tours, timekeeper
        self._live: LiveLoads | None = None
        """The live loads of the desk, to restore when the presentation ends."""
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
        """Return whether a scene is being evaluated, or a transition of loads is running."""
        return self._scene.busy or self._store.state.tour.glide is not None

    def begin(self, scene: int | None = None) -> None:
        """Present the open tour, starting with a scene, or the state on screen if `scene` is None."""
        if self._store.state.presenting:
            return
        self._editing.finish_for_other()
        self._live = self._editing.live
        self._store.show(replace(self._store.state, desk=self._store.state))
        if scene is not None:
            self.go(scene)

    def end(self) -> None:
        """End the presentation and restore the desk."""
        desk, live = self._store.state.desk, self._live
        if desk is None or live is None:
            return
        self.cancel()
        self._editing.finish_for_other()
        now = self._store.state
        tour = replace(
            desk.tour, tour=now.tour.tour, tour_path=now.tour.tour_path, tour_saved=now.tour.tour_saved,
            tour_undo=now.tour.tour_undo, tour_redo=now.tour.tour_redo, arrivals=now.tour.arrivals,
            prepared=now.tour.prepared,
        )  # fmt: skip
        search = replace(desk.search, runs=now.search.runs, message=now.search.message, refused=now.search.refused)
        self._editing.resume(replace(desk, tour=tour, search=search, computations=()), live)
        self._live = None

    def cancel(self) -> None:
        """Drop a pending scene, and complete a transition of loads."""
        self._scene.cancel()
        self._ahead.cancel()
        self._stop()
        self._store.show_tour(replace(self._store.state.tour, scene_asked=None))
        self._store.end_computation(Kind.SCENE)

    def go(self, number: int) -> None:
        """Show a scene of the open tour; numbers out of range are clipped."""
        scenes = self._tours.scenes
        if scenes is None:
            return
        number = min(max(number, 0), len(scenes.tour.scenes) - 1)
        self._ahead.cancel()
        self._store.show_tour(replace(self._store.state.tour, scene_asked=number))
        if any(computation.kind is Kind.SCENE for computation in self._store.state.computations):
            self._on_progressed(0.0)  # for this scene at once, to avoid flicker
        self._scene.request(partial(ready, number, scenes))

    def step(self, by: int) -> None:
        """Go forward by `by` scenes; without a current scene, to the first."""
        tour = self._store.state.tour
        now = tour.scene if tour.scene_asked is None else tour.scene_asked
        self.go(0 if now is None else now + by)

    def delete(self, numbers: set[int]) -> None:
        """Delete scenes of the open tour; if the scene on screen is deleted, show the next remaining scene."""
        before = self._store.state.tour
        shown = before.scene if before.scene_asked is None else before.scene_asked
        self._tours.delete(numbers)
        if self._store.state.tour.tour is not before.tour and shown in numbers:
            self.go(shown - sum(number < shown for number in numbers))

    def duplicate(self, number: int) -> None:
        """Insert a copy of a scene after it, and show the copy."""
        self._tours.duplicate(number)
        self.go(number + 1)

    def _arrive(self, arrived: Arrived) -> None:
        before = self._store.state
        self._stop()
        self._store.end_computation(Kind.SCENE)
        self._timekeeper.adopt(arrived.timeline)
        glide = Glide(before.utilisation, 0.0) if self._glides(arrived.result.evaluation) else None

        def setting(state: State) -> State:
            state = arrived.setting.applied(state)
            steps = replace(state.time, moment=None)
            if arrived.timeline is not None:
                steps = replace(steps, timeline=arrived.timeline, timeline_refused="")
            asked = state.tour.scene_asked  # the tour may have been edited in the meantime
            tour = replace(
                state.tour, scene=arrived.number if asked is None else asked, scene_asked=None, scene_error=None,
                arrivals=state.tour.arrivals + 1, glide=glide,
            )  # fmt: skip
            return replace(state, time=steps, tour=tour)

        name = "" if before.presenting else f"Show scene {arrived.number + 1}"
        self._editing.show_scene(arrived.scene, arrived.result, name, setting)
        if self._store.state.tour.glide is not None:
            self._began = time.perf_counter()
            self._frames.start()
        self._prepare_next(arrived.number + 1)

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
            self._store.show_glide(glide._replace(done=self._ease.valueForProgress(done)))

    def _stop(self) -> None:
        self._frames.stop()
        self._store.show_glide(None)

    def _prepare_next(self, number: int) -> None:
        scenes = self._tours.scenes
        if scenes is not None and number < len(scenes.tour.scenes):
            self._ahead.request(partial(prepared, number, scenes))

    def _on_prepared(self, answer: object) -> None:
        # The results are cached in the scenes.
        tour = self._store.state.tour
        self._store.show_tour(replace(tour, prepared=tour.prepared + 1))

    def _on_not_prepared(self, error: SpecError) -> None:
        """Ignore the error: a scene that cannot be built is reported when it is shown."""

    def _on_progressed(self, fraction: float) -> None:
        number = self._store.state.tour.scene_asked
        if number is not None:
            self._store.show_computation(Computation(Kind.SCENE, computing(f"scene {number + 1}"), fraction))

    def _on_refused(self, error: SpecError) -> None:
        number = self._store.state.tour.scene_asked
        self._store.end_computation(Kind.SCENE)
        tour = self._store.state.tour
        self._store.show_tour(replace(tour, scene=number, scene_asked=None, scene_error=error))
        if number is not None:
            self._prepare_next(number + 1)


def prepared(number: int, scenes: SceneEvaluations, progress: Progress) -> None:
    """Evaluate a scene and the scenes that it needs ahead of time."""
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
        SceneSetting.of(number, scenes),
    )  # fmt: skip
