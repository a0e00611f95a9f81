"""Random traffic: as declared, and the same on every machine."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import RandomTraffic
from core.job.random_traffic import MAX_MESSAGES
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import Minimal
from core.spec import SpecError


def pairs(spec):
    (phase,) = spec.build().phases
    flows = phase.out_flows(np.arange(spec.tasks, dtype=np.int32))
    return list(zip(flows.src.tolist(), flows.dst.tolist(), strict=True)), flows


def test_the_published_case_is_reproduced():
    # "Job patterns the field expects", 5: 8 tasks, 2 messages, seed 0: 13 flows, 13/2 units, load 2 on a ring.
    spec = RandomTraffic(tasks=8, messages=2)
    drawn, _ = pairs(spec)
    targets = [6, 5, 4, 2, 2, 0, 0, 0, 1, 6, 5, 7, 4, 4, 7, 5]
    assert [dst for _, dst in drawn] == targets
    away = [pair for pair in drawn if pair[0] != pair[1]]
    assert len(away) == 13
    report = evaluate(Scenario(Torus(dims=(8,)), spec, Sequential(), Minimal(spread="equal")).build())
    assert report.load.max() == pytest.approx(2)


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 9))
def test_a_permutation_brings_every_task_as_much_as_it_sends(tasks, messages, seed):
    _, flows = pairs(RandomTraffic(tasks, messages, "permutation", seed))
    assert (np.bincount(flows.dst, minlength=tasks) == messages).all()
    np.testing.assert_allclose(np.bincount(flows.src, flows.volume), 1)


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 9))
def test_received_messages_are_the_sent_messages(tasks, messages, seed):
    spec = RandomTraffic(tasks, messages, "independent", seed)
    drawn, _ = pairs(spec)
    (phase,) = spec.build().phases
    received = phase.in_flows(np.arange(tasks, dtype=np.int32))
    assert Counter(drawn) == Counter(zip(received.src.tolist(), received.dst.tolist(), strict=True))


def test_too_many_messages_are_refused():
    with pytest.raises(SpecError, match=r"job.messages: .* make .* the limit is"):
        RandomTraffic(tasks=MAX_MESSAGES >> 8, messages=257).build()
