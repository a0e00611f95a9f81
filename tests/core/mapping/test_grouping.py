"""Mappings that group tasks by their traffic: TreeMatch and recursive bisection."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo, Permutation
from core.mapping import RecursiveBisection, TreeMatch
from core.mapping.affinity import affinity
from core.mapping.allocation import Allocation
from core.mapping.bisection import _exactly, _middle, _Traffic
from core.network import Dragonfly, FatTree, Percs, Torus
from core.spec import SpecError
from tests.oracle.grouping import grown

STRATEGIES = [TreeMatch(), RecursiveBisection()]
each = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda spec: spec.tag())


def families(count, size, seed=0):
    """Tasks that communicate only within families, in random order, and the family of each."""
    rng = np.random.default_rng(seed)
    of = rng.permutation(np.repeat(np.arange(count), size))
    src, dst = np.nonzero((of[:, None] == of) & ~np.eye(of.size, dtype=bool))
    return Flows(tasks=of.size, src=tuple(src.tolist()), dst=tuple(dst.tolist()), volume=(1.0,) * src.size), of


@each
@pytest.mark.parametrize("seed", range(3))
def test_groups_of_tasks_that_fill_a_node_get_one_node_each(strategy, seed):
    pytest.importorskip("pymetis")
    job, family = families(16, 4, seed)
    node = strategy.build(job.build(), FatTree(4, 2, slots_per_node=4).build()).nodes
    assert all(np.unique(node[family == number]).size == 1 for number in range(16))


@each
def test_groups_of_groups_get_a_group_of_nodes_each(strategy):
    pytest.importorskip("pymetis")
    job, family = families(4, 16)
    network = FatTree(4, 2, slots_per_node=4).build()
    group = network.levels[0].group[strategy.build(job.build(), network).nodes]
    assert all(np.unique(group[family == number]).size == 1 for number in range(4))


@each
@settings(max_examples=15)
@given(st.data())
def test_slots_are_filled_node_by_node(strategy, data):
    pytest.importorskip("pymetis")
    specs = [Percs(2), Dragonfly(2, 1, 3, 2, slots_per_node=2), FatTree(2, 3), FatTree(3, 2, slots_per_node=4)]
    network = data.draw(st.sampled_from(specs)).build()
    tasks = data.draw(st.integers(2, min(network.slots, 40)))
    job = data.draw(st.sampled_from([AllToAll(tasks), Permutation(tasks, seed=tasks), Halo(1, tasks)])).build()
    built = strategy.build(job, network)
    used = np.bincount(built.nodes, minlength=network.nodes)
    assert np.unique(used).size <= 3
    assert np.count_nonzero(used) == -(-tasks // network.slots_per_node)


def some_nodes(sizes, network, rng):
    """As many nodes of each group of the finest level as given, in random order: an allocation of a scheduler."""
    group = network.levels[-1].group
    taken = [rng.choice(np.flatnonzero(group == number), size, replace=False) for number, size in enumerate(sizes)]
    return Allocation(network, rng.permutation(np.concatenate(taken)).astype(np.int32))


@each
@pytest.mark.parametrize("cores", [1, 3])
def test_groups_stay_together_if_levels_have_unequal_groups(strategy, cores):
    pytest.importorskip("pymetis")
    network = FatTree(6, 2, slots_per_node=cores).build()
    allocation = some_nodes([3, 6, 6, 3, 6, 3], network, np.random.default_rng(7))
    job, family = families(9, 3 * cores)
    group = network.levels[0].group[strategy.build(job.build(), network, allocation).nodes]
    assert all(np.unique(group[family == number]).size == 1 for number in range(9))


@each
def test_less_traffic_leaves_a_switch_if_levels_are_known(strategy):
    pytest.importorskip("pymetis")
    network = FatTree(8, 3, slots_per_node=2).build()
    allocation = some_nodes(list(range(1, 9)) * 8, network, np.random.default_rng(2))
    job = Halo(16, 36).build()
    blind = allocation.slots_of(strategy.build(job, replace(allocation.machine, levels=())).slots)
    seeing = strategy.build(job, network, allocation).slots
    ((block,),) = (tuple(flows for _, flows in run.phase.blocks()) for run in job.runs)
    leaving = []
    for slots in (blind, seeing):
        group = network.levels[-1].group[slots // 2]
        leaving.append(block.volume[group[block.src] != group[block.dst]].sum())
    assert leaving[1] < 0.85 * leaving[0]


@given(st.data())
def test_groups_of_any_size_grow_by_traffic(data):
    spec = data.draw(st.sampled_from([FatTree(3, 3), FatTree(2, 4, slots_per_node=3), Percs(2), Dragonfly(3, 2, 4, 2)]))
    network = spec.build()
    nodes = data.draw(st.permutations(range(network.nodes)))[: data.draw(st.integers(2, network.nodes))]
    allocation = Allocation(network, np.array(nodes, np.int32))
    tasks = data.draw(st.integers(2, min(allocation.slots, 30)))
    ends = st.integers(0, tasks - 1)
    flows = data.draw(st.lists(st.tuples(ends, ends, st.integers(1, 9)), min_size=1, max_size=40))
    src, dst, volume = zip(*flows, strict=True)
    job = Flows(tasks=tasks, src=src, dst=dst, volume=tuple(map(float, volume))).build()
    assume(network.slots_per_node > 1 or np.bincount(network.levels[0].group[nodes]).max() > 1)
    built = TreeMatch().build(job, network, allocation)
    assert built.slots.tolist() == grown(job, network, nodes)


@given(st.integers(2, 12), st.data())
def test_affinity_is_the_volume_between_two_tasks(tasks, data):
    ends = st.integers(0, tasks - 1)
    flows = data.draw(st.lists(st.tuples(ends, ends, st.integers(1, 9)), min_size=1, max_size=20))
    src, dst, volume = zip(*flows, strict=True)
    expected = np.zeros((tasks, tasks))
    for s, d, x in flows:
        if s != d:
            expected[s, d] += x
            expected[d, s] += x
    job = Flows(tasks=tasks, src=src, dst=dst, volume=tuple(map(float, volume))).build()
    np.testing.assert_allclose(affinity(job, "x").toarray(), expected)


@pytest.mark.parametrize(
    ("first", "end", "levels", "middle"),
    [
        (0, 8, [[4, 8], [2, 4, 6, 8]], 4),
        (4, 8, [[4, 8], [2, 4, 6, 8]], 6),
        (0, 9, [[4, 8, 9]], 4),
        (0, 9, [[1, 9], [1, 3, 6, 9]], 1),
        (1, 9, [[1, 9], [1, 3, 6, 9]], 6),
        (2, 5, [[9]], 4),
        (0, 3, [], 2),
    ],
)
def test_machines_are_split_between_groups(first, end, levels, middle):
    assert _middle(first, end, [np.array(ends) for ends in levels]) == middle


@given(st.lists(st.booleans(), min_size=4, max_size=12), st.data())
def test_a_part_gets_the_exact_number_of_tasks(inside, data):
    count = data.draw(st.integers(0, len(inside)))
    traffic = _Traffic.of(affinity(Halo(1, len(inside)).build(), "x"))
    assert _exactly(np.array(inside), count, traffic).sum() == count


def test_tree_match_needs_levels_or_several_tasks_per_node():
    with pytest.raises(SpecError) as refusal:
        TreeMatch().build(AllToAll(5).build(), Torus((5,)).build())
    assert refusal.value.message.endswith("try structured")


def test_bisection_reports_the_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(SpecError) as refusal:
        RecursiveBisection().build(AllToAll(4).build(), FatTree(2, 2).build())
    expected = "requires the package pymetis; run pip install 'fabriscope[metis]' or pip install pymetis"
    assert refusal.value.message == expected
