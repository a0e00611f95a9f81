"""The Routes panel: figures, paths between nodes that were typed or pointed at, and unused links."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.model.routes import Drawn
from app.model.routes_shown import analysis_of, drawn_links, node_paths_of
from app.panels.routes.panel import DEADLOCK, FIGURES, PATH, UNUSED, RoutesPanel
from app.widgets.refusals import is_wrong
from core.figures.routes import Routed, route_figures
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, Edges, Torus
from core.network.faults import LinkFault
from core.routing import DimensionOrder, Minimal, Tables
from core.spec import Cancelled

LEFT = Qt.MouseButton.LeftButton
FABRIC = Path(__file__).resolve().parents[3] / "data" / "infiniband" / "tree"
TREE = Scenario(
    Edges(file=str(FABRIC / "ibnetdiscover.txt")), Halo(4, 4), Sequential(), Tables(file=str(FABRIC / "opensm.fdbs"))
)


@pytest.fixture
def panel_of(session_of, qtbot):
    def open_panel(scenario):
        panel = RoutesPanel(session_of(scenario))
        qtbot.addWidget(panel)
        panel.resize(700, 260)
        panel.show()
        return panel

    return open_panel


@pytest.fixture
def panel(panel_of):
    return panel_of(TREE)


def choose(panel, page):
    QTest.mouseClick(panel.pages.group.button(page), LEFT)


def typed(field, text):
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def texts(table):
    return [row[1:3] for row in table.texts(range(table.model().rowCount()))[1:]]


def node(panel, name):
    return panel.state.evaluation.case.network.vertex_named(name)


def test_the_figures_equal_those_of_the_command(panel):
    figures = route_figures(Routed(panel.state.evaluation.case.router))
    assert analysis_of(panel.state).figures == figures
    shown = dict(panel.figures.texts)
    assert shown["Pairs"] == "240 ordered pairs of nodes, all of them connected"
    assert shown["Hops"] == "mean 3.600, at most 4; 0 detours"
    assert shown["All-to-all"].startswith("at most 12 flows on a switch link, 12.00 on average over used links")
    assert shown["Unused links"] == "0 of 32 switch links"
    assert not panel.compute.isVisible()


def test_typed_names_show_the_path_as_ibtracert_lists_it(panel):
    choose(panel, PATH)
    assert panel.path.message.text().startswith("Type two names")
    typed(panel.path.source, "n0000")
    typed(panel.path.destination, "n0015")
    assert panel.state.routes.ends == (node(panel, "n0000"), node(panel, "n0015"))
    assert panel.path.message.text() == "4 links, over 3 switches."
    hops = texts(panel.path.hops)
    assert [start for start, _ in hops[1:]] == ["s1_0000 port 8", "s2_0003 port 4", "s1_0003 port 4"]
    assert [hops[0][0], hops[-1][1]] == ["n0000 port 1", "n0015 port 1"]


def test_the_path_equals_the_route_and_is_drawn(panel):
    panel.session.routes.find_path((0, 9))
    route = panel.state.evaluation.case.router.route(0, 9)
    assert node_paths_of(panel.state).best.tolist() == route.links.tolist()
    assert drawn_links(panel.state) is node_paths_of(panel.state)


def test_a_click_on_a_hop_selects_its_link(panel):
    panel.session.routes.find_path((0, 15))
    second = panel.path.hops.visualRect(panel.path.hops.model().index(1, 1)).center()
    QTest.mouseClick(panel.path.hops.viewport(), LEFT, pos=second)
    assert panel.state.selection == Item("link", int(panel.path.hops.links[1]))
    assert panel.state.routes.drawn is Drawn.PATH


def test_the_opposite_direction_is_one_click_away(panel):
    panel.session.routes.find_path((0, 15))
    QTest.mouseClick(panel.path.turn, LEFT)
    assert panel.state.routes.ends == (15, 0)
    assert panel.path.source.text() == panel.state.evaluation.case.network.label(15)


@pytest.mark.parametrize("name", ["n9999", "s1_0000"])
def test_a_name_that_is_no_node_is_refused_in_its_field(panel, name):
    choose(panel, PATH)
    typed(panel.path.source, name)
    assert is_wrong(panel.path.source)
    assert panel.state.routes.ends == (None, None)
    typed(panel.path.source, "n0001")
    assert not is_wrong(panel.path.source)
    assert panel.state.routes.ends == (node(panel, "n0001"), None)


def test_the_path_of_a_disconnected_pair_names_the_failed_link(panel):
    network = panel.state.evaluation.case.network
    panel.session.routes.find_path((node(panel, "n0000"), node(panel, "n0015")))
    link = int(panel.path.hops.links[1])
    panel.session.propose(replace(TREE, faults=(LinkFault.of(network, link),)))
    assert node_paths_of(panel.state).count == 0
    assert panel.path.message.text() == (
        "No path from n0000 to n0015: s1_0000 port 8 → s2_0003 port 1, on the path to LID 24, has failed."
    )
    assert not panel.path.hops.isVisible()


def test_figures_follow_the_routing_and_old_ones_are_dropped(panel):
    first = analysis_of(panel.state)
    panel.session.choose("routing", Minimal(spread="single"))
    assert analysis_of(panel.state) is not first
    assert analysis_of(panel.state).figures.all_to_all_max > 12
    panel.session.choose("mapping", Sequential())
    assert analysis_of(panel.state).router is panel.state.evaluation.case.router


def test_a_routing_that_splits_flows_says_what_applies(panel):
    panel.session.choose("routing", Minimal(spread="equal"))
    choose(panel, FIGURES)
    assert [name for name, _ in panel.figures.texts] == ["Deadlock"]
    words = "These figures need a single path per pair of nodes. The routing splits flows over several paths"
    assert panel.figures.message.text().startswith(words)
    panel.session.routes.find_path((0, 15))
    assert panel.path.message.text() == "4 links, over 3 switches; one of 4 equal paths, with 25 % of the volume."


def test_unused_links_are_listed_and_drawn(panel):
    panel.session.choose("routing", Minimal(spread="single"))
    choose(panel, UNUSED)
    unused = analysis_of(panel.state).unused
    assert unused.size > 0
    assert panel.unused.table.links.tolist() == unused.tolist() == drawn_links(panel.state).links.tolist()
    assert panel.unused.message.text() == f"Unused under all-to-all: {unused.size} of 32 switch links."
    QTest.mouseClick(panel.draw, LEFT)
    assert drawn_links(panel.state) is None
    assert panel.unused.table.isVisible()


def test_a_fat_tree_without_turns_upwards_is_free_of_deadlocks(panel):
    choose(panel, DEADLOCK)
    words = "Free of deadlocks with one virtual lane: no links wait for each other in a cycle."
    assert panel.cycle.message.text() == words
    assert not panel.cycle.table.isVisible()
    assert drawn_links(panel.state).links.size == 0


def test_the_cycle_of_a_deadlock_is_closed_listed_and_drawn(panel_of):
    panel = panel_of(Scenario(Torus((4, 5)), Halo(4, 5), Sequential(), DimensionOrder()))
    choose(panel, DEADLOCK)
    cycle, network = panel.cycle.table.links, panel.state.evaluation.case.network
    assert (network.dst[cycle] == network.src[[*cycle[1:], cycle[0]]]).all()
    assert drawn_links(panel.state).links.tolist() == cycle.tolist()
    assert panel.cycle.message.text().startswith(f"With one virtual lane, {cycle.size} links can wait for each other")
    row = panel.cycle.table.visualRect(panel.cycle.table.model().index(0, 1)).center()
    QTest.mouseClick(panel.cycle.table.viewport(), LEFT, pos=row)
    assert panel.state.selection == Item("link", int(cycle[0]))
    assert panel.state.routes.drawn is Drawn.CYCLE


def test_a_hidden_panel_computes_nothing(session_of, qtbot):
    panel = RoutesPanel(session_of(TREE))
    qtbot.addWidget(panel)
    assert panel.session.state.routes.analysis is None


def test_a_large_machine_waits_for_the_button(panel_of, monkeypatch):
    monkeypatch.setattr("app.session.routes.MAX_PAIRS", 100)
    panel = panel_of(TREE)
    assert analysis_of(panel.state) is None
    assert panel.figures.message.text() == "Press Compute for the figures of all pairs of nodes."
    QTest.mouseClick(panel.compute, LEFT)
    assert panel.figures.texts
    assert not panel.compute.isVisible()


def test_a_cancelled_analysis_waits_for_the_button(panel_of, monkeypatch):
    requests = []

    def wait(router, progress):
        requests.append(router)
        raise Cancelled

    with monkeypatch.context() as patched:
        patched.setattr("app.session.routes.analyse", wait)
        panel = panel_of(TREE)
        assert panel.compute.text() == "Cancel"
        assert panel.bar.isVisible()
        QTest.mouseClick(panel.compute, LEFT)
    assert panel.compute.text() == "Compute"
    assert not panel.bar.isVisible()
    assert len(requests) == 1
    QTest.mouseClick(panel.compute, LEFT)
    assert panel.figures.texts


def test_the_ends_are_kept_by_name_in_another_network(panel):
    panel.session.routes.find_path((node(panel, "n0003"), node(panel, "n0007")))
    other = FABRIC.parent / "degraded"
    panel.session.choose("routing", Minimal())
    panel.session.choose_network(Edges(file=str(other / "ibnetdiscover.txt")))
    ends = [panel.state.evaluation.case.network.label(end) for end in panel.state.routes.ends]
    assert ends == ["n0003", "n0007"]
    assert node_paths_of(panel.state) is not None
    panel.session.choose_network(Dragonfly())
    assert panel.state.routes.ends == (None, None)
    assert panel.path.source.text() == ""


def test_a_long_table_scrolls_and_its_page_does_not(panel_of, qtbot):
    panel = panel_of(Scenario(Torus((31,)), Halo(1, 31), Sequential(), DimensionOrder()))
    choose(panel, DEADLOCK)
    assert panel.cycle.table.links.size == 31
    qtbot.waitUntil(lambda: panel.cycle.table.verticalScrollBar().maximum() > 0)
    assert panel._stack.currentWidget().verticalScrollBar().maximum() == 0


def test_only_pages_with_links_are_drawn_on_request(panel):
    for page in (FIGURES, PATH, DEADLOCK, UNUSED):
        choose(panel, page)
        assert not panel.draw.isVisible()
    panel.session.routes.find_path((0, 9))
    assert panel.draw.isVisible()
