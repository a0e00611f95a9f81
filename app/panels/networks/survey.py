"""What networks look like and measure: found out off the GUI thread, piece by piece, and remembered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.background.latest_wins import Work
from app.background.work_queue import WorkList
from app.panels.networks.thumbnails import thumbnail
from app.style.theme import Theme
from core.network.metrics.metrics import MAX_VISITS, Metrics, measure, visits
from core.network.network import NetworkSpec
from core.spec import Progress, SpecError, fields_of

REMEMBERED = 200
"""Networks whose pictures and figures are kept; the oldest are forgotten."""
TOO_LARGE = "too large to be measured by the way"


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of a network so far."""

    picture: QImage | None = None
    drawn: tuple[str, float] = ("", 0.0)
    """Theme and pixel ratio of the picture."""
    metrics: Metrics | None = None
    problem: str = ""
    """Why there is no picture, or there are no figures."""
    warnings: tuple[str, ...] = ()


class NetworkSurvey(QObject):
    """Surveys networks in the order in which they are asked for, pictures before figures."""

    changed = Signal(object)
    """More is known of this NetworkSpec."""
    progressed = Signal(float)
    finished = Signal()

    def __init__(self, *, sync: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: dict[NetworkSpec, Survey] = {}
        self._works = WorkList("networks", sync=sync, parent=self)
        self._works.done.connect(self._on_works_done)
        self._works.refused.connect(self._on_works_refused)
        self._works.progressed.connect(self.progressed)
        self._works.finished.connect(self.finished)

    @property
    def busy(self) -> bool:
        """Return whether something is being found out."""
        return self._works.busy

    def of(self, spec: NetworkSpec) -> Survey:
        """Return what is known of a network."""
        return self._known.get(spec, Survey())

    def look(self, specs: Sequence[NetworkSpec], folder: Path | None, theme: Theme, ratio: float = 1.0) -> None:
        """Find out what is not known yet of these networks, and nothing else any more."""
        for spec in specs:
            if any(field.is_file for field in fields_of(type(spec))):
                # The file may have changed.
                self._known.pop(spec, None)
        style = theme.name, ratio
        new = [spec for spec in specs if not self.of(spec).problem]
        pictures = [(spec, _drawing(spec, folder, theme, ratio)) for spec in new if self.of(spec).drawn != style]
        figures = [(spec, _measuring(spec, folder)) for spec in new if self.of(spec).metrics is None]
        self._works.start([*pictures, *figures])

    def cancel(self) -> None:
        """Stop finding out."""
        self._works.cancel()

    def wait(self) -> None:
        """Block until what is under way is done; it is still told by signal."""
        self._works.wait()

    def close(self) -> None:
        """Stop for good."""
        self._works.close()

    def _learn(self, spec: NetworkSpec, survey: Survey) -> None:
        self._known.pop(spec, None)
        self._known[spec] = survey
        while len(self._known) > REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self.changed.emit(spec)

    def _on_works_done(self, spec: NetworkSpec, found: Survey) -> None:
        old = self.of(spec)
        if found.picture is None:
            self._learn(spec, replace(old, metrics=found.metrics, problem=found.problem))
        else:
            self._learn(spec, replace(old, picture=found.picture, drawn=found.drawn, warnings=found.warnings))

    def _on_works_refused(self, spec: NetworkSpec, error: SpecError) -> None:
        self._learn(spec, replace(self.of(spec), problem=error.message))


def _drawing(spec: NetworkSpec, folder: Path | None, theme: Theme, ratio: float) -> Work:
    def draw(progress: Progress) -> Survey:
        network = spec.build(folder)
        progress(0.5)
        return Survey(thumbnail(network, theme, ratio), (theme.name, ratio), warnings=network.warnings)

    return draw


def _measuring(spec: NetworkSpec, folder: Path | None) -> Work:
    def take(progress: Progress) -> Survey:
        network = spec.build(folder)
        progress(0.0)
        if visits(network) > MAX_VISITS:
            return Survey(problem=TOO_LARGE)
        return Survey(metrics=measure(network, progress))

    return take
