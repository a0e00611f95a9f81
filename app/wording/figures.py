"""Figures of the registry as text, for one scenario or for a comparison of two."""

from collections.abc import Iterator
from typing import Any

from app.wording.numbers import gbs, percent, signed
from core.figure import RATE, Figure
from core.figures.evaluation import Evaluated, Evaluation
from core.figures.listed import Value, listed, paired, unit_in
from core.job.measure import Measure, strictest
from core.text import duration, plural
from core.text import figure as figure_of
from core.timing import Timeline

NO_VALUE = "–"
SECONDS, PERCENT = "s", "%"


def value_text(figure: Figure, value: Value | None, measure: Measure) -> str:
    """Return the value of a figure with its unit: ``12.5 %``, ``65,280``, ``64.0 GB/s per node``."""
    if value is None:
        return NO_VALUE
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if figure.unit == PERCENT:
        return percent(value / 100)
    if figure.unit == SECONDS:
        return duration(value)
    text = gbs(value) if figure.unit == RATE else figure_of(value, 5)
    return f"{text} {unit_in(figure, measure)}".rstrip()


def listed_rows(source: Any, measure: Measure, kind: type = Evaluation) -> list[tuple[str, str, str]]:
    """Return the title, value and meaning of each figure of a result that is not shown elsewhere."""
    return [
        (figure.title, value_text(figure, value, measure), figure.meaning) for figure, value in listed(source, kind)
    ]


def listed_lines(source: Any, measure: Measure, kind: type = Evaluation) -> Iterator[str]:
    """Yield the rows of `listed_rows` as lines for a terminal, after an empty line."""
    rows = listed_rows(source, measure, kind)
    if rows:
        first, second = (max(len(row[k]) for row in rows) + 2 for k in range(2))
        yield ""
        yield from (f"{title:<{first}}{value:<{second}}{meaning}" for title, value, meaning in rows)


def paired_rows(a: Evaluated, b: Evaluated, *, slow: bool = True) -> list[tuple[str, str, str, str]]:
    """Return the title, values in A and B, and change of each figure that two evaluations have.

    `slow` includes figures that are computed from every flow.
    """
    measure = strictest((a.measure, b.measure))
    return [
        (figure.title, value_text(figure, first, measure), value_text(figure, second, measure), _change(first, second))
        for figure, first, second in paired(a, b, slow=slow)
    ]


def _change(a: Value | None, b: Value | None) -> str:
    if a == b:
        return ""
    if isinstance(a, str | None) or isinstance(b, str | None) or a == 0:
        return NO_VALUE
    return signed(b / a - 1)


def traffic_text(times: Timeline) -> str:
    """Return ``16,384 messages, 16,896 hops; 9,968 pairs of messages share a link``."""
    met = times.contention
    shared = "" if met is None else f"; {plural(met, 'pair')} of messages {'shares' if met == 1 else 'share'} a link"
    return f"{plural(times.messages, 'message')}, {plural(times.hops, 'hop')}{shared}"
