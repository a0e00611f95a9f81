"""Figures of a point of a study, which depend only on its scenario, in any process."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.figures.evaluation import Evaluated
from core.figures.measured import Counted
from core.figures.network import Measured
from core.figures.registry import EVALUATE, MEASURED, METRICS, OPTIMISE, RESILIENCE, ROUTES, TIMELINE
from core.figures.resilience import components, resilience
from core.figures.routes import Routed
from core.figures.searched import Searched
from core.figures.timeline import Timed
from core.files.atomic import shown
from core.load.evaluate import LoadReport, evaluate
from core.load.failures import Failures
from core.load.scenario import Case, Scenario
from core.optimise.request import OnResult
from core.spec import SpecError
from core.sweep.measures import measured
from core.sweep.results import CPU, Row
from core.sweep.study import FAULTS, Optimise, Point, Study, decode_study
from core.timing import timeline

CABLES = "cables"
"""The components whose failures studies evaluate."""
MAX_KEPT, MAX_LINKS = 16, 1 << 22
"""Maximum number of built networks stored by a process, and of their links in total."""


class Builder:
    """Builds scenarios one after the other, reusing networks and other unchanged parts."""

    def __init__(self) -> None:
        self._cases: dict[Any, Case] = {}
        self._measured: dict[Any, Measured] = {}
        self._failures: Failures | None = None

    def build(self, scenario: Scenario) -> Case:
        """Return the built scenario.

        Raises SpecError: naming the invalid field.
        """
        key = _machine_of(scenario)
        case = scenario.build(self._cases.pop(key, None))
        self._cases[key] = case  # the most recently used case is dropped last
        while len(self._cases) > 1 and self._too_many():
            oldest = next(iter(self._cases))
            del self._cases[oldest]
            self._measured.pop(oldest, None)
        return case

    def _too_many(self) -> bool:
        links = sum(case.network.links for case in self._cases.values())
        return len(self._cases) > MAX_KEPT or links > MAX_LINKS

    def report(self, case: Case) -> LoadReport:
        """Return the loads of a case, computed from its loads without faults: see `Failures`."""
        intact = replace(case.scenario, faults=())
        if self._failures is None or self._failures.report.case.scenario != intact:
            self._failures = Failures(evaluate(intact.build(case)))
        return self._failures.report_of(case)

    def network_figures(self, case: Case) -> Measured:
        """Return the source of the network's figures, each of which is computed once."""
        key = _machine_of(case.scenario)
        if key not in self._measured:
            self._measured[key] = Measured(case.network)
        return self._measured[key]


def point_row(study: Study, number: int, builder: Builder) -> Row:
    """Return the row of a point: its figures or its error, with processor time and duration."""
    begun, cpu = time.perf_counter(), time.process_time()
    figures: Row = dict.fromkeys(study.measures.paths)
    error = ""
    try:
        figures, error = _figures(study, study.points[number], builder)
    except SpecError as wrong:
        error = str(wrong)
    except MemoryError:
        error = "not enough memory for this point"
    except Exception as wrong:  # no error may stop the other points
        error = f"{type(wrong).__name__}: {wrong}"
    took = {CPU: time.process_time() - cpu, "seconds": time.perf_counter() - begun}
    return {"point": number, **study.cells(number), **figures, **took, "error": shown(error) or None}


def _machine_of(scenario: Scenario) -> tuple[Any, ...]:
    return scenario.network, scenario.cables, scenario.folder


def _figures(study: Study, point: Point, builder: Builder) -> tuple[Row, str]:
    # The figures of a point, and the error of the first missing figure.
    sources, figures, error = _sources(study, builder.build(study.scenario(point)), builder), Row(), ""
    for path in study.measures.paths:
        try:
            figures[path] = measured(study.measures, path, sources)
        except SpecError as wrong:
            figures[path], error = None, error or str(wrong)
    return figures, error


def _sources(study: Study, case: Case, builder: Builder) -> dict[str, Any]:
    # The sources of the requested figures, by command.
    wanted, sources = study.measures.commands, dict[str, Any]()
    if study.file.optimise is not None:
        sources[OPTIMISE] = _searched(study.file.optimise, case)
        case = sources[OPTIMISE].best.better.case
    if wanted & {EVALUATE, MEASURED, RESILIENCE}:
        report = builder.report(case) if FAULTS in study.paths else evaluate(case)
        sources |= {EVALUATE: Evaluated(report), MEASURED: Counted(report)}
    if RESILIENCE in wanted:
        sources[RESILIENCE] = resilience(report, CABLES, components(case.network, CABLES))
    if TIMELINE in wanted:
        sources[TIMELINE] = Timed(timeline(case))
    if METRICS in wanted:
        sources[METRICS] = builder.network_figures(case)
    if ROUTES in wanted:
        sources[ROUTES] = Routed(case.router)
    return sources


def searched_scenario(study: Study, number: int, steps: int | None, on_result: OnResult) -> Scenario:
    """Return the scenario of a point with the mapping found by its search.

    Searches are deterministic: with `steps`, its row's ``optimise.steps``, this is the mapping of the row. Without a
    step limit here and in the study, the search runs for its time limit, and may find another mapping.

    Raises SpecError: naming the invalid field.
    """
    from core.optimise.best import search_best

    asked, case = study.file.optimise, study.scenario(study.points[number]).build()
    if asked is None:
        return case.scenario
    request = asked.request if steps is None else replace(asked.request, seconds=None, steps=steps)
    return search_best(case, request, on_result=on_result).better.case.scenario


def _searched(asked: Optimise, case: Case) -> Searched:
    from core.optimise.best import search_best

    return Searched(search_best(case, asked.request), asked.request)


@lru_cache(maxsize=1)
def _decoded(content: bytes, folder: Path | None) -> tuple[Study, Builder]:
    return decode_study(content, folder), Builder()


def rows_of(content: bytes, folder: Path | None, numbers: Sequence[int], seconds: float) -> list[Row]:
    """Return the rows of as many points of a study as fit into `seconds`, but at least one.

    Called by workers. The study is passed with every call, since any worker may be new.
    """
    study, builder = _decoded(content, folder)
    begun, rows = time.perf_counter(), list[Row]()
    for number in numbers:
        rows.append(point_row(study, number, builder))
        if time.perf_counter() - begun >= seconds:
            break
    return rows
