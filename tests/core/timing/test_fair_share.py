"""Without a barrier, over links shared fairly: against an oracle, closed forms and the barrier."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Allgather, Allreduce, AllToAll, Broadcast, Flows, Halo, Pause, Sequence
from core.job.job import FlowBlock, Job, Phase
from core.load.scenario import Case, Scenario
from core.mapping import Random, Sequential
from core.network import Clex, Complete, LinkFault, Percs, Shortcut, Torus
from core.network.families import clex
from core.routing import Adaptive, ClexRouting, CongestionAware, DimensionOrder, Minimal, PercsIndirect, Valiant
from core.spec import Cancelled, SpecError, TooLarge
from core.timing import BarrierTiming, FairShare, SimGrid, timeline
from core.timing import routed as module
from core.timing.max_min import Sharing, add_pair, changed, remove_pair, share_fairly
from core.timing.paths import Paths, paths_of
from tests.core.strategies import fitting, jobs
from tests.oracle import fair_share

CLOSE = 1e-7
"""The oracle and the kernel count messages as sent if 1e-9 of them is left."""
ROUTINGS = [DimensionOrder(), Adaptive(), Minimal(spread="equal"), CongestionAware(rounds=2), Valiant()]


class Listed(Phase):
    """Messages as they come, after a pause."""

    def __init__(self, tasks, messages, pause_seconds=0.0):
        self.tasks, self.listed, self.pause_seconds = tasks, messages, pause_seconds
        self.fan_out = tasks * len(messages)

    def out_flows(self, tasks):
        mine = [m for m in self.listed if m[0] in tasks]
        src, dst, volume = zip(*mine, strict=True) if mine else ((), (), ())
        return FlowBlock(np.array(src, np.int32), np.array(dst, np.int32), np.array(volume, float))

    def in_flows(self, tasks):
        raise NotImplementedError


def listed(tasks, *phases):
    """A job of phases, each a pause and (source, destination, volume)."""
    made = tuple(Listed(tasks, messages, pause) for pause, messages in phases)
    return SimpleNamespace(build=lambda folder=None: Job(None, tasks, made, None, unit=False), resized=None)


def built(network, job, routing, mapping=None, faults=()):
    return Scenario(network, job, mapping or Sequential(), routing, faults=faults).build()


def timed(network, job, routing, mapping=None, **timing):
    return FairShare(**timing).timeline(built(network, job, routing, mapping))


def check(case, hop_seconds=0.0, injection_gbs=None):
    """Compare a case with the oracle."""
    computed = FairShare(hop_seconds=hop_seconds, injection_gbs=injection_gbs).timeline(case)
    times, messages = fair_share.rank_times(case, hop_seconds, injection_gbs)
    np.testing.assert_allclose(computed.rank_times, np.array(times, float), rtol=CLOSE, atol=1e-12)
    for number, (step, phase) in enumerate(zip(computed.steps, case.job.phases, strict=True)):
        mine = [m for m in messages if m.step == number]
        begin = min((m.start - phase.pause_seconds for m in mine), default=min(times[number]))
        end = max((m.sent + m.wait for m in mine), default=max(times[number + 1]))
        assert (step.start, step.start + step.seconds) == pytest.approx((begin, end), rel=CLOSE, abs=1e-12)
        assert step.messages == len(mine)


@settings(max_examples=30, deadline=None)
@given(st.data(), st.sampled_from(ROUTINGS), st.sampled_from([0.0, 1e-3, 0.5]))
def test_ranks_continue_when_they_do_in_the_oracle(data, routing, hop_seconds):
    job = fitting(data.draw, jobs, lambda job: job.build().tasks <= 8)
    network = Torus(dims=(3, 2), slots_per_node=2)
    injection = data.draw(st.none() | st.floats(0.01, 10))
    check(built(network, job, routing, Random(data.draw(st.integers(0, 9)))), hop_seconds, injection)


messages = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.0, 1e-3, 1.0, 2.0, 7.3])), max_size=10
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.25, 3.0]), messages), min_size=1, max_size=4), st.sampled_from(ROUTINGS)
)
def test_messages_and_pauses_match_the_oracle(phases, routing):
    scenario = Scenario(Torus(dims=(2, 3), slots_per_node=2), Halo(2, 4), Random(3), routing)
    case = scenario.build()
    check(Case(scenario, case.network, listed(8, *phases).build(), case.mapping, case.router), 0.125, 2.0)


def test_disconnected_messages_count_as_sent():
    network = Torus(dims=(4,))
    built_network = network.build()
    faults = tuple(LinkFault.of(built_network, link, 0.0) for link in np.flatnonzero(built_network.src == 0).tolist())
    case = built(network, Allreduce(tasks=4, algorithm="ring", message_bytes=4e9), Minimal(), faults=faults)
    check(case, 0.1)


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: routing.tag())
def test_slow_and_failed_links_are_shared_as_in_the_oracle(routing):
    network = Torus(dims=(3, 2), slots_per_node=2)
    faults = tuple(LinkFault.of(network.build(), link, speed) for link, speed in ((0, 0.5), (5, 0.1), (9, 0.0)))
    job = Allreduce(tasks=12, algorithm="rabenseifner", message_bytes=3e9)
    check(built(network, job, routing, Random(1), faults=faults), 0.01, 3.0)


# Closed forms


@pytest.mark.parametrize("tasks", [3, 5, 8, 64])
def test_a_ring_allreduce_takes_twice_its_vector_over_the_bandwidth(tasks):
    job = Allreduce(tasks=tasks, algorithm="ring", message_bytes=1e9)
    times = timed(Torus(dims=(tasks,), gbs=2.0), job, DimensionOrder())
    assert times.seconds == pytest.approx(2 * (tasks - 1) / tasks / 2.0)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_flows_that_share_one_link_take_turns(count):
    # Tasks on one node send 1, 2, ... GB to one other: the k-th smallest has arrived when all smaller messages have,
    # with as much of each larger one.
    network = Torus(dims=(2,), wrap=False, gbs=1.0, slots_per_node=count)
    volumes = np.arange(1.0, count + 1)
    job = Flows(
        tasks=2 * count, src=tuple(range(count)), dst=tuple(range(count, 2 * count)), volume=tuple(volumes.tolist())
    )
    times = timed(network, job, DimensionOrder())
    expected = [np.minimum(volumes, volume).sum() for volume in volumes]
    np.testing.assert_allclose(times.rank_times[1], [*expected, *expected])


def test_a_broadcast_does_not_wait_for_far_ranks():
    # The root sends one message at a time: 4, 2, 1; a relaying task waits a hop's latency twice, the root does not.
    times = timed(Complete(nodes=8, gbs=1.0), Broadcast(tasks=8, message_bytes=1e9), Minimal(), hop_seconds=0.5)
    assert times.rank_times[-1][0] == 3.0
    assert times.seconds == 6.0


def test_injection_limits_the_sending_of_a_node():
    times = timed(Complete(nodes=4, gbs=1.0), AllToAll(4, "at-once", 1e9), Minimal(), injection_gbs=0.5)
    assert times.seconds == pytest.approx(6.0)


def test_tasks_of_one_node_wait_one_latency():
    job = Allreduce(tasks=4, algorithm="recursive-doubling", message_bytes=1e9)
    times = timed(Torus(dims=(2,), slots_per_node=4), job, DimensionOrder(), hop_seconds=0.5)
    assert [step.seconds for step in times.steps] == [0.5, 0.5]


# Compared with the barrier


@pytest.mark.parametrize("hop_seconds", [0.0, 1e-3])
@pytest.mark.parametrize(
    ("network", "job", "routing"),
    [
        (Torus(dims=(4, 4)), Allreduce(tasks=16, algorithm="recursive-doubling", message_bytes=1e6), DimensionOrder()),
        (Torus(dims=(8,)), Allgather(tasks=8, algorithm="ring", message_bytes=1e6), DimensionOrder()),
        (Complete(nodes=9), AllToAll(9, "shift", 1e6), Minimal()),
        (Percs(supernodes=2), Allreduce(64, 1e6, "rabenseifner"), PercsIndirect()),
        (Shortcut(nodes=16, degree=4), AllToAll(16, "at-once", 1e6), Minimal(spread="equal")),
    ],
)
def test_equal_phases_of_one_message_per_rank_last_as_long_as_with_a_barrier(network, job, routing, hop_seconds):
    times = timed(network, job, routing, hop_seconds=hop_seconds)
    barrier = BarrierTiming(hop_seconds=hop_seconds).timeline(times.case)
    if isinstance(network, Shortcut):
        # One phase alone, links loaded unequally: the busiest link is always busy, others wait for nobody.
        assert times.seconds == pytest.approx(barrier.seconds, rel=0.5)
        assert times.seconds >= barrier.seconds * (1 - CLOSE)
        return
    assert [step.start for step in times.steps] == pytest.approx([step.start for step in barrier.steps])
    assert times.seconds == pytest.approx(barrier.seconds)
    np.testing.assert_array_equal(times.load, barrier.load)


@settings(max_examples=40, deadline=None)
@given(jobs.filter(lambda job: job.build().tasks <= 24), st.sampled_from(ROUTINGS), st.integers(0, 9))
def test_no_link_exceeds_its_bandwidth(job, routing, seed):
    times = timed(Torus(dims=(3, 4), slots_per_node=2), job, routing, Random(seed))
    case = times.case
    assert times.seconds >= (times.load / case.gbs).max(initial=0.0) * (1 - CLOSE)
    # And a step takes no longer alone than its busiest link needs, as after a barrier at best.
    for step, busy in zip(times.steps, times.busy, strict=True):
        assert step.seconds >= busy.max(initial=0.0) * (1 - CLOSE)


# Max-min


@st.composite
def shared(draw):
    links = draw(st.integers(1, 6))
    capacity = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=links, max_size=links)))
    share = st.sampled_from([0.25, 0.5, 1.0])
    routes = draw(st.lists(st.dictionaries(st.integers(0, links - 1), share, min_size=1), min_size=1, max_size=8))
    many = draw(st.lists(st.integers(1, 3), min_size=len(routes), max_size=len(routes)))
    return capacity, routes, many


def paths_along(routes):
    """Routes, dicts of shares by link, as arrays."""
    start = np.cumsum([0, *map(len, routes)])
    links = np.array([link for route in routes for link in route], np.int32)
    return Paths(start, links, np.array([share for route in routes for share in route.values()]))


def rates_of(capacity, routes, many):
    return rates_along(capacity, paths_along(routes), np.array(many, np.int32))


def rates_along(capacity, paths, flows):
    """Rates of a number of flows of each pair, all started at once."""
    busy, sharing = np.flatnonzero(flows).astype(np.int32), Sharing.of(paths, capacity)
    for p in busy.tolist():
        add_pair(p, paths, sharing.on)
        changed(p, sharing.rates)
    share_fairly(busy, busy.size, flows, paths, sharing)
    return sharing.rates.rate


@given(shared(), st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3)), max_size=12))
def test_rates_stay_right_as_flows_come_and_go(given, changes):
    capacity, routes, _ = given
    paths, flows = paths_along(routes), np.zeros(len(routes), np.int32)
    sharing = Sharing.of(paths, capacity)
    for which, many in changes:
        p = which % len(routes)
        if (flows[p] == 0) != (many == 0):
            (add_pair if many else remove_pair)(p, paths, sharing.on)
        if flows[p] != many:
            flows[p] = many
            changed(p, sharing.rates)
        busy = np.flatnonzero(flows).astype(np.int32)
        share_fairly(busy, busy.size, flows, paths, sharing)
        alone = [routes[q] for q in busy for _ in range(flows[q])]
        expected = fair_share.rates(alone, dict(enumerate(capacity.tolist())))
        np.testing.assert_allclose(np.repeat(sharing.rates.rate[busy], flows[busy]), expected, rtol=CLOSE)
        assert not any(marks.any() for marks in (sharing.rates.stale, sharing.rates.chosen, sharing.rates.used))


@given(shared())
def test_rates_are_max_min_fair(given):
    capacity, routes, many = given
    rate = rates_of(*given)
    load = np.zeros(capacity.size)
    for route, some, r in zip(routes, many, rate, strict=True):
        for link, share in route.items():
            load[link] += some * share * r
    assert (load <= capacity * (1 + CLOSE)).all()
    # No rate can grow except at the cost of a rate no greater: each crosses a full link on which no rate is higher.
    for route, r in zip(routes, rate, strict=True):
        full = [link for link in route if load[link] >= capacity[link] * (1 - CLOSE)]
        fastest = [max(x for other, x in zip(routes, rate, strict=True) if link in other) for link in full]
        assert any(r >= x * (1 - CLOSE) for x in fastest)


@given(shared())
def test_rates_match_plain_water_filling(given):
    capacity, routes, many = given
    flows = [route for route, some in zip(routes, many, strict=True) for _ in range(some)]
    expected = fair_share.rates(flows, dict(enumerate(capacity.tolist())))
    np.testing.assert_allclose(np.repeat(rates_of(*given), many), expected, rtol=CLOSE)


@pytest.mark.parametrize(("seed", "length"), [(0, 4), (1, 4), (2, 4), (3, 40), (4, 40)])
def test_partly_refilled_rates_are_max_min_fair_for_all(seed, length):
    # Many pairs: over few of many links, so that few changes affect half of them; or spread over many, so that few
    # links are bottlenecks, and others become bottlenecks in turn.
    random, links, pairs = np.random.default_rng(seed), 120, 150
    capacity = random.choice([0.5, 1.0, 3.0], links)
    spread = random.choice([0.25, 1.0], (pairs, length)).tolist()
    crossed = [random.choice(links, length, replace=False).tolist() for _ in range(pairs)]
    routes = [dict(zip(some, parts, strict=True)) for some, parts in zip(crossed, spread, strict=True)]
    paths, flows = paths_along(routes), np.zeros(pairs, np.int32)
    sharing = Sharing.of(paths, capacity)
    for _ in range(300):
        p = int(random.integers(pairs))
        flows[p] = 1 - flows[p]
        (add_pair if flows[p] else remove_pair)(p, paths, sharing.on)
        changed(p, sharing.rates)
        busy = np.flatnonzero(flows).astype(np.int32)
        share_fairly(busy, busy.size, flows, paths, sharing)
        alone = rates_along(capacity, paths, flows)
        np.testing.assert_allclose(sharing.rates.rate[busy], alone[busy], rtol=CLOSE)


# Paths


@pytest.mark.parametrize(
    ("network", "routing"),
    [
        (Torus(dims=(4, 3)), DimensionOrder()),
        (Torus(dims=(4, 3)), Minimal(spread="equal")),
        (Torus(dims=(4, 3)), Valiant()),
        (Torus(dims=(4, 3)), Adaptive()),
        (Percs(supernodes=2), PercsIndirect()),
        (Clex(k=3, levels=2), ClexRouting()),
    ],
)
def test_paths_from_tables_match_single_routes(network, routing, monkeypatch):
    built = network.build()
    router = routing.router(built)
    u, v = (ends.ravel().astype(np.int32) for ends in np.indices((built.nodes, built.nodes)))
    for few in (0, 1 << 20):
        monkeypatch.setattr("core.timing.paths.TABLES_FROM", few)
        paths = paths_of(router, u, v, "fair-share", lambda _: None)
        for p in range(0, u.size, 7):
            some = slice(paths.start[p], paths.start[p + 1])
            route = router.route(int(u[p]), int(v[p]))
            expected = np.bincount(route.links, route.shares, built.links) if u[p] != v[p] else np.zeros(built.links)
            np.testing.assert_allclose(
                np.bincount(paths.links[some], paths.shares[some], built.links), expected, atol=1e-12
            )


def test_planning_schemes_plan_once_per_phase(monkeypatch):
    case, planned = built(Torus(dims=(4,)), Allreduce(4, 4e9, "ring"), CongestionAware(rounds=2)), []
    plan = type(case.router).planned
    monkeypatch.setattr(type(case.router), "planned", lambda *given: planned.append(1) or plan(*given))
    FairShare().timeline(case)
    assert len(planned) == len(case.job.runs)


# Refusals


def test_too_many_messages_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_MESSAGES", 100)
    with pytest.raises(TooLarge, match=r"^timing\.type: .*at most 100"):
        timed(Torus(dims=(16,)), AllToAll(16, "at-once", 1e6), DimensionOrder())


def test_too_many_steps_of_tasks_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_CELLS", 100)
    with pytest.raises(TooLarge, match=r"^timing\.type: .* 496 times; at most 100"):
        timed(Torus(dims=(16,)), Allreduce(tasks=16, algorithm="ring", message_bytes=1e6), DimensionOrder())


@pytest.mark.parametrize("timing", [FairShare(), SimGrid()], ids=lambda timing: timing.tag())
def test_too_many_links_are_refused(timing, monkeypatch):
    monkeypatch.setattr("core.timing.simgrid.pythons", lambda: ("python3",))
    monkeypatch.setattr("core.timing.paths.MAX_ENTRIES", 10)
    case = built(Torus(dims=(16,)), AllToAll(16, "at-once", 1e6), DimensionOrder())
    with pytest.raises(TooLarge, match=rf"^timing\.type: {timing.tag()} traces at most 10"):
        timing.timeline(case)


def test_aggregated_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(clex, "MAX_LINKS", 100)
    with pytest.raises(SpecError, match=r"^timing\.type: .*each node here represents several"):
        timed(Clex(k=4, levels=3), Halo(8, 8), ClexRouting())


def test_it_can_be_cancelled():
    def stop(done):
        if done > 0.5:
            raise Cancelled

    case = built(Torus(dims=(8, 8)), AllToAll(64, "shift", 1e6), DimensionOrder(), Random(1))
    with pytest.raises(Cancelled):
        FairShare().timeline(case, stop)


def test_a_scenario_chooses_the_timing():
    scenario = Scenario(
        Torus(dims=(4, 4)), Allreduce(tasks=16), Sequential(), DimensionOrder(), timing=FairShare(hop_seconds=1e-6)
    )
    assert timeline(scenario.build()).rank_times.shape == (5, 16)


def test_the_running_step_that_began_last_is_found():
    # A pause; then both directions between two, and meanwhile one message between two others, which begins earlier.
    parts = (
        Pause(1.0),
        *(Flows(tasks=4, src=(u,), dst=(v,), volume=(x,)) for u, v, x in [(0, 1, 1), (1, 0, 1), (2, 3, 3)]),
    )
    times = FairShare().timeline(built(Complete(nodes=4, gbs=1.0), Sequence(parts=parts), Minimal()))
    assert [step.start for step in times.steps] == [0, 1, 2, 1]
    assert [times.step_at(at) for at in (0, 0.5, 1.5, 2.5, 3.5, 9)] == [0, 0, 3, 2, 3, 2]
