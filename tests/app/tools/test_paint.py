"""Painting on the task grid: pixels are pressed, the model is asserted."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from app.model.state import EDIT
from app.style.theme import DARK, LIGHT
from app.tools.gesture_tip import GestureTip
from app.views.heatmaps.task_grid import target_colour
from core.mapping.targets import Target
from tests.app.tools.grid_driver import GridDriver
from tests.app.views.seen import text_of
from tests.pointer import move, press, release

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def driver(qtbot):
    made = GridDriver(qtbot, "paint")
    yield made
    made.session.close()


def supernodes(driver):
    return driver.state.evaluation.case.mapping.nodes // 32


def test_stroke_is_one_undo_step(driver):
    driver.session.set_target(Target(0, 3))
    before = driver.slots.copy()
    driver.drag((2, 3), (2, 10), steps=4)
    painted = driver.tasks([2], range(3, 11))
    assert set(supernodes(driver)[painted]) == {3}
    assert np.count_nonzero(supernodes(driver) == 3) == 128
    assert driver.state.history.undo_name == "Paint 8 tasks onto supernode 3"
    assert len(driver.session.state.history.steps) == 1
    assert driver.seen > 4
    driver.assert_exact()
    after = driver.slots.copy()
    driver.session.editing.undo()
    np.testing.assert_array_equal(driver.slots, before)
    driver.session.editing.redo()
    np.testing.assert_array_equal(driver.slots, after)


def test_a_fast_stroke_has_no_gaps_and_the_loads_follow_while_it_lasts(driver):
    driver.session.set_target(Target(0, 3))
    start = driver.state.report.throughput_gbs
    driver.press(1, 1)
    driver.move((1, 1), (7, 25), steps=2)
    nodes = supernodes(driver)
    row, col = np.divmod(np.flatnonzero(nodes[: 8 * 32] == 3), 32)
    assert sorted(set(col.tolist())) == list(range(1, 26))
    steps = np.abs(np.diff(row)) + np.abs(np.diff(np.sort(col)))
    assert steps.size > 24
    assert driver.state.report.throughput_gbs != start
    assert driver.state.edit.gesture.startswith("Paint ")
    driver.assert_exact()
    driver.release(7, 25)


def test_escape_cancels_a_stroke(driver):
    driver.session.set_target(Target(0, 3))
    evaluation, wanted = driver.state.evaluation, driver.state.wanted
    driver.press(1, 1)
    driver.move((1, 1), (7, 25))
    assert driver.state.evaluation is not evaluation
    assert driver.toolbox.cancel()
    assert driver.state.evaluation is evaluation
    assert driver.state.wanted is wanted
    driver.move((7, 25), (7, 28))
    driver.release(7, 28)
    assert driver.state.evaluation is evaluation
    assert not driver.session.state.history.steps
    driver.drag((0, 0), (0, 3))
    assert driver.state.history.undo_name == "Paint 4 tasks onto supernode 3"
    driver.assert_exact()


def test_displaced_tasks_get_the_slots_of_arriving_tasks(driver):
    driver.session.set_target(Target(2, 127))
    before = driver.slots.copy()
    driver.drag((0, 0), (0, 3), steps=3)
    vacated, taken = before[:4], np.arange(127 * 4, 128 * 4)
    assert sorted(driver.slots[:4]) == taken.tolist()
    displaced = np.flatnonzero(np.isin(before, taken))
    assert sorted(driver.slots[displaced]) == sorted(vacated.tolist())
    assert driver.state.history.undo_name.startswith("Paint 4 tasks onto node ")


def test_tasks_that_do_not_fit_are_reported(driver):
    driver.session.set_target(Target(2, 127))
    driver.drag((0, 0), (0, 9))
    assert np.count_nonzero(driver.state.evaluation.case.mapping.nodes == 127) == 4
    assert driver.state.history.undo_name.startswith("Paint 4 tasks onto node ")
    assert driver.state.error.field == EDIT
    assert driver.state.error.message.endswith("holds 4 tasks; 6 painted tasks did not fit")
    driver.session.set_target(Target(0, 1))
    driver.drag((0, 0), (0, 1))
    assert driver.state.error is None


def test_first_press_without_a_target_sets_one_and_paints(driver):
    rest = text_of(driver.view)
    move(driver.view.event_widget, driver.at(3, 19), driver.at(3, 20), 1, Qt.MouseButton.NoButton)
    driver.wait_heard()
    assert text_of(driver.view) == "no target yet, so a stroke paints onto supernode 1" != rest
    before = driver.slots.copy()
    driver.drag((3, 20), (3, 2))
    assert driver.state.edit.target == Target(0, 1)
    assert set(supernodes(driver)[driver.tasks([3], range(2, 21))]) == {1}
    assert driver.state.history.undo_name == "Paint 14 tasks onto supernode 1"
    after = driver.slots.copy()
    driver.assert_exact()
    driver.session.editing.undo()
    np.testing.assert_array_equal(driver.slots, before)
    driver.session.editing.redo()
    np.testing.assert_array_equal(driver.slots, after)


def test_escape_cancels_the_first_stroke_and_keeps_the_target(driver):
    evaluation = driver.state.evaluation
    driver.press(3, 20)
    driver.move((3, 20), (3, 2))
    assert driver.state.evaluation is not evaluation
    assert driver.toolbox.cancel()
    assert driver.state.evaluation is evaluation
    assert driver.state.edit.target == Target(0, 1)
    driver.release(3, 2)
    assert not driver.session.state.history.steps


def test_click_without_a_target_sets_one_and_moves_nothing(driver):
    evaluation = driver.state.evaluation
    driver.click(3, 20)
    assert driver.state.edit.target == Target(0, 1)
    assert driver.state.evaluation is evaluation
    assert not driver.session.state.history.steps


def test_first_stroke_paints_without_a_move_event(driver):
    # A busy program receives the press and the release, and nothing in between.
    press(driver.view.event_widget, driver.at(3, 20))
    release(driver.view.event_widget, driver.at(3, 2))
    assert driver.state.history.undo_name == "Paint 14 tasks onto supernode 1"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_press_outside_tasks_shows_a_hint(driver, theme):
    driver.session.set_theme(theme)
    tip = GestureTip(driver.session, driver.view)
    driver.toolbox.pointed.connect(tip.follow)
    beside = driver.view.heat.rect.bottomLeft().toPoint() + QPoint(40, 6)
    press(driver.view.event_widget, beside)
    release(driver.view.event_widget, beside)
    assert tip.isVisible()
    assert tip.text() == "No target yet. Press on a task to paint onto its supernode."
    assert theme.text in tip.styleSheet()
    assert driver.view.rect().contains(tip.geometry())
    driver.drag((3, 20), (3, 2))
    assert not tip.isVisible()
    assert driver.state.history.undo_name == "Paint 14 tasks onto supernode 1"
    driver.session.hint("And so on.")
    assert tip.isVisible()
    driver.session.set_tool("select")
    assert not tip.isVisible()


@pytest.mark.parametrize(("level", "target"), [(0, Target(0, 3)), (1, Target(1, 14)), (2, Target(2, 112))])
def test_alt_click_sets_the_place_of_the_chosen_level_as_target(driver, level, target):
    driver.session.set_level(level)
    task = int(np.flatnonzero(driver.state.evaluation.case.mapping.nodes == 112)[0])
    driver.click(*divmod(task, 32), ALT)
    assert driver.state.edit.target == target
    assert not driver.session.state.history.steps


@pytest.mark.parametrize(("brush", "rows", "cols"), [(2, (4, 5), (9, 10)), (4, range(3, 7), range(8, 12))])
def test_the_brush_is_a_square_and_its_outline_follows_the_pointer(driver, brush, rows, cols):
    driver.session.set_target(Target(0, 3))
    driver.session.set_brush(brush)
    inside = driver.view.heat.cell_rect(rows[0], cols[0]).center().toPoint() + QPoint(4, 4)
    plain = driver.colour(inside)
    # The centre of an even brush is the corner of a cell.
    centre = driver.view.heat.cell_rect(5, 10).topLeft().toPoint() + QPoint(1, 1)
    move(driver.view.event_widget, centre + QPoint(40, 0), centre, 2, Qt.MouseButton.NoButton)
    driver.wait_heard()
    colour = QColor(driver.colour(inside))
    wanted = target_colour(Target(0, 3), driver.state.evaluation.case.network, DARK)
    assert colour.name() != plain
    assert max(abs(a - b) for a, b in zip(colour.getRgb(), wanted.getRgb(), strict=True)) < 40
    edge = driver.view.heat.cell_rect(rows[0], cols[0]).topLeft().toPoint() + QPoint(8, 0)
    assert driver.colour(edge) == DARK.text
    before = supernodes(driver)
    driver.press(0, 0)
    driver.release(0, 0)
    driver.session.editing.undo()
    move(driver.view.event_widget, centre, centre, 1, Qt.MouseButton.NoButton)
    driver.wait_heard()
    press(driver.view.event_widget, centre)
    release(driver.view.event_widget, centre)
    changed = np.flatnonzero((supernodes(driver) == 3) & (before != 3))
    assert changed.tolist() == driver.tasks(rows, cols)


def test_painting_continues_when_the_pointer_returns_to_the_grid(driver):
    driver.session.set_target(Target(0, 3))
    driver.press(2, 29)
    move(
        driver.view.event_widget,
        driver.at(2, 29),
        QPoint(driver.view.event_widget.width() + 300, driver.at(2, 0).y()),
        2,
    )
    driver.move((4, 31), (4, 30), steps=1)
    driver.release(4, 30)
    assert set(supernodes(driver)[driver.tasks([2], range(29, 32))]) == {3}


def test_undo_ends_a_stroke(driver):
    driver.session.set_target(Target(0, 3))
    before = driver.slots.copy()
    driver.press(1, 1)
    driver.move((1, 1), (3, 9))
    driver.session.editing.undo()
    driver.move((3, 9), (6, 20))
    driver.release(6, 20)
    np.testing.assert_array_equal(driver.slots, before)
    assert not driver.state.edit.gesture


def test_keys_choose_a_target_and_paint(driver):
    driver.view.surface.setFocus()
    driver.key(Qt.Key.Key_Space)
    assert driver.state.edit.target == Target(0, 0)
    driver.key(Qt.Key.Key_2)
    assert driver.state.edit.target == Target(0, 2)
    driver.key(Qt.Key.Key_PageDown, times=2)
    assert driver.state.edit.target == Target(0, 0)
    driver.key(Qt.Key.Key_PageUp)
    assert driver.state.edit.target == Target(0, 3)
    driver.key(Qt.Key.Key_Down)
    driver.key(Qt.Key.Key_Space)
    assert driver.state.history.undo_name == "Paint 1 task onto supernode 3"
    assert supernodes(driver)[32] == 3
    driver.key(Qt.Key.Key_Down)
    driver.view.surface.setFocus()
    driver.key(Qt.Key.Key_9)
    assert driver.state.edit.target == Target(0, 3)


def test_digits_combine_while_the_place_exists(driver):
    driver.session.set_level(2)
    driver.view.surface.setFocus()
    for digit, index in ((Qt.Key.Key_1, 1), (Qt.Key.Key_2, 12), (Qt.Key.Key_5, 125), (Qt.Key.Key_7, 7)):
        driver.key(digit)
        assert driver.state.edit.target == Target(2, index)
    driver.key(Qt.Key.Key_Left)
    driver.key(Qt.Key.Key_3)
    assert driver.state.edit.target == Target(2, 3)


def test_shift_and_arrows_paint_a_line_in_one_step(driver):
    driver.session.set_target(Target(0, 3))
    driver.view.surface.setFocus()
    before = driver.slots.copy()
    QTest.keyPress(driver.view.surface, Qt.Key.Key_Shift)
    for _ in range(3):
        QTest.keyPress(driver.view.surface, Qt.Key.Key_Right, SHIFT)
    assert driver.state.edit.gesture == "Paint 4 tasks onto supernode 3"
    QTest.keyRelease(driver.view.surface, Qt.Key.Key_Shift)
    assert driver.state.history.undo_name == "Paint 4 tasks onto supernode 3"
    assert not driver.state.edit.gesture
    driver.session.editing.undo()
    np.testing.assert_array_equal(driver.slots, before)
    QTest.keyPress(driver.view.surface, Qt.Key.Key_Right, SHIFT)
    assert driver.toolbox.cancel()
    QTest.keyRelease(driver.view.surface, Qt.Key.Key_Shift)
    np.testing.assert_array_equal(driver.slots, before)
    assert not driver.state.history.undo_name


def test_shift_and_arrows_without_a_target_use_the_place_under_the_cursor(driver):
    driver.view.surface.setFocus()
    driver.key(Qt.Key.Key_Right, times=14)
    QTest.keyPress(driver.view.surface, Qt.Key.Key_Shift)
    for _ in range(3):
        QTest.keyPress(driver.view.surface, Qt.Key.Key_Right, SHIFT)
    QTest.keyRelease(driver.view.surface, Qt.Key.Key_Shift)
    assert driver.state.edit.target == Target(0, 0)
    assert driver.state.history.undo_name == "Paint 2 tasks onto supernode 0"
    assert set(supernodes(driver)[14:18]) == {0}


def test_painting_tasks_already_on_the_target_is_not_an_undo_step(driver):
    driver.session.set_target(Target(0, 0))
    evaluation = driver.state.evaluation
    driver.drag((0, 0), (0, 9))
    assert driver.state.evaluation is evaluation
    assert not driver.session.state.history.steps
    assert driver.state.error is None


def test_very_large_stroke_is_evaluated_at_its_end(driver, monkeypatch):
    monkeypatch.setattr("app.session.editing.MAX_UPDATES", -1)
    driver.session.set_target(Target(0, 3))
    evaluation = driver.state.evaluation
    driver.press(2, 2)
    driver.move((2, 2), (6, 12))
    assert not driver.state.edit.lagging
    assert driver.state.evaluation is not evaluation
    driver.assert_exact()
    driver.release(6, 12)
    count = np.count_nonzero(supernodes(driver)[: 8 * 32] == 3)
    assert driver.state.history.undo_name == f"Paint {count} tasks onto supernode 3"
    assert np.count_nonzero(supernodes(driver) == 3) == 128
    driver.assert_exact()


def test_tab_reaches_the_grid_and_leaves_it(driver):
    chooser = driver.view.findChild(QComboBox)
    chooser.setFocus()
    QTest.keyClick(chooser, Qt.Key.Key_Tab)
    assert driver.view.surface.hasFocus()
    assert driver.view.marks.cursor == (0, 0)
    QTest.keyClick(driver.view.surface, Qt.Key.Key_Tab)
    assert not driver.view.surface.hasFocus()
    assert driver.view.marks.cursor is None
