"""Counters of links compared with the predicted loads."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.report.document import PicturePlace, Pictures, ReportPart, Section, Table, TableHead, Words
from app.wording.counters import scale_text, tolerance_text
from app.wording.numbers import MINUS, significant, with_sign
from core.figures.computing import declared
from core.figures.measured import (
    Counted,
    DisagreeingLink,
    MeasuredClass,
    MeasuredFigures,
    MeasuredInterval,
    MeasuredLink,
    measured_figures,
)
from core.load.evaluate import LoadReport
from core.text import plural

DASH = "–"
CLASS_COLUMNS = ("correlation", "measured_gbs", "predicted_gbs")
LINK_COLUMNS = ("measured_gbs", "predicted_gbs", "residual_gbs", "wait_per_gb")
END_COLUMNS = ("sent_gbs", "received_gbs")
INTERVAL_COLUMNS = ("start", "seconds", "correlation", "mean_gbs", "max_gbs", "hottest_link")
MORE = "Links that carry more than predicted: traffic of other jobs"
SLOW = "Links that carry less than predicted and on which data waits"
ENDS = "Links whose ends differ by more than 1 %"
CAPTION = "Blue links carry less than predicted, red links carry more."


def counters_section(report: LoadReport, size: tuple[int, int]) -> Section:
    """Return the section on the counters of a report, with a picture of this size."""
    figures = measured_figures(Counted(report))
    parts: list[ReportPart] = [
        Words(list(_words(report, figures))),
        Pictures([PicturePlace("counters", f"Measured {MINUS} predicted", size, CAPTION)], wide=True),
        _classes(figures),
    ]
    for title, links, count in ((MORE, figures.hot, figures.more), (SLOW, figures.slow, figures.slower)):
        if links:
            parts.append(_links(f"{title}; {len(links):,} of {count:,}.", links, MeasuredLink, LINK_COLUMNS))
    if figures.disagree:
        listed = f"{len(figures.disagree):,} of {figures.disagreeing:,}"
        parts.append(_links(f"{ENDS}; {listed}.", figures.disagree, DisagreeingLink, END_COLUMNS))
    if figures.intervals:
        parts.append(_intervals(figures.intervals))
    if figures.notes:
        parts.append(Words([f"{note[:1].upper()}{note[1:]}." for note in figures.notes]))
    return Section("counters", "Measured loads", parts)


def _words(report: LoadReport, figures: MeasuredFigures) -> Iterator[str]:
    given = figures.links - figures.without_value
    over = "" if figures.seconds is None else f" over {figures.seconds:g} s"
    correlation = DASH if figures.correlation is None else significant(figures.correlation)
    yield f"{plural(given, 'link')} of {figures.links:,} have counters{over}. Correlation with loads: {correlation}."
    if figures.scale:
        yield f"Predicted bandwidths are loads times {scale_text(report, figures)}."
        yield f"Links agree if they differ by at most {tolerance_text(figures)}."
    counts = (plural(figures.more, "link"), plural(figures.slower, "link"), plural(figures.disagreeing, "link"))
    yield f"More than predicted: {counts[0]}. Slow: {counts[1]}. Ends that disagree: {counts[2]}."


def _classes(figures: MeasuredFigures) -> Table:
    heads = (TableHead("Class", number=False), *_heads(MeasuredClass, CLASS_COLUMNS))
    rows = [
        (name, *(_number(getattr(link_class, column)) for column in CLASS_COLUMNS))
        for name, link_class in figures.classes.items()
    ]
    return Table(heads, rows, "Link classes: means over links with counters.")


def _links(caption: str, links: Sequence[Any], kind: type, columns: Sequence[str]) -> Table:
    """Return the table of some links, which have the fields of `kind`."""
    ends = (TableHead(title, number=False) for title in ("Class", "From", "To"))
    rows = [(link["class"], link["src"], link["dst"], *(_value(link, column) for column in columns)) for link in links]
    return Table((*ends, *_heads(kind, columns)), rows, caption)


def _value(link: Any, column: str) -> str:
    return with_sign(link[column], significant, "0") if column == "residual_gbs" else _number(link[column])


def _intervals(intervals: Sequence[MeasuredInterval]) -> Table:
    *figures, hottest = INTERVAL_COLUMNS
    heads = (*_heads(MeasuredInterval, figures), TableHead("Hottest link", number=False))
    rows = [
        (*(_number(getattr(part, column)) for column in figures), getattr(part, hottest) or DASH) for part in intervals
    ]
    return Table(heads, rows, "Between the readings.")


def _heads(kind: type, columns: Sequence[str]) -> list[TableHead]:
    figures = (declared(kind)[column][0] for column in columns)
    return [TableHead(figure.title, figure.unit) for figure in figures]


def _number(value: float | None) -> str:
    return DASH if value is None else significant(value)
