"""Searches for routes: incremental loads against evaluations, minimal paths, and the optimum of small fabrics."""

from contextlib import suppress
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges, Torus, Xgft
from core.optimise.objective import AllJobs, Contention, HopBytes, Mix, Seconds, Throughput, TotalHops
from core.optimise.request import Request
from core.optimise.routes.bounds import route_bounds
from core.optimise.routes.kernel import measure, reload
from core.optimise.routes.problem import RouteProblem
from core.optimise.routes.search import RouteSearch
from core.optimise.run import optimise
from core.routing import Minimal, Tables
from core.routing.tables.kernel import NO_PATH, count_hops
from core.spec import Cancelled, SpecError
from tests.core.network.formats.fabrics import dump
from tests.core.optimise.routes.cases import cases, fat_tree, routed_by, trees

DATA = Path(__file__).parents[3] / "data" / "infiniband"
TREE, DEGRADED = DATA / "tree", DATA / "degraded"
MAX_CHOICES = 300


def report_of(folder, routing, tasks):
    """The all-to-all of a dumped fabric."""
    network = Edges(file="ibnetdiscover.txt")
    return evaluate(Scenario(network, AllToAll(tasks=tasks), Sequential(), routing, folder=folder).build())


def problem_of(data, folder, **options):
    """A problem of a drawn case, unless nothing crosses a switch."""
    report = evaluate(data.draw(cases(folder, **options)))
    with suppress(SpecError):  # no switch carries anything
        return RouteProblem.of(report, Throughput())
    return assume(False)


def fewest_hops(problem):
    """Links from every switch to every LID over working links, by networkx, or -1."""
    network, fabric = problem.case.network, problem.fabric
    works = problem.case.gbs > 0
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.nodes, network.vertices))
    ends = zip(network.src[works].tolist(), network.dst[works].tolist(), strict=True)
    graph.add_edges_from((u, v) for u, v in ends if u >= network.nodes and v >= network.nodes)
    hops = np.full((fabric.lid.size, fabric.switches), -1)
    for nic, link in enumerate(fabric.nics.link.tolist()):
        leaf = int(network.dst[link])
        back = [
            k for k in np.flatnonzero((network.src == leaf) & works).tolist()
            if network.src_ports.number[k] == network.dst_ports.number[link]
        ]  # fmt: skip
        if leaf >= network.nodes and back:
            distance = nx.single_target_shortest_path_length(graph, leaf)
            for row in range(fabric.nics.row_start[nic], fabric.nics.row_start[nic + 1]):
                for switch, length in dict(distance).items():
                    hops[row, switch - network.nodes] = length + 1
    return hops


@given(st.data())
def test_loads_follow_every_move(empty_folder, data):
    problem = problem_of(data, empty_folder())
    search = RouteSearch(problem, data.draw(st.integers(0, 99)))
    for steps in (1, 7, 200):
        search.advance(steps)
        sums = search._sums
        again = problem.sums(sums.ports)
        again.load[:], again.through[:] = problem.traffic.fixed, problem.traffic.entering
        reload(problem.at, problem.paths, problem.traffic, again)
        measure(problem.traffic, search._goal, again)
        np.testing.assert_array_equal(sums.load, again.load)
        np.testing.assert_array_equal(sums.through, again.through)
        np.testing.assert_allclose(sums.hottest, again.hottest, rtol=1e-12)
        np.testing.assert_array_equal(sums.hot, again.hot)
        np.testing.assert_allclose(sums.power, again.power, rtol=1e-6, atol=1e-9)
        now, best = evaluate(routed_by(problem, sums.ports)), evaluate(routed_by(problem, search.ports))
        assert search.current == pytest.approx(now.time, rel=1e-9)
        assert search.best == pytest.approx(best.time, rel=1e-9)
        for run, phase in enumerate(problem.case.job.runs):
            loads = now.phases[phase.first]
            np.testing.assert_allclose(sums.load[:, run] / problem.scale, loads, atol=1e-9 * max(loads.max(), 1))


@given(st.data())
def test_all_paths_stay_minimal_without_loops(empty_folder, data):
    problem = problem_of(data, empty_folder())
    expected = fewest_hops(problem)
    np.testing.assert_array_equal(problem.paths.hops, expected)
    search = RouteSearch(problem, data.draw(st.integers(0, 99)))
    search.advance(100)
    for ports in (search._sums.ports, search.ports):
        fabric = problem.fabric._replace(ports=np.ascontiguousarray(ports))
        followed = count_hops(fabric, problem.case.gbs > 0)
        np.testing.assert_array_equal(followed[expected >= 0], expected[expected >= 0])


def choices_of(problem):
    """The links that each entry with volume may use, for entries with several."""
    paths = problem.paths
    entries = []
    for row, switch in zip(*np.nonzero(paths.hops > 1), strict=True):
        ports = [
            int(paths.out.port[k])
            for k in range(paths.out.start[switch], paths.out.start[switch + 1])
            if (head := paths.head[paths.out.link[k]]) >= paths.nodes
            and paths.hops[row, head - paths.nodes] == paths.hops[row, switch] - 1
        ]
        if len(ports) > 1:
            entries.append((row, switch, ports))
    return entries


@given(st.data())
def test_small_fabrics_reach_the_optimum(empty_folder, data):
    problem = problem_of(data, empty_folder(), devices_and_cables=trees(), phases=False)
    entries = [entry for entry in choices_of(problem) if problem.traffic.entering[entry[0], entry[1], 0]]
    assume(np.prod([float(len(ports)) for _, _, ports in entries]) <= MAX_CHOICES)
    search = RouteSearch(problem, 0)
    ports, least = search._sums.ports.copy(), np.inf
    for chosen in product(*(ports for _, _, ports in entries)):
        for (row, switch, _), port in zip(entries, chosen, strict=True):
            ports[row, switch] = port
        least = min(least, evaluate(routed_by(problem, ports)).time)
    search.advance(2000)
    assert search.best == pytest.approx(least, rel=1e-9)
    bounds = route_bounds(problem)
    assert all(bound.time <= least * (1 + 1e-9) for bound in bounds)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("folder", "name", "tasks", "before", "after"),
    [(TREE, "uneven.fts", 16, 48, 12), (DEGRADED, "opensm-lfts.dump", 64, 144, 64)],
)
def test_dumped_fabrics_reach_the_bound_of_their_leaf_switches(folder, name, tasks, before, after, seed):
    report = report_of(folder, Tables(file=name), tasks)
    result = optimise(report, Request(move="routes", steps=60_000, seed=seed))
    inner = (report.case.network.src >= tasks) & (report.case.network.dst >= tasks)
    assert report.load[inner].max() * tasks == pytest.approx(before)
    problem = RouteProblem.of(report, Throughput())
    better = evaluate(routed_by(problem, problem.ports_in(result.tables)))
    assert result.better
    assert better.time == pytest.approx(result.best) == pytest.approx(result.bounds[0].time)
    assert better.load[inner].max() * tasks == pytest.approx(after)
    cut = next(bound for bound in result.bounds if "send" in bound.reason and "switch" in bound.reason)
    assert cut.time * tasks == pytest.approx(after)


def test_cuts_of_trees_bound_routes_too(tmp_path):
    devices, cables = fat_tree(Xgft(down=(4, 4, 2), up=(1, 4, 2)))
    (tmp_path / "ibnetdiscover.txt").write_text(dump(devices, cables))
    result = optimise(report_of(tmp_path, Minimal(), 32), Request(move="routes", steps=200_000))
    # The 16 hosts of a half send to 16 others over 8 links of 25 GB/s.
    assert result.best == pytest.approx(16 * 16 / 32 / 8 / 25) == pytest.approx(result.bounds[0].time)


def test_a_seed_takes_the_same_steps():
    problem = RouteProblem.of(report_of(DEGRADED, Tables(file="opensm-lfts.dump"), 64), Throughput())
    first, second = RouteSearch(problem, 3), RouteSearch(problem, 3)
    first.advance(1000)
    for _ in range(10):
        second.advance(100)
    np.testing.assert_array_equal(first.ports, second.ports)


def test_other_entries_stay():
    report = report_of(DEGRADED, Tables(file="opensm-lfts.dump"), 64)
    result = optimise(report, Request(move="routes", steps=5000))
    old, new = report.case.router.tables, result.tables
    np.testing.assert_array_equal(old.guids, new.guids)
    assert old.names == new.names
    others = np.setdiff1d(np.arange(old.ports.shape[1]), report.case.router.fabric.lid)
    np.testing.assert_array_equal(old.ports[:, others], new.ports[:, others])


def test_a_scenario_without_tables_starts_from_computed_ones():
    report = report_of(DEGRADED, Minimal(), 64)
    result = optimise(report, Request(move="routes", steps=60_000))
    assert result.best == pytest.approx(1.0)
    assert (result.tables.ports[:, report.case.network.src_ports.lid[:64]] != NO_PATH).all()


def test_cancelling_keeps_the_best():
    report = report_of(DEGRADED, Tables(file="opensm-lfts.dump"), 64)

    def cancel(result):
        if result.steps:
            raise Cancelled

    result = optimise(report, Request(move="routes", seconds=None), cancel)
    assert result.ended
    assert result.best <= result.start


def test_a_search_continues_from_its_best():
    report = report_of(DEGRADED, Tables(file="opensm-lfts.dump"), 64)
    first = optimise(report, Request(move="routes", steps=100))
    second = optimise(report, Request(move="routes", steps=100), after=first)
    assert second.start == first.start
    assert second.best <= first.best


@pytest.mark.parametrize("objective", [HopBytes(), TotalHops(), Contention(), Seconds(), AllJobs(), Mix()])
def test_other_objectives_are_refused(objective):
    report = report_of(TREE, Tables(file="opensm-lfts.dump"), 16)
    with pytest.raises(SpecError, match="routes are searched for throughput"):
        optimise(report, Request(objective, move="routes"))


def test_networks_without_lids_are_refused():
    report = evaluate(Scenario(Torus(dims=(4, 4)), AllToAll(tasks=16), Sequential(), Minimal()).build())
    with pytest.raises(SpecError, match="need an InfiniBand fabric with LIDs"):
        optimise(report, Request(move="routes"))
