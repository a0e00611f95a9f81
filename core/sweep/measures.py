"""What a study records: any figure of the registry that is computed from a scenario, by its path or an older name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.figures.computing import declared
from core.figures.registry import EVALUATE, OPTIMISE, RESULTS, Place, Value, aliases, figures, find, look_up
from core.files.atomic import shown
from core.spec import SpecError
from core.text import guess
from core.timing.step import SHOWN

SEARCH_STEPS = "optimise.steps"
"""Mappings evaluated by the search of a point: shows which searches had less processor time than others."""


@dataclass(frozen=True)
class RequestedMeasures:
    """The figures that a study records."""

    paths: tuple[str, ...]

    @cached_property
    def places(self) -> dict[str, Place]:
        """Return where each is, by path."""
        return {path: place for path in self.paths if (place := find(path)) is not None}

    @cached_property
    def commands(self) -> frozenset[str]:
        """Return the commands that print them."""
        return frozenset(place.command for place in self.places.values())


def parse_measures(wanted: Sequence[str], searched: bool) -> RequestedMeasures:
    """Return the requested figures; for a search, always the number of mappings evaluated.

    Raises SpecError: naming a figure that no command prints, or that is listed twice.
    """
    for number, path in enumerate(wanted):
        field, place = f"measure[{number}]", find(path)
        if place is None:
            raise SpecError(field, _unknown(path))
        if place.command == SHOWN:
            words = f"{path} is of the step that a tour shows; measure that of a step, as timeline.steps[0].seconds"
            raise SpecError(field, words)
        if place.command == OPTIMISE and not searched:
            raise SpecError(field, f'{path} is of a search; say "optimise": {{"seconds": 5}}, or leave it out')
        if path in wanted[:number]:
            raise SpecError(field, f"{path} stands there twice")
    return RequestedMeasures(tuple(dict.fromkeys((*wanted, *([SEARCH_STEPS] if searched else [])))))


def _unknown(path: str) -> str:
    first, dot, _ = path.partition(".")
    command = first if dot and first in RESULTS else EVALUATE
    names = ", ".join(declared(RESULTS[command]))
    others = "; after timeline., metrics. or optimise. what these print" if command == EVALUATE else ""
    close = guess(path, (*figures(), *aliases()))
    return f"{shown(path)!r} is not what {command} --json prints; {close}known: {names}{others}"


def measured(measures: RequestedMeasures, path: str, sources: Mapping[str, Any]) -> Value | None:
    """Return a figure, given what each command evaluates; None if it has none for this scenario.

    Raises SpecError: naming the path, if it leads to nothing, or not to a single figure.
    """
    place = measures.places[path]
    return look_up(place, sources[place.command])
