"""Targets partition the slots at every level and have names, and choices expand to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mapping import Mapping
from core.mapping.targets import Target, grown, level_names, target_count
from core.network import Mesh, Percs, Torus
from tests.core.mapping.cases import NETWORKS, choices, machines


@pytest.mark.parametrize("network", NETWORKS)
def test_the_targets_of_a_level_cover_all_slots(network):
    for level in range(len(level_names(network))):
        count = target_count(network, level)
        held = [Target(level, index).slots(network).tolist() for index in range(count)]
        assert all(slots == sorted(slots) for slots in held)
        assert len({len(slots) for slots in held}) == 1
        assert sorted(slot for slots in held for slot in slots) == list(range(network.slots))
        for node in range(network.nodes):
            target = Target.containing(node, level, network)
            assert node * network.slots_per_node in held[target.index]


@pytest.mark.parametrize(
    ("spec", "target", "name"),
    [
        (Percs(8, 1), Target(0, 5), "supernode 5"),
        (Percs(8, 1), Target(1, 23), "drawer 3 of supernode 5"),
        (Percs(8, 1), Target(2, 188), "node 5 · d3 · 28"),
        (Torus(dims=(3, 4, 5)), Target(1, 7), "row 3 of plane 1"),
        (Torus(dims=(3, 4, 5)), Target(2, 7), "node (0,1,2)"),
        (Mesh(dims=(2, 2, 2, 2)), Target(2, 7), "Z slice 1 of Y slice 1 of X slice 1"),
        (Torus(dims=(8,)), Target(0, 7), "node (7)"),
    ],
)
def test_targets_have_readable_names(spec, target, name):
    assert target.name(spec.build()) == name


def test_levels_are_named_from_the_coarsest_to_the_node():
    assert level_names(Percs(2, 1).build()) == ("supernode", "drawer", "node")
    assert level_names(Torus(dims=(8,)).build()) == ("node",)


def units(mapping, network):
    """The unit of every task at each level, finest first."""
    nodes = mapping.slots // network.slots_per_node
    return [nodes, *(level.group[nodes] for level in network.levels[::-1]), np.zeros_like(nodes)]


@given(machines(), st.data())
def test_a_selection_grows_to_complete_units_of_the_finest_level_that_adds_tasks(machine, data):
    network, job, mapping = machine
    tasks = set(data.draw(choices(job)))
    closures = []
    for unit in units(mapping, network):
        touched = {unit[task] for task in tasks}
        closures.append([task for task in range(job.tasks) if unit[task] in touched])
    expected = next((closure for closure in closures if len(closure) > len(tasks)), sorted(tasks))
    assert grown(list(tasks), mapping, network).tolist() == expected


def test_growing_step_by_step_from_a_task_to_the_whole_job():
    network = Percs(2, 1).build()
    tasks, sizes = [5], []
    for _ in range(5):
        tasks = grown(tasks, Mapping(np.arange(256, dtype=np.int32), 4), network)
        sizes.append((int(tasks[0]), tasks.size))
    assert sizes == [(4, 4), (0, 32), (0, 128), (0, 256), (0, 256)]
