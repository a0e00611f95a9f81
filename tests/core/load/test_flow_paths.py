"""The shares of single flows on links sum to the loads; paths and their shares equal the lists of oracles."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.flow_paths import find_paths, listed_paths
from core.mapping import Random, Sequential
from core.network import Dragonfly, Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, GroupMinimal, Minimal, PercsDirect, PercsIndirect, Valiant
from tests.core.everywhere import scenarios
from tests.core.load.cases import report_of
from tests.core.strategies import lattice_specs, routed_percs


def flows_of(job):
    """The volume of every pair of tasks over all phases."""
    volumes = {}
    for phase in job.phases:
        for _, block in phase.blocks():
            for src, dst, volume in zip(*(column.tolist() for column in block), strict=True):
                volumes[src, dst] = volumes.get((src, dst), 0.0) + volume
    return volumes


def balance_of(paths, network):
    """The share that leaves every vertex minus the share that reaches it."""
    balance = np.zeros(network.vertices)
    np.add.at(balance, network.src[paths.links], paths.shares)
    np.subtract.at(balance, network.dst[paths.links], paths.shares)
    return balance


@given(scenarios())
def test_shares_of_all_flows_sum_to_the_loads(scenario):
    report = evaluate(scenario.build())
    load = np.zeros(report.load.size)
    for (src, dst), volume in flows_of(report.case.job).items():
        paths = find_paths(report, src, dst)
        assert paths.volume == pytest.approx(volume, rel=1e-12)
        assert np.array_equal(paths.links, np.unique(paths.links))
        np.add.at(load, paths.links, paths.shares * volume)
    np.testing.assert_allclose(load, report.load, rtol=1e-9, atol=1e-12 * load.max(initial=0.0))


def passes_on(scenario):
    """Whether paths are contiguous, and nothing leaves a node for itself."""
    return getattr(scenario.routing, "count_middle_hop", True) and scenario.routing.tag() != "clex-routing"


@given(st.data(), scenarios())
def test_shares_are_conserved_at_every_vertex(data, scenario):
    report = evaluate(scenario.build())
    source, destination = (data.draw(st.integers(0, report.case.job.tasks - 1)) for _ in range(2))
    paths = find_paths(report, source, destination)
    u, v = paths.nodes
    expected = np.zeros(report.case.network.vertices)
    if paths.links.size and u != v:
        expected[[u, v]] = 1, -1
    if passes_on(scenario):
        np.testing.assert_allclose(balance_of(paths, report.case.network), expected, atol=1e-9)
    assert (paths.shares > 0).all()
    if paths.count is None or not paths.best.size:
        assert not paths.best.size
        return
    assert 0 < paths.best_share <= paths.shares[np.isin(paths.links, paths.best)].min() * (1 + 1e-9)
    if passes_on(scenario):
        network = report.case.network
        assert (network.src[paths.best[0]], network.dst[paths.best[-1]]) == (u, v)
        assert all(network.dst[a] == network.src[b] for a, b in pairwise(paths.best.tolist()))


@given(st.data(), lattice_specs(), st.sampled_from([Minimal(), Minimal(spread="equal"), Adaptive()]))
def test_minimal_paths_are_those_of_networkx(data, spec, routing):
    network = spec.build()
    tasks = [data.draw(st.integers(0, network.nodes - 1)) for _ in range(2)]
    job = Flows(network.nodes, (tasks[0],), (tasks[1],), (1.0,))
    report = report_of(spec, job, routing, Sequential())
    paths = find_paths(report, *tasks)
    graph = nx.MultiDiGraph()
    graph.add_edges_from(
        (u, v, link) for link, (u, v) in enumerate(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    )
    u, v = paths.nodes
    if u == v:
        assert (paths.count, paths.links.size) == (0, 0)
        return
    reach = nx.shortest_path_length(graph, u, v)
    shortest = {tuple(link for *_, link in path) for path in nx.all_simple_edge_paths(graph, u, v, reach)}
    assert tuple(paths.best.tolist()) in shortest
    assert paths.count == (1 if routing == Minimal() else len(shortest))
    assert paths.best_share == pytest.approx(1 / paths.count)


@given(st.data(), routed_percs(most=9))
def test_percs_paths_are_those_of_the_oracle(data, case):
    network, router, machine = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    shares = {}
    for share, hops in machine.paths(machine.node(u), machine.node(v)):
        links = tuple((machine.number(start), machine.number(end)) for _, (_, start, end) in hops)
        shares[links] = shares.get(links, 0.0) + share
    route = router.route(u, v)
    if u == v:
        assert not route.links.size
        return
    best, share, count = listed_paths(route, route.path)
    assert (count, share) == (len(shares), pytest.approx(max(shares.values())))
    ends = tuple(zip(network.src[best].tolist(), network.dst[best].tolist(), strict=True))
    assert shares[ends] == pytest.approx(share)


@pytest.mark.parametrize(
    ("network", "routing", "nodes", "count", "share"),
    [
        (Percs(8, 4), PercsDirect(), (0, 7 * 32 + 5), 4, 0.25),
        (Percs(8, 4), PercsIndirect(), (0, 7 * 32 + 5), 32, 1 / 32),
        (Torus(dims=(4, 4)), DimensionOrder(), (0, 10), 4, 0.25),
        (Mesh(dims=(5, 5)), DimensionOrder(), (0, 24), 1, 1.0),
        (Percs(8, 4), PercsDirect(), (0, 5), 7, 0.25),
        (Dragonfly(), GroupMinimal(), (0, 35), 1, 1.0),
        (Torus(dims=(4, 4)), Valiant(), (0, 10), None, 0.0),
    ],
)
def test_number_of_paths(network, routing, nodes, count, share):
    slots = network.build().slots_per_node
    job = Flows(slots * (max(nodes) + 1), (nodes[0] * slots,), (nodes[1] * slots,), (3.0,))
    paths = find_paths(report_of(network, job, routing, Sequential()), nodes[0] * slots, nodes[1] * slots)
    assert (paths.count, paths.best_share) == (count, pytest.approx(share))
    assert paths.volume == 3.0
    assert paths.nodes == nodes


@pytest.mark.parametrize(
    ("network", "routing", "nodes"),
    [
        (Percs(8, 4), PercsDirect(), (0, 7 * 32 + 5)),
        (Torus(dims=(4, 6)), DimensionOrder(), (0, 15)),
        (Torus(dims=(5, 7)), Adaptive(), (0, 17)),
        (Torus(dims=(5, 7)), Minimal(spread="equal"), (0, 17)),
    ],
)
def test_among_equal_paths_the_best_crosses_the_requested_link(network, routing, nodes):
    slots = network.build().slots_per_node
    tasks = [node * slots for node in nodes]
    report = report_of(network, Flows(max(tasks) + 1, (tasks[0],), (tasks[1],), (3.0,)), routing, Sequential())
    paths = find_paths(report, *tasks)
    assert paths.count > 1
    for link in paths.links.tolist():
        through = find_paths(report, *tasks, through=link)
        assert link in through.best
        assert through.best_share == pytest.approx(paths.best_share)


def test_phases_are_added():
    report = report_of(Torus(dims=(4, 4)), Halo(4, 4), DimensionOrder(), Random(3))
    assert find_paths(report, 0, 1).volume == pytest.approx(0.25)
    assert find_paths(report, 0, 6).volume == 0
    assert find_paths(report, 0, 6).links.size
