"""Valiant's routing through groups: against a plain enumeration of paths, and shapes that can be counted by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, DragonflyPlus, HyperX, LinkFault, Mesh, Percs, Torus, Xgft
from core.routing import Minimal, Valiant, with_faults
from core.routing.flows import NodeFlows
from core.routing.minimal import valiant_groups
from core.spec import SpecError
from tests.core.routing.graphs import Drawn, wiring
from tests.core.strategies import node_flows

THROUGH = Valiant(through="group", legs="shortest")
SPECS = (
    Dragonfly(2, 1, 3, 2),
    Dragonfly(3, 1, 4, 1),
    DragonflyPlus(2, 2, 1, 3, 2),
    DragonflyPlus(2, 1, 2, 3, 1),
    HyperX(dims=(3, 2), parallel=(1, 2), nodes_per_switch=2),
    Xgft(down=(2, 2, 2), up=(1, 2, 2)),
    Xgft(down=(2, 2), up=(2, 2)),
    Torus(dims=(3, 2)),
    Mesh(dims=(4, 1)),
    Mesh(dims=(2, 3)),
    Percs(supernodes=2, d_links=1, drawers=1, nodes_per_drawer=1),
    Percs(supernodes=3, d_links=2, drawers=1, nodes_per_drawer=2),
)


def cables(network, ends, node):
    """The link of a node with a single cable to a switch, in a list; empty for other vertices."""
    links = np.flatnonzero(ends == node)
    others = network.src[links] + network.dst[links] - node
    return links.tolist() if node < network.nodes and links.size == 1 and others[0] >= network.nodes else []


def entry(network, node):
    """The switch of a node with a single cable, else the node."""
    links = cables(network, network.src, node)
    return int(network.dst[links[0]]) if links else node


def expected(network, u, v, failed=()):
    """The shares of a unit on links, path by path, shape (roles, links); `failed` links disconnect no node."""
    loads = np.zeros((2, network.links))
    a, b = entry(network, u), entry(network, v)
    loads[0, cables(network, network.src, u)] += 1
    loads[1, cables(network, network.dst, v)] += 1
    if a == b:
        return loads
    oracle, core = wiring(network, "equal", failed), [x for x in range(network.vertices) if entry(network, x) == x]
    ways = []
    for group in range(network.node_groups):
        paths = {x: oracle.shortest(a, x) if x != a else [[]] for x in core if network.group_of[x] == group}
        least = min((len(some[0]) for some in paths.values() if some), default=0)
        ways.append([(x, path) for x, some in paths.items() for path in some if len(path) == least])
    reached = [nearest for nearest in ways if nearest]
    for nearest in reached:
        for x, path in nearest:
            share = 1 / len(reached) / len(nearest)
            np.add.at(loads[0], path, share)
            rest = oracle.shortest(x, b) if x != b else [[]]
            for on in rest:
                np.add.at(loads[1], on, share / len(rest))
    return loads


@settings(max_examples=25)
@given(st.data(), st.sampled_from(SPECS))
def test_every_path_and_total_loads_match_the_enumeration(data, spec):
    network = spec.build()
    router, flows = THROUGH.router(network), data.draw(node_flows(network, most=5))
    wanted = np.zeros((2, network.links))
    for u, v, volume in zip(*(array.tolist() for array in flows), strict=True):
        expected_loads = expected(network, u, v) if u != v else np.zeros((2, network.links))
        route = router.route(u, v)
        by_role = np.zeros_like(expected_loads)
        np.add.at(by_role, (route.roles, route.links), route.shares)
        np.testing.assert_allclose(by_role, expected_loads, atol=1e-12)
        assert router.hops(np.array([u]), np.array([v]))[0] == pytest.approx(expected_loads.sum())
        wanted += volume * expected_loads
    np.testing.assert_allclose(router.loads([flows]), wanted.sum(axis=0), rtol=1e-9, atol=1e-9)
    for link in range(0, network.links, max(network.links // 4, 1)):
        np.testing.assert_allclose(router.crossing(link, flows.src, flows.dst) @ flows.volume, wanted[:, link])


@settings(max_examples=25)
@given(st.data(), st.sampled_from([spec for spec in SPECS if spec.build().nodes == spec.build().vertices]))
def test_a_node_with_one_remaining_neighbour_keeps_all_groups(data, spec):
    network = spec.build()
    failed = np.zeros(network.links, bool)
    for link in data.draw(st.lists(st.integers(0, network.links - 1), max_size=4)):
        u, v = network.src[link], network.dst[link]
        failed |= ((network.src == u) & (network.dst == v)) | ((network.src == v) & (network.dst == u))
    router = with_faults(THROUGH.router(network), failed)
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    connected = u != v and not router.disconnected(np.array([u]), np.array([v]))[0]
    wanted = expected(network, u, v, np.flatnonzero(failed).tolist()) if connected else np.zeros((2, network.links))
    loads = router.loads([NodeFlows(np.array([u], np.int32), np.array([v], np.int32), np.ones(1))])
    np.testing.assert_allclose(loads, wanted.sum(axis=0), atol=1e-12)


def test_a_shift_by_a_group_uses_fewer_global_links_than_through_switches():
    network = Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2).build()
    node = np.arange(network.nodes, dtype=np.int32)
    worst = NodeFlows(node, np.roll(node, -8), np.ones(node.size))
    links = network.link_class("global").links
    loads = {name: routing.router(network).loads([worst])[links] for name, routing in ROUTINGS.items()}
    assert loads["through groups"].max() < loads["minimal"].max()
    assert loads["through groups"].sum() < loads["through switches"].sum()


ROUTINGS = {"minimal": Minimal(spread="equal"), "through groups": THROUGH, "through switches": Valiant(legs="shortest")}


def test_around_failed_links():
    network, job = Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2), AllToAll(tasks=12)
    built = network.build()
    link = built.link_class("global").links.start
    fault = LinkFault.of(built, link, 0.0)
    report = evaluate(Scenario(network, job, Sequential(), THROUGH, faults=(fault,)).build())
    assert report.load[report.case.faults.failed].max() == 0
    assert report.disconnected.count == 0
    hottest = int(report.hottest(1)[0])
    assert explain(report, hottest).tasks.total == pytest.approx(report.load[hottest])


def test_networks_without_groups_and_too_large_ones_are_refused(monkeypatch):
    with pytest.raises(SpecError, match="drawn has no groups; choose node") as refusal:
        THROUGH.check(Drawn(3, pairs=((0, 1), (1, 2))).build())
    assert refusal.value.field == "routing.through"
    monkeypatch.setattr(valiant_groups, "fits_matrix", lambda size: False)
    with pytest.raises(SpecError, match="group supports at most 4,096 vertices, not 6; choose node"):
        THROUGH.router(Torus(dims=(3, 2)).build())
