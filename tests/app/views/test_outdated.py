"""Views are dimmed while what they show is not of the settings; what stays true is not."""

import pytest

from app.model.computation import Computation, Kind
from app.model.state import ComparisonMode
from app.model.view_table import VIEWS
from app.views.machine.pinned import PinnedMachineView
from app.views.view import view_class
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder

LOADS = Computation(Kind.EVALUATION, "Computing: Torus")
SMALL = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())


@pytest.mark.parametrize("spec", VIEWS, ids=lambda spec: spec.id)
def test_all_views_are_dimmed_but_the_history(session_of, shown, spec):
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
