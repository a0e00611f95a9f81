"""Tasks are placed near each other: fewer hop-bytes, the same in any portions, and only on free slots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.mapping import check_injection
from core.network import Torus
from core.optimise import hop_bytes_annealing
from core.optimise.hop_bytes_annealing import HopBytesAnnealing
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes
from core.optimise.problem import Problem
from core.routing import DimensionOrder

GRID = [(i, j) for i in range(8) for j in range(8)]
EDGES = [(8 * i + j, 8 * a + b) for i, j in GRID for a, b in GRID if abs(i - a) + abs(j - b) == 1]


def mesh(seed):
    # Flows of an open 8 x 8 grid whose ranks are numbered at random, on a torus that holds it without any detour.
    rank = np.random.default_rng(seed).permutation(64)
    src, dst = rank[np.array(EDGES)].T.tolist()
    job = Flows(64, src=tuple(src), dst=tuple(dst), volume=(1.0,) * len(src))
    return Scenario(Torus((4, 4, 4)), job, Random(seed), DimensionOrder())


def gathering(scenario, seed, constraints):
    problem = Problem.of(evaluate(scenario.build()), HopBytes())
    return problem, HopBytesAnnealing(problem, constraints, problem.case.mapping.slots, np.array([seed | 1], np.uint64))


def hop_bytes(problem, slots):
    report = problem.report(slots)
    return sum(float(load.sum()) for load in report.phases)


@settings(max_examples=5)
@given(st.integers(0, 2**31 - 1), st.integers(300, 5_000))
def test_portions_do_not_matter(seed, portion):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hop_bytes_annealing, "LENGTH", 10_000)
        (_, unsplit), (_, parts) = (gathering(mesh(1), seed, MoveConstraints()) for _ in range(2))
    unsplit.advance(unsplit.left)
    while parts.left:
        parts.advance(min(portion, parts.left))
    np.testing.assert_array_equal(unsplit.slots, parts.slots)
    assert unsplit.draw == parts.draw


def test_ranks_numbered_at_random_come_near_each_other():
    problem, gathered = gathering(mesh(2), 7, MoveConstraints())
    before = hop_bytes(problem, problem.case.mapping.slots)
    gathered.advance(gathered.left)
    check_injection(gathered.slots, problem.case.network.slots)
    # At most a quarter above one hop per flow; the random mapping at the start has three.
    assert hop_bytes(problem, gathered.slots) <= 1.3 * len(EDGES) * hop_bytes_of_a_hop(problem)
    assert before > 2.5 * len(EDGES) * hop_bytes_of_a_hop(problem)


def hop_bytes_of_a_hop(problem):
    return problem.case.job.volume / len(EDGES)


def test_pinned_tasks_stay():
    pinned = np.array([0, 5, 63], np.int32)
    problem, gathered = gathering(mesh(3), 1, MoveConstraints(pinned=pinned))
    gathered.advance(100)
    np.testing.assert_array_equal(gathered.slots[pinned], problem.case.mapping.slots[pinned])
    assert (gathered.slots != problem.case.mapping.slots).any()
