"""The commands behind the Edit, Select and Tools menus, by key and by menu; the model is asserted."""

import time

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.edit_commands import STRATEGIES
from app.model.pointing import Item
from app.model.state import EDIT
from core.load.compatibility import has_defaults
from core.load.evaluate import evaluate
from core.mapping import AnyMapping, FromFile, ModColour, Sequential, TreeMatch
from core.mapping.mapping import Mapping
from core.mapping.targets import Target
from core.spec import members
from tests.app.actions.desk import Desk
from tests.app.sessions import session_on
from tests.patience import wait
from tests.pointer import drag, move, press, release

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def desk(session, laid_out):
    return laid_out(Desk(session), 520, 520)


def slots(window):
    return window.session.state.evaluation.case.mapping.slots


def block(rows, cols):
    return np.array([[row * 64 + col for col in cols] for row in rows])


def trigger(window, name):
    action = window.commands[name]
    assert action.isEnabled()
    action.trigger()


def at(window, row, col):
    return window.job.heat.cell_rect(row, col).center().toPoint()


SHAPES = {
    "edit.clockwise": lambda cells: np.rot90(cells, -1),
    "edit.counter": lambda cells: np.rot90(cells, 1),
    "edit.half": lambda cells: np.rot90(cells, 2),
    "edit.left-right": np.fliplr,
    "edit.top-bottom": np.flipud,
    "edit.shift-left": lambda cells: np.roll(cells, -1, 1),
    "edit.shift-right": lambda cells: np.roll(cells, 1, 1),
    "edit.shift-up": lambda cells: np.roll(cells, -1, 0),
    "edit.shift-down": lambda cells: np.roll(cells, 1, 0),
}


def test_layout_of_a_selected_block_is_rearranged_and_restored(desk):
    marked = block(range(3, 11), range(5, 13))
    before = slots(desk).copy()
    others = np.setdiff1d(np.arange(4096), marked)
    desk.session.mark(marked.ravel())
    for name, shape in SHAPES.items():
        trigger(desk, name)
        np.testing.assert_array_equal(slots(desk)[marked], shape(before[marked]), err_msg=name)
        np.testing.assert_array_equal(slots(desk)[others], before[others], err_msg=name)
        report = desk.session.state.report
        np.testing.assert_allclose(report.load, evaluate(report.case).load, atol=1e-12, err_msg=name)
        assert "8 × 8 tasks" in desk.session.state.history.undo_name, name
        trigger(desk, "edit.undo")
        np.testing.assert_array_equal(slots(desk), before, err_msg=name)
        assert not desk.commands["edit.undo"].isEnabled(), name


def test_every_strategy_without_required_fields_redistributes_selected_tasks(desk):
    assert {strategy.tag() for strategy in STRATEGIES} == {
        spec.tag() for spec in members(AnyMapping) if has_defaults(spec) and spec is not FromFile
    }
    marked = block(range(8), range(16)).ravel()
    before = slots(desk).copy()
    desk.session.mark(marked)
    trigger(desk, f"edit.deal.{Sequential.tag()}")
    assert sorted(slots(desk)[marked]) == sorted(before[marked])
    assert (np.diff(slots(desk)[marked]) > 0).all()
    assert desk.session.state.history.undo_name == "Redistribute 128 tasks: sequential"
    assert desk.commands["edit.undo"].text() == "Undo redistribute 128 tasks: sequential"
    trigger(desk, "edit.undo")
    assert desk.commands["edit.redo"].text() == "Redo redistribute 128 tasks: sequential"
    trigger(desk, "edit.redo")
    assert (np.diff(slots(desk)[marked]) > 0).all()


def test_a_strategy_that_searches_redistributes_selected_tasks(desk):
    marked = block(range(8), range(16)).ravel()
    before = slots(desk).copy()
    desk.session.mark(marked)
    trigger(desk, f"edit.deal.{TreeMatch.tag()}")
    assert sorted(slots(desk)[marked]) == sorted(before[marked])
    assert desk.session.state.history.undo_name == "Redistribute 128 tasks: TreeMatch"


@pytest.fixture
def searching(scenario, laid_out, monkeypatch, qtbot):
    """A desk whose work runs in threads, while TreeMatch searches for slots until `searching.go` is set."""

    def on(spec, job, network, allocation, folder, progress):
        while not desk.go:
            progress(0.5)
            time.sleep(0.01)
        return Mapping(np.arange(job.tasks, dtype=np.int32), network.slots_per_node)

    monkeypatch.setattr(TreeMatch, "on", on)
    session = session_on(scenario)
    desk = laid_out(Desk(session), 520, 520)
    desk.go = False
    session.mark(block(range(8), range(16)).ravel())
    trigger(desk, f"edit.deal.{TreeMatch.tag()}")
    qtbot.waitUntil(lambda: session.state.preparing is not None and session.state.preparing.fraction == 0.5)
    yield desk
    desk.go = True
    session.close()


def test_a_search_for_slots_of_selected_tasks_is_shown_and_can_be_cancelled(searching, qtbot):
    session, before = searching.session, slots(searching)
    strip = searching.status.strip
    assert strip.text == "Computing: Redistribute 128 tasks: TreeMatch …"
    qtbot.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)
    assert session.state.computations == ()
    searching.go = True
    qtbot.wait(100)
    assert slots(searching) is before
    assert (session.state.history.undo_name, session.state.error) == ("", None)


@pytest.mark.parametrize("edited", [False, True])
def test_the_result_of_a_search_is_dropped_if_tasks_have_moved_meanwhile(searching, edited, qtbot):
    session, name = searching.session, "Redistribute 128 tasks: TreeMatch"
    if edited:
        trigger(searching, "edit.half")
    searching.go = True
    qtbot.waitUntil(lambda: session.state.computations == ())
    if edited:
        assert session.state.error.message == f"{name}: the mapping has changed during the search"
    assert (session.state.history.undo_name == name) != edited


def test_layout_of_a_block_is_repeated_in_all_blocks(desk):
    marked = block(range(8), range(8))
    desk.session.mark(marked.ravel())
    trigger(desk, "edit.clockwise")
    order = np.argsort(slots(desk)[marked].ravel())
    trigger(desk, "edit.repeat")
    other = block(range(16, 24), range(40, 48))
    assert np.argsort(slots(desk)[other].ravel()).tolist() == order.tolist()
    assert desk.session.state.history.undo_name == "Repeat the layout of 8 × 8 tasks in all blocks"


@pytest.mark.parametrize(
    ("name", "tasks", "why"),
    [
        ("edit.clockwise", [0, 1], "a block of 1 × 2 has no quarter turn"),
        ("edit.half", [0, 1, 64], "lacks 1 cell of its 2 × 2 rectangle"),
        ("edit.repeat", [0, 1, 2], "blocks of 1 × 3 do not tile the 64 × 64 grid"),
        ("edit.swap", [0, 20, 40], "select two tasks, or tasks on exactly two places"),
        ("edit.half", [0], "Rotate 1 × 1 tasks by 180°: no task would move"),
    ],
)
def test_impossible_command_reports_an_error_and_changes_nothing(desk, name, tasks, why):
    evaluation = desk.session.state.evaluation
    desk.session.mark(tasks)
    trigger(desk, name)
    state = desk.session.state
    assert state.evaluation is evaluation
    assert not state.history.undo_name
    assert state.error.field == EDIT
    assert why in desk.status.text.text()
    assert "last valid state" not in desk.status.text.text()
    desk.session.mark([0, 63])
    trigger(desk, "edit.swap")
    assert desk.session.state.error is None


def test_window_shows_the_error_only_in_the_status_bar(lent):
    lent.session.mark([0, 1])
    trigger(lent, "edit.clockwise")
    assert "a block of 1 × 2 has no quarter turn" in lent.statusBar().text.text()
    assert "last valid state" not in lent.statusBar().text.text()
    assert not lent.build.message.isVisible()
    lent.session.mark([0, 63])
    trigger(lent, "edit.swap")
    assert "quarter turn" not in lent.statusBar().text.text()


def test_commands_on_selected_tasks_are_disabled_without_any(desk):
    names = [*SHAPES, "edit.repeat", "edit.swap", "mark.grow", "mark.none", f"edit.deal.{ModColour.tag()}"]
    actions = desk.commands
    assert not any(actions[name].isEnabled() for name in (*names, "edit.put", "edit.undo", "edit.redo"))
    desk.session.mark([5])
    assert all(actions[name].isEnabled() for name in names)
    assert not actions["edit.put"].isEnabled()
    desk.session.set_target(Target(0, 7))
    assert actions["edit.put"].isEnabled()


def test_selected_tasks_are_put_on_the_target(lent):
    lent.session.mark(range(10))
    lent.session.set_target(Target(0, 7))
    lent.job.surface.setFocus()
    QTest.keyClick(lent.job.surface, Qt.Key.Key_Return)
    assert set(slots(lent)[:10] // 128) == {7}
    assert lent.session.state.history.undo_name == "Put 10 tasks on supernode 7"


def test_two_tasks_or_two_places_swap(desk):
    before = slots(desk).copy()
    desk.session.mark([3, 900])
    trigger(desk, "edit.swap")
    assert slots(desk)[[3, 900]].tolist() == before[[900, 3]].tolist()
    assert desk.session.state.history.undo_name == "Swap task 3 with task 900"
    trigger(desk, "edit.undo")
    places = before // 128
    tasks = np.flatnonzero(np.isin(places, [4, 9]))[::7]
    desk.session.mark(tasks)
    trigger(desk, "edit.swap")
    assert desk.session.state.history.undo_name == "Swap supernode 4 with supernode 9"
    after = slots(desk) // 128
    assert (after[places == 4] == 9).all()
    assert (after[places == 9] == 4).all()


def test_tasks_are_selected_by_key(desk):
    QTest.keyClick(desk, Qt.Key.Key_A, CTRL)
    assert desk.session.state.marked.size == 4096
    QTest.keyClick(desk, Qt.Key.Key_A, CTRL | SHIFT)
    assert desk.session.state.marked.size == 0
    desk.session.mark([0])
    QTest.keyClick(desk, Qt.Key.Key_I, CTRL)
    assert desk.session.state.marked.size == 4095
    desk.session.mark([0])
    for size in (4, 32, 128, 4096):
        QTest.keyClick(desk, Qt.Key.Key_G)
        assert desk.session.state.marked.size == size


def test_tasks_of_the_selected_item_are_selected(desk):
    for item, size in ((Item("group", 3), 128), (Item("node", 40), 4), (Item("task", 9), 1)):
        desk.session.select(item)
        QTest.keyClick(desk, Qt.Key.Key_T)
        assert desk.session.state.marked.size == size, item


def test_tasks_that_cause_the_load_of_a_link_are_selected(desk):
    QTest.keyClick(desk, Qt.Key.Key_H)
    QTest.keyClick(desk, Qt.Key.Key_T)
    parts = desk.session.state.explanation.tasks
    assert set(desk.session.state.marked.tolist()) == {*parts.src.tolist(), *parts.dst.tolist()}


def test_escape_cancels_one_thing_after_the_other(lent):
    def state():
        return lent.session.state

    lent.session.select(Item("group", 3))
    lent.session.mark([1, 2])
    lent.session.set_target(Target(0, 5))
    QTest.keyClick(lent, Qt.Key.Key_B)
    evaluation = state().evaluation
    press(lent.job.event_widget, at(lent, 2, 2))
    move(lent.job.event_widget, at(lent, 2, 2), at(lent, 2, 20))
    assert state().evaluation is not evaluation
    QTest.keyClick(lent, Qt.Key.Key_Escape)
    assert state().evaluation is evaluation
    release(lent.job.event_widget, at(lent, 2, 20))
    assert state().marked.tolist() == [1, 2]
    QTest.keyClick(lent, Qt.Key.Key_Escape)
    assert state().marked.size == 0
    assert state().selection == Item("group", 3)
    QTest.keyClick(lent, Qt.Key.Key_Escape)
    assert state().selection is None


def test_tools_by_key_and_by_button_show_their_options(lent):
    options = lent.toolbar.options
    for key, name in zip("BDXV", ("paint", "drag", "swap", "select"), strict=True):
        QTest.keyClick(lent, getattr(Qt.Key, f"Key_{key}"))
        assert lent.session.state.edit.tool == name
        assert options.buttons[f"tool.{name}"].isChecked()
        assert options.brush.isVisible() == options.index.isVisible() == (name == "paint")
        assert options.level.isVisible()
    QTest.mouseClick(options.buttons["tool.paint"], Qt.MouseButton.LeftButton)
    assert lent.session.state.edit.tool == "paint"
    assert "(B)" in options.buttons["tool.paint"].toolTip()


def test_toolbar_sets_level_target_and_brush(lent):
    lent.session.set_tool("paint")
    options, session = lent.toolbar.options, lent.session
    assert [options.level.itemText(k) for k in range(4)] == ["Auto", "Supernode", "Drawer", "Node"]
    assert options.index.lineEdit().placeholderText() == "none"
    QTest.keyClicks(options.index, "5")
    assert session.state.edit.target == Target(0, 5)
    assert options.name.text() == "supernode 5"
    assert options.swatch.isVisible()
    options.level.setCurrentIndex(2)
    options.level.activated.emit(2)
    assert session.state.edit.level == 1
    assert session.state.edit.target == Target(1, 20)
    assert options.name.text() == "drawer 0 of supernode 5"
    options.index.selectAll()
    QTest.keyClick(options.index, Qt.Key.Key_Delete)
    assert session.state.edit.target is None
    assert not options.swatch.isVisible()
    QTest.keyClick(lent, Qt.Key.Key_BracketRight)
    QTest.keyClick(lent, Qt.Key.Key_BracketRight)
    assert session.state.edit.brush == 4
    assert options.brush.currentText() == "4 × 4"
    QTest.keyClick(lent, Qt.Key.Key_BracketLeft)
    assert session.state.edit.brush == 2
    QTest.keyClick(lent, Qt.Key.Key_Period)
    assert session.state.edit.target == Target(1, 0)
    QTest.keyClick(lent, Qt.Key.Key_Comma)
    assert session.state.edit.target == Target(1, 127)


def test_target_is_picked_under_the_pointer_or_at_the_cursor(desk):
    nodes = desk.session.state.evaluation.case.mapping.nodes
    desk.session.hover(Item("task", 700))
    QTest.keyClick(desk, Qt.Key.Key_I)
    assert desk.session.state.edit.target == Target(0, int(nodes[700]) // 32)
    desk.session.hover(None)
    desk.job.surface.setFocus()
    QTest.keyClick(desk.job.surface, Qt.Key.Key_End)
    QTest.keyClick(desk.job.surface, Qt.Key.Key_I)
    assert desk.session.state.edit.target == Target(0, int(nodes[63]) // 32)


def test_two_tasks_are_swapped_by_keyboard_only(lent):
    before = slots(lent).copy()
    lent.job.surface.setFocus()
    QTest.keyClick(lent.job.surface, Qt.Key.Key_Home, CTRL)
    QTest.keyClick(lent.job.surface, Qt.Key.Key_X)
    QTest.keyClick(lent.job.surface, Qt.Key.Key_End)
    QTest.keyClick(lent.job.surface, Qt.Key.Key_X)
    assert slots(lent)[[0, 63]].tolist() == before[[63, 0]].tolist()
    assert lent.session.state.history.undo_name == "Swap task 0 with task 63"


def test_swap_by_pointer_affects_only_clicked_tasks(desk):
    before = slots(desk).copy()
    for key in ("V", "X"):
        QTest.keyClick(desk.job.surface, getattr(Qt.Key, f"Key_{key}"))
        assert not desk.session.state.edit.grabbed.size
        QTest.mouseClick(desk.job.event_widget, Qt.MouseButton.LeftButton, pos=at(desk, 2, 2))
    assert desk.job.surface.hasFocus()
    assert desk.session.state.edit.grabbed.tolist() == [2 * 64 + 2]
    np.testing.assert_array_equal(slots(desk), before)
    QTest.mouseClick(desk.job.event_widget, Qt.MouseButton.LeftButton, pos=at(desk, 9, 9))
    assert desk.session.state.history.undo_name == "Swap task 130 with task 585"


def test_painting_is_undone_and_redone_by_key(lent):
    before = slots(lent).copy()
    lent.session.set_tool("paint")
    lent.session.set_target(Target(0, 5))
    drag(lent.job.event_widget, at(lent, 2, 2), at(lent, 2, 20))
    after = slots(lent).copy()
    assert set(after[2 * 64 + 2 : 2 * 64 + 21] // 128) == {5}
    QTest.keyClick(lent, Qt.Key.Key_Z, CTRL)
    np.testing.assert_array_equal(slots(lent), before)
    QTest.keyClick(lent, Qt.Key.Key_Y, CTRL)
    np.testing.assert_array_equal(slots(lent), after)
    QTest.keyClick(lent, Qt.Key.Key_Z, CTRL)
    QTest.keyClick(lent, Qt.Key.Key_Z, CTRL | SHIFT)
    np.testing.assert_array_equal(slots(lent), after)


def test_selected_tasks_that_do_not_fit_are_reported(desk):
    session = desk.session
    session.set_target(Target(2, 1000))
    session.mark(range(6))
    trigger(desk, "edit.put")
    assert np.count_nonzero(session.state.evaluation.case.mapping.nodes[:6] == 1000) == 4
    assert session.state.error.message.endswith("holds 4 tasks; 2 selected tasks did not fit")
    session.mark(range(4))
    desk.edits.undo()
    trigger(desk, "edit.put")
    assert session.state.error is None


def test_target_of_selected_tasks_is_highlighted(formless, window):
    options, session = window.toolbar.options, window.session
    session.set_target(Target(0, 7))
    assert not options.index.isVisible()
    plain = window.machine.grab().toImage()
    session.mark([0, 1])
    assert options.index.isVisible()
    assert options.swatch.isVisible()
    assert not options.brush.isVisible()
    marked = window.machine.grab().toImage()
    session.set_target(Target(0, 20))
    assert options.index.value == 20
    assert len({bytes(image.constBits()) for image in (plain, marked, window.machine.grab().toImage())}) == 3
    session.set_tool("drag")
    assert not options.index.isVisible()


def test_level_is_changed_by_key(desk):
    session, seen = desk.session, []
    session.set_target(Target(0, 5))
    for _ in range(4):
        QTest.keyClick(desk, Qt.Key.Key_N)
        seen.append((session.state.edit.level, session.state.edit.target))
    assert seen == [(0, Target(0, 5)), (1, Target(1, 20)), (2, Target(2, 160)), (None, Target(0, 5))]
    QTest.keyClick(desk, Qt.Key.Key_N, SHIFT)
    assert session.state.edit.level == 2


def test_click_in_the_machine_picks_a_target_for_the_brush(lent):
    lent.session.set_tool("paint")
    plan = lent.machine.scene.geometry
    x, y = lent.machine.camera.project(
        np.append(plan.layout.boxes[9, :2], 0), (lent.machine.width(), lent.machine.height())
    )[:2]
    event_widget = lent.machine.event_widget
    QTest.mouseClick(event_widget, Qt.MouseButton.LeftButton, pos=event_widget.rect().topLeft() + at_pixel(x, y))
    assert lent.session.state.edit.target == Target(0, 9)


def at_pixel(x, y):
    from PySide6.QtCore import QPoint

    return QPoint(round(float(x)), round(float(y)))


def test_nothing_in_the_toolbar_is_clipped(lent):
    lent.session.set_tool("paint")
    lent.session.set_target(Target(1, 3))
    bar = lent.toolbar
    for width in (1280, 1600):
        lent.resize(width, 800)
        wait(0)
        assert bar.sizeHint().width() <= bar.width()
        for widget in (
            bar.options,
            *bar.options.buttons.values(),
            bar.options.brush,
            bar.scale,
            bar.reference,
            bar.filter,
        ):
            assert widget.isVisible()
            assert widget.width() >= widget.minimumSizeHint().width()
            right = widget.mapTo(lent, widget.rect().topRight()).x()
            assert right <= lent.width()
        assert not [
            child for child in bar.children() if child.objectName() == "qt_toolbar_ext_button" and child.isVisible()
        ]


def box_of(desk, group):
    view = desk.machine
    point = np.append(view.scene.geometry.layout.boxes[group, :2], 0)
    x, y = view.camera.project(point, (view.width(), view.height()))[:2]
    return QPoint(round(float(x)), round(float(y)))


def test_target_is_picked_under_the_pointer_rather_than_at_the_cursor(lent):
    session, nodes = lent.session, lent.session.state.evaluation.case.mapping.nodes
    lent.job.surface.setFocus()
    QTest.keyClick(lent.job.surface, Qt.Key.Key_End)
    move(lent.machine, box_of(lent, 3), box_of(lent, 23), button=Qt.MouseButton.NoButton)
    QTest.keyClick(lent.job.surface, Qt.Key.Key_I)
    assert session.state.edit.target == Target(0, 23)
    QApplication.sendEvent(lent.machine, QEvent(QEvent.Type.Leave))
    matrix = lent.views["matrix"]
    matrix.catch_up()
    diagonal = matrix.heat.cell_rect(7, 7).center().toPoint()
    move(matrix.surface, diagonal, diagonal, button=Qt.MouseButton.NoButton)
    QTest.keyClick(lent.job.surface, Qt.Key.Key_I)
    assert session.state.edit.target == Target(0, 7)
    QApplication.sendEvent(matrix.surface, QEvent(QEvent.Type.Leave))
    QTest.keyClick(lent.job.surface, Qt.Key.Key_I)
    assert session.state.edit.target == Target(0, int(nodes[63]) // 32)


def test_ctrl_click_picks_the_target_with_the_paint_tool_only(lent):
    session, nodes = lent.session, lent.session.state.evaluation.case.mapping.nodes
    matrix, left = lent.views["matrix"], Qt.MouseButton.LeftButton
    matrix.catch_up()
    diagonal, bundle = (matrix.heat.cell_rect(*cell).center().toPoint() for cell in ((7, 7), (3, 1)))
    places = (
        (lent.machine, box_of(lent, 23), 23),
        (lent.job.event_widget, at(lent, 20, 40), int(nodes[20 * 64 + 40]) // 32),
        (matrix.surface, diagonal, 7),
    )
    QTest.keyClick(lent, Qt.Key.Key_B)
    for widget, where, group in places:
        QTest.mouseClick(widget, left, CTRL, where)
        assert session.state.edit.target == Target(0, group)
    QTest.mouseClick(matrix.surface, left, CTRL, bundle)
    assert session.state.edit.target == Target(0, 7)
    assert session.state.selection.kind == "bundle"
    assert not session.state.history.steps
    session.set_target(None)
    QTest.keyClick(lent, Qt.Key.Key_V)
    for widget, where, _ in places:
        QTest.mouseClick(widget, left, CTRL, where)
    assert session.state.edit.target is None
    assert session.state.marked.tolist() == [20 * 64 + 40]
