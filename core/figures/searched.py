"""The figures of a search."""

from msgspec import UNSET

from core.figures.results import SearchFigures, job_notes
from core.job.measure import UNITS
from core.load.bounds import Bound
from core.optimise.best import Best
from core.optimise.request import Request
from core.optimise.tables import TIME


def search_figures(best: Best, request: Request, known: tuple[Bound, ...]) -> SearchFigures:
    """Return the figures of a search, given the bounds on the better mapping, strongest first."""
    start, better, found = best.start, best.better, best.result
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
