"""Waiting times of ranks, compared with a loop over all messages."""

from dataclasses import replace

import numpy as np
import pytest

from core.job import AllToAll, Gather
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder
from core.timing import FairShare, timeline
from core.timing.waiting import all_begun, last_to_begin

SCENARIO = Scenario(Torus((4, 4)), Gather(tasks=16), Random(seed=1), DimensionOrder(), timing=FairShare())


@pytest.mark.parametrize("job", [Gather(tasks=16), AllToAll(tasks=16, algorithm="bruck")], ids=lambda job: job.tag())
def test_a_rank_waits_for_the_last_sender(job):
    times = timeline(replace(SCENARIO, job=job).build())
    begun, waited = all_begun(times), 0
    for step, phase in enumerate(times.case.job.phases):
        begins = times.rank_times[step]
        for rank in range(16):
            senders = [s for _, block in phase.blocks() for s, d in zip(block.src, block.dst, strict=True) if d == rank]
            latest = max([begins[rank], *begins[senders]])
            assert begun[step, rank] == latest
            last = last_to_begin(times, step, rank)
            assert (last is None) == (latest == begins[rank])
            if last is not None:
                waited += 1
                assert last in senders
                assert begins[last] == latest
    assert np.all(begun >= times.rank_times[:-1])
    assert waited
