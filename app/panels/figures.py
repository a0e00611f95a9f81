"""Numbers to read: thousands apart, four significant digits, units."""

from math import floor, log10

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


def percent(share: float) -> str:
    """Return a share with its sign: ``100 %``, ``53.3 %``, ``6.2 %``, ``<0.1 %``."""
    value = 100 * share
    if 0 < value < 0.05:
        return "<0.1 %"
    return f"{value:,.1f}".removesuffix(".0") + " %"


def signed(share: float) -> str:
    """Return a change as ``+5 %`` or ``−33.3 %``."""
    if abs(share) <= EQUAL:
        return "0 %"
    return f"{'+' if share > 0 else MINUS}{percent(abs(share))}"
