"""Dragging tasks onto the machine and boxes onto boxes: do, undo, Esc, and the preview before the release."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.pointing import Item
from app.storage.presets import preset, worked_example
from app.views.reduce import strongest_at_ends
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit, Sequential
from core.mapping.targets import Target
from core.network import Circulant, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect
from tests.pointer import across, carry, drag, let_go, move, press

HALF_FULL = Scenario(Percs(), Halo(rows=32, cols=64), Sequential(), PercsDirect())
SHIFT = Qt.KeyboardModifier.ShiftModifier


def drop(make_driver, task, widget, at, **kinds):
    carry(make_driver.job.event_widget, make_driver.cell(task), widget, at, **kinds)


def near(image, at, colour, reach=9):
    wanted = np.array(QColor(colour).getRgb()[:3])
    pixels = [
        np.array(image.pixelColor(at.x() + dx, at.y() + dy).getRgb()[:3])
        for dx in range(-reach, reach + 1)
        for dy in range(-reach, reach + 1)
    ]
    return min(int(np.abs(pixel - wanted).max()) for pixel in pixels) < 12


def test_task_moves_to_the_drop_target_and_undo_restores_it(make_driver):
    driver = make_driver(worked_example(), "drag")
    drop(driver, 5, driver.machine, driver.node(9 * 32 + 12))
    target = Target(2, 9 * 32 + 12)
    assert 5 in driver.on(target)
    assert driver.state.history.undo_name == "Put task 5 on node 9 · d1 · 12"
    driver.assert_sound()
    driver.session.editing.undo()
    assert driver.state.evaluation.case.scenario == driver.start.case.scenario
    np.testing.assert_array_equal(driver.slots, driver.start.case.mapping.slots)


def test_only_nodes_whose_loads_change_change_their_colour_during_a_drag(make_driver, qtbot):
    driver = make_driver(worked_example(), "drag", drawn=True)
    driver.session.mark(np.arange(128))
    before, loads = driver.machine.grab().toImage(), at_nodes(driver.state)
    press(driver.job.event_widget, driver.cell(5))
    move(driver.job.event_widget, driver.cell(5), across(driver.job.event_widget, driver.machine, driver.box(20)))
    qtbot.waitUntil(lambda: driver.state.report.time > driver.start.report.time)
    meanwhile = driver.machine.grab().toImage()
    still = np.flatnonzero(loads == at_nodes(driver.state))
    assert still.size > 30
    same = [before.pixelColor(at) == meanwhile.pixelColor(at) for at in map(driver.node, still)]
    assert np.mean(same) > 0.8  # links with other loads cross some nodes
    QTest.keyClick(driver, Qt.Key.Key_Escape)


def at_nodes(state):
    return strongest_at_ends(state.evaluation.case.network, state.report.total_load)


def test_selected_tasks_move_together_to_the_finest_place_with_room(make_driver):
    driver = make_driver(worked_example(), "drag")
    block = (np.arange(4)[:, None] * 64 + np.arange(8)).ravel()
    driver.session.mark(block)
    drop(driver, int(block[9]), driver.machine, driver.node(9 * 32 + 12))
    np.testing.assert_array_equal(driver.on(Target(1, 9 * 4 + 1)), block)
    assert driver.state.history.undo_name == "Put 32 tasks on drawer 1 of supernode 9"
    assert np.array_equal(driver.state.marked, block)
    assert driver.session.state.history.done == 1


def test_tasks_that_do_not_fit_a_drawer_move_to_a_supernode(make_driver):
    driver = make_driver(worked_example(), "drag")
    driver.session.mark(np.arange(100))
    drop(driver, 50, driver.machine, driver.box(20))
    assert np.isin(np.arange(100), driver.on(Target(0, 20))).all()
    assert driver.state.history.undo_name == "Put 100 tasks on supernode 20"


def test_tasks_without_room_are_counted_in_the_name(make_driver):
    driver = make_driver(worked_example(), "drag")
    driver.session.mark(np.arange(200))
    driver.session.set_level(1)
    drop(driver, 7, driver.machine, driver.node(20 * 32 + 3))
    assert driver.state.history.undo_name == "Put 32 of 200 tasks on drawer 0 of supernode 20"
    np.testing.assert_array_equal(driver.on(Target(1, 80)), np.arange(32))


def test_shift_selects_the_next_coarser_place(make_driver):
    driver = make_driver(worked_example(), "drag")
    drop(driver, 5, driver.machine, driver.node(9 * 32 + 12), modifiers=SHIFT)
    assert driver.state.history.undo_name == "Put task 5 on drawer 1 of supernode 9"


def test_a_chosen_level_drags_all_tasks_of_the_place(make_driver):
    driver = make_driver(worked_example(), "drag")
    driver.session.set_level(0)
    home = int(driver.start.case.mapping.nodes[5]) // 32
    moving = driver.on(Target(0, home))
    drop(driver, 5, driver.machine, driver.box(17))
    assert driver.state.history.undo_name == "Put 128 tasks on supernode 17"
    np.testing.assert_array_equal(driver.on(Target(0, 17)), moving)


def test_loads_follow_before_the_release(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid, start = driver.job.event_widget, driver.cell(5)
    press(grid, start)
    seen = set()
    for group in (9, 14, 9, 3):
        end = across(grid, driver.machine, driver.box(group))
        driver.move(grid, start, end, steps=3)
        assert driver.state.edit.drop_target.level == 2
        assert driver.state.edit.drop_target.index // 32 == group
        assert (
            driver.state.edit.gesture
            == f"Put task 5 on {driver.state.edit.drop_target.name(driver.start.case.network)}"
        )
        driver.assert_sound()
        seen.add(driver.state.report.throughput_gbs)
        start = end
    assert len(seen) > 1
    before = driver.start.report.load
    assert not np.array_equal(driver.state.report.load, before)
    let_go(grid, start)
    assert driver.session.state.history.done == 1


def test_release_outside_the_machine_leaves_no_trace(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid, start = driver.job.event_widget, driver.cell(5)
    press(grid, start)
    there = across(grid, driver.machine, driver.box(9))
    driver.move(grid, start, there)
    assert not np.array_equal(driver.slots, driver.start.case.mapping.slots)
    nothing = across(grid, driver.machine, QPoint(4, 4))
    driver.move(grid, there, nothing)
    np.testing.assert_array_equal(driver.slots, driver.start.case.mapping.slots)
    assert driver.state.edit.drop_target is None
    let_go(grid, nothing)
    assert driver.untouched()


def test_escape_leaves_no_trace(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid, start = driver.job.event_widget, driver.cell(5)
    press(grid, start)
    there = across(grid, driver.machine, driver.box(9))
    driver.move(grid, start, there)
    assert driver.toolbox.cancel()
    assert driver.untouched()
    driver.move(grid, there, start)
    let_go(grid, start)
    assert driver.untouched()
    assert not driver.toolbox.cancel()


def test_a_task_dropped_on_another_in_the_grid_goes_to_its_node(make_driver):
    driver = make_driver(worked_example(), "drag")
    there = int(driver.start.case.mapping.nodes[3000])
    drop(driver, 5, driver.job.event_widget, driver.cell(3000))
    assert 5 in driver.on(Target(2, there))
    driver.assert_sound()


def test_a_drag_over_its_own_effect_does_not_flicker(make_driver):
    # The displaced task is now under the pointer; the task at the press counts.
    driver = make_driver(worked_example(), "drag")
    grid = driver.job.event_widget
    press(grid, driver.cell(5))
    driver.move(grid, driver.cell(5), driver.cell(3000))
    aim, slots = driver.state.edit.drop_target, driver.slots
    for _ in range(3):
        driver.move(grid, driver.cell(3000), driver.cell(3000), steps=1)
        assert driver.state.edit.drop_target == aim
        np.testing.assert_array_equal(driver.slots, slots)
    let_go(grid, driver.cell(3000))


def test_free_places_are_filled_without_displacing_tasks(make_driver):
    driver = make_driver(HALF_FULL, "drag")
    before = driver.slots
    drop(driver, 5, driver.machine, driver.node(30 * 32 + 4))
    assert np.flatnonzero(driver.slots != before).tolist() == [5]
    driver.assert_sound()


@pytest.mark.parametrize(("level", "name"), [(None, "supernode 3 with supernode 12"), (1, None), (2, None)])
def test_places_dragged_onto_each_other_swap(make_driver, level, name):
    driver = make_driver(worked_example(), "drag")
    driver.session.set_level(level)
    network = driver.start.case.network
    here, there = (Target.containing(node, level or 0, network) for node in (3 * 32 + 9, 12 * 32 + 25))
    first, second = driver.on(here), driver.on(there)
    drag(driver.machine, driver.node(3 * 32 + 9), driver.node(12 * 32 + 25))
    np.testing.assert_array_equal(driver.on(here), second)
    np.testing.assert_array_equal(driver.on(there), first)
    assert driver.state.history.undo_name == f"Swap {name or f'{here.name(network)} with {there.name(network)}'}"
    driver.assert_sound()
    driver.session.editing.undo()
    np.testing.assert_array_equal(driver.slots, driver.start.case.mapping.slots)
    driver.session.editing.redo()
    np.testing.assert_array_equal(driver.on(here), second)


def test_nodes_of_an_open_box_swap_one_by_one(make_driver, qtbot):
    driver = make_driver(worked_example(), "drag")
    driver.machine.open_group(21)
    qtbot.waitUntil(lambda: not driver.machine.moving)
    qtbot.waitUntil(lambda: 21 in driver.machine.scene.open)
    drag(driver.machine, driver.node(21 * 32 + 2), driver.node(21 * 32 + 29))
    assert driver.state.history.undo_name == "Swap node 21 · d0 · 2 with node 21 · d3 · 29"


def test_between_the_nodes_of_an_open_box_its_drawers_swap(make_driver, qtbot):
    driver = make_driver(worked_example(), "drag")
    driver.machine.open_group(21)
    qtbot.waitUntil(lambda: not driver.machine.moving)
    qtbot.waitUntil(lambda: 21 in driver.machine.scene.open)
    upper, lower = (driver.node(21 * 32 + k) + QPoint(driver.cell_px // 2, 0) for k in (9, 26))
    assert driver.machine.hit_at(QPointF(upper)).item != Item("node", 21 * 32 + 9)
    drag(driver.machine, upper, lower)
    assert driver.state.history.undo_name == "Swap drawer 1 of supernode 21 with drawer 3 of supernode 21"
    driver.assert_sound()


def test_dragged_tasks_move_to_the_nearest_node_of_a_lattice(make_driver):
    driver = make_driver(preset("torus-16x16-transpose"), "drag")
    gap = (driver.node(77) + driver.node(94)) / 2 + QPoint(2, 2)
    assert driver.machine.hit_at(QPointF(gap)).node is None
    drop(driver, 5, driver.machine, gap)
    assert driver.state.history.undo_name == "Put task 5 on node (5,14)"
    driver.assert_sound()


def test_tasks_move_to_nodes_and_slices_of_nested_grids(make_driver):
    grids = Scenario(Torus(dims=(4, 3, 3, 4)), Halo(rows=6, cols=8), Sequential(), DimensionOrder())
    driver = make_driver(grids, "drag")
    drop(driver, 5, driver.machine, driver.node(140))
    assert 5 in driver.on(Target(3, 140))
    assert driver.state.history.undo_name == "Put task 5 on node (3,2,2,0)"
    driver.session.mark(np.arange(36))
    drop(driver, 7, driver.machine, driver.node(2 * 36 + 17))
    np.testing.assert_array_equal(driver.on(Target(0, 2)), np.arange(36))
    assert driver.state.history.undo_name == "Put 36 tasks on X slice 2"
    driver.assert_sound()


def test_dragged_tasks_near_a_box_move_to_that_box(make_driver):
    driver = make_driver(worked_example(), "drag")
    left = int(driver.machine.scene.geometry.layout.boxes[24, 2] / 2 * driver.machine.camera.scale) + 9
    beside = driver.box(24) - QPoint(left, 0)
    assert driver.machine.hit_at(QPointF(beside)).node is None
    drag(driver.machine, driver.box(3), beside)
    assert driver.state.history.undo_name == "Swap supernode 3 with supernode 24"


def test_nodes_of_a_torus_swap(make_driver):
    driver = make_driver(preset("torus-16x16-transpose"), "drag")
    drag(driver.machine, driver.node(5), driver.node(77))
    assert driver.state.history.undo_name == "Swap node (0,5) with node (4,13)"
    driver.assert_sound()


def test_a_box_dragged_back_or_nowhere_changes_nothing(make_driver):
    driver = make_driver(worked_example(), "drag")
    press(driver.machine, driver.box(3))
    driver.move(driver.machine, driver.box(3), driver.box(12))
    driver.move(driver.machine, driver.box(12), driver.box(3))
    let_go(driver.machine, driver.box(3))
    assert driver.untouched()


def test_click_selects_and_a_drag_outside_all_boxes_pans(make_driver):
    driver = make_driver(worked_example(), "drag")
    press(driver.machine, driver.box(21))
    let_go(driver.machine, driver.box(21))
    assert driver.state.selection == Item("group", 21)
    press(driver.job.event_widget, driver.cell(77))
    let_go(driver.job.event_widget, driver.cell(77))
    assert driver.state.selection == Item("task", 77)
    before = driver.box(16)
    drag(driver.machine, QPoint(6, 6), QPoint(46, 26))
    assert driver.box(16) - before == QPoint(40, 20)
    drag(driver.machine, driver.box(3), driver.box(3) + QPoint(-30, 10), button=Qt.MouseButton.MiddleButton)
    assert driver.box(16) - before == QPoint(10, 30)
    assert driver.untouched()


def test_dragged_tasks_and_target_are_highlighted(make_driver):
    driver = make_driver(worked_example(), "drag", drawn=True)
    accent = driver.state.style.theme.accent

    def frame(group):
        x, y, width, height = driver.machine.scene.geometry.layout.boxes[group]
        return driver.pixel((x - width / 2, y, 0)), driver.pixel((x, y + height / 2, 0))

    plain = driver.machine.grab().toImage()
    assert not any(near(plain, at, accent) for group in (3, 12) for at in frame(group))
    press(driver.machine, driver.box(3))
    driver.move(driver.machine, driver.box(3), driver.box(12))
    lit = driver.machine.grab().toImage()
    assert all(near(lit, at, accent) for group in (3, 12) for at in frame(group))
    assert not any(near(lit, at, accent) for at in frame(20))
    assert driver.toolbox.cancel()
    assert not any(near(driver.machine.grab().toImage(), at, accent) for at in frame(12))


def test_another_level_updates_the_target_under_a_resting_pointer(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid = driver.job.event_widget
    press(grid, driver.cell(5))
    there = across(grid, driver.machine, driver.node(9 * 32 + 12))
    driver.move(grid, driver.cell(5), there)
    assert driver.state.edit.drop_target == Target(2, 9 * 32 + 12)
    driver.session.set_level(1)
    assert driver.state.edit.drop_target == Target(1, 9 * 4 + 1)
    assert 5 in driver.on(Target(1, 9 * 4 + 1))
    driver.assert_sound()
    let_go(grid, there)
    assert driver.session.state.history.done == 1


def test_undo_cancels_a_drag(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid = driver.job.event_widget
    press(grid, driver.cell(5))
    there = across(grid, driver.machine, driver.box(9))
    driver.move(grid, driver.cell(5), there)
    driver.session.editing.undo()
    driver.move(grid, there, there + QPoint(10, 0))
    let_go(grid, there)
    assert driver.untouched()


def wheel(widget, at, notches):
    none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(QPointF(at), QPointF(widget.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches), *none, False)
    QApplication.sendEvent(widget, event)


def test_wheel_zooms_during_a_drag_and_the_target_follows(make_driver, qtbot):
    driver = make_driver(worked_example(), "drag")
    grid = driver.job.event_widget
    press(grid, driver.cell(5))
    at = driver.node(9 * 32 + 12) + QPoint(3, 3)
    driver.move(grid, driver.cell(5), across(grid, driver.machine, at))
    before = driver.state.edit.drop_target
    for _ in range(14):
        wheel(driver.machine, at, 1)
    qtbot.waitUntil(lambda: 9 in driver.machine.scene.open)
    wheel(driver.machine, at, 1)
    qtbot.waitUntil(lambda: driver.state.edit.drop_target == Target(2, driver.machine.hit_at(QPointF(at)).node))
    assert before.level == 2
    assert driver.state.edit.drop_target.index // 32 == 9
    driver.assert_sound()
    assert driver.toolbox.cancel()
    assert driver.untouched()


def test_shift_works_while_the_pointer_rests(make_driver, qtbot):
    driver = make_driver(worked_example(), "drag")
    grid = driver.job.event_widget
    press(grid, driver.cell(5))
    there = across(grid, driver.machine, driver.node(9 * 32 + 12))
    driver.move(grid, driver.cell(5), there)
    QTest.keyPress(driver.machine, Qt.Key.Key_Shift)
    qtbot.waitUntil(lambda: driver.state.edit.drop_target == Target(1, 9 * 4 + 1))
    QTest.keyRelease(driver.machine, Qt.Key.Key_Shift)
    qtbot.waitUntil(lambda: driver.state.edit.drop_target == Target(2, 9 * 32 + 12))
    let_go(grid, there)
    assert driver.state.history.undo_name == "Put task 5 on node 9 · d1 · 12"
    QTest.keyPress(driver.machine, Qt.Key.Key_Shift)
    QTest.keyRelease(driver.machine, Qt.Key.Key_Shift)
    assert driver.session.state.history.done == 1


def test_double_click_opens_a_box_with_the_drag_tool(make_driver, qtbot):
    driver = make_driver(worked_example(), "drag")
    at = driver.box(4)
    press(driver.machine, at)
    let_go(driver.machine, at)
    QTest.mouseDClick(driver.machine, Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: 4 in driver.machine.scene.open)
    qtbot.waitUntil(lambda: not driver.machine.moving)
    assert driver.untouched()


def test_a_task_dropped_on_another_component_is_disconnected(make_driver):
    rings = Scenario(Circulant(nodes=8, jumps=(2, 4)), Halo(rows=2, cols=2), Explicit((0, 2, 4, 6)), Minimal())
    driver = make_driver(rings, "drag")
    drop(driver, 1, driver.machine, driver.node(5))
    assert driver.slots.tolist() == [0, 5, 4, 6]
    assert driver.state.report.disconnected.count == evaluate(driver.state.evaluation.case).disconnected.count > 0
    assert "task 1 on 5 cannot reach task 3 on 6" in driver.state.report.disconnected.sentence
    driver.assert_sound()
    driver.session.editing.undo()
    assert not driver.state.report.disconnected
