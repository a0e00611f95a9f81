"""Measured loads of links compared with predicted loads.

Counters of a machine say how much each link carried, a prediction in which proportion. One factor converts predicted
loads: the given one, or else the best fit (`core.load.counter_fit`). Links that differ from their prediction by more
than noise have other causes: traffic of other jobs, or links that are slow. Flows over links that the scenario declares
as slow are predicted to send as much as these allow (`core.load.throttling`).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.counters.measured_links import MeasuredLinks
from core.counters.reading import FIELD
from core.load.counter_fit import Fit, Tolerance, fitted
from core.load.evaluate import LoadReport
from core.load.link_load import LinkLoad
from core.load.throttling import throttled_loads
from core.spec import SpecError

Values = NDArray[np.float64]
Links = NDArray[np.intp]
FITS = 20
"""Maximum number of fits until loads of flows over slow links converge."""
CONVERGED = 1e-6
"""Relative difference below which loads have converged."""
WAIT = 2.0
"""A link waits long if its wait per byte is more than this multiple of the median of its class."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Measured and predicted bandwidths, GB/s; NaN for links without counters."""

    report: LoadReport
    links: MeasuredLinks

    @cached_property
    def measured(self) -> Values:
        """Return the measured bandwidth of every link, ``(links,)``."""
        return self.links.gbs

    @cached_property
    def predicted(self) -> Values:
        """Return the predicted bandwidth of every link, ``(links,)``."""
        return self.scale * self.load

    @property
    def load(self) -> Values:
        """Return the predicted load of every link, ``(links,)``, lower for flows over slow links."""
        return self._fit_and_load[1]

    @cached_property
    def residual(self) -> Values:
        """Return the measured minus the predicted bandwidth of every link, ``(links,)``."""
        return self.measured - self.predicted

    @property
    def scale(self) -> float:
        """Return the GB/s per unit of predicted load."""
        return self._fit.scale

    def _with_given_scale(self, fit: Fit) -> Fit:
        # The tolerance of the best fit remains: noise does not depend on the given scale.
        scale = self.links.scale
        return fit if scale is None else fit._replace(scale=scale * self.report.case.job.measure.per_volume)

    @property
    def tolerance(self) -> Tolerance:
        """Return the residual up to which links agree."""
        return self._fit.tolerance

    @property
    def _fit(self) -> Fit:
        return self._fit_and_load[0]

    @cached_property
    def _fit_and_load(self) -> tuple[Fit, Values]:
        # The scale determines how much flows over slow links send, and the loads of these determine the scale.
        given, load = ~np.isnan(self.measured), self.report.total_load
        for _ in range(FITS):
            fit = self._with_given_scale(fitted(self.measured[given], load[given]))
            before, load = load, throttled_loads(self.report, fit.scale if self.links.seconds else 0.0)
            if np.allclose(before, load, rtol=CONVERGED, atol=0.0):
                break
        return fit, load

    def correlation(self, among: slice = slice(None)) -> float | None:
        """Return Pearson's correlation of measured and predicted bandwidths; None if either is constant."""
        measured, load = self.measured[among], self.load[among]
        given = ~np.isnan(measured)
        pair = np.stack([measured[given], load[given]])
        pair -= pair.mean(axis=1, keepdims=True) if pair.size else 0.0
        norms = np.sqrt((pair * pair).sum(axis=1))
        if not norms.all():
            return None
        return float(pair[0] @ pair[1] / norms.prod())

    @cached_property
    def intervals(self) -> "tuple[Comparison, ...]":
        """Return the comparison in each part of the interval, in order of time; empty without readings in between."""
        return tuple(Comparison(self.report, links) for links in self.links.intervals)

    @cached_property
    def wait_per_gb(self) -> Values:
        """Return the ticks of waiting per GB sent, ``(links,)``; NaN without both counters."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.measured > 0, self.links.wait / self.links.gb, np.nan)

    @cached_property
    def has_waits(self) -> bool:
        """Return whether a link has a counter of waits."""
        return bool((~np.isnan(self.links.wait)).any())

    @cached_property
    def hot(self) -> Links:
        """Return the links that carry more than predicted, by descending residual: traffic of somebody else."""
        return self._ranked(self.residual > self._tolerances, self.residual)

    @cached_property
    def slow(self) -> Links:
        """Return the links that carry less than predicted and wait long per byte, by descending wait."""
        waits = np.zeros(self.measured.size, np.bool_)
        for links in self.report.case.network.classes:
            wait = self.wait_per_gb[links.links]
            median = float(np.nanmedian(wait)) if (~np.isnan(wait)).any() else 0.0
            waits[links.links] = wait > WAIT * median
        return self._ranked(waits & (self.residual < -self._tolerances), self.wait_per_gb)

    @cached_property
    def _tolerances(self) -> Values:
        return self.tolerance.of(self.predicted)

    @staticmethod
    def _ranked(which: NDArray[np.bool_], by: Values) -> Links:
        links = np.flatnonzero(which)
        return links[np.argsort(-by[links], kind="stable")]


def unknown_background(comparison: Comparison) -> tuple[LinkLoad, ...]:
    """Return the constant background loads of a scenario that explain the links with more than predicted.

    These are the residuals over the scale, in addition to the background loads that the scenario has.

    Raises SpecError: if no link has a predicted load, so that the scale is unknown.
    """
    if comparison.scale <= 0:
        raise SpecError(FIELD, "has no bandwidth on any link with a predicted load, so that the scale is unknown")
    case = comparison.report.case
    loads = np.zeros(case.network.links)
    loads[comparison.hot] = comparison.residual[comparison.hot] / comparison.scale
    loads += case.neighbours.constant if case.neighbours.constant.size else 0.0
    links = np.flatnonzero((loads > 0) & (case.gbs > 0))
    return tuple(LinkLoad.of(case.network, link, float(loads[link])) for link in links.tolist())


def compare_measured(report: LoadReport) -> Comparison | None:
    """Return the comparison of a report with the counters of its scenario, or None without counters."""
    links = report.case.measured
    return None if links is None else Comparison(report, links)
