"""The figures of results that texts, reports and comparisons list one below the other."""

from typing import Any, NamedTuple

from msgspec import UnsetType

from core.figure import RATE, VOLUME, Figure
from core.figures.computing import declared, is_single, value_of
from core.figures.evaluation import Evaluated, Evaluation
from core.job.measure import Measure

Value = float | int | str


class Listed(NamedTuple):
    """A figure and its value."""

    figure: Figure
    value: Value


class Pair(NamedTuple):
    """A figure of two evaluations; None where one has no such figure."""

    figure: Figure
    a: Value | None
    b: Value | None


def listed(source: Any, kind: type = Evaluation) -> list[Listed]:
    """Return the figures of a result that have a value, and no place of their own in texts and reports.

    `source` is what the figures of that kind of result are computed from.
    """
    places = declared(kind).values()
    figures = [figure for figure, hint in places if is_single(hint) and not figure.placed]
    values = ((figure, value_of(figure, source)) for figure in figures)
    return [Listed(figure, value) for figure, value in values if not isinstance(value, UnsetType | None)]


def paired(a: Evaluated, b: Evaluated, *, slow: bool = True) -> list[Pair]:
    """Return every figure of two evaluations that is a number or a text, those that neither has left out.

    `slow` is whether figures for which every flow is looked at are among them.
    """
    both = zip(_values(a, slow), _values(b, slow), strict=True)
    pairs = (Pair(figure, first, second) for (figure, first), (_, second) in both)
    return [pair for pair in pairs if pair.a is not None or pair.b is not None]


def unit_in(figure: Figure, measure: Measure) -> str:
    """Return the unit of a figure of a job with that measure."""
    return {RATE: measure.rate, VOLUME: measure.many}.get(figure.unit, figure.unit)


def _values(source: Evaluated, slow: bool = True) -> list[tuple[Figure, Value | None]]:
    single = [figure for figure, hint in declared(Evaluation).values() if is_single(hint) and (slow or not figure.slow)]
    values = [(figure, value_of(figure, source)) for figure in single]
    return [(figure, None if isinstance(value, UnsetType) else value) for figure, value in values]
