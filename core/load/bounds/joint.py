"""Joint lower bound: sets of links that together carry the volume crossing a chain of partitions (a dual LP bound).

A unit whose ends first differ at the k-th partition puts at least ``loads[r, k]`` in total on the r-th set of links.
Let x_k be the volume of such units, with known lower bounds V_k on x_0 + ... + x_k. For weights w_r >= 0 of the sets,
the weighted load is at least the sum over k of g_k x_k, g_k = sum over r of w_r loads[r, k], and that is least if the
V_k - V_(k-1) units that must have crossed by the k-th partition cross where it costs least, at the k-th or before:

    sum over r of w_r load_r  >=  f(w) = sum over k of (V_k - V_(k-1)) min(g_0, ..., g_k).

(Proof: replace each g_k by min(g_0, ..., g_k), which only lowers the sum and decreases along the chain; then summation
by parts allows the V_k instead of the sums of x.) Every w gives a valid bound; f is concave and piecewise linear, with
kinks on the planes where two of the g_k are equal, so for up to three sets the best w is among the corners of these
planes.
"""

from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.load.bounds.bound import CLEARLY

Floats = NDArray[np.float64]

AT_ONCE = 3
"""Number of sets that are weighted together; of more sets, every three are."""


class Shared:
    """Minimum loads of sets of links, and their capacity.

    Parameters
    ----------
    loads
        ``(sets, partitions)``: minimum load of a unit on all links of a set, by the partition where its ends first
        differ.
    rates
        ``(sets,)``: total bandwidth of a set.
    """

    def __init__(self, loads: Floats, rates: Floats) -> None:
        self.loads = loads / rates[:, None]

    @cached_property
    def weights(self) -> Floats:
        """Return candidate weights, shape ``(n, sets)``, each row of sum 1."""
        sets = len(self.loads)
        candidates = []
        for some in combinations(range(sets), min(sets, AT_ONCE)):
            corners = _corners(self.loads[list(some)])
            wide = np.zeros((len(corners), sets))
            wide[:, some] = corners
            candidates.append(wide)
        return np.concatenate(candidates)

    @cached_property
    def _costs(self) -> Floats:
        # (n, partitions) time per unit that must have crossed by the k-th partition, under each weighting.
        return np.asarray(np.minimum.accumulate(self.weights @ self.loads, axis=1))

    def least(self, volumes: Floats) -> Floats:
        """Return the weighted time under each weighting, given the minimum volumes across each partition."""
        return np.asarray(self._costs @ np.diff(volumes, prepend=0.0))

    def decisive(self, volumes: Floats) -> list[int]:
        """Return the partitions whose volumes matter under the best weighting: where crossing costs more than later."""
        costs = self._costs[int(self.least(volumes).argmax())]
        return [int(k) for k in np.flatnonzero(costs > np.append(costs[1:], 0.0) * (1 + CLEARLY))]

    def exceeds(self, volumes: Floats, spans: Floats) -> bool:
        """Return whether the sets cannot carry the volumes if each has ``spans[r]`` of time."""
        if not np.isfinite(volumes).all():
            return True
        return bool((self.least(volumes) > (self.weights @ spans) * (1 + CLEARLY)).any())


def _corners(loads: Floats) -> Floats:
    # Corners of the simplex of weights divided by the planes on which two costs are equal.
    sets, parts = loads.shape
    if sets == 1:
        return np.ones((1, 1))
    same = [loads[:, i] - loads[:, j] for i, j in combinations(range(parts), 2)]
    planes = np.array([*np.eye(sets), *same])
    if sets == 2:
        crossings = planes[:, ::-1] * (1.0, -1.0)
    else:
        first, second = np.array(list(combinations(range(len(planes)), 2))).T
        crossings = np.cross(planes[first], planes[second])
    total = crossings.sum(axis=1, keepdims=True)
    size = np.abs(crossings).sum(axis=1, keepdims=True)
    inside = (np.abs(total) > CLEARLY * size) & (size > 0)
    points = np.divide(crossings, total, out=np.full_like(crossings, -1.0), where=inside)
    kept = points[(points >= -CLEARLY).all(axis=1)]
    return np.asarray(np.maximum(kept, 0.0))
