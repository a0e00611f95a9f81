"""A case as arrays for the search kernels: traffic by destination LID, minimal paths, and the tables to start from."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import frexp

import numpy as np
from numpy.typing import NDArray

from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.network.network import Network
from core.optimise.objective import Objective, Throughput
from core.optimise.routes.paths import minimal_paths, not_minimal
from core.optimise.routes.state import NO_LAYER, MinimalPaths, Ports, RouteSums, Traffic
from core.routing import without_faults
from core.routing.flows import Flags, NodeFlows, Nodes, Volumes
from core.routing.tables.derived import tables_of
from core.routing.tables.engines import compute_tables
from core.routing.tables.fabric import Fabric, fabric_of
from core.routing.tables.forwarding import NO_PORT, ForwardingTables
from core.routing.tables.kernel import NO_PATH, inject, reach
from core.routing.tables.scheme import TableRouter
from core.spec import SpecError

ENGINE = "sssp"
"""Engine of the start tables of a case without tables: minimal paths on which few others lie."""
BITS = 60
"""Loads stay below 2^60."""
MAX_FOLLOWED = 2048
"""Nodes up to which the paths of all pairs are followed, if a routing without tables may have such paths."""
MAX_ENTRIES = 1 << 26
"""Volumes in all layers of a searchable case: 0.5 GB, twice."""


@dataclass(frozen=True, eq=False)
class RouteProblem:
    """The invariants of a search for routes."""

    case: Case
    fabric: Fabric
    """With the ports to start from, which need not be minimal."""
    given: bool
    """Whether these have the paths of the case's routing; else they are computed."""
    base: ForwardingTables
    """Tables with the entries that a search does not change, such as for other LIDs."""
    paths: MinimalPaths
    traffic: Traffic
    scale: float
    """Fixed-point units of a unit of volume."""

    @classmethod
    def of(cls, report: LoadReport, objective: Objective) -> "RouteProblem":
        """Return the problem.

        Raises SpecError: if the network has no forwarding tables, the job is too large, or the objective cannot change.
        """
        case = report.case
        check_objective(objective)
        usable = case.gbs > 0
        base, given = start_tables(case)
        router = without_faults(case.router)
        fabric = router.fabric if isinstance(router, TableRouter) else fabric_of(case.network, base, False)[0]
        paths = minimal_paths(case.network, fabric, usable)
        traffic, scale = _traffic(case, fabric, paths, usable)
        if not traffic.entering.any():
            raise SpecError("mapping", "no switch carries anything, so no routes could be better")
        return cls(case, fabric, given, base, paths, traffic, scale)

    @cached_property
    def at(self) -> Nodes:
        """Return the link at each port of each switch, shape ``(switches * 256,)``."""
        return np.ascontiguousarray(self.fabric.link_at).ravel()

    @cached_property
    def replaced(self) -> int:
        """Return the number of entries of the given tables that have no minimal port."""
        if not self.given:
            return 0
        return int(np.count_nonzero(not_minimal(self.paths.hops, self.fabric.ports, self.fabric, self.paths)))

    @cached_property
    def inner(self) -> Nodes:
        """Return the usable links between switches."""
        return np.sort(self.paths.into.link)

    def sums(self, ports: Ports) -> RouteSums:
        """Return sums for these ports; the loads and terms are not computed yet."""
        runs = self.traffic.times.size
        load, through = np.zeros_like(self.traffic.fixed), np.zeros_like(self.traffic.entering)
        return RouteSums(
            ports.copy(), through, load, np.zeros(runs), np.zeros(runs), np.zeros(runs, np.int64), np.zeros(runs)
        )

    def tables(self, ports: Ports) -> ForwardingTables:
        """Return forwarding tables with these ports, ``(rows, switches)``."""
        lid, guid = self.fabric.lid, self.base.guids
        place = np.searchsorted(guid, switch_guids(self.case.network))
        width = max(self.base.ports.shape[1], int(lid.max(initial=0)) + 1)
        entries = np.full((guid.size, width), NO_PORT, np.uint8)
        entries[:, : self.base.ports.shape[1]] = self.base.ports
        reached = self.paths.hops != NO_PATH
        old = entries[np.ix_(place, lid)].T
        entries[np.ix_(place, lid)] = np.where(reached, ports, old).T
        return ForwardingTables(guid, self.base.names, entries)

    def ports_in(self, tables: ForwardingTables) -> Ports:
        """Return the ports of tables that `tables` returned, ``(rows, switches)``."""
        place = np.searchsorted(tables.guids, switch_guids(self.case.network))
        return np.ascontiguousarray(tables.ports[np.ix_(place, self.fabric.lid)].T)


def check_objective(objective: Objective) -> None:
    """Check that minimal routes can change the objective.

    Raises SpecError: naming the objective that routes are searched for.
    """
    if not isinstance(objective, Throughput):
        hops = "stays the same on minimal routes" if objective.tag() in ("hops", "hop-bytes") else "is of mappings only"
        raise SpecError("objective", f"{objective.tag()} {hops}; routes are searched for throughput")


def switch_guids(network: Network) -> NDArray[np.uint64]:
    """Return the GUID of every switch of a fabric."""
    assert network.src_ports is not None
    guid = np.zeros(network.vertices - network.nodes, np.uint64)
    at_switch = network.src >= network.nodes
    guid[network.src[at_switch] - network.nodes] = network.src_ports.guid[at_switch]
    return guid


def start_tables(case: Case) -> tuple[ForwardingTables, bool]:
    """Return the tables that a search starts from, and whether they have the paths of the case's routing.

    Raises SpecError: if the network has no LIDs.
    """
    failed, router = case.gbs <= 0, without_faults(case.router)
    computed = compute_tables(case.network, ENGINE, failed)
    if isinstance(router, TableRouter) and router.tables is not None:
        return merged(router.tables, computed), True
    if router.single_path and case.network.nodes <= MAX_FOLLOWED:
        with suppress(SpecError):  # its next hops depend on the source too
            return tables_of(case.router, failed), True
    return computed, False


def merged(given: ForwardingTables, computed: ForwardingTables) -> ForwardingTables:
    """Return the given tables for the switches of computed ones, which stand in for missing tables and names."""
    ports = np.full((computed.guids.size, max(given.ports.shape[1], computed.ports.shape[1])), NO_PORT, np.uint8)
    place = np.clip(np.searchsorted(given.guids, computed.guids), 0, given.guids.size - 1)
    listed = given.guids[place] == computed.guids
    ports[:, : computed.ports.shape[1]][~listed] = computed.ports[~listed]
    ports[:, : given.ports.shape[1]][listed] = given.ports[place[listed]]
    names = [
        given.names[k] if has and given.names[k] else name
        for k, has, name in zip(place.tolist(), listed.tolist(), computed.names, strict=True)
    ]
    return ForwardingTables(computed.guids, tuple(names), ports)


def _traffic(case: Case, fabric: Fabric, paths: MinimalPaths, usable: Flags) -> tuple[Traffic, float]:
    runs, others = case.job.runs, bool(case.neighbours.cases)
    layers, entries = len(runs) + others, paths.hops.size
    if layers * entries > MAX_ENTRIES:
        most = max(MAX_ENTRIES // entries - others, 0)
        words = f"has {len(runs):,} different phases; on this fabric routes for at most {most:,} can be searched"
        raise SpecError("job", words)
    entering, fixed = np.zeros((*paths.hops.shape, layers)), np.zeros((case.network.links, layers))
    # Other routers take flows summed by pair of switches instead of nodes.
    by_tables = TableRouter(case.network, fabric)
    own = replace(case, router=by_tables)
    for number, run in enumerate(runs):
        _add(own.node_flows(run.phase), 1.0, number, fabric, paths, usable, entering, fixed)
    for neighbour in [replace(other, router=by_tables) for other in case.neighbours.cases]:
        for run in neighbour.job.runs:
            times = run.times * case.neighbours.part
            _add(neighbour.node_flows(run.phase), times, layers - 1, fabric, paths, usable, entering, fixed)
    highest = max(float(entering[..., layer].sum() + fixed[:, layer].sum()) for layer in range(layers))
    scale = 2.0 ** (BITS - frexp(highest or 1.0)[1])
    with np.errstate(divide="ignore"):
        pace = np.where(usable, 1 / (case.gbs * scale), 0.0)
    several = len(case.job.phases) > 1
    share = case.job.run_shares if several else np.ones(1)
    repeats = np.array([float(run.times) for run in runs])
    rounded = np.rint(entering * scale).astype(np.int64), np.rint(fixed * scale).astype(np.int64)
    return Traffic(*rounded, len(runs) if others else NO_LAYER, np.asarray(share, float), repeats, pace), scale


def _add(
    flows: Iterator[NodeFlows],
    times: float,
    layer: int,
    fabric: Fabric,
    paths: MinimalPaths,
    usable: Flags,
    entering: Volumes,
    fixed: Volumes,
) -> None:
    into, loads = np.zeros(paths.hops.shape), np.zeros(fixed.shape[0])
    for block in flows:
        reached = np.empty(block.src.size, np.bool_)  # other flows are disconnected under any tables
        reach(fabric, usable, paths.hops, block.src, block.dst, reached)
        flowing = block.src[reached], block.dst[reached], block.volume[reached] * times
        inject(fabric, paths.hops, *flowing, into, loads)
    entering[..., layer] += into
    fixed[:, layer] += loads
