"""Figures of one point of a study: a pure function of its scenario, in any process."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from core.figures.results import evaluation_of, measures_of, timeline_figures
from core.files.atomic import shown
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Case, Scenario
from core.network.metrics.cabling import cabling
from core.network.metrics.metrics import measure
from core.optimise.request import OnResult
from core.spec import SpecError
from core.sweep.measures import EVALUATE, look_up
from core.sweep.results import CPU, Row
from core.sweep.study import Optimise, Point, Study, decode_study
from core.timing import timeline

MAX_KEPT, MAX_LINKS = 16, 1 << 22
"""Built networks kept by a process, and their total links."""


class Builder:
    """Builds scenarios one after the other, reusing networks and other unchanged parts."""

    def __init__(self) -> None:
        self._cases: dict[Any, Case] = {}
        self._measured: dict[Any, Any] = {}

    def build(self, scenario: Scenario) -> Case:
        """Return the built scenario.

        Raises SpecError: naming the invalid field.
        """
        key = scenario.network, scenario.folder
        case = scenario.build(self._cases.pop(key, None))
        self._cases[key] = case  # last used, last dropped
        while len(self._cases) > 1 and self._too_many():
            oldest = next(iter(self._cases))
            del self._cases[oldest]
            self._measured.pop(oldest, None)
        return case

    def _too_many(self) -> bool:
        links = sum(case.network.links for case in self._cases.values())
        return len(self._cases) > MAX_KEPT or links > MAX_LINKS

    def network_figures(self, case: Case) -> Any:
        """Return the output of ``metrics --json`` for the network."""
        key = case.scenario.network, case.scenario.folder
        if key not in self._measured:
            self._measured[key] = msgspec.to_builtins(measures_of(measure(case.network), cabling(case.network)))
        return self._measured[key]


def point_row(study: Study, number: int, builder: Builder) -> Row:
    """Return the row of a point: its figures, or its error, and the processor time and the seconds taken."""
    begun, cpu = time.perf_counter(), time.process_time()
    figures: Row = dict.fromkeys(study.measures.paths)
    error = ""
    try:
        figures, error = _figures(study, study.points[number], builder)
    except SpecError as wrong:
        error = str(wrong)
    except MemoryError:
        error = "memory: there is not enough for this point"
    except Exception as wrong:  # no error may end the other points
        error = f"{type(wrong).__name__}: {wrong}"
    took = {CPU: time.process_time() - cpu, "seconds": time.perf_counter() - begun}
    return {"point": number, **study.cells(number), **figures, **took, "error": shown(error) or None}


def _figures(study: Study, point: Point, builder: Builder) -> tuple[Row, str]:
    # The figures of a point, and the error of the first missing one.
    printed, figures, error = _printed(study, builder.build(study.scenario(point)), builder), Row(), ""
    for path in study.measures.paths:
        try:
            figures[path] = look_up(printed, path)
        except SpecError as wrong:
            figures[path], error = None, error or str(wrong)
    return figures, error


def _printed(study: Study, case: Case, builder: Builder) -> dict[str, Any]:
    # The output of the requested commands, by name.
    wants, printed = study.measures.wants, {}
    if study.file.optimise is not None:
        case, printed["optimise"] = _searched(study.file.optimise, case, wants("optimise", "bound_gbs"))
    if wants(EVALUATE):
        report = evaluate(case)
        lower_bounds = bounds(report.case, report) if wants(EVALUATE, "bound_gbs") else ()
        printed[EVALUATE] = msgspec.to_builtins(evaluation_of(report, lower_bounds))
    if wants("timeline"):
        steps = None if wants("timeline", "steps") else 0
        printed["timeline"] = msgspec.to_builtins(timeline_figures(timeline(case), steps))
    if wants("metrics"):
        printed["metrics"] = builder.network_figures(case)
    return printed


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


def _searched(asked: Optimise, case: Case, bounded: bool) -> tuple[Case, Any]:
    from core.figures.searched import search_figures
    from core.optimise.best import search_best

    best = search_best(case, asked.request)
    lower_bounds = bounds(best.better.case, best.better) if bounded else ()
    return best.better.case, msgspec.to_builtins(search_figures(best, asked.request, lower_bounds))


@lru_cache(maxsize=1)
def _known(content: bytes, folder: Path | None) -> tuple[Study, Builder]:
    return decode_study(content, folder), Builder()


def rows_of(content: bytes, folder: Path | None, numbers: Sequence[int], seconds: float) -> list[Row]:
    """Return the rows of points of a study: as many as fit into `seconds`, at least one.

    Run by workers; the study comes with every call, since any worker may be new.
    """
    study, builder = _known(content, folder)
    begun, rows = time.perf_counter(), list[Row]()
    for number in numbers:
        rows.append(point_row(study, number, builder))
        if time.perf_counter() - begun >= seconds:
            break
    return rows
