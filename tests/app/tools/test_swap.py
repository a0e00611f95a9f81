"""Swapping by two clicks, and by keyboard: do, undo, Esc, and the preview between the clicks."""

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.storage.presets import worked_example
from core.mapping.targets import Target
from tests.pointer import let_go, press

SHIFT = Qt.KeyboardModifier.ShiftModifier


def click(widget, at, modifiers=Qt.KeyboardModifier.NoModifier):
    press(widget, at, modifiers=modifiers)
    let_go(widget, at, modifiers=modifiers)


def test_two_tasks_swap(make_driver):
    driver = make_driver(worked_example(), "swap")
    before = driver.slots
    click(driver.job.event_widget, driver.cell(5))
    assert driver.state.edit.grabbed.tolist() == [5]
    assert driver.state.edit.gesture == "Swap task 5 with …"
    np.testing.assert_array_equal(driver.slots, before)
    click(driver.job.event_widget, driver.cell(3000))
    assert driver.slots[5] == before[3000]
    assert driver.slots[3000] == before[5]
    assert (driver.slots != before).sum() == 2
    assert driver.state.history.undo_name == "Swap task 5 with task 3,000"
    assert not driver.state.edit.grabbed.size
    assert driver.swap.picked is None
    driver.assert_sound()
    driver.session.editing.undo()
    np.testing.assert_array_equal(driver.slots, before)


def test_pointing_shows_the_outcome_before_the_second_click(make_driver):
    driver = make_driver(worked_example(), "swap")
    before = driver.slots
    click(driver.machine, driver.box(3))
    assert driver.state.edit.grabbed_place == Target(0, 3)
    start = driver.box(3)
    for group in (12, 20, 12):
        driver.point(driver.machine, start, driver.box(group))
        assert driver.state.edit.drop_target == Target(0, group)
        np.testing.assert_array_equal(driver.on(Target(0, group)), driver.on(Target(0, 3), driver.start))
        driver.assert_sound()
        start = driver.box(group)
    driver.point(driver.machine, start, QPoint(4, 4))
    assert driver.state.edit.drop_target is None
    np.testing.assert_array_equal(driver.slots, before)
    click(driver.machine, driver.box(12))
    assert driver.state.history.undo_name == "Swap supernode 3 with supernode 12"
    assert driver.session.state.history.done == 1


def test_escape_and_a_click_on_empty_space_cancel(make_driver):
    driver = make_driver(worked_example(), "swap")
    for give_up in (driver.toolbox.cancel, lambda: click(driver.machine, QPoint(4, 4))):
        click(driver.machine, driver.box(3))
        driver.point(driver.machine, driver.box(3), driver.box(12))
        assert not np.array_equal(driver.slots, driver.start.case.mapping.slots)
        give_up()
        assert driver.untouched()
        assert driver.swap.picked is None
    assert not driver.toolbox.cancel()


def test_the_same_place_again_swaps_nothing(make_driver):
    driver = make_driver(worked_example(), "swap")
    click(driver.machine, driver.box(3))
    click(driver.machine, driver.box(3))
    assert driver.state.edit.grabbed_place == Target(0, 3)
    assert driver.toolbox.cancel()
    assert driver.untouched()


def test_click_inside_the_picked_place_picks_again(make_driver):
    driver = make_driver(worked_example(), "swap")
    click(driver.machine, driver.box(3))
    task = int(driver.on(Target(0, 3))[0])
    click(driver.job.event_widget, driver.cell(task))
    assert driver.state.edit.gesture == f"Swap task {task:,} with …"
    assert driver.state.edit.grabbed.tolist() == [task]
    click(driver.machine, driver.box(12))
    assert driver.state.edit.grabbed_place == Target(0, 12)
    assert driver.toolbox.cancel()
    assert driver.untouched()


def test_levels_are_chosen_by_key_or_shift(make_driver):
    driver = make_driver(worked_example(), "swap")
    driver.session.set_level(1)
    click(driver.machine, driver.node(3 * 32 + 9))
    click(driver.machine, driver.node(12 * 32 + 25))
    assert driver.state.history.undo_name == "Swap drawer 1 of supernode 3 with drawer 3 of supernode 12"
    driver.session.set_level(None)
    network = driver.start.case.network
    click(driver.job.event_widget, driver.cell(5), SHIFT)
    here = Target(2, int(driver.start.case.mapping.nodes[5]))
    assert driver.state.edit.grabbed_place == here
    there = Target(2, int(driver.state.evaluation.case.mapping.nodes[3000]))
    click(driver.job.event_widget, driver.cell(3000))
    assert driver.state.history.undo_name == f"Swap {here.name(network)} with {there.name(network)}"
    driver.assert_sound()


def test_place_picked_in_the_machine_is_swapped_in_the_grid(make_driver):
    driver = make_driver(worked_example(), "swap")
    click(driver.machine, driver.box(3))
    task = int(driver.on(Target(0, 20))[0])
    click(driver.job.event_widget, driver.cell(task))
    assert driver.state.history.undo_name == "Swap supernode 3 with supernode 20"


def test_tasks_are_swapped_by_keyboard(make_driver):
    driver = make_driver(worked_example(), "swap")
    driver.machine.pointed.connect(driver.swap.follow)
    driver.machine.picked.connect(driver.swap.pick)
    driver.machine.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(driver.machine, Qt.Key.Key_Up)
    first = driver.state.selection
    assert first.kind == "group"
    QTest.keyClick(driver.machine, Qt.Key.Key_Return)
    assert driver.state.edit.grabbed_place == Target(0, first.index)
    QTest.keyClick(driver.machine, Qt.Key.Key_Right)
    second = driver.state.selection
    assert second != first
    assert driver.state.edit.drop_target == Target(0, second.index)
    np.testing.assert_array_equal(driver.on(Target(0, second.index)), driver.on(Target(0, first.index), driver.start))
    QTest.keyClick(driver.machine, Qt.Key.Key_Return)
    assert driver.state.history.undo_name == f"Swap supernode {first.index} with supernode {second.index}"
    driver.assert_sound()


def test_pick_by_key_activates_the_tool(make_driver):
    driver = make_driver(worked_example(), "drag")
    assert driver.swap.pick(driver.job.cell_hit(0, 5))
    assert driver.state.edit.tool == "swap"
    assert driver.state.edit.grabbed.tolist() == [5]
    driver.session.set_tool("drag")
    assert driver.swap.picked is None
    assert driver.untouched()


def test_another_evaluation_drops_the_pick(make_driver):
    driver = make_driver(worked_example(), "swap")
    click(driver.machine, driver.box(3))
    driver.session.choose("job", driver.start.case.scenario.job.__class__(rows=32, cols=64))
    assert driver.swap.picked is None
    assert driver.state.edit.grabbed_place is None
    click(driver.machine, driver.box(7))
    assert driver.state.edit.grabbed_place == Target(0, 7)
    assert driver.toolbox.cancel()


def test_hover_highlights_the_item_that_a_click_would_pick(make_driver):
    driver = make_driver(worked_example(), "swap", drawn=True)
    driver.point(driver.machine, QPoint(4, 4), driver.box(9))
    assert driver.state.edit.drop_target == Target(0, 9)
    driver.point(driver.machine, driver.box(9), QPoint(4, 4))
    assert driver.state.edit.drop_target is None
    assert driver.untouched()
