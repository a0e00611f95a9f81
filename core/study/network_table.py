"""Several networks side by side: sizes, distances, cables, cost, and the throughput of a job on each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Literal

import msgspec

from core.job import AllToAll, JobSpec
from core.job.measure import UNITS
from core.load.evaluate import evaluate
from core.load.fit import fitted, routing_error
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network.metrics.cabling import Cabling, Prices, cabling
from core.network.metrics.metrics import MAX_VISITS, Metrics, measure, visits
from core.network.network import Network, NetworkSpec
from core.network.sizes import off_by
from core.routing.minimal.scheme import Minimal
from core.routing.router import RoutingSpec
from core.spec import Progress, SpecError, TooLarge, fields_of, no_progress, subprogress

MAX_SEARCHED = 4096
"""Nodes up to which a network of a wanted degree is looked for."""
LOADING = 0.6
"""About what part of a row's work the throughput is."""

MAX_FLOWS = 1_000_000_000
"""Flows between nodes, about a minute of work, beyond which a job's throughput is not worked out by the way."""

GBS = "GB/s"

Shared = Literal["nodes", "degree"]


@dataclass(frozen=True)
class Entry:
    """A network to compare, under a name."""

    name: str
    network: NetworkSpec
    folder: Path | None = None
    """Where files named by it lie."""
    scenario: Scenario | None = None
    """What it is part of, if it has a job, a mapping and a routing of its own."""
    note: str = ""
    """Where it does not come in the size asked for: the one that it has."""


@dataclass(frozen=True)
class TrafficChoice:
    """What the throughput is of."""

    job: JobSpec | None = field(default_factory=AllToAll)
    """None: no throughput is asked for."""
    resized: bool = True
    """The job fills the slots of each network; else it is this one, and networks that are too small have no figure."""
    routing: RoutingSpec | None = None
    """None: equal shares on all shortest paths, which every network has, so that schemes are alike too."""
    own: bool = False
    """Entries that have a scenario keep its job, mapping and routing."""


@dataclass(frozen=True)
class NetworkThroughput:
    """How a job goes over a network."""

    throughput_gbs: float | None
    """GB/s per node; None if no link carries anything."""
    bottleneck: str
    """The link class that limits; empty if none does."""
    scenario: Scenario
    """What job flows, from which slots, by which routing."""
    seconds: float | None = None
    """The time of traced flows (`LoadReport.seconds`)."""
    rate: str = UNITS.rate
    """What the throughput is (`Measure.rate`)."""


@dataclass(frozen=True)
class Row:
    """One network's line of the table."""

    entry: Entry
    metrics: Metrics
    cabling: Cabling | None
    """None: of a network that is folded, cables are not known one by one."""
    flowing: NetworkThroughput | None
    """None: not asked for, or refused; `notes` says why."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A figure of every row, for tables, files and plots."""

    key: str
    title: str
    unit: str
    of: Callable[[Row], float | None]
    better: Literal["low", "high", ""] = ""
    """Which end of the scale is good, if one is."""
    rare: bool = False
    """Whether tables leave it out where no row has it."""


def _of_cables(figure: Callable[[Cabling], float]) -> Callable[[Row], float | None]:
    return lambda row: None if row.cabling is None else figure(row.cabling)


def _of_flowing(figure: Callable[[NetworkThroughput], float | None]) -> Callable[[Row], float | None]:
    return lambda row: None if row.flowing is None else figure(row.flowing)


def _aspl(row: Row) -> float | None:
    return None if row.metrics.aspl is None else float(row.metrics.aspl)


COLUMNS = (
    Column("nodes", "Nodes", "", lambda row: row.metrics.nodes),
    Column("switches", "Switches", "", lambda row: row.metrics.switches),
    Column("links", "Links", "", lambda row: row.metrics.links, "low"),
    Column("degree_min", "Degree min", "", lambda row: row.metrics.degree_min),
    Column("degree_max", "Degree max", "", lambda row: row.metrics.degree_max, "low"),
    Column("diameter", "Diameter", "hops", lambda row: row.metrics.diameter, "low"),
    Column("aspl", "ASPL", "hops", _aspl, "low"),
    Column("bisection_gbs", "Bisection", "GB/s", lambda row: row.metrics.bisection.gbs, "high"),
    Column("cable_m", "Cable", "m", _of_cables(lambda cables: cables.total_m), "low"),
    Column("cable_mean_m", "Mean cable", "m", _of_cables(lambda cables: cables.mean_m), "low"),
    Column("cost", "Cost", "$", _of_cables(lambda cables: cables.cost), "low"),
    Column(
        "throughput_gbs", "Throughput", "GB/s per node", _of_flowing(lambda flowing: flowing.throughput_gbs), "high"
    ),
    Column("time", "Time", "s", _of_flowing(lambda flowing: flowing.seconds), "low", rare=True),
)
"""ASPL: average shortest path length."""


def table_row(entry: Entry, traffic: TrafficChoice, prices: Prices, progress: Progress = no_progress) -> Row:
    """Return the row of an entry.

    Raises SpecError: if the network cannot be built. Raises TooLarge: if it would take minutes to measure.
    Raises Cancelled: when `progress` does.
    """
    network = entry.network.build(entry.folder)
    if visits(network) > MAX_VISITS:
        size = f"{network.vertices:,} {'nodes' if network.vertices == network.nodes else 'nodes and switches'}"
        raise TooLarge("network", f"{size} with {network.links:,} directed links take minutes to measure; choose fewer")
    metrics = measure(network, subprogress(progress, 0.0, 1 - LOADING))
    notes = [note for note in (entry.note, *network.warnings) if note]
    flowing = None
    if traffic.job is not None:
        try:
            flowing = _flowing(entry, network, traffic, subprogress(progress, 1 - LOADING, 1.0))
        except SpecError as error:
            notes.append(f"no throughput: {error}")
    if flowing is not None and flowing.rate != UNITS.rate:
        notes.append(f"throughput is in {flowing.rate}")
    row = Row(entry, metrics, cabling(network, prices), flowing, tuple(notes))
    progress(1.0)
    return row


def repriced(row: Row, prices: Prices) -> Row:
    """Return the row with cables and cost at other prices.

    Raises SpecError: if the network can no longer be built, since a file has changed.
    """
    if row.cabling is None:
        return row
    return replace(row, cabling=cabling(row.entry.network.build(row.entry.folder), prices))


def _flowing(entry: Entry, network: Network, traffic: TrafficChoice, progress: Progress) -> NetworkThroughput:
    scenario = scenario_over(entry, network, traffic)
    case = scenario.build()
    flows = sum(case.flows(run.phase) for run in case.job.runs)
    if flows > MAX_FLOWS:
        raise TooLarge("job", f"{flows:,} flows between nodes take minutes to add up; choose a job of fewer")
    report = evaluate(case, progress)
    rate = case.job.measure.rate
    return NetworkThroughput(report.throughput_gbs, report.bottleneck or "", scenario, report.seconds, rate)


def scenario_over(entry: Entry, network: Network, traffic: TrafficChoice) -> Scenario:
    """Return what flows over an entry's built network, if `traffic` has a job.

    Raises SpecError: if the job does not come in a size for it, or nothing routes it.
    """
    own = entry.scenario
    if traffic.own and own is not None:
        return own if own.network == entry.network else fitted(replace(own, network=entry.network))
    assert traffic.job is not None
    job = traffic.job.resized(network.slots) if traffic.resized else traffic.job
    routing = traffic.routing or Minimal(spread="equal")
    found = Scenario(entry.network, job, Sequential(), routing, folder=entry.folder)
    # Only a scheme that nobody asked for gives way.
    return found if traffic.routing is not None or routing_error(routing, network) is None else fitted(found)


def shared(entries: Sequence[Entry], what: Shared, value: int | None = None) -> tuple[Entry, ...]:
    """Return the entries in sizes that give all the same number of nodes, or the same degree, as near as can be.

    The value is that of the first entry where None is given. Those that cannot have it say so in their notes.

    Raises SpecError: if a network cannot be built.
    """
    if value is None:
        first = entries[0].network.build(entries[0].folder)
        value = first.real_nodes if what == "nodes" else first.degree
    make = _of_size if what == "nodes" else _of_degree
    return tuple(make(entry, value) for entry in entries)


def with_bandwidth(entries: Sequence[Entry], gbs: float) -> tuple[Entry, ...]:
    """Return the entries with links of one bandwidth, GB/s: wherever their networks declare one."""
    found = []
    for entry in entries:
        names = [f.name for f in fields_of(type(entry.network)) if f.unit == GBS]
        found.append(replace(entry, network=msgspec.structs.replace(entry.network, **dict.fromkeys(names, gbs))))
    return tuple(found)


def _of_size(entry: Entry, nodes: int) -> Entry:
    network = entry.network.sized(nodes)
    found = network.build(entry.folder).real_nodes
    note = "" if found == nodes else f"{found:,} nodes, the nearest to {nodes:,} that it comes in"
    return replace(entry, network=network, note=note)


def _of_degree(entry: Entry, degree: int) -> Entry:
    # The size stays as near as can be: first what the family has of that degree, then any sizes from the nearest on.
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
    found = best.build(entry.folder).degree
    note = "" if found == degree else f"degree {found:,}, the nearest to {degree:,} that it comes in"
    return replace(entry, network=best, note=note)


def _candidates(network: NetworkSpec, nodes: int, degree: int) -> list[NetworkSpec]:
    powers = sorted((1 << k for k in range(2, MAX_SEARCHED.bit_length())), key=lambda size: off_by(size, nodes))
    return [network, *network.of_degree(nodes, degree), *(network.sized(size) for size in powers)]
