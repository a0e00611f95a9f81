"""A view that waits to show another network paints, and responds to the pointer, as before: numbers do not mix."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.model.pointing import Item, exists
from app.model.view_table import VIEWS
from app.panels.bottleneck.panel import BottleneckPanel
from app.views.view import view_class
from app.wording.numbers import gbs
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.targets import Target
from core.network import Complete, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect
from tests.app.sessions import with_fields

PERCS = Scenario(Percs(supernodes=8, d_links=4), Halo(rows=16, cols=32), Sequential(), PercsDirect())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
COMPLETE = Scenario(Complete(nodes=300), Halo(rows=16, cols=16), Sequential(), Minimal())


def refer_to_last(session):
    case = session.state.evaluation.case
    node, task = case.network.nodes - 1, case.job.tasks - 1
    place = Target(len(case.network.levels), node)
    session.show(
        with_fields(
            session.state,
            tool="paint",
            selection=Item("node", node),
            hover=Item("task", task),
            target=place,
            grabbed_place=place,
            drop_target=place,
            marked=np.array([0, task], np.int32),
            pinned_items=(Item("link", case.network.links - 1),),
            # With another style a large view waits for its turn.
            hottest_percent=199.0 - session.state.style.hottest_percent,
        )
    )


@pytest.fixture
def delayed(monkeypatch):
    """Let views refresh only on request, as views of a large network do one after the other."""
    waiting = []
    monkeypatch.setattr("app.widgets.session_widget.LARGE_NETWORK", 0)
    monkeypatch.setattr(
        "app.widgets.session_widget.SessionWidget.catch_up_if_visible", lambda widget: waiting.append(widget)
    )
    return waiting


@pytest.mark.parametrize(("before", "after"), [(PERCS, COMPLETE), (PERCS, TORUS), (TORUS, PERCS), (COMPLETE, TORUS)])
@pytest.mark.parametrize("spec", VIEWS, ids=lambda spec: spec.id)
def test_a_view_behind_paints_and_answers_as_before(session_of, shown, painted, delayed, spec, before, after):
    session = session_of(before)
    view = shown(view_class(spec)(session), 500, 400)
    QApplication.processEvents()
    refer_to_last(session)
    view.catch_up()
    old = view.state
    session.propose(after)
    refer_to_last(session)
    assert view.behind
    assert view.state.evaluation is old.evaluation
    view.grab()
    for widget in (view, *view.findChildren(QWidget)):
        if widget.isVisible() and widget.width() > 20:
            for share in (0.2, 0.5, 0.9):
                at = QPoint(int(widget.width() * share), int(widget.height() * share))
                QTest.mouseMove(widget, at)
                QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)
    view.grab()
    case = session.state.evaluation.case
    assert session.state.selection is None or exists(session.state.selection, case)
    view.catch_up()
    assert not view.behind
    assert view.state is session.state
    view.grab()


def test_no_view_of_another_large_network_is_painted_before_all_are_refreshed(session_of, shown, painted, monkeypatch):
    monkeypatch.setattr("app.widgets.session_widget.LARGE_NETWORK", 0)
    monkeypatch.setattr("app.widgets.session_widget.BATCH_SECONDS", 0.0)
    session = session_of(PERCS)
    views = [shown(view_class(spec)(session), 500, 400) for spec in VIEWS[:4]]
    views.append(shown(BottleneckPanel(session), 330, 900))
    QApplication.processEvents()
    networks = []
    session.propose(TORUS)

    def look():
        return {view.state.evaluation.case.network for view in views if view.updatesEnabled()}

    for _ in range(100):
        networks.append(look())
        QApplication.processEvents()
        if not any(view.behind for view in views):
            break
    assert len(networks) > 2
    assert all(len(shown_networks) <= 1 for shown_networks in networks)
    assert look() == {session.state.evaluation.case.network}
    assert views[-1].headline.number.text() == gbs(session.state.report.throughput_gbs)
