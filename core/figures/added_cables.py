"""Figures of the cables whose addition helps most, as printed by `resilience --add --json`."""

from typing import Annotated

import numpy as np
from msgspec import Struct

from core.figure import RATE, Figure
from core.load.best_cables import BestCable, best_cables
from core.load.evaluate import LoadReport
from core.network import AddedCable
from core.network.added_cables import usual_gbs
from core.spec import Progress, no_progress


class CableFigures(Struct, frozen=True):
    """A cable, and the scenario with it and the cables before it."""

    cable: Annotated[str, Figure("Cable", "", "nodes or switches that the added cable joins")]
    src: Annotated[int, Figure("From", "", "number of the node or switch at one end")]
    dst: Annotated[int, Figure("To", "", "number of the node or switch at the other end")]
    gbs: Annotated[float, Figure("Bandwidth", "GB/s per direction", "bandwidth of the cable")]
    throughput_gbs: Annotated[
        float | None, Figure("Throughput", RATE, "throughput with this cable and those before it", better="high")
    ]
    gain: Annotated[
        float | None,
        Figure("Gain", "%", "gain in throughput by this cable, with those before it in place", better="high"),
    ]
    time_per_unit: Annotated[
        float | None, Figure("Time per unit", "s", "time for a unit of 1 GB; none for message counts", better="low")
    ]
    bottleneck: Annotated[str | None, Figure("Bottleneck", "", "link class that limits the throughput")]
    candidates: Annotated[int, Figure("Candidates", "", "cables compared")]
    evaluated: Annotated[int, Figure("Evaluated", "", "cables evaluated; bounds show that the others are not better")]

    @property
    def added(self) -> AddedCable:
        """Return the cable for `Scenario.cables`."""
        return AddedCable(self.src, self.dst)


def added_cables(report: LoadReport, count: int, progress: Progress = no_progress) -> list[CableFigures]:
    """Return the figures of up to `count` cables, each the best in addition to all before it.

    Raises SpecError: if the routing cannot use added cables, or the network is aggregated or too large. Raises
    Cancelled: when `progress` does.
    """
    rows, before = list[CableFigures](), report.throughput_gbs
    for best in best_cables(report, count, progress):
        rows.append(figures_of(best, before))
        before = best.report.throughput_gbs
    return rows


def figures_of(best: BestCable, before: float | None) -> CableFigures:
    """Return the figures of a cable, given the throughput without it."""
    report, network = best.report, best.report.case.network
    src, dst = best.cable.ends(network)
    after = report.throughput_gbs
    return CableFigures(
        cable=best.cable.what(network),
        src=src,
        dst=dst,
        gbs=float(usual_gbs(network.without_cables, np.array([[src, dst]]))[0]),
        throughput_gbs=after,
        gain=100 * (after / before - 1) if before and after is not None else None,
        time_per_unit=report.case.job.measure.seconds(report.time),
        bottleneck=report.bottleneck,
        candidates=best.candidates,
        evaluated=best.evaluated,
    )
