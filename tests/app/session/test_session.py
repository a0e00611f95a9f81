"""The session: one signal for each change, the last good state kept, late results dropped."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.model.changes import ChangeSet
from app.model.performance import LAST_CHANGE
from app.model.pointing import Item
from app.model.search_run import Budget
from app.model.state_groups import ComparisonMode
from app.session.editing import UNOPENED
from app.session.session import Session
from app.storage.presets import names_preset, preset
from app.style.colour import ColourScale
from app.style.theme import LIGHT
from app.window.launch import first
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, Random, Sequential
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.spec import SpecError, no_progress
from tests.app.scenarios import HALO

SMALL = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
UNROUTED = Scenario(Percs(2, 4), Halo(4, 4), Sequential(), DimensionOrder())
"""PERCS is not routed by dimension: fitted, another routing is chosen."""
UNREADABLE = Scenario(Percs(), Flows(file="gone.csv"), Sequential(), PercsDirect())
"""Nothing can be put in the place of a missing file."""


@pytest.fixture
def session(qapp):
    session = Session.of(HALO, sync=True)
    yield session
    session.close()


@pytest.fixture
def heard(session):
    changes = []
    session.changed.connect(lambda change: changes.append(change))
    return changes


def test_session_starts_with_an_evaluation(session):
    assert session.state.report.throughput_gbs == pytest.approx(64)
    assert not session.state.dirty


def test_another_mapping_keeps_network_and_job(session, heard):
    before = session.state.evaluation.case
    session.choose("mapping", Sequential())
    after = session.state.evaluation.case
    assert after.network is before.network
    assert after.job is before.job
    assert session.state.report.throughput_gbs == pytest.approx(10)
    assert session.state.baseline.performance.gbs == pytest.approx(64)
    assert session.state.dirty
    assert not any(ChangeSet.TOPOLOGY in change for change in heard)
    assert sum(ChangeSet.LOADS in change for change in heard) == 1


def test_another_network_drops_the_selection(session, heard):
    session.select(Item("link", 40))
    session.choose("network", Percs(d_links=1))
    assert session.state.selection is None
    assert any(ChangeSet.TOPOLOGY in change for change in heard)


def test_refused_choice_keeps_the_last_good_evaluation(session):
    good = session.state.evaluation
    session.choose("mapping", Blocks(rows=3))
    assert session.state.error.field == "mapping.rows"
    assert session.state.evaluation is good
    session.choose("mapping", Blocks(rows=8))
    assert session.state.error is None
    assert session.state.evaluation is not good


def test_cancel_goes_back_to_the_last_good_scenario(session):
    session.choose("mapping", Blocks(rows=3))
    assert session.state.dirty
    session.evaluator.cancel()
    assert not session.state.dirty
    assert session.state.error is None
    assert session.state.wanted == HALO


def test_the_same_choice_again_changes_nothing(session, heard):
    session.choose("mapping", ModColour())
    assert heard == []


def test_a_chosen_link_is_explained(session):
    link = int(session.state.report.bottleneck_links[0])
    session.select(Item("link", link))
    explanation = session.state.explanation
    assert sum(explanation.roles.values()) == pytest.approx(explanation.load)
    session.select(None)
    assert session.state.explanation is None


def test_the_explanation_follows_the_mapping(session):
    session.select(Item("link", 0))
    session.choose("mapping", Sequential())
    assert session.state.explanation.load == session.state.report.load[0]


def test_a_frozen_scale_compares_two_states(session):
    session.set_scale(ColourScale(frozen_time=session.state.full_scale_time))
    session.choose("mapping", Sequential())
    assert session.state.utilisation.max() == pytest.approx(6.4)
    assert np.allclose(session.state.utilisation, session.state.report.utilisation * 6.4)


def test_style_changes_have_the_style_flag(session, heard):
    session.set_theme(LIGHT)
    session.set_hottest_percent(5)
    session.set_hottest_percent(5)
    session.hover(Item("node", 3))
    session.hover(Item("node", 3))
    assert heard == [ChangeSet.STYLE, ChangeSet.STYLE, ChangeSet.HOVER]


def test_opening_a_file_is_not_an_unsaved_change(session, tmp_path):
    session.open(SMALL, tmp_path / "a.fabriscope.json")
    assert not session.state.dirty
    assert session.state.report.case.network.nodes == 16


def test_an_opened_scenario_that_does_not_fit_is_shown_fitted_with_its_error(session, tmp_path):
    path = tmp_path / "a.fabriscope.json"
    session.open(UNROUTED, path)
    state = session.state
    assert state.refusal is not None
    assert (state.error, state.refusal.field) == (state.refusal, "routing.type")
    assert (state.wanted, state.file.path, state.dirty) == (UNROUTED, path, False)
    assert state.evaluation.case.scenario.network == UNROUTED.network
    assert state.undoes == "Open a.fabriscope.json"
    session.editing.undo()
    assert session.state.refusal is None
    assert session.state.wanted == state.evaluation.case.scenario
    # The file holds the opened scenario, with a mapping that may not fit: never overwrite it without asking.
    assert (session.state.file.path, session.state.dirty) == (None, True)


def test_correcting_an_opened_scenario_begins_its_history(session, tmp_path):
    path = tmp_path / "a.fabriscope.json"
    session.open(UNROUTED, path)
    session.choose("routing", PercsDirect())
    state = session.state
    assert (state.refusal, state.file.stand_in, state.baseline) == (None, None, None)
    assert (state.undoes, state.file.path, state.dirty) == ("", path, True)


def test_substitute_for_an_opened_scenario_cannot_be_edited(session, tmp_path):
    path, evaluation = tmp_path / "a.fabriscope.json", session.state.evaluation
    session.open(UNREADABLE, path)
    state = session.state
    assert (state.wanted, state.file.path, state.dirty) == (UNREADABLE, path, False)
    assert state.evaluation is evaluation
    assert state.refusal.field == "job.file"
    assert not session.editing.begin("Drag")
    assert session.state.wanted == UNREADABLE
    assert session.state.edit.hint == UNOPENED
    # Undo returns to the scenario on screen; saving that must not overwrite the opened file.
    session.editing.undo()
    assert session.state.wanted == evaluation.case.scenario
    assert (session.state.file.path, session.state.dirty, session.state.refusal) == (None, False, None)
    assert session.editing.begin("Drag")


def test_refusing_a_file_changes_nothing_else(session):
    evaluation = session.state.evaluation
    session.report_error(SpecError("file", "is not a valid scenario"))
    assert session.state.evaluation is evaluation
    assert session.state.error.field == "file"


def test_in_a_thread_only_the_latest_request_is_answered(qtbot):
    session = Session.of(SMALL)
    answers = []
    session.changed.connect(lambda change: ChangeSet.LOADS in change and answers.append(session.state.evaluation))
    for rows in (2, 4, 8, 16):
        session.choose("job", Halo(rows=rows, cols=16 // rows))
    qtbot.waitUntil(lambda: bool(answers))
    session.wait_idle()
    qtbot.wait(50)
    assert [evaluation.case.scenario.job for evaluation in answers] == [Halo(rows=16, cols=1)]
    session.close()
    assert not [t for t in threading.enumerate() if t.name.startswith(("loads", "causes"))]


def test_smaller_job_drops_missing_tasks(session, heard):
    last = session.state.evaluation.case.job.tasks - 1
    session.select(Item("task", last))
    session.hover(Item("task", last))
    session.choose("mapping", Sequential())
    assert session.state.selection == session.state.hover == Item("task", last)
    heard.clear()
    session.choose("job", Halo(rows=32, cols=32))
    assert session.state.selection is None
    assert session.state.hover is None
    assert any(ChangeSet.SELECTION in change and ChangeSet.HOVER in change for change in heard)


def test_smaller_job_keeps_remaining_tasks(session):
    session.select(Item("task", 5))
    session.choose("mapping", Sequential())
    session.choose("job", Halo(rows=32, cols=32))
    assert session.state.selection == Item("task", 5)


def test_another_file_is_no_change_of_the_throughput(session):
    session.choose("mapping", Sequential())
    assert session.state.baseline is not None
    session.open(SMALL, None)
    assert session.state.baseline is None


def baseline_of(session):
    return session.state.baseline.performance.gbs, session.state.baseline.name


def test_a_preset_is_opened_by_its_name_unless_there_is_such_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = Path("torus-16x16-transpose")
    assert first(name, no_progress).result.evaluation.case.scenario == preset(str(name))
    assert names_preset(name)
    name.write_text("{}")
    assert not names_preset(name)
    outcome = first(name, no_progress)
    assert outcome.work is None
    assert outcome.error.message.startswith("torus-16x16-transpose cannot be opened: ")


def test_worked_example_is_compared_with_sequential_mapping(qapp):
    outcome = first(None, no_progress)
    session = Session(outcome.result, outcome.before, sync=True)
    assert baseline_of(session) == (pytest.approx(10), "sequential")
    session.choose("routing", PercsDirect(intra="single-hop"))
    assert baseline_of(session) == (pytest.approx(64), LAST_CHANGE)
    session.choose("mapping", Sequential())
    assert session.state.baseline.name == "mod-colour"
    session.close()


@pytest.mark.parametrize("opened", [SMALL, replace(SMALL, job=Halo(rows=640, cols=640)), UNREADABLE])
def test_opening_a_scenario_drops_a_and_the_previous_runs(session, opened):
    session.pin_scenario(session.state.wanted.with_choice("mapping", Sequential()), ComparisonMode.DIFFERENCE)
    session.set_search_settings(
        replace(session.state.search.settings, budget=Budget(seconds=None, steps=12, seed=1, workers=1))
    )
    session.optimiser.start()
    session.editing.commit()
    assert session.state.search.runs
    assert session.state.comparison.reference is not None
    session.open(opened, None)
    state = session.state
    assert not session.state.search.runs
    assert (state.comparison.reference, state.comparison.mode) == (None, ComparisonMode.OFF)
    assert state.full_scale_time == state.report.time


def test_a_preset_is_compared_with_its_snapshot_after_it_was_opened(session):
    session.pin_scenario(session.state.wanted)
    kept = SMALL.with_choice("mapping", Random(seed=1))
    session.open(SMALL, None, reference=kept)
    assert session.state.comparison.reference.case.scenario.mapping == kept.mapping
    assert session.state.comparison.mode is ComparisonMode.SIDE


@pytest.mark.parametrize("way", ["choose", "undo"])
def test_impossible_difference_is_replaced_by_b_on_its_own_scale(session, way):
    if way == "undo":
        session.propose(SMALL)
        session.pin_scenario(SMALL.with_choice("mapping", Random(seed=1)), ComparisonMode.DIFFERENCE)
        session.editing.undo()
    else:
        session.pin_scenario(session.state.wanted.with_choice("mapping", Sequential()), ComparisonMode.DIFFERENCE)
        assert session.state.differing
        session.propose(SMALL)
    state = session.state
    assert state.comparison.mode is ComparisonMode.OFF
    assert state.comparison.reference is not None
    assert state.full_scale_time == state.report.time
    assert state.utilisation.max() == pytest.approx(1.0)
