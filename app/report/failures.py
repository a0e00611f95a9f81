"""Failures of components in a report: their effects, the worst, and the curve of random failures."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.report.document import (
    Facts,
    PicturePlace,
    Pictures,
    ReportPart,
    Section,
    Table,
    TableHead,
    Words,
    table_or_folded,
)
from app.report.loads import DASH, rate_text
from app.wording.failures import change_text, summary_text
from core.figures.resilience import CurvePoint, FailureCurve, FailureFigures, Resilience
from core.job.measure import Measure

WORST = 10
"""Number of failures in the table."""
CAPTION = "Line: mean over random draws. Area: 5th to 95th percentile."
DISCONNECTED = "Failures that disconnect most volume come first. Throughputs are of the flows that have a path."


@dataclass(frozen=True)
class FailureFindings:
    """Evaluated failures of a scenario."""

    figures: Resilience
    curves: tuple[FailureCurve, ...] = ()
    """Curves of random failures: of the scenario, or of A and of the scenario."""
    relative: bool = False
    """Whether the curves are of different machines."""


def failures_section(failures: FailureFindings, measure: Measure, size: tuple[int, int]) -> Section:
    """Return the section on failures of components, with a picture of the curves of this size."""
    figures = failures.figures
    parts: list[ReportPart] = [
        Words([summary_text(figures)]), Facts(list(_facts(figures, measure))), _worst(figures, measure),
    ]  # fmt: skip
    if failures.curves:
        place = PicturePlace("failures", "Random failures at the same time", size, CAPTION)
        parts.append(Pictures([place], wide=True))
        parts += [_points(curve, len(failures.curves) > 1, measure) for curve in failures.curves]
    return Section("failures", f"Failures of {figures.what}", parts)


def sample_of(failures: FailureFindings) -> int | None:
    """Return the size of the random sample that was evaluated, or None if all components were."""
    total = {curve.components for curve in failures.curves[-1:]}
    return None if total <= {failures.figures.failures} else failures.figures.failures


def _facts(figures: Resilience, measure: Measure) -> Iterator[tuple[str, list[str]]]:
    yield "No further failure", [f"{rate_text(figures.base_gbs)} {measure.rate}"]
    for name, row in (("Worst failure", figures.worst), ("Best failure", figures.best)):
        if row is not None:
            yield name, [row.failure, _effect(row, figures.base_gbs, measure)]
    values = [f"{rate_text(value)} ({percentile}th)" for percentile, value in figures.quantiles.items()]
    if figures.disconnecting < figures.failures:
        over = ", over failures that disconnect no flow" if figures.disconnecting else ""
        yield "Percentiles", [f"{', '.join(values)} {measure.rate}{over}"]


def _effect(row: FailureFigures, base: float | None, measure: Measure) -> str:
    lost = f", {row.disconnected_flows:,} flows disconnected" if row.disconnected_flows else ""
    return f"{rate_text(row.throughput_gbs)} {measure.rate}, {change_text(base, row.throughput_gbs)}{lost}"


def _worst(figures: Resilience, measure: Measure) -> Table:
    timed, cut = any(row.time_per_unit for row in figures.rows), figures.disconnecting > 0
    heads = [
        TableHead("Failure", number=False), TableHead("Throughput", measure.rate), TableHead("Change"),
        *([TableHead("Time per unit", "s")] if timed else ()), TableHead("Limited by", number=False),
        *([TableHead("Disconnected flows")] if cut else ()),
    ]  # fmt: skip
    rows = [_row(row, figures.base_gbs, timed=timed, cut=cut) for row in figures.rows[:WORST]]
    title = f"The {len(rows)} worst of {figures.failures:,} failures, one at a time."
    return Table(heads, rows, f"{title} {DISCONNECTED}" if cut else title)


def _row(row: FailureFigures, base: float | None, *, timed: bool, cut: bool) -> tuple[str, ...]:
    time = DASH if row.time_per_unit is None else rate_text(row.time_per_unit)
    return (
        row.failure, rate_text(row.throughput_gbs), change_text(base, row.throughput_gbs), *([time] if timed else ()),
        row.bottleneck or "none", *([f"{row.disconnected_flows:,}"] if cut else ()),
    )  # fmt: skip


def _points(curve: FailureCurve, several: bool, measure: Measure) -> ReportPart:
    heads = (
        TableHead(f"Failed {curve.what}"), TableHead("Of all", "%"), TableHead("Mean", measure.rate),
        TableHead("5th percentile", measure.rate), TableHead("95th percentile", measure.rate),
        TableHead("Relative mean", "%"), TableHead("Draws that disconnect flows", "%"),
    )  # fmt: skip
    of = f" of {curve.name}" if several else ""
    return table_or_folded(f"Throughput after random failures{of}", Table(heads, [_point(p) for p in curve.points]))


def _point(point: CurvePoint) -> tuple[str, ...]:
    values = map(rate_text, (point.mean_gbs, point.low_gbs, point.high_gbs))
    relative = DASH if point.mean_relative is None else f"{100 * point.mean_relative:.1f}"
    return f"{point.failures:,}", f"{point.percent:.3g}", *values, relative, f"{100 * point.disconnecting:.0f}"
