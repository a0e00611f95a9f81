"""Measured counters of links as values for their colours, and in words. No Qt."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from app.wording.numbers import MINUS, significant, with_sign
from core.counters.measured_links import MeasuredLinks
from core.load.evaluate import LoadReport
from core.load.link_load import UNKNOWN
from core.load.measured import Comparison, compare_measured
from core.text import plural

Values = NDArray[np.float64]
NO_VALUE = "no counter"
"""Text for a link without a value."""
NOT_EVALUATED, DISCONNECTS = "not evaluated", "disconnects flows"
"""Texts for a link whose failure was not evaluated, and for one whose failure leaves flows without a path."""
WAIT_UNIT = "ticks per GB"
NEAR_ZERO = 1e-4
"""In ranges, values below this fraction of the top are 0, such as on links that only management packets cross."""

SourceId = Literal["load", "predicted", "measured", "difference", "wait", "harm"]


class LinkSource(enum.Enum):
    """The quantity that colours links; values are names in sentences."""

    LOAD = "load"
    """Load ÷ bandwidth, which needs no counters."""
    PREDICTED = "predicted"
    MEASURED = "measured"
    DIFFERENCE = f"measured {MINUS} predicted"
    WAIT = "wait"
    HARM = "slow-down if it fails"
    """Slow-down of the job after a failure of the link, which needs no counters."""

    @property
    def needs_counters(self) -> bool:
        """Return whether the quantity is of measured links."""
        return self not in (LinkSource.LOAD, LinkSource.HARM)

    @property
    def id(self) -> SourceId:
        """Return the name in files."""
        return cast(SourceId, self.name.lower())

    @classmethod
    def of(cls, name: str) -> "LinkSource":
        """Return the source with a name in files; loads for an unknown name."""
        return next((source for source in cls if source.id == name), cls.LOAD)


class CounterScale(NamedTuple):
    """The colour scale of a quantity of measured links."""

    top: float
    """The value to which others are relative: the highest bandwidth or wait."""
    largest: float
    """The largest magnitude of a value, relative to the top."""

    @classmethod
    def of(cls, top: float, values: Values) -> "CounterScale":
        """Return the scale of some values, which may be NaN."""
        finite = np.abs(values[np.isfinite(values)])
        return cls(top, float(finite.max(initial=0.0)) / (top or 1.0))


@dataclass(frozen=True, eq=False)
class Counters:
    """One quantity of links other than their loads, relative to the top of its colour scale."""

    source: LinkSource
    values: Values
    """(links,) relative to `top`; NaN without a value, infinite if a failure of the link disconnects flows."""
    scale: CounterScale
    """Its top is in `unit`."""
    unit: str
    agrees: NDArray[np.bool_] | None = None
    """(links,) whether a difference is within the tolerance; None for other quantities."""

    @property
    def top(self) -> float:
        """Return the value at the top of the scale."""
        return self.scale.top

    @property
    def signed(self) -> bool:
        """Return whether values are differences."""
        return self.source in (LinkSource.DIFFERENCE, LinkSource.HARM)

    @cached_property
    def missing(self) -> int:
        """Return the number of links without a value."""
        return int(np.isnan(self.values).sum())

    @cached_property
    def disconnecting(self) -> int:
        """Return the number of links whose failure disconnects flows."""
        return int(np.isinf(self.values).sum())

    @property
    def no_value(self) -> str:
        """Return the text for a link without a value: waits per GB also lack on links without traffic."""
        return {LinkSource.WAIT: "no value", LinkSource.HARM: NOT_EVALUATED}.get(self.source, NO_VALUE)

    def text(self, value: float) -> str:
        """Return a relative value in its unit."""
        if np.isinf(value):
            return DISCONNECTS
        return self.no_value if np.isnan(value) else f"{self.number(value, 4)} {self.unit}"

    def number(self, value: float, digits: int = 3) -> str:
        """Return a relative value without its unit."""
        amount = value * self.top
        if self.signed:
            return with_sign(amount, lambda size: significant(size, digits), "0")
        return significant(amount, digits)

    def range_text(self, values: Values) -> str:
        """Return the range of some relative values: ``measured 0 to 12.5 GB/s``."""
        given = values[~np.isnan(values)]
        if not given.size:
            return self.no_value
        low, high = float(given.min()), float(given.max())
        if low != high:
            low, high = (0.0 if abs(value) < NEAR_ZERO else value for value in (low, high))
        start = f"{self.number(low, 4)} to " if low != high else ""
        return f"{self.source.value} {start}{self.text(high)}"


class Measurement:
    """Counters of links compared with the loads of a report.

    Measured and predicted bandwidths and their differences have the same top, the highest of all, unless `scales` has
    the scale of a quantity.
    """

    def __init__(self, comparison: Comparison, scales: Mapping[LinkSource, CounterScale] | None = None) -> None:
        self.comparison, self.scales = comparison, scales or {}

    def prepare(self) -> None:
        """Compute in advance, off the GUI thread, what views show first."""
        _ = self._counters

    @property
    def unit(self) -> str:
        """Return the unit of measured values: without the length of the interval, GB in the interval."""
        return unit_of(LinkSource.MEASURED, self.comparison.links)

    @cached_property
    def has_waits(self) -> bool:
        """Return whether a link has a counter of waits."""
        return self.comparison.has_waits

    def has(self, source: LinkSource) -> bool:
        """Return whether a link has a value of a source."""
        return source is not LinkSource.WAIT or self.has_waits

    def counters(self, source: LinkSource) -> Counters:
        """Return the measured quantity that a source names."""
        return self._counters[source]

    @cached_property
    def _counters(self) -> dict[LinkSource, Counters]:
        return {source: self._counters_of(source) for source in LinkSource if source.needs_counters}

    def _counters_of(self, source: LinkSource) -> Counters:
        of, values = self.comparison, quantity(self.comparison, source)
        scale = self.scales.get(source) or CounterScale.of(top_of(of, source), values)
        agrees = np.abs(values) <= of.tolerance.of(of.predicted) if source is LinkSource.DIFFERENCE else None
        return Counters(source, values / (scale.top or 1.0), scale, unit_of(source, of.links), agrees)

    @property
    def excess_text(self) -> str:
        """Return the background that would explain the links with more than predicted."""
        hot = self.comparison.hot
        return self._background_text(hot.size, float(self.comparison.residual[hot].sum()))

    @property
    def background_text(self) -> str:
        """Return the unknown background of the scenario: links and total; empty without any."""
        of = self.comparison
        loads = of.report.case.neighbours.constant
        links = int(np.count_nonzero(loads))
        return self._background_text(links, of.scale * float(loads.sum())) if links else ""

    def _background_text(self, links: int, total: float) -> str:
        return f"{UNKNOWN} on {plural(links, 'link')}, {significant(total)} {self.unit} in total"

    def link_parts(self, link: int, first: LinkSource) -> list[str]:
        """Return the quantities of a link, beginning with `first`; without a counter only its prediction."""
        if np.isnan(self.comparison.measured[link]):
            return list(self.link_lines(link))
        shown = [first, *(of for of in (LinkSource.MEASURED, LinkSource.PREDICTED, LinkSource.WAIT) if of is not first)]
        texts = (self.counters(of) for of in shown if self.has(of))
        return [of.range_text(of.values[[link]]) for of in texts]

    def link_lines(self, link: int) -> tuple[str, ...]:
        """Return the measured and the predicted bandwidth of a link, and its wait, in one line each."""
        measured, predicted = float(self.comparison.measured[link]), float(self.comparison.predicted[link])
        expected = f"predicted {significant(predicted)} {self.unit}"
        if np.isnan(measured):
            return (f"{NO_VALUE}, {expected}",)
        more = with_sign(0.0 if isclose(measured, predicted) else measured - predicted, significant, "0")
        lines = [f"measured {significant(measured)} {self.unit}, {expected} ({more})"]
        wait = float(self.comparison.wait_per_gb[link])
        if not np.isnan(wait):
            lines.append(f"wait {significant(wait)} {WAIT_UNIT}")
        return tuple(lines)


def quantity(comparison: Comparison, source: LinkSource) -> Values:
    """Return the quantity that a source other than loads names, ``(links,)``; NaN without a value."""
    match source:
        case LinkSource.PREDICTED:
            return comparison.predicted
        case LinkSource.MEASURED:
            return comparison.measured
        case LinkSource.DIFFERENCE:
            return comparison.residual
        case _:
            return comparison.wait_per_gb


def unit_of(source: LinkSource, links: MeasuredLinks) -> str:
    """Return the unit of a quantity of counters."""
    if source is LinkSource.WAIT:
        return WAIT_UNIT
    return "GB/s" if links.seconds else "GB"


def top_of(comparison: Comparison, source: LinkSource) -> float:
    """Return the top of the scale of a quantity: the highest wait, or the highest measured or predicted bandwidth."""
    if source is LinkSource.WAIT:
        return highest(comparison.wait_per_gb)
    return max(highest(comparison.measured), highest(comparison.predicted))


def highest(values: Values) -> float:
    """Return the highest value, 0 without any."""
    return float(np.fmax.reduce(values, initial=0.0))


def measurement_of(report: LoadReport) -> Measurement | None:
    """Return the counters of a report's scenario, or None without counters."""
    comparison = compare_measured(report)
    return None if comparison is None else Measurement(comparison)
