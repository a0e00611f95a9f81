"""The curve of A: when it is evaluated, kept, and cancelled."""

from app.model.state_groups import ComparisonMode
from app.model.what_if import FailureChoice
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import Minimal

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))


def compared(session_of, mode=ComparisonMode.SIDE):
    session = session_of(TORUS)
    session.set_reference(session.state.evaluation, mode)
    session.choose("mapping", Random(seed=2))
    return session


def test_it_is_evaluated_once_for_a_and_kind_of_component(session_of):
    session = compared(session_of)
    assert session.state.what_if.curve_of_a is None
    session.what_if.start()
    first = session.state.what_if.curve_of_a
    assert first.report is session.state.comparison.reference.report
    assert (first.curve.name, first.curve.what) == ("A", "cables")
    session.choose("mapping", Random(seed=3))
    session.what_if.start()
    session.compare(ComparisonMode.OFF)
    session.compare(ComparisonMode.DIFFERENCE)
    assert session.state.what_if.curve_of_a is first
    session.what_if.choose(FailureChoice("nodes"))
    session.what_if.start()
    assert session.state.what_if.curve_of_a.curve.what == "nodes"
    session.set_reference(session.state.evaluation, ComparisonMode.SIDE)
    assert session.state.what_if.curve_of_a.report is session.state.report


def test_it_is_not_evaluated_without_a_comparison(session_of):
    session = compared(session_of, ComparisonMode.OFF)
    session.what_if.start()
    assert session.state.what_if.curve_of_a is None
    session.compare(ComparisonMode.REFERENCE)
    assert session.state.what_if.curve_of_a is None
    session.compare(ComparisonMode.SIDE)
    assert session.state.what_if.curve_of_a is not None


def test_it_can_be_cancelled_where_the_window_shows_it(session_of, monkeypatch):
    session = compared(session_of)
    shown = []

    def request(work):
        session.reference_curve._on_progressed(0.5)
        shown.append(session.state.pending)

    monkeypatch.setattr(session.reference_curve._runner, "request", request)
    session.what_if.start()
    assert [(computation.words, computation.fraction) for computation in shown] == [("Evaluating failures of A", 0.5)]
    session.cancel_pending()
    assert session.state.pending is None
    assert session.state.what_if.curve_of_a is None
