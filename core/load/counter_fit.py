"""The conversion of predicted loads to measured bandwidths, and how far links may differ from it by noise alone.

Noise of counters grows with the bandwidth: intervals differ a little from port to port, and protocols add headers. So a
link agrees if its residual is at most ``gbs + share * predicted``. Both come from the residuals of the links with a
predicted load, by a line through their absolute values against the predictions (Glejser, JASA 64, 1969), fitted to
medians of thirds, so that a few links with other traffic do not move it (the resistant line of Tukey, Exploratory Data
Analysis, 1977). Links without a predicted load take no part, since other jobs may use most of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Values = NDArray[np.float64]
FITS = 20
"""Maximum number of fits until the same links differ."""
FALSE_ALARMS = 0.01
"""Probability that noise alone makes any link differ, if it is normal; by Bonferroni, over all links."""
TO_DEVIATION = 1.4826
"""Standard deviation of a normal distribution per median of its absolute values."""
LEAST = 0.01
"""Smallest constant part of the tolerance, as a fraction of the largest measured bandwidth."""
THIRD = 10
"""Minimum number of links in a third; with fewer links the noise is in proportion to the prediction."""


class Tolerance(NamedTuple):
    """The largest residual by which a link agrees with its prediction."""

    gbs: float
    """The constant part, GB/s."""
    share: float
    """The part that grows with the prediction, as a fraction of the predicted bandwidth."""

    def of(self, predicted: Values) -> Values:
        """Return the tolerance of links, GB/s."""
        return self.gbs + self.share * predicted


class Fit(NamedTuple):
    """A fit of measured bandwidths to predicted loads."""

    scale: float
    """GB/s per unit of predicted load."""
    tolerance: Tolerance


def fitted(measured: Values, load: Values) -> Fit:
    """Fit bandwidths to loads, both of shape ``(links,)``, by least squares through 0 over the links that agree.

    Without the links that differ, since a single link with other traffic would move all residuals.
    """
    least = LEAST * float(measured.max(initial=0.0))
    deviations = float(ndtri(1 - FALSE_ALARMS / 2 / max(measured.size, 1)))
    agree = np.ones(measured.size, np.bool_)
    scale, tolerance = _median_ratio(measured, load), Tolerance(least, 0.0)
    for _ in range(FITS):
        predicted = scale * load
        residual = np.abs(measured - predicted)
        used = agree & (predicted > 0)
        start, slope = _resistant_line(predicted[used], residual[used])
        to_tolerance = deviations * TO_DEVIATION
        tolerance = Tolerance(least + to_tolerance * start, to_tolerance * slope)
        before, agree = agree, residual <= tolerance.of(predicted)
        squares = float(load[agree] @ load[agree])
        if squares == 0.0:
            break
        scale = float(load[agree] @ measured[agree]) / squares
        if np.array_equal(before, agree):
            break
    return Fit(scale, tolerance)


def _resistant_line(x: Values, y: Values) -> tuple[float, float]:
    """Return start and slope, both at least 0, of a line through the medians of the outer thirds; `x` is positive."""
    if not x.size:
        return 0.0, 0.0
    proportional = 0.0, float(np.median(y / x))
    third, order = x.size // 3, np.argsort(x, kind="stable")
    (left, low), (right, high) = (
        (float(np.median(x[part])), float(np.median(y[part]))) for part in (order[: third or 1], order[-third or -1 :])
    )
    if third < THIRD or left == right:
        return proportional
    slope = max((high - low) / (right - left), 0.0)
    start = float(np.median(y - slope * x))
    return (start, slope) if start > 0 else proportional


def _median_ratio(measured: Values, load: Values) -> float:
    """Return the median of measured per predicted, weighted by the prediction."""
    used = np.flatnonzero(load > 0)
    if not used.size:
        return 0.0
    ratio = measured[used] / load[used]
    order = np.argsort(ratio)
    weight = np.cumsum(load[used][order])
    return float(ratio[order[np.searchsorted(weight, weight[-1] / 2)]])
