"""Searches through a session: shown while they run, one step when kept, no trace when discarded, never lost."""

from dataclasses import replace

import numpy as np
import pytest

from app.actions.table import ACTIONS
from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import ComparisonMode, SearchPhase
from app.session.optimiser import NOTHING_BETTER, NOTHING_TRIED
from core.figures.searched import search_figures
from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.swap_suggestions import suggest_swaps
from core.mapping import Random, Sequential
from core.mapping.edit import edit_moving, occupants
from core.mapping.explicit import Explicit
from core.mapping.mapping import check_injection
from core.network import NodeFault, Percs, Torus
from core.optimise.best import best_of
from core.optimise.objective import HopBytes, WorstFailure
from core.routing import DimensionOrder, Minimal, PercsDirect
from core.spec import SpecError
from tests.app.climbing import Stepwise, climb
from tests.app.sessions import session_on

PERCS = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Random(seed=14), DimensionOrder())
"""Its mapping is a bad one: others get better in several steps."""
BUDGET = Budget(seconds=None, steps=60, seed=1, workers=1)


@pytest.fixture(params=[PERCS, TORUS], ids=["percs", "torus"])
def session(qapp, request):
    session = session_on(request.param, sync=True)
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=BUDGET))
    yield session
    session.close()


@pytest.fixture
def live(qtbot):
    """A session whose searches run in their thread."""
    session = session_on(TORUS)
    yield session
    session.close()


def slots_of(session):
    return session.state.evaluation.case.mapping.slots.copy()


def better(session, count):
    """Return a number of mappings of the case on screen, each faster than the previous one, with their times."""
    case, mappings = session.state.evaluation.case, {session.state.report.time: None}
    for seed in range(60):
        report = evaluate(case.scenario.with_choice("mapping", Random(seed=seed)).build(case))
        if report.time < min(mappings):
            mappings[report.time] = report.case.mapping.slots
        if len(mappings) > count:
            break
    return [(slots, time) for time, slots in mappings.items() if slots is not None][-count:]


def assert_full(session):
    state = session.state
    full = evaluate(state.wanted.build())
    check_injection(state.evaluation.case.mapping.slots, state.evaluation.case.network.slots)
    np.testing.assert_array_equal(full.case.mapping.slots, state.evaluation.case.mapping.slots)
    np.testing.assert_allclose(state.report.load, full.load, atol=1e-12)
    assert state.report.time == pytest.approx(full.time)


def assert_back(session, before):
    state = session.state
    assert state.evaluation is before.evaluation
    assert state.wanted is before.wanted
    assert (state.edit.gesture, state.search.phase, state.history.undo_name) == (
        "",
        SearchPhase.NONE,
        before.history.undo_name,
    )
    np.testing.assert_array_equal(state.report.load, before.report.load)


def swap(session, first=0, second=1):
    case = session.state.evaluation.case
    slots = case.mapping.slots[[second, first]]
    return edit_moving(case.mapping, [first, second], slots, occupants(case.mapping, case.network.slots))


def test_a_search_is_shown_and_kept_as_one_step(session):
    before, run_count = session.state, 0
    session.optimiser.start()
    run = session.state.search.runs[run_count]
    assert session.state.search.phase is SearchPhase.FOUND
    assert session.state.search.shown_run is run
    assert run.ended
    assert session.state.report.throughput_gbs == pytest.approx(run.best)
    assert run.best > run.start == pytest.approx(before.report.throughput_gbs)
    assert session.state.baseline.performance.gbs == pytest.approx(run.start)
    assert session.state.edit.gesture == run.name
    assert_full(session)
    session.optimiser.keep()
    assert [step.name for step in session.state.history.steps] == [run.name]
    assert (session.state.search.phase, session.state.edit.gesture) == (SearchPhase.NONE, "")
    assert session.state.search.runs[run_count].kept
    assert isinstance(session.state.wanted.mapping, Explicit)
    np.testing.assert_array_equal(slots_of(session), run.slots)
    session.editing.undo()
    assert session.state.wanted == before.wanted
    np.testing.assert_array_equal(session.state.report.load, before.report.load)
    session.editing.redo()
    np.testing.assert_array_equal(slots_of(session), run.slots)
    assert_full(session)


def test_kept_mapping_can_be_edited(session):
    session.optimiser.start()
    session.optimiser.keep()
    session.editing.apply(swap(session), "Swap")
    assert_full(session)
    session.editing.undo()
    np.testing.assert_array_equal(slots_of(session), session.state.search.runs[0].slots)
    assert_full(session)


@pytest.mark.parametrize("give_up", ["discard", "cancel", "undo"])
def test_discarding_restores_the_identical_state(session, give_up):
    session.editing.apply(swap(session), "Swap")
    before = session.state
    session.optimiser.start()
    assert session.state.evaluation is not before.evaluation
    ways = {
        "discard": session.optimiser.discard,
        "cancel": session.editing.cancel,
        "undo": session.editing.undo,
    }
    ways[give_up]()
    assert_back(session, before)
    assert session.state.search.shown_run is None
    run = session.state.search.runs[0]
    assert not run.kept
    assert "Run 1" in session.state.search.message
    # Its best is not lost: it comes back by a click, and is then kept as ever.
    session.optimiser.show(run)
    assert session.state.search.phase is SearchPhase.FOUND
    np.testing.assert_array_equal(slots_of(session), run.slots)
    session.optimiser.keep()
    assert [step.name for step in session.state.history.steps] == ["Swap", run.name]
    assert_full(session)


def test_live_loads_match_the_restored_state(session):
    session.optimiser.start()
    session.optimiser.discard()
    session.editing.apply(swap(session), "Swap")
    assert_full(session)


def test_search_without_a_better_mapping_leaves_no_trace(session):
    before = session.state
    session.optimiser.search = lambda report, request, listen, after: climb(
        report, replace(request, steps=1), lambda result: None, None
    )
    # The first random swap of this seed does not help on either machine.
    session.set_search_settings(replace(session.state.search.settings, budget=replace_seed(session)))
    session.optimiser.start()
    assert_back(session, before)
    assert not session.state.search.runs[0].better
    assert "No better mapping" in session.state.search.message


def replace_seed(session):
    report = session.state.report
    for seed in range(100):
        budget = Budget(seconds=None, steps=1, seed=seed, workers=1)
        request = SearchSettings(budget=budget).request(
            report.case, session.state.search.pinned_tasks, session.state.marked
        )
        result = climb(report, request, lambda result_so_far: None)
        if result.best >= result.start:
            return budget
    raise AssertionError("every single swap helps")


def test_edit_keeps_the_best_mapping_as_a_separate_step(session):
    session.optimiser.start()
    run = session.state.search.runs[0]
    session.editing.apply(swap(session), "Swap")
    assert [step.name for step in session.state.history.steps] == [run.name, "Swap"]
    assert session.state.search.runs[0].kept
    assert session.state.search.phase is SearchPhase.NONE
    assert_full(session)
    session.editing.undo()
    np.testing.assert_array_equal(slots_of(session), run.slots)


def test_another_choice_keeps_the_best_mapping(session):
    session.optimiser.start()
    run = session.state.search.runs[0]
    name = "d_gbs" if isinstance(session.state.wanted.network, Percs) else "gbs"
    session.choose("network", type(session.state.wanted.network)(**{**fields(session.state.wanted.network), name: 7.0}))
    assert len(session.state.history.steps) == 2
    np.testing.assert_array_equal(slots_of(session), run.slots)
    session.editing.undo()
    np.testing.assert_array_equal(slots_of(session), run.slots)
    session.editing.undo()
    assert isinstance(session.state.wanted.mapping, Random)


def fields(spec):
    return {name: getattr(spec, name) for name in spec.__struct_fields__}


def test_opening_another_scenario_drops_the_runs(session):
    session.optimiser.start()
    assert session.state.search.runs
    other = session.state.wanted.with_choice("mapping", Sequential())
    session.open(other, None)
    assert session.state.search.phase is SearchPhase.NONE
    assert session.state.search.runs == ()


def test_run_of_another_job_is_refused_with_a_reason(session):
    session.optimiser.start()
    session.optimiser.discard()
    session.choose("job", Halo(rows=2, cols=4))
    before = session.state.evaluation
    for use in (session.optimiser.show, session.optimiser.resume):
        use(session.state.search.runs[0])
        assert "another network, job or routing" in session.state.error.message
        assert session.state.evaluation is before


def test_only_a_run_that_has_ended_and_fits_can_be_resumed(session):
    resume = next(spec for spec in ACTIONS if spec.id == "optimise.resume")
    assert not resume.enabled(session.state)
    session.optimiser.start()
    session.optimiser.discard()
    assert resume.enabled(session.state)
    session.choose("job", Halo(rows=2, cols=4))
    assert not resume.enabled(session.state)


def test_tools_and_notes_do_not_stop_a_search(session):
    session.optimiser.start()
    session.set_tool("paint")
    session.annotate(replace(session.state.wanted, note="while it searched"))
    assert session.state.search.phase is SearchPhase.FOUND
    session.optimiser.discard()
    assert session.state.wanted.note == "while it searched"


@pytest.mark.parametrize(("unit", "timed"), [("messages", False), ("MB", True)])
def test_search_of_message_counts_has_no_time(qapp, unit, timed):
    job = Flows(src=(0, 1), dst=(1, 2), volume=(3.0, 1.0), unit=unit)
    session = session_on(
        Scenario(Torus(dims=(4, 4)), job, Sequential(), DimensionOrder(), faults=(NodeFault(1),)), sync=True
    )
    assert session.state.report.disconnected
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=BUDGET))
    session.optimiser.start()
    run = session.state.search.runs[0]
    assert (run.times is not None) is timed
    session.close()


def test_resumed_search_continues_from_its_best_mapping_in_one_step(session):
    session.optimiser.start()
    run = session.state.search.runs[0]
    first = run.best, run.steps, run.seconds
    session.optimiser.resume(run)
    (run,) = session.state.search.runs
    assert (run.steps, run.seconds) == (2 * first[1], pytest.approx(2 * first[2]))
    assert run.best >= first[0]
    session.optimiser.keep()
    assert len(session.state.history.steps) == 1


def test_resuming_a_discarded_run_shows_it_again(session):
    session.optimiser.start()
    session.optimiser.discard()
    run = session.state.search.runs[0]
    session.optimiser.resume(run)
    assert session.state.search.shown == run.number
    np.testing.assert_array_equal(slots_of(session), run.slots)
    assert_full(session)


def test_pinned_and_unselected_tasks_are_passed_to_the_search(session):
    session.set_pinned_tasks([3, 1])
    session.mark([1, 2])
    asked = []

    def ask(report, request, listen, after):
        asked.append(request)
        return climb(report, request, listen)

    session.optimiser.search = ask
    session.optimiser.start()
    assert asked[0].constraints.pinned.tolist() == [1, 3]
    session.optimiser.discard()
    session.set_search_settings(replace(session.state.search.settings, marked_only=True, objective=HopBytes()))
    session.optimiser.start()
    tasks = session.state.evaluation.case.job.tasks
    assert asked[1].constraints.pinned.tolist() == [t for t in range(tasks) if t != 2]
    assert (asked[1].objective, asked[1].steps, asked[1].seconds) == (HopBytes(), BUDGET.steps, None)


def test_impossible_search_reports_a_reason(session):
    before = session.state.evaluation
    session.set_search_settings(replace(session.state.search.settings, marked_only=True))
    session.optimiser.start()
    assert "no task is selected" in session.state.error.message
    assert "no task is selected" in session.state.search.refused.message
    session.mark([1])
    session.set_pinned_tasks([1])
    session.optimiser.start()
    assert "pinned" in session.state.search.refused.message
    assert session.state.search.runs == ()
    assert session.state.evaluation is before


def test_error_of_the_search_restores_the_state(session):
    def refuse(report, request, listen, after):
        raise SpecError("unit", "nothing could move")

    before = session.state
    session.optimiser.search = refuse
    session.optimiser.start()
    assert_back(session, before)
    assert session.state.search.refused.message == "nothing could move"
    assert session.state.search.runs == ()


def test_pins_are_dropped_with_the_job(session):
    session.set_pinned_tasks([1, 2])
    session.choose("job", Halo(rows=2, cols=4))
    assert session.state.search.pinned_tasks.size == 0


def test_the_comparison_shows_what_a_run_has_changed(session):
    before = session.state.evaluation
    session.optimiser.start()
    run = session.state.search.runs[0]
    assert any("moved to another node" in line for line in run.changes)
    session.optimiser.explain(run)
    assert session.state.comparison.mode is ComparisonMode.DIFFERENCE
    np.testing.assert_array_equal(session.state.comparison.reference.case.mapping.slots, before.case.mapping.slots)
    session.optimiser.discard()
    session.set_reference(None)
    session.optimiser.explain(run)
    assert session.state.search.phase is SearchPhase.FOUND
    assert session.state.comparison.mode is ComparisonMode.DIFFERENCE
    np.testing.assert_array_equal(slots_of(session), run.slots)


def test_gap_and_limit_are_derived_from_the_bound(qapp):
    session = session_on(PERCS, sync=True)
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=BUDGET))
    session.optimiser.start()
    run, bound = session.state.search.runs[0], session.state.evaluation.bounds[0]
    assert run.limit == pytest.approx(session.state.report.throughput(bound.time))
    assert run.gap == pytest.approx(run.limit / run.best - 1)
    session.close()


# In a thread of its own


def test_better_mappings_are_shown_during_the_search(live, qtbot):
    mappings = better(live, 3)
    live.optimiser.search = search = Stepwise(*mappings)
    before = live.state
    live.optimiser.start()
    assert live.state.search.phase is SearchPhase.RUNNING
    for slots, _ in mappings:
        search.go()
        qtbot.waitUntil(lambda slots=slots: np.array_equal(slots_of(live), slots))
        assert live.state.search.phase is SearchPhase.RUNNING
        assert_full(live)
    search.go(last=True)
    qtbot.waitUntil(lambda: live.state.search.phase is SearchPhase.FOUND)
    seconds, current, best = live.state.search.shown_run.curve()
    assert seconds.size == current.size == best.size >= len(mappings)
    assert (np.diff(best) >= 0).all()
    assert best[-1] == pytest.approx(live.state.search.shown_run.best)
    live.optimiser.discard()
    assert_back(live, before)


def test_keeping_stops_the_search_first(live, qtbot):
    mappings = better(live, 2)
    live.optimiser.search = search = Stepwise(*mappings)
    live.optimiser.start()
    search.go()
    qtbot.waitUntil(lambda: live.state.edit.gesture.startswith("Optimise: "))
    live.optimiser.keep()
    qtbot.waitUntil(lambda: live.state.search.phase is SearchPhase.NONE)
    assert search.stopped.is_set()
    assert [step.name for step in live.state.history.steps] == [live.state.search.runs[0].name]
    np.testing.assert_array_equal(slots_of(live), mappings[0][0])


def test_stopped_search_can_be_kept_or_discarded(live, qtbot):
    live.optimiser.search = search = Stepwise(*better(live, 2))
    live.optimiser.start()
    search.go()
    qtbot.waitUntil(lambda: live.state.edit.gesture.startswith("Optimise: "))
    live.optimiser.stop()
    qtbot.waitUntil(lambda: live.state.search.phase is SearchPhase.FOUND)
    assert live.state.search.shown_run.ended
    assert not live.state.history.steps


def test_edit_stops_the_search_and_loses_nothing(live, qtbot):
    mappings = better(live, 2)
    live.optimiser.search = search = Stepwise(*mappings)
    live.optimiser.start()
    search.go()
    qtbot.waitUntil(lambda: np.array_equal(slots_of(live), mappings[0][0]))
    live.editing.apply(swap(live), "Swap")
    qtbot.waitUntil(search.stopped.is_set)
    qtbot.waitUntil(lambda: live.state.search.runs[0].ended)
    assert [step.name for step in live.state.history.steps] == [live.state.search.runs[0].name, "Swap"]
    assert live.state.search.phase is SearchPhase.NONE
    assert_full(live)


def test_discarding_stops_the_search(live, qtbot):
    live.optimiser.search = search = Stepwise(*better(live, 2))
    before = live.state
    live.optimiser.start()
    search.go()
    qtbot.waitUntil(lambda: live.state.edit.gesture.startswith("Optimise: "))
    live.optimiser.discard()
    assert_back(live, before)
    qtbot.waitUntil(lambda: live.state.search.runs[0].ended)
    assert_back(live, before)


def test_second_search_begins_only_after_the_first_has_stopped(live, qtbot):
    live.optimiser.search = search = Stepwise(*better(live, 2))
    live.optimiser.start()
    search.go()
    qtbot.waitUntil(lambda: live.state.edit.gesture.startswith("Optimise: "))
    live.optimiser.discard()
    live.optimiser.start()
    # A signal reports the end of the first, which may arrive a little after the second has begun.
    qtbot.waitUntil(lambda: len(search.calls) == 2 and live.state.search.runs[0].ended)
    assert [run.number for run in live.state.search.runs] == [1, 2]
    assert live.state.search.phase is SearchPhase.RUNNING
    live.optimiser.discard()


def test_an_error_in_the_search_is_not_swallowed(live, qtbot):
    def fail(report, request, listen, after):
        raise RuntimeError("a mistake in the search")

    before = live.state
    live.optimiser.search = fail
    with qtbot.captureExceptions() as caught:
        live.optimiser.start()
        qtbot.waitUntil(lambda: live.state.search.phase is SearchPhase.NONE)
    assert [str(error) for _, error, _ in caught] == ["a mistake in the search"]
    assert_back(live, before)


def test_closing_a_session_ends_a_search(qtbot):
    session = session_on(TORUS)
    session.optimiser.search = search = Stepwise()
    session.optimiser.start()
    qtbot.waitUntil(lambda: bool(search.calls))
    session.close()
    assert search.stopped.is_set()


def test_best_swaps_are_applied_until_none_helps_as_one_step(qapp):
    session = session_on(TORUS, sync=True)
    before = session.state
    session.optimiser.apply_best_swaps()
    run = session.state.search.runs[-1]
    assert run.request.method.title == "Best single swaps"
    assert (session.state.search.phase, session.state.edit.gesture) == (SearchPhase.NONE, "")
    assert run.result.swaps > 1
    assert [step.name for step in session.state.history.steps] == [f"Apply {run.result.swaps} best swaps"]
    assert session.state.report.throughput_gbs > before.report.throughput_gbs
    assert len(run.curve()[0]) >= run.result.swaps
    assert_full(session)
    assert suggest_swaps(session.state.report).best == ()
    session.editing.undo()
    assert session.state.wanted == before.wanted
    session.optimiser.apply_best_swaps()
    np.testing.assert_array_equal(slots_of(session), run.slots)
    session.optimiser.apply_best_swaps()
    assert session.state.search.message == NOTHING_BETTER
    assert len(session.state.history.steps) == 1
    session.close()


def test_best_swaps_leave_pinned_tasks(qapp):
    session = session_on(TORUS, sync=True)
    before = slots_of(session)
    session.set_pinned_tasks(np.arange(6))
    session.optimiser.apply_best_swaps()
    assert session.state.search.runs[-1].result.swaps > 0
    np.testing.assert_array_equal(slots_of(session)[:6], before[:6])
    session.close()


@pytest.mark.parametrize("stops", [True, False])
def test_best_swaps_stop_with_the_swaps_so_far_or_are_discarded(live, qtbot, stops):
    before = live.state
    mapping, time = better(live, 1)[0]
    live.optimiser.search = search = Stepwise((mapping, time))
    live.optimiser.apply_best_swaps()
    search.go()
    qtbot.waitUntil(lambda: live.state.search.shown_run.better and bool(live.editing.gesture_edit.count))
    np.testing.assert_array_equal(slots_of(live), mapping)
    if stops:
        live.optimiser.stop()
        qtbot.waitUntil(lambda: live.state.search.phase is SearchPhase.NONE)
        np.testing.assert_array_equal(slots_of(live), mapping)
        assert len(live.state.history.steps) == 1
        live.editing.undo()
        np.testing.assert_array_equal(slots_of(live), before.evaluation.case.mapping.slots)
    else:
        live.optimiser.discard()
        assert_back(live, before)
    assert search.stopped.wait(5)


@pytest.mark.parametrize("routing", [Minimal(spread="equal"), DimensionOrder()], ids=["minimal", "dimension-order"])
def test_a_search_for_the_worst_failure_shows_seconds_or_why_it_cannot_begin(qapp, routing):
    session = session_on(replace(TORUS, routing=routing), sync=True)
    session.set_search_settings(SearchSettings(objective=WorstFailure(3), budget=BUDGET))
    session.optimiser.start()
    search = session.state.search
    if isinstance(routing, DimensionOrder):
        assert search.refused.field == "failures"
        assert search.refused.message.startswith("every cable disconnects nodes under dimension-order routing")
    else:
        run = search.runs[-1]
        assert len(run.last.failures) == 3
        assert run.unit == "s per unit"
        assert run.best == run.last.best <= run.start
        best = best_of(session.state.evaluation.report, run.last)
        figures = search_figures(best, run.request, ())
        assert run.limit == pytest.approx(figures.bound)
        assert 0 < run.limit <= run.best
        assert run.gap == pytest.approx(run.best / run.limit - 1)
    session.close()


def test_the_choice_of_failures_is_shown_and_stopped(qapp):
    session, shown = session_on(replace(TORUS, routing=Minimal(spread="equal")), sync=True), []
    session.set_search_settings(SearchSettings(objective=WorstFailure(3), budget=BUDGET))
    before = session.state

    def follow(changes):
        run = session.state.search.shown_run
        if run is not None and run.preparing:
            shown.append(run.activity)
            if run.prepared > 0.5:
                session.optimiser.stop()

    session.changed.connect(follow)
    session.optimiser.start()
    session.changed.disconnect(follow)
    assert shown[-1].startswith("evaluating failures, 5")
    assert len(shown) > 5
    search = session.state.search
    assert (search.phase, search.message) == (SearchPhase.NONE, NOTHING_TRIED)
    assert search.runs[-1].activity == "stopped before the first mapping was tried"
    assert not search.runs[-1].preparing
    assert session.state.evaluation is before.evaluation
    session.optimiser.start()
    assert session.state.search.runs[-1].prepared == 1.0
    session.close()
