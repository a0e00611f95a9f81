"""Painting on the task grid: pixels are pressed, the model is asserted."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from app.model.state import EDIT
from app.style.theme import DARK, LIGHT
from app.tools.gesture_tip import GestureTip
from app.views.heatmaps.task_grid import target_colour
from core.mapping.targets import Target
from tests.app.tools.grid_driver import GridBench
from tests.app.views.seen import text_of
from tests.pointer import move, press, release

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def bench(qtbot):
    made = GridBench(qtbot, "paint")
    yield made
    made.session.close()


def supernodes(bench):
    return bench.state.answer.case.mapping.nodes // 32


def test_a_stroke_is_one_step_that_can_be_undone_and_done_again(bench):
    bench.session.set_target(Target(0, 3))
    before = bench.slots.copy()
    bench.drag((2, 3), (2, 10), steps=4)
    painted = bench.tasks([2], range(3, 11))
    assert set(supernodes(bench)[painted]) == {3}
    assert np.count_nonzero(supernodes(bench) == 3) == 128
    assert bench.state.undo_name == "Paint 8 tasks onto supernode 3"
    assert len(bench.session.editing.history.steps) == 1
    assert bench.seen > 4
    bench.assert_exact()
    after = bench.slots.copy()
    bench.session.editing.undo()
    np.testing.assert_array_equal(bench.slots, before)
    bench.session.editing.redo()
    np.testing.assert_array_equal(bench.slots, after)


def test_a_fast_stroke_has_no_gaps_and_the_loads_follow_while_it_lasts(bench):
    bench.session.set_target(Target(0, 3))
    start = bench.state.report.throughput_gbs
    bench.press(1, 1)
    bench.move((1, 1), (7, 25), steps=2)
    nodes = supernodes(bench)
    row, col = np.divmod(np.flatnonzero(nodes[: 8 * 32] == 3), 32)
    assert sorted(set(col.tolist())) == list(range(1, 26))
    steps = np.abs(np.diff(row)) + np.abs(np.diff(np.sort(col)))
    assert steps.size > 24
    assert bench.state.report.throughput_gbs != start
    assert bench.state.gesture.startswith("Paint ")
    bench.assert_exact()
    bench.release(7, 25)


def test_escape_in_the_middle_puts_everything_back(bench):
    bench.session.set_target(Target(0, 3))
    answer, wanted = bench.state.answer, bench.state.wanted
    bench.press(1, 1)
    bench.move((1, 1), (7, 25))
    assert bench.state.answer is not answer
    assert bench.toolbox.cancel()
    assert bench.state.answer is answer
    assert bench.state.wanted is wanted
    bench.move((7, 25), (7, 28))
    bench.release(7, 28)
    assert bench.state.answer is answer
    assert not bench.session.editing.history.steps
    bench.drag((0, 0), (0, 3))
    assert bench.state.undo_name == "Paint 4 tasks onto supernode 3"
    bench.assert_exact()


def test_the_displaced_take_the_slots_of_those_that_come(bench):
    bench.session.set_target(Target(2, 127))
    before = bench.slots.copy()
    bench.drag((0, 0), (0, 3), steps=3)
    vacated, taken = before[:4], np.arange(127 * 4, 128 * 4)
    assert sorted(bench.slots[:4]) == taken.tolist()
    displaced = np.flatnonzero(np.isin(before, taken))
    assert sorted(bench.slots[displaced]) == sorted(vacated.tolist())
    assert bench.state.undo_name.startswith("Paint 4 tasks onto node ")


def test_what_finds_no_place_is_said_and_nothing_breaks(bench):
    bench.session.set_target(Target(2, 127))
    bench.drag((0, 0), (0, 9))
    assert np.count_nonzero(bench.state.answer.case.mapping.nodes == 127) == 4
    assert bench.state.undo_name.startswith("Paint 4 tasks onto node ")
    assert bench.state.error.field == EDIT
    assert bench.state.error.message.endswith("holds 4 tasks: 6 of those painted found no place")
    bench.session.set_target(Target(0, 1))
    bench.drag((0, 0), (0, 1))
    assert bench.state.error is None


def test_the_first_press_without_a_target_takes_one_and_the_stroke_paints(bench):
    rest = text_of(bench.view)
    move(bench.view.sensor, bench.at(3, 19), bench.at(3, 20), 1, Qt.MouseButton.NoButton)
    bench.wait_heard()
    assert text_of(bench.view) == "no target yet: a stroke paints onto supernode 1" != rest
    before = bench.slots.copy()
    bench.drag((3, 20), (3, 2))
    assert bench.state.target == Target(0, 1)
    assert set(supernodes(bench)[bench.tasks([3], range(2, 21))]) == {1}
    assert bench.state.undo_name == "Paint 14 tasks onto supernode 1"
    after = bench.slots.copy()
    bench.assert_exact()
    bench.session.editing.undo()
    np.testing.assert_array_equal(bench.slots, before)
    bench.session.editing.redo()
    np.testing.assert_array_equal(bench.slots, after)


def test_escape_in_the_first_stroke_puts_all_back_and_keeps_the_target(bench):
    answer = bench.state.answer
    bench.press(3, 20)
    bench.move((3, 20), (3, 2))
    assert bench.state.answer is not answer
    assert bench.toolbox.cancel()
    assert bench.state.answer is answer
    assert bench.state.target == Target(0, 1)
    bench.release(3, 2)
    assert not bench.session.editing.history.steps


def test_a_click_without_a_target_takes_one_and_moves_nothing(bench):
    answer = bench.state.answer
    bench.click(3, 20)
    assert bench.state.target == Target(0, 1)
    assert bench.state.answer is answer
    assert not bench.session.editing.history.steps


def test_the_first_stroke_counts_also_where_no_move_is_heard_of(bench):
    # A busy program hears of the press and of the release, and of nothing between them.
    press(bench.view.sensor, bench.at(3, 20))
    release(bench.view.sensor, bench.at(3, 2))
    assert bench.state.undo_name == "Paint 14 tasks onto supernode 1"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_a_press_beside_the_tasks_says_what_to_do(bench, theme):
    bench.session.set_theme(theme)
    tip = GestureTip(bench.session, bench.view)
    bench.toolbox.pointed.connect(tip.follow)
    beside = bench.view.heat.rect.bottomLeft().toPoint() + QPoint(40, 6)
    press(bench.view.sensor, beside)
    release(bench.view.sensor, beside)
    assert tip.isVisible()
    assert tip.text() == "Nothing to paint onto yet: press a task, and the brush paints onto its supernode."
    assert theme.text in tip.styleSheet()
    assert bench.view.rect().contains(tip.geometry())
    bench.drag((3, 20), (3, 2))
    assert not tip.isVisible()
    assert bench.state.undo_name == "Paint 14 tasks onto supernode 1"
    bench.session.hint("And so on.")
    assert tip.isVisible()
    bench.session.set_tool("select")
    assert not tip.isVisible()


@pytest.mark.parametrize(("level", "target"), [(0, Target(0, 3)), (1, Target(1, 14)), (2, Target(2, 112))])
def test_alt_takes_the_place_of_the_chosen_level(bench, level, target):
    bench.session.set_level(level)
    task = int(np.flatnonzero(bench.state.answer.case.mapping.nodes == 112)[0])
    bench.click(*divmod(task, 32), ALT)
    assert bench.state.target == target
    assert not bench.session.editing.history.steps


@pytest.mark.parametrize(("brush", "rows", "cols"), [(2, (4, 5), (9, 10)), (4, range(3, 7), range(8, 12))])
def test_the_brush_is_a_square_and_its_outline_follows_the_pointer(bench, brush, rows, cols):
    bench.session.set_target(Target(0, 3))
    bench.session.set_brush(brush)
    inside = bench.view.heat.cell_rect(rows[0], cols[0]).center().toPoint() + QPoint(4, 4)
    plain = bench.colour(inside)
    # The middle of an even brush is the corner of a cell.
    centre = bench.view.heat.cell_rect(5, 10).topLeft().toPoint() + QPoint(1, 1)
    move(bench.view.sensor, centre + QPoint(40, 0), centre, 2, Qt.MouseButton.NoButton)
    bench.wait_heard()
    colour = QColor(bench.colour(inside))
    wanted = target_colour(Target(0, 3), bench.state.answer.case.network, DARK)
    assert colour.name() != plain
    assert max(abs(a - b) for a, b in zip(colour.getRgb(), wanted.getRgb(), strict=True)) < 40
    edge = bench.view.heat.cell_rect(rows[0], cols[0]).topLeft().toPoint() + QPoint(8, 0)
    assert bench.colour(edge) == DARK.text
    before = supernodes(bench)
    bench.press(0, 0)
    bench.release(0, 0)
    bench.session.editing.undo()
    move(bench.view.sensor, centre, centre, 1, Qt.MouseButton.NoButton)
    bench.wait_heard()
    press(bench.view.sensor, centre)
    release(bench.view.sensor, centre)
    changed = np.flatnonzero((supernodes(bench) == 3) & (before != 3))
    assert changed.tolist() == bench.tasks(rows, cols)


def test_painting_goes_on_where_the_pointer_comes_back_into_the_grid(bench):
    bench.session.set_target(Target(0, 3))
    bench.press(2, 29)
    move(bench.view.sensor, bench.at(2, 29), QPoint(bench.view.sensor.width() + 300, bench.at(2, 0).y()), 2)
    bench.move((4, 31), (4, 30), steps=1)
    bench.release(4, 30)
    assert set(supernodes(bench)[bench.tasks([2], range(29, 32))]) == {3}


def test_undo_in_the_middle_of_a_stroke_ends_it(bench):
    bench.session.set_target(Target(0, 3))
    before = bench.slots.copy()
    bench.press(1, 1)
    bench.move((1, 1), (3, 9))
    bench.session.editing.undo()
    bench.move((3, 9), (6, 20))
    bench.release(6, 20)
    np.testing.assert_array_equal(bench.slots, before)
    assert not bench.state.gesture


def test_keys_choose_a_target_and_paint(bench):
    bench.view.surface.setFocus()
    bench.key(Qt.Key.Key_Space)
    assert bench.state.target == Target(0, 0)
    bench.key(Qt.Key.Key_2)
    assert bench.state.target == Target(0, 2)
    bench.key(Qt.Key.Key_PageDown, times=2)
    assert bench.state.target == Target(0, 0)
    bench.key(Qt.Key.Key_PageUp)
    assert bench.state.target == Target(0, 3)
    bench.key(Qt.Key.Key_Down)
    bench.key(Qt.Key.Key_Space)
    assert bench.state.undo_name == "Paint 1 task onto supernode 3"
    assert supernodes(bench)[32] == 3
    bench.key(Qt.Key.Key_Down)
    bench.view.surface.setFocus()
    bench.key(Qt.Key.Key_9)
    assert bench.state.target == Target(0, 3)


def test_digits_go_on_as_long_as_there_is_such_a_place(bench):
    bench.session.set_level(2)
    bench.view.surface.setFocus()
    for digit, index in ((Qt.Key.Key_1, 1), (Qt.Key.Key_2, 12), (Qt.Key.Key_5, 125), (Qt.Key.Key_7, 7)):
        bench.key(digit)
        assert bench.state.target == Target(2, index)
    bench.key(Qt.Key.Key_Left)
    bench.key(Qt.Key.Key_3)
    assert bench.state.target == Target(2, 3)


def test_shift_and_arrows_paint_a_line_in_one_step(bench):
    bench.session.set_target(Target(0, 3))
    bench.view.surface.setFocus()
    before = bench.slots.copy()
    QTest.keyPress(bench.view.surface, Qt.Key.Key_Shift)
    for _ in range(3):
        QTest.keyPress(bench.view.surface, Qt.Key.Key_Right, SHIFT)
    assert bench.state.gesture == "Paint 4 tasks onto supernode 3"
    QTest.keyRelease(bench.view.surface, Qt.Key.Key_Shift)
    assert bench.state.undo_name == "Paint 4 tasks onto supernode 3"
    assert not bench.state.gesture
    bench.session.editing.undo()
    np.testing.assert_array_equal(bench.slots, before)
    QTest.keyPress(bench.view.surface, Qt.Key.Key_Right, SHIFT)
    assert bench.toolbox.cancel()
    QTest.keyRelease(bench.view.surface, Qt.Key.Key_Shift)
    np.testing.assert_array_equal(bench.slots, before)
    assert not bench.state.undo_name


def test_shift_and_arrows_without_a_target_take_the_place_under_the_cursor(bench):
    bench.view.surface.setFocus()
    bench.key(Qt.Key.Key_Right, times=14)
    QTest.keyPress(bench.view.surface, Qt.Key.Key_Shift)
    for _ in range(3):
        QTest.keyPress(bench.view.surface, Qt.Key.Key_Right, SHIFT)
    QTest.keyRelease(bench.view.surface, Qt.Key.Key_Shift)
    assert bench.state.target == Target(0, 0)
    assert bench.state.undo_name == "Paint 2 tasks onto supernode 0"
    assert set(supernodes(bench)[14:18]) == {0}


def test_painting_what_sits_there_is_no_step(bench):
    bench.session.set_target(Target(0, 0))
    answer = bench.state.answer
    bench.drag((0, 0), (0, 9))
    assert bench.state.answer is answer
    assert not bench.session.editing.history.steps
    assert bench.state.error is None


def test_a_stroke_too_large_to_be_played_is_evaluated_whole(bench, monkeypatch):
    monkeypatch.setattr("app.session.editing.MOST_UPDATES", -1)
    bench.session.set_target(Target(0, 3))
    answer = bench.state.answer
    bench.press(2, 2)
    bench.move((2, 2), (6, 12))
    assert not bench.state.lagging
    assert bench.state.answer is not answer
    bench.assert_exact()
    bench.release(6, 12)
    count = np.count_nonzero(supernodes(bench)[: 8 * 32] == 3)
    assert bench.state.undo_name == f"Paint {count} tasks onto supernode 3"
    assert np.count_nonzero(supernodes(bench) == 3) == 128
    bench.assert_exact()


def test_tab_reaches_the_grid_and_leaves_it(bench):
    bench.view._colouring.setFocus()
    QTest.keyClick(bench.view._colouring, Qt.Key.Key_Tab)
    assert bench.view.surface.hasFocus()
    assert bench.view.marks.cursor == (0, 0)
    QTest.keyClick(bench.view.surface, Qt.Key.Key_Tab)
    assert not bench.view.surface.hasFocus()
    assert bench.view.marks.cursor is None
