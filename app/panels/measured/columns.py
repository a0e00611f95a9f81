"""The columns of the tables of measured links and classes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.model.measurement import WAIT_UNIT, Measurement
from app.widgets.array_table import Column
from app.wording.names import short_name
from app.wording.numbers import MINUS, significant, with_sign
from core.network.network import Network

Links = NDArray[np.intp]
NONE = "—"


def link_columns(measurement: Measurement, links: Links) -> tuple[Column, ...]:
    """Return the columns of links that differ from their prediction."""
    of, unit = measurement.comparison, measurement.unit
    columns = (
        *_ends(of.report.case.network, links),
        Column("measured", f"Measured bandwidth, in {unit}", of.measured[links].tolist(), _figure),
        Column("predicted", f"Predicted bandwidth, in {unit}", of.predicted[links].tolist(), _figure),
        Column("difference", f"Measured {MINUS} predicted, in {unit}", of.residual[links].tolist(), _signed),
    )
    wait = Column("wait", f"Wait to send, in {WAIT_UNIT}", of.wait_per_gb[links].tolist(), _figure, spare=True)
    return (*columns, wait) if measurement.has_waits else columns


def disagreeing_columns(measurement: Measurement, links: Links) -> tuple[Column, ...]:
    """Return the columns of links whose ends count differently."""
    of, unit = measurement.comparison.links, measurement.unit
    sent, received = (values[links] / (of.seconds or 1.0) for values in (of.gb, of.received))
    return (
        *_ends(measurement.comparison.report.case.network, links),
        Column("sent", f"Bandwidth by the counter at the start, in {unit}", sent.tolist(), _figure),
        Column("received", f"Bandwidth by the counter at the end, in {unit}", received.tolist(), _figure),
        Column("difference", f"Received {MINUS} sent, in {unit}", (received - sent).tolist(), _signed),
    )


def class_columns(measurement: Measurement) -> tuple[Column, ...]:
    """Return the columns of link classes: correlation, and means over the links with a counter."""
    of, unit = measurement.comparison, measurement.unit
    classes = of.report.case.network.classes
    given = [np.flatnonzero(~np.isnan(of.measured[each.links])) + each.links.start for each in classes]
    correlations = [of.correlation(each.links) for each in classes]
    return (
        Column("class", "Link class", [each.name for each in classes], short_name, number=False, elides=True),
        Column("links", "Links with a counter", [links.size for links in given], lambda count: f"{count:,}"),
        Column(
            "correlation",
            "Correlation of measured and predicted bandwidths",
            [np.nan if value is None else value for value in correlations],
            correlation_text,
        ),
        Column("measured", f"Mean measured bandwidth, in {unit}", _means(of.measured, given), _figure),
        Column("predicted", f"Mean predicted bandwidth, in {unit}", _means(of.predicted, given), _figure),
    )


def correlation_text(value: float | None) -> str:
    """Return a correlation with two decimals; a dash if it is not defined."""
    return NONE if value is None or np.isnan(value) else f"{value:.2f}".replace("-", MINUS)


def _ends(network: Network, links: Links) -> tuple[Column, ...]:
    kind = [short_name(network.classes[k].name) for k in network.class_of[links].tolist()]
    return (
        Column("class", "Link class", kind, str, number=False),
        Column(
            "link",
            "Nodes or switches at its ends",
            links.tolist(),
            lambda index: short_name(" → ".join(network.link_ends(index))),
            number=False,
            elides=True,
            explain=network.link_name,
        ),
    )


def _means(values: NDArray[np.float64], given: Sequence[Links]) -> list[float]:
    return [float(values[links].mean()) if links.size else np.nan for links in given]


def _figure(value: float) -> str:
    return NONE if np.isnan(value) else significant(value)


def _signed(value: float) -> str:
    return NONE if np.isnan(value) else with_sign(value, significant, "0")
