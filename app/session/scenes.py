"""The scenes of a tour evaluated, each once, and the figures that captions and claims take from them."""

from contextlib import suppress
from pathlib import Path

from app.model.scenes import Scene, Tour, place_of
from app.model.state import Evaluation
from app.session.evaluation import evaluate_reference, evaluate_scenario
from app.session.moments import moment_of
from app.tour.expression import Lookup, Value, figures_in, filled, names_in, parsed, value_of
from app.tour.figures import Figures, is_timed
from app.tour.tour_file import scenario_of
from core.load.scenario import Scenario
from core.spec import Progress, SpecError, no_progress, subprogress
from core.text import plural
from core.timing import detailed_timeline, timing_of
from core.timing.rounds import Rounds
from core.timing.timeline import Timeline


class SceneEvaluations:
    """Evaluates scenes of one tour when they are asked for; equal scenarios are evaluated once.

    It may be asked in one thread and prepared in another: what is known never changes.
    """

    def __init__(self, tour: Tour, folder: Path | None = None) -> None:
        self.tour, self.folder = tour, folder
        self._read: dict[int, Scenario] = {}
        self._known: dict[Scenario, Evaluation] = {}
        self._timelines: dict[Scenario, Timeline] = {}
        self._steps: dict[tuple[Scenario, int], Evaluation] = {}

    @classmethod
    def of(cls, tour: Tour, scenario: Scenario) -> "SceneEvaluations":
        """Return a tour whose first scene is a scenario of the user's own: files that it names may lie anywhere."""
        found = cls(tour, scenario.folder)
        found._read[0] = scenario
        return found

    def taking_from(self, other: "SceneEvaluations") -> "SceneEvaluations":
        """Return this, knowing what another one knows: after an edit of the tour nothing is evaluated again."""
        if other.tour is self.tour:
            self._read = other._read
        self._known, self._timelines, self._steps = other._known, other._timelines, other._steps
        return self

    def scenario(self, number: int) -> Scenario:
        """Return the scenario of a scene.

        Raises SpecError: if there is none to be read in it.
        """
        if number not in self._read:
            self._read[number] = scenario_of(self.tour.scenes[number], self.folder)
        return self._read[number]

    def known(self, number: int) -> Evaluation | None:
        """Return what a scene comes to, if it has been evaluated; None as well where it cannot be."""
        try:
            return self._known.get(self.scenario(number))
        except SpecError:
            return None

    def evaluation(self, number: int, progress: Progress = no_progress) -> Evaluation:
        """Return what a scene comes to.

        Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
        """
        scenario = self.scenario(number)
        found = self._known.get(scenario)
        if found is None:
            last = next(reversed(self._known.values()), None)
            found = evaluate_scenario(scenario, last.case if last is not None else None, progress)
            self._known[scenario] = found
        return found

    def timeline(self, number: int, progress: Progress = no_progress) -> Timeline:
        """Return when the steps of a scene run.

        Raises SpecError: if it cannot be built, or its timing does not fit it. Raises Cancelled: when `progress` does.
        """
        case = self.evaluation(number).case
        if case.scenario not in self._timelines:
            self._timelines[case.scenario] = detailed_timeline(case, progress)
        return self._timelines[case.scenario]

    def known_timeline(self, number: int) -> Timeline | None:
        """Return when the steps of a scene run, if that was found."""
        found = self.known(number)
        return self._timelines.get(found.case.scenario) if found is not None else None

    def figures(self, number: int) -> Figures:
        """Return the figures of a scene, those of its times and of its step as far as they are known.

        Raises SpecError: if it cannot be built.
        """
        evaluation, step = self.evaluation(number), self.tour.scenes[number].step
        timeline = self._timelines.get(evaluation.case.scenario)
        if step is None:
            return Figures(evaluation, timeline)
        return Figures(evaluation, timeline, step - 1, self._steps.get((evaluation.case.scenario, step)))

    def _look_at_step(self, number: int) -> None:
        """Find the loads of the step that a scene looks at.

        Raises SpecError: if there is none.
        """
        evaluation, step = self.evaluation(number), self.tour.scenes[number].step
        key = evaluation.case.scenario, step or 0
        if step is None or key in self._steps:
            return
        timed = isinstance(timing_of(evaluation.case), Rounds)
        rounds = self.timeline(number).each_round if timed else None
        steps = len(evaluation.case.job.phases if rounds is None else rounds)
        if step > steps:
            raise SpecError(f"{place_of(number)}.step", f"the job has {plural(steps, 'step')}, not {step:,}")
        self._steps[key] = moment_of(evaluation, step - 1, rounds).alone

    def prepare(self, number: int, progress: Progress = no_progress) -> None:
        """Evaluate a scene, those that it names, and their times where a caption or claim asks for these.

        Raises SpecError: if the scene cannot be built; others say so where they are named. Raises Cancelled: when
        `progress` does.
        """
        scene, others = self.tour.scenes[number], sorted(self.named_by(number))
        parts = 1 + len(others)
        self.evaluation(number, subprogress(progress, 0, 1, parts))
        self._look_at_step(number)
        for done, other in enumerate(others, start=1):
            with suppress(SpecError):
                self.evaluation(other, subprogress(progress, done, done + 1, parts))
                self._look_at_step(other)
        for name in {name for name, figure in asked(scene) if is_timed(figure)}:
            of = number if name is None else self.tour.number(name)
            if of is not None:
                with suppress(SpecError):
                    self.timeline(of)
        # What is worked out once for each network is known then.
        filled(scene.text, self.lookup(number))
        self.failing(number)

    def named_by(self, number: int) -> set[int]:
        """Return the other scenes that a scene names: in caption and claims, as A, or for its scale."""
        scene = self.tour.scenes[number]
        names = {name for name, _ in asked(scene)} | {scene.against}
        if isinstance(scene.scale.frozen, str):
            names.add(scene.scale.frozen)
        found = {self.tour.number(name) for name in names if name is not None}
        return {other for other in found if other is not None} - {number}

    def lookup(self, number: int, own: Figures | None = None) -> Lookup:
        """Return what finds the figures that a scene names; its own may be those of what is on the stage now."""

        def look(scene: str | None, name: str) -> Value:
            if scene is None:
                return (own or self.figures(number))[name]
            other = self.tour.number(scene)
            if other is None:
                raise SpecError("figures", f"no scene has the id {scene}")
            return self.figures(other)[name]

        return look

    def failing(self, number: int, own: Figures | None = None) -> list[str]:
        """Return the claims of a scene that do not hold, or cannot be worked out."""
        look, found = self.lookup(number, own), []
        for claim in self.tour.scenes[number].claims:
            try:
                holds = value_of(parsed(claim, "claims"), look)
            except SpecError:
                holds = False
            if holds is not True:
                found.append(claim)
        return found

    def reference(self, number: int) -> Evaluation | None:
        """Return the scene that a scene is compared with, evaluated; None: it is compared with none.

        Raises SpecError: if that one cannot be built.
        """
        against = self.tour.scenes[number].against
        other = self.tour.number(against) if against is not None else None
        if other is None:
            return None
        return evaluate_reference(self.scenario(other), self.evaluation(number), no_progress)


def asked(scene: Scene) -> set[tuple[str | None, str]]:
    """Return the figures that a scene's caption and claims ask for."""
    return figures_in(scene.text) | {name for claim in scene.claims for name in names_in(parsed(claim, "claims"))}


def tells_times(scene: Scene) -> bool:
    """Return whether a scene's caption or claims ask when its own steps run."""
    return any(name is None and is_timed(figure) for name, figure in asked(scene))
