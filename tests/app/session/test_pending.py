"""Computations that take noticeable time are shown by name, and results are outdated until they end."""

import json
import threading
import time

import pytest

from app.background.latest_wins import PROMPT_MS
from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind
from app.session import editing, evaluator, gesture, presentation
from app.tour.tour_file import decode_tour
from core.job import Halo
from core.load.scenario import MAPPING_PART, Scenario
from core.mapping import ColouredBlocks, Random, Sequential
from core.mapping.edit import edit_moving, occupants
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect, PercsIndirect
from core.spec import SpecError
from tests.app.sessions import session_on

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Sequential(), PercsDirect())
INDIRECT, RANDOM = SMALL.with_choice("routing", PercsIndirect()), SMALL.with_choice("mapping", Random(seed=1))
MISFIT = SMALL.with_choice("job", Halo(4096, 4096))


@pytest.fixture
def session(qapp):
    """A session that works in threads, as the program's does."""
    session = session_on(SMALL)
    yield session
    session.close()


class Held:
    """A function that waits until it is released, and stops when it is outdated."""

    def __init__(self, work):
        self._work, self._go = work, threading.Event()

    def __call__(self, *arguments):
        progress = arguments[-1]
        while not self._go.wait(0.01):
            progress(0.25)
        return self._work(*arguments)

    def let_go(self):
        self._go.set()


@pytest.fixture
def hold(monkeypatch):
    """Hold a function of a module."""
    held = []

    def hold_function(module, name):
        held.append(Held(getattr(module, name)))
        monkeypatch.setattr(module, name, held[-1])
        return held[-1]

    yield hold_function
    for held_request in held:
        held_request.let_go()


@pytest.fixture
def evaluation(hold):
    return hold(evaluator, "evaluate_for_editing")


@pytest.fixture
def outdated(session):
    """Whether results were outdated, after each change."""
    seen = []
    session.changed.connect(lambda changes: seen.append(session.state.outdated))
    return seen


def begun(qtbot, session, scenario=INDIRECT):
    session.propose(scenario)
    assert not session.state.outdated  # not at once
    qtbot.waitUntil(lambda: session.state.outdated)


def test_results_are_outdated_until_new_ones_arrive(session, evaluation, qtbot):
    shown = session.state.evaluation
    begun(qtbot, session)
    assert session.state.pending.words == "Computing: Indirect routing"
    assert session.state.evaluation is shown
    evaluation.let_go()
    qtbot.waitUntil(lambda: not session.state.outdated)
    assert session.state.evaluation.case.scenario == INDIRECT
    assert session.state.computations == ()


def test_results_are_outdated_until_the_request_is_refused(session, evaluation, qtbot):
    begun(qtbot, session, MISFIT)
    evaluation.let_go()
    qtbot.waitUntil(lambda: not session.state.outdated)
    assert session.state.refusal is not None
    assert session.state.computations == ()


@pytest.mark.parametrize("cancel", [lambda session: session.cancel_pending(), lambda session: session.editing.undo()])
def test_results_are_outdated_until_the_request_is_cancelled(session, evaluation, qtbot, cancel):
    begun(qtbot, session)
    cancel(session)
    assert session.state.computations == ()
    assert session.state.wanted == SMALL


def test_a_search_for_a_mapping_shows_progress_until_it_is_cancelled(session, monkeypatch, qtbot):
    stopped = threading.Event()

    def search(spec, job, network, progress):
        try:
            while True:
                progress(0.5)
                time.sleep(0.01)
        finally:
            stopped.set()

    monkeypatch.setattr(ColouredBlocks, "search", search)
    shown = session.state
    begun(qtbot, session, SMALL.with_choice("mapping", ColouredBlocks()))
    qtbot.waitUntil(lambda: session.state.pending.fraction == pytest.approx(0.5 * MAPPING_PART))
    assert session.state.pending.words == "Computing: Coloured blocks mapping"
    session.cancel_pending()
    assert stopped.wait(5)
    assert (session.state.evaluation, session.state.wanted) == (shown.evaluation, shown.wanted)
    assert (session.state.computations, session.state.refusal, session.state.error) == ((), None, None)


def test_computation_without_progress_is_shown(session, monkeypatch, qtbot):
    go = threading.Event()
    monkeypatch.setattr(evaluator, "evaluate_for_editing", lambda *arguments: go.wait())
    begun(qtbot, session)
    assert session.state.pending.fraction == 0.0
    session.cancel_pending()
    go.set()


def test_short_computation_is_not_shown(session, outdated, monkeypatch, qtbot):
    ready = evaluator.evaluate_for_editing(INDIRECT, None, lambda fraction: None)
    monkeypatch.setattr(evaluator, "evaluate_for_editing", lambda *arguments: ready)
    session.propose(INDIRECT)
    qtbot.waitUntil(lambda: session.state.evaluation is ready.evaluation)
    qtbot.wait(2 * PROMPT_MS)
    assert not any(outdated)


def test_second_choice_is_named_at_once_without_flicker(session, evaluation, outdated, qtbot):
    begun(qtbot, session)
    outdated.clear()
    session.choose("mapping", Random(seed=1))
    assert session.state.pending.words == "Computing: Random mapping, Indirect routing"
    evaluation.let_go()
    qtbot.waitUntil(lambda: session.state.evaluation.case.scenario == INDIRECT.with_choice("mapping", Random(seed=1)))
    assert all(outdated[: outdated.index(False)])
    assert not any(outdated[outdated.index(False) :])


def test_progress_alone_refreshes_no_view(session, evaluation, qtbot):
    begun(qtbot, session)
    seen = []
    session.changed.connect(seen.append)
    fraction = session.state.pending.fraction
    session.show_computation(session.state.pending._replace(fraction=0.5))
    assert (fraction, session.state.pending.fraction) != (0.5, 0.25)
    assert seen == [ChangeSet.PROGRESS]


def test_an_opened_file_is_named(session, hold, qtbot, tmp_path):
    hold(evaluator, "evaluate_opened")
    session.open(RANDOM, tmp_path / "random.fabriscope.json")
    qtbot.waitUntil(lambda: session.state.outdated)
    assert session.state.pending.words == "Computing: random.fabriscope.json"


def test_a_file_being_read_outdates_nothing_and_its_end_hides_no_evaluation(session, evaluation, qtbot):
    go = threading.Event()
    session.evaluator.read("slow.json", go.wait, lambda content: None)
    qtbot.waitUntil(lambda: session.state.pending is not None)
    assert (session.state.pending.words, session.state.outdated) == ("Reading slow.json", False)
    begun(qtbot, session)
    go.set()
    qtbot.waitUntil(lambda: session.state.preparing is None)
    assert session.state.outdated


def swap(session, first=0, second=700):
    mapping, slots = session.state.evaluation.case.mapping, session.state.evaluation.case.network.slots
    return edit_moving(mapping, [first, second], mapping.slots[[second, first]], occupants(mapping, slots))


def test_live_edits_outdate_nothing(session, outdated):
    session.editing.begin("Move")
    for task in range(1, 40):
        session.editing.replace_edit(swap(session, second=task))
    session.editing.commit()
    assert not any(outdated)


@pytest.fixture
def slow_gesture(session, hold, monkeypatch, qtbot):
    """A gesture whose edit is too large for live loads, while it is being evaluated."""
    edits = hold(gesture, "evaluate_remapped")
    monkeypatch.setattr(editing, "MAX_UPDATES", -1)
    session.editing.begin("Move")
    session.editing.replace_edit(swap(session), "Swap task 0 with 700")
    qtbot.waitUntil(lambda: session.state.outdated)
    assert session.state.pending.words == "Computing: Swap task 0 with 700"
    return edits


def test_edit_too_large_for_live_loads_outdates_results_until_it_is_shown(session, slow_gesture, qtbot):
    shown = session.state.evaluation
    slow_gesture.let_go()
    qtbot.waitUntil(lambda: not session.state.outdated)
    assert session.state.evaluation is not shown
    assert session.state.edit.gesture


def test_edit_too_large_for_live_loads_outdates_results_until_it_is_cancelled(session, slow_gesture):
    assert not session.state.pending.cancellable  # by itself
    session.editing.cancel()
    assert session.state.computations == ()


def test_gesture_that_ends_early_stays_outdated_without_a_gap(session, slow_gesture, evaluation, outdated, qtbot):
    session.editing.commit()
    assert all(outdated)
    assert session.state.pending.kind is Kind.EVALUATION
    evaluation.let_go()
    qtbot.waitUntil(lambda: not session.state.outdated)
    assert session.state.history.done == 1


def test_a_presentation_that_ends_restores_a_desk_where_nothing_is_pending(session, evaluation, qtbot):
    begun(qtbot, session)
    session.presentation.begin()
    evaluation.let_go()
    qtbot.waitUntil(lambda: not session.state.outdated)
    session.presentation.end()
    assert not session.state.outdated


def test_scene_is_shown_as_pending_until_it_is_ready_refused_or_cancelled(session, hold, qtbot):
    scenes = [{"title": name, "scenario": name} for name in ("power775-smallest", "hypercube-64-nodes")]
    scenes.append({"title": "misfit", "changes": {"mapping": {"type": "nonsense"}}})
    session.tours.open(
        decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": scenes}).encode()), None, saved=None
    )
    for number in range(len(scenes)):
        held = hold(presentation, "ready")
        session.presentation.go(number)
        qtbot.waitUntil(lambda: session.state.outdated)
        assert session.state.pending.words == f"Computing: scene {number + 1}"
        if number == 1:
            session.cancel_pending()
        held.let_go()
        qtbot.waitUntil(lambda: not session.state.outdated)
        assert session.state.tour.scene_asked is None
    assert isinstance(session.state.tour.scene_error, SpecError)


def test_computation_that_outdates_results_is_shown_first(session):
    reading, edits = Computation(Kind.FILE, "Reading x"), Computation(Kind.LIVE_LOADS, "Preparing edits")
    loads = Computation(Kind.EVALUATION, "Computing: Torus")
    for computation in (reading, edits, loads):
        session.show_computation(computation)
    assert (session.state.pending, session.state.preparing) == (loads, edits)
    session.end_computation(Kind.EVALUATION)
    assert (session.state.pending, session.state.outdated) == (edits, False)


def test_live_loads_being_made_outdate_nothing(session, monkeypatch, qtbot):
    go, make = threading.Event(), evaluator.LiveLoads
    monkeypatch.setattr(evaluator, "LiveLoads", lambda report: go.wait() and make(report))
    session.evaluator.follow(session.state.evaluation, lambda result: None)
    qtbot.waitUntil(lambda: session.state.pending is not None)
    assert (session.state.pending.words, session.state.outdated) == ("Preparing edits", False)
    assert not session.state.pending.cancellable
    go.set()
    qtbot.waitUntil(lambda: session.state.pending is None)


def test_another_network_is_named(session, evaluation, qtbot):
    session.fit(Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder()))
    qtbot.waitUntil(lambda: session.state.outdated)
    assert session.state.pending.words == "Computing: Torus"
