"""The estimated duration of a study, computed on request off the GUI thread."""

from PySide6.QtCore import QObject

from app.background.latest_wins import Runner
from app.model.search_run import cores
from app.widgets.labels import label, link
from app.wording.errors import error_text
from app.wording.numbers import time_text
from core.spec import SpecError
from core.sweep.plan import StudyPlan, plan
from core.sweep.study import Study
from core.text import plural

TIP = "Run a few points on this machine to estimate the total time"


class Estimate(QObject):
    """The number of points of a study, and a link that estimates how long they take."""

    def __init__(self, parent: QObject, *, sync: bool = False) -> None:
        super().__init__(parent)
        self.points, self.link = label("dim"), link("Estimate time", TIP)
        self._study: Study | None = None
        self._runner = Runner("plan", self._on_found, self._on_failed, self._on_progressed, sync=sync, parent=self)
        self.link.clicked.connect(self._on_link_clicked)
        self.show_study(None)

    def show_study(self, study: Study | None) -> None:
        """Show another study, or None if the form is invalid."""
        self._runner.cancel()
        self._study = study
        self._say("", asks=study is not None)

    def close(self) -> None:
        """Stop for good."""
        self._runner.close()

    def _say(self, words: str, *, asks: bool) -> None:
        points = plural(len(self._study.points), "point") if self._study is not None else ""
        self.points.setText(", ".join(filter(None, (points, words))))
        self.link.setVisible(asks)

    def _on_link_clicked(self) -> None:
        study = self._study
        if study is not None:
            self._say("running a few …", asks=False)
            self._runner.request(lambda progress: plan(study, cores(), progress))

    def _on_progressed(self, fraction: float) -> None:
        self._say(f"running a few, {fraction:.0%} …", asks=False)

    def _on_found(self, plan: StudyPlan) -> None:
        self._say(f"about {time_text(max(plan.seconds, 1.0))} on {plural(plan.workers, 'core')}", asks=False)

    def _on_failed(self, error: SpecError) -> None:
        self._say(error_text(error), asks=True)
