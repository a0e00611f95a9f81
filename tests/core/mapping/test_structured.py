"""Structured mappings: tasks in order to nodes in order."""

import numpy as np
import pytest

from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential, Structured
from core.mapping.allocation import Allocation
from core.mapping.box_steps import Hilbert, Tiles, Tilt, Zigzag
from core.mapping.structured import machine_box
from core.network import Circulant, Dragonfly, FatTree, Hypercube, Percs, Torus
from core.routing import DimensionOrder
from core.spec import SpecError


def test_without_steps_it_is_sequential():
    job, network = Halo(4, 6).build(), Torus((3, 4), slots_per_node=2).build()
    plain = Structured(task_steps=(), node_steps=())
    np.testing.assert_array_equal(plain.build(job, network).slots, Sequential().build(job, network).slots)


def test_the_kth_task_in_order_has_the_kth_slot_in_order():
    job, network = Halo(4, 4).build(), Torus((2, 4), slots_per_node=2).build()
    built = Structured(task_steps=(Tiles((2, 1)),), node_steps=(Zigzag(),)).build(job, network)
    # Tiles of two tasks, one above the other, on nodes in boustrophedon order.
    assert built.nodes.reshape(4, 4).tolist() == [[0, 1, 2, 3], [0, 1, 2, 3], [7, 6, 5, 4], [7, 6, 5, 4]]


def test_hilbert_to_hilbert_keeps_neighbours_near():
    network, job = Torus((16, 16), slots_per_node=4), Halo(32, 32)
    times = [
        evaluate(Scenario(network, job, mapping, DimensionOrder()).build()).load.sum()
        for mapping in (Sequential(), Structured())
    ]
    assert times[1] < times[0] / 8


@pytest.mark.parametrize(
    ("spec", "box"),
    [
        (Torus((2, 3, 4)), (2, 3, 4)),
        (Hypercube(3), (2, 2, 2)),
        (Percs(3), (3, 4, 8)),
        (Dragonfly(4, 2, 5, 3), (5, 4, 3)),
        (FatTree(3, 3), (3, 3, 3)),
        (Circulant(nodes=10, jumps=(1, 2)), (10,)),
    ],
    ids=repr,
)
def test_the_box_of_a_machine_is_its_dimensions_or_its_levels(spec, box):
    assert machine_box(spec.build()) == box


def test_a_job_on_some_nodes_fills_them_in_the_machines_order():
    network = Torus((4, 4)).build()
    order = Structured(task_steps=(), node_steps=(Hilbert(),))
    order_of_all = order.build(AllToAll(16).build(), network).nodes.tolist()
    some = Allocation(network, np.array([9, 3, 14, 0], np.int32))
    assert order.build(AllToAll(4).build(), network, some).nodes.tolist() == [
        n for n in order_of_all if n in (9, 3, 14, 0)
    ]


def test_tasks_use_the_given_box():
    job, network = AllToAll(6).build(), Torus((8,)).build()
    built = Structured(task_steps=(Zigzag(),), node_steps=(), box=(2, 4)).build(job, network)
    # Read 0 1 2 3, then 7 6 5 4 backwards, without 6 and 7, which do not exist.
    assert built.slots.tolist() == [0, 1, 2, 3, 5, 4]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (Structured(task_steps=(Hilbert(), Tilt(along=2)), node_steps=()),
         "mapping.task_steps[1].along: is 2; dimensions of the 4 × 4 box are 0 to 1"),
        (Structured(task_steps=(), node_steps=(Zigzag(),)),
         "mapping.node_steps[0].along: is 1; dimensions of the 16 box are 0 to 0"),
        (Structured(box=(3, 5), task_steps=(), node_steps=()),
         "mapping.box: of 3 × 5 has 15 places for 16 tasks; make it larger"),
    ],
)  # fmt: skip
def test_steps_that_do_not_fit_the_box_are_refused(mapping, message):
    with pytest.raises(SpecError) as refusal:
        mapping.build(Halo(4, 4).build(), Torus((16,)).build())
    assert str(refusal.value) == message
