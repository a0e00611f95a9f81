"""Selecting and marking on the task grid: pixels are pressed, the model is asserted."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from app.model.pointing import Item
from app.style.theme import DARK
from app.views.heatmaps.task_grid import LOAD
from app.views.heatmaps.task_grid_marks import HATCH, TINT
from tests.app.tools.grid_driver import GridBench
from tests.app.views.seen import text_of
from tests.pointer import move

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def bench(qtbot):
    made = GridBench(qtbot, "select")
    yield made
    made.session.close()


def test_a_click_selects_the_task_and_marks_nothing(bench):
    bench.session.mark([1, 2])
    bench.click(3, 5)
    assert bench.state.selection == Item("task", 3 * 32 + 5)
    assert bench.marked == []


def test_a_drag_marks_the_rectangle_and_selects_nothing(bench):
    bench.drag((2, 4), (5, 9))
    assert bench.marked == bench.tasks(range(2, 6), range(4, 10))
    assert bench.state.selection is None
    assert bench.view.marks.band is None


def test_the_rubber_band_may_be_pulled_back_and_beyond_the_grid(bench):
    bench.press(5, 9)
    bench.move((5, 9), (2, 4))
    assert bench.marked == bench.tasks(range(2, 6), range(4, 10))
    assert bench.view.marks.band is not None
    here, outside = bench.at(2, 4), QPoint(-400, -300)
    move(bench.view.sensor, here, outside)
    bench.wait_heard()
    assert bench.marked == bench.tasks(range(6), range(10))
    bench.move((5, 8), (5, 9), steps=1)
    assert bench.marked == bench.tasks([5], [9])
    bench.release(5, 9)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [(SHIFT, {0, 1, 2, 3, 4, 5}), (CTRL, {0, 1, 4, 5}), (ALT, {0, 1})],
    ids=["shift adds", "ctrl changes over", "alt takes away"],
)
def test_modifiers_join_what_is_marked_with_the_band(bench, keys, expected):
    bench.drag((0, 0), (0, 3))
    bench.drag((0, 2), (0, 5), keys=keys)
    assert set(bench.marked) == expected


@pytest.mark.parametrize(("keys", "expected"), [(SHIFT, [7, 8]), (CTRL, [7, 8]), (ALT, [7])])
def test_a_click_with_a_modifier_marks_one_task(bench, keys, expected):
    bench.session.mark([7])
    bench.click(0, 8, keys)
    assert bench.marked == expected
    assert bench.state.selection is None
    bench.click(0, 8, CTRL)
    assert bench.marked == ([7] if 8 in expected else [7, 8])


def test_a_click_beside_the_grid_lets_go_of_all(bench):
    bench.session.select(Item("task", 3))
    bench.session.mark([1])
    rect = bench.view.heat.rect
    bench.click((rect.height() + 10) / bench.view.heat.cell[1], 3)
    assert bench.state.selection is None
    assert bench.marked == []


@pytest.mark.parametrize(("level", "size"), [(None, 128), (0, 128), (1, 32), (2, 4)])
def test_a_double_click_marks_all_on_the_same_place(bench, level, size):
    bench.session.set_level(level)
    bench.double(2, 20)
    nodes = bench.state.answer.case.mapping.nodes
    per_place = size // 4
    expected = np.flatnonzero(nodes // per_place == nodes[2 * 32 + 20] // per_place)
    assert bench.marked == expected.tolist()
    assert len(bench.marked) == size


def test_a_second_double_click_with_shift_adds_a_place(bench):
    bench.double(0, 0)
    bench.double(0, 20, SHIFT)
    assert bench.marked == bench.tasks(range(8), range(32))


def test_escape_in_the_middle_puts_the_marks_back(bench):
    bench.drag((0, 0), (1, 1))
    before = bench.marked
    bench.press(4, 4)
    bench.move((4, 4), (9, 9))
    assert len(bench.marked) == 36
    assert bench.toolbox.cancel()
    assert bench.marked == before
    assert bench.view.marks.band is None
    bench.release(9, 9)
    assert bench.marked == before
    assert not bench.toolbox.cancel()


def test_what_is_no_block_is_counted(bench):
    bench.session.mark(bench.tasks(range(10, 16), range(8))[1:])
    assert bench.view.subtitle(bench.state.answer.case) == "47 of 512 marked"
    bench.session.mark([5])
    assert bench.view.subtitle(bench.state.answer.case) == "1 of 512 marked"


def test_a_rubber_band_is_not_read_out_as_the_task_it_began_at(bench):
    move(bench.view.sensor, bench.at(9, 9), bench.at(10, 10), 1, Qt.MouseButton.NoButton)
    bench.wait_heard()
    assert bench.state.hover is not None
    bench.press(10, 10)
    bench.move((10, 10), (12, 13))
    assert bench.state.hover is None
    bench.release(12, 13)
    assert text_of(bench.view).startswith("12 tasks marked")


def test_marks_are_read_out_and_drawn_over_regions_and_loads(bench):
    plain = bench.colour(bench.at(12, 3))
    bench.session.mark(bench.tasks(range(10, 16), range(8)))
    assert text_of(bench.view) == "48 tasks marked on 12 nodes"
    assert bench.view.subtitle(bench.state.answer.case) == "6 × 8 of 512 marked"
    marked = QColor(bench.colour(bench.at(12, 3)))
    share = TINT / 255
    expected = [
        round(a + (b - a) * share) for a, b in zip(QColor(plain).getRgb(), QColor(DARK.text).getRgb(), strict=True)
    ]
    assert np.abs(np.array(marked.getRgb()) - expected).max() <= 2
    bench.view.set_colouring(LOAD)
    seen = bench.colours(12, 3)
    bench.session.mark([])
    before = bench.colours(12, 3)
    # Hatched: the colour of the load stays to be seen between the lines.
    assert before & seen
    assert seen - before
    assert HATCH > TINT


def test_another_tool_and_other_views_are_left_alone(bench):
    bench.session.set_tool("swap")
    bench.drag((2, 4), (5, 9))
    assert bench.marked == []


def test_keys_mark_rectangles_and_single_tasks(bench):
    bench.view.surface.setFocus()
    bench.key(Qt.Key.Key_Right, times=3)
    bench.key(Qt.Key.Key_Down, times=2)
    assert bench.keys.cell == (2, 3)
    assert bench.state.hover == Item("task", 67)
    bench.key(Qt.Key.Key_Space)
    assert bench.marked == [67]
    bench.key(Qt.Key.Key_Space)
    assert bench.marked == []
    bench.key(Qt.Key.Key_Right, SHIFT, times=2)
    bench.key(Qt.Key.Key_Down, SHIFT)
    assert bench.marked == bench.tasks((2, 3), (3, 4, 5))
    bench.key(Qt.Key.Key_Up, SHIFT, times=2)
    assert bench.marked == bench.tasks((1, 2), (3, 4, 5))


def test_keys_jump_by_block_and_to_the_ends(bench):
    bench.view.surface.setFocus()
    bench.key(Qt.Key.Key_Right, CTRL)
    assert bench.keys.cell == (0, 16)
    bench.key(Qt.Key.Key_Down, CTRL)
    assert bench.keys.cell == (8, 16)
    bench.key(Qt.Key.Key_Left, CTRL)
    assert bench.keys.cell == (8, 15)
    bench.key(Qt.Key.Key_End)
    assert bench.keys.cell == (8, 31)
    bench.key(Qt.Key.Key_Right)
    assert bench.keys.cell == (8, 31)
    bench.key(Qt.Key.Key_Right, CTRL)
    assert bench.keys.cell == (8, 31)
    bench.key(Qt.Key.Key_Home, CTRL)
    assert bench.keys.cell == (0, 0)
    bench.key(Qt.Key.Key_End, CTRL)
    assert bench.keys.cell == (15, 31)
    bench.key(Qt.Key.Key_Home)
    assert bench.keys.cell == (15, 0)


def test_the_cursor_and_the_focus_are_seen_and_go_with_the_pointer(bench):
    surface = bench.view.surface
    surface.clearFocus()
    ring = bench.view.heat.rect.topLeft().toPoint() + QPoint(-3, 40)
    assert bench.colour(ring) != DARK.accent
    surface.setFocus(Qt.FocusReason.TabFocusReason)
    assert bench.colour(ring) == DARK.accent
    assert bench.view.marks.cursor == (0, 0)
    corner = bench.view.heat.cell_rect(0, 0)
    assert bench.colour(QPoint(round(corner.center().x()), round(corner.top()))) == DARK.accent
    bench.click(4, 4)
    assert bench.view.marks.cursor is None
    assert surface.hasFocus()


def test_enter_asks_to_put_what_is_marked(bench):
    bench.view.surface.setFocus()
    bench.key(Qt.Key.Key_Down, SHIFT)
    bench.key(Qt.Key.Key_Return)
    assert [tasks.tolist() for tasks in bench.puts] == [[0, 32]]
