"""Evaluated scenarios, and the loads of single steps of them."""

from dataclasses import dataclass
from functools import cached_property

from app.model.measurement import Measurement, measurement_of
from app.model.pointing import Item
from app.wording.names import step_title
from core.figures.predictions import Prediction
from core.load.bounds import Bound
from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.timing.link_activity import Watched
from core.timing.round_steps import RoundSteps


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluated scenario: case, report, bounds and predictions."""

    case: Case
    report: LoadReport
    bounds: tuple[Bound, ...]
    predictions: tuple[Prediction, ...]
    seconds: float
    """Wall time of building and evaluating."""

    @cached_property
    def measurement(self) -> Measurement | None:
        """Return the counters of the scenario, compared with the loads, or None without counters."""
        return measurement_of(self.report)


@dataclass(frozen=True, eq=False)
class Moment:
    """The loads of one step of the job."""

    step: int
    all_steps: Evaluation
    """The evaluation of the entire job."""
    alone: Evaluation
    """The evaluation of the step as a job of its own; without bounds and predictions, which apply to entire jobs."""
    rounds: RoundSteps | None = None
    """The rounds to which the step belongs, or None for a phase of the job."""

    @property
    def words(self) -> str:
        """Return ``step 7 of 31: r <-> r XOR 7``."""
        job = self.all_steps.case.job
        if self.rounds is not None:
            return step_title(self.step, len(self.rounds), self.rounds.name(self.step))
        return step_title(self.step, len(job.phases), job.step_name(self.step))


@dataclass(frozen=True, eq=False)
class WatchedItems:
    """Utilisation, in each step, of the links of items pinned to the timeline."""

    evaluation: Evaluation
    items: tuple[Item, ...]
    """The pinned items that the case has."""
    rows: Watched
    """The rows of the links of each item."""
