"""Volumes and loads as fixed-point integers, which add and subtract without rounding."""

from collections.abc import Iterator
from math import frexp, inf, ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint
from core.routing.router import Router

BITS = 62
"""Loads stay below 2^62: an int64 with a bit to spare."""
VISITS = 2
"""Spare bits, since a flow may load a link more than once (on first and last hop)."""
MAX_EXPONENT = 1022
"""Largest exponent of a scale: its inverse is still a normal float."""
EXACT_LOAD = 2.0**40
"""Floating-point loads up to this are correct to half a unit, even after 4,000 sums rounded in the same direction."""
ROUNDING_NOISE = 1e-12
"""Loads up to this fraction of the largest initial load count as 0: sums of floats leave such remainders."""
MIN_ROUNDING_NOISE = 1 << 10
"""Number of units up to which loads always count as 0: shares rounded one by one differ from their rounded sum."""
MIN_VOLUME_PART, MIN_LOAD_PART = 2.0**-24, 2.0**-14
"""Smallest volume of a band, as a fraction of its total volume and of the largest load: below it, a link's load after
larger flows have left would be accurate to fewer than nine digits.
"""
MAX_BANDS = 16
LOWEST, EXPONENTS = -1100, 2200
"""A number below all exponents of floats, and the number of exponents from there."""


class FixedPointScale(NamedTuple):
    """Conversion of a job's volumes to fixed point, under a router."""

    units: float
    """Fixed-point units per unit of volume."""
    parts: int
    """Further factor that makes the router's shares of a volume integers."""
    exact: bool
    """Whether volumes, shares and initial loads are integer multiples, so that nothing is rounded."""
    least: float = 0.0
    below: float = inf
    """Volumes in ``[least, below)`` belong to this band: see `bands_of`."""

    def noise(self, load: FixedPoint) -> int:
        """Return the load up to which a link counts as unloaded, given the initial loads."""
        return 0 if self.exact else max(int(ROUNDING_NOISE * load.max(initial=0)), MIN_ROUNDING_NOISE)

    @property
    def per_unit(self) -> float:
        """Return the load caused by one unit of volume."""
        return self.units * self.parts

    def of(self, volume: NDArray[np.float64]) -> FixedPoint:
        """Convert volumes of flows, each rounded separately, but never to 0, so that disconnected flows are counted."""
        own = self.own(volume)
        return np.maximum(np.rint(own * self.units), own > 0).astype(np.int64) * self.parts

    def own(self, volume: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the volumes of this band, with 0 for others."""
        if self.least <= 0 and self.below == inf:
            return volume
        return np.where((volume >= self.least) & (volume < self.below), volume, 0.0)


def scale_of(job: Job, router: Router, highest: float) -> FixedPointScale:
    """Return the scale for a job: by its quantum if known, else a power of two.

    `highest` is the largest initial load.
    """
    parts = router.parts or 1
    if job.quantum is not None and router.splits_exactly:
        units = float(1 / job.quantum)
        if job.volume * units * parts < 2.0 ** (BITS - VISITS):
            return FixedPointScale(units, parts, exact=highest * units * parts < EXACT_LOAD)
    return FixedPointScale(_finest(job.volume, parts), parts, exact=False)


def _finest(total: float, parts: int) -> float:
    # The largest power of two with which the volume fits into 62 bits.
    exponent = BITS - VISITS - frexp(total * parts)[1]
    return float(2.0 ** min(exponent, MAX_EXPONENT - frexp(parts)[1]))


def bands_of(job: Job, router: Router, highest: float) -> tuple[FixedPointScale, ...]:
    """Return the scales for a job: several if its volumes differ so much that small ones would vanish in one scale.

    Each is for a band of volumes, the largest first; every volume lies in one band.
    """
    scale = scale_of(job, router, highest)
    bands = [] if job.quantum is not None else list(_bands(job, highest))
    if len(bands) < 2:
        return (scale,)
    edges = [inf, *(least for least, _ in bands[:-1]), 0.0]
    return tuple(
        FixedPointScale(_finest(total, scale.parts), scale.parts, False, least, below)
        for (_, total), below, least in zip(bands, edges[:-1], edges[1:], strict=True)
    )


def _bands(job: Job, highest: float) -> Iterator[tuple[float, float]]:
    # The smallest volume of each band, and the sum of its volumes, from the largest volumes down.
    sums = np.zeros(EXPONENTS)
    for _, phase, times in job.runs:
        for _, block in phase.blocks():
            some = block.volume[block.volume > 0]
            sums += times * np.bincount(np.frexp(some)[1] - LOWEST, some, EXPONENTS)
    least = total = 0.0
    made = 1
    for exponent in np.flatnonzero(sums)[::-1].tolist():
        lower, more = ldexp(0.5, exponent + LOWEST), total + float(sums[exponent])
        fine = lower >= max(more * MIN_VOLUME_PART, min(highest, more) * MIN_LOAD_PART)
        if total and not fine and made < MAX_BANDS:
            yield least, total
            made, more = made + 1, float(sums[exponent])
        least, total = lower, more
    if total:
        yield least, total


def whole_loads(load: NDArray[np.float64], scale: FixedPointScale) -> FixedPoint:
    """Return loads of links in fixed point."""
    return np.rint(load * scale.per_unit).astype(np.int64)


class BandLoads(NamedTuple):
    """Loads of links in fixed point, each band of volumes in its own scale."""

    bands: FixedPoint
    """(bands, links)"""
    unit: NDArray[np.float64]
    """(bands,) volume of one fixed-point unit."""
    noise: FixedPoint
    """(bands,) a load up to this counts as 0: `FixedPointScale.noise`."""


@inlined
def load_of(link: int, bands: FixedPoint, unit: NDArray[np.float64], noise: FixedPoint) -> float:
    """Return the load of a link, the smallest volumes added first; for the arrays see `BandLoads`."""
    total = 0.0
    for band in range(bands.shape[0] - 1, -1, -1):
        if bands[band, link] > noise[band]:
            total += bands[band, link] * unit[band]
    return total


@kernel
def to_floats(loads: BandLoads) -> NDArray[np.float64]:
    """Return the loads of all links."""
    floats = np.empty(loads.bands.shape[1])
    for link in range(floats.size):
        floats[link] = load_of(link, loads.bands, loads.unit, loads.noise)
    return floats
