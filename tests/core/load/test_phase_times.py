"""Times of phases: how long each takes, its bottleneck, and that they add up to the job's time."""

import pytest

from core.job import Allreduce, Halo, Training
from core.load.evaluate import evaluate
from core.load.phase_times import phase_times
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, Torus
from core.routing import DimensionOrder, Minimal


def test_phases_add_up_to_the_whole_and_wait_for_their_slowest_links():
    job = Training(tensor=2, data=2, pipeline=2, layers=4, hidden=8, sequence=4, micro_batches=2)
    network = Dragonfly(routers=2, global_links=1, groups=2, nodes_per_router=2, global_gbs=0.5)
    report = evaluate(Scenario(network, job, Sequential(), Minimal()).build())
    times = phase_times(report)
    assert [phase_time.name for phase_time in times] == ["tensor", "pipeline", "data"]
    assert sum(phase_time.time for phase_time in times) == pytest.approx(report.time, rel=1e-12)
    # Tensor groups share a router, data groups a group; stages of the pipeline are in two groups.
    assert [phase_time.link_class for phase_time in times] == ["host", "global", "local"]


def test_one_phase_or_many_are_not_listed():
    for job in (Halo(2, 4), Allreduce(8, algorithm="ring")):
        assert phase_times(evaluate(Scenario(Torus(dims=(8,)), job, Sequential(), DimensionOrder()).build())) == ()
