"""Counters of ports as loads of a network's links."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.counters.interval import interval, note_on
from core.counters.link_finder import LinkFinder
from core.counters.reading import RECEIVED, SENT, WAIT, Reading, Values, name_of, wrong
from core.text import first_few

TOLERANCE = 0.01
"""Relative difference up to which both ends of a link agree."""
GB = 1e9


@dataclass(frozen=True, eq=False)
class MeasuredLinks:
    """Data carried by the links of a network in an interval; NaN for links without a value."""

    gb: Values
    """(links,) GB sent over each link."""
    wait: Values
    """(links,) ticks in which data waited to be sent, which only rank links."""
    received: Values
    """(links,) GB received at the head of each link."""
    seconds: float | None
    """Length of the interval, or None if unknown."""
    warnings: tuple[str, ...] = ()
    scale: float | None = None
    """Given GB/s per unit of predicted load, in the unit of the job's loads; None to fit it."""
    source: str = ""
    """Format of the file: ``the output of perfquery``."""
    intervals: "tuple[MeasuredLinks, ...]" = ()
    """The same by parts of the interval, one after the other, if there are readings in between."""

    @property
    def gbs(self) -> Values:
        """Return the bandwidth used on each link, GB/s; the interval is taken as a second if its length is unknown."""
        return self.gb / (self.seconds or 1.0)

    @property
    def disagree(self) -> NDArray[np.intp]:
        """Return the links whose ends differ by more than `TOLERANCE`, by descending difference."""
        difference = np.abs(self.gb - self.received)
        limit = TOLERANCE * np.maximum(self.gb, self.received)
        links = np.flatnonzero(difference > limit)  # NaN compares as False
        return links[np.argsort(-difference[links], kind="stable")]


def measured_links(finder: LinkFinder, before: Reading | None, after: Reading, seconds: float | None) -> MeasuredLinks:
    """Return the counters of an interval by link; without `before`, the counters since they were reset.

    A link without a counter at its tail has the counter at its head.

    Raises SpecError: if no port or name belongs to the network.
    """
    counted = interval(before, after)
    sent, received, wait = np.full((3, finder.network.links), np.nan)
    outside = list[str]()
    for kind, (keys, values) in counted.amounts.items():
        places = finder.places(kind, keys)
        row, link = places.receiving
        received[link] = values[RECEIVED, row] / GB
        inside = np.bincount(row, minlength=len(keys))
        row, link = places.sending
        # Parallel links with one name carry equal parts.
        links = np.bincount(row, minlength=len(keys))
        sent[link], wait[link] = values[SENT, row] / links[row] / GB, values[WAIT, row] / links[row]
        outside += [name_of(kind, keys[k]) for k in np.flatnonzero(inside + links == 0).tolist()]
    if len(outside) == sum(len(of.keys) for of in counted.amounts.values()):
        raise wrong(f"has no counter of a link of the network; it has {first_few(outside)}")
    measured = np.where(np.isnan(sent), received, sent)
    return MeasuredLinks(measured, wait, received, seconds, counted.warnings + note_on("outside the network", outside))
