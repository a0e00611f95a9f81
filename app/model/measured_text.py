"""Texts on links whose colours show measured counters."""

import numpy as np
from numpy.typing import NDArray

from app.model.measurement import LinkSource
from app.model.state import State
from app.model.what_if import harm_words

Links = NDArray[np.integer]
TITLES = {
    LinkSource.LOAD: "Load",
    LinkSource.PREDICTED: "Predicted",
    LinkSource.MEASURED: "Measured",
    LinkSource.DIFFERENCE: "Difference",
    LinkSource.WAIT: "Wait",
    LinkSource.HARM: "Harm",
}
"""Names of the sources in controls."""
TIPS = {
    LinkSource.LOAD: "Colour links by load ÷ bandwidth",
    LinkSource.PREDICTED: "Colour links by the bandwidth predicted for the interval of the counters, in GB/s",
    LinkSource.MEASURED: "Colour links by the bandwidth that port counters measured",
    LinkSource.DIFFERENCE: "Colour links by measured minus predicted bandwidth",
    LinkSource.WAIT: "Colour links by the ticks that data waited per GB sent",
    LinkSource.HARM: "Colour links by how much slower the job is if their cable fails; evaluates all cables first",
}
"""Tips on the sources in controls."""


def counters_text(state: State, links: Links) -> str:
    """Return all quantities of a link, first the quantity shown, or the range of several links.

    Empty if colours do not show counters.
    """
    measurement = state.shown_measurement
    if state.counters is None or not links.size:
        return ""
    if links.size == 1 and measurement is not None and state.source.needs_counters:
        return ", ".join(measurement.link_parts(int(links[0]), state.source))
    return counters_range(state, state.counters.values[links])


def counters_range(state: State, values: NDArray[np.float64]) -> str:
    """Return the range of some values of `State.link_values`; empty if colours do not show counters."""
    return "" if state.counters is None else state.counters.range_text(values)


def link_lines(state: State, link: int) -> tuple[str, ...]:
    """Return lines on a link besides its load: its counters, and the effect of its failure if that is known."""
    failures = state.failures if state.compared_pair is None else None
    harm = "" if failures is None else harm_words(failures, link)
    return (*link_counters(state, link), *filter(None, [harm]))


def link_counters(state: State, link: int) -> tuple[str, ...]:
    """Return lines with the measured and the predicted bandwidth of a link; none without counters.

    While an interval is shown, the first line names it.
    """
    measurement = state.shown_measurement if state.compared_pair is None else None
    if measurement is None:
        return ()
    first, *others = measurement.link_lines(link)
    return (first if state.interval is None else f"{state.interval.words}: {first}", *others)
