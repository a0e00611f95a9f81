"""Figures for captions and claims: the figures of the registry for a state, each computed on demand."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from app.model.evaluation import Evaluation
from app.tour.expression import written
from core.figures.evaluation import Evaluated
from core.figures.listed import unit_in
from core.figures.measured import Counted
from core.figures.network import Measured
from core.figures.registry import (
    CLASS,
    EVALUATE,
    MEASURED,
    METRICS,
    NUMBER,
    RESILIENCE,
    TIMELINE,
    Entry,
    Place,
    Value,
    aliases,
    figures,
    find,
    key_of,
    look_up,
)
from core.figures.resilience import Resilience
from core.figures.timeline import Timed, shown_step
from core.network.network import Network
from core.spec import Progress, SpecError, no_progress
from core.text import guess
from core.timing.step import SHOWN
from core.timing.timeline import Timeline

TIMED = (TIMELINE, SHOWN)
"""Figures that need the timeline."""
COMMANDS = (EVALUATE, METRICS, MEASURED, RESILIENCE, *TIMED)
"""Commands whose figures are available for a state; a state contains no search."""
CAPTION_NAMES = {"bottleneck": "limiting", "messages": "timeline.played_messages"}
"""Names that stand for another figure in captions than in JSON, for compatibility with old tours."""
LARGE_NETWORK = 4096
"""Maximum number of nodes of networks whose metrics are offered with their values."""
LISTED = "fabriscope help figures lists all figures"
"""A hint in errors."""


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of an evaluated scenario, by name."""

    evaluation: Evaluation
    timeline: Timeline | None = None
    """The times of its steps; None if not known (yet)."""
    step: int | None = None
    """The step shown, from 0 on, or None for the entire job."""
    shown: Evaluation | None = None
    """The evaluation of that step alone."""
    failures: Resilience | None = None
    """The single failures of its cables; None if not known (yet)."""

    def __getitem__(self, name: str) -> Value:
        """Return a figure by its name.

        Raises SpecError: if there is no figure with that name, or it is not available for this state.
        """
        place = _place(name)
        if place is None or place.command not in COMMANDS or self._lacks_class_of(place):
            raise SpecError("figures", f"no such figure: {name!r}; {guess(name, self.names).strip() or LISTED}")
        source = self._source(place.command)
        try:
            value = None if source is None else look_up(place, source)
        except SpecError as error:
            raise SpecError("figures", f"{error.field}: {error.message}") from error
        if value is None:
            raise SpecError("figures", f"{name} is not available here")
        return value

    @property
    def names(self) -> list[str]:
        """Return the names of all figures for this network, older names first."""
        classes = self.class_keys
        every = [*aliases(), *(name for name, entry in figures().items() if entry.command in COMMANDS)]
        return [name.replace(CLASS, key) for name in every for key in (classes if CLASS in name else classes[:1])]

    @property
    def class_keys(self) -> list[str]:
        """Return the names of the link classes as paths spell them."""
        return [key_of(c.name) for c in self.evaluation.case.network.classes]

    def text(self, name: str, entry: Entry) -> str:
        """Return the value of a figure with its unit; empty if it is unknown or takes long to compute."""
        large = self.evaluation.case.network.nodes > LARGE_NETWORK
        if entry.figure.slow or (entry.command == METRICS and large):
            return ""
        try:
            return f"{written(self[name])} {unit_in(entry.figure, self._evaluated.measure)}".rstrip()
        except SpecError:
            return ""

    @cached_property
    def _evaluated(self) -> Evaluated:
        report = self.evaluation.report
        return Evaluated((self.shown or self.evaluation).report, self.evaluation.bounds, report)

    @cached_property
    def _counted(self) -> Counted | None:
        # Counters cover the entire job, even if one of its steps is shown.
        return None if self.evaluation.case.measured is None else Counted(self.evaluation.report)

    def _source(self, command: str) -> Any:
        if command == EVALUATE:
            return self._evaluated
        if command == METRICS:
            return _network_figures(self.evaluation.case.network)
        if command == MEASURED:
            return self._counted
        if command == RESILIENCE:
            return self.failures
        if self.timeline is None or (command == SHOWN and self.step is None):
            return None
        return (
            Timed(self.timeline) if self.step is None or command == TIMELINE else shown_step(self.timeline, self.step)
        )

    def _lacks_class_of(self, place: Place) -> bool:
        names = {name for c in self.evaluation.case.network.classes for name in (c.name, key_of(c.name))}
        return "classes" in place.keys[:-1] and place.keys[1] not in names


class Offer(NamedTuple):
    """A figure that a caption may name."""

    name: str
    meaning: str
    value: str
    """Its value with its unit; empty if it is unknown, or takes long to compute."""


def offers(figures_here: Figures | None, progress: Progress = no_progress) -> Iterator[Offer]:
    """Yield the figures that a caption may name, in the order of the registry, with their values if a state is given.

    Raises Cancelled: when `progress` does.
    """
    classes = ["CLASS"] if figures_here is None else figures_here.class_keys
    for name, entry in figures().items():
        if entry.command not in COMMANDS:
            continue
        for key in classes if CLASS in name else [""]:
            progress(0.0)
            path = name.replace(CLASS, key).replace(f"[{NUMBER}]", "[0]")
            meaning = f"{entry.figure.meaning}, of {key}" if key else entry.figure.meaning
            yield Offer(path, meaning, "" if figures_here is None else figures_here.text(path, entry))


@lru_cache(maxsize=16)
def _network_figures(network: Network) -> Measured:
    return Measured(network)


def _place(name: str) -> Place | None:
    return find(CAPTION_NAMES.get(name, name))


def is_known(name: str) -> bool:
    """Return whether a figure with that name exists, for a suitable network and timeline."""
    place = _place(name)
    return place is not None and place.command in COMMANDS


def is_timed(name: str) -> bool:
    """Return whether a figure needs the timeline."""
    return _needs(name, TIMED)


def is_of_failures(name: str) -> bool:
    """Return whether a figure needs the failures of all cables."""
    return _needs(name, (RESILIENCE,))


def _needs(name: str, commands: tuple[str, ...]) -> bool:
    place = _place(name)
    return place is not None and place.command in commands
