"""Drawing the nodes of the job on the machine: add, remove, Esc, undo, and refusals."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, Qt

from core.job import AllToAll, Halo
from core.load.scenario import Neighbour, Scenario
from core.mapping import Explicit, Sequential
from core.mapping.explicit import SlotList
from core.network import Percs, Torus, Xgft
from core.routing import DimensionOrder, Minimal, PercsDirect
from tests.pointer import let_go, press

SHIFT = Qt.KeyboardModifier.ShiftModifier
FLAT = Scenario(Torus((6, 6), slots_per_node=2), Halo(2, 4), Sequential(), DimensionOrder())


def nodes(driver):
    allocation = driver.state.evaluation.case.allocation
    return None if allocation is None else allocation.nodes.tolist()


def stroke(driver, start, end, modifiers=Qt.KeyboardModifier.NoModifier):
    press(driver.machine, start, modifiers=modifiers)
    driver.move(driver.machine, start, end, steps=2, modifiers=modifiers)
    let_go(driver.machine, end, modifiers=modifiers)


def test_first_stroke_allocates_the_nodes_under_it_without_gaps(make_driver):
    driver = make_driver(FLAT, "allocate")
    stroke(driver, driver.node(0), driver.node(5))
    assert nodes(driver) == [0, 1, 2, 3, 4, 5]
    assert driver.state.wanted.allocation == "0-5"
    assert driver.state.history.undo_name == "Allocate 6 nodes to the job"
    driver.assert_sound()
    driver.session.editing.undo()
    assert nodes(driver) is None


def test_stroke_from_a_node_of_the_job_removes_nodes_and_from_another_node_adds_them(make_driver):
    driver = make_driver(replace(FLAT, allocation="5,0-4"), "allocate")
    stroke(driver, driver.node(1), driver.node(2))
    assert nodes(driver) == [5, 0, 3, 4]
    stroke(driver, driver.node(13), driver.node(12))
    assert nodes(driver) == [5, 0, 3, 4, 12, 13]


def test_hosts_are_allocated_with_all_their_nics(make_driver):
    spec = Xgft((6,), (1,), nics=2)
    driver = make_driver(Scenario(spec, AllToAll(2), Sequential(), Minimal()), "allocate")
    stroke(driver, driver.node(1), driver.node(2))
    assert nodes(driver) == [0, 1, 2, 3]
    assert driver.state.wanted.allocation == "0-1"
    assert driver.state.history.undo_name == "Allocate 2 hosts to the job"
    press(driver.machine, driver.node(3))
    let_go(driver.machine, driver.node(3))
    assert nodes(driver) == [0, 1]


def test_stroke_is_previewed_and_escape_cancels_it(make_driver):
    driver = make_driver(FLAT, "allocate", drawn=True)
    press(driver.machine, driver.node(0))
    driver.move(driver.machine, driver.node(0), driver.node(1), steps=2)
    assert np.flatnonzero(driver.state.edit.allocated).tolist() == [0, 1]
    assert driver.toolbox.cancel()
    assert driver.state.edit.allocated is None
    let_go(driver.machine, driver.node(1))
    assert driver.untouched()


def test_too_few_nodes_are_refused_and_the_next_stroke_continues(make_driver):
    driver = make_driver(FLAT, "allocate")
    stroke(driver, driver.node(0), driver.node(2))
    assert nodes(driver) is None
    assert "do not fit 6 slots" in driver.state.error.message
    stroke(driver, driver.node(6), driver.node(7))
    assert driver.state.error is None
    assert nodes(driver) == [0, 1, 2, 6, 7]


def test_shift_selects_the_enclosing_place(make_driver):
    driver = make_driver(Scenario(Percs(4), Halo(4, 8), Sequential(), PercsDirect()), "allocate")
    stroke(driver, driver.box(2), driver.box(2), SHIFT)
    assert nodes(driver) == list(range(64, 96))


def test_place_shared_with_other_jobs_adds_its_free_nodes(make_driver):
    beside = Neighbour(job=Halo(1, 2), mapping=Sequential(), name="B", allocation="70,71")
    shared = Scenario(
        Percs(4), Halo(1, 4), Sequential(), PercsDirect(), allocation="0-7", down=("72",), neighbours=(beside,)
    )
    driver = make_driver(shared, "allocate")
    stroke(driver, driver.box(2), driver.box(2), SHIFT)
    assert nodes(driver) == [*range(8), *range(64, 70), *range(73, 96)]
    stroke(driver, driver.box(2), driver.box(2), SHIFT)
    assert nodes(driver) == [*range(8)]
    assert driver.state.error is None


def test_custom_mapping_moves_tasks_off_removed_nodes(make_driver):
    by_hand = replace(FLAT, mapping=Explicit(SlotList(np.arange(8))))
    driver = make_driver(by_hand, "allocate")
    stroke(driver, driver.node(1), driver.node(5))
    assert nodes(driver) == [1, 2, 3, 4, 5]
    assert driver.slots.tolist() == [8, 9, 2, 3, 4, 5, 6, 7]


def test_last_node_cannot_be_removed(make_driver):
    driver = make_driver(replace(FLAT, job=Halo(1, 2), allocation="7"), "allocate")
    stroke(driver, driver.node(7), driver.node(7))
    assert nodes(driver) == [7]
    assert str(driver.state.error) == "allocation: leaves no node for the job; leave at least one"


def test_press_outside_nodes_shows_a_hint(make_driver):
    driver = make_driver(FLAT, "allocate")
    press(driver.machine, QPoint(2, 2))
    let_go(driver.machine, QPoint(2, 2))
    assert driver.state.edit.hint == driver.allocate.wants
    assert driver.untouched()


def test_tasks_cannot_be_dragged_onto_unallocated_nodes(make_driver):
    driver = make_driver(replace(FLAT, allocation="0-17"), "drag")
    before = driver.slots.copy()
    press(driver.machine, driver.node(0))
    driver.move(driver.machine, driver.node(0), driver.node(30))
    let_go(driver.machine, driver.node(30))
    np.testing.assert_array_equal(driver.slots, before)
    press(driver.machine, driver.node(0))
    driver.move(driver.machine, driver.node(0), driver.node(15))
    let_go(driver.machine, driver.node(15))
    assert driver.state.evaluation.case.mapping.nodes[:2].tolist() == [15, 15]
