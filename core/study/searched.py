"""A scenario with the mapping found by a search, and the search's figures."""

from dataclasses import replace

from msgspec import UNSET

from core.job.measure import UNITS
from core.load.bounds import Bound
from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.mapping.explicit import Explicit
from core.mapping.mapping import Mapping, Slots
from core.optimise.request import Request, SearchResult
from core.optimise.tables import TIME
from core.study.results import SearchFigures, job_notes


def with_slots(case: Case, slots: Slots) -> Case:
    """Return the case with a mapping, built as if read from a file, so that figures are bit-identical to that."""
    mapping = Explicit.of(Mapping(slots, case.network.slots_per_node))
    return replace(case.scenario, mapping=mapping).build(case)


def search_figures(
    start: LoadReport, better: LoadReport, request: Request, found: SearchResult, known: tuple[Bound, ...]
) -> SearchFigures:
    """Return the figures of a search, given the bounds on the better mapping, strongest first."""
    timed = request.objective.figure == TIME
    objective, measure = request.objective, start.case.job.measure
    restarts, *times = found.spread
    ends = zip(("best", "median", "worst"), map(better.throughput, times), strict=True)
    return SearchFigures(
        start_gbs=start.throughput_gbs,
        throughput_gbs=better.throughput_gbs,
        bound_gbs=better.throughput(known[0].time) if known else None,
        start_time=measure.seconds(start.time),
        time=measure.seconds(better.time),
        steps=found.steps,
        steps_per_second=found.steps_per_second,
        seconds=found.seconds,
        seed=request.seed,
        objective=UNSET if timed else objective.tag(),
        start=UNSET if timed else objective.printed(found.start, measure),
        found=UNSET if timed else objective.printed(found.best, measure),
        unit=UNSET if timed or measure == UNITS else objective.unit_in(measure) or UNSET,
        restarts=restarts,
        spread=dict(ends) if restarts else None,
        notes=job_notes(start.case.job) or UNSET,
    )
