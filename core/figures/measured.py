"""Figures of counters compared with predicted loads, as printed by `measured --json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.counters.measured_links import MeasuredLinks
from core.counters.reading import FIELD
from core.figure import Figure
from core.figures.computing import computed
from core.figures.result import Result
from core.load.evaluate import LoadReport
from core.load.measured import Comparison, compare_measured
from core.network.network import LinkClass
from core.spec import SpecError

TOP = 10
"""Links listed of each kind."""
GBS = "GB/s"
UNKNOWN_INTERVAL = "the length of the interval is unknown: bandwidths are GB in the entire interval; give seconds"
NO_WAITS = "no port counts the wait to send (PortXmitWait), so that slow links are unknown"
NO_COUNTERS = 'is missing; give counters, such as {"after": "counters.csv", "seconds": 60}'


@dataclass(frozen=True, eq=False)
class Counted:
    """The source of the figures of a report with counters, each computed on demand.

    Raises SpecError: if the scenario has no counters.
    """

    report: LoadReport
    top: int = TOP

    @cached_property
    def comparison(self) -> Comparison:
        """Return the measured and the predicted bandwidths."""
        comparison = compare_measured(self.report)
        if comparison is None:
            raise SpecError(FIELD, NO_COUNTERS)
        return comparison

    @property
    def links(self) -> MeasuredLinks:
        """Return the counters."""
        return self.comparison.links

    @property
    def notes(self) -> list[str]:
        """Return the warnings of the files, and which quantities they lack."""
        lacking = {UNKNOWN_INTERVAL: self.links.seconds is None, NO_WAITS: not self.comparison.has_waits}
        return [*self.links.warnings, *(note for note, holds in lacking.items() if holds)]


@dataclass(frozen=True)
class MeasuredClass:
    """A link class: means over its links with counters."""

    correlation: Annotated[
        float | None,
        Figure("Correlation", "", "correlation of measured and predicted bandwidths; none if either is constant"),
    ]
    measured_gbs: Annotated[float | None, Figure("Measured bandwidth", GBS, "mean over links with counters")]
    predicted_gbs: Annotated[float | None, Figure("Predicted bandwidth", GBS, "mean over the same links")]


_Classed = TypedDict("_Classed", {"class": Annotated[str, Figure("Link class", "", "class of the link")]})


class _Link(_Classed):
    src: Annotated[str, Figure("From", "", "end that the link leaves")]
    dst: Annotated[str, Figure("To", "", "end that the link enters")]


class MeasuredLink(_Link):
    """A link that differs from its prediction."""

    measured_gbs: Annotated[float, Figure("Measured bandwidth", GBS, "bandwidth by counters")]
    predicted_gbs: Annotated[float, Figure("Predicted bandwidth", GBS, "predicted load times the scale")]
    residual_gbs: Annotated[float, Figure("Residual", GBS, "measured minus predicted bandwidth")]
    wait_per_gb: Annotated[
        float | None, Figure("Wait", "ticks per GB", "wait to send, which ranks links; none without such a counter")
    ]


class DisagreeingLink(_Link):
    """A link whose ends count differently."""

    sent_gbs: Annotated[float, Figure("Sent", GBS, "bandwidth by the counter at its tail")]
    received_gbs: Annotated[float, Figure("Received", GBS, "bandwidth by the counter at its head")]


@dataclass(frozen=True)
class MeasuredInterval:
    """A part of the interval, between two readings."""

    start: Annotated[float | None, Figure("Start", "s", "time since the first reading; none if unknown")]
    seconds: Annotated[float | None, Figure("Length", "s", "time between the readings; none if unknown")]
    correlation: Annotated[
        float | None, Figure("Correlation", "", "correlation of measured bandwidths with predicted loads")
    ]
    mean_gbs: Annotated[float | None, Figure("Mean bandwidth", GBS, "mean over links with counters")]
    max_gbs: Annotated[float | None, Figure("Largest bandwidth", GBS, "largest bandwidth of a link")]
    hottest_link: Annotated[str | None, Figure("Hottest link", "", "the first link with this bandwidth")]


@dataclass(frozen=True, repr=False)
class MeasuredFigures(Result):
    """Counters of the links compared with predicted loads."""

    links: Annotated[int, Figure("Links", "", "directed links of the network", lambda c: c.comparison.measured.size)]
    without_value: Annotated[
        int,
        Figure("Links without counters", "", "links without a value in the interval",
               lambda c: int(np.isnan(c.comparison.measured).sum()), better="low"),
    ]  # fmt: skip
    seconds: Annotated[
        float | None, Figure("Interval", "s", "length of the interval; none if unknown", lambda c: c.links.seconds)
    ]
    scale: Annotated[
        float | None,
        Figure("Scale", "GB/s per unit", "bandwidth per unit of predicted load, as given or by least squares through 0 "
               "over links that agree; none without predicted loads", lambda c: _scale(c)),
    ]  # fmt: skip
    correlation: Annotated[
        float | None,
        Figure("Correlation", "", "correlation of measured and predicted bandwidths of all links; none if either is "
               "constant", lambda c: c.comparison.correlation(), better="high"),
    ]  # fmt: skip
    tolerance_gbs: Annotated[
        float,
        Figure("Tolerance", GBS, "residual up to which a link without predicted load agrees",
               lambda c: c.comparison.tolerance.gbs),
    ]  # fmt: skip
    tolerance_percent: Annotated[
        float,
        Figure("Tolerance in proportion", "%", "percentage of the predicted bandwidth by which the tolerance grows",
               lambda c: 100 * c.comparison.tolerance.share),
    ]  # fmt: skip
    more: Annotated[
        int,
        Figure("Links with more than predicted", "", "links with traffic that the prediction lacks",
               lambda c: c.comparison.hot.size, better="low"),
    ]  # fmt: skip
    slower: Annotated[
        int,
        Figure("Slow links", "", "links with less than predicted and long waits", lambda c: c.comparison.slow.size,
               better="low"),
    ]  # fmt: skip
    disagreeing: Annotated[
        int,
        Figure("Links whose ends disagree", "", "links whose two counters differ by more than 1 %",
               lambda c: c.links.disagree.size, better="low"),
    ]  # fmt: skip
    classes: Annotated[
        dict[str, MeasuredClass], Figure("Classes", "", "means of each link class", lambda c: _classes(c.comparison))
    ]
    hot: Annotated[
        Sequence[MeasuredLink],
        Figure("More than predicted", "", "links with most traffic that the prediction lacks, by descending residual",
               lambda c: _links(c, c.comparison.hot)),
    ]  # fmt: skip
    slow: Annotated[
        Sequence[MeasuredLink],
        Figure("Slow", "", "slow links, by descending wait per volume", lambda c: _links(c, c.comparison.slow)),
    ]
    disagree: Annotated[
        Sequence[DisagreeingLink],
        Figure("Ends that disagree", "", "links whose two counters differ most", lambda c: _disagreeing(c)),
    ]
    intervals: Annotated[
        Sequence[MeasuredInterval],
        Figure("Intervals", "", "parts of the interval, if there are readings in between", lambda c: _intervals(c)),
    ]
    notes: Annotated[list[str], Figure("Notes", "", "warnings of the files of counters", lambda c: c.notes)]


def measured_figures(counted: Counted) -> MeasuredFigures:
    """Return the figures of a report with counters.

    Raises SpecError: if its scenario has no counters.
    """
    return MeasuredFigures(**computed(MeasuredFigures, counted))


def _scale(counted: Counted) -> float | None:
    return counted.comparison.scale / counted.report.case.job.measure.per_volume or None


def _classes(comparison: Comparison) -> dict[str, MeasuredClass]:
    return {links.name: _class(comparison, links) for links in comparison.report.case.network.classes}


def _class(comparison: Comparison, links: LinkClass) -> MeasuredClass:
    measured, predicted = comparison.measured[links.links], comparison.predicted[links.links]
    given = ~np.isnan(measured)
    means = (float(values[given].mean()) if given.any() else None for values in (measured, predicted))
    return MeasuredClass(comparison.correlation(links.links), *means)


def _links(counted: Counted, links: NDArray[np.intp]) -> list[MeasuredLink]:
    comparison = counted.comparison
    wait = comparison.wait_per_gb
    return [
        MeasuredLink(
            **_ends(counted.report, link),
            measured_gbs=float(comparison.measured[link]),
            predicted_gbs=float(comparison.predicted[link]),
            residual_gbs=float(comparison.residual[link]),
            wait_per_gb=None if np.isnan(wait[link]) else float(wait[link]),
        )
        for link in links[: counted.top].tolist()
    ]


def _intervals(counted: Counted) -> list[MeasuredInterval]:
    parts = counted.comparison.intervals
    lengths = [part.links.seconds for part in parts]
    starts = [None if None in lengths[:k] else sum(filter(None, lengths[:k])) for k in range(len(parts))]
    return [_interval(counted.report, part, start) for part, start in zip(parts, starts, strict=True)]


def _interval(report: LoadReport, part: Comparison, start: float | None) -> MeasuredInterval:
    given = part.measured[~np.isnan(part.measured)]
    return MeasuredInterval(
        start=start,
        seconds=part.links.seconds,
        correlation=part.correlation(),
        mean_gbs=float(given.mean()) if given.size else None,
        max_gbs=float(given.max()) if given.size else None,
        hottest_link=report.case.network.link_name(int(np.nanargmax(part.measured))) if given.size else None,
    )


def _disagreeing(counted: Counted) -> list[DisagreeingLink]:
    links = counted.links
    per_second = 1 / (links.seconds or 1.0)
    return [
        DisagreeingLink(
            **_ends(counted.report, link),
            sent_gbs=float(links.gb[link] * per_second),
            received_gbs=float(links.received[link] * per_second),
        )
        for link in links.disagree[: counted.top].tolist()
    ]


def _ends(report: LoadReport, link: int) -> _Link:
    network = report.case.network
    src, dst = network.link_ends(link)
    return {"src": src, "dst": dst, "class": network.classes[int(network.class_of[link])].name}
