"""Histograms of the utilisation, or the counters, of each link class on the colour scale. No Qt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.model.measurement import Counters
from app.model.state import State
from app.style.colour import Shading
from core.network.network import LinkClass

BINS = 25
"""Bars in a histogram, of 4 % each on a linear scale."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """The histogram of a link class."""

    name: str
    links: int
    counts: NDArray[np.intp]
    """(BINS,) links in each bin. A bin includes its upper end; the first also counts links below the scale."""
    beyond: int
    """Links above the top of a frozen scale, which are in no bin."""
    idle: int
    """Links without load."""
    mean: float
    """Mean relative load."""
    highest: float
    """Highest relative load."""


def bin_of(coordinate: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the bins of coordinates on the colour scale, 0 to 1; same shape."""
    # Loads are often simple fractions of the top: values that rounding puts just above a bin's end belong to it.
    bins: NDArray[np.intp] = np.ceil(coordinate * BINS - 1e-3).astype(np.intp) - 1
    return np.clip(bins, 0, BINS - 1)


def shown_classes(state: State) -> tuple[LinkClass, ...]:
    """Return the link classes that have a histogram."""
    return state.evaluation.case.network.classes if state.shown_class is None else (state.shown_class,)


def histograms(state: State) -> tuple[Histogram, ...]:
    """Return the histogram of every link class shown."""
    rows = []
    relative: NDArray[np.float64] = state.utilisation
    scale: Shading = state.style.scale
    if state.counters is not None:
        relative, scale = state.counters.values, state.shading
    for link_class in shown_classes(state):
        values = relative[link_class.links]
        values = values[~np.isnan(values)]
        above = scale.exceeds(values)
        multiplicity = link_class.multiplicity
        beyond = multiplicity * int(np.count_nonzero(above))
        counts = multiplicity * np.bincount(bin_of(scale.coordinate(values[~above])), minlength=BINS)
        idle = multiplicity * (values.size - int(np.count_nonzero(values)))
        mean = float(values.mean()) if values.size else 0.0
        highest = float(values.max(initial=0.0))
        rows.append(Histogram(link_class.name, link_class.real, counts, beyond, idle, mean, highest))
    return tuple(rows)


def bin_text(scale: Shading, index: int, counters: Counters | None = None) -> str:
    """Return the range of a bin: ``76–80 %``; the bin after the last is beyond a frozen scale."""
    if counters is not None:
        start, end = (counters.number(scale.relative(place / BINS)) for place in (index, index + 1))
        return f"{start} to {end} {counters.unit}"
    if index >= BINS:
        return "more than 100 %"
    low, high = (100 * scale.relative(end / BINS) for end in (index, index + 1))
    if scale.log:
        return f"{low:.2g}–{high:.2g} %" if index else f"up to {high:.2g} %"
    return f"{low:.0f}–{high:.0f} %"


def count_ticks(highest: int) -> list[int]:
    """Return the ticks of counts: 1, 10, 100 ... up to the highest."""
    return [10**k for k in range(len(str(max(highest, 1))))]
