"""Numbers to read: thousands apart, four significant digits, units."""

from collections.abc import Iterable
from math import floor, log10
from typing import TYPE_CHECKING

from core.job.measure import duration

if TYPE_CHECKING:
    from core.load.evaluate import LoadReport

MINUS = "\N{MINUS SIGN}"
EQUAL = 1e-9
"""Shares that differ by less are the same."""


def significant(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits: ``0.3125``, ``53.33``, ``1,234``, ``2.441e-05``."""
    if value == 0:
        return "0"
    magnitude = floor(log10(abs(value)))
    if not -digits <= magnitude < 12:
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{max(0, digits - 1 - magnitude)}f}"


def gbs(value: float) -> str:
    """Return a throughput without its unit: ``64.0``, ``134.4``, ``320``."""
    text = significant(value)
    if "." not in text or "e" in text:
        return text
    whole, _, part = text.partition(".")
    part = part.rstrip("0")
    return f"{whole}.{part or '0'}" if part or abs(value) < 100 else whole


def throughput(report: "LoadReport", *, brief: bool = False) -> str:
    """Return ``64.0 GB/s per node``, of traced flows with the time: ``64.0 GB/s per node, 1.75 s``; if `brief` GB/s."""
    if report.throughput_gbs is None:
        return "no load"
    measure = report.case.job.measure
    return rate((report.throughput_gbs,), (report.seconds,), measure.brief_rate if brief else measure.rate)


def rate(values: Iterable[float | None], seconds: Iterable[float | None], unit: str) -> str:
    """Return throughputs with their unit, and the times of those that have one: ``64.0 → 67.2 GB/s, 2 s → 1.9 s``."""
    times = [duration(time) for time in seconds if time is not None]
    took = f", {' → '.join(times)}" if times else ""
    return f"{' → '.join('no load' if value is None else gbs(value) for value in values)} {unit}{took}"


def percent(share: float) -> str:
    """Return a share with its sign: ``100 %``, ``53.3 %``, ``6.2 %``, ``<0.1 %``."""
    value = 100 * share
    if 0 < value < 0.05:
        return "<0.1 %"
    return f"{value:,.1f}".removesuffix(".0") + " %"


def more(share: float) -> str:
    """Return by how much more something is, to put before ``better``: ``4.3 %``, or ``12.9 times`` where it is far."""
    return f"{100 * share:.1f} %" if share < 1 else f"{1 + share:,.{1 if share < 99 else 0}f} times"


def signed(share: float) -> str:
    """Return a change as ``+5 %`` or ``−33.3 %``."""
    if abs(share) <= EQUAL:
        return "0 %"
    return f"{'+' if share > 0 else MINUS}{percent(abs(share))}"
