"""Searches for routes through a session: one step when they end, undone at once, and copied when saved."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import SearchPhase
from app.panels.optimiser.panel import status
from app.session import optimiser
from app.session.optimiser import OPTIMAL_ROUTES
from app.storage.routes import with_own_tables
from core.files import read_scenario, write_scenario
from core.job import AllToAll
from core.load.scenario import Scenario
from core.load.snapshots import with_kept
from core.mapping import Sequential
from core.network import Edges, Torus
from core.optimise.request import ROUTES
from core.routing import Tables
from tests.app.sessions import session_on

DEGRADED = Path(__file__).parents[2] / "data" / "infiniband" / "degraded"
BUDGET = Budget(seconds=None, steps=40_000, seed=1, workers=1)


@pytest.fixture
def session(qapp, tmp_path, monkeypatch):
    for path in DEGRADED.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(optimiser, "routes_folder", lambda: tmp_path / "data")
    network, routing = Edges(file="ibnetdiscover.txt"), Tables(file="opensm-lfts.dump")
    session = session_on(Scenario(network, AllToAll(tasks=64), Sequential(), routing, folder=tmp_path), sync=True)
    session.set_search_settings(SearchSettings(move=ROUTES, budget=BUDGET))
    yield session
    session.close()


def test_better_routes_are_one_step(session):
    before = session.state.evaluation.case.scenario
    session.optimiser.start()
    state = session.state
    assert state.report.time == pytest.approx(1.0)
    assert [step.name for step in state.history.steps] == ["Optimise routes: 0.4444 → 1.0 GB/s"]
    assert state.search.phase is SearchPhase.NONE
    run = state.search.runs[0]
    assert run.kept
    assert run.gap == pytest.approx(0.0)
    assert run.last.deadlock_free
    assert "· deadlock-free on one virtual lane ·" in status(run)
    assert "· deadlocks possible on one virtual lane ·" in status(
        replace(run, last=replace(run.last, deadlock_free=False))
    )
    assert Path(state.evaluation.case.scenario.routing.file).parent.name == "data"
    np.testing.assert_array_equal(state.evaluation.case.mapping.slots, np.arange(64))
    session.editing.undo()
    assert session.state.evaluation.case.scenario == before
    assert session.state.report.time == pytest.approx(2.25)
    session.optimiser.show(run)
    assert session.state.report.time == pytest.approx(1.0)


def test_optimal_routes_stay(session):
    session.optimiser.start()
    steps = len(session.state.history.steps)
    session.optimiser.start()
    assert session.state.search.message == OPTIMAL_ROUTES
    assert len(session.state.history.steps) == steps


def test_saved_scenarios_name_a_copy_of_the_tables(session, tmp_path):
    session.optimiser.start()
    scenario = with_kept(session.state.evaluation.case.scenario, "best", session.state.evaluation.case.scenario)
    path = tmp_path / "saved.fabriscope.json"
    write_scenario(path, with_own_tables(scenario, path, tmp_path / "data"))
    shutil.rmtree(tmp_path / "data")
    saved = read_scenario(path)
    assert saved.routing.file.startswith("saved-routes-")
    assert saved.snapshots[0].kept.routing == saved.routing
    router = saved.build().router
    assert router.tables.summary == session.state.evaluation.case.router.tables.summary


def test_networks_without_lids_have_mappings_to_search_for_only():
    settings = SearchSettings(move=ROUTES)
    assert settings.on(Torus(dims=(4, 4)).build()).move == "mapping"
