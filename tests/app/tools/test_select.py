"""Selecting on the task grid: pixels are pressed, the model is asserted."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from app.model.pointing import Item
from app.style.theme import DARK
from app.views.heatmaps.task_grid import LOAD
from app.views.heatmaps.task_grid_marks import HATCH, TINT
from tests.app.tools.grid_driver import GridDriver
from tests.app.views.seen import text_of
from tests.pointer import move

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def driver(qtbot):
    made = GridDriver(qtbot, "select")
    yield made
    made.session.close()


def test_click_selects_the_item_and_no_tasks(driver):
    driver.session.mark([1, 2])
    driver.click(3, 5)
    assert driver.state.selection == Item("task", 3 * 32 + 5)
    assert driver.marked == []


def test_drag_selects_the_tasks_in_the_rectangle(driver):
    driver.drag((2, 4), (5, 9))
    assert driver.marked == driver.tasks(range(2, 6), range(4, 10))
    assert driver.state.selection is None
    assert driver.view.marks.band is None


def test_the_rubber_band_may_be_pulled_back_and_beyond_the_grid(driver):
    driver.press(5, 9)
    driver.move((5, 9), (2, 4))
    assert driver.marked == driver.tasks(range(2, 6), range(4, 10))
    assert driver.view.marks.band is not None
    here, outside = driver.at(2, 4), QPoint(-400, -300)
    move(driver.view.event_widget, here, outside)
    driver.wait_heard()
    assert driver.marked == driver.tasks(range(6), range(10))
    driver.move((5, 8), (5, 9), steps=1)
    assert driver.marked == driver.tasks([5], [9])
    driver.release(5, 9)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [(SHIFT, {0, 1, 2, 3, 4, 5}), (CTRL, {0, 1, 4, 5}), (ALT, {0, 1})],
    ids=["shift adds", "ctrl changes over", "alt takes away"],
)
def test_modifiers_combine_the_rubber_band_with_the_selection(driver, keys, expected):
    driver.drag((0, 0), (0, 3))
    driver.drag((0, 2), (0, 5), keys=keys)
    assert set(driver.marked) == expected


@pytest.mark.parametrize(("keys", "expected"), [(SHIFT, [7, 8]), (CTRL, [7, 8]), (ALT, [7])])
def test_click_with_a_modifier_selects_one_task(driver, keys, expected):
    driver.session.mark([7])
    driver.click(0, 8, keys)
    assert driver.marked == expected
    assert driver.state.selection is None
    driver.click(0, 8, CTRL)
    assert driver.marked == ([7] if 8 in expected else [7, 8])


def test_click_outside_the_grid_deselects_all(driver):
    driver.session.select(Item("task", 3))
    driver.session.mark([1])
    rect = driver.view.heat.rect
    driver.click((rect.height() + 10) / driver.view.heat.cell[1], 3)
    assert driver.state.selection is None
    assert driver.marked == []


@pytest.mark.parametrize(("level", "size"), [(None, 128), (0, 128), (1, 32), (2, 4)])
def test_double_click_selects_all_tasks_on_the_same_place(driver, level, size):
    driver.session.set_level(level)
    driver.double(2, 20)
    nodes = driver.state.evaluation.case.mapping.nodes
    per_place = size // 4
    expected = np.flatnonzero(nodes // per_place == nodes[2 * 32 + 20] // per_place)
    assert driver.marked == expected.tolist()
    assert len(driver.marked) == size


def test_a_second_double_click_with_shift_adds_a_place(driver):
    driver.double(0, 0)
    driver.double(0, 20, SHIFT)
    assert driver.marked == driver.tasks(range(8), range(32))


def test_escape_restores_the_selection(driver):
    driver.drag((0, 0), (1, 1))
    before = driver.marked
    driver.press(4, 4)
    driver.move((4, 4), (9, 9))
    assert len(driver.marked) == 36
    assert driver.toolbox.cancel()
    assert driver.marked == before
    assert driver.view.marks.band is None
    driver.release(9, 9)
    assert driver.marked == before
    assert not driver.toolbox.cancel()


def test_selection_that_is_not_a_block_is_counted(driver):
    driver.session.mark(driver.tasks(range(10, 16), range(8))[1:])
    assert driver.view.subtitle() == "47 of 512 selected"
    driver.session.mark([5])
    assert driver.view.subtitle() == "1 of 512 selected"


def test_readout_of_a_rubber_band_is_not_its_first_task(driver):
    move(driver.view.event_widget, driver.at(9, 9), driver.at(10, 10), 1, Qt.MouseButton.NoButton)
    driver.wait_heard()
    assert driver.state.hover is not None
    driver.press(10, 10)
    driver.move((10, 10), (12, 13))
    assert driver.state.hover is None
    driver.release(12, 13)
    assert text_of(driver.view).startswith("12 tasks selected on ")


def test_selected_tasks_are_in_the_readout_and_drawn_over_regions_and_loads(driver):
    plain = driver.colour(driver.at(12, 3))
    driver.session.mark(driver.tasks(range(10, 16), range(8)))
    assert text_of(driver.view) == "48 tasks selected on 12 nodes"
    assert driver.view.subtitle() == "6 × 8 of 512 selected"
    marked = QColor(driver.colour(driver.at(12, 3)))
    share = TINT / 255
    expected = [
        round(a + (b - a) * share) for a, b in zip(QColor(plain).getRgb(), QColor(DARK.text).getRgb(), strict=True)
    ]
    assert np.abs(np.array(marked.getRgb()) - expected).max() <= 2
    driver.view.set_colouring(LOAD)
    seen = driver.colours(12, 3)
    driver.session.mark([])
    before = driver.colours(12, 3)
    # Hatched: the colour of the load stays visible between the lines.
    assert before & seen
    assert seen - before
    assert HATCH > TINT


def test_other_tools_and_views_are_unaffected(driver):
    driver.session.set_tool("swap")
    driver.drag((2, 4), (5, 9))
    assert driver.marked == []


def test_keys_select_rectangles_and_single_tasks(driver):
    driver.view.surface.setFocus()
    driver.key(Qt.Key.Key_Right, times=3)
    driver.key(Qt.Key.Key_Down, times=2)
    assert driver.keys.cell == (2, 3)
    assert driver.state.hover == Item("task", 67)
    driver.key(Qt.Key.Key_Space)
    assert driver.marked == [67]
    driver.key(Qt.Key.Key_Space)
    assert driver.marked == []
    driver.key(Qt.Key.Key_Right, SHIFT, times=2)
    driver.key(Qt.Key.Key_Down, SHIFT)
    assert driver.marked == driver.tasks((2, 3), (3, 4, 5))
    driver.key(Qt.Key.Key_Up, SHIFT, times=2)
    assert driver.marked == driver.tasks((1, 2), (3, 4, 5))


def test_keys_jump_by_block_and_to_the_ends(driver):
    driver.view.surface.setFocus()
    driver.key(Qt.Key.Key_Right, CTRL)
    assert driver.keys.cell == (0, 16)
    driver.key(Qt.Key.Key_Down, CTRL)
    assert driver.keys.cell == (8, 16)
    driver.key(Qt.Key.Key_Left, CTRL)
    assert driver.keys.cell == (8, 15)
    driver.key(Qt.Key.Key_End)
    assert driver.keys.cell == (8, 31)
    driver.key(Qt.Key.Key_Right)
    assert driver.keys.cell == (8, 31)
    driver.key(Qt.Key.Key_Right, CTRL)
    assert driver.keys.cell == (8, 31)
    driver.key(Qt.Key.Key_Home, CTRL)
    assert driver.keys.cell == (0, 0)
    driver.key(Qt.Key.Key_End, CTRL)
    assert driver.keys.cell == (15, 31)
    driver.key(Qt.Key.Key_Home)
    assert driver.keys.cell == (15, 0)


def test_cursor_and_focus_are_visible_until_the_pointer_is_used(driver):
    surface = driver.view.surface
    surface.clearFocus()
    ring = driver.view.heat.rect.topLeft().toPoint() + QPoint(-3, 40)
    assert driver.colour(ring) != DARK.accent
    surface.setFocus(Qt.FocusReason.TabFocusReason)
    assert driver.colour(ring) == DARK.accent
    assert driver.view.marks.cursor == (0, 0)
    corner = driver.view.heat.cell_rect(0, 0)
    assert driver.colour(QPoint(round(corner.center().x()), round(corner.top()))) == DARK.accent
    driver.click(4, 4)
    assert driver.view.marks.cursor is None
    assert surface.hasFocus()


def test_enter_puts_the_selected_tasks_on_the_target(driver):
    driver.view.surface.setFocus()
    driver.key(Qt.Key.Key_Down, SHIFT)
    driver.key(Qt.Key.Key_Return)
    assert [tasks.tolist() for tasks in driver.puts] == [[0, 32]]
