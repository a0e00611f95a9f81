"""Collectives along rings and trees of a log: flows, volumes and steps against closed forms, loads against paths."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.files.import_report import reports_of
from core.files.recognise import choice_of, imported
from core.job import Halo, Nccl, Sequence
from core.job.nccl.nccl import NOT_GIVEN, RANKS_NOTE
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import swapped
from core.network import FatTree, Torus
from core.routing import Adaptive, Minimal
from core.spec import NoFile, SpecError
from core.timing import BarrierTiming, FairShare, timeline
from tests.core.job.nccl.logs import STYLES, Made, text
from tests.oracle.collectives import messages, spread

B = 24e9
COLLECTIVES = "allreduce", "allgather", "reduce-scatter", "broadcast"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


def spec(folder, made, **fields):
    """The job of a made log, in a folder."""
    name = f"{made.ranks}-{made.channels}-{id(made)}.log"
    (folder / name).write_text(text(made, "2.12"))
    return Nccl(log=name, message_bytes=B, **fields)


def flows(job, made):
    """The volume by channel, source and destination in the phase of a job, and by label."""
    (run,) = job.runs
    volumes = Counter()
    (block,) = [block for _, block in run.phase.blocks()]
    for src, dst, volume, part in zip(*(column.tolist() for column in (*block, run.phase.parts.of_flow)), strict=True):
        volumes[run.phase.parts.labels[part], src, dst] += volume
    return volumes


sizes = st.tuples(st.integers(2, 64), st.integers(1, 32))


@settings(max_examples=25)
@given(sizes, st.integers(0, 99), st.data())
def test_rings_have_the_volumes_and_steps_of_their_collective(folder, size, seed, data):
    n, channels = size
    made = Made(n, channels, seed)
    collective, root = data.draw(st.sampled_from(COLLECTIVES)), data.draw(st.integers(0, n - 1))
    job = spec(folder, made, collective=collective, root=root).build(folder)
    steps = {"allreduce": 2 * (n - 1), "broadcast": 1}.get(collective, n - 1)
    share = {"allreduce": Fraction(2 * (n - 1), n), "broadcast": Fraction(1)}.get(collective, Fraction(n - 1, n))
    assert (job.tasks, len(job.phases), [run.times for run in job.runs]) == (n, steps, [steps])
    expected = {
        (f"channel {channel}", rank, after): float(share * 24 / channels / steps)
        for channel, ring in enumerate(made.next_ranks())
        for rank, after in enumerate(ring)
        if collective != "broadcast" or after != root
    }
    assert dict(flows(job, made)) == pytest.approx(expected)
    # Every rank of a ring sends and receives the same; the last rank of a broadcast forwards nothing.
    links = n * channels - channels * (collective == "broadcast")
    assert job.volume == pytest.approx(float(share) * 24 / channels * links)
    assert float(job.quantum) == pytest.approx(float(share) * 24 / channels / steps)


@settings(max_examples=25)
@given(sizes, st.integers(0, 99))
def test_trees_send_every_channel_up_and_down_each_link_in_one_step(folder, size, seed):
    n, channels = size
    made = Made(n, channels, seed)
    job = spec(folder, made, algorithm="tree").build(folder)
    expected = {}
    for channel, parents in enumerate(made.up):
        for rank, parent in enumerate(parents):
            if parent >= 0:
                expected[f"channel {channel}, up", rank, parent] = 24 / channels
                expected[f"channel {channel}, down", parent, rank] = 24 / channels
    assert len(job.phases) == 1
    assert dict(flows(job, made)) == pytest.approx(expected)
    assert job.volume == pytest.approx(2 * (n - 1) * 24)


def test_nccl_2_6_has_other_trees_for_broadcasting(tmp_path):
    made = Made(6, 1, seed=4)
    assert made.up != made.down
    (tmp_path / "l").write_text(text(made, "2.6"))
    job = Nccl(log="l", algorithm="tree").build(tmp_path)
    ups, downs = (
        [(rank, parent) for rank, parent in enumerate(tree[0]) if parent >= 0] for tree in (made.up, made.down)
    )
    assert {key for key in flows(job, made) if key[0].endswith("up")} == {("channel 0, up", *pair) for pair in ups}
    assert {key[1:] for key in flows(job, made) if key[0].endswith("down")} == {pair[::-1] for pair in downs}


@pytest.mark.parametrize("n", [2, 5, 8])
def test_an_allgather_delivers_all_blocks(folder, n):
    made = Made(n, 1, seed=n)
    job = spec(folder, made, collective="allgather").build(folder)
    assert spread(messages(job, 24 / n), [[rank] for rank in range(n)]) == [set(range(n))] * n


@settings(max_examples=20)
@given(
    st.tuples(st.integers(2, 16), st.integers(1, 4)), st.sampled_from(COLLECTIVES), st.booleans(), st.integers(0, 20)
)  # fmt: skip
def test_loads_are_those_of_single_messages_on_their_paths(folder, size, collective, as_tree, seed):
    made = Made(*size, seed)
    fields = {"algorithm": "tree"} if as_tree else {"collective": collective}
    job = spec(folder, made, **fields)
    scenario = Scenario(Torus(dims=(4, 4)), job, Random(seed), Adaptive(), folder=folder)
    report = evaluate(scenario.build())
    case, node = report.case, report.case.mapping.nodes
    slow = np.zeros(case.network.links)
    for phase in case.job.phases:
        for _, block in phase.blocks():
            for src, dst, volume in zip(*(column.tolist() for column in block), strict=True):
                route = case.router.route(int(node[src]), int(node[dst]))
                np.add.at(slow, route.links, route.shares * volume)
    assert report.load == pytest.approx(slow)
    step = max(float(loads.max()) for loads in report.phases) / case.network.classes[0].gbs
    assert report.time == pytest.approx(step * len(case.job.phases))
    explanation = explain(report, int(report.load.argmax()))
    assert sum(part.load for part in explanation.parts) == pytest.approx(explanation.load)
    assert {part.steps for part in explanation.parts} == {len(case.job.phases)}
    assert all(bound.time <= report.time * (1 + 1e-9) for bound in bounds(case, report))


def test_a_swap_follows_every_step(folder):
    case = Scenario(
        FatTree(arity=4, levels=2), spec(folder, Made(12, 3, seed=1)), Sequential(), Minimal(), folder=folder
    )
    live = LiveLoads(evaluate(case.build()))
    live.apply(swapped(case.build().mapping, [0], [11], live.occupant))
    after = evaluate(live.report().case)
    assert live.outcome().time == pytest.approx(after.time)
    assert live.report().load == pytest.approx(after.load)


@pytest.mark.parametrize("timing", [BarrierTiming(), FairShare()], ids=lambda timing: timing.tag())
def test_a_timeline_has_every_step(folder, timing):
    job = spec(folder, Made(8, 2, per_host=2))
    scenario = Scenario(Torus(dims=(8,)), job, Sequential(), Minimal(), timing=timing, folder=folder)
    report = evaluate(scenario.build())
    played = timeline(report.case)
    assert len(played.steps) == 14
    assert played.seconds == pytest.approx(report.time)


def test_two_collectives_in_a_sequence_keep_the_names_of_their_parts(folder):
    ring, tree = spec(folder, Made(4, 2)), spec(folder, Made(4, 2), algorithm="tree")
    job = Sequence(parts=(ring, tree), repeat=2).build(folder)
    assert [phase.name for phase in job.phases] == 2 * [*["1 nccl"] * 6, "2 nccl"]
    assert [run.times for run in job.runs] == [12, 2]


def test_what_the_log_does_not_tell_is_noted(folder):
    assert spec(folder, Made(4, 2)).build(folder).warnings == (NOT_GIVEN,)
    assert spec(folder, Made(8, 2)).build(folder).warnings == (RANKS_NOTE, NOT_GIVEN)
    (folder / "two").write_text(text(Made(4, 2), "2.12") + text(Made(6, 1), "2.12"))
    job = Nccl(log="two", communicator=1).build(folder)
    assert job.tasks == 6
    words = "the log has 2 communicators (0: 4 ranks, 2 channels; 1: 6 ranks, 1 channel); 1 is used"
    assert job.warnings == (words, RANKS_NOTE, NOT_GIVEN)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"communicator": 1}, "job.communicator: is 1; the log has 1 communicator, only 0"),
        ({"collective": "broadcast", "root": 4}, "job.root: is 4; ranks are 0 to 3"),
        (
            {"collective": "allgather", "algorithm": "tree"},
            "job.algorithm: is tree, but NCCL's allgather uses rings; choose ring",
        ),
    ],
)
def test_choices_that_the_log_does_not_offer_are_refused(folder, fields, message):
    with pytest.raises(SpecError) as error:
        spec(folder, Made(4, 2), **fields).build(folder)
    assert str(error.value) == message


def test_errors_name_the_file_and_the_line(tmp_path):
    with pytest.raises(NoFile):
        Nccl().build(tmp_path)
    (tmp_path / "short.log").write_text("\n\nNCCL INFO Channel 00/01 : 0 1 1\n")
    with pytest.raises(SpecError, match=r"^job\.log: short\.log, line 3: channel 0 names rank 1 twice"):
        Nccl(log="short.log").build(tmp_path)
    (tmp_path / "long.log").write_text(
        "\n".join(f"NCCL INFO Ring 00 : 0 -> {r} -> {(r + 1) % 9000}" for r in range(9000))
    )
    with pytest.raises(SpecError, match=r"^job\.log: long\.log: has rings of 9,000 ranks"):
        Nccl(log="long.log").build(tmp_path)


def test_a_changed_log_is_read_again(tmp_path):
    for ranks in (4, 6):
        (tmp_path / "l").write_text(text(Made(ranks, 2), "2.12"))
        assert Nccl(log="l").build(tmp_path).tasks == ranks


def test_a_single_rank_sends_nothing(tmp_path):
    (tmp_path / "l").write_text("NCCL INFO Channel 00/01 : 0\nNCCL INFO Trees [0] -1/-1/-1->0->-1\n")
    for fields in ({}, {"algorithm": "tree"}, {"collective": "broadcast"}):
        job = Nccl(log="l", **fields).build(tmp_path)
        assert (job.tasks, job.volume, len(job.phases)) == (1, 0.0, 1)


def test_messages_between_hosts_leave_by_the_nic_of_the_log(folder):
    made = Made(12, 3, seed=5, per_host=4, nics=2)
    for fields in ({}, {"algorithm": "tree"}):
        job = spec(folder, made, endpoints="nics", **fields).build(folder)
        assert job.tasks == 3 * 2
        expected = Counter()
        for channel in range(3):
            ring = [(rank, after, "") for rank, after in enumerate(made.next_ranks()[channel])]
            tree = [(rank, parent) for rank, parent in enumerate(made.up[channel]) if parent >= 0]
            ends = [(*pair, ", up") for pair in tree] + [(*pair[::-1], ", down") for pair in tree]
            for src, dst, way in ends if fields else ring:
                if not made.is_local(src, dst):
                    tasks = (2 * (rank // 4) + made.nic(channel, rank) for rank in (src, dst))
                    expected[f"channel {channel}{way}", *tasks] += float(job.quantum)
        assert dict(flows(job, made)) == pytest.approx(dict(expected))
        assert "messages stay within a host and are not counted" in job.warnings[0]


def test_unused_nics_of_a_host_are_idle_tasks(folder):
    job = spec(folder, Made(8, 1, nics=2), endpoints="nics", nics_per_host=4).build(folder)
    (block,) = [block for _, block in job.phases[0].blocks()]
    assert job.tasks == 8
    assert set(block.src.tolist()) <= {0, 1, 4, 5}


def test_logs_without_hosts_or_nics_have_no_nic_tasks(folder):
    (folder / "bare").write_text(text(Made(8, 2), "bare"))
    with pytest.raises(SpecError, match=r"^job\.log: bare: names no host of rank 0; lines must begin with HOST:PID"):
        Nccl(log="bare", endpoints="nics").build(folder)
    lines = [line for line in text(Made(8, 2), "2.12").split("\n") if "via NET" not in line]
    (folder / "quiet").write_text("\n".join(lines))
    with pytest.raises(SpecError, match=r"^job\.log: quiet: names no NIC for channel 0 from rank "):
        Nccl(log="quiet", endpoints="nics").build(folder)
    with pytest.raises(SpecError, match=r"^job\.nics_per_host: is 1, but the log names NIC 1; give 2"):
        spec(folder, Made(8, 2), endpoints="nics", nics_per_host=1).build(folder)


def test_a_nic_printed_by_one_end_is_that_of_both(folder):
    lines = [line for line in text(Made(8, 2), "2.12").split("\n") if "[receive] via" not in line]
    (folder / "half").write_text("\n".join(lines))
    job = Nccl(log="half", endpoints="nics").build(folder)
    (block,) = [block for _, block in job.phases[0].blocks()]
    assert (block.src % 2 == block.dst % 2).all()


@pytest.mark.parametrize(
    ("fields", "steps", "volume"),
    [
        ({}, 14, 14 * 24),
        ({"algorithm": "tree"}, 3, 3 * 8 * 24),
        ({"collective": "allgather"}, 7, 7 * 24),
        ({"collective": "reduce-scatter"}, 7, 7 * 24),
        ({"collective": "broadcast", "root": 3}, 3, 7 * 24),
    ],
)
def test_the_textbook_algorithm_moves_the_same_data(folder, fields, steps, volume):
    own = spec(folder, Made(8, 2), **fields)
    scenario = Scenario(Torus(dims=(8,)), own, Sequential(), Minimal(), folder=folder).with_textbook_job()
    job = scenario.job.build(folder)
    assert (job.tasks, len(job.phases), job.volume) == (8, steps, pytest.approx(volume))
    if "algorithm" not in fields:
        assert job.volume == pytest.approx(own.build(folder).volume)


def test_other_jobs_have_no_textbook_algorithm(folder):
    for job in (Halo(2, 4), spec(folder, Made(8, 2), endpoints="nics")):
        scenario = Scenario(Torus(dims=(8,)), job, Sequential(), Minimal(), folder=folder)
        with pytest.raises(SpecError, match=r"^job: (halo|nccl) has no textbook algorithm; choose a collective of"):
            scenario.with_textbook_job()


@pytest.mark.parametrize("style", STYLES)
def test_logs_are_recognised_and_reported(tmp_path, style):
    path = tmp_path / "job.out"
    path.write_text("loss 2.5\n" * 100 + text(Made(8, 2), style))
    assert choice_of(path) == "job"
    job = imported(path, "job", tmp_path)
    assert job == Nccl(log="job.out")
    scenario = Scenario(Torus(dims=(8,)), job, Sequential(), Minimal(), folder=tmp_path)
    report = reports_of(scenario.build())["job"]
    hosts = "" if style == "bare" else ", 2 hosts"
    assert report.lines[0] == f"job.out: a log of NCCL, 8 ranks, 2 channels{hosts}"
