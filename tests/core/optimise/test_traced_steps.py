"""Searches without route tables: the same steps, traced move by move; no more flows are ever disconnected."""

from dataclasses import replace

import numpy as np
import pytest

from core.load.evaluate import evaluate
from core.network import BundleFault, NodeFault
from core.optimise.disconnection import Losses
from core.optimise.method import Annealing, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes, Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.search import Search
from core.routing.router import Router
from tests.core.optimise.cases import DIRECT, INDIRECT, METHODS, TORUS, remapped, searching

SCENARIOS = {"torus": TORUS, "direct": DIRECT, "indirect": INDIRECT}


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
@pytest.mark.parametrize("objective", [Throughput(), TotalHops()], ids=lambda objective: objective.tag())
def test_traced_moves_are_those_of_the_tables(scenario, objective, monkeypatch):
    case = scenario.build()
    by_table = searching(case, objective, TwoOpt())
    monkeypatch.setattr(type(case.router), "route_tables", Router.route_tables)
    traced = searching(case, objective, TwoOpt())
    assert Problem.of(evaluate(case), objective).traced
    for search in (by_table, traced):
        search.advance(300)
    if objective == TotalHops():
        np.testing.assert_array_equal(traced.slots, by_table.slots)
        assert traced.best == pytest.approx(by_table.best, rel=1e-6)
    else:
        # Loads are summed in another order, which may change a decision.
        assert traced.best == pytest.approx(evaluate(remapped(case, traced.slots)).time, rel=1e-12)


FAULTS = {"a node": (NodeFault(7, 0.5),), "a bundle": (BundleFault(0, 1),), "both": (NodeFault(40), BundleFault(1, 2))}


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.tag())
def test_searches_around_failed_links_disconnect_no_more_flows(faults, method, monkeypatch):
    # Temperatures follow from a sample of moves, which are traced one by one: few suffice here.
    monkeypatch.setattr("core.optimise.search.SAMPLES", 50)
    case = replace(DIRECT, faults=faults).build()
    report, losses = evaluate(case), Losses(case)
    search = Search(Problem.of(report, Throughput()), method, MoveConstraints(), 1, 0, None)
    search.advance(250)
    after = remapped(case, search.slots)
    assert search.best == pytest.approx(evaluate(after).time, rel=1e-9)
    lost = [losses.of(mapped_case.mapping.nodes) for mapped_case in (after, case)]
    assert search.lost == lost[0] <= lost[1]
    assert search.best <= report.time or lost[0] < lost[1]


def test_hop_bytes_around_failed_links_are_those_of_the_routes():
    case = replace(DIRECT, faults=(NodeFault(7, 0.5),)).build()
    search = searching(case, HopBytes(), Annealing())
    search.advance(200)
    assert search.best == pytest.approx(evaluate(remapped(case, search.slots)).load.sum(), rel=1e-6)
