"""Failures evaluated through a session: harm as values of links, and when it is computed."""

from dataclasses import replace

import numpy as np
import pytest

from app.model.measured_text import counters_text, link_lines
from app.model.measurement import DISCONNECTS, NOT_EVALUATED, LinkSource
from app.model.state_groups import ComparisonMode
from app.model.what_if import FailureChoice
from app.session import what_if
from app.views.legend import heading, side_text
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import FatTree, LinkFault, Torus
from core.routing import Minimal

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))
TREE = Scenario(FatTree(2, 2), AllToAll(tasks=4), Random(seed=1), Minimal())


def test_harm_is_the_slow_down_of_the_job_by_the_failure_of_the_cable_of_each_link(session_of):
    session = session_of(TORUS)
    session.set_source(LinkSource.HARM)
    network, base = TORUS.machine(), session.state.report.throughput_gbs
    for link in range(0, network.links, 7):
        fault = LinkFault.of(network, link)
        after = evaluate(replace(TORUS, faults=(fault,)).build()).throughput_gbs
        assert session.state.link_values[link] == pytest.approx(base / after - 1, abs=1e-9)
    worst = int(np.argmax(session.state.link_values))
    percent = 100 * session.state.link_values[worst]
    assert link_lines(session.state, worst) == (f"If its cable fails, the job takes {percent:.3g} % longer",)
    assert counters_text(session.state, np.array([worst])).startswith("slow-down if it fails +")
    assert heading(session.state) == "Slow-down if its cable fails, % · blue: faster"
    assert session.state.shading.signed
    assert not side_text(session.state)


def test_links_whose_failure_disconnects_flows_exceed_the_scale(session_of):
    session = session_of(TREE)
    session.set_source(LinkSource.HARM)
    state = session.state
    cut = np.flatnonzero(np.isinf(state.link_values))
    assert cut.size
    assert state.shading.exceeds(state.link_values)[cut].all()
    assert side_text(state) == f"disconnects: {cut.size}"
    assert counters_text(state, cut[:1]) == f"slow-down if it fails {DISCONNECTS}"
    assert link_lines(state, int(cut[0])) == ("If its cable fails, flows are disconnected",)


def test_a_sample_leaves_other_links_without_a_value(session_of):
    session = session_of(TORUS)
    session.what_if.choose(FailureChoice("cables", 5))
    session.what_if.start()
    session.set_source(LinkSource.HARM)
    assert np.count_nonzero(~np.isnan(session.state.link_values)) == 10
    assert side_text(session.state) == f"{NOT_EVALUATED}: 54"


def test_slow_failures_are_not_evaluated_after_each_edit(session_of, monkeypatch):
    monkeypatch.setattr(what_if, "MAX_LIVE_SECONDS", 0.0)
    session = session_of(TORUS)
    session.set_source(LinkSource.HARM)
    session.choose("mapping", Sequential())
    assert session.state.failures is None
    assert np.isnan(session.state.link_values).all()
    session.editing.undo()
    assert session.state.failures is not None


def test_harm_is_computed_again_for_another_mapping_but_not_without_need(session_of, monkeypatch):
    monkeypatch.setattr(what_if, "MAX_LIVE_SECONDS", np.inf)
    session = session_of(TORUS)
    session.choose("mapping", Sequential())
    assert session.state.what_if.failures is None
    session.set_source(LinkSource.HARM)
    first = session.state.failures
    session.choose("mapping", Random(seed=2))
    assert session.state.failures is not first
    assert session.state.failures.report is session.state.report
    session.set_source(LinkSource.LOAD)
    session.choose("mapping", Random(seed=3))
    assert session.state.failures is None


def test_while_a_and_b_are_compared_links_have_loads(session_of):
    session = session_of(TORUS)
    session.set_source(LinkSource.HARM)
    session.set_reference(session.state.evaluation, ComparisonMode.SIDE)
    assert session.state.source is LinkSource.LOAD


def test_a_kind_that_the_network_lacks_is_refused(session_of):
    session = session_of(TORUS)
    session.what_if.choose(FailureChoice("switches"))
    session.what_if.start()
    assert "no switches" in session.state.what_if.refused.message
    assert session.state.what_if.progress is None


def test_an_evaluation_can_be_cancelled_where_the_window_shows_it(session_of, monkeypatch):
    session = session_of(TORUS)
    shown = []

    def request(work):
        session.what_if._on_progressed(0.25)
        shown.append((session.state.pending, session.state.what_if.progress))

    monkeypatch.setattr(session.what_if._runner, "request", request)
    session.what_if.start()
    computation, progress = shown[0]
    assert (computation.words, computation.fraction, progress) == ("Evaluating failures of cables", 0.25, 0.25)
    assert computation.cancellable
    assert not session.state.outdated
    session.cancel_pending()
    assert session.state.what_if.progress is None
    assert session.state.pending is None
