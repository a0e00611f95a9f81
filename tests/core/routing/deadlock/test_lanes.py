"""Virtual lanes by first fit: equal to a slow first fit, path by path, with networkx."""

from collections import defaultdict
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings

from core.network import Circulant, Dragonfly, FatTree, SlimFly, Torus
from core.routing import DimensionOrder, DModK, GroupMinimal, Minimal, with_faults
from core.routing.deadlock import lanes
from core.routing.deadlock.in_use import dependencies_of
from core.routing.deadlock.lanes import pairs_by_lane
from tests.core.routing.graphs import routed_graphs


def first_fit(router):
    """Return the number of pairs on each lane, sources of each destination in turn."""
    nodes, graphs, pairs = router.network.nodes, defaultdict(nx.DiGraph), defaultdict(int)
    for v in range(nodes):
        for u in range(nodes):
            src, dst = np.array([u], np.int32), np.array([v], np.int32)
            path = router.paths(src, dst).links.tolist()
            for lane in range(len(graphs) + 1) if path else ():
                new = [arc for arc in pairwise(path) if not graphs[lane].has_edge(*arc)]
                graphs[lane].add_edges_from(new)
                if nx.is_directed_acyclic_graph(graphs[lane]):
                    pairs[lane] += 1
                    break
                graphs[lane].remove_edges_from(new)
    return [pairs[lane] for lane in range(max(len(pairs), 1))]


@pytest.mark.parametrize(
    ("spec", "routing", "count"),
    [
        (Torus((5, 5)), DimensionOrder(), 3),
        (Torus((5, 3, 3)), DimensionOrder(), 2),
        (Torus((7,)), Minimal(), 2),
        (FatTree(4, 2), DModK(), 1),
        (Dragonfly(3, 1, groups=4), GroupMinimal(spread="single"), 2),
        (Dragonfly(3, 1, groups=4), Minimal(), 2),
        (SlimFly(5), Minimal(), 2),
        (Circulant(nodes=13, jumps=(1, 5)), Minimal(), 2),
    ],
)
@pytest.mark.parametrize("failures", [0, 3])
def test_lanes_are_first_fit(spec, routing, count, failures):
    network = spec.build()
    router, failed = routing.router(network), np.zeros(network.links, bool)
    failed[np.linspace(0, network.links - 1, failures).astype(int)] = True
    router = with_faults(router, failed) if failures else router
    pairs = pairs_by_lane(router, dependencies_of(router)).tolist()
    assert pairs == first_fit(router)
    assert len(pairs) <= 3 if failures else len(pairs) == count


@settings(max_examples=40)
@given(routed_graphs(models=("single",)))
def test_lanes_of_drawn_graphs(case):
    _, router, _ = case
    assume(router.single_path)
    pairs = pairs_by_lane(router, dependencies_of(router)).tolist()
    assert pairs == first_fit(router)


def test_too_few_lanes(monkeypatch):
    monkeypatch.setattr(lanes, "MAX_LANES", 1)
    router = DimensionOrder().router(Torus((5, 5)).build())
    assert pairs_by_lane(router, dependencies_of(router)).size == 0
