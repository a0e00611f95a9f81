"""Figures of a scenario after each single failure of a component, as printed by `resilience --json`."""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from core.figure import RATE, VOLUME, Figure
from core.figures.result import Result
from core.load.evaluate import LoadReport
from core.load.failures import Failures
from core.network import AnyFault, BundleFault, LinkFault, Network, NodeFault
from core.spec import Progress, SpecError, no_progress

EQUAL = 1e-9
"""Relative difference up to which two throughputs are equal."""
PERCENTILES = 5, 50, 95


class FailureFigures(Struct, frozen=True):
    """A scenario after a failure."""

    failure: Annotated[str, Figure("Failure", "", "component that fails")]
    throughput_gbs: Annotated[
        float | None, Figure("Throughput", RATE, "throughput of the flows that have a path", better="high")
    ]
    time_per_unit: Annotated[
        float | None, Figure("Time per unit", "s", "time for a unit of 1 GB; none for message counts", better="low")
    ]
    bottleneck: Annotated[str | None, Figure("Bottleneck", "", "link class that limits the throughput")]
    disconnected_flows: Annotated[int, Figure("Disconnected flows", "", "flows without a path", better="low")]
    disconnected_volume: Annotated[
        float, Figure("Disconnected volume", VOLUME, "volume of the disconnected flows", better="low")
    ]


class CurvePoint(Struct, frozen=True):
    """Throughput after random simultaneous failures."""

    failures: Annotated[int, Figure("Failures", "", "components that fail together")]
    mean_gbs: Annotated[float, Figure("Mean throughput", RATE, "mean over the draws; 0 if no flow has a path")]
    low_gbs: Annotated[float, Figure("5th percentile", RATE, "throughput that 95 % of the draws reach")]
    high_gbs: Annotated[float, Figure("95th percentile", RATE, "throughput that 5 % of the draws reach")]
    disconnecting: Annotated[float, Figure("Disconnecting", "", "share of the draws that disconnect flows")]


class Resilience(Result, Struct, frozen=True):
    """Single failures of the components of a machine, each evaluated."""

    base_gbs: Annotated[float | None, Figure("Throughput", RATE, "throughput without a further failure")]
    what: Annotated[str, Figure("Components", "", "kind of component that fails")]
    failures: Annotated[int, Figure("Failures", "", "failures evaluated")]
    worst: Annotated[
        FailureFigures | None,
        Figure("Worst failure", "", "failure that disconnects most volume or, if none does, slows the job most"),
    ]
    best: Annotated[FailureFigures | None, Figure("Best failure", "", "failure with the highest throughput")]
    slower: Annotated[int, Figure("Slower", "", "failures that slow the job and disconnect no flow")]
    faster: Annotated[int, Figure("Faster", "", "failures that make the job faster and disconnect no flow")]
    unchanged: Annotated[int, Figure("Unchanged", "", "failures that leave the throughput unchanged")]
    disconnecting: Annotated[int, Figure("Disconnecting", "", "failures that disconnect flows")]
    quantiles: Annotated[
        dict[str, float | None],
        Figure("Quantiles", RATE, "percentiles of the throughput over failures that disconnect no flow"),
    ]
    rows: Annotated[list[FailureFigures], Figure("Rows", "", "all failures, worst first")]
    curve: Annotated[
        list[CurvePoint] | UnsetType,
        Figure("Curve", "", "throughput after more and more random failures, if requested"),
    ] = UNSET


def _cables(network: Network) -> list[AnyFault]:
    return list(dict.fromkeys(LinkFault.of(network, link) for link in range(network.links)))


def _bundles(network: Network) -> list[AnyFault]:
    src, dst = network.group_of[network.src], network.group_of[network.dst]
    pairs = np.unique(np.sort(np.stack([src, dst])[:, src != dst], axis=0), axis=1).T
    return [BundleFault(a, b) for a, b in pairs.tolist()]


COMPONENTS: dict[str, Callable[[Network], list[AnyFault]]] = {
    "cables": _cables,
    "switches": lambda network: [NodeFault(vertex) for vertex in range(network.nodes, network.vertices)],
    "nodes": lambda network: [NodeFault(node) for node in range(network.nodes)],
    "bundles": _bundles,
}
"""The components of each kind, in order."""


def components(network: Network, what: str, sample: int | None = None, seed: int = 0) -> list[AnyFault]:
    """Return the faults of all components of a kind, or of a random `sample` of them, in order.

    Raises SpecError: if the network has none.
    """
    faults = COMPONENTS[what](network)
    if not faults:
        present = [name for name, of in COMPONENTS.items() if of(network)]
        raise SpecError("--what", f"this network has no {what}; choose {' or '.join(present)}")
    if sample is None or sample >= len(faults):
        return faults
    chosen = np.random.default_rng(seed).choice(len(faults), sample, replace=False)
    return [faults[number] for number in np.sort(chosen).tolist()]


def resilience(
    report: LoadReport, what: str, faults: Sequence[AnyFault], progress: Progress = no_progress
) -> Resilience:
    """Return the figures after each of the faults, one at a time.

    Raises SpecError: if a fault does not fit the network. Raises Cancelled: when `progress` does.
    """
    failures, rows = Failures(report), list[FailureFigures]()
    for number, fault in enumerate(faults):
        progress(number / len(faults))
        rows.append(_row(fault, failures.with_failure(fault)))
    return summary_of(report, what, rows)


def curve_of(
    report: LoadReport, what: str, most: int, draws: int, seed: int = 0, progress: Progress = no_progress
) -> list[CurvePoint]:
    """Return the throughput after 0 to `most` failures of a kind at once, over random draws of the components.

    In each draw, components fail one after another, so that its points belong together.

    Raises SpecError: if the network has fewer components. Raises Cancelled: when `progress` does.
    """
    faults, failures = components(report.case.network, what), Failures(report)
    if most > len(faults):
        raise SpecError("--curve", f"this network has {len(faults):,} {what}; give at most this number")
    rng = np.random.default_rng(seed)
    throughput, cut = np.full((draws, most + 1), report.throughput_gbs or 0.0), np.zeros((draws, most + 1), np.bool_)
    for draw in range(draws):
        order = rng.permutation(len(faults))[:most]
        for count in range(1, most + 1):
            progress((draw * most + count - 1) / (draws * most))
            after = failures.with_failure(*(faults[number] for number in order[:count]))
            throughput[draw, count], cut[draw, count] = after.throughput_gbs or 0.0, bool(after.disconnected.count)
    low, high = np.percentile(throughput, (5, 95), axis=0)
    columns = throughput.mean(axis=0), low, high, cut.mean(axis=0)
    return [CurvePoint(count, *map(float, point)) for count, point in enumerate(zip(*columns, strict=True))]


def _row(fault: AnyFault, report: LoadReport) -> FailureFigures:
    lost = report.disconnected
    return FailureFigures(
        fault.what(report.case.network), report.throughput_gbs, report.case.job.measure.seconds(report.time),
        report.bottleneck, lost.count, report.case.job.measure.converted(lost.volume),
    )  # fmt: skip


def _harm(row: FailureFigures) -> tuple[float, int, float]:
    # Sorts the worst failure first.
    return -row.disconnected_volume, -row.disconnected_flows, row.throughput_gbs or 0.0


def summary_of(report: LoadReport, what: str, rows: Sequence[FailureFigures]) -> Resilience:
    """Return the figures of a scenario and of its failures."""
    base = report.throughput_gbs or 0.0
    ordered = sorted(rows, key=_harm)
    connected = [row.throughput_gbs or 0.0 for row in ordered if not row.disconnected_flows]
    slower = sum(throughput < base * (1 - EQUAL) for throughput in connected)
    faster = sum(throughput > base * (1 + EQUAL) for throughput in connected)
    percentiles = np.percentile(connected, PERCENTILES).tolist() if connected else [None] * len(PERCENTILES)
    return Resilience(
        base_gbs=report.throughput_gbs,
        what=what,
        failures=len(rows),
        worst=ordered[0] if ordered else None,
        best=max(ordered, key=lambda row: (not row.disconnected_flows, row.throughput_gbs or 0.0), default=None),
        slower=slower,
        faster=faster,
        unchanged=len(connected) - slower - faster,
        disconnecting=len(ordered) - len(connected),
        quantiles=dict(zip(map(str, PERCENTILES), percentiles, strict=True)),
        rows=ordered,
    )
