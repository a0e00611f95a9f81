"""Pictures and metrics of networks, computed off the GUI thread one by one, and cached."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.background.work_queue import WorkList
from app.panels.networks.thumbnails import thumbnail
from app.style.theme import Theme
from core.network.metrics.metrics import MAX_VISITS, Metrics, measure, visits
from core.network.network import NetworkSpec
from core.spec import Progress, SpecError, fields_of

MAX_KEPT = 200
"""Maximum number of networks kept; the oldest are dropped."""
TOO_LARGE = "too large to measure"


@dataclass(frozen=True, eq=False)
class Survey:
    """Picture and metrics of a network, as far as known."""

    picture: QImage | None = None
    drawn: tuple[str, float] = ("", 0.0)
    """Theme and pixel ratio of the picture."""
    metrics: Metrics | None = None
    problem: str = ""
    """Why there is no picture, or no metrics."""
    warnings: tuple[str, ...] = ()


class NetworkSurvey(QObject):
    """Surveys networks in the order of the request, pictures before metrics."""

    changed = Signal(object)
    """The NetworkSpec of a survey that has been extended."""
    progressed = Signal(float)
    finished = Signal()

    def __init__(self, *, sync: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._surveys: dict[NetworkSpec, Survey] = {}
        self._works = WorkList("networks", sync=sync, parent=self)
        self._works.done.connect(self._on_works_done)
        self._works.refused.connect(self._on_works_refused)
        self._works.progressed.connect(self.progressed)
        self._works.finished.connect(self.finished)

    @property
    def busy(self) -> bool:
        """Return whether a survey is running."""
        return self._works.busy

    def of(self, spec: NetworkSpec) -> Survey:
        """Return the survey of a network, as far as known."""
        return self._surveys.get(spec, Survey())

    def look(self, specs: Sequence[NetworkSpec], folder: Path | None, theme: Theme, ratio: float = 1.0) -> None:
        """Survey these networks, as far as not known, and drop other requests."""
        for spec in specs:
            if any(field.is_file for field in fields_of(type(spec))):
                # Its file may have changed.
                self._surveys.pop(spec, None)
        style = theme.name, ratio
        new = [spec for spec in specs if not self.of(spec).problem]
        pictures = [(spec, partial(_draw, spec, folder, theme, ratio)) for spec in new if self.of(spec).drawn != style]
        figures = [(spec, partial(_measure, spec, folder)) for spec in new if self.of(spec).metrics is None]
        self._works.start([*pictures, *figures])

    def cancel(self) -> None:
        """Stop surveying."""
        self._works.cancel()

    def wait(self) -> None:
        """Block until the current item is done; its signal is delivered later."""
        self._works.wait()

    def close(self) -> None:
        """Stop for good."""
        self._works.close()

    def _learn(self, spec: NetworkSpec, survey: Survey) -> None:
        self._surveys.pop(spec, None)
        self._surveys[spec] = survey
        while len(self._surveys) > MAX_KEPT:
            self._surveys.pop(next(iter(self._surveys)))
        self.changed.emit(spec)

    def _on_works_done(self, spec: NetworkSpec, survey: Survey) -> None:
        old = self.of(spec)
        if survey.picture is None:
            self._learn(spec, replace(old, metrics=survey.metrics, problem=survey.problem))
        else:
            self._learn(spec, replace(old, picture=survey.picture, drawn=survey.drawn, warnings=survey.warnings))

    def _on_works_refused(self, spec: NetworkSpec, error: SpecError) -> None:
        self._learn(spec, replace(self.of(spec), problem=error.message))


def _draw(spec: NetworkSpec, folder: Path | None, theme: Theme, ratio: float, progress: Progress) -> Survey:
    network = spec.build(folder)
    progress(0.5)
    return Survey(thumbnail(network, theme, ratio), (theme.name, ratio), warnings=network.warnings)


def _measure(spec: NetworkSpec, folder: Path | None, progress: Progress) -> Survey:
    network = spec.build(folder)
    progress(0.0)
    return Survey(problem=TOO_LARGE) if visits(network) > MAX_VISITS else Survey(metrics=measure(network, progress))
