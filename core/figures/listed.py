"""Lists of the figures of results for texts, reports and comparisons."""

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
    """A figure of two evaluations, each None if the evaluation lacks it."""

    figure: Figure
    a: Value | None
    b: Value | None


def listed(source: Any, kind: type = Evaluation) -> list[Listed]:
    """Return the figures of a result that have a value, and no separate place in texts and reports.

    `source` is the source of the figures of this kind of result.
    """
    places = declared(kind).values()
    figures = [figure for figure, hint in places if is_single(hint) and not figure.placed]
    values = ((figure, value_of(figure, source)) for figure in figures)
    return [Listed(figure, value) for figure, value in values if not isinstance(value, UnsetType | None)]


def paired(a: Evaluated, b: Evaluated, *, slow: bool = True) -> list[Pair]:
    """Return every figure of two evaluations that is a number or a text, and that at least one of them has.

    `slow` is whether to include figures whose computation visits every flow.
    """
    both = zip(_values(a, slow), _values(b, slow), strict=True)
    pairs = (Pair(figure, first, second) for (figure, first), (_, second) in both)
    return [pair for pair in pairs if pair.a is not None or pair.b is not None]


def unit_in(figure: Figure, measure: Measure) -> str:
    """Return the unit of a figure for a job with a measure."""
    return {RATE: measure.rate, VOLUME: measure.many}.get(figure.unit, figure.unit)


def _values(source: Evaluated, slow: bool = True) -> list[tuple[Figure, Value | None]]:
    single = [figure for figure, hint in declared(Evaluation).values() if is_single(hint) and (slow or not figure.slow)]
    values = [(figure, value_of(figure, source)) for figure in single]
    return [(figure, None if isinstance(value, UnsetType) else value) for figure, value in values]
