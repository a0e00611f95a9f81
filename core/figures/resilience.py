"""Figures of a scenario after failures of components, as printed by `resilience --json`."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from core.figure import RATE, VOLUME, Figure
from core.figures.added_cables import CableFigures
from core.figures.result import Result
from core.load.evaluate import LoadReport
from core.load.failures import Failures
from core.network import AnyFault, BundleFault, Network, NodeFault
from core.network.faults import cables_of
from core.spec import Progress, SpecError, no_progress

if TYPE_CHECKING:
    from core.load.rerouting import ReroutedFailures

EQUAL = 1e-9
"""Relative difference up to which two throughputs are equal."""
PERCENTILES = 5, 50, 95
PAIRS = 1000
"""Usual number of random pairs."""
STEPS = 20
"""Number of steps of a curve that ends at a percentage of the components."""
WORST = 64
"""Worst single failures of which all pairs are evaluated."""
Z95 = 1.959963984540054
"""97.5th percentile of the normal distribution, for 95 % confidence intervals."""

Failed = tuple[AnyFault, ...]
"""Components that fail together."""


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
    percent: Annotated[float, Figure("Percentage of failures", "%", "failures as per cent of the components")]
    mean_gbs: Annotated[float, Figure("Mean throughput", RATE, "mean over the draws; 0 if no flow has a path")]
    low_gbs: Annotated[float, Figure("Low percentile", RATE, "throughput that 95 % of the draws reach")]
    high_gbs: Annotated[float, Figure("High percentile", RATE, "throughput that 5 % of the draws reach")]
    disconnecting: Annotated[float, Figure("Disconnecting", "", "share of the draws that disconnect flows")]
    mean_relative: Annotated[
        float | None, Figure("Relative mean", "", "mean relative to the throughput without a further failure")
    ]
    low_relative: Annotated[
        float | None, Figure("Relative low percentile", "", "low percentile, relative to the same throughput")
    ]
    high_relative: Annotated[
        float | None, Figure("Relative high percentile", "", "high percentile, relative to the same throughput")
    ]


class FailureCurve(Result, Struct, frozen=True):
    """Throughput of a scenario after more and more random failures."""

    name: Annotated[str, Figure("Name", "", "name of the scenario")]
    base_gbs: Annotated[float | None, Figure("Throughput", RATE, "throughput without a further failure")]
    what: Annotated[str, Figure("Components", "", "kind of component that fails")]
    components: Annotated[int, Figure("Number of components", "", "components of this kind in the machine")]
    points: Annotated[list[CurvePoint], Figure("Points", "", "throughput after more and more failures")]


class CurveLength(NamedTuple):
    """Where a curve ends: at a number of failures, or at a percentage of the components."""

    most: float
    percent: bool = False

    def counts(self, components: int) -> list[int]:
        """Return the numbers of failures of the points of a curve, given the number of components.

        These are all numbers up to the last one, or about `STEPS` equal steps up to a percentage.
        """
        return sorted(set(self.steps(components)))

    def steps(self, components: int) -> list[int]:
        """Return the same numbers, at a percentage always `STEPS` + 1 of them, which may repeat."""
        last = round(components * self.most / 100) if self.percent else int(self.most)
        steps = STEPS if self.percent else max(last, 1)
        return [round(last * step / steps) for step in range(steps + 1)]


class Estimate(Struct, frozen=True):
    """A figure of all pairs, estimated from random ones."""

    value: Annotated[float, Figure("Estimate", "", "share or mean of the sample")]
    low: Annotated[float, Figure("Lower limit", "", "lower limit of the 95 % confidence interval")]
    high: Annotated[float, Figure("Upper limit", "", "upper limit of the 95 % confidence interval")]


class RandomPairs(Struct, frozen=True):
    """Random pairs of failures, drawn with replacement from all pairs."""

    pairs: Annotated[int, Figure("Random pairs", "", "random pairs evaluated")]
    mean_gbs: Annotated[Estimate, Figure("Mean throughput", RATE, "mean over all pairs; 0 if no flow has a path")]
    slower: Annotated[Estimate, Figure("Slower", "", "share of pairs that slow the job and disconnect no flow")]
    disconnecting: Annotated[Estimate, Figure("Disconnecting", "", "share of pairs that disconnect flows")]


class Pairs(Struct, frozen=True):
    """Failures of two components at the same time."""

    total: Annotated[int, Figure("All pairs", "", "pairs of components of the machine")]
    pairs: Annotated[int, Figure("Pairs", "", "pairs of the worst single failures, all evaluated")]
    worst: Annotated[FailureFigures, Figure("Worst pair", "", "the worst of these pairs, ordered as single failures")]
    rows: Annotated[list[FailureFigures], Figure("Rows", "", "these pairs, worst first")]
    sample: Annotated[
        RandomPairs | UnsetType, Figure("Sample", "", "random pairs, unless all pairs are among the evaluated ones")
    ] = UNSET


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
    pairs: Annotated[
        Pairs | UnsetType, Figure("Pairs", "", "failures of two components at the same time, if requested")
    ] = UNSET
    curve: Annotated[
        list[CurvePoint] | UnsetType,
        Figure("Curve", "", "throughput after more and more random failures, if requested"),
    ] = UNSET
    curves: Annotated[
        list[FailureCurve] | UnsetType, Figure("Curves", "", "curves of this scenario and of those compared with it")
    ] = UNSET
    added: Annotated[
        list[CableFigures] | UnsetType,
        Figure("Added cables", "", "cables that help most, each in addition to all before it, if requested"),
    ] = UNSET


Evaluator = Callable[[Sequence[Failed]], list[FailureFigures]]
"""Returns the figures after each of the failures, in order."""


def _bundles(network: Network) -> list[AnyFault]:
    src, dst = network.group_of[network.src], network.group_of[network.dst]
    pairs = np.unique(np.sort(np.stack([src, dst])[:, src != dst], axis=0), axis=1).T
    return [BundleFault(a, b) for a, b in pairs.tolist()]


COMPONENTS: dict[str, Callable[[Network], list[AnyFault]]] = {
    "cables": lambda network: [*cables_of(network)],
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
    return summary_of(report, what, evaluator(report, progress)([(fault,) for fault in faults]))


def evaluator(report: LoadReport, progress: Progress = no_progress, engine: str | None = None) -> Evaluator:
    """Return a function that evaluates failures here, one after the other.

    With a routing engine, new forwarding tables are computed after each failure.

    It raises SpecError: if a fault does not fit the network. It raises Cancelled: when `progress` does.
    """
    failures = Failures(report) if engine is None else _rerouted(report, engine)

    def evaluate_all(failed: Sequence[Failed]) -> list[FailureFigures]:
        rows = []
        for number, faults in enumerate(failed):
            progress(number / len(failed))
            rows.append(_row(faults, failures.with_failure(*faults)))
        return rows

    return evaluate_all


def _rerouted(report: LoadReport, engine: str) -> "ReroutedFailures":
    from core.load.rerouting import ReroutedFailures  # not needed to start the program

    return ReroutedFailures(report, engine)


def pairs_of(
    report: LoadReport, what: str, worst: Sequence[AnyFault], sample: int, seed: int, evaluate_all: Evaluator
) -> Pairs | UnsetType:
    """Return the figures of all pairs of the `worst` failures, and of random pairs of all components of the kind.

    Shares have Wilson intervals, and the mean a normal interval. UNSET with fewer than two
    components.
    """
    faults = components(report.case.network, what)
    total, near = comb(len(faults), 2), list(combinations(worst, 2))
    if not near:
        return UNSET
    rng, drawn = np.random.default_rng(seed), list[Failed]()
    if len(near) < total:
        first = rng.integers(len(faults), size=sample)
        second = (first + rng.integers(1, len(faults), size=sample)) % len(faults)
        drawn = [(faults[a], faults[b]) for a, b in np.sort(np.stack([first, second], axis=1), axis=1).tolist()]
    rows = evaluate_all([*near, *drawn])
    ordered = sorted(rows[: len(near)], key=_harm)
    estimate = _estimated(rows[len(near) :], report.throughput_gbs or 0.0) if drawn else UNSET
    return Pairs(total, len(near), ordered[0], ordered, estimate)


def with_pairs(
    figures: Resilience, report: LoadReport, rows: Sequence[tuple[AnyFault, FailureFigures]], sample: int | None,
    seed: int, evaluate_all: Evaluator,
) -> Resilience:  # fmt: skip
    """Return figures of single failures, given as fault and figures, with pairs of failures added."""
    worst = worst_of([fault for fault, _ in rows], [row for _, row in rows])
    return replace(figures, pairs=pairs_of(report, figures.what, worst, sample or PAIRS, seed, evaluate_all))


def curve_components(network: Network, what: str, length: CurveLength) -> list[AnyFault]:
    """Return the faults of all components of a kind, of which a curve lets several fail.

    Raises SpecError: if the network has fewer components.
    """
    faults = components(network, what)
    if length.counts(len(faults))[-1] > len(faults):
        raise SpecError("--curve", f"this network has {len(faults):,} {what}; give at most this number")
    return faults


def curve_of(
    report: LoadReport, what: str, length: CurveLength, draws: int, seed: int, evaluate_all: Evaluator
) -> list[CurvePoint]:
    """Return the throughput after more and more failures of a kind at once, over random draws of the components.

    In each draw, components fail one after another, so that its points belong together.

    Raises SpecError: if the network has fewer components.
    """
    faults = curve_components(report.case.network, what, length)
    none, *counts = length.counts(len(faults))
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(faults))[: max(counts, default=0)].tolist() for _ in range(draws)]
    rows = evaluate_all([tuple(faults[number] for number in order[:count]) for order in orders for count in counts])
    base, shape = report.throughput_gbs or 0.0, (draws, len(counts))
    throughput = np.reshape([row.throughput_gbs or 0.0 for row in rows], shape)
    cut = np.reshape([row.disconnected_flows > 0 for row in rows], shape)
    low, high = np.percentile(throughput, (5, 95), axis=0)
    columns = np.stack([throughput.mean(axis=0), low, high, cut.mean(axis=0)], axis=1).tolist()
    points = zip((none, *counts), ([base, base, base, 0.0], *columns), strict=True)
    return [_point(count, len(faults), base, values) for count, values in points]


def _point(count: int, total: int, base: float, values: Sequence[float]) -> CurvePoint:
    mean, low, high, cut = values
    relative = [value / base if base else None for value in (mean, low, high)]
    return CurvePoint(count, 100 * count / total, mean, low, high, cut, *relative)


def named_curve(name: str, report: LoadReport, what: str, points: Sequence[CurvePoint]) -> FailureCurve:
    """Return the points of a curve with the name of their scenario and the size of its machine."""
    return FailureCurve(name, report.throughput_gbs, what, len(components(report.case.network, what)), list(points))


def worst_of(faults: Sequence[AnyFault], rows: Sequence[FailureFigures], count: int = WORST) -> list[AnyFault]:
    """Return the faults with the worst figures, worst first; `rows` has the figures of each."""
    order = sorted(range(len(rows)), key=lambda number: _harm(rows[number]))
    return [faults[number] for number in order[:count]]


def named(failed: Failed, network: Network) -> str:
    """Return the names of components that fail together."""
    return " and ".join(fault.what(network) for fault in failed)


def _row(failed: Failed, report: LoadReport) -> FailureFigures:
    lost = report.disconnected
    return FailureFigures(
        named(failed, report.case.network), report.throughput_gbs, report.case.job.measure.seconds(report.time),
        report.bottleneck, lost.count, report.case.job.measure.converted(lost.volume),
    )  # fmt: skip


def _harm(row: FailureFigures) -> tuple[float, int, float]:
    # Sorts the worst failure first.
    return -row.disconnected_volume, -row.disconnected_flows, row.throughput_gbs or 0.0


def _estimated(rows: Sequence[FailureFigures], base: float) -> RandomPairs:
    throughput = np.array([row.throughput_gbs or 0.0 for row in rows])
    mean, spread = float(throughput.mean()), float(Z95 * throughput.std(ddof=1) / np.sqrt(len(rows)))
    cut = sum(row.disconnected_flows > 0 for row in rows)
    slower = sum(_slows(row, base) for row in rows)
    return RandomPairs(
        len(rows), Estimate(mean, mean - spread, mean + spread), _share(slower, len(rows)), _share(cut, len(rows))
    )


def _share(count: int, trials: int) -> Estimate:
    # The score interval: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    share, square = count / trials, Z95**2 / trials
    centre, half = share + square / 2, Z95 * np.sqrt(share * (1 - share) / trials + square / (4 * trials))
    low, high = ((centre + sign * half) / (1 + square) for sign in (-1, 1))
    return Estimate(share, float(low) if count else 0.0, float(high) if count < trials else 1.0)


def _slows(row: FailureFigures, base: float) -> bool:
    return not row.disconnected_flows and (row.throughput_gbs or 0.0) < base * (1 - EQUAL)


def summary_of(report: LoadReport, what: str, rows: Sequence[FailureFigures]) -> Resilience:
    """Return the figures of a scenario and of its failures."""
    base = report.throughput_gbs or 0.0
    ordered = sorted(rows, key=_harm)
    connected = [row.throughput_gbs or 0.0 for row in ordered if not row.disconnected_flows]
    slower = sum(_slows(row, base) for row in rows)
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
