"""Figures of counters compared with predicted loads, in words."""

from app.wording.numbers import significant
from core.figures.measured import MeasuredFigures
from core.load.evaluate import LoadReport

PERCENT_DIGITS = 3
"""Decimals of the percentage of a tolerance."""


def scale_text(report: LoadReport, figures: MeasuredFigures) -> str:
    """Return the bandwidth per unit of predicted load, and whether it was given; empty without predicted loads."""
    if not figures.scale:
        return ""
    given = report.case.measured is not None and report.case.measured.scale is not None
    return f"{significant(figures.scale)} GB/s per {report.case.job.measure.singular}{', as given' * given}"


def tolerance_text(figures: MeasuredFigures) -> str:
    """Return the residual up to which links agree: ``0.009635 GB/s + 1.12 % of the prediction``."""
    share = round(figures.tolerance_percent, PERCENT_DIGITS)
    return f"{significant(figures.tolerance_gbs)} GB/s + {share:.3g} % of the prediction"
