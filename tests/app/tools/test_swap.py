"""Swapping by two clicks, and by keyboard: do, undo, Esc, and what is seen between the clicks."""

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


def test_two_tasks_swap(bench):
    desk = bench(worked_example(), "swap")
    before = desk.slots
    click(desk.job.sensor, desk.cell(5))
    assert desk.state.held.tolist() == [5]
    assert desk.state.gesture == "Swap task 5 with …"
    np.testing.assert_array_equal(desk.slots, before)
    click(desk.job.sensor, desk.cell(3000))
    assert desk.slots[5] == before[3000]
    assert desk.slots[3000] == before[5]
    assert (desk.slots != before).sum() == 2
    assert desk.state.undo_name == "Swap task 5 with task 3,000"
    assert not desk.state.held.size
    assert desk.swap.picked is None
    desk.assert_sound()
    desk.session.editing.undo()
    np.testing.assert_array_equal(desk.slots, before)


def test_pointing_shows_the_outcome_before_the_second_click(bench):
    desk = bench(worked_example(), "swap")
    before = desk.slots
    click(desk.machine, desk.box(3))
    assert desk.state.source == Target(0, 3)
    start = desk.box(3)
    for group in (12, 20, 12):
        desk.point(desk.machine, start, desk.box(group))
        assert desk.state.aim == Target(0, group)
        np.testing.assert_array_equal(desk.on(Target(0, group)), desk.on(Target(0, 3), desk.start))
        desk.assert_sound()
        start = desk.box(group)
    desk.point(desk.machine, start, QPoint(4, 4))
    assert desk.state.aim is None
    np.testing.assert_array_equal(desk.slots, before)
    click(desk.machine, desk.box(12))
    assert desk.state.undo_name == "Swap supernode 3 with supernode 12"
    assert desk.session.editing.history.done == 1


def test_escape_and_a_click_on_nothing_give_up(bench):
    desk = bench(worked_example(), "swap")
    for give_up in (desk.toolbox.cancel, lambda: click(desk.machine, QPoint(4, 4))):
        click(desk.machine, desk.box(3))
        desk.point(desk.machine, desk.box(3), desk.box(12))
        assert not np.array_equal(desk.slots, desk.start.case.mapping.slots)
        give_up()
        assert desk.untouched()
        assert desk.swap.picked is None
    assert not desk.toolbox.cancel()


def test_the_same_place_again_swaps_nothing(bench):
    desk = bench(worked_example(), "swap")
    click(desk.machine, desk.box(3))
    click(desk.machine, desk.box(3))
    assert desk.state.source == Target(0, 3)
    assert desk.toolbox.cancel()
    assert desk.untouched()


def test_a_click_inside_what_is_picked_picks_anew(bench):
    desk = bench(worked_example(), "swap")
    click(desk.machine, desk.box(3))
    task = int(desk.on(Target(0, 3))[0])
    click(desk.job.sensor, desk.cell(task))
    assert desk.state.gesture == f"Swap task {task:,} with …"
    assert desk.state.held.tolist() == [task]
    click(desk.machine, desk.box(12))
    assert desk.state.source == Target(0, 12)
    assert desk.toolbox.cancel()
    assert desk.untouched()


def test_levels_chosen_by_key_or_shift(bench):
    desk = bench(worked_example(), "swap")
    desk.session.set_level(1)
    click(desk.machine, desk.node(3 * 32 + 9))
    click(desk.machine, desk.node(12 * 32 + 25))
    assert desk.state.undo_name == "Swap drawer 1 of supernode 3 with drawer 3 of supernode 12"
    desk.session.set_level(None)
    network = desk.start.case.network
    click(desk.job.sensor, desk.cell(5), SHIFT)
    here = Target(2, int(desk.start.case.mapping.nodes[5]))
    assert desk.state.source == here
    there = Target(2, int(desk.state.answer.case.mapping.nodes[3000]))
    click(desk.job.sensor, desk.cell(3000))
    assert desk.state.undo_name == f"Swap {here.name(network)} with {there.name(network)}"
    desk.assert_sound()


def test_picked_from_the_machine_and_swapped_in_the_grid(bench):
    desk = bench(worked_example(), "swap")
    click(desk.machine, desk.box(3))
    task = int(desk.on(Target(0, 20))[0])
    click(desk.job.sensor, desk.cell(task))
    assert desk.state.undo_name == "Swap supernode 3 with supernode 20"


def test_by_keyboard_alone(bench):
    desk = bench(worked_example(), "swap")
    desk.machine.pointed.connect(desk.swap.follow)
    desk.machine.picked.connect(desk.swap.pick)
    desk.machine.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(desk.machine, Qt.Key.Key_Up)
    first = desk.state.selection
    assert first.kind == "group"
    QTest.keyClick(desk.machine, Qt.Key.Key_Return)
    assert desk.state.source == Target(0, first.index)
    QTest.keyClick(desk.machine, Qt.Key.Key_Right)
    second = desk.state.selection
    assert second != first
    assert desk.state.aim == Target(0, second.index)
    np.testing.assert_array_equal(desk.on(Target(0, second.index)), desk.on(Target(0, first.index), desk.start))
    QTest.keyClick(desk.machine, Qt.Key.Key_Return)
    assert desk.state.undo_name == f"Swap supernode {first.index} with supernode {second.index}"
    desk.assert_sound()


def test_a_pick_by_key_takes_up_the_tool(bench):
    desk = bench(worked_example(), "drag")
    assert desk.swap.pick(desk.job.cell_spot(0, 5))
    assert desk.state.tool == "swap"
    assert desk.state.held.tolist() == [5]
    desk.session.set_tool("drag")
    assert desk.swap.picked is None
    assert desk.untouched()


def test_another_answer_lets_go_of_what_was_picked(bench):
    desk = bench(worked_example(), "swap")
    click(desk.machine, desk.box(3))
    desk.session.choose("job", desk.start.case.scenario.job.__class__(rows=32, cols=64))
    assert desk.swap.picked is None
    assert desk.state.source is None
    click(desk.machine, desk.box(7))
    assert desk.state.source == Target(0, 7)
    assert desk.toolbox.cancel()


def test_pointing_lights_what_a_click_would_pick(bench):
    desk = bench(worked_example(), "swap")
    desk.point(desk.machine, QPoint(4, 4), desk.box(9))
    assert desk.state.aim == Target(0, 9)
    desk.point(desk.machine, desk.box(9), QPoint(4, 4))
    assert desk.state.aim is None
    assert desk.untouched()
