"""The Routes panel in the window: paths between nodes of the machine, chosen from its context menu."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from app.model.routes import Drawn
from app.model.routes_shown import node_paths_of
from app.style.theme import DARK
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges
from core.routing import Minimal, Tables
from tests.pointer import let_go, press

RIGHT = Qt.MouseButton.RightButton
FABRIC = Path(__file__).resolve().parents[2] / "data" / "infiniband" / "tree"
LENT = Scenario(
    Edges(file=str(FABRIC / "ibnetdiscover.txt")), Halo(4, 4), Sequential(), Tables(file=str(FABRIC / "opensm.fdbs"))
)


def at(window, vertex):
    view = window.machine
    x, y = view.camera.project(view.scene.geometry.layout.positions[[vertex]], (view.width(), view.height()))[0, :2]
    return QPoint(round(float(x)), round(float(y)))


def choose(window, vertex, entry):
    """Choose an entry of the context menu of a node, as a right click opens it."""
    place = at(window, vertex)
    press(window.machine, place, RIGHT)
    let_go(window.machine, place, RIGHT)
    menu = window.context.menu
    next(action for action in menu.actions() if action.text() == entry).trigger()
    menu.close()


def nodes(window, *names):
    network = window.session.state.evaluation.case.network
    return tuple(network.vertex_named(name) for name in names)


def test_the_path_between_two_nodes_of_the_machine_is_drawn_and_listed(lent):
    begin, end = nodes(lent, "n0000", "n0015")
    choose(lent, begin, "Path from here")
    assert lent.session.state.routes.ends == (begin, None)
    assert lent.centre.page == "routes"
    choose(lent, end, "Path to here")
    assert lent.session.state.routes.ends == (begin, end)
    assert lent.routes.path.source.text() == "n0000"
    assert lent.routes.path.destination.text() == "n0015"
    assert lent.machine.readout_text.splitlines() == [
        "path from n0000 to n0015",
        "4 links, over 3 switches",
        "n0000 port 1 → s1_0000 port 1",
        "s1_0000 port 8 → s2_0003 port 1",
        "s2_0003 port 4 → s1_0003 port 8",
        "s1_0003 port 4 → n0015 port 1",
    ]


def test_escape_hides_the_path_and_the_panel_keeps_it(lent):
    lent.session.routes.find_path(nodes(lent, "n0001", "n0002"))
    lent.show_page("routes")
    lent.commands["select.none"].trigger()
    assert lent.session.state.routes.drawn is Drawn.NOTHING
    assert lent.machine.readout_text == ""
    assert lent.routes.path.hops.links.size == 4
    QTest.mouseClick(lent.routes.draw, Qt.MouseButton.LeftButton)
    assert lent.session.state.routes.drawn is Drawn.PATH


def test_switches_have_no_path(lent):
    (switch,) = nodes(lent, "s2_0000")
    place = at(lent, switch)
    press(lent.machine, place, RIGHT)
    let_go(lent.machine, place, RIGHT)
    titles = [action.text() for action in lent.context.menu.actions()]
    lent.context.menu.close()
    assert "Select" in titles
    assert "Path from here" not in titles


def test_the_filter_for_unused_links_opens_with_its_menu_entry(lent):
    lent.session.choose("routing", Minimal())
    lent.commands["view.unused"].trigger()
    lent.show_page("routes")
    assert lent.session.state.routes.drawn is Drawn.UNUSED
    assert lent.routes.unused.table.isVisible()
    assert lent.machine.readout_text.startswith("unused under all-to-all\n")
    lent.commands["view.unused"].trigger()
    assert lent.session.state.routes.drawn is Drawn.NOTHING


def test_the_drawn_path_is_in_the_accent_colour(window_on_tree):
    window = window_on_tree
    before = image(window)
    window.session.routes.find_path(nodes(window, "n0000", "n0015"))
    network, view = window.session.state.evaluation.case.network, window.machine
    first, second = node_paths_of(window.session.state).best[1:3].tolist()
    assert image(window) != before
    accent = np.array(QColor(DARK.accent).getRgb()[:3])
    for link in (first, second):
        halfway = (at(window, network.src[link]) + at(window, network.dst[link])) / 2
        around = [(halfway.x() + dx, halfway.y() + dy) for dx in range(-40, 41) for dy in range(-40, 41)]
        now = image(window)
        colours = np.array([QColor(now.pixel(x, y)).getRgb()[:3] for x, y in around if view.rect().contains(x, y)])
        assert np.abs(colours - accent).max(axis=1).min() < 24


@pytest.fixture
def window_on_tree(lent):
    lent.setUpdatesEnabled(True)
    yield lent
    lent.setUpdatesEnabled(False)


def image(window):
    window.machine.catch_up()
    return window.machine.grab().toImage()
