"""Collectives: how many messages of which size, and that every task ends with the data that MPI promises."""

from collections import Counter
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import (
    Allgather,
    Allreduce,
    AllToAll,
    Barrier,
    Broadcast,
    Gather,
    Reduce,
    ReduceScatter,
    Scatter,
)
from core.job.collectives.steps import MAX_STEPS
from core.spec import SpecError
from tests.oracle.collectives import bruck, messages, reverse, spread, summed

MB = 1e-3
"""A megabyte in GB."""
sizes = st.integers(1, 18)
ALGORITHMS = [
    *[(Allgather, name) for name in ("ring", "recursive-doubling", "bruck", "neighbour-exchange")],
    *[(ReduceScatter, name) for name in ("ring", "recursive-halving", "pairwise")],
    *[(Allreduce, name) for name in ("recursive-doubling", "ring", "rabenseifner")],
    *[(AllToAll, name) for name in ("at-once", "pairwise", "shift", "bruck", "node-by-node")],
    *[(kind, "binomial") for kind in (Broadcast, Reduce, Scatter, Gather)],
    (Barrier, "dissemination"),
]


def everyone(tasks):
    return [{task} for task in range(tasks)]


def volume(steps):
    return sum(size for step in steps for *_, size in step)


def even(kind, algorithm, tasks):
    return tasks + tasks % 2 if algorithm == "neighbour-exchange" else tasks


@pytest.mark.parametrize(("kind", "algorithm"), ALGORITHMS)
@given(tasks=sizes)
def test_received_messages_are_the_sent_messages(kind, algorithm, tasks):
    tasks = even(kind, algorithm, tasks)
    job = kind(tasks=tasks, algorithm=algorithm, message_bytes=1e6).build()
    ranks = np.arange(tasks, dtype=np.int32)
    for phase in job.phases:
        sent, received = phase.out_flows(ranks), phase.in_flows(ranks)
        ours, received_by_pair = (
            Counter(zip(*(each.tolist() for each in some), strict=True)) for some in (sent, received)
        )
        assert ours == received_by_pair
        assert np.bincount(sent.src, minlength=1).max() <= phase.fan_out
    assert len(job.phases) == max(job.spec.steps().count, 1)


@given(tasks=sizes, root=st.integers(0, 63))
def test_a_broadcast_reaches_all_and_a_reduce_is_its_reverse(tasks, root):
    root %= tasks
    steps = messages(Broadcast(tasks=tasks, root=root).build(), MB)
    assert spread(steps, [{"all"} if task == root else set() for task in range(tasks)]) == [{"all"}] * tasks
    assert sum(map(len, steps)) == volume(steps) == tasks - 1
    assert len(steps) == max(ceil(log2(tasks)), 1)
    sums = summed(messages(Reduce(tasks=tasks, root=root).build(), MB), tasks)
    assert sums[root] == set(range(tasks))


@given(tasks=sizes, root=st.integers(0, 63))
def test_a_gather_collects_every_block_and_a_scatter_is_its_reverse(tasks, root):
    root %= tasks
    steps = messages(Gather(tasks=tasks, root=root).build(), MB)
    assert spread(steps, everyone(tasks))[root] == set(range(tasks))
    assert sum(map(len, steps)) == tasks - 1
    back = reverse(messages(Scatter(tasks=tasks, root=root).build(), MB))
    assert spread(back, everyone(tasks))[root] == set(range(tasks))


@pytest.mark.parametrize("algorithm", ["ring", "recursive-doubling", "bruck", "neighbour-exchange"])
@given(tasks=sizes)
def test_an_allgather_brings_all_blocks_to_all(algorithm, tasks):
    tasks = even(Allgather, algorithm, tasks)
    steps = messages(Allgather(tasks=tasks, algorithm=algorithm).build(), MB)
    assert spread(steps, everyone(tasks)) == [set(range(tasks))] * tasks
    folded = algorithm == "recursive-doubling" and tasks & (tasks - 1)
    # A folded task does not receive its own block, and sends it once more than needed.
    assert volume(steps) == tasks * (tasks - 1) or folded


@pytest.mark.parametrize("algorithm", ["ring", "recursive-halving"])
@given(tasks=sizes)
def test_a_reduce_scatter_is_an_allgather_backwards(algorithm, tasks):
    steps = messages(ReduceScatter(tasks=tasks, algorithm=algorithm).build(), MB / tasks)
    if algorithm == "recursive-halving" and tasks & (tasks - 1):
        # A folded task passes its whole vector on, not all but its own block.
        steps[0] = [(src, dst, count - 1) for src, dst, count in steps[0]]
    assert spread(reverse(steps), everyone(tasks)) == [set(range(tasks))] * tasks


@given(tasks=sizes)
def test_a_pairwise_reduce_scatter_sends_every_task_its_block_directly(tasks):
    steps = messages(ReduceScatter(tasks=tasks, algorithm="pairwise").build(), MB / tasks)
    met = Counter((src, dst) for step in steps for src, dst, count in step if count == 1)
    assert met == Counter((a, b) for a in range(tasks) for b in range(tasks) if a != b)


@given(tasks=sizes)
def test_an_allreduce_by_doubling_sums_all_vectors_once(tasks):
    steps = messages(Allreduce(tasks=tasks).build(), MB)
    assert summed(steps, tasks) == [set(range(tasks))] * tasks


@pytest.mark.parametrize("algorithm", ["ring", "rabenseifner"])
@given(tasks=sizes)
def test_an_allreduce_in_parts_is_a_reduce_scatter_and_an_allgather(algorithm, tasks):
    core = tasks if algorithm == "ring" else 1 << (tasks.bit_length() - 1)
    steps = messages(Allreduce(tasks=tasks, algorithm=algorithm).build(), MB / core)
    if core < tasks:
        into, *steps, out = steps
        assert sorted(into) == [(core + i, i, core) for i in range(tasks - core)]
        assert sorted(out) == [(i, core + i, core) for i in range(tasks - core)]
    half = len(steps) // 2
    for part in (reverse(steps[:half]), steps[half:]):
        assert spread(part, everyone(core)) == [set(range(core))] * core
    if algorithm == "ring":
        assert volume(steps) == 2 * (tasks - 1) * tasks


@pytest.mark.parametrize("algorithm", ["at-once", "pairwise", "shift", "node-by-node"])
@given(tasks=sizes, per_node=st.integers(1, 9))
def test_an_all_to_all_sends_every_pair_its_message_once(algorithm, tasks, per_node):
    job = AllToAll(tasks, algorithm, 1e6, per_node).build()
    met = Counter((src, dst) for step in messages(job, MB) for src, dst, count in step if count == 1 and src != dst)
    assert met == Counter((a, b) for a in range(tasks) for b in range(tasks) if a != b)


@given(tasks=sizes)
def test_bruck_brings_every_block_to_its_target(tasks):
    held = bruck(messages(AllToAll(tasks, "bruck", 1e6).build(), MB), tasks)
    assert held == [{(src, task) for src in range(tasks)} for task in range(tasks)]


@given(tasks=sizes)
def test_after_a_barrier_every_task_has_a_signal_of_every_task(tasks):
    held = everyone(tasks)
    for step in messages(Barrier(tasks=tasks).build()):
        held = [held[task].union(*(held[src] for src, dst, _ in step if dst == task)) for task in range(tasks)]
    assert held == [set(range(tasks))] * tasks


@pytest.mark.parametrize(
    ("job", "wanted"),
    [
        (Broadcast(tasks=8), [[(0, 4)], [(0, 2), (4, 6)], [(0, 1), (2, 3), (4, 5), (6, 7)]]),
        (AllToAll(4, "pairwise"), [[(0, 1), (1, 0), (2, 3), (3, 2)], [(0, 2), (1, 3), (2, 0), (3, 1)]]),
    ],
    ids=["broadcast", "pairwise"],
)
def test_first_steps_match_the_published_schedules(job, wanted):
    steps = [sorted((src, dst) for src, dst, _ in step) for step in messages(job.build())]
    assert steps[: len(wanted)] == wanted


def test_numbers_of_messages_and_blocks_match_the_thesis():
    # "Shortcut networks ...", collectives: n = 12 folds; Bruck carries the blocks whose destination has bit k.
    steps = messages(Allreduce(tasks=12).build())
    assert (len(steps), sum(map(len, steps))) == (5, 32)
    for tasks, blocks in ((8, [4, 4, 4]), (6, [3, 2, 2]), (12, [6, 6, 4, 4])):
        steps = messages(AllToAll(tasks, "bruck", 1e6).build(), MB)
        assert [step[0][2] for step in steps] == blocks


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (AllToAll(MAX_STEPS + 2, "shift"), "job.tasks"),
        (Allreduce(tasks=MAX_STEPS, algorithm="ring"), "job.tasks"),
        (Allgather(tasks=9, algorithm="neighbour-exchange"), "job.algorithm"),
        (Broadcast(tasks=4, root=4), "job.root"),
    ],
)
def test_impossible_collectives_are_refused(spec, field):
    with pytest.raises(SpecError) as refused:
        spec.build()
    assert refused.value.field == field


@pytest.mark.parametrize(("kind", "algorithm"), ALGORITHMS)
def test_every_collective_fills_a_machine(kind, algorithm):
    spec = kind(algorithm=algorithm).resized(100_000)
    assert len(spec.build().phases) <= MAX_STEPS
