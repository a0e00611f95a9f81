"""Texts on failures of components."""

from app.wording.numbers import gbs, signed
from core.figures.resilience import Resilience
from core.text import enumerated

NO_CHANGE = "–"


def summary_text(figures: Resilience) -> str:
    """Return how many failures have each effect."""
    effects = {
        "slow the job": figures.slower,
        "make it faster": figures.faster,
        "change nothing": figures.unchanged,
        "disconnect flows": figures.disconnecting,
    }
    parts = [f"{count:,} {effect}" for effect, count in effects.items() if count]
    return f"Of {figures.failures:,} {figures.what}, {enumerated(parts)} if they fail."


def percentiles_text(figures: Resilience) -> str:
    """Return the percentiles of the throughput after one failure; empty if every failure disconnects flows."""
    values = [value for value in figures.quantiles.values() if value is not None]
    if not values or figures.base_gbs is None:
        return ""
    low, middle, high = map(gbs, values)
    after = f"after one failure {low}, {middle} and {high} GB/s (5th, 50th and 95th percentile)"
    return f"{gbs(figures.base_gbs)} GB/s without a failure, {after}."


def change_text(base: float | None, after: float | None) -> str:
    """Return the relative change of a throughput: ``+3.5 %``; a dash if one of them is none."""
    return NO_CHANGE if not base or after is None else signed(after / base - 1)
