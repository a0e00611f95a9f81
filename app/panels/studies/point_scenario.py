"""The scenario of a point of a study; if the study searches, with the best mapping, by repeating the search."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject

from app.background.latest_wins import Runner
from app.wording.errors import error_text
from core.load.scenario import Scenario
from core.optimise.request import SearchResult
from core.spec import Progress, SpecError
from core.sweep.measures import SEARCH_STEPS
from core.sweep.points import searched_scenario
from core.sweep.results import Row
from core.sweep.study import Study

REPEATED = f"Search repeated. The row has no {SEARCH_STEPS}, so the mapping may differ from the study's."
Use = Callable[[Scenario], object]


class PointScenario(QObject):
    """Provides a point's scenario to the last request; `show` is called with status and error messages."""

    def __init__(self, parent: QObject, show: Callable[[str], object], *, sync: bool = False) -> None:
        super().__init__(parent)
        self._show = show
        self._use: Use = lambda scenario: None
        self._name = self._note = ""
        self._runner = Runner("point", self._on_found, self._on_failed, self._on_progressed, sync=sync, parent=self)

    def request(self, study: Study, row: Row, use: Use) -> None:
        """Call `use` with a point's scenario: at once, or as soon as its search has been repeated."""
        number = row["point"]
        if study.file.optimise is None:
            self._runner.cancel()
            use(study.scenario(study.points[number]))
            return
        same = row.get(SEARCH_STEPS) is not None or study.file.optimise.seconds is None
        self._use, self._name, self._note = use, f"Repeating the search of point {number}", "" if same else REPEATED
        self._show(f"{self._name} …")
        self._runner.request(lambda progress: _searched(study, number, row.get(SEARCH_STEPS), progress))

    def cancel(self) -> None:
        """Drop the request."""
        self._runner.cancel()

    def close(self) -> None:
        """Stop for good."""
        self._runner.close()

    def _on_found(self, scenario: Scenario) -> None:
        self._show("")
        self._use(scenario)
        if self._note:
            self._show(self._note)

    def _on_progressed(self, fraction: float) -> None:
        self._show(f"{self._name}: {fraction:.0%}")

    def _on_failed(self, error: SpecError) -> None:
        self._show(error_text(error))


def _searched(study: Study, number: int, steps: int | None, progress: Progress) -> Scenario:
    begun, seconds = time.perf_counter(), study.file.optimise.seconds if study.file.optimise is not None else None

    def hear(result: SearchResult) -> None:
        done = result.steps / steps if steps else (time.perf_counter() - begun) / seconds if seconds else 0.0
        progress(min(done, 1.0))

    return searched_scenario(study, number, steps, hear)
