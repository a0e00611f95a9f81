"""A search as a recording: each better mapping, with the time at which it was found."""

from app.model.search_run import cores
from app.tour.recording import Recording, TimedEdit
from app.tour.tour_file import plain_scenario
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping.edit import edit_between
from core.optimise.request import Request, SearchResult
from core.optimise.run import optimise
from core.spec import Progress


def recorded_search(scenario: Scenario, seconds: float, progress: Progress, title: str = "Search") -> Recording:
    """Search for a better mapping for `seconds`; return a recording of the improvements.

    Raises SpecError: if the scenario cannot be searched.
    """
    report = evaluate(scenario.build())
    edits: list[TimedEdit] = []
    shown = report.case.mapping

    def note(result: SearchResult) -> None:
        nonlocal shown
        progress(min(result.seconds / seconds, 1.0))
        mapping = shown.moved(result.slots)
        step = edit_between(shown, mapping)
        if step.count and result.better:
            shown = mapping
            edits.append(TimedEdit(result.seconds, tuple(step.tasks.tolist()), tuple(step.new.tolist())))

    note(optimise(report, Request(seconds=seconds, workers=cores()), note))
    return Recording(1, title, plain_scenario(scenario), tuple(edits))
