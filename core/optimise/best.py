"""The best mapping of a scenario found by a search, evaluated as if read from a file."""

from dataclasses import dataclass, replace

from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Case
from core.mapping.explicit import Explicit
from core.mapping.mapping import Slots
from core.optimise.request import OnResult, Request, SearchResult, ignore_result
from core.optimise.run import optimise
from core.spec import Progress, no_progress


@dataclass(frozen=True, eq=False)
class Best:
    """The evaluations at the beginning and the end of a search."""

    start: LoadReport
    better: LoadReport
    result: SearchResult


def search_best(
    case: Case, request: Request, progress: Progress = no_progress, on_result: OnResult = ignore_result
) -> Best:
    """Return the best mapping of a case that a search finds; `progress` receives the progress of the first evaluation.

    Raises SpecError: if the job is too large to search, or the network lacks a level.
    """
    request.method.moving(request.constraints).check(case.network, case.mapping, case.allocation)
    report = evaluate(case, progress)
    return best_of(report, optimise(report, request, on_result))


def best_of(start: LoadReport, result: SearchResult) -> Best:
    """Return the result of a search from a report, with its best mapping evaluated."""
    return Best(start, evaluate(with_slots(start.case, result.slots)), result)


def with_slots(case: Case, slots: Slots) -> Case:
    """Return the case with a mapping, built as if read from a file, so that figures are bit-identical."""
    mapping = Explicit.of(case.mapping.moved(slots))
    return replace(case.scenario, mapping=mapping).build(case)
