"""Volumes and loads in whole numbers: integers add and subtract without rounding."""

from collections.abc import Iterator
from math import frexp, inf, ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.kernels import kernel
from core.routing.flows import FixedPoint
from core.routing.router import Router

BITS = 62
"""Loads stay below 2^62: an int64 with a bit to spare."""
VISITS = 2
"""Bits to spare because a flow may load a link more than once (first and last hop, say)."""
MAX_EXPONENT = 1022
"""Power of two that a scale may reach: its inverse is still a float of full precision."""
EXACT_LOAD = 2.0**40
"""Floating-point loads of up to so many units are right to half a unit, even if 4,000 sums were all rounded one way."""
ROUNDING_NOISE = 1e-12
"""Part of the largest load to begin with up to which loads count as none: sums of floats leave so much behind."""
MIN_ROUNDING_NOISE = 1 << 10
"""Units up to which they do anyway: shares rounded one by one differ by some from their rounded sum."""
MIN_VOLUME_PART, MIN_LOAD_PART = 2.0**-24, 2.0**-14
"""Part of the volume, and of the largest load, of a band that its smallest volumes may be: below, what a link is left
with when larger flows go elsewhere would be right to fewer than nine digits."""
MAX_BANDS = 16
LOWEST, EXPONENTS = -1100, 2200
"""Below all exponents of floats, and how many there are from there on."""


class FixedPointScale(NamedTuple):
    """How volumes of a job under a router become whole numbers."""

    whole: float
    """Whole numbers to a unit of volume."""
    parts: int
    """Every whole number is multiplied by it, so that the router's shares of it are whole too."""
    exact: bool
    """Whether volumes, shares and the loads to begin with are whole multiples, so that nothing at all is rounded."""
    least: float = 0.0
    below: float = inf
    """Volumes from `least` up to, not with, `below` are counted, all others are none: see `bands_of`."""

    def noise(self, load: FixedPoint) -> int:
        """Return up to which load a link counts as unloaded, given the loads to begin with."""
        return 0 if self.exact else max(int(ROUNDING_NOISE * load.max(initial=0)), MIN_ROUNDING_NOISE)

    @property
    def scale(self) -> float:
        """Return what a unit of volume is as a load."""
        return self.whole * self.parts

    def of(self, volume: NDArray[np.float64]) -> FixedPoint:
        """Return volumes of flows; each is rounded by itself, none to nothing: what is cut is counted."""
        own = self.own(volume)
        return np.maximum(np.rint(own * self.whole), own > 0).astype(np.int64) * self.parts

    def own(self, volume: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the volumes that are counted, and 0 for others."""
        if self.least <= 0 and self.below == inf:
            return volume
        return np.where((volume >= self.least) & (volume < self.below), volume, 0.0)


def scale_of(job: Job, router: Router, total: float, highest: float) -> FixedPointScale:
    """Return the units for a job of `total` volume: its quantum where one is known, else a power of two.

    `highest` is the largest load to begin with.
    """
    parts = router.parts or 1
    if job.quantum is not None and router.splits_exactly:
        whole = float(1 / job.quantum)
        if total * whole * parts < 2.0 ** (BITS - VISITS):
            return FixedPointScale(whole, parts, exact=highest * whole * parts < EXACT_LOAD)
    return FixedPointScale(_finest(total, parts), parts, exact=False)


def _finest(total: float, parts: int) -> float:
    # The largest power of two with which so much volume is still a whole number of 62 bits.
    exponent = BITS - VISITS - frexp(total * parts)[1]
    return float(2.0 ** min(exponent, MAX_EXPONENT - frexp(parts)[1]))


def bands_of(job: Job, router: Router, highest: float) -> tuple[FixedPointScale, ...]:
    """Return the units for a job, several if its volumes are so far apart that one would lose the small ones.

    Then each is for volumes of a band, the largest first, and every volume is counted in one of them.
    """
    units = scale_of(job, router, job.volume, highest)
    bands = [] if job.quantum is not None else list(_bands(job, highest))
    if len(bands) < 2:
        return (units,)
    edges = [inf, *(least for least, _ in bands[:-1]), 0.0]
    return tuple(
        FixedPointScale(_finest(total, units.parts), units.parts, False, least, below)
        for (_, total), below, least in zip(bands, edges[:-1], edges[1:], strict=True)
    )


def _bands(job: Job, highest: float) -> Iterator[tuple[float, float]]:
    # The least volume of each band, and the sum of its volumes; from the largest volumes down, powers of two apart.
    sums = np.zeros(EXPONENTS)
    for phase in job.phases:
        for _, block in phase.blocks():
            some = block.volume[block.volume > 0]
            sums += np.bincount(np.frexp(some)[1] - LOWEST, some, EXPONENTS)
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


def whole_loads(load: NDArray[np.float64], units: FixedPointScale) -> FixedPoint:
    """Return loads of links in whole numbers."""
    return np.rint(load * units.scale).astype(np.int64)


@kernel
def to_floats(load: FixedPoint, unit: float, noise: int) -> NDArray[np.float64]:
    """Return whole loads times `unit`; of those of at most `noise`, 0."""
    floats = np.empty(load.size)
    for link in range(load.size):
        floats[link] = load[link] * unit if load[link] > noise else 0.0
    return floats


@kernel
def add_up(
    links: NDArray[np.int32],
    bands: FixedPoint,
    unit: NDArray[np.float64],
    noise: NDArray[np.float64],
    load: NDArray[np.float64],
) -> None:
    """Write into `load` what some links carry in all bands together, the smallest volumes first.

    `bands` has the shape ``(bands, links)``, `unit` and `dust` ``(bands,)``: as in `to_floats`, for each.
    """
    for link in links:
        load[link] = 0.0
        for band in range(bands.shape[0] - 1, -1, -1):
            if bands[band, link] > noise[band]:
                load[link] += bands[band, link] * unit[band]
