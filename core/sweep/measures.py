"""Figures recorded by a study: any number or text printed by the commands' ``--json``, by its path there."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from core.figures.results import Evaluation, SearchFigures, TimelineFigures
from core.figures.results import Measures as NetworkFigures
from core.files.atomic import shown
from core.spec import SpecError
from core.sweep.paths import value_at

EVALUATE = "evaluate"
FIGURES_BY_COMMAND: dict[str, tuple[str, ...]] = {
    EVALUATE: Evaluation.__struct_fields__,
    "metrics": tuple(field.name for field in fields(NetworkFigures)),
    "timeline": TimelineFigures.__struct_fields__,
    "optimise": SearchFigures.__struct_fields__,
}
"""Figures by command; paths to figures of all but the first begin with the command's name."""
SEARCH_STEPS = "optimise.steps"
"""Mappings evaluated by the search of a point: shows which searches had less processor time than others."""


@dataclass(frozen=True)
class RequestedMeasures:
    """The figures that a study records."""

    paths: tuple[str, ...]

    def wants(self, source: str, name: str = "") -> bool:
        """Return whether any figure of a command is requested; with a name, whether that figure or one inside it is."""
        ours = [place.partition(".")[0].partition("[")[0] for where, place in map(split, self.paths) if where == source]
        return name in ours if name else bool(ours)


def split(path: str) -> tuple[str, str]:
    """Return the command that prints a figure, and the figure's path in its output."""
    source, dot, rest = path.partition(".")
    return (source, rest) if dot and source in FIGURES_BY_COMMAND and source != EVALUATE else (EVALUATE, path)


def parse_measures(wanted: Sequence[str], searched: bool) -> RequestedMeasures:
    """Return the requested figures; for a search, always the number of mappings evaluated.

    Raises SpecError: naming a figure that no command prints, or that is listed twice.
    """
    for number, path in enumerate(wanted):
        field, (source, place) = f"measure[{number}]", split(path)
        name = place.partition(".")[0].partition("[")[0]
        if name not in FIGURES_BY_COMMAND[source]:
            choices = f"known: {', '.join(FIGURES_BY_COMMAND[source])}"
            others = "; after timeline., metrics. or optimise. what these print" if source == EVALUATE else ""
            raise SpecError(field, f"{shown(path)!r} is not what {source} --json prints; {choices}{others}")
        if source == "optimise" and not searched:
            raise SpecError(field, f'{path} is of a search; say "optimise": {{"seconds": 5}}, or leave it out')
        if path in wanted[:number]:
            raise SpecError(field, f"{path} stands there twice")
    return RequestedMeasures(tuple(dict.fromkeys((*wanted, *([SEARCH_STEPS] if searched else [])))))


def look_up(printed: dict[str, Any], path: str) -> Any:
    """Return a figure from the output of commands, by command, or None if it is omitted for this scenario.

    Raises SpecError: naming the path, if it leads to nothing, or not to a single figure.
    """
    source, place = split(path)
    try:
        value = value_at(printed[source], place)
    except KeyError as error:
        if place in FIGURES_BY_COMMAND[source]:  # omitted from this output; a class may be misspelt
            return None
        raise SpecError(path, str(error.args[0])) from error
    if isinstance(value, dict | list | tuple):
        inside = ", ".join(map(str, value)) if isinstance(value, dict) else f"0 to {len(value) - 1}"
        words = f"one of its own is: {shown(inside)}" if value else "it has none here, so leave it out"
        raise SpecError(path, f"is no single figure; {words}")
    return value
