"""Distribution of the figures at which restarts end."""

from collections.abc import Sequence
from math import inf, nan
from typing import NamedTuple

import numpy as np

SAMPLE = 256
"""Figures kept, evenly spread over time."""


class RestartTally(NamedTuple):
    """Figures of restarts: count, extremes, and a sample for the median."""

    restarts: int = 0
    best: float = inf
    worst: float = -inf
    every: int = 1
    sample: tuple[float, ...] = ()
    """Every `every`-th figure."""

    def with_figure(self, figure: float) -> "RestartTally":
        """Return the tally with one more figure."""
        every, sample = self.every, self.sample
        if self.restarts % every == 0:
            sample = (*sample, figure)
        if len(sample) > SAMPLE:
            every, sample = 2 * every, sample[::2]
        return RestartTally(self.restarts + 1, min(self.best, figure), max(self.worst, figure), every, sample)


class Spread(NamedTuple):
    """Number of restarts, and statistics of their figures; nan without any."""

    restarts: int = 0
    best: float = nan
    median: float = nan
    worst: float = nan


def spread_of(tallies: Sequence[RestartTally]) -> Spread:
    """Return the distribution over several searches; the median is computed from their samples."""
    some = [tally for tally in tallies if tally.restarts]
    if not some:
        return Spread()
    figures = np.array([figure for tally in some for figure in tally.sample])
    weights = np.concatenate([np.full(len(tally.sample), tally.every) for tally in some])
    order = np.argsort(figures, kind="stable")
    half = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    best, worst = min(tally.best for tally in some), max(tally.worst for tally in some)
    return Spread(sum(tally.restarts for tally in some), best, float(figures[order][half]), worst)
