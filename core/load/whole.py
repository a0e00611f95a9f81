"""Volumes and loads in whole numbers: integers add and subtract without rounding."""

from math import frexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.kernels import kernel
from core.routing.routing import Router, Wholes

BITS = 62
"""Loads stay below 2^62: an int64 with a bit to spare."""
VISITS = 2
"""Bits to spare because a flow may load a link more than once (first and last hop, say)."""
LARGEST = 1022
"""Power of two that a scale may reach: its inverse is still a float of full precision."""
EXACT_LOAD = 2.0**40
"""Floating-point loads of up to so many units are right to half a unit, even if 4,000 sums were all rounded one way."""
DUST = 1e-12
"""Part of the largest load to begin with up to which loads count as none: sums of floats leave so much behind."""
LEAST_DUST = 1 << 10
"""Units up to which they do anyway: shares rounded one by one differ by some from their rounded sum."""


class Units(NamedTuple):
    """How volumes of a job under a router become whole numbers."""

    whole: float
    """Whole numbers to a unit of volume."""
    parts: int
    """Every whole number is multiplied by it, so that the router's shares of it are whole too."""
    exact: bool
    """Whether volumes, shares and the loads to begin with are whole multiples, so that nothing at all is rounded."""

    def dust(self, load: Wholes) -> int:
        """Return up to which load a link counts as unloaded, given the loads to begin with."""
        return 0 if self.exact else max(int(DUST * load.max(initial=0)), LEAST_DUST)

    @property
    def scale(self) -> float:
        """Return what a unit of volume is as a load."""
        return self.whole * self.parts

    def of(self, volume: NDArray[np.float64]) -> Wholes:
        """Return volumes of flows; each is rounded by itself, none to nothing: what is cut is counted."""
        return np.maximum(np.rint(volume * self.whole), volume > 0).astype(np.int64) * self.parts


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
    return Units(2.0 ** min(exponent, LARGEST - frexp(parts)[1]), parts, exact=False)


def whole_loads(load: NDArray[np.float64], units: Units) -> Wholes:
    """Return loads of links in whole numbers."""
    return np.rint(load * units.scale).astype(np.int64)


@kernel
def to_floats(load: Wholes, unit: float, dust: int) -> NDArray[np.float64]:
    """Return whole loads times `unit`; of those of at most `dust`, 0."""
    floats = np.empty(load.size)
    for link in range(load.size):
        floats[link] = load[link] * unit if load[link] > dust else 0.0
    return floats
