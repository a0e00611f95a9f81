"""Volumes and loads in whole numbers: integers add and subtract without rounding."""

from math import frexp
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.job.job import Job
from core.routing.routing import Router, Wholes

BITS = 62
"""Loads stay below 2^62: an int64 with a bit to spare."""
VISITS = 2
"""Bits to spare because a flow may load a link more than once (first and last hop, say)."""
EXACT_LOAD = 2.0**40
"""Floating-point loads of up to so many units are right to half a unit, even if 4,000 sums were all rounded one way."""
DUST = 1e-12
"""Part of the largest load below which a load that was rounded counts as none."""


class Units(NamedTuple):
    """How volumes of a job under a router become whole numbers."""

    whole: float
    """Whole numbers to a unit of volume."""
    parts: int
    """Every whole number is multiplied by it, so that the router's shares of it are whole too."""
    exact: bool
    """Whether volumes, shares and the loads to begin with are whole multiples, so that nothing at all is rounded."""

    @property
    def scale(self) -> float:
        """Return what a unit of volume is as a load."""
        return self.whole * self.parts

    def of(self, volume: NDArray[np.float64]) -> Wholes:
        """Return volumes of flows; each is rounded by itself."""
        return np.rint(volume * self.whole).astype(np.int64) * self.parts


def units_of(job: Job, router: Router, total: float, highest: float) -> Units:
    """Return the units for a job of `total` volume: its quantum where one is known, else a power of two.

    `highest` is the largest load to begin with.
    """
    parts = router.parts or 1
    if job.quantum is not None and router.splits_exactly:
        whole = float(1 / job.quantum)
        if total * whole * parts < 2.0 ** (BITS - VISITS):
            return Units(whole, parts, exact=highest * whole * parts < EXACT_LOAD)
    exponent = BITS - VISITS - frexp(total * parts)[1]
    return Units(2.0 ** min(exponent, 1000), parts, exact=False)


def whole_loads(load: NDArray[np.float64], units: Units) -> Wholes:
    """Return loads of links in whole numbers."""
    return np.rint(load * units.scale).astype(np.int64)


@njit(cache=True, nogil=True)
def to_floats(load: Wholes, unit: float, dust: float) -> NDArray[np.float64]:
    """Return whole loads times `unit`; those of at most `dust` are 0."""
    floats = np.empty(load.size)
    for link in range(load.size):
        value = load[link] * unit
        floats[link] = value if value > dust else 0.0
    return floats
