"""Counters of links compared with the predicted loads."""

from collections.abc import Sequence

from app.report.document import ReportPart, Section, Table, TableHead, Words
from app.wording.numbers import significant
from core.figures.computing import declared
from core.figures.measured import Counted, MeasuredClass, MeasuredFigures, MeasuredLink, measured_figures
from core.load.evaluate import LoadReport
from core.text import plural

DASH = "–"
CLASS_COLUMNS = ("correlation", "measured_gbs", "predicted_gbs")
LINK_COLUMNS = ("measured_gbs", "predicted_gbs", "residual_gbs", "wait_per_gb")
MORE = "Links that carry more than predicted: traffic of other jobs"
SLOW = "Links that carry less than predicted and on which data waits"


def counters_section(report: LoadReport) -> Section:
    """Return the section on the counters of a report."""
    figures = measured_figures(Counted(report))
    parts: list[ReportPart] = [Words(list(_words(report, figures))), _classes(figures)]
    for title, links, count in ((MORE, figures.hot, figures.more), (SLOW, figures.slow, figures.slower)):
        if links:
            parts.append(_links(f"{title}; {len(links):,} of {count:,}.", links))
    if figures.notes:
        parts.append(Words([f"{note[:1].upper()}{note[1:]}." for note in figures.notes]))
    return Section("counters", "Measured loads", parts)


def _words(report: LoadReport, figures: MeasuredFigures) -> Sequence[str]:
    given = figures.links - figures.without_value
    over = "" if figures.seconds is None else f" over {figures.seconds:g} s"
    correlation = DASH if figures.correlation is None else significant(figures.correlation)
    words = [
        f"{plural(given, 'link')} of {figures.links:,} have counters{over}. Correlation with loads: {correlation}."
    ]
    if figures.scale:
        unit = report.case.job.measure.singular
        words.append(f"Predicted bandwidths are loads times {significant(figures.scale)} GB/s per {unit}.")
    counts = (plural(figures.more, "link"), plural(figures.slower, "link"), plural(figures.disagreeing, "link"))
    words.append(f"More than predicted: {counts[0]}. Slow: {counts[1]}. Ends that disagree: {counts[2]}.")
    return words


def _classes(figures: MeasuredFigures) -> Table:
    heads = (TableHead("Class", number=False), *_heads(MeasuredClass, CLASS_COLUMNS))
    rows = [
        (name, *(_number(getattr(link_class, column)) for column in CLASS_COLUMNS))
        for name, link_class in figures.classes.items()
    ]
    return Table(heads, rows, "Link classes: means over links with counters.")


def _links(caption: str, links: Sequence[MeasuredLink]) -> Table:
    ends = (TableHead(title, number=False) for title in ("Class", "From", "To"))
    heads = (*ends, *_heads(MeasuredLink, LINK_COLUMNS))
    rows = [
        (
            link["class"], link["src"], link["dst"],
            *map(_number, (link["measured_gbs"], link["predicted_gbs"], link["residual_gbs"], link["wait_per_gb"])),
        )
        for link in links
    ]  # fmt: skip
    return Table(heads, rows, caption)


def _heads(kind: type, columns: Sequence[str]) -> list[TableHead]:
    figures = (declared(kind)[column][0] for column in columns)
    return [TableHead(figure.title, figure.unit) for figure in figures]


def _number(value: float | None) -> str:
    return DASH if value is None else significant(value)
