"""Texts on links whose colours show measured counters."""

import numpy as np
from numpy.typing import NDArray

from app.model.measurement import LinkSource
from app.model.state import State

Links = NDArray[np.integer]
TITLES = {
    LinkSource.PREDICTED: "Predicted",
    LinkSource.MEASURED: "Measured",
    LinkSource.DIFFERENCE: "Difference",
    LinkSource.WAIT: "Wait",
}
"""Names of the sources in controls."""


def counters_text(state: State, links: Links) -> str:
    """Return both bandwidths of a link, or the range of several; empty if colours do not show counters."""
    if state.counters is None or not links.size:
        return ""
    if links.size == 1:
        return ", ".join(link_counters(state, int(links[0])))
    return counters_range(state, state.counters.values[links])


def counters_range(state: State, values: NDArray[np.float64]) -> str:
    """Return the range of some values of `State.link_values`; empty if colours do not show counters."""
    return "" if state.counters is None else state.counters.range_text(values)


def link_counters(state: State, link: int) -> tuple[str, ...]:
    """Return lines with the measured and the predicted bandwidth of a link; none without counters.

    While an interval is shown, the first line names it.
    """
    measurement = state.shown_measurement if state.compared_pair is None else None
    if measurement is None:
        return ()
    first, *others = measurement.link_lines(link)
    return (first if state.interval is None else f"{state.interval.words}: {first}", *others)
