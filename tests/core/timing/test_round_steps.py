"""CLEX's rounds as steps of a timeline: the load of links in each, and their sums."""

from dataclasses import replace

import numpy as np
import pytest

from core.job import Allreduce, AllToAll, Flows, Pause, RandomTraffic, Sequence
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Clex
from core.routing import ClexRouting
from core.timing import BarrierTiming, Rounds, detailed_timeline, rounds, timeline
from tests.oracle.clex_rounds import Play


def case_of(job, k=3, levels=3, fat=False, mapping=None, timing=None, slots=1):
    network = Clex(k=k, levels=levels, fat_links=fat, slots_per_node=slots)
    return Scenario(network, job, mapping or Sequential(), ClexRouting(), timing=timing or Rounds(seed=2)).build()


def messages(nodes, count=3):
    return RandomTraffic(tasks=nodes, messages=count, draw="permutation", seed=1)


@pytest.mark.parametrize("fat", [False, True])
@pytest.mark.parametrize(("k", "levels"), [(3, 3), (4, 2), (5, 1)])
def test_links_carry_the_messages_of_the_oracle(k, levels, fat):
    case = case_of(messages(k**levels), k, levels, fat)
    detailed = detailed_timeline(case)
    blocks = (block for _, block in case.job.phases[0].blocks())
    pairs = [(u, v) for block in blocks for u, v in zip(block.src, block.dst, strict=True) if u != v]
    slow = Play(k, levels, pairs, 2, True, fat, 2)
    assert len(detailed.steps) == slow.rounds == detailed.rounds.rounds
    first = {int(c.name.split()[1]): c.links.start for c in case.network.classes}
    for step in range(slow.rounds):
        expected = np.zeros(case.network.links)
        for number, level, link in slow.hops:
            expected[first[level] + link] += number == step
        np.testing.assert_allclose(detailed.each_round.load(step), expected / 3, atol=1e-12)


def test_recorded_links_exist_in_the_network():
    case = case_of(messages(64), 4, 3)
    network, detailed = case.network, detailed_timeline(case)
    for step, of_step in enumerate(detailed.steps):
        links = detailed.each_round.links(step)
        assert of_step.messages == links.size
        src, dst, kinds = network.src[links], network.dst[links], network.class_of[links]
        # Inside a clique all digits but the place stay; over a link of level 2 the place moves up.
        assert (src[kinds == 0] // 4 == dst[kinds == 0] // 4).all()
        assert (src[kinds == 1] % 4 == dst[kinds == 1] // 4 % 4).all()


@pytest.mark.parametrize("ask_first", [False, True])
def test_in_a_round_a_link_carries_one_message(ask_first):
    detailed = detailed_timeline(case_of(messages(27, 7), timing=Rounds(copies=3, ask_first=ask_first)))
    for step in range(len(detailed.steps)):
        links = detailed.each_round.links(step)
        assert np.unique(links).size == links.size
    assert detailed.contention == 0


def test_a_fat_link_carries_one_message_per_link_it_represents():
    detailed = detailed_timeline(case_of(messages(27, 7), fat=True))
    most = [np.bincount(detailed.each_round.links(step)).max(initial=0) for step in range(len(detailed.steps))]
    assert max(most) == 3
    assert detailed.contention > 0


def test_rounds_add_up_to_the_timeline_of_phases():
    parts = Allreduce(tasks=27, algorithm="ring", message_bytes=1e9), Pause(seconds=2.0)
    job = Sequence(parts=parts, repeat=2)
    case = case_of(job, timing=Rounds(hop_seconds=0.5, seed=4), mapping=Random(3))
    of_phases, detailed = timeline(case), detailed_timeline(case)
    assert detailed.rounds == of_phases.rounds
    assert detailed.seconds == pytest.approx(of_phases.seconds)
    ends = [step.start + step.seconds for step in detailed.steps]
    assert [step.start for step in detailed.steps] == pytest.approx([0.0, *ends[:-1]])
    np.testing.assert_allclose(detailed.sent.sum(axis=0), [detailed.load[c.links].sum() for c in case.network.classes])
    # Above the cliques messages cross as many links as the routing expects.
    np.testing.assert_allclose(detailed.sent[:, 1:].sum(axis=0), of_phases.sent[:, 1:].sum(axis=0))
    starts = np.array([step.start for step in detailed.steps])
    assert all(np.isclose(starts, step.start).any() for step in of_phases.steps)


def test_a_report_of_a_round_has_its_loads_and_messages():
    detailed = detailed_timeline(case_of(messages(27)))
    for step in (0, len(detailed.steps) - 1):
        report = detailed.each_round.report(step)
        np.testing.assert_array_equal(report.load, detailed.each_round.load(step))
        assert report.time == report.busy.max() == detailed.busy[step].max()
        assert report.case.job.volume == pytest.approx(detailed.steps[step].messages / 3)
        assert report.case.mapping is detailed.case.mapping


def test_nodes_without_tasks_forward_messages():
    job = Flows(tasks=9, src=(0, 0, 0, 0), dst=(8, 7, 6, 5), volume=(5.0,) * 4)
    detailed = detailed_timeline(case_of(job, mapping=Random(1)))
    sent = sum(detailed.each_round.report(step).case.job.volume for step in range(len(detailed.steps)))
    assert sent < 5.0 * detailed.hops


def test_steps_name_the_levels_they_cross():
    detailed = detailed_timeline(case_of(messages(16, 1), 4, 2))
    assert detailed.steps[0].name == "round 1: level 1"
    assert {step.bottleneck for step in detailed.steps} == {"level 1", "level 2"}
    several = detailed_timeline(case_of(AllToAll(tasks=16, algorithm="pairwise", message_bytes=1e6), 4, 2))
    assert several.steps[0].name.endswith(", round 1: level 1")


def test_too_many_messages_and_other_timings_have_phases_as_steps(monkeypatch):
    case = case_of(messages(27))
    monkeypatch.setattr(rounds, "MAX_HOPS", 100)
    assert detailed_timeline(case).each_round is None
    assert len(detailed_timeline(case).steps) == 1
    barrier = replace(case, scenario=replace(case.scenario, timing=BarrierTiming()))
    assert detailed_timeline(barrier).each_round is None
