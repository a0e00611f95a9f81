import json

import numpy as np
import pytest

from app.model.pointing import Item
from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import ComparisonMode, SearchPhase
from app.session.autosave import unsaved
from app.session.session import Session
from app.storage.presets import preset
from app.tour.tour_file import decode_tour
from core.mapping.edit import Edit
from core.spec import no_progress

SCENES = [
    {"title": "Coloured", "id": "coloured", "scenario": "power775-halo", "selection": "hottest link"},
    {
        "title": "In order", "id": "order", "changes": {"mapping": {"type": "sequential"}}, "hottest_percent": 10,
        "scale": {"map": "batlow", "log": True, "frozen": "coloured"}, "selection": "task 5",
    },
    {"title": "Broken", "changes": {"mapping": {"type": "nonsense"}}},
    {"title": "Beside", "changes": {"mapping": {"type": "sequential"}}, "against": "coloured"},
    {"title": "Stepwise", "scenario": "clex-rounds", "step": 3},
]  # fmt: skip


@pytest.fixture
def session(qapp):
    opened = Session.of(preset("power775-smallest"), sync=True)
    opened.tours.open(
        decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES}).encode()), None, saved=None
    )
    yield opened
    opened.close()


def swap(session: Session, a: int, b: int) -> None:
    slots = session.state.evaluation.case.mapping.slots
    tasks = np.array([a, b], np.int32)
    session.editing.apply(Edit(tasks, slots[tasks].copy(), slots[tasks[::-1]].copy()), "Swap")


def test_scene_sets_all_its_fields(session):
    session.colour_by_groups("tensor group")
    session.presentation.begin(0)
    state = session.state
    assert state.style.groups == ""
    assert state.report.throughput_gbs == 64
    assert state.selection == Item("link", int(state.report.bottleneck_links[0]))
    coloured = state.report.time
    session.presentation.step(1)
    state = session.state
    assert state.report.throughput_gbs == 10
    assert (state.style.hottest_percent, state.style.scale.map, state.style.scale.log) == (10, "batlow", True)
    assert state.style.scale.frozen_time == coloured
    assert state.style.scale.frozen_as == "Coloured"
    assert state.selection == Item("task", 5)
    assert state.tour.scene == 1


def test_invalid_scene_reports_an_error_and_the_tour_continues(session):
    session.presentation.begin(1)
    session.presentation.step(1)
    assert "nonsense" in str(session.state.tour.scene_error)
    assert session.state.report.throughput_gbs == 10
    session.presentation.step(1)
    state = session.state
    assert state.tour.scene_error is None
    assert state.comparison.mode is ComparisonMode.SIDE
    assert state.comparison.reference.report.throughput_gbs == 64


def test_scenes_stop_at_both_ends(session):
    session.presentation.begin(0)
    session.presentation.step(-1)
    assert session.state.tour.scene == 0
    session.presentation.go(99)
    assert session.state.tour.scene == len(SCENES) - 1


def test_round_is_shown(session):
    session.presentation.begin(4)
    moment = session.state.moment
    assert moment is not None
    assert moment.step == 2
    assert moment.rounds is not None
    session.presentation.go(0)
    assert session.state.moment is None


def test_presentation_restores_the_desk(session):
    swap(session, 0, 9)
    session.select(Item("node", 3))
    session.set_hottest_percent(25)
    before, steps = session.state, session.state.history.steps
    session.presentation.begin(0)
    swap(session, 1, 2)
    session.presentation.step(1)
    swap(session, 3, 700)
    session.presentation.end()
    after = session.state
    for name in ("wanted", "evaluation", "selection", "style", "file", "comparison", "edit", "history"):
        assert getattr(after, name) is getattr(before, name) or getattr(after, name) == getattr(before, name), name
    assert not after.presenting
    assert session.state.history.steps == steps
    swap(session, 0, 9)
    session.editing.undo()
    session.editing.undo()
    assert session.state.report.load == pytest.approx(
        Session.of(preset("power775-smallest"), sync=True).state.report.load
    )


def test_runs_of_the_optimiser_outlive_the_presentation(session):
    session.set_search_settings(SearchSettings(budget=Budget(seconds=None, steps=3, seed=1, workers=1)))
    session.presentation.begin()
    session.optimiser.start()
    session.presentation.end()
    (run,) = session.state.search.runs
    assert run.ended
    assert session.state.search.shown is None
    assert session.state.search.phase is SearchPhase.NONE


def test_edits_on_the_stage_without_a_tour_are_reverted(session):
    before = session.state.evaluation
    session.presentation.begin()
    swap(session, 0, 100)
    assert session.state.evaluation is not before
    session.presentation.end()
    assert session.state.evaluation is before
    swap(session, 0, 100)
    session.editing.undo()
    assert np.array_equal(session.state.report.load, before.report.load)


def test_nothing_presented_is_unsaved_work(session):
    session.saved_before = session.state.file
    session.presentation.begin(0)
    assert not session.state.dirty
    assert unsaved(session.state) is None
    session.presentation.end()
    swap(session, 0, 9)
    work = unsaved(session.state)
    session.presentation.begin(1)
    assert session.state.dirty
    assert unsaved(session.state) == work


def test_scene_in_the_main_window_is_one_step_that_can_be_undone(session):
    before = session.state.evaluation.case.scenario
    session.presentation.go(1)
    assert session.state.report.throughput_gbs == 10
    assert session.state.history.undo_name == "Show scene 2"
    session.editing.undo()
    assert session.state.evaluation.case.scenario == before


def test_undo_returns_to_the_previous_scene(session):
    marked = lambda: session.state.tour.scene  # noqa: E731
    session.presentation.go(0)
    swap(session, 0, 100)
    session.presentation.go(1)
    assert marked() == 1
    session.editing.undo()
    assert marked() == 0
    session.editing.undo()  # the swap, which does not belong to a scene
    assert marked() == 0
    session.editing.undo()
    assert marked() is None
    session.editing.travel(3)
    assert marked() == 1
    # Where it stands now, or nowhere.
    session.tours.move(1, 3)
    session.editing.undo()
    session.editing.redo()
    assert marked() == 3
    session.editing.undo()
    session.tours.delete({3})
    session.editing.redo()
    assert marked() is None


def test_scene_that_is_only_viewed_is_no_unsaved_work(session):
    session.presentation.go(0)
    session.presentation.go(1)
    assert not session.state.dirty
    assert unsaved(session.state) is None
    swap(session, 0, 100)
    assert session.state.dirty
    session.presentation.go(0)
    # Earlier changes are still unsaved.
    assert session.state.dirty
    assert unsaved(session.state) is not None


def test_changes_of_the_tour_can_be_undone(session):
    tour = session.state.tour.tour
    fewer = tour.__class__(tour.fabriscope_tour, tour.title, tour.scenes[1:])
    session.tours.edit(fewer, "Delete scene 1")
    assert session.state.tour_dirty
    assert session.state.tour.tour_undo == "Delete scene 1"
    session.tours.undo()
    assert session.state.tour.tour == tour
    session.tours.redo()
    assert session.state.tour.tour == fewer
    assert session.state.tour.tour_redo == ""


def test_loads_glide_between_scenes_of_one_network(qapp, qtbot):
    session = Session.of(preset("power775-halo"))
    try:
        scenes = SCENES[:2]
        tour = decode_tour(
            json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [scenes[0], {**scenes[1], "scale": {}}]}).encode()
        )
        session.tours.open(tour, None, saved=None)
        session.presentation.begin(0)
        qtbot.waitUntil(lambda: session.state.tour.scene == 0 and not session.presentation.busy, timeout=20_000)
        first = session.state.utilisation
        seen = []
        session.changed.connect(lambda changes: seen.append(session.state))
        session.presentation.step(1)
        qtbot.waitUntil(
            lambda: session.state.report.throughput_gbs == 10 and session.state.tour.glide is None, timeout=20_000
        )
        gliding = [state for state in seen if state.tour.glide is not None]
        assert gliding
        assert np.array_equal(gliding[0].utilisation, first)
        last = session.state.utilisation
        for state in gliding:
            done = state.tour.glide.done
            np.testing.assert_allclose(state.utilisation, first + (last - first) * done)
        np.testing.assert_allclose(last, session.state.report.utilisation)
    finally:
        session.close()


def test_nothing_glides_with_reduced_motion(qapp, qtbot, monkeypatch):
    monkeypatch.setattr("app.session.presentation.moves", lambda: False)
    session = Session.of(preset("power775-halo"))
    try:
        tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES[:2]}).encode())
        session.tours.open(tour, None, saved=None)
        seen = []
        session.changed.connect(lambda changes: seen.append(session.state.tour.glide))
        session.presentation.begin(1)
        qtbot.waitUntil(lambda: session.state.tour.scene == 1, timeout=20_000)
        assert set(seen) == {None}
    finally:
        session.close()


EDITS = {
    "move another over it": (lambda session: session.tours.move(0, 3), 0),
    "insert before it": (lambda session: session.tours.insert(0, session.state.tour.tour.scenes[2]), 2),
    "delete after it": (lambda session: session.presentation.delete({4}), 1),
    "delete before it": (lambda session: session.presentation.delete({3}), 1),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_scene_that_is_being_evaluated_is_followed_through_edits_of_the_tour(session, monkeypatch, name):
    edit, number = EDITS[name]
    session.presentation.go(4)
    works = []
    monkeypatch.setattr(session.presentation._scene, "request", works.append)
    session.presentation.go(1)
    scene = session.state.tour.tour.scenes[1]
    edit(session)
    assert session.state.tour.scene_asked == number
    session.presentation._arrive(works.pop()(no_progress))
    assert session.state.tour.scene == number
    assert session.state.tour.tour.scenes[number] is scene


def test_next_scene_replaces_a_deleted_scene_that_is_being_evaluated(session, monkeypatch):
    session.presentation.go(0)
    works = []
    monkeypatch.setattr(session.presentation._scene, "request", works.append)
    session.presentation.go(3)
    session.presentation.delete({3})
    assert session.state.tour.scene_asked == 3
    session.presentation._arrive(works.pop()(no_progress))
    assert session.state.tour.tour.scenes[session.state.tour.scene].title == "Stepwise"
