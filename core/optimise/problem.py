"""A case, an objective and move constraints as arrays for kernels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock, Phase, Tasks
from core.load.evaluate import LoadReport, evaluate
from core.load.fixed_point import FixedPointScale, scale_of, whole_loads
from core.load.moved_flows import STAYS, by_task
from core.load.phases import NO_LOADS
from core.load.scenario import Case
from core.mapping.edit import occupants
from core.mapping.mapping import Slots
from core.network import AnyFault
from core.network.network import Network
from core.optimise.dependencies import barrier_of, injected, no_waits, waits_of
from core.optimise.disconnection import Losses, within_component
from core.optimise.layers import after_failures, crossing_flows, stacked
from core.optimise.neighbour_times import NeighbourTimes
from core.optimise.objective import AllJobs, Objective
from core.optimise.robust import cases_after, least_time, tables_after
from core.optimise.tables import (
    CONTENTION,
    COUNTERS,
    FIGURES,
    HOP_BYTES,
    HOPS,
    JOBS,
    SAMPLES,
    SECONDS,
    TIME,
    WORST,
    CommunicationGraph,
    Goal,
    Layers,
    ListRows,
    Moves,
    Place,
    Rule,
    SearchState,
    Sums,
    Touched,
    Waits,
    Walk,
)
from core.random_numbers import State
from core.routing import without_faults
from core.routing.flows import FixedPoint, NodeFlows, Nodes, Volumes
from core.routing.route_tables import RouteTables, empty_tables
from core.routing.router import Router
from core.spec import SpecError

MAX_TABLE = 2048
"""Nodes up to which all distances are in one table (16 MB), if route tables can give them one by one."""
MAX_NODES = 8192
"""Nodes up to which they are in one table if route tables cannot (256 MB)."""
MAX_TRACED_NODES = 512
"""Nodes up to which contention is counted if routes are not integer shares: a long route for each pair."""
MAX_FLOWS = 1 << 25
"""Flows of a searchable job: 0.8 GB."""

MAX_LOADS = 1 << 25
"""Links times phases of a searchable case: 1 GB in each worker."""

NO_TABLE = np.zeros((0, 0), np.float32)
MIN_UNITS = 1 << 20
"""Fixed-point units of the hottest link at the start; with fewer, figures would have less than six correct digits."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The invariants of a search."""

    cases: tuple[Case, ...]
    """The case, and the case after each failure that the objective counts."""
    objective: Objective
    start_time: float
    """Time of the start mapping, the unit of link times; approximate if flows are disconnected."""
    bound: float
    """Lower bound on the time of any mapping, in that unit; 0 if unknown."""
    scale: FixedPointScale
    traced: bool
    """Whether the router has no route tables: pairs are traced for each move."""
    routes: RouteTables
    layers: Layers
    waits: Waits
    distances: CommunicationGraph
    neighbours: ListRows
    losses: Losses
    """Disconnected volume: less is better, for any objective."""

    @classmethod
    def of(cls, report: LoadReport, objective: Objective, failures: Sequence[AnyFault] = ()) -> "Problem":
        """Return the problem, with the failures that the objective counts.

        Raises SpecError: if the job is too large, or nothing that the objective counts can change, or it has no weight.
        """
        report = within_component(report)
        case = report.case
        _check(report, objective, len(failures))
        cases = (case, *cases_after(case, failures))
        routes = _routes(cases)
        scale = scale_of(case.job, cases[-1].router, report.highest)
        lost = case.job.quantum is None and not report.disconnected and report.highest * scale.per_unit < MIN_UNITS
        if objective.timed and lost:
            words = "sends almost all of its volume within nodes, so the loads are too small to compare mappings"
            raise SpecError("job", f"{words}; remove the large flows between tasks that share a node")
        tables = routes if routes is not None else empty_tables(case.network.nodes)
        time, injection, waits = _time_unit(report), None, no_waits()
        if objective.figure == SECONDS:
            timing = barrier_of(case)
            injection, waits = timing.injection_gbs, waits_of(case, timing, time)
        neighbour_times = NeighbourTimes.of(case, isinstance(objective, AllJobs) and objective.of)
        layers = _layers(case, objective, scale, time, injection, neighbour_times)
        far = objective.weights[HOP_BYTES] + objective.weights[HOPS] + objective.weights[CONTENTION] > 0
        distances = (
            _distances(case, routes, objective.weights[CONTENTION] > 0) if far else _no_distances(case.job.tasks)
        )
        if failures:
            layers = _after_failures(layers, cases[1:], scale, time)
        own = least_time(report, cases[1:])
        least = neighbour_times.least(own) / time + waits.fixed
        settings, losses = (cases, objective, time, least, scale, routes is None), Losses(case)
        return cls(*settings, tables, layers, waits, distances, neighbour_nodes(case.network), losses)

    @property
    def case(self) -> Case:
        """Return the case, without a failure."""
        return self.cases[0]

    @property
    def limits(self) -> bool:
        """Return whether the goal can be a limit on link times: only the hottest link of a single phase counts."""
        return self.timed and self.layers.term.size == len(self.cases) and not self.waits.fixed

    @property
    def timed(self) -> bool:
        """Return whether the figure is a time."""
        return self.objective.figure in (TIME, SECONDS, JOBS, WORST)

    @property
    def links(self) -> int:
        """Return the number of links of a layer: the network's, and two for each node with limited injection."""
        return self.case.network.links + 2 * self.waits.nodes

    @property
    def has_table(self) -> bool:
        """Return whether all distances fit in a table."""
        return not self.traced and self.case.network.nodes <= MAX_TABLE

    def goal(self, limit: float, doublings: int) -> Goal:
        """Return the goal: to bring all links below a limit or, where that is impossible, a p-norm of times."""
        only, weights = self.objective.figure, np.array(self.objective.weights, float)
        weights[TIME] += weights[SECONDS] + weights[JOBS] + weights[WORST]
        which = -1 if only is None else TIME if self.timed else only
        return Goal(weights[:SECONDS].copy(), which, doublings, limit if self.limits else 0.0)

    def value(self, figure: float) -> float:
        """Return a figure in units of the objective, from a figure with times relative to the start."""
        return figure * self.start_time if self.timed else figure

    def report(self, slots: Slots) -> LoadReport:
        """Return the loads of another mapping, without a failure."""
        return evaluate(_moved(self.case, slots))

    def loads(self, slots: Slots) -> FixedPoint:
        """Return the loads of all layers under a mapping, in fixed point, shape ``(layers * links,)``."""
        by_layer = []
        if self.objective.timed:
            mapping = self.case.mapping.moved(slots)
            phases = self.report(slots).phases
            for run in self.case.job.runs:
                by_layer.append(whole_loads(phases[run.first], self.scale))
                if self.waits.nodes:
                    by_layer.append(injected(self.case, run.phase, mapping, self.scale))
            of_others = self.layers.term.size - len(by_layer) if self.objective.figure == JOBS else 0
            if of_others:
                runs = zip(self.case.job.runs, by_layer, strict=True)
                by_layer += [np.sum([run.times * loads for run, loads in runs], axis=0)] * of_others
        if self.objective.weights[CONTENTION] > 0:
            node = (slots // np.int32(self.case.network.slots_per_node)).astype(np.int32)
            by_layer += [self._messages(run.phase, node) for run in self.case.job.runs]
        for after in self.cases[1:]:
            phases = evaluate(_moved(after, slots)).phases
            by_layer += [whole_loads(phases[run.first], self.scale) for run in after.job.runs]
        return np.concatenate(by_layer or [np.zeros(0, np.int64)])

    def _messages(self, phase: Phase, node: NDArray[np.int32]) -> FixedPoint:
        blocks = (NodeFlows(node[b.src], node[b.dst], (b.volume > 0).astype(float)) for _, b in phase.blocks())
        return np.rint(self.case.router.loads(blocks) * _message(self.case.router)).astype(np.int64)

    def place(self, slots: Slots) -> Place:
        """Return the placement for a mapping."""
        mapping = self.case.mapping.moved(slots)
        occupant = occupants(mapping, self.case.network.slots)
        stays = np.full(slots.size, STAYS, np.int32)
        return Place(slots.copy(), mapping.nodes.copy(), occupant, stays, np.zeros(slots.size, np.int32))

    def sums(self, slots: Slots) -> Sums:
        """Return sums with the loads of a mapping; the other sums are not computed yet."""
        layers = self.layers.term.size
        return Sums(
            load=self.loads(slots),
            power=np.zeros(layers),
            new_power=np.zeros(layers),
            distance=np.zeros(4),
            new_distance=np.zeros(4),
            hottest=np.zeros(layers),
            hot=np.zeros(layers, np.int64),
        )

    def state(self, slots: Slots, moves: Moves, draws: State, rule: Rule) -> SearchState:
        """Return a search's state for a mapping before its first step; sums are not computed yet."""
        network, goal, place = self.case.network, self.goal(0.0, 0), self.place(slots)
        walk = Walk(
            draws=draws,
            counters=np.zeros(COUNTERS, np.int64),
            figures=np.zeros(FIGURES),
            best=slots.copy(),
            hot=np.zeros(slots.size, np.int32),
            tabu_until=np.zeros(network.slots, np.int64),
            changes=np.zeros(SAMPLES),
        )
        layers, partners = self.layers, ListRows(self.distances.start, self.distances.other)
        if layers.term.size:
            partners = ListRows(layers.start[0], layers.other)
        fixed = self.links, network.slots_per_node, goal, rule, moves, self.neighbours, partners
        touched = self.touched(2 * moves.slots.shape[1])
        return SearchState(*fixed, place, layers, self.waits, self.sums(slots), touched, walk)

    def touched(self, tasks: int) -> Touched:
        """Return lists large enough for moves of `tasks` tasks."""
        most = 0
        for flows in map(np.diff, (*self.layers.start, *self.losses.flows.start)):
            most = max(most, int(np.sort(flows)[-tasks:].sum()))
        pairs = 2 * most + 1
        rows = min(pairs * self.routes.when.size, self.routes.hops.size)
        hashed = 1 << int(2 * rows + 1).bit_length()
        links = self.layers.term.size * self.links
        return Touched(
            src=np.zeros(pairs, np.int32),
            dst=np.zeros(pairs, np.int32),
            volume=np.zeros(pairs, np.int64),
            keys=np.full(hashed, -1, np.int64),
            values=np.zeros(hashed, np.int64),
            used=np.zeros(rows + 1, np.int64),
            where=np.full(links, -1, np.int32),
            links=np.zeros(links, np.int32),
            change=np.zeros(links, np.int64),
        )


def check_follows(case: Case) -> None:
    """Check that loads can follow single moves under the case's routing.

    Raises SpecError: naming a routing to search under instead.
    """
    if case.router.plans:
        problem = f"{case.scenario.routing.tag()} is planned for all flows at once, so single moves cannot be evaluated"
        raise SpecError("routing.type", f"{problem}; search with minimal or adaptive, then change it back")
    if not case.router.traceable:
        words = f"is aggregated and has {case.network.real_links:,} links, so single moves cannot be evaluated"
        raise SpecError("network", f"{words}; search on a smaller network")


def _moved(case: Case, slots: Slots) -> Case:
    return replace(case, mapping=case.mapping.moved(slots))


def _routes(cases: Sequence[Case]) -> RouteTables | None:
    if len(cases) == 1:
        return cases[0].router.route_tables()
    return tables_after(without_faults(cases[0].router).route_tables(), [case.router for case in cases])


def _after_failures(layers: Layers, cases: Sequence[Case], scale: FixedPointScale, time: float) -> Layers:
    paces, delays = [], []
    for case in cases:
        slow = np.divide(1.0, case.gbs * (scale.per_unit * time), out=np.zeros(case.gbs.size), where=case.gbs > 0)
        paces += [slow * run.times for run in case.job.runs]
        delays += [delay / time for delay in NeighbourTimes.of(case, False).own] if layers.delay.size else []
    return after_failures(layers, paces, delays)


def _check(report: LoadReport, objective: Objective, failures: int) -> None:
    check_follows(report.case)
    runs, links = report.case.job.runs, report.case.network.links * (failures + 1)
    flows = sum(run.phase.tasks * run.phase.fan_out for run in runs)
    if flows > MAX_FLOWS:
        raise SpecError("job", f"has up to {flows:,} flows; at most {MAX_FLOWS:,} can be searched")
    if len(runs) * links > MAX_LOADS and (failures or len(runs) > 1):
        most = max(MAX_LOADS // links, 1)
        raise SpecError("job", f"has {len(runs):,} phases; with {links:,} links at most {most:,} can be searched")
    if not any(objective.weights):
        raise SpecError("objective", "all weights are 0; give at least one a weight above 0")
    if report.time <= 0 and not report.disconnected:
        raise SpecError("mapping", "no link carries anything, so no mapping could be better")


def _message(router: Router) -> int:
    # Fixed-point scale of one message.
    return router.parts or 1 << 32


def _time_unit(report: LoadReport) -> float:
    # Disconnected flows load nothing; once connected, the time may be any multiple of the time at the start.
    case = report.case
    flowing = case.job.volume / (float(case.gbs.sum()) or 1.0)
    # Without any load the time is 0, but tasks on failed nodes still have to move.
    return (max(report.time, flowing) or 1.0) if report.disconnected else report.time


def _layers(
    case: Case,
    objective: Objective,
    scale: FixedPointScale,
    time: float,
    injection: float | None,
    neighbour_times: NeighbourTimes,
) -> Layers:
    message, terms, tables, paces, delays = _message(case.router), [], [], [], []
    gbs = case.gbs if injection is None else np.append(case.gbs, np.full(2 * case.network.nodes, injection))
    with np.errstate(divide="ignore"):
        slow = np.where(gbs > 0, 1 / (gbs * (scale.per_unit * time)), 0.0)
    shared = np.full(case.network.links, 1 / message)
    for term, pace, counts in ((TIME, slow, objective.timed), (CONTENTION, shared, objective.weights[CONTENTION] > 0)):
        for run, delay in zip(case.job.runs if counts else (), neighbour_times.own, strict=False):
            src, dst, volume = crossing_flows(run.phase)
            in_units = scale.of(volume) if term == TIME else np.full(src.size, message, np.int64)
            terms.append(term)
            tables.append(by_task(src, dst, in_units, case.job.tasks))
            # Contention counts squares.
            paces.append(pace * (run.times if term == TIME else np.sqrt(run.times)))
            delays.append(delay / time if term == TIME else NO_LOADS)
    if neighbour_times.others:
        flows = [crossing_flows(run.phase) for run in case.job.runs]
        times = np.repeat([run.times for run in case.job.runs], [each.src.size for each in flows])
        src, dst, volume = FlowBlock.joined(flows)
        tables += [by_task(src, dst, times * scale.of(volume), case.job.tasks)] * len(neighbour_times.others)
        terms += [TIME] * len(neighbour_times.others)
        paces += [times.pace / (scale.per_unit * time) for times in neighbour_times.others]
        delays += [times.delay / time for times in neighbour_times.others]
    return stacked(terms, tables, paces, case.job.tasks, delays)


def _no_distances(tasks: int) -> CommunicationGraph:
    none, pairs = np.zeros(0, np.int32), np.zeros((0, 2))
    return CommunicationGraph(np.zeros(tasks + 1, np.int64), none, pairs, pairs, NO_TABLE, NO_TABLE, True)


def _distances(case: Case, routes: RouteTables | None, squared: bool) -> CommunicationGraph:
    nodes, needed = case.network.nodes, routes is None
    if needed and nodes > MAX_NODES:
        raise SpecError("objective", f"hops can be counted on at most {MAX_NODES:,} nodes under this routing")
    table = _all_pairs(case.router.hops, nodes) if needed or nodes <= MAX_TABLE else NO_TABLE
    squares = _squares(case.router, routes) if squared else NO_TABLE
    symmetric = bool(table.size) and bool((table == table.T).all() and (squares == squares.T).all())
    flows = [crossing_flows(run.phase) for run in case.job.runs]
    times = np.repeat([float(run.times) for run in case.job.runs], [each.src.size for each in flows])
    start, other, out, into = _between(FlowBlock.joined(flows), times, case.job.tasks)
    return CommunicationGraph(start, other, out + into if symmetric else out, into, table, squares, symmetric)


def _squares(router: Router, routes: RouteTables | None) -> NDArray[np.float32]:
    nodes = router.network.nodes
    limit = MAX_TRACED_NODES if routes is None or routes.fluid.size else MAX_TABLE
    if nodes > limit:
        raise SpecError("objective", f"contention can be counted on at most {limit:,} nodes under this routing")
    return _all_pairs(router.squares, nodes)


def _all_pairs(figure: Callable[[Nodes, Nodes], Volumes], nodes: int) -> NDArray[np.float32]:
    # In batches of a million pairs.
    step, node = max(1, (1 << 20) // nodes), np.arange(nodes, dtype=np.int32)
    rows = [node[first : first + step] for first in range(0, nodes, step)]
    columns = [figure(np.repeat(some, nodes), np.tile(node, some.size)) for some in rows]
    return np.concatenate(columns).reshape(nodes, nodes).astype(np.float32)


def _between(
    flows: FlowBlock, times: NDArray[np.float64], tasks: int
) -> tuple[FixedPoint, Tasks, NDArray[np.float64], NDArray[np.float64]]:
    # The partners of every task, with volume and messages in each direction, times the runs of the flow.
    src, dst, volume = flows
    first, second = np.concatenate([src, dst]).astype(np.int64), np.concatenate([dst, src])
    pairs, where = np.unique(first * tasks + second, return_inverse=True)
    amounts = np.stack([volume * times, times], axis=1)
    out, into = np.zeros((pairs.size, 2)), np.zeros((pairs.size, 2))
    np.add.at(out, where[: src.size], amounts)
    np.add.at(into, where[src.size :], amounts)
    start = np.searchsorted(pairs, np.arange(tasks + 1, dtype=np.int64) * tasks)
    return start.astype(np.int64), (pairs % tasks).astype(np.int32), out, into


def neighbour_nodes(network: Network) -> ListRows:
    """Return for every node itself and its neighbours."""
    direct = (network.src < network.nodes) & (network.dst < network.nodes)
    node = np.arange(network.nodes, dtype=np.int32)
    src = np.concatenate([node, network.src[direct]])
    dst = np.concatenate([node, network.dst[direct]])
    order = np.argsort(src, kind="stable")
    start = np.searchsorted(src[order], np.arange(network.nodes + 1))
    return ListRows(start.astype(np.int64), dst[order].astype(np.int32))
