"""Small instances: the searches reach the optimum over all mappings."""

from functools import cache
from math import inf

import numpy as np
import pytest

from core.job import Flows, Halo, Permutation
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit, Random
from core.network import Mesh, Percs, Torus
from core.optimise.method import Annealing, Bottleneck, Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Contention, HopBytes, Throughput, TotalHops
from core.optimise.request import Request
from core.optimise.run import optimise
from core.routing import DimensionOrder, PercsDirect, PercsIndirect
from tests.core.optimise.cases import listed, oracle_paths
from tests.oracle.figures import Everything

OBJECTIVES = (Throughput(), HopBytes(), TotalHops(), Contention())
METHODS = (Portfolio(), Annealing(hot=0.3), Bottleneck(candidates=12, tenure=3))
STEPS, SEEDS = 2_000, 30
"""A few short searches, every fourth twice as long, since each may end in a local optimum."""


def traced(tasks, flows, seed):
    """Some random flows."""
    rng = np.random.default_rng(seed)
    src = rng.integers(0, tasks, flows)
    dst = (src + rng.integers(1, tasks, flows)) % tasks
    volume = rng.integers(1, 9, flows) / 4
    return Flows(tasks, tuple(src.tolist()), tuple(dst.tolist()), tuple(volume.tolist()))


def scattered(network, tasks, seed):
    return Explicit(tuple(np.random.default_rng(seed).permutation(network.build().slots)[:tasks].tolist()))


PERCS = Percs(supernodes=3, d_links=2, slots_per_node=1)
INSTANCES = {
    "2x3 halo on a 3x3 torus": Scenario(Torus(dims=(3, 3)), Halo(rows=2, cols=3), Random(seed=1), DimensionOrder()),
    "flows on a 2x4 mesh": Scenario(Mesh(dims=(2, 4)), traced(8, 20, 1), Random(seed=2), DimensionOrder()),
    "open halo on a 2x2x2 mesh": Scenario(
        Mesh(dims=(2, 2, 2)), Halo(rows=2, cols=4, periodic=False), Random(seed=3), DimensionOrder()
    ),
    "flows on a ring, three places empty": Scenario(
        Torus(dims=(8,)), traced(5, 12, 2), Random(seed=4), DimensionOrder()
    ),
    "permutation, direct": Scenario(
        PERCS, Permutation(7, targets=(1, 2, 3, 4, 5, 6, 0)), scattered(PERCS, 7, 5), PercsDirect()
    ),
    "flows, direct": Scenario(PERCS, traced(7, 16, 6), scattered(PERCS, 7, 7), PercsDirect(intra="single-hop")),
    "flows, indirect": Scenario(PERCS, traced(7, 16, 8), scattered(PERCS, 7, 9), PercsIndirect()),
}


@cache  # not a module fixture, which would be set up again for each test in another order
def solved(name):
    """A case, its constraints, and the best figures over all its mappings."""
    scenario = INSTANCES[name]
    case = scenario.build()
    percs = isinstance(scenario.network, Percs)
    # On a PERCS machine only the nodes of the tasks at the start.
    nodes = case.mapping.nodes.tolist() if percs else list(range(case.network.nodes))
    paths, gbs = oracle_paths(case), gbs_of(case)
    flows = [flow for flow in next(listed(case)) if flow[0] != flow[1]]
    return case, MoveConstraints(empty=not percs), Everything(paths, flows, case.job.tasks, nodes, gbs).best()


def gbs_of(case):
    """The bandwidth of a link by the oracle's name."""
    rates = {c.name: c.gbs for c in case.network.classes}
    return lambda link: rates[link[0]] if isinstance(link[0], str) else case.network.classes[link[0]].gbs


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.tag())
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.tag())
@pytest.mark.parametrize("name", INSTANCES)
def test_the_best_of_all_mappings_is_found(name, objective, method):
    case, constraints, best = solved(name)
    report, target = evaluate(case), best[objective.tag()]
    lowest = inf
    for seed in range(SEEDS):
        lowest = min(
            lowest, optimise(report, Request(objective, method, constraints, None, STEPS << seed // 4, seed=seed)).best
        )
        assert lowest >= target - 1e-6 * abs(target) - 1e-9
        if lowest == pytest.approx(target, rel=1e-6, abs=1e-9):
            return
    pytest.fail(f"{lowest} is not {target}")


def test_the_oracle_tries_all():
    # A ring of five, one message to each next task: at best every message has a separate link.
    paths = oracle_paths(Scenario(Torus(dims=(5,)), Permutation(5), Random(), DimensionOrder()).build())
    ring = [(task, (task + 1) % 5, 1.0) for task in range(5)]
    best = Everything(paths, ring, 5, range(5), lambda link: 2.0).best()
    assert best == {"throughput": 0.5, "hop-bytes": 5.0, "hops": 5.0, "contention": 0.0}
