"""A | B in the window: pinned, side by side, as a difference, swapped, and live."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.changes import ChangeSet
from app.model.pointing import Item
from app.model.state_groups import ComparisonMode
from app.style.colour import ColourScale
from app.window.compare_bar import MODES
from app.wording.numbers import gbs as figure
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import edit_moving, occupants
from core.mapping.explicit import Explicit
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect, PercsIndirect
from tests.app.sessions import session_on
from tests.app.views.machine.rest import at_rest
from tests.patience import wait
from tests.pointer import drag, move

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
LENT = SMALL
SEQUENTIAL = SMALL.with_choice("mapping", Sequential())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
NO_BUTTON = Qt.MouseButton.NoButton


@pytest.fixture
def session(qapp):
    session = session_on(SMALL, sync=True)
    yield session
    session.close()


@pytest.fixture
def compared(lent, qtbot):
    """The window on SMALL as B, with sequential as A next to it."""
    lent.session.pin_scenario(SEQUENTIAL)
    qtbot.waitUntil(lambda: lent.comparing.pinned.camera is not None)
    QApplication.processEvents()
    return lent


def swap_two(session, first=0, second=700):
    case = session.state.evaluation.case
    slots = case.mapping.slots[[second, first]]
    return edit_moving(case.mapping, [first, second], slots, occupants(case.mapping, case.network.slots))


def mode_button(window, mode):
    return window.toolbar.comparison.modes.group.button(MODES.index(mode))


def run(window, name):
    action = window.commands[name]
    assert action.isEnabled()
    action.trigger()


def test_a_scenario_is_pinned_without_touching_what_is_on_screen(session):
    shown = session.state.evaluation
    session.pin_scenario(SEQUENTIAL, ComparisonMode.DIFFERENCE)
    state = session.state
    assert state.evaluation is shown
    assert state.comparison.reference.case.scenario == SEQUENTIAL
    assert state.comparison.reference.case.network is shown.case.network
    assert state.comparison.mode is ComparisonMode.DIFFERENCE
    assert not state.dirty
    assert not session.state.history.steps


def test_a_scenario_that_cannot_be_pinned_is_reported_and_nothing_is_lost(session):
    session.pin_scenario(SEQUENTIAL)
    pinned = session.state.comparison.reference
    session.pin_scenario(SMALL.with_choice("job", Halo(rows=640, cols=640)))
    assert "cannot be pinned as A" in session.state.error.message
    assert session.state.comparison.reference is pinned
    assert session.state.wanted == SMALL


def test_swapping_goes_to_a_and_pins_b_as_one_step(session):
    session.pin_scenario(SEQUENTIAL, ComparisonMode.DIFFERENCE)
    b = session.state.evaluation
    session.swap_pinned()
    state = session.state
    assert state.evaluation.case.scenario == SEQUENTIAL
    assert state.comparison.reference is b
    assert state.comparison.mode is ComparisonMode.DIFFERENCE
    assert [step.name for step in session.state.history.steps] == ["Swap A and B"]
    session.editing.undo()
    assert session.state.evaluation.case.scenario == SMALL


def test_the_scale_is_the_longer_of_both_times(session):
    alone = session.state.utilisation.copy()
    session.pin_scenario(SEQUENTIAL)
    a, b = session.state.compared_pair
    longer = max(a.report.time, b.report.time)
    assert session.state.full_scale_time == longer
    np.testing.assert_allclose(session.state.utilisation, alone * b.report.time / longer)
    session.compare(ComparisonMode.OFF)
    np.testing.assert_array_equal(session.state.utilisation, alone)


def test_b_minus_a_is_shown_only_as_a_difference(session):
    session.pin_scenario(SEQUENTIAL)
    a, b = session.state.compared_pair
    np.testing.assert_array_equal(session.state.link_values, session.state.utilisation)
    session.compare(ComparisonMode.DIFFERENCE)
    gbs = b.case.network.gbs
    expected = (b.report.load - a.report.load) / gbs / max(a.report.time, b.report.time)
    np.testing.assert_allclose(session.state.link_values, expected, atol=1e-9)
    assert session.state.shading.span >= np.abs(expected).max()
    largest = np.abs((b.report.load - a.report.load) / gbs).max()
    for frozen, span in ((largest * 2, 1.0), (largest / 2.5, 3.0)):
        session.set_scale(ColourScale(frozen_time=float(frozen)))
        np.testing.assert_allclose(session.state.link_values, (b.report.load - a.report.load) / gbs / frozen, atol=1e-9)
        assert session.state.shading.span == span


def test_for_networks_that_differ_b_is_shown_alone_instead_of_their_difference(session):
    session.pin_scenario(SEQUENTIAL, ComparisonMode.DIFFERENCE)
    assert session.state.differing
    session.propose(TORUS)
    state = session.state
    assert state.comparison.reference.case.scenario == SEQUENTIAL
    assert state.comparison.mode is ComparisonMode.OFF
    assert state.full_scale_time == state.report.time
    np.testing.assert_array_equal(state.link_values, state.utilisation)
    session.compare(ComparisonMode.SIDE)
    session.propose(SMALL)
    assert session.state.comparison.mode is ComparisonMode.SIDE
    session.compare(ComparisonMode.DIFFERENCE)
    assert session.state.differing
    # Other bandwidths are the same links.
    session.propose(replace(SMALL, network=structs.replace(SMALL.network, ll_gbs=10.0)))
    assert session.state.differing
    assert session.state.link_values.any()


def test_no_view_is_made_before_a_comparison(unshown):
    assert unshown.comparing.pinned is None
    assert unshown.comparing.panel is None
    assert unshown.centre.cards["machine"].title.text() == "Machine"


def test_a_is_left_of_b_in_the_same_size(compared):
    a, b = compared.centre.cards["pinned"], compared.centre.cards["machine"]
    assert a.isVisible()
    assert b.isVisible()
    assert a.mapTo(compared, QPoint()).x() < b.mapTo(compared, QPoint()).x()
    assert abs(a.width() - b.width()) <= 16
    assert a.height() == b.height()
    state = compared.session.state
    assert a.title.text() == f"A · {figure(state.comparison.reference.report.throughput_gbs)} GB/s · sequential"
    assert b.title.text().endswith(" GB/s · random")


def test_commands_pin_compare_swap_and_stop(lent):
    session = lent.session
    assert not lent.commands["compare.side"].isEnabled()
    run(lent, "compare.pin")
    assert session.state.comparison.reference is session.state.evaluation
    assert session.state.comparison.mode is ComparisonMode.SIDE
    run(lent, "compare.difference")
    assert session.state.comparison.mode is ComparisonMode.DIFFERENCE
    assert lent.commands["compare.difference"].isChecked()
    assert not lent.commands["view.log"].isEnabled()
    run(lent, "compare.side")
    assert lent.comparing.pinned is None or not lent.comparing.pinned.isVisible()  # A is B
    session.choose("mapping", Sequential())
    assert lent.comparing.pinned.isVisible()
    run(lent, "compare.side")
    assert session.state.comparison.mode is ComparisonMode.OFF
    assert session.state.comparison.reference is not None
    b = session.state.evaluation
    run(lent, "compare.swap")
    assert session.state.comparison.reference is b
    run(lent, "compare.stop")
    assert session.state.comparison.reference is None
    assert lent.centre.cards["machine"].title.text() == "Machine"
    assert not lent.comparing.pinned.isVisible()


def test_the_toolbar_shows_the_modes_once_a_is_pinned(lent, qtbot):
    bar = lent.toolbar.comparison
    assert not bar.modes.isVisible()
    qtbot.mouseClick(bar.pin, Qt.MouseButton.LeftButton)
    assert bar.modes.isVisible()
    assert mode_button(lent, ComparisonMode.SIDE).isChecked()
    qtbot.mouseClick(mode_button(lent, ComparisonMode.DIFFERENCE), Qt.MouseButton.LeftButton)
    assert lent.session.state.comparison.mode is ComparisonMode.DIFFERENCE
    assert not lent.toolbar.scale.isEnabled()
    qtbot.mouseClick(mode_button(lent, ComparisonMode.OFF), Qt.MouseButton.LeftButton)
    assert lent.session.state.comparison.mode is ComparisonMode.OFF
    lent.session.propose(TORUS)
    assert not mode_button(lent, ComparisonMode.DIFFERENCE).isEnabled()
    assert "different networks" in mode_button(lent, ComparisonMode.DIFFERENCE).toolTip()


def wheel(view, at):
    event = QWheelEvent(
        QPointF(at), QPointF(view.mapToGlobal(at)), QPoint(), QPoint(0, 240), NO_BUTTON,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def alike(first, second):
    # Also if a pixel of the splitter makes one of them larger.
    assert second.camera == first.camera


def test_moving_one_machine_moves_the_other(compared):
    a, b = compared.comparing.pinned, compared.machine
    wheel(b, QPoint(60, 80))
    assert not b.controller.fits_all
    alike(b, a)
    before = b.camera
    drag(a, QPoint(40, 40), QPoint(90, 60))
    assert b.camera != before
    alike(a, b)


def settle(*views):
    """Let the effects of a move of the camera, or of another size, be drawn."""
    calm = 0
    while calm < 5:
        wait(5)
        calm = calm + 1 if all(map(at_rest, views)) else 0


def press_mode(window, mode):
    QTest.mouseClick(mode_button(window, mode), Qt.MouseButton.LeftButton)
    settle(window.machine)


def test_opening_and_closing_the_comparison_restores_the_view(compared):
    machine = compared.machine
    press_mode(compared, ComparisonMode.OFF)
    wheel(machine, QPoint(machine.width() // 3, machine.height() // 3))
    drag(machine, QPoint(150, 100), QPoint(120, 130))
    settle(machine)
    before, size, detail = machine.camera, machine.size(), machine.scene.open
    for _ in range(2):
        press_mode(compared, ComparisonMode.SIDE)
        assert machine.width() < 0.6 * size.width()
        assert machine.camera.shift == before.shift
        # Everything visible before is still visible.
        narrow, wide = (np.array([s.width(), s.height()]) for s in (machine.size(), size))
        assert np.all(narrow / machine.camera.scale >= wide / before.scale - 1e-9)
        press_mode(compared, ComparisonMode.OFF)
        assert (machine.camera, machine.size()) == (before, size)
        np.testing.assert_array_equal(machine.scene.open, detail)


def test_a_view_moved_in_a_comparison_keeps_its_place_when_shown_alone(compared):
    machine = compared.machine
    wheel(machine, QPoint(machine.width() // 2, machine.height() // 2))
    settle(machine)
    seen = machine.camera
    press_mode(compared, ComparisonMode.OFF)
    assert (machine.camera.scale, machine.camera.shift) == (seen.scale, seen.shift)
    press_mode(compared, ComparisonMode.SIDE)
    assert machine.camera == seen


@pytest.mark.parametrize("percent", [100.0, 10.0])
def test_both_show_the_same_links_in_the_same_detail(compared, percent):
    a, b = compared.comparing.pinned, compared.machine
    compared.session.set_hottest_percent(percent)
    splitter = compared.centre.cards["pinned"].parentWidget()
    for left in (0.35, 0.5, 0.65):
        splitter.setSizes([round(left * splitter.width()), round((1 - left) * splitter.width())])
        for group in (None, 2):
            b.fit() if group is None else a.open_group(group)
            settle(a, b)
            alike(a, b)
            assert abs(a.width() - b.width()) > 30 or left == 0.5
            for first, second in ((a.scene.bundles, b.scene.bundles), (a.scene.links, b.scene.links)):
                np.testing.assert_array_equal(first.curves, second.curves)
                np.testing.assert_array_equal(first.width, second.width)
                assert (first.total, first.loaded) == (second.total, second.loaded)
            np.testing.assert_array_equal(a.scene.open, b.scene.open)
            np.testing.assert_array_equal(a.scene.cell_scale, b.scene.cell_scale)
            assert (a.scene.open.size > 0) == (group is not None)
    assert not np.array_equal(a.scene.shading.link, b.scene.shading.link)


def test_the_hottest_links_of_either_are_shown_in_both(compared):
    a, b = compared.comparing.pinned, compared.machine
    compared.session.set_hottest_percent(10)
    hottest = np.maximum(a.scene.shading.pair, b.scene.shading.pair)
    ends = np.sort(np.stack(np.divmod(b.scene.bundles.index, 6)), axis=0)
    shown = np.isin(np.ravel_multi_index(a.scene.geometry.pairs, (6, 6)), np.ravel_multi_index(tuple(ends), (6, 6)))
    assert 0 < shown.sum() < shown.size
    assert hottest[shown].min() >= hottest[~shown].max()


def test_machines_of_different_networks_move_alone(compared):
    compared.session.propose(TORUS)
    before = compared.comparing.pinned.camera
    wheel(compared.machine, QPoint(60, 80))
    assert compared.comparing.pinned.camera == before


def test_an_item_hovered_in_a_is_highlighted_in_b_with_both_values(compared, qtbot):
    a, b, session = compared.comparing.pinned, compared.machine, compared.session
    centre = a.camera.project(np.append(a.scene.geometry.layout.boxes[2, :2], 0.0), (a.width(), a.height()))
    at = QPoint(round(float(centre[0])), round(float(centre[1])))
    move(a, at - QPoint(2, 0), at, steps=2, button=NO_BUTTON)
    qtbot.waitUntil(lambda: session.state.hover is not None)
    assert session.state.hover.kind in ("group", "node")
    assert a.readout_text == b.readout_text
    link = int(session.state.report.bottleneck_links[0])
    session.hover(Item("link", link))
    first, second = session.state.compared_pair
    for view in (a, b):
        lines = view.readout_text.splitlines()
        assert lines[1].startswith(f"A: {first.report.load[link]:.4g} unit")
        assert lines[2].startswith(f"B: {second.report.load[link]:.4g} unit")
        assert lines[2].endswith("bottleneck")
    qtbot.mouseClick(a, Qt.MouseButton.LeftButton, pos=at)
    assert session.state.selection is not None


def test_an_edit_moves_b_and_leaves_a_alone(compared):
    session = compared.session
    session.swap_pinned()  # A is the slower: it sets the scale
    pinned = session.state.comparison.reference
    assert pinned.report.time > session.state.report.time
    loads = compared.comparing.pinned.scene.shading.link
    session.editing.begin("try")
    session.editing.replace_edit(swap_two(session))
    assert session.state.comparison.reference is pinned
    assert compared.centre.cards["machine"].title.text().endswith(" GB/s · custom")
    np.testing.assert_array_equal(compared.comparing.pinned.scene.shading.link, loads)
    session.editing.cancel()
    assert compared.centre.cards["machine"].title.text().endswith(" GB/s · sequential")


def test_a_follows_when_b_moves_the_top_of_the_scale(compared):
    session, view = compared.session, compared.comparing.pinned
    session.pin_scenario(SMALL)
    assert not view.isVisible()  # A is B
    session.choose("mapping", Sequential())
    a, b = session.state.compared_pair
    assert b.report.time != a.report.time
    np.testing.assert_allclose(
        view.scene.shading.link, a.report.utilisation * a.report.time / max(a.report.time, b.report.time)
    )


def test_the_title_names_the_choice_that_differs(lent):
    lent.session.pin_scenario(SMALL.with_choice("routing", PercsIndirect()))
    assert lent.centre.cards["pinned"].title.text().endswith(" GB/s · indirect")
    assert lent.centre.cards["machine"].title.text().endswith(" GB/s · direct")
    lent.session.compare(ComparisonMode.DIFFERENCE)
    assert lent.centre.cards["machine"].title.text() == "B \N{MINUS SIGN} A · direct \N{MINUS SIGN} indirect"


def test_the_table_waits_behind_its_tab_and_goes_with_the_comparison(compared):
    panel, charts, session = compared.comparing.panel, compared.centre.charts, compared.session
    assert not panel.isVisible()
    assert charts.tabs.isTabVisible(charts.pages.indexOf(panel))
    charts.show_page(compared.views["distribution"])
    session.compare(ComparisonMode.DIFFERENCE)
    assert compared.views["distribution"].isVisible()  # the user's choice stays in front
    charts.show_page(panel)
    session.compare(ComparisonMode.OFF)
    assert compared.views["distribution"].isVisible()
    assert "A | B" not in [charts.tabs.tabText(k) for k in range(charts.tabs.count()) if charts.tabs.isTabVisible(k)]
    session.compare(ComparisonMode.SIDE)
    assert compared.views["distribution"].isVisible()


def test_the_difference_draws_the_changes(compared):
    compared.session.compare(ComparisonMode.DIFFERENCE)
    scene, state = compared.machine.scene, compared.session.state
    assert scene.shading.signed
    np.testing.assert_array_equal(scene.shading.link, state.link_values)
    assert not scene.marks()[1].size
    compared.session.set_hottest_percent(25)
    bundles = compared.machine.scene.bundles
    assert 0 < bundles.count < bundles.total
    left_out = np.setdiff1d(np.abs(scene.shading.pair), np.abs(bundles.heat))
    assert np.abs(bundles.heat).min() >= left_out.max()


def test_comparing_costs_nothing_while_it_is_off(lent, monkeypatch):
    import app.model.state

    monkeypatch.setattr(app.model.state, "difference", None)
    monkeypatch.setattr(app.model.state, "comparable", None)
    session = lent.session
    session.editing.apply(swap_two(session), "Swap two")
    assert isinstance(session.state.wanted.mapping, Explicit)
    session.changed.emit(ChangeSet.ALL)


def test_a_picture_of_the_machine_has_both_side_by_side(compared, tmp_path):
    machine, pinned = compared.machine, compared.comparing.pinned
    compared.files.save_picture(machine, tmp_path / "both.png")
    image = QImage(str(tmp_path / "both.png"))
    assert (image.width(), image.height()) == (2 * (pinned.width() + machine.width()), 2 * machine.height())
    middle = 2 * pinned.width()
    for columns in (range(0, middle, 7), range(middle, image.width(), 7)):
        assert len({image.pixel(x, y) for x in columns for y in range(0, image.height(), 7)}) > 20
    compared.session.compare(ComparisonMode.DIFFERENCE)
    QApplication.processEvents()
    compared.files.save_picture(machine, tmp_path / "difference.png")
    assert QImage(str(tmp_path / "difference.png")).width() == 2 * machine.width()


def test_equal_names_are_written_once(lent):
    lent.session.set_reference(lent.session.state.evaluation, ComparisonMode.DIFFERENCE)
    assert lent.centre.cards["machine"].title.text() == "B \N{MINUS SIGN} A · random in both"


def test_a_and_b_grow_alike_with_the_window(compared):
    size = compared.size()
    compared.resize(size.width() + 300, size.height())
    QApplication.processEvents()
    widths = compared.comparing.pinned.width(), compared.machine.width()
    compared.resize(size)
    assert abs(widths[0] - widths[1]) < 10, widths
