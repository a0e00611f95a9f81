"""Timelines of jobs with several steps; CPU time with compiled kernels."""

from time import process_time

import pytest

from core.job import Allreduce
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Torus
from core.routing import Adaptive, DimensionOrder
from core.timing import BarrierTiming, FairShare
from tests.benchmarks.timing import digits, medians, seconds_text


@pytest.mark.parametrize("dims", [(32, 32), (16, 8, 8)], ids=lambda dims: " × ".join(map(str, dims)))
@pytest.mark.parametrize(
    ("mapping", "routing"),
    [
        (Sequential(), DimensionOrder()),
        (Random(1), DimensionOrder()),
        (Sequential(), Adaptive()),
        # A message is spread over 167 links, so every event changes a third of all rates.
        (Random(1), Adaptive()),
    ],
    ids=lambda given: given.tag(),
)
def test_fair_share_of_recursive_doubling(record, dims, mapping, routing):
    job = Allreduce(tasks=1024, algorithm="recursive-doubling", message_bytes=1e6)
    case = Scenario(Torus(dims=dims), job, mapping, routing).build()
    calls = [lambda: FairShare().timeline(case), lambda: BarrierTiming().timeline(case)]
    for call in calls:
        call()  # compile
    ours, barrier = medians(1, *calls, clock=process_time)
    what = f"fair share of 1,024 ranks, 10 steps of recursive doubling, torus {' × '.join(map(str, dims))}"
    spread = "" if routing == DimensionOrder() else f", {routing.tag()}"
    record(f"{what}, {mapping.tag()}{spread}", seconds_text(ours), f"{digits(ours / barrier)}× the time with a barrier")
    assert ours < 5
