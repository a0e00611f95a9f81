"""Dragging tasks onto the machine and boxes onto boxes: do, undo, Esc, and what is seen before the release."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.pointing import Item
from app.storage.presets import preset, worked_example
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.targets import Target
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from tests.pointer import across, carry, drag, let_go, press

HALF_FULL = Scenario(Percs(), Halo(rows=32, cols=64), Sequential(), PercsDirect())
SHIFT = Qt.KeyboardModifier.ShiftModifier


def drop(bench, task, widget, at, **kinds):
    carry(bench.job.sensor, bench.cell(task), widget, at, **kinds)


def near(image, at, colour, reach=9):
    wanted = np.array(QColor(colour).getRgb()[:3])
    pixels = [
        np.array(image.pixelColor(at.x() + dx, at.y() + dy).getRgb()[:3])
        for dx in range(-reach, reach + 1)
        for dy in range(-reach, reach + 1)
    ]
    return min(int(np.abs(pixel - wanted).max()) for pixel in pixels) < 12


def test_a_task_goes_where_it_is_dropped_and_undo_brings_it_back(bench):
    desk = bench(worked_example(), "drag")
    drop(desk, 5, desk.machine, desk.node(9 * 32 + 12))
    target = Target(2, 9 * 32 + 12)
    assert 5 in desk.on(target)
    assert desk.state.undo_name == "Put task 5 on node 9 · d1 · 12"
    desk.assert_sound()
    desk.session.editing.undo()
    assert desk.state.answer.case.scenario == desk.start.case.scenario
    np.testing.assert_array_equal(desk.slots, desk.start.case.mapping.slots)


def test_marked_tasks_go_together_onto_the_finest_place_that_holds_them(bench):
    desk = bench(worked_example(), "drag")
    block = (np.arange(4)[:, None] * 64 + np.arange(8)).ravel()
    desk.session.mark(block)
    drop(desk, int(block[9]), desk.machine, desk.node(9 * 32 + 12))
    np.testing.assert_array_equal(desk.on(Target(1, 9 * 4 + 1)), block)
    assert desk.state.undo_name == "Put 32 tasks on drawer 1 of supernode 9"
    assert np.array_equal(desk.state.marked, block)
    assert desk.session.editing.history.done == 1


def test_what_does_not_fit_a_drawer_goes_onto_a_supernode(bench):
    desk = bench(worked_example(), "drag")
    desk.session.mark(np.arange(100))
    drop(desk, 50, desk.machine, desk.box(20))
    assert np.isin(np.arange(100), desk.on(Target(0, 20))).all()
    assert desk.state.undo_name == "Put 100 tasks on supernode 20"


def test_more_than_the_machine_has_room_for_says_how_many_go(bench):
    desk = bench(worked_example(), "drag")
    desk.session.mark(np.arange(200))
    desk.session.set_level(1)
    drop(desk, 7, desk.machine, desk.node(20 * 32 + 3))
    assert desk.state.undo_name == "Put 32 of 200 tasks on drawer 0 of supernode 20"
    np.testing.assert_array_equal(desk.on(Target(1, 80)), np.arange(32))


def test_shift_takes_the_next_coarser_place(bench):
    desk = bench(worked_example(), "drag")
    drop(desk, 5, desk.machine, desk.node(9 * 32 + 12), modifiers=SHIFT)
    assert desk.state.undo_name == "Put task 5 on drawer 1 of supernode 9"


def test_a_chosen_level_drags_all_tasks_of_the_place(bench):
    desk = bench(worked_example(), "drag")
    desk.session.set_level(0)
    home = int(desk.start.case.mapping.nodes[5]) // 32
    moving = desk.on(Target(0, home))
    drop(desk, 5, desk.machine, desk.box(17))
    assert desk.state.undo_name == "Put 128 tasks on supernode 17"
    np.testing.assert_array_equal(desk.on(Target(0, 17)), moving)


def test_the_loads_follow_before_the_release(bench):
    desk = bench(worked_example(), "drag")
    grid, start = desk.job.sensor, desk.cell(5)
    press(grid, start)
    seen = set()
    for group in (9, 14, 9, 3):
        end = across(grid, desk.machine, desk.box(group))
        desk.move(grid, start, end, steps=3)
        assert desk.state.aim.level == 2
        assert desk.state.aim.index // 32 == group
        assert desk.state.gesture == f"Put task 5 on {desk.state.aim.name(desk.start.case.network)}"
        desk.assert_sound()
        seen.add(desk.state.report.throughput_gbs)
        start = end
    assert len(seen) > 1
    before = desk.start.report.load
    assert not np.array_equal(desk.state.report.load, before)
    let_go(grid, start)
    assert desk.session.editing.history.done == 1


def test_over_nothing_everything_is_back_and_a_release_there_leaves_no_trace(bench):
    desk = bench(worked_example(), "drag")
    grid, start = desk.job.sensor, desk.cell(5)
    press(grid, start)
    there = across(grid, desk.machine, desk.box(9))
    desk.move(grid, start, there)
    assert not np.array_equal(desk.slots, desk.start.case.mapping.slots)
    nothing = across(grid, desk.machine, QPoint(4, 4))
    desk.move(grid, there, nothing)
    np.testing.assert_array_equal(desk.slots, desk.start.case.mapping.slots)
    assert desk.state.aim is None
    let_go(grid, nothing)
    assert desk.untouched()


def test_escape_leaves_no_trace(bench):
    desk = bench(worked_example(), "drag")
    grid, start = desk.job.sensor, desk.cell(5)
    press(grid, start)
    there = across(grid, desk.machine, desk.box(9))
    desk.move(grid, start, there)
    assert desk.toolbox.cancel()
    assert desk.untouched()
    desk.move(grid, there, start)
    let_go(grid, start)
    assert desk.untouched()
    assert not desk.toolbox.cancel()


def test_a_task_dropped_on_another_in_the_grid_goes_to_its_node(bench):
    desk = bench(worked_example(), "drag")
    there = int(desk.start.case.mapping.nodes[3000])
    drop(desk, 5, desk.job.sensor, desk.cell(3000))
    assert 5 in desk.on(Target(2, there))
    desk.assert_sound()


def test_a_drag_over_its_own_effect_does_not_flicker(bench):
    # Under the pointer now sits who was displaced; what counts is who sat there at the press.
    desk = bench(worked_example(), "drag")
    grid = desk.job.sensor
    press(grid, desk.cell(5))
    desk.move(grid, desk.cell(5), desk.cell(3000))
    aim, slots = desk.state.aim, desk.slots
    for _ in range(3):
        desk.move(grid, desk.cell(3000), desk.cell(3000), steps=1)
        assert desk.state.aim == aim
        np.testing.assert_array_equal(desk.slots, slots)
    let_go(grid, desk.cell(3000))


def test_free_places_are_filled_without_displacing_anybody(bench):
    desk = bench(HALF_FULL, "drag")
    before = desk.slots
    drop(desk, 5, desk.machine, desk.node(30 * 32 + 4))
    assert np.flatnonzero(desk.slots != before).tolist() == [5]
    desk.assert_sound()


@pytest.mark.parametrize(("level", "name"), [(None, "supernode 3 with supernode 12"), (1, None), (2, None)])
def test_places_dragged_onto_each_other_swap(bench, level, name):
    desk = bench(worked_example(), "drag")
    desk.session.set_level(level)
    network = desk.start.case.network
    here, there = (Target.around(node, level or 0, network) for node in (3 * 32 + 9, 12 * 32 + 25))
    first, second = desk.on(here), desk.on(there)
    drag(desk.machine, desk.node(3 * 32 + 9), desk.node(12 * 32 + 25))
    np.testing.assert_array_equal(desk.on(here), second)
    np.testing.assert_array_equal(desk.on(there), first)
    assert desk.state.undo_name == f"Swap {name or f'{here.name(network)} with {there.name(network)}'}"
    desk.assert_sound()
    desk.session.editing.undo()
    np.testing.assert_array_equal(desk.slots, desk.start.case.mapping.slots)
    desk.session.editing.redo()
    np.testing.assert_array_equal(desk.on(here), second)


def test_nodes_of_an_open_box_swap_one_by_one(bench, qtbot):
    desk = bench(worked_example(), "drag")
    desk.machine.open_group(21)
    qtbot.waitUntil(lambda: not desk.machine.moving)
    qtbot.waitUntil(lambda: 21 in desk.machine.scene.open)
    drag(desk.machine, desk.node(21 * 32 + 2), desk.node(21 * 32 + 29))
    assert desk.state.undo_name == "Swap node 21 · d0 · 2 with node 21 · d3 · 29"


def test_between_the_nodes_of_an_open_box_its_drawers_swap(bench, qtbot):
    desk = bench(worked_example(), "drag")
    desk.machine.open_group(21)
    qtbot.waitUntil(lambda: not desk.machine.moving)
    qtbot.waitUntil(lambda: 21 in desk.machine.scene.open)
    upper, lower = (desk.node(21 * 32 + k) + QPoint(desk.cell_px // 2, 0) for k in (9, 26))
    assert desk.machine.spot_at(QPointF(upper)).item != Item("node", 21 * 32 + 9)
    drag(desk.machine, upper, lower)
    assert desk.state.undo_name == "Swap drawer 1 of supernode 21 with drawer 3 of supernode 21"
    desk.assert_sound()


def test_between_the_nodes_of_a_lattice_what_is_held_goes_onto_the_nearest(bench):
    desk = bench(preset("torus-16x16-transpose"), "drag")
    gap = (desk.node(77) + desk.node(94)) / 2 + QPoint(2, 2)
    assert desk.machine.spot_at(QPointF(gap)).node is None
    drop(desk, 5, desk.machine, gap)
    assert desk.state.undo_name == "Put task 5 on node (5,14)"
    desk.assert_sound()


def test_tasks_go_to_nodes_and_slices_of_nested_grids(bench):
    grids = Scenario(Torus(dims=(4, 3, 3, 4)), Halo(rows=6, cols=8), Sequential(), DimensionOrder())
    desk = bench(grids, "drag")
    drop(desk, 5, desk.machine, desk.node(140))
    assert 5 in desk.on(Target(3, 140))
    assert desk.state.undo_name == "Put task 5 on node (3,2,2,0)"
    desk.session.mark(np.arange(36))
    drop(desk, 7, desk.machine, desk.node(2 * 36 + 17))
    np.testing.assert_array_equal(desk.on(Target(0, 2)), np.arange(36))
    assert desk.state.undo_name == "Put 36 tasks on X slice 2"
    desk.assert_sound()


def test_beside_a_box_what_is_held_goes_onto_that_box(bench):
    desk = bench(worked_example(), "drag")
    left = int(desk.machine.scene.plan.layout.boxes[24, 2] / 2 * desk.machine.camera.scale) + 9
    beside = desk.box(24) - QPoint(left, 0)
    assert desk.machine.spot_at(QPointF(beside)).node is None
    drag(desk.machine, desk.box(3), beside)
    assert desk.state.undo_name == "Swap supernode 3 with supernode 24"


def test_nodes_of_a_torus_swap(bench):
    desk = bench(preset("torus-16x16-transpose"), "drag")
    drag(desk.machine, desk.node(5), desk.node(77))
    assert desk.state.undo_name == "Swap node (0,5) with node (4,13)"
    desk.assert_sound()


def test_a_box_dragged_back_or_nowhere_changes_nothing(bench):
    desk = bench(worked_example(), "drag")
    press(desk.machine, desk.box(3))
    desk.move(desk.machine, desk.box(3), desk.box(12))
    desk.move(desk.machine, desk.box(12), desk.box(3))
    let_go(desk.machine, desk.box(3))
    assert desk.untouched()


def test_a_click_selects_and_a_drag_beside_all_boxes_pans(bench):
    desk = bench(worked_example(), "drag")
    press(desk.machine, desk.box(21))
    let_go(desk.machine, desk.box(21))
    assert desk.state.selection == Item("group", 21)
    press(desk.job.sensor, desk.cell(77))
    let_go(desk.job.sensor, desk.cell(77))
    assert desk.state.selection == Item("task", 77)
    before = desk.box(16)
    drag(desk.machine, QPoint(6, 6), QPoint(46, 26))
    assert desk.box(16) - before == QPoint(40, 20)
    drag(desk.machine, desk.box(3), desk.box(3) + QPoint(-30, 10), button=Qt.MouseButton.MiddleButton)
    assert desk.box(16) - before == QPoint(10, 30)
    assert desk.untouched()


def test_what_is_picked_up_and_aimed_at_is_lit(bench):
    desk = bench(worked_example(), "drag")
    accent = desk.state.theme.accent

    def frame(group):
        x, y, width, height = desk.machine.scene.plan.layout.boxes[group]
        return desk.pixel((x - width / 2, y, 0)), desk.pixel((x, y + height / 2, 0))

    plain = desk.machine.grab().toImage()
    assert not any(near(plain, at, accent) for group in (3, 12) for at in frame(group))
    press(desk.machine, desk.box(3))
    desk.move(desk.machine, desk.box(3), desk.box(12))
    lit = desk.machine.grab().toImage()
    assert all(near(lit, at, accent) for group in (3, 12) for at in frame(group))
    assert not any(near(lit, at, accent) for at in frame(20))
    assert desk.toolbox.cancel()
    assert not any(near(desk.machine.grab().toImage(), at, accent) for at in frame(12))


def test_another_level_by_its_key_aims_anew_under_a_resting_pointer(bench):
    desk = bench(worked_example(), "drag")
    grid = desk.job.sensor
    press(grid, desk.cell(5))
    there = across(grid, desk.machine, desk.node(9 * 32 + 12))
    desk.move(grid, desk.cell(5), there)
    assert desk.state.aim == Target(2, 9 * 32 + 12)
    desk.session.set_level(1)
    assert desk.state.aim == Target(1, 9 * 4 + 1)
    assert 5 in desk.on(Target(1, 9 * 4 + 1))
    desk.assert_sound()
    let_go(grid, there)
    assert desk.session.editing.history.done == 1


def test_undo_in_the_middle_gives_the_drag_up(bench):
    desk = bench(worked_example(), "drag")
    grid = desk.job.sensor
    press(grid, desk.cell(5))
    there = across(grid, desk.machine, desk.box(9))
    desk.move(grid, desk.cell(5), there)
    desk.session.editing.undo()
    desk.move(grid, there, there + QPoint(10, 0))
    let_go(grid, there)
    assert desk.untouched()


def wheel(widget, at, notches):
    none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(QPointF(at), QPointF(widget.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches), *none, False)
    QApplication.sendEvent(widget, event)


def test_the_wheel_zooms_in_the_middle_of_a_drag_and_the_aim_follows(bench, qtbot):
    desk = bench(worked_example(), "drag")
    grid = desk.job.sensor
    press(grid, desk.cell(5))
    at = desk.node(9 * 32 + 12) + QPoint(3, 3)
    desk.move(grid, desk.cell(5), across(grid, desk.machine, at))
    before = desk.state.aim
    for _ in range(14):
        wheel(desk.machine, at, 1)
    qtbot.waitUntil(lambda: 9 in desk.machine.scene.open)
    wheel(desk.machine, at, 1)
    qtbot.waitUntil(lambda: desk.state.aim == Target(2, desk.machine.spot_at(QPointF(at)).node))
    assert before.level == 2
    assert desk.state.aim.index // 32 == 9
    desk.assert_sound()
    assert desk.toolbox.cancel()
    assert desk.untouched()


def test_shift_is_heard_of_while_the_pointer_rests(bench, qtbot):
    desk = bench(worked_example(), "drag")
    grid = desk.job.sensor
    press(grid, desk.cell(5))
    there = across(grid, desk.machine, desk.node(9 * 32 + 12))
    desk.move(grid, desk.cell(5), there)
    QTest.keyPress(desk.machine, Qt.Key.Key_Shift)
    qtbot.waitUntil(lambda: desk.state.aim == Target(1, 9 * 4 + 1))
    QTest.keyRelease(desk.machine, Qt.Key.Key_Shift)
    qtbot.waitUntil(lambda: desk.state.aim == Target(2, 9 * 32 + 12))
    let_go(grid, there)
    assert desk.state.undo_name == "Put task 5 on node 9 · d1 · 12"
    QTest.keyPress(desk.machine, Qt.Key.Key_Shift)
    QTest.keyRelease(desk.machine, Qt.Key.Key_Shift)
    assert desk.session.editing.history.done == 1


def test_a_double_click_still_opens_a_box(bench, qtbot):
    desk = bench(worked_example(), "drag")
    at = desk.box(4)
    press(desk.machine, at)
    let_go(desk.machine, at)
    QTest.mouseDClick(desk.machine, Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: 4 in desk.machine.scene.open)
    qtbot.waitUntil(lambda: not desk.machine.moving)
    assert desk.untouched()
