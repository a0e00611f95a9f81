"""Cables to add, searched for through a session: in greedy order, while they fit the scenario, and cancelled."""

from dataclasses import replace

import pytest

from app.session.added_cables import add_cables
from core.figures.added_cables import added_cables
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import AddedCable, Mesh, Torus
from core.routing import DimensionOrder, Minimal
from core.spec import no_progress

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))


@pytest.fixture
def session(session_of):
    return session_of(TORUS)


def find(session, count):
    session.cable_finder.choose(count)
    session.cable_finder.start()
    return session.state.what_if.cables


@pytest.mark.parametrize("before", [(), (AddedCable(0, 10),)])
def test_cables_are_those_of_the_terminal_and_relative_to_the_scenario_on_screen(session_of, before):
    session = session_of(replace(TORUS, cables=before))
    shown = find(session, 3)
    report = evaluate(replace(TORUS, cables=before).build())
    assert list(shown.search.rows) == added_cables(report, 3)
    assert shown.search.report.throughput_gbs == pytest.approx(report.throughput_gbs)
    assert not shown.search.exhausted
    assert (shown.progress, session.state.pending) == (None, None)
    fresh = evaluate(replace(TORUS, cables=(*before, *shown.search.cables)).build())
    assert shown.search.last.throughput_gbs == pytest.approx(fresh.throughput_gbs)


def test_a_search_without_a_further_cable_says_so(session_of):
    session = session_of(Scenario(Mesh((2, 2)), Halo(2, 2), Sequential(), Minimal()))
    search = find(session, 8).search
    assert search.exhausted
    assert len(search.rows) < 8
    assert list(search.rows) == added_cables(session.state.evaluation.report, 8)


def test_cables_fit_their_scenario_with_the_first_ones_added(session):
    search = find(session, 3).search
    added = [search.added_in(session.state.evaluation.report)]
    for cables in (search.cables[:2], search.cables[2:]):
        add_cables(session, *cables)
        added.append(search.added_in(session.state.evaluation.report))
    assert added == [0, 2, 3]
    session.editing.undo()
    assert search.added_in(session.state.evaluation.report) == 2
    session.choose("mapping", Random(seed=2))
    assert search.added_in(session.state.evaluation.report) is None
    session.editing.undo()
    session.editing.undo()
    add_cables(session, search.cables[1])
    assert search.added_in(session.state.evaluation.report) is None


def test_a_routing_that_cannot_use_cables_is_refused(session_of):
    session = session_of(replace(TORUS, routing=DimensionOrder()))
    shown = find(session, 1)
    assert "cannot use added cables" in shown.refused.message
    assert (shown.search, shown.progress) == (None, None)
    session.select(None)
    assert session.state.what_if.cables.refused is not None
    session.choose("routing", TORUS.routing)
    assert session.state.what_if.cables.refused is None
    assert find(session, 1).refused is None


@pytest.fixture
def held(session, monkeypatch):
    """Requests of the search, which does not start by itself."""
    requests = []
    monkeypatch.setattr(session.cable_finder._runner, "request", requests.append)
    return requests


def continue_(session, held):
    session.cable_finder._on_continued(held.pop()(no_progress))


def test_cables_so_far_are_shown_and_stay_after_cancelling_where_the_window_shows_the_search(session, held):
    find(session, 3)
    continue_(session, held)
    session.cable_finder._on_progressed(0.5)
    computation, shown = session.state.pending, session.state.what_if.cables
    assert (computation.words, computation.fraction) == ("Searching for cable 2 of 3 to add", 0.5)
    assert computation.cancellable
    assert not session.state.outdated
    assert (len(shown.search.rows), shown.progress) == (1, 0.5)
    session.cancel_pending()
    assert (session.state.what_if.cables.search, session.state.pending) == (shown.search, None)
    assert session.state.what_if.cables.progress is None


def test_another_scenario_cancels_a_search(session, held):
    find(session, 2)
    continue_(session, held)
    session.select(None)
    assert session.state.what_if.cables.progress == 0.5
    session.choose("mapping", Random(seed=2))
    assert session.state.what_if.cables.progress is None


def test_the_last_result_stays_until_there_is_another(session, monkeypatch):
    first = find(session, 1).search
    monkeypatch.setattr(session.cable_finder._runner, "request", lambda work: None)
    assert find(session, 2).search is first
    session.cable_finder.cancel()
    assert session.state.what_if.cables.search is first
