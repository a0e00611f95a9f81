"""Messages simulated by SimGrid, if installed: against closed forms and fair share."""

import os

import numpy as np
import pytest

from core.job import Allreduce, AllToAll, Broadcast, Flows
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import FatTree, LinkFault, Torus
from core.routing import DimensionOrder, Minimal, Valiant
from core.spec import Cancelled, SpecError, TooLarge
from core.timing import FairShare, SimGrid
from core.timing import simgrid as module
from tests.oracle import simgrid

installed = pytest.mark.skipif(not simgrid.pythons(), reason="needs SimGrid (Debian package python3-simgrid)")
CLOSE = 1e-9
LATENCY = 1e-6
RING = Torus(dims=(7,), gbs=2.0)
TORUS, TREE = (Torus(dims=(5, 3)), DimensionOrder()), (FatTree(arity=4, levels=2), Minimal())


def built(network, job, routing, mapping=None, faults=()):
    return Scenario(network, job, mapping or Sequential(), routing, faults=faults).build()


def sent(*messages, tasks=7):
    """One step of messages, each a source, a destination and a volume."""
    src, dst, volume = zip(*messages, strict=True)
    return Flows(tasks=tasks, src=src, dst=dst, volume=volume)


# Closed forms


@installed
@pytest.mark.parametrize(
    ("messages", "options", "seconds"),
    [
        ([(0, 2, 3.0)], {}, 1.5),
        ([(0, 2, 3.0)], {"hop_seconds": 0.25}, 1.5 + 3 * 0.25),
        ([(0, 2, 3.0)], {"injection_gbs": 0.5}, 6.0),
        # Two share the link from 1 to 2: 1.5 GB each in 1.5 s; then 0.5 GB more at full rate.
        ([(0, 2, 1.5), (1, 2, 2.0)], {}, 1.75),
        # A message of twice the latency, when both are on their way, has half the rate of the other: 2/3 and 4/3.
        ([(0, 3, 1.0), (1, 2, 4.0)], {"hop_seconds": 0.5}, 3.5),
    ],
)
def test_messages_on_a_ring_have_the_expected_times(messages, options, seconds):
    times = SimGrid(**options).timeline(built(RING, sent(*messages), DimensionOrder()))
    assert times.seconds == pytest.approx(seconds, rel=CLOSE)


@installed
def test_tasks_of_one_node_wait_one_latency():
    job = Allreduce(tasks=4, algorithm="recursive-doubling", message_bytes=1e9)
    times = SimGrid(hop_seconds=0.5).timeline(built(Torus(dims=(2,), slots_per_node=4), job, DimensionOrder()))
    assert [step.seconds for step in times.steps] == pytest.approx([0.5, 0.5], rel=CLOSE)


@installed
def test_disconnected_messages_count_as_sent():
    network = Torus(dims=(5,))
    away = np.flatnonzero(network.build().src == 0).tolist()
    faults = tuple(LinkFault.of(network.build(), link, 0.0) for link in away)
    job = Allreduce(tasks=5, algorithm="ring", message_bytes=4e9)
    case = built(network, job, Minimal(), faults=faults)
    np.testing.assert_allclose(
        SimGrid().timeline(case).rank_times, FairShare().timeline(case).rank_times, rtol=CLOSE, atol=1e-12
    )


# Against fair share


@installed
@pytest.mark.parametrize(("network", "routing"), [TORUS, TREE])
@pytest.mark.parametrize("mapping", [Sequential(), Random(1)], ids=lambda mapping: mapping.tag())
@pytest.mark.parametrize(
    "job",
    [
        lambda n: Allreduce(n, 1e6, "recursive-doubling"),
        lambda n: Allreduce(n, 1e6, "ring"),
        lambda n: AllToAll(n, "shift", 1e6),
        lambda n: Broadcast(tasks=n, message_bytes=1e6),
        lambda n: sent(*((r, (7 * r + 3) % n, 1 + 0.37 * r) for r in range(n)), tasks=n),
    ],
    ids=["recursive-doubling", "ring", "all-to-all", "broadcast", "uneven"],
)
def test_without_latency_over_single_paths_times_are_those_of_fair_share(network, routing, mapping, job):
    case = built(network, job(network.build().nodes), routing, mapping)
    ours, simulated = FairShare().timeline(case), SimGrid().timeline(case)
    np.testing.assert_allclose(simulated.rank_times, ours.rank_times, rtol=CLOSE, atol=CLOSE * ours.seconds)
    for mine, other in zip(ours.steps, simulated.steps, strict=True):
        assert (other.start, other.seconds) == pytest.approx((mine.start, mine.seconds), rel=CLOSE, abs=1e-12)


@installed
def test_with_latency_only_senders_wait_longer():
    # To the next and back, all equal: only latencies differ, which under fair share overlap with the next messages.
    case = built(Torus(dims=(5,)), Allreduce(5, 1e6, "ring"), DimensionOrder())
    ours, simulated = (timing(hop_seconds=LATENCY).timeline(case) for timing in (FairShare, SimGrid))
    assert ours.seconds <= simulated.seconds <= ours.seconds + len(case.job.phases) * 2 * LATENCY


@installed
@pytest.mark.parametrize("routing", [DimensionOrder(), Minimal(spread="equal")], ids=lambda r: r.tag())
def test_parts_over_several_paths_have_the_shares_of_the_routing(routing):
    case = built(Torus(dims=(4, 4)), Allreduce(16, 1e6, "recursive-doubling"), routing, Random(1))
    ours, simulated = FairShare().timeline(case), SimGrid().timeline(case)
    assert simulated.seconds == pytest.approx(ours.seconds, rel=0.3)
    # No earlier than the busiest link allows.
    assert all(
        step.seconds >= busy.max() * (1 - CLOSE) for step, busy in zip(simulated.steps, simulated.busy, strict=True)
    )


# Refusals


def test_without_simgrid_the_error_names_the_command_to_install_it(monkeypatch):
    monkeypatch.setattr(module, "pythons", lambda: ())
    with pytest.raises(SpecError, match=r"^timing\.type: .*sudo apt install python3-simgrid$"):
        SimGrid().timeline(built(RING, sent((0, 1, 1.0)), DimensionOrder()))


@installed
def test_paths_with_cycles_are_refused():
    with pytest.raises(SpecError, match=r"^timing\.type: .*with cycles; choose fair-share$"):
        SimGrid().timeline(built(Torus(dims=(4, 4)), Allreduce(16, 1e6, "ring"), Valiant()))


@installed
@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("MAX_TASKS", 4, "at most 4 tasks"),
        ("MAX_PATHS", 4, "at most 4 paths"),
        ("MAX_SECONDS", 1e-9, "this job would need"),
    ],
)
def test_too_large_cases_are_refused_in_one_line(limit, value, words, monkeypatch):
    monkeypatch.setattr(module, limit, value)
    with pytest.raises(TooLarge, match=rf"^timing\.type: .*{words}"):
        SimGrid().timeline(built(RING, AllToAll(7, "at-once", 1e6), DimensionOrder()))


@installed
def test_errors_of_simgrid_are_reported_in_one_line(monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text("raise ValueError('no such thing')")
    monkeypatch.setattr(module, "WORKER", worker)
    with pytest.raises(SpecError, match=r"^timing\.type: simgrid failed: ValueError: no such thing$"):
        SimGrid().timeline(built(RING, sent((0, 1, 1.0)), DimensionOrder()))


@installed
def test_it_can_be_cancelled(monkeypatch, tmp_path):
    worker, pid = tmp_path / "worker.py", tmp_path / "pid"
    worker.write_text(f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)")
    monkeypatch.setattr(module, "WORKER", worker)

    def stop(done):
        if pid.exists() and pid.read_text():
            raise Cancelled

    with pytest.raises(Cancelled):
        SimGrid().timeline(built(RING, sent((0, 1, 1.0)), DimensionOrder()), stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
