"""The evaluated scenes of a tour, and the figures for their captions and claims."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.model.evaluation import Evaluation
from app.model.measurement import LinkSource
from app.model.scenes import Scene, Tour, scene_path
from app.model.what_if import FailureChoice, FailureEvaluation, evaluate_failures
from app.session.evaluation import as_reference, evaluate_scenario
from app.session.moments import moment_of
from app.tour.expression import Caption, ClaimResult, Lookup, caption, checked_claim, figures_in, figures_of_claim
from app.tour.figures import Figures, is_of_failures, is_timed
from app.tour.tour_file import scenario_of_scene
from core.figures.registry import Value
from core.files.digest import source_of
from core.load.scenario import Scenario
from core.spec import Progress, SpecError, no_progress, subprogress
from core.text import plural
from core.timing import detailed_timeline, timing_of
from core.timing.rounds import Rounds
from core.timing.timeline import Timeline


class SceneEvaluations:
    """Evaluates scenes of one tour on request; equal scenarios are evaluated once.

    It can be read in one thread while another prepares scenes, because known results never change.
    """

    def __init__(self, tour: Tour, folder: Path | None = None) -> None:
        self.tour, self.folder = tour, folder
        self._read: dict[int, Scenario] = {}
        self._evaluations: dict[Scenario, Evaluation] = {}
        self._timelines: dict[Scenario, Timeline] = {}
        self._steps: dict[tuple[Scenario, int], Evaluation] = {}
        self._failures: dict[Scenario, FailureEvaluation] = {}

    @classmethod
    def of(cls, tour: Tour, scenario: Scenario) -> "SceneEvaluations":
        """Return the scenes of a tour whose first scene has the given scenario, whose files may be in any folder."""
        evaluations = cls(tour, scenario.folder)
        evaluations._read[0] = scenario
        return evaluations

    def taking_from(self, other: "SceneEvaluations") -> "SceneEvaluations":
        """Take over the results of another object, so that nothing is evaluated again after an edit of the tour."""
        if other.tour is self.tour and self.folder in (None, other.folder):
            self._read = other._read
        self._evaluations, self._timelines, self._steps = other._evaluations, other._timelines, other._steps
        self._failures = other._failures
        return self

    def scenario(self, number: int) -> Scenario:
        """Return the scenario of a scene.

        Raises SpecError: if it is invalid.
        """
        if number not in self._read:
            self._read[number] = scenario_of_scene(self.tour.scenes[number], self.folder)
        return self._read[number]

    @property
    def source(self) -> str:
        """Return the source of a document or film of the scenes that can be read (`core.files.digest.source_of`)."""
        scenarios = []
        for number in range(len(self.tour.scenes)):
            with suppress(SpecError):
                scenarios.append(self.scenario(number))
        return source_of(*scenarios)

    def cached_evaluation(self, number: int) -> Evaluation | None:
        """Return the evaluation of a scene, or None if it is not evaluated yet or cannot be built."""
        try:
            return self._evaluations.get(self.scenario(number))
        except SpecError:
            return None

    def evaluation(self, number: int, progress: Progress = no_progress) -> Evaluation:
        """Return the evaluation of a scene.

        Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
        """
        scenario = self.scenario(number)
        evaluation = self._evaluations.get(scenario)
        if evaluation is None:
            last = next(reversed(self._evaluations.values()), None)
            evaluation = evaluate_scenario(scenario, last.case if last is not None else None, progress)
            self._evaluations[scenario] = evaluation
        return evaluation

    def timeline(self, number: int, progress: Progress = no_progress) -> Timeline:
        """Return the timeline of a scene.

        Raises SpecError: if the scene cannot be built, or its timing does not fit. Raises Cancelled: when `progress`
        does.
        """
        case = self.evaluation(number).case
        if case.scenario not in self._timelines:
            self._timelines[case.scenario] = detailed_timeline(case, progress)
        return self._timelines[case.scenario]

    def failures(self, number: int, progress: Progress = no_progress) -> FailureEvaluation:
        """Return the failures of all cables in a scene.

        Raises SpecError: if the scene cannot be built. Raises Cancelled: when `progress` does.
        """
        report = self.evaluation(number).report
        scenario = report.case.scenario
        if scenario not in self._failures:
            self._failures[scenario] = evaluate_failures(report, FailureChoice(), progress)
        return self._failures[scenario]

    def known_failures(self, number: int) -> FailureEvaluation | None:
        """Return the failures of all cables in a scene, or None if they are not known."""
        evaluation = self.cached_evaluation(number)
        return self._failures.get(evaluation.case.scenario) if evaluation is not None else None

    def known_timeline(self, number: int) -> Timeline | None:
        """Return the timeline of a scene, or None if it is not known."""
        evaluation = self.cached_evaluation(number)
        return self._timelines.get(evaluation.case.scenario) if evaluation is not None else None

    def figures(self, number: int) -> Figures:
        """Return the figures of a scene, including figures of its timeline, step and failures only if they are known.

        Raises SpecError: if it cannot be built.
        """
        evaluation, step = self.evaluation(number), self.tour.scenes[number].step
        scenario, failures = evaluation.case.scenario, self.known_failures(number)
        figures = Figures(
            evaluation, self._timelines.get(scenario), failures=None if failures is None else failures.figures
        )
        if step is None:
            return figures
        return replace(figures, step=step - 1, shown=self._steps.get((scenario, step)))

    def _look_at_step(self, number: int) -> None:
        """Compute the loads of the step that a scene shows.

        Raises SpecError: if there is no such step.
        """
        evaluation, step = self.evaluation(number), self.tour.scenes[number].step
        key = evaluation.case.scenario, step or 0
        if step is None or key in self._steps:
            return
        timed = isinstance(timing_of(evaluation.case), Rounds)
        rounds = self.timeline(number).each_round if timed else None
        steps = len(evaluation.case.job.phases if rounds is None else rounds)
        if step > steps:
            raise SpecError(f"{scene_path(number)}.step", f"the job has {plural(steps, 'step')}, not {step:,}")
        self._steps[key] = moment_of(evaluation, step - 1, rounds).alone

    def _check_link_values(self, number: int) -> None:
        """Check that a scene has the counters by which it colours links, and the interval that it shows.

        Raises SpecError: if it has not.
        """
        source, measurement = LinkSource.of(self.tour.scenes[number].link_values), self.evaluation(number).measurement
        if source.needs_counters and (measurement is None or not measurement.has(source)):
            problem = "needs counters in measured" if measurement is None else "needs counters with waits in measured"
            raise SpecError(f"{scene_path(number)}.link_values", f"{source.id!r} {problem} of the scenario")
        interval, measured = self.tour.scenes[number].interval, self.evaluation(number).case.measured
        intervals = len(measured.intervals) if measured is not None and source.needs_counters else 0
        if interval is not None and interval > intervals:
            problem = f"the counters shown have {plural(intervals, 'interval')}, not {interval:,}"
            raise SpecError(f"{scene_path(number)}.interval", problem)

    def _check_channels(self, number: int) -> None:
        """Check that the job of a scene has the channels that it draws.

        Raises SpecError: if it has not.
        """
        drawn, channels = self.tour.scenes[number].channels, self.evaluation(number).case.job.channels
        if drawn is not None and channels is None:
            raise SpecError(f"{scene_path(number)}.channels", "needs a job with channels, such as nccl")
        if isinstance(drawn, int) and channels is not None and drawn >= len(channels.names):
            has = f"the job has {plural(len(channels.names), channels.parts.kind)}"
            raise SpecError(f"{scene_path(number)}.channels", f"is {drawn:,}, but {has}, from 0")

    def prepare(self, number: int, progress: Progress = no_progress) -> None:
        """Evaluate a scene, the scenes that it names, and the timelines that its caption or claims use.

        Raises SpecError: if the scene cannot be built; errors of others appear where they are named. Raises Cancelled:
        when `progress` does.
        """
        scene, others = self.tour.scenes[number], sorted(self.named_by(number))
        parts = 2 + len(others)
        self.evaluation(number, subprogress(progress, 0, 1, parts))
        self._check_link_values(number)
        self._check_channels(number)
        self._look_at_step(number)
        for done, other in enumerate(others, start=1):
            with suppress(SpecError):
                self.evaluation(other, subprogress(progress, done, done + 1, parts))
                self._look_at_step(other)
        for of in self._numbers_of(scene, number, is_timed):
            with suppress(SpecError):
                self.timeline(of)
        self._prepare_failures(number, subprogress(progress, parts - 1, parts, parts))
        # Fills the caches of each network.
        self.caption(number)
        with suppress(SpecError):
            self.reference(number)
        self.failing(number)

    def _prepare_failures(self, number: int, progress: Progress) -> None:
        """Evaluate the failures that a scene shows as colours, or names in its caption or claims.

        Raises SpecError: if it shows them, but its network has no cables. Raises Cancelled: when `progress` does.
        """
        scene = self.tour.scenes[number]
        numbers, coloured = self._numbers_of(scene, number, is_of_failures), scene.link_values == LinkSource.HARM.id
        parts = len(numbers) + coloured
        if coloured:
            self.failures(number, subprogress(progress, 0, 1, parts))
        for done, of in enumerate(numbers, start=coloured):
            with suppress(SpecError):
                self.failures(of, subprogress(progress, done, done + 1, parts))

    def _numbers_of(self, scene: Scene, number: int, needs: Callable[[str], bool]) -> set[int]:
        """Return the scenes, by number, of which a scene's caption and claims use a figure for which `needs` holds."""
        names = {name for name, figure in asked(scene) if needs(figure)}
        numbers = {number if name is None else self.tour.number(name) for name in names}
        return {other for other in numbers if other is not None}

    def named_by(self, number: int) -> set[int]:
        """Return the other scenes that a scene names in its caption and claims, as A, or for its scale."""
        scene = self.tour.scenes[number]
        names = {name for name, _ in asked(scene)} | {scene.against}
        if isinstance(scene.scale.frozen, str):
            names.add(scene.scale.frozen)
        numbers = {self.tour.number(name) for name in names if name is not None}
        return {other for other in numbers if other is not None} - {number}

    def lookup(self, number: int, own: Figures | None = None) -> Lookup:
        """Return the lookup of figures for a scene; `own` are its own figures, as currently on the stage."""

        def look(scene: str | None, name: str) -> Value:
            if scene is None:
                return (own or self.figures(number))[name]
            other = self.tour.number(scene)
            if other is None:
                raise SpecError("figures", f"no scene has the ID {scene}")
            return self.figures(other)[name]

        return look

    def caption(self, number: int) -> Caption:
        """Return the caption of a scene with its figures."""
        return caption(self.tour.scenes[number].text, self.lookup(number))

    def claims(self, number: int, own: Figures | None = None) -> list[ClaimResult]:
        """Check the claims of a scene."""
        look = self.lookup(number, own)
        return [checked_claim(claim, look) for claim in self.tour.scenes[number].claims]

    def failing(self, number: int, own: Figures | None = None) -> list[str]:
        """Return the claims of a scene that do not hold or cannot be computed."""
        return [result.claim for result in self.claims(number, own) if not result.holds]

    def reference(self, number: int) -> Evaluation | None:
        """Return the evaluation of the scene that a scene is compared with, or None.

        Raises SpecError: if that scene cannot be built.
        """
        against = self.tour.scenes[number].against
        other = self.tour.number(against) if against is not None else None
        if other is None:
            return None
        return as_reference(self.evaluation(other), self.evaluation(number))


class Trial(NamedTuple):
    """The caption and claims of a scene that is being written."""

    caption: Caption
    claims: list[ClaimResult]


def tried(number: int, scene: Scene, scenes: SceneEvaluations, progress: Progress = no_progress) -> Trial:
    """Return the caption and claims of a scene with other texts.

    Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
    """
    others = scenes.tour.scenes
    tour = msgspec.structs.replace(scenes.tour, scenes=(*others[:number], scene, *others[number + 1 :]))
    trial = SceneEvaluations(tour, scenes.folder).taking_from(scenes)
    trial.prepare(number, progress)
    return Trial(trial.caption(number), trial.claims(number))


def asked(scene: Scene) -> set[tuple[str | None, str]]:
    """Return the figures that a scene's caption and claims use."""
    return figures_in(scene.text) | set().union(*map(figures_of_claim, scene.claims))


def tells_times(scene: Scene) -> bool:
    """Return whether a scene's caption or claims use its timeline."""
    return any(name is None and is_timed(figure) for name, figure in asked(scene))


def tells_failures(scene: Scene) -> bool:
    """Return whether a scene's caption or claims use the failures of its cables."""
    return any(name is None and is_of_failures(figure) for name, figure in asked(scene))
