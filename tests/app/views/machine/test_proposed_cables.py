"""Cables to add on the machine: dashed where their links will be, the last one thickest, until they are added."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.session.added_cables import add_cables
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.network.added_cables import cable_links
from core.routing import Minimal

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))


@pytest.fixture
def view(machine):
    view = machine(TORUS)
    view.session.cable_finder.choose(2)
    view.session.cable_finder.start()
    return view


def pixels(view):
    image = view.grab().toImage()
    return np.array(image.constBits()).reshape(image.height(), image.width(), 4)[:, :, 2::-1].astype(int)


def accents(view):
    """The number of pixels in the accent."""
    accent = QColor(view.state.style.theme.accent).getRgb()[:3]
    return int((np.abs(pixels(view) - accent).max(axis=2) < 30).sum())


def curve_of(view, number):
    """Pixels along the link of an added cable, as rows and columns."""
    network, cables = view.state.evaluation.case.network, view.state.evaluation.case.scenario.cables
    link = cable_links(network, cables)[number, :1]
    start, control, end = network.layout.link_curves(link, network.src[link], network.dst[link])[0]
    t = np.linspace(0.15, 0.85, 60)[:, None]
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end
    col, row = np.rint(view.camera.project(points, view._size)[:, :2]).astype(int).T
    return row, col


def test_cables_up_to_the_row_are_dashed_where_their_links_will_be(view):
    none = accents(view)
    view.session.cable_finder.point(0)
    first = accents(view)
    view.session.cable_finder.point(1)
    both, picture = accents(view), pixels(view)
    assert none < first < both
    add_cables(view.session, *view.state.what_if.cables.search.cables)
    assert view.state.what_if.proposed_in(view.state.evaluation.report) == ()
    accent = QColor(view.state.style.theme.accent).getRgb()[:3]
    dashes = np.abs(picture[curve_of(view, 1)] - accent).max(axis=1) < 60
    assert 0.3 < dashes.mean() < 0.95
    view.session.editing.undo()
    assert accents(view) == both
    view.session.cable_finder.point(None)
    assert accents(view) == none


def test_cables_of_another_scenario_or_another_search_are_not_drawn(view):
    none = accents(view)
    view.session.cable_finder.point(1)
    add_cables(view.session, view.state.what_if.cables.search.cables[0])
    proposed = view.state.what_if.proposed_in(view.state.evaluation.report)
    assert proposed == view.state.what_if.cables.search.cables[1:]
    view.session.choose("mapping", Random(seed=2))
    assert view.state.what_if.proposed_in(view.state.evaluation.report) == ()
    view.session.editing.undo()
    view.session.editing.undo()
    view.session.cable_finder.start()
    assert view.state.what_if.pointed is None
    assert accents(view) == none
