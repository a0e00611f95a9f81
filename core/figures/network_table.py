"""Comparison of networks by size, distances, cables, cost, and the throughput of a job."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isclose
from pathlib import Path
from typing import Literal

import msgspec

from core.figure import Figure
from core.figures.network import KnownNetwork
from core.figures.registry import figures, find, look_up
from core.job import AllToAll, JobSpec
from core.job.measure import UNITS
from core.load.compatibility import fitted, routing_error
from core.load.evaluate import evaluate
from core.load.scenario import MAPPING_PART, Scenario
from core.mapping import Sequential
from core.network.metrics.cabling import Cabling, Prices, cabling
from core.network.metrics.metrics import MAX_VISITS, Metrics, measure, visits
from core.network.network import Network, NetworkSpec
from core.network.sizes import off_by
from core.routing import default_routing
from core.routing.router import RoutingSpec
from core.spec import Progress, SharedProgress, SpecError, TooLarge, fields_of, no_progress, subprogress
from core.text import figure

MAX_SEARCHED = 4096
"""Maximum number of nodes in the search for a network of a given degree."""
LOADING = 0.6
"""Approximate fraction of a row's work that is spent on throughput."""

MAX_FLOWS = 1_000_000_000
"""Maximum number of flows between nodes for which throughput is computed, in about a minute."""

GBS = "GB/s"

Shared = Literal["nodes", "degree"]

Bandwidths = Literal["equal", "own"] | float
"""Bandwidths of a comparison: an equal sum per node, the networks' own, or a number in GB/s for all links."""


@dataclass(frozen=True)
class Entry:
    """A network to compare, with its name."""

    name: str
    network: NetworkSpec
    folder: Path | None = None
    """Folder of the files of the network."""
    scenario: Scenario | None = None
    """The scenario it belongs to, with its job, mapping and routing."""
    note: str = ""
    """Its actual size, if the requested size is not available."""


@dataclass(frozen=True)
class TrafficChoice:
    """The job and routing whose throughput is computed."""

    job: JobSpec | None = field(default_factory=AllToAll)
    """None for no throughput."""
    resized: bool = True
    """Whether the job is resized to fill the slots of each network. Otherwise networks that are too small have no
    throughput."""
    routing: RoutingSpec | None = None
    """None for equal shares on all shortest paths, a scheme that is available for every network."""
    own: bool = False
    """Whether entries with a scenario keep its job, mapping and routing."""


@dataclass(frozen=True)
class NetworkThroughput:
    """Throughput of a job on a network."""

    throughput_gbs: float | None
    """GB/s per node; None if no link carries anything."""
    bottleneck: str
    """The limiting link class, or empty if there is none."""
    scenario: Scenario
    """The scenario evaluated."""
    seconds: float | None = None
    """The time of traced flows (`LoadReport.seconds`)."""
    rate: str = UNITS.rate
    """Unit of the throughput (`Measure.rate`)."""
    warnings: tuple[str, ...] = ()
    """Warnings of the job's file, and about disconnected flows."""


@dataclass(frozen=True)
class Row:
    """The row of one network in the table."""

    entry: Entry
    metrics: Metrics
    cabling: Cabling | None
    """None for aggregated networks, whose single cables are not known."""
    flowing: NetworkThroughput | None
    """None if not requested or refused; `notes` give the reason."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A figure of each row, for tables, files and plots."""

    key: str
    figure: Figure
    of: Callable[[Row], float | None]
    rare: bool = False
    """Whether tables omit the column if no row has a value."""

    @property
    def title(self) -> str:
        """Return the title of the figure."""
        return self.figure.title

    @property
    def unit(self) -> str:
        """Return its unit."""
        return self.figure.unit


def _of_network(figure: Figure) -> Column:
    place = find(figure.name)
    assert place is not None

    def value(row: Row) -> float | None:
        number = look_up(place, KnownNetwork(row.metrics, row.cabling, row.notes))
        return None if isinstance(number, str) else number

    return Column(figure.column, figure, value)


def _of_flowing(figure: Figure, of: Callable[[NetworkThroughput], float | None], *, rare: bool = False) -> Column:
    return Column(figure.column, figure, lambda row: None if row.flowing is None else of(row.flowing), rare)


def _columns() -> tuple[Column, ...]:
    rate, time, *networks = (entry.figure for entry in figures().values() if entry.figure.column)
    return (
        *map(_of_network, networks),
        _of_flowing(rate, lambda flowing: flowing.throughput_gbs),
        _of_flowing(time, lambda flowing: flowing.seconds, rare=True),
    )


COLUMNS = _columns()
"""Columns in the order of the registry, with throughput last."""


def table_row(entry: Entry, traffic: TrafficChoice, prices: Prices, progress: Progress = no_progress) -> Row:
    """Return the row of an entry.

    Raises SpecError: if the network cannot be built. Raises TooLarge: if it would take minutes to measure.
    Raises Cancelled: when `progress` does.
    """
    network = entry.network.build(entry.folder)
    if visits(network) > MAX_VISITS:
        size = f"{network.vertices:,} {'nodes' if network.vertices == network.nodes else 'nodes and switches'}"
        raise TooLarge("network", f"{size} with {network.links:,} directed links would take minutes; choose fewer")
    metrics = measure(network, subprogress(progress, 0.0, 1 - LOADING))
    notes = [note for note in (entry.note, *network.warnings) if note]
    flowing = None
    if traffic.job is not None:
        try:
            flowing = _flowing(entry, network, traffic, subprogress(progress, 1 - LOADING, 1.0))
        except SpecError as error:
            notes.append(f"no throughput: {error}")
    if flowing is not None and flowing.rate != UNITS.rate:
        notes.append(f"the unit of throughput is {flowing.rate}")
    if flowing is not None:
        notes += flowing.warnings
    row = Row(entry, metrics, cabling(network, prices), flowing, tuple(notes))
    progress(1.0)
    return row


def repriced(row: Row, prices: Prices) -> Row:
    """Return the row with cables and cost computed at other prices.

    Raises SpecError: if the network can no longer be built because a file has changed.
    """
    if row.cabling is None:
        return row
    return replace(row, cabling=cabling(row.entry.network.build(row.entry.folder), prices))


def _flowing(entry: Entry, network: Network, traffic: TrafficChoice, progress: Progress) -> NetworkThroughput:
    shared = SharedProgress(progress)
    scenario = scenario_over(entry, network, traffic, shared.part(MAPPING_PART))
    case = scenario.build(progress=shared.part(MAPPING_PART))
    flows = sum(case.flows(run.phase) for run in case.job.runs)
    if flows > MAX_FLOWS:
        raise TooLarge("job", f"{flows:,} flows between nodes would take minutes; choose a job with fewer flows")
    report = evaluate(case, shared.part())
    if report.disconnected.count and scenario is not entry.scenario:
        # The throughput of fewer flows compares with no other.
        raise SpecError("network", report.disconnected.sentence)
    flowing = report.throughput_gbs, report.bottleneck or "", scenario, report.seconds
    warnings = (*case.job.warnings, *filter(None, [report.disconnected.sentence]))
    return NetworkThroughput(*flowing, case.job.measure.rate, warnings)


def scenario_over(entry: Entry, network: Network, traffic: TrafficChoice, progress: Progress = no_progress) -> Scenario:
    """Return the scenario of an entry's built network, for a `traffic` with a job.

    Raises SpecError: if no size of the job fits the network, or no scheme can route it. Raises Cancelled: when
    `progress` does.
    """
    own = entry.scenario
    if traffic.own and own is not None:
        return own if own.network == entry.network else fitted(replace(own, network=entry.network), progress=progress)
    assert traffic.job is not None
    job = traffic.job.resized(network.slots) if traffic.resized else traffic.job
    routing = traffic.routing or default_routing(network)
    scenario = Scenario(entry.network, job, Sequential(), routing, folder=entry.folder)
    # Only a default scheme may be replaced.
    return scenario if traffic.routing is not None or routing_error(routing, network) is None else fitted(scenario)


def shared(entries: Sequence[Entry], what: Shared, value: int | None = None) -> tuple[Entry, ...]:
    """Return the entries resized to the same number of nodes, or the same degree, as closely as possible.

    `value` defaults to the value of the first entry. Entries without an exact match get a note.

    Raises SpecError: if a network cannot be built.
    """
    if value is None:
        first = entries[0].network.build(entries[0].folder)
        value = first.real_nodes if what == "nodes" else first.degree
    make = _of_size if what == "nodes" else _of_degree
    return tuple(make(entry, value) for entry in entries)


def with_bandwidth(entries: Sequence[Entry], gbs: float) -> tuple[Entry, ...]:
    """Return the entries with the bandwidth of all declared links set to a value, GB/s."""
    changed = []
    for entry in entries:
        names = [f.name for f in fields_of(type(entry.network)) if f.unit == GBS]
        changed.append(replace(entry, network=msgspec.structs.replace(entry.network, **dict.fromkeys(names, gbs))))
    return tuple(changed)


def node_bandwidth(network: Network) -> float:
    """Return the mean total bandwidth of the links that leave a node, in GB/s."""
    leaving = network.src < network.nodes
    return float((network.gbs * network.multiplicity)[leaving].sum()) / network.real_nodes


def with_bandwidths(entries: Sequence[Entry], held: Bandwidths, per_node: float) -> tuple[Entry, ...]:
    """Return the entries with the bandwidths of a comparison; `per_node`: the equal bandwidth per node, GB/s.

    Raises SpecError: if a network cannot be built.
    """
    if held == "own":
        return tuple(entries)
    if held == "equal":
        return tuple(_scaled(entry, per_node) for entry in entries)
    return with_bandwidth(entries, held)


def bandwidth_words(held: Bandwidths, per_node: float) -> str:
    """Return the description of the bandwidths, for the head of a comparison."""
    if held == "own":
        return "each network has its own bandwidths"
    if held == "equal":
        return f"equal bandwidth per node: the links that leave a node have {figure(per_node)} GB/s in total"
    return f"every link has {figure(held)} GB/s"


def _scaled(entry: Entry, per_node: float) -> Entry:
    # All bandwidths of a network change by the same factor.
    network = entry.network
    before = node_bandwidth(network.build(entry.folder))
    if not before or isclose(before, per_node, rel_tol=1e-9):
        return entry
    factor = per_node / before
    fields = {f.name: getattr(network, f.name) for f in fields_of(type(network)) if f.unit == GBS}
    values = {
        name: tuple(gbs * factor for gbs in value) if isinstance(value, tuple) else value * factor
        for name, value in fields.items()
        if value is not None
    }
    scaled = msgspec.structs.replace(network, **values)
    if isclose(node_bandwidth(scaled.build(entry.folder)), per_node, rel_tol=1e-6):
        return replace(entry, network=scaled)
    note = f"bandwidths given by its file: {figure(before)} GB/s per node"
    return replace(entry, note="; ".join(filter(None, (entry.note, note))))


def _of_size(entry: Entry, nodes: int) -> Entry:
    network = entry.network.sized(nodes)
    built_nodes = network.build(entry.folder).real_nodes
    note = "" if built_nodes == nodes else f"{built_nodes:,} nodes, the available size nearest to {nodes:,}"
    return replace(entry, network=network, note=note)


def _of_degree(entry: Entry, degree: int) -> Entry:
    # Keep the size close: try the sizes that the family declares for the degree, then all others from the nearest on.
    start = entry.network.build(entry.folder).real_nodes
    best, off = entry.network, inf
    for network in _candidates(entry.network, start, degree):
        try:
            built = network.build(entry.folder)
        except SpecError:
            continue
        if abs(built.degree - degree) < off and built.real_nodes <= max(MAX_SEARCHED, start):
            best, off = network, abs(built.degree - degree)
        if not off:
            break
    built_degree = best.build(entry.folder).degree
    note = "" if built_degree == degree else f"degree {built_degree:,}, the available degree nearest to {degree:,}"
    return replace(entry, network=best, note=note)


def _candidates(network: NetworkSpec, nodes: int, degree: int) -> list[NetworkSpec]:
    powers = sorted((1 << k for k in range(2, MAX_SEARCHED.bit_length())), key=lambda size: off_by(size, nodes))
    return [network, *network.of_degree(nodes, degree), *(network.sized(size) for size in powers)]
