"""Searches of jobs inside one connected component are as fast as on a network of its own, and stay there."""

from dataclasses import replace

import numpy as np
import pytest

from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit, Random
from core.network import Circulant, LinkFault
from core.optimise.disconnection import within_component
from core.optimise.method import Portfolio
from core.optimise.objective import Throughput
from core.optimise.problem import Problem
from core.routing import FaultyRouter, Minimal, Valiant
from tests.core.optimise.cases import remapped, searching

RINGS = Circulant(nodes=16, jumps=(2, 4))
"""Two rings of eight: the even and the odd nodes."""
INSIDE = Scenario(RINGS, Halo(rows=2, cols=3), Random(1), Minimal())


@pytest.mark.parametrize("routing", [Minimal(), Minimal(spread="equal"), Valiant()], ids=repr)
@pytest.mark.parametrize("allocation", ["", "0-13"])
def test_a_search_uses_tables_and_stays_in_the_component(routing, allocation):
    case = replace(INSIDE, routing=routing, allocation=allocation).build()
    assert not case.mapping.nodes.astype(int)[0] % 2
    search = searching(case, Throughput(), Portfolio())
    assert not Problem.of(evaluate(case), Throughput()).traced
    search.advance(300)
    report = evaluate(remapped(case, search.slots))
    assert not report.disconnected
    assert set((report.case.mapping.nodes % 2).tolist()) == {0}
    assert report.case.mapping.nodes.max() < (14 if allocation else 16)
    assert search.best == pytest.approx(report.time)


def test_nodes_are_the_jobs_in_the_component():
    case = replace(INSIDE, mapping=Explicit((1, 3, 5, 7, 9, 11)), allocation="11,9,8,7,5,3,1").build()
    inside = within_component(evaluate(case)).case
    assert inside.allocation.nodes.tolist() == [11, 9, 7, 5, 3, 1]
    assert not isinstance(inside.router, FaultyRouter)
    np.testing.assert_array_equal(evaluate(inside).load, evaluate(case).load)


def test_other_jobs_are_searched_as_they_are():
    connected = replace(INSIDE, network=Circulant(nodes=16, jumps=(1, 2)))
    apart = replace(INSIDE, job=Flows(src=(0,), dst=(1,), volume=(1.0,)), mapping=Explicit((0, 1)))
    failed = replace(INSIDE, faults=(LinkFault(src=0, dst=2),))
    for scenario in (connected, apart, failed):
        report = evaluate(scenario.build())
        assert within_component(report) is report
