"""Numbers as text: grouped thousands, four significant digits, units."""

from collections.abc import Callable, Iterable
from math import floor, inf, log10
from typing import TYPE_CHECKING

from core.text import duration

if TYPE_CHECKING:
    from core.load.evaluate import LoadReport

MINUS = "\N{MINUS SIGN}"
EQUAL = 1e-9
"""Shares that differ by less count as equal."""
TIMES = ((1.0, "s"), (60.0, "min"), (3600.0, "h"))
"""Units of long times, in seconds."""


def significant(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits: ``0.3125``, ``53.33``, ``1,234``, ``2.441e-05``."""
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
    integer, _, part = text.partition(".")
    part = part.rstrip("0")
    return f"{integer}.{part or '0'}" if part or abs(value) < 100 else integer


STILL_FLOWING = "of connected flows"
"""Condition of a throughput if flows are disconnected."""


def throughput_text(report: "LoadReport", *, brief: bool = False) -> str:
    """Return ``64.0 GB/s per node``, for traced flows with the time: ``64.0 GB/s per node, 1.75 s``; `brief`: GB/s."""
    if report.throughput_gbs is None:
        return "no load"
    measure = report.case.job.measure
    unit = measure.brief_rate if brief else measure.rate
    if report.disconnected:
        unit = f"{unit} {STILL_FLOWING}"
    return rate((report.throughput_gbs,), (report.seconds,), unit)


def rate(values: Iterable[float | None], seconds: Iterable[float | None], unit: str) -> str:
    """Return throughputs with their unit, followed by any times: ``64.0 → 67.2 GB/s, 2 s → 1.9 s``."""
    times = [duration(time) for time in seconds if time is not None]
    took = f", {' → '.join(times)}" if times else ""
    return f"{' → '.join('no load' if value is None else gbs(value) for value in values)} {unit}{took}"


def percent(share: float, *, whole_from: float = inf) -> str:
    """Return a share as ``53.3 %``, ``6.2 %`` or ``<0.1 %``, without decimals from `whole_from` percent."""
    value = 100 * share
    if 0 < value < 0.05:
        return "<0.1 %"
    if value >= whole_from:
        return f"{floor(value + 0.5):,} %"  # rounds halves up, as next to 12.5 in a table
    return f"{value:,.1f}".removesuffix(".0") + " %"


def load_percent(relative: float) -> str:
    """Return a relative load: ``80 %``, ``6.2 %``, ``<0.1 %``."""
    return percent(relative, whole_from=9.95)


def factor(value: float) -> str:
    """Return a factor of at least 1: ``1.04×``, ``2.0×``, ``120×``."""
    return f"{value:,.{2 if value < 1.995 else 1 if value < 99.95 else 0}f}×"


def with_sign(value: float, write: Callable[[float], str], zero: str = "no change") -> str:
    """Return a change with its sign, its magnitude formatted by `write`: ``+40 %``, ``−0.25 units``."""
    return f"{'+' if value > 0 else MINUS}{write(abs(value))}" if value else zero


def signed(share: float) -> str:
    """Return a change as ``+5 %`` or ``−33.3 %``."""
    return with_sign(share, percent) if abs(share) > EQUAL else "0 %"


def figure_text(value: float) -> str:
    """Return a figure without its unit; integers are written in full."""
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e12 else significant(value, 5)


def short_number(value: float, digits: int = 3, *, decimals: int = 0, largest: float = 1e3) -> str:
    """Return a number, shortened to `digits` digits if it is large: ``950``, ``12.3k``, ``1.25M``."""
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size * (1 - 0.5 / 10**digits) and size >= largest:
            return f"{value / size:.{digits}g}{sign}"
    return f"{value:,.{decimals}f}"


def axis_text(value: float, decimals: int) -> str:
    """Return a figure for an axis: ``91.5``, ``8,192``, ``1.25M``."""
    return short_number(value, 4, decimals=decimals, largest=1e6)


def time_text(seconds: float) -> str:
    """Return the duration of a search: ``4.2 s``, ``58 s``, ``3.5 min``."""
    length, unit = next(((n, u) for n, u in reversed(TIMES) if seconds >= 2 * n and u != "s"), TIMES[0])
    value = seconds / length
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
