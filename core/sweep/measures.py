"""The figures that a study records, each given by its path in the registry or by an older name."""

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
"""Mappings evaluated by the search of a point, which shows searches with less processor time than others."""


@dataclass(frozen=True)
class RequestedMeasures:
    """The figures that a study records."""

    paths: tuple[str, ...]

    @cached_property
    def places(self) -> dict[str, Place]:
        """Return the place of each figure, by path."""
        return {path: place for path in self.paths if (place := find(path)) is not None}

    @cached_property
    def commands(self) -> frozenset[str]:
        """Return the commands that print the figures."""
        return frozenset(place.command for place in self.places.values())


def parse_measures(wanted: Sequence[str], searched: bool) -> RequestedMeasures:
    """Return the requested figures; a search always includes the number of mappings evaluated.

    Raises SpecError: naming a figure that no command prints, or that is listed twice.
    """
    for number, path in enumerate(wanted):
        field, place = f"measure[{number}]", find(path)
        if place is None:
            raise SpecError(field, _unknown(path))
        if place.command == SHOWN:
            words = f"{path} exists only in tours; use a figure of a step, such as timeline.steps[0].seconds"
            raise SpecError(field, words)
        if place.command == OPTIMISE and not searched:
            raise SpecError(field, f'{path} needs a search; add "optimise": {{"seconds": 5}}, or remove it')
        if path in wanted[:number]:
            raise SpecError(field, f"{path} is listed twice")
    return RequestedMeasures(tuple(dict.fromkeys((*wanted, *([SEARCH_STEPS] if searched else [])))))


def _unknown(path: str) -> str:
    first, dot, _ = path.partition(".")
    command = first if dot and first in RESULTS else EVALUATE
    names = ", ".join(declared(RESULTS[command]))
    others = (
        ", and figures that begin with timeline., metrics., routes., measured., resilience. or optimise."
        if command == EVALUATE
        else ""
    )
    close = guess(path, (*figures(), *aliases()))
    return f"unknown figure {shown(path)!r}; {close}figures: {names}{others}"


def measured(measures: RequestedMeasures, path: str, sources: Mapping[str, Any]) -> Value | None:
    """Return a figure, given the source of each command; None if this scenario lacks it.

    Raises SpecError: naming the path, if it does not lead to a single figure.
    """
    place = measures.places[path]
    return look_up(place, sources[place.command])
