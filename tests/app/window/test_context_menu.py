"""The context menu: where it opens, its entries, and that its failures can be undone."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.model.pointing import Item
from app.tools.swap import SwapTool
from app.window.context_menu import ContextMenus
from core.job import AllToAll, Halo, Permutation
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.targets import Target
from core.network import AddedCable, FatTree, Torus
from core.network.faults import BundleFault, LinkFault, NodeFault
from core.routing import Minimal
from tests.pointer import drag, let_go, press

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def bare(qtbot, session):
    """The menus, without the views over which they open."""
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    return SimpleNamespace(session=session, context=ContextMenus(session, SwapTool(session), widget))


def entries(menu, above=""):
    """Every entry by its path of titles."""
    actions = {}
    for action in menu.actions():
        if action.menu() is not None:
            actions |= entries(action.menu(), f"{above}{action.text()}/")
        elif not action.isSeparator():
            actions[above + action.text()] = action
    return actions


def box(window, group):
    view = window.machine
    point = np.append(view.scene.geometry.layout.boxes[group, :2], 0)
    x, y = view.camera.project(point, (view.width(), view.height()))[:2]
    return QPoint(round(float(x)), round(float(y)))


def opened(window):
    """The entries of the open menu, which is closed."""
    menu = window.context.menu
    actions = entries(menu)
    menu.close()
    return actions


def offer(window, item):
    window.context.open(QPoint(200, 200), window.context.hit(item))
    return opened(window)


def ask(widget, at):
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)


def busiest(window):
    """The bundle with the highest load, as two supernodes."""
    report, network = window.session.state.report, window.session.state.evaluation.case.network
    load = np.where(network.class_of == 2, report.load, 0)
    link = int(load.argmax())
    return tuple(sorted((int(network.src[link]) // 32, int(network.dst[link]) // 32)))


def test_a_right_click_opens_it_and_a_right_drag_pans(lent):
    QTest.mouseClick(lent.machine, RIGHT, pos=box(lent, 5))
    actions = opened(lent)
    assert "Select 128 tasks of supernode 5" in actions
    lent.context.menu = None
    before = box(lent, 16)
    drag(lent.machine, box(lent, 5), box(lent, 5) + QPoint(-40, 12), button=RIGHT)
    assert box(lent, 16) - before == QPoint(-40, 12)
    assert lent.context.menu is None


def test_during_a_stroke_the_menu_refers_to_the_state_before(lent):
    session, grid, task = lent.session, lent.job, 64 * 12 + 20
    before = session.state.evaluation
    home = before.case.network.label(int(before.case.mapping.nodes[task]))
    at = grid.heat.cell_rect(12, 20).center().toPoint()
    session.set_target(Target(0, 31))
    session.set_tool("paint")
    press(grid.event_widget, at)
    assert session.state.evaluation.case.mapping.nodes[task] // 32 == 31
    ask(grid.event_widget, at)
    assert session.state.evaluation is before
    assert f"Task {task:,} on node {home}" in opened(lent)
    let_go(grid.event_widget, at)
    assert not session.state.history.steps


def test_the_menu_selects_swaps_and_picks_the_place(lent):
    session, case = lent.session, lent.session.state.evaluation.case
    offer(lent, Item("group", 5))["Select 128 tasks of supernode 5"].trigger()
    np.testing.assert_array_equal(session.state.marked, np.flatnonzero(case.mapping.nodes // 32 == 5))
    session.mark([])
    offer(lent, Item("group", 5))["Pick supernode 5 as target"].trigger()
    assert session.state.edit.target == Target(0, 5)
    assert session.state.edit.tool == "paint"
    offer(lent, Item("group", 5))["Swap supernode 5 with …"].trigger()
    assert session.state.edit.tool == "swap"
    assert session.state.edit.grabbed_place == Target(0, 5)
    QTest.mouseClick(lent.machine, Qt.MouseButton.LeftButton, pos=box(lent, 9))
    assert session.state.history.undo_name == "Swap supernode 5 with supernode 9"


def test_a_node_offers_all_places_that_contain_it(bare):
    actions = offer(bare, Item("node", 5 * 32 + 9))
    names = [name.partition("/")[2] for name in actions if name.startswith("Select tasks/")]
    assert names == [
        "4 tasks of node 5 · d1 · 9",
        "32 tasks of drawer 1 of supernode 5",
        "128 tasks of supernode 5",
    ]
    actions["Select"].trigger()
    assert bare.session.state.selection == Item("node", 5 * 32 + 9)


def test_failing_a_bundle_disconnects_flows_and_undo_restores_them(lent):
    session = lent.session
    a, b = busiest(lent)
    before = session.state.report.load
    actions = offer(lent, Item("bundle", a * 32 + b))
    assert not actions[f"Repair the bundle of supernodes {a} and {b}"].isEnabled()
    actions[f"Fail the bundle of supernodes {a} and {b}"].trigger()
    state = session.state
    assert state.wanted.faults == (BundleFault(a, b),)
    assert state.history.undo_name == f"Fail the bundle of supernodes {a} and {b}"
    assert not state.report.load[BundleFault(a, b).links(state.evaluation.case.network)].any()
    assert state.report.disconnected.count
    banner = lent.bottleneck.disconnected
    assert banner.isVisible()
    assert f"{state.report.disconnected.count:,} flows" in banner.text.text()
    QTest.mouseClick(banner.mark, Qt.MouseButton.LeftButton)
    cut = state.report.disconnected.first
    np.testing.assert_array_equal(session.state.marked, np.union1d(cut.src, cut.dst))
    session.editing.undo()
    assert session.state.wanted.faults == ()
    np.testing.assert_array_equal(session.state.report.load, before)
    assert not banner.isVisible()


def test_a_link_fails_slows_down_and_is_repaired(bare):
    session, network = bare.session, bare.session.state.evaluation.case.network
    link = int(session.state.report.bottleneck_links[0])
    before = session.state.report.throughput_gbs
    offer(bare, Item("link", link))["Run this link (both directions) at half speed"].trigger()
    assert session.state.wanted.faults == (LinkFault.of(network, link, 0.5),)
    assert session.state.report.throughput_gbs == pytest.approx(before / 2)
    again = offer(bare, Item("link", link))
    assert not again["Run this link (both directions) at half speed"].isEnabled()
    again["Fail this link (both directions)"].trigger()
    assert session.state.wanted.faults == (LinkFault.of(network, link),)
    offer(bare, Item("link", link))["Repair this link (both directions)"].trigger()
    assert session.state.wanted.faults == ()
    assert session.state.report.throughput_gbs == pytest.approx(before)
    assert session.state.history.done == 3


def test_only_an_added_link_is_removed(session_of, qtbot):
    torus = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(), cables=(AddedCable(0, 10), AddedCable(1, 7)))
    session = session_of(torus)
    widget = QWidget()
    qtbot.addWidget(widget)
    menus = SimpleNamespace(session=session, context=ContextMenus(session, SwapTool(session), widget))
    plain = session.state.evaluation.case.network.without_cables.links
    assert "Remove this added cable" not in offer(menus, Item("link", plain - 1))
    offer(menus, Item("link", plain))["Remove this added cable"].trigger()
    assert session.state.wanted.cables == (AddedCable(1, 7),)
    assert session.state.undoes.startswith("Remove cable ")
    session.editing.undo()
    assert session.state.wanted == torus


def test_a_failed_node_strands_its_tasks_and_everything_is_repaired_at_once(bare):
    session = bare.session
    offer(bare, Item("node", 40))["Fail node 1 · d1 · 8"].trigger()
    link = int(session.state.report.bottleneck_links[0])
    offer(bare, Item("link", link))["Fail this link (both directions)"].trigger()
    assert session.state.wanted.faults[0] == NodeFault(40)
    assert session.state.report.disconnected.stranded == 4
    actions = offer(bare, None)
    assert {name for name in actions if name.startswith("Repair/node")} == {"Repair/node 1 · d1 · 8 failed"}
    actions["Repair everything"].trigger()
    assert session.state.wanted.faults == ()
    assert session.state.history.undo_name == "Repair everything"
    assert offer_nothing(bare)


def test_a_switch_fails_and_is_repaired_with_all_its_links(lent):
    session = lent.session
    routing, job = Minimal(spread="equal"), Permutation(tasks=64, seed=1)
    session.propose(Scenario(FatTree(arity=4, levels=3), job, Random(2), routing))
    sound = session.state.report
    top, lowest = (f"L{level} switch 0" for level in (3, 1))
    switch = {session.state.evaluation.case.network.label(v): v for v in range(64, 64 + 48)}
    offer(lent, Item("switch", switch[top]))[f"Fail {top}"].trigger()
    assert session.state.wanted.faults == (NodeFault(switch[top]),)
    assert session.state.history.undo_name == f"Fail {top}"
    failed = session.state.report
    assert not failed.disconnected
    assert failed.throughput_gbs < sound.throughput_gbs
    headline = lent.bottleneck.headline
    assert float(headline.number.text()) == pytest.approx(failed.throughput_gbs, rel=1e-3)
    fallen = failed.throughput_gbs - sound.throughput_gbs
    change = headline.change.text().partition(" since ")[0]
    assert float(change.split()[-1].replace("−", "-")) == pytest.approx(fallen, rel=1e-3)
    offer(lent, Item("switch", switch[lowest]))[f"Fail {lowest}"].trigger()
    assert session.state.report.disconnected.count
    assert lent.bottleneck.disconnected.isVisible()
    assert f"{session.state.report.disconnected.count:,} flows" in lent.bottleneck.disconnected.text.text()
    actions = offer(lent, Item("switch", switch[lowest]))
    assert f"Repair/{lowest} failed" in actions
    actions[f"Repair {lowest}"].trigger()
    np.testing.assert_array_equal(session.state.report.load, failed.load)
    session.editing.undo()
    session.editing.undo()
    session.editing.undo()
    np.testing.assert_array_equal(session.state.report.load, sound.load)


def offer_nothing(window):
    window.context.open(QPoint(200, 200), window.context.hit(None))
    return window.context.menu is None


def test_edits_continue_despite_faults(lent):
    session = lent.session
    a, b = busiest(lent)
    offer(lent, Item("bundle", a * 32 + b))[f"Fail the bundle of supernodes {a} and {b}"].trigger()
    assert lent.toolbox.tools["swap"].pick_place(Target(0, a))
    QTest.mouseClick(lent.machine, Qt.MouseButton.LeftButton, pos=box(lent, (b + 7) % 32))
    assert session.state.history.done == 2
    full = evaluate(session.state.evaluation.case)
    np.testing.assert_allclose(session.state.report.load, full.load, atol=1e-12)
    assert session.state.report.disconnected.count == full.disconnected.count
    session.editing.undo()
    session.editing.undo()
    assert not session.state.report.disconnected


def test_it_opens_over_matrices_grid_and_table(lent):
    bundle = lent.views["matrix"].heat.cell_rect(3, 1).center().toPoint()
    ask(lent.views["matrix"].surface, bundle)
    item = lent.views["matrix"].item_at(QPointF(bundle))
    assert item.kind == "bundle"
    assert "Fail the bundle of supernodes 1 and 3" in opened(lent)
    cell = lent.job.heat.cell_rect(0, 5).center().toPoint()
    ask(lent.job.event_widget, cell)
    assert any(name.startswith("Fail node") for name in opened(lent))
    table = lent.bottleneck.hottest.table
    ask(table.viewport(), table.visualRect(table.model().index(2, 0)).center())
    assert "Fail this link (both directions)" in opened(lent)


def test_the_menu_key_opens_the_menu_of_the_selection(lent):
    lent.session.select(Item("group", 5))
    at = lent.machine.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, lent.machine.mapToGlobal(at))
    QApplication.sendEvent(lent.machine, event)
    assert "Swap supernode 5 with …" in opened(lent)


def test_an_item_with_links_gets_a_row_of_the_timeline_if_there_are_steps(bare):
    session, item = bare.session, Item("bundle", 3)
    assert "Add to the timeline" not in offer(bare, item)
    session.fit(session.state.wanted.with_choice("job", AllToAll(tasks=64, algorithm="bruck")))
    offer(bare, item)["Add to the timeline"].trigger()
    assert session.state.time.pinned_items == (item,)
    offer(bare, item)["Remove from the timeline"].trigger()
    assert session.state.time.pinned_items == ()


def test_a_node_of_a_background_job_switches_to_that_job(bare):
    beside = Neighbour(name="B", job=Permutation(tasks=4), mapping=Random(), allocation="8-11")
    tree = Scenario(FatTree(arity=4, levels=2), Permutation(tasks=4), Random(), Minimal(), neighbours=(beside,))
    bare.session.open(tree, None)
    assert "Switch to B" not in offer(bare, Item("node", 1))
    offer(bare, Item("node", 9))["Switch to B"].trigger()
    assert bare.session.state.wanted.job_name == "B"


def center_of_row(table, row):
    return table.visualRect(table.model().index(row, 2)).center()


def test_rows_and_tables_are_copied_with_their_head(lent):
    table = lent.bottleneck.hottest.table
    ask(table.viewport(), center_of_row(table, 2))
    actions = opened(lent)
    actions["Copy row"].trigger()
    head, row = ([*line.split("\t")] for line in QApplication.clipboard().text().splitlines())
    assert head == ["Class", "From", "To", "Units", "%"]
    assert row == [table.model().index(2, column).data() for column in range(5)]
    actions["Copy table"].trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 1 + table.model().rowCount()


def test_the_row_of_a_table_is_selected_and_failed(lent):
    session, table = lent.session, lent.bottleneck.hottest.table
    link = int(table.links[2])
    ask(table.viewport(), center_of_row(table, 2))
    opened(lent)["Select"].trigger()
    assert session.state.selection == Item("link", link)
    offer(lent, Item("link", link))["Fail this link (both directions)"].trigger()
    again = offer(lent, Item("link", link))
    enabled = {name.partition(" ")[0] for name, action in again.items() if action.isEnabled() and "this link" in name}
    assert enabled == {"Run", "Repair"}


def test_causes_and_changed_links_have_menus(lent):
    session = lent.session
    session.select(Item("link", int(session.state.report.bottleneck_links[0])))
    tasks = lent.bottleneck.causes.tasks
    QApplication.processEvents()
    lent.bottleneck.scroll_to(tasks)
    ask(tasks, tasks.row_rect(0).center())
    actions = opened(lent)
    actions["Copy row"].trigger()
    assert QApplication.clipboard().text().splitlines()[1].startswith(tasks.parts[0].text + "\t")
    actions["Show path"].trigger()
    assert session.state.selection == tasks.parts[0].item


def test_the_menu_key_in_a_table_opens_the_menu_of_the_current_row(lent):
    table = lent.bottleneck.hottest.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 0))
    lent.context.menu = None
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), table.mapToGlobal(QPoint(1, 1)))
    QApplication.sendEvent(table, event)
    actions = opened(lent)
    assert not actions["Select"].isEnabled()
    actions["Copy row"].trigger()
    assert QApplication.clipboard().text().splitlines()[1] == "\t".join(table.texts([1])[1])
    fault = LinkFault.of(lent.session.state.evaluation.case.network, int(table.links[1]))
    actions["Fail this link (both directions)"].trigger()
    assert lent.session.state.wanted.faults == (fault,)


def test_empty_places_of_views_offer_pictures(lent, monkeypatch):
    asked = []
    monkeypatch.setattr(lent.files, "ask_path", lambda title, *kinds: asked.append(title))
    corner = QPoint(3, 3)
    assert lent.machine.hit_at(QPointF(corner)).item is None
    QTest.mouseClick(lent.machine, RIGHT, pos=corner)
    actions = opened(lent)
    assert [name for name in actions if not name.startswith("Repair")] == ["Fit", "Export picture …", "Copy picture"]
    actions["Export picture …"].trigger()
    actions["Copy picture"].trigger()
    assert QApplication.clipboard().image().width() == 2 * lent.machine.width()
    for name in ("job", "matrix"):
        surface = lent.views[name].surface
        ask(surface, QPoint(surface.width() - 2, surface.height() - 2))
        assert "Copy picture" in opened(lent)
    ask(lent.views["distribution"], QPoint(5, 5))
    opened(lent)["Export picture …"].trigger()
    assert asked == ["Export Machine", "Export Distribution"]


def test_a_link_shows_the_path_of_its_largest_cause(bare, qtbot):
    link = Item("link", int(bare.session.state.report.hottest(1)[0]))
    bare.context.open(QPoint(0, 0), bare.context.hit(link))
    entries(bare.context.menu)["Show path of largest cause"].trigger()
    bare.context.menu.close()
    qtbot.waitUntil(lambda: bool(bare.session.state.flow_paths))
    selected, paths = bare.session.state.selection, bare.session.state.flow_paths
    assert selected.kind == "flow"
    assert any(link.index in path.links for path in paths)


def test_a_link_without_load_has_no_path(bare):
    idle = int(np.flatnonzero(bare.session.state.report.load == 0)[0])
    bare.context.open(QPoint(0, 0), bare.context.hit(Item("link", idle)))
    assert not entries(bare.context.menu)["Show path of largest cause"].isEnabled()
    bare.context.menu.close()
