"""The button A: the pinned state alone, instead of B, in all views."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.model.pointing import Item
from app.model.state_groups import ComparisonMode
from app.panels.bottleneck.panel import OF_REFERENCE
from app.widgets.card import Card
from app.window.compare_bar import MODES
from app.window.layout import Machines
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from tests.pointer import drag

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
LENT = SMALL
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())


def press(window, mode):
    """Click the middle of a mode's button with the pointer at its pixel."""
    bar = window.toolbar.comparison.modes
    button = bar.group.button(MODES.index(mode))
    assert window.childAt(button.mapTo(window, button.rect().center())) is button
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())
    QApplication.processEvents()


def edit(window):
    window.session.choose("mapping", Sequential())
    QApplication.processEvents()


@pytest.fixture
def compared(lent):
    """The window with its first state pinned, and an edit on screen."""
    lent.commands["compare.pin"].trigger()
    edit(lent)
    press(lent, ComparisonMode.OFF)
    return lent


def evaluations(window):
    views = (window.machine, window.job, *(window.views[name] for name in ("matrix", "inner", "traffic")))
    return {view.state.evaluation for view in views}


def test_a_is_shown_alone_in_all_views_and_large(compared):
    state = compared.session.state
    a, b = state.comparison.reference, state.evaluation
    size, loads = compared.machine.size(), compared.machine.scene.shading.link
    press(compared, ComparisonMode.REFERENCE)
    assert compared.session.state.comparison.mode is ComparisonMode.REFERENCE
    assert compared.session.state.evaluation is b
    assert evaluations(compared) == {a}
    assert compared.machine.size() == size
    assert compared.comparing.pinned is None or not compared.comparing.pinned.isVisible()
    assert compared.centre.cards["machine"].title.text().startswith("A · ")
    assert not np.array_equal(compared.machine.scene.shading.link, loads)
    np.testing.assert_array_equal(compared.machine.scene.shading.link, compared.session.state.pictured.utilisation)
    press(compared, ComparisonMode.OFF)
    assert evaluations(compared) == {b}
    assert compared.centre.cards["machine"].title.text() == "Machine"
    np.testing.assert_array_equal(compared.machine.scene.shading.link, loads)


def test_the_bottleneck_panel_names_a_and_explains_its_hottest_link(compared):
    panel, session = compared.bottleneck, compared.session
    a = session.state.comparison.reference.report
    press(compared, ComparisonMode.REFERENCE)
    assert panel.whose.isVisible()
    assert panel.whose.text() == OF_REFERENCE
    assert panel.hottest.links[0] == a.hottest(1)[0]
    assert not panel.swaps.isVisible()
    link = int(a.bottleneck_links[0])
    session.select(Item("link", link))
    assert session.state.explanation.load == pytest.approx(a.load[link])
    press(compared, ComparisonMode.OFF)
    assert session.state.explanation.load == pytest.approx(session.state.report.load[link])
    assert not panel.whose.isVisible()


@pytest.mark.parametrize("tool", ["drag", "paint", "swap", "allocate"])
def test_a_gesture_on_a_is_refused_with_a_hint(compared, tool):
    session = compared.session
    press(compared, ComparisonMode.REFERENCE)
    session.set_tool(tool)
    before, steps = session.state.evaluation, session.state.history.steps
    grid = compared.job.event_widget
    drag(grid, QPoint(60, 60), QPoint(120, 90))
    assert session.state.evaluation is before
    assert session.state.history.steps == steps
    assert not session.state.edit.grabbed.size
    assert session.state.comparison.mode is ComparisonMode.REFERENCE
    assert "cannot be edited" in session.state.edit.hint


def shift(window):
    for name in ("mark.all", "edit.shift-right"):
        window.commands[name].trigger()


def test_commands_edit_b_and_show_it_again(compared):
    session = compared.session
    a = session.state.comparison.reference
    for command in (lambda: shift(compared), session.editing.undo, session.editing.redo):
        press(compared, ComparisonMode.REFERENCE)
        before = session.state.evaluation
        command()
        assert session.state.comparison.mode is ComparisonMode.OFF
        assert session.state.comparison.reference is a
        assert session.state.evaluation is not before
        assert evaluations(compared) == {session.state.evaluation}


def test_undone_to_a_the_window_is_as_before_pinning(lent):
    machine, size = lent.machine, lent.machine.size()
    loads = machine.scene.shading.link.copy()
    lent.commands["compare.pin"].trigger()
    edit(lent)
    QApplication.processEvents()
    assert lent.comparing.pinned.isVisible()
    press(lent, ComparisonMode.REFERENCE)
    assert machine.size() == size
    lent.session.editing.undo()
    for mode in (ComparisonMode.OFF, ComparisonMode.SIDE):
        press(lent, mode)
        assert not lent.comparing.pinned.isVisible()
        assert machine.size() == size
        np.testing.assert_allclose(machine.scene.shading.link, loads)
    lent.session.editing.redo()
    QApplication.processEvents()
    assert lent.comparing.pinned.isVisible()


def test_the_command_is_on_while_a_is_shown(compared):
    command = compared.commands["compare.reference"]
    command.trigger()
    assert command.isChecked()
    assert compared.toolbar.comparison.modes.group.checkedId() == MODES.index(ComparisonMode.REFERENCE)
    command.trigger()
    assert compared.session.state.comparison.mode is ComparisonMode.OFF
    compared.commands["compare.stop"].trigger()
    assert not command.isEnabled()


def test_a_of_another_network_replaces_b(compared):
    session = compared.session
    session.propose(TORUS)
    press(compared, ComparisonMode.REFERENCE)
    assert evaluations(compared) == {session.state.comparison.reference}
    press(compared, ComparisonMode.OFF)
    assert evaluations(compared) == {session.state.evaluation}


def test_a_is_above_b_where_the_panel_is_taller_than_wide(qtbot):
    a, b = Card("A", QWidget()), Card("B", QWidget())
    machines = Machines(a, b)
    qtbot.addWidget(machines)
    machines.show()
    for width, height, below in ((900, 500, False), (440, 800, True), (900, 500, False)):
        machines.resize(width, height)
        QApplication.processEvents()
        assert (b.y() > a.y()) is below
        assert (b.x() > a.x()) is not below
        assert abs(a.width() - b.width()) <= 16
        assert abs(a.height() - b.height()) <= 16
