"""The colour scale during gestures: a link changes its colour only if its load changes, and then the scale eases."""

import numpy as np
import pytest

from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import ComparisonMode
from app.style.colour import ColourScale, ScaleTop
from app.views.legend import excess, heading
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.edit import edit_moving, occupants
from core.network import Percs, Torus
from core.routing import DimensionOrder
from tests.app.climbing import climb
from tests.app.scenarios import HALO
from tests.app.sessions import session_on

START = "Load ÷ bandwidth, relative to the previous hottest link"
HOTTEST = "Load ÷ bandwidth, relative to the hottest link"

BAD = Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Random(seed=14), DimensionOrder())


def swap_far(session):
    """Exchange tasks at both ends of the machine: links between are hotter afterwards."""
    case = session.state.evaluation.case
    tasks, slots = np.arange(64), case.mapping.slots[-64:]
    return edit_moving(case.mapping, tasks, slots, occupants(case.mapping, case.network.slots))


def look(state):
    values = state.link_values
    return state.shading.coordinate(values), state.shading.exceeds(values)


@pytest.fixture
def patient(qapp):
    session = session_on(HALO)
    yield session
    session.close()


@pytest.mark.parametrize("mode", list(ComparisonMode), ids=lambda mode: mode.name)
def test_links_with_unchanged_load_keep_their_colour_during_a_gesture(session, mode):
    session.set_reference(session.state.evaluation, mode)
    before = session.state
    assert session.editing.begin("Drag")
    session.editing.replace_edit(swap_far(session))
    after = session.state
    same = before.report.total_load == after.report.total_load
    assert after.report.time > before.report.time
    assert 0 < same.sum() < same.size
    for old, new in zip(look(before), look(after), strict=True):
        np.testing.assert_array_equal(old[same], new[same])
    session.editing.cancel()


def test_a_link_beyond_the_start_is_marked_as_with_a_frozen_scale(session):
    session.editing.begin("Drag")
    session.editing.replace_edit(swap_far(session))
    state = session.state
    hottest = state.report.bottleneck_links
    assert look(state)[1][hottest].all()
    assert excess(state) == pytest.approx(state.report.time / state.full_scale_time)
    assert heading(state) == START
    session.editing.commit()
    assert excess(session.state) == 0
    assert heading(session.state) == HOTTEST
    assert session.state.full_scale_time == session.state.report.time


def test_cancelled_gesture_restores_the_colours(session):
    before = look(session.state)
    session.editing.begin("Drag")
    session.editing.replace_edit(swap_far(session))
    session.editing.cancel()
    np.testing.assert_array_equal(before[0], look(session.state)[0])
    assert session.state.style.held_top is None


def test_a_frozen_scale_stays_frozen(session):
    frozen = session.state.full_scale_time * 2
    session.set_scale(ColourScale(frozen_time=frozen))
    session.editing.apply(swap_far(session), "Swap")
    assert session.state.full_scale_time == frozen


def test_after_the_release_the_scale_eases_to_the_loads(patient, qtbot):
    start, tops = patient.state.full_scale_time, []
    patient.changed.connect(lambda changes: tops.append(patient.state.full_scale_time))
    patient.editing.apply(swap_far(patient), "Swap")
    assert patient.state.full_scale_time == pytest.approx(start, rel=0.1)
    end = patient.state.report.time
    qtbot.waitUntil(lambda: patient.state.style.held_top is None)
    assert patient.state.full_scale_time == end > start
    assert tops == sorted(tops)
    assert len(set(tops)) > 2


def test_another_network_ends_the_easing(patient, qtbot):
    patient.editing.apply(swap_far(patient), "Swap")
    patient.propose(HALO.with_choice("network", Percs(d_links=2)))
    qtbot.waitUntil(lambda: patient.state.evaluation.case.scenario == patient.state.wanted)
    qtbot.waitUntil(lambda: patient.state.style.held_top is None)
    assert patient.state.full_scale_time == patient.state.report.time


def test_a_search_has_the_scale_of_its_start(session_of):
    session = session_of(BAD)
    start = session.state.full_scale_time
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=Budget(seconds=None, steps=60, seed=1, workers=1)))
    session.optimiser.start()
    assert session.state.search.undecided
    assert session.state.report.time < session.state.full_scale_time == start
    assert heading(session.state) == START
    session.optimiser.keep()
    assert session.state.full_scale_time == session.state.report.time


def test_transition_between_two_scale_tops_ends_at_both():
    a, b = ScaleTop(2.0, 0.5), ScaleTop(4.0, 1.5)
    assert (a.towards(b, 0.0), a.towards(b, 0.5), a.towards(b, 1.0)) == (a, ScaleTop(3.0, 1.0), b)
