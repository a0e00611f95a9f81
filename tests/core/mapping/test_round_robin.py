"""Ranks assigned in turn to nodes, or to groups of nodes."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.job import AllToAll
from core.mapping import RoundRobin, Sequential
from core.mapping.allocation import Allocation
from core.network import Complete, Percs
from core.spec import SpecError
from tests.core.strategies import networks


@given(networks, st.data())
def test_ranks_go_around_the_groups_of_any_level(spec, data):
    network = spec.build()
    groups = {"node": np.arange(network.nodes), **{level.name: level.group for level in network.levels}}
    level = data.draw(st.sampled_from(sorted(groups)))
    tasks = data.draw(st.integers(1, network.slots))
    built = RoundRobin(level=level).build(AllToAll(tasks).build(), network)
    group = groups[level]
    count = group.max() + 1
    np.testing.assert_array_equal(group[built.nodes], np.arange(tasks) % count)
    # In a group ranks fill node after node, core after core.
    for number in range(min(count, tasks)):
        slots = built.slots[group[built.nodes] == number]
        own = np.flatnonzero(np.repeat(group, network.slots_per_node) == number)
        np.testing.assert_array_equal(slots, own[: slots.size])


@given(networks, st.data())
def test_full_groups_are_skipped_on_allocated_nodes(spec, data):
    network = spec.build()
    nodes = data.draw(st.lists(st.integers(0, network.nodes - 1), min_size=1, unique=True))
    groups = {"node": np.arange(network.nodes), **{level.name: level.group for level in network.levels}}
    level = data.draw(st.sampled_from(sorted(groups)))
    free = {}
    for node in nodes:
        slots = range(node * network.slots_per_node, (node + 1) * network.slots_per_node)
        free.setdefault(groups[level][node], []).extend(slots)
    expected = []
    while any(free.values()):
        expected += [slots.pop(0) for slots in free.values() if slots]
    allocation = Allocation(network, np.array(nodes, np.int32))
    tasks = data.draw(st.integers(1, allocation.slots))
    built = RoundRobin(level=level).build(AllToAll(tasks).build(), network, allocation)
    assert built.slots.tolist() == expected[:tasks]


@given(networks)
def test_with_one_task_per_node_it_is_sequential(spec):
    network = spec.build()
    job = AllToAll(network.nodes).build()
    assume(network.slots_per_node == 1)
    np.testing.assert_array_equal(RoundRobin().build(job, network).slots, Sequential().build(job, network).slots)


@pytest.mark.parametrize(
    ("network", "levels"),
    [
        (Percs(2), "node, supernode, drawer"),
        (Complete(nodes=4), "node"),
    ],
)
def test_an_unknown_level_is_refused_with_the_known_levels(network, levels):
    with pytest.raises(SpecError) as refusal:
        RoundRobin(level="shelf").build(AllToAll(4).build(), network.build())
    assert (refusal.value.field, refusal.value.message) == (
        "mapping.level",
        f"the network has no level 'shelf'; levels: {levels}",
    )


def test_drawers_take_ranks_in_turn():
    network = Percs(1, 1, drawers=2, nodes_per_drawer=2, slots_per_node=2).build()
    job = AllToAll(8).build()
    assert RoundRobin().build(job, network).slots.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert RoundRobin(level="drawer").build(job, network).slots.tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert RoundRobin(level="supernode").build(job, network).slots.tolist() == list(range(8))
