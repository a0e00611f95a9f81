"""The loads of watched links over the steps equal the loads of each step evaluated alone."""

from dataclasses import replace

import numpy as np
import pytest

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.network.faults import LinkFault
from core.routing import DimensionOrder
from core.spec import Cancelled
from core.timing.link_activity import watched

JOB = AllToAll(tasks=16, algorithm="pairwise", message_bytes=1e9)
SCENARIO = Scenario(Torus((4, 4)), JOB, Sequential(), DimensionOrder())


@pytest.mark.parametrize("slow", [False, True])
def test_sets_of_links_have_the_loads_of_each_step_alone(slow):
    case = SCENARIO.build()
    if slow:
        fault = LinkFault.of(case.network, 3, 0.25)
        case = replace(SCENARIO, faults=(fault,)).build()
    sets = [np.array([3]), np.arange(8), np.zeros(0, np.intp)]
    watched_sets = watched(evaluate(case), sets)
    for step, phase in enumerate(case.job.phases):
        load = evaluate(replace(case, job=replace(case.job, phases=(phase,)))).load
        for number, links in enumerate(sets):
            times = [load[link] / case.gbs[link] for link in links]
            assert watched_sets.busy[step, number] == pytest.approx(max(times, default=0.0))
            assert watched_sets.sent[step, number] == pytest.approx(sum(load[links]))
    assert watched_sets.gbs.tolist() == [case.gbs[links].sum() for links in sets]
    assert watched_sets.busy.max() > 0


def test_it_can_be_cancelled():
    def stop(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        watched(evaluate(SCENARIO.build()), [np.arange(3)], stop)
