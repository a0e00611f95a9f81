"""Two-opt as published: two ranks are swapped; moves to empty slots are optional."""

import numpy as np
import pytest

from core.job import Flows
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Shortcut
from core.optimise.method import AnyMethod, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import TotalHops
from core.optimise.problem import Problem
from core.optimise.search import Search
from core.routing import Minimal
from core.spec import SpecError, fields_of, from_plain
from tests.core.optimise.cases import TORUS, searching


def broadcast(tasks):
    """A binomial tree: in every step each task with the data sends to the root of half of its subtree."""
    pairs = [
        (r, r + half) for half in (1 << k for k in range(tasks.bit_length() - 1)) for r in range(0, tasks, 2 * half)
    ]
    src, dst = np.array(pairs).T.tolist()
    return Flows(tasks=tasks, src=tuple(src), dst=tuple(dst), volume=(1.0,) * len(src))


def test_broadcast_takes_the_published_hops_before_and_after():
    # Table 3.4, random mapping: 1373 and 794; an independent reference over ten networks: 1368 +- 10 and 787 +- 7.
    scenario = Scenario(Shortcut(nodes=1024, degree=19), broadcast(512), Random(seed=1), Minimal())
    report = evaluate(scenario.build())
    problem = Problem.of(report, TotalHops())
    best_hops = {}
    for method in (TwoOpt(), TwoOpt(empty=True)):
        search = Search(problem, method, MoveConstraints(), 0)
        assert search.best == pytest.approx(1368, abs=30)
        search.advance(200_000)
        best_hops[method] = search.best
    assert best_hops[TwoOpt()] == pytest.approx(787, abs=21)
    # More places to choose from give a better mapping, though not the thesis's.
    assert best_hops[TwoOpt(empty=True)] < 760


def test_empty_slots_stay_empty_unless_the_field_allows_it():
    assert [field.name for field in fields_of(TwoOpt)] == ["empty"]
    assert from_plain({"type": "two-opt"}, AnyMethod) == TwoOpt() == TwoOpt(empty=False)
    start = set(TORUS.build().mapping.slots.tolist())
    for empty, allowed in ((True, True), (True, False), (False, True)):
        search = searching(TORUS, TotalHops(), TwoOpt(empty=empty), MoveConstraints(empty=allowed))
        search.advance(2000)
        assert (set(search.slots.tolist()) == start) != (empty and allowed)


def test_half_filled_nodes_cannot_be_swapped_and_are_refused():
    case, nodes = TORUS.build(), MoveConstraints(unit="node", pinned=np.arange(20, dtype=np.int32))
    with pytest.raises(SpecError, match=r"\(unit: node, not empty\); pin fewer tasks, or let tasks move to empty"):
        TwoOpt().moving(nodes).check(case.network, case.mapping)
    TwoOpt(empty=True).moving(nodes).check(case.network, case.mapping)
