"""Comparison of two reports of one network, link by link and class by class."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.load.evaluate import TOLERANCE, ClassLoad, LoadReport
from core.load.k_largest import k_largest
from core.load.phases import Loads
from core.load.scenario import Case
from core.network.network import Network

Ids = NDArray[np.intp]


class Difference:
    """Times of the links in report b minus those in report a.

    Parameters
    ----------
    a, b
        Reports whose cases are `comparable`.
    """

    def __init__(self, a: LoadReport, b: LoadReport) -> None:
        self.unit = max(a.time, b.time) or 1.0
        """Time that counts as 1, seconds per unit."""
        self.values: Loads = np.empty(b.utilisation.size)
        """(links,) difference of times in `unit`; rounding errors are 0."""
        shares = a.time / self.unit, b.time / self.unit
        self.largest = self.unit * float(_subtract(a.utilisation, shares[0], b.utilisation, shares[1], self.values))
        """The largest magnitude, seconds per unit."""

    def relative(self, reference: float) -> Loads:
        """Return the differences relative to a time in seconds per unit, shape ``(links,)``."""
        return self.values if reference in (self.unit, 0.0) else self.values * (self.unit / reference)

    def strongest(self, count: int, among: slice = slice(None)) -> Ids:
        """Return the `count` of some links that changed most, by magnitude, largest first; only links that changed."""
        return strongest(self.values[among], count) + (among.start or 0)

    @property
    def changed(self) -> int:
        """Return the number of links that changed."""
        return int(np.count_nonzero(self.values))


_KNOWN: "WeakKeyDictionary[LoadReport, tuple[ref[LoadReport], Difference]]" = WeakKeyDictionary()
"""The last difference of each b. Weak, since two reports compared in both directions would never be freed."""


def difference(a: LoadReport, b: LoadReport) -> Difference:
    """Return the difference, computed once for each b."""
    cached = _KNOWN.get(b)
    if cached is None or cached[0]() is not a:
        cached = _KNOWN[b] = (ref(a), Difference(a, b))
    return cached[1]


_SCALED: "WeakKeyDictionary[LoadReport, tuple[float, Loads]]" = WeakKeyDictionary()


def scaled(report: LoadReport, reference: float) -> Loads:
    """Return the times of the links relative to a time in seconds per unit, shape ``(links,)``; computed once."""
    if reference in (report.time, 0.0):
        return report.utilisation
    cached = _SCALED.get(report)
    if cached is None or cached[0] != reference:
        cached = _SCALED[report] = (reference, report.utilisation * (report.time / reference))
    return cached[1]


_SAME_LINKS: "WeakKeyDictionary[Network, tuple[ref[Network], bool]]" = WeakKeyDictionary()
"""For a network, another network and whether their links are the same."""


def comparable(a: Case, b: Case) -> bool:
    """Return whether both have the same links, with any bandwidths, so that differences are defined."""
    first, second = a.network, b.network
    if first is second:
        return True
    cached = _SAME_LINKS.get(first)
    if cached is None or cached[0]() is not second:
        cached = _SAME_LINKS[first] = (ref(second), _same_links(first, second))
    return cached[1]


def _same_links(a: Network, b: Network) -> bool:
    # Equal specs do not imply equal networks: files of the same name in different folders may differ.
    alike = type(a.spec) is type(b.spec) and (a.nodes, a.aggregation) == (b.nodes, b.aggregation)
    return alike and np.array_equal(a.src, b.src) and np.array_equal(a.dst, b.dst)


def elsewhere(a: Case, b: Case) -> int | None:
    """Return the number of tasks on another node, or None if the jobs or networks differ."""
    if not comparable(a, b) or a.job.tasks != b.job.tasks:
        return None
    return int(np.count_nonzero(a.mapping.nodes != b.mapping.nodes))


@dataclass(frozen=True, slots=True)
class ClassChange:
    """The figures of a link class in both reports; None for a network without it."""

    name: str
    a: ClassLoad | None
    b: ClassLoad | None


def class_changes(a: Sequence[ClassLoad], b: Sequence[ClassLoad]) -> tuple[ClassChange, ...]:
    """Return the classes of both reports, paired by name, the classes of b first."""
    first, second = ({link_class.name: link_class for link_class in classes} for classes in (a, b))
    return tuple(ClassChange(name, first.get(name), second.get(name)) for name in {**second, **first})


def strongest(values: Loads, count: int) -> Ids:
    """Return the indices of the `count` largest magnitudes, largest first, ties by index; without zeros."""
    largest = k_largest(np.abs(values), count)
    changed: Ids = largest[values[largest] != 0]
    return changed


@kernel
def _subtract(a: Loads, a_share: float, b: Loads, b_share: float, out: Loads) -> float:
    largest = 0.0
    for link in range(out.size):
        value = b[link] * b_share - a[link] * a_share
        size = abs(value)
        if size <= TOLERANCE:
            value = 0.0
        elif size > largest:
            largest = size
        out[link] = value
    return largest
