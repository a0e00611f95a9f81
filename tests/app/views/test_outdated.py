"""Views are dimmed while they show outdated results; valid content is not."""

import threading

import pytest

import app.session.timekeeper
from app.model.computation import Computation, Kind
from app.model.state_groups import ComparisonMode
from app.model.view_table import VIEWS
from app.session.session import Session
from app.views.charts.timeline import TimelineView
from app.views.heatmaps import traffic
from app.views.heatmaps.traffic import TrafficView
from app.views.machine.pinned import PinnedMachineView
from app.views.view import view_class
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.timing import timeline

LOADS = Computation(Kind.EVALUATION, "Computing: Torus")
SMALL = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())


@pytest.mark.parametrize("spec", VIEWS, ids=lambda spec: spec.id)
def test_all_views_except_the_history_are_dimmed(session_of, shown, spec):
    session = session_of(SMALL)
    view = shown(view_class(spec)(session), 400, 300)
    assert view.cover.isHidden()
    session.show_computation(LOADS)
    assert view.cover.isVisible() == (spec.id != "history")
    assert view.cover.isHidden() or view.cover.geometry() == view.rect()
    session.end_computation(Kind.EVALUATION)
    assert view.cover.isHidden()


def test_a_view_shown_meanwhile_is_dimmed_too(session_of, shown):
    session = session_of(SMALL)
    view = view_class(VIEWS[0])(session)
    session.show_computation(LOADS)
    shown(view)
    assert view.cover.isVisible()


def test_the_machine_of_a_stays(session_of, shown):
    session = session_of(SMALL)
    session.set_reference(session.state.evaluation, ComparisonMode.SIDE)
    view = shown(PinnedMachineView(session))
    session.show_computation(LOADS)
    assert view.cover.isHidden()


@pytest.fixture
def threaded(qapp):
    session = Session.of(SMALL)
    yield session
    session.close()


def test_a_late_timeline_is_dimmed_until_it_is_known(threaded, shown, monkeypatch, qtbot):
    view = shown(TimelineView(threaded), 500, 200)
    qtbot.waitUntil(lambda: view.timeline is not None)
    assert view.cover.isHidden()
    go = threading.Event()
    monkeypatch.setattr(
        app.session.timekeeper, "detailed_timeline", lambda case, progress: go.wait() and timeline(case, progress)
    )
    before = view.timeline
    threaded.choose("mapping", Random(seed=1))
    qtbot.waitUntil(view.cover.isVisible)
    qtbot.waitUntil(lambda: not threaded.state.outdated)
    assert view.timeline is before
    assert view.cover.isVisible()  # the loads are known, the times are not
    assert view.cover.hole.isVisible()  # its bar, and the button that stops it
    go.set()
    qtbot.waitUntil(lambda: view.timeline is not before)
    assert view.cover.isHidden()


def test_so_is_the_traffic(threaded, shown, monkeypatch, qtbot):
    view, go, traffic_of = shown(TrafficView(threaded), 500, 300), threading.Event(), traffic.traffic_of
    before = view.traffic
    monkeypatch.setattr(traffic, "QUICK_FLOWS", 0)
    monkeypatch.setattr(traffic, "traffic_of", lambda *arguments: go.wait() and traffic_of(*arguments))
    threaded.choose("mapping", Random(seed=1))
    qtbot.waitUntil(lambda: threaded.state.evaluation.case.scenario.mapping == Random(seed=1))
    qtbot.waitUntil(view.cover.isVisible)
    assert view.traffic is before
    go.set()
    qtbot.waitUntil(lambda: view.traffic is not before)
    assert view.cover.isHidden()
