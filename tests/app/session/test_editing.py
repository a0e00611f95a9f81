"""Gestures and the history of a session: live loads equal a full evaluation, and Esc and undo leave no trace."""

import threading

import numpy as np
import pytest

from app.model.changes import ChangeSet
from app.model.performance import Performance
from app.model.pointing import Item
from app.model.state import FILE
from app.session.editing import MOVING
from app.session.evaluation import evaluate_for_editing, evaluate_remapped
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import FromFile, Random, Sequential
from core.mapping.edit import edit_moving, no_edit, occupants
from core.mapping.explicit import Explicit
from core.mapping.mapping import check_injection
from core.network import Torus
from core.routing import Adaptive, DimensionOrder, PercsIndirect
from core.spec import SpecError
from tests import patience
from tests.app.scenarios import HALO
from tests.app.sessions import session_on

SMALL = Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Sequential(), DimensionOrder())


@pytest.fixture(params=[HALO, SMALL], ids=["percs", "torus"])
def session(qapp, request):
    session = session_on(request.param, sync=True)
    yield session
    session.close()


@pytest.fixture
def heard(session):
    changes = []
    session.changed.connect(lambda change: changes.append(change))
    return changes


def put(session, tasks, slots):
    case = session.state.evaluation.case
    return edit_moving(case.mapping, tasks, slots, occupants(case.mapping, case.network.slots))


def assert_full(session):
    state = session.state
    full = evaluate(state.wanted.build())
    check_injection(state.evaluation.case.mapping.slots, state.evaluation.case.network.slots)
    np.testing.assert_array_equal(full.case.mapping.slots, state.evaluation.case.mapping.slots)
    np.testing.assert_allclose(state.report.load, full.load, atol=1e-12)
    assert state.report.time == pytest.approx(full.time)
    assert state.report.throughput_gbs == pytest.approx(full.throughput_gbs)


def test_gesture_shows_every_edit_and_is_one_step(session, heard):
    before = session.state.evaluation
    assert session.editing.begin("Drag")
    for slot in (3, 9, 7):
        session.editing.replace_edit(put_from(before, [0], [slot]), f"Task 0 to slot {slot}")
        assert session.state.evaluation.case.mapping.slots[0] == slot
        assert session.state.edit.gesture == f"Task 0 to slot {slot}"
        assert_full(session)
    assert session.state.baseline.performance.gbs == before.report.throughput_gbs
    session.editing.commit()
    assert [step.name for step in session.state.history.steps] == ["Task 0 to slot 7"]
    assert (session.state.edit.gesture, session.state.history.undo_name) == ("", "Task 0 to slot 7")
    assert isinstance(session.state.wanted.mapping, Explicit)
    assert session.state.dirty
    assert not any(ChangeSet.TOPOLOGY in change for change in heard)
    session.editing.undo()
    assert session.state.wanted == before.case.scenario
    assert not session.state.dirty
    np.testing.assert_array_equal(session.state.report.load, before.report.load)
    session.editing.redo()
    assert session.state.evaluation.case.mapping.slots[0] == 7
    assert_full(session)


def put_from(evaluation, tasks, slots):
    return edit_moving(
        evaluation.case.mapping, tasks, slots, occupants(evaluation.case.mapping, evaluation.case.network.slots)
    )


def test_strokes_add_up(session):
    session.editing.begin("Paint")
    for task in range(4):
        session.editing.append_edit(put(session, [task], [11 - task]))
        assert_full(session)
    session.editing.commit("Paint 4 tasks")
    assert session.state.evaluation.case.mapping.slots[:4].tolist() == [11, 10, 9, 8]
    assert len(session.state.history.steps) == 1


def test_cancelled_gesture_restores_the_identical_state(session):
    before = session.state
    session.editing.begin("Drag")
    session.editing.replace_edit(put(session, [0, 1], [8, 9]))
    session.editing.cancel()
    assert session.state.evaluation is before.evaluation
    assert session.state.wanted is before.wanted
    assert session.state.baseline is before.baseline
    assert not session.state.history.steps
    # The live loads are back too: the next edit starts from there.
    session.editing.apply(put(session, [2], [0]), "Move")
    assert_full(session)


def test_a_gesture_that_moves_nothing_is_no_step(session):
    before = session.state.evaluation
    session.editing.begin("Drag")
    session.editing.replace_edit(put(session, [0], [9]))
    session.editing.replace_edit(no_edit())
    session.editing.commit()
    assert session.state.evaluation is before
    assert not session.state.history.steps


def test_edit_too_large_for_live_loads_is_evaluated_in_full(session, monkeypatch):
    monkeypatch.setattr("app.session.editing.MAX_UPDATES", 0)
    before = session.state.evaluation
    session.editing.begin("Drag")
    session.editing.replace_edit(put(session, [0, 1], [8, 9]), "Far away")
    assert not session.state.edit.lagging
    assert_full(session)
    shown = session.state.evaluation
    assert shown.case.mapping.slots[0] == 8
    session.editing.commit()
    assert session.state.evaluation is shown
    assert session.state.history.undo_name == "Far away"
    session.editing.undo()
    assert session.state.wanted == before.case.scenario
    assert_full(session)


def test_gesture_that_returns_to_its_start_shows_the_previous_state(session, monkeypatch):
    before = session.state.evaluation
    edits = [put(session, [0, 1], slots) for slots in ([8, 9], [12, 13], [14, 15])]
    session.editing.begin("Drag")
    for most, edit in zip((0, 1 << 40, 0), edits, strict=True):
        monkeypatch.setattr("app.session.editing.MAX_UPDATES", most)
        session.editing.replace_edit(edit)
        assert session.state.evaluation.case.mapping.slots[0] == edit.new[0]
        assert_full(session)
    monkeypatch.setattr("app.session.editing.MAX_UPDATES", 1 << 40)
    session.editing.replace_edit(no_edit())
    assert session.state.evaluation is before
    session.editing.cancel()
    assert_full(session)


class Gate:
    """Lets evaluations of edits through one by one, and counts them."""

    def __init__(self, monkeypatch):
        self.begun, self.go = threading.Semaphore(0), threading.Semaphore(0)
        self.evaluated = []
        monkeypatch.setattr("app.session.editing.MAX_UPDATES", 0)
        monkeypatch.setattr("app.session.gesture.evaluate_remapped", self.evaluate_remapped)

    def evaluate_remapped(self, before, slots, progress):
        self.begun.release()
        assert self.go.acquire(timeout=patience.SECONDS)
        self.evaluated.append(slots)
        return evaluate_remapped(before, slots, progress)


@pytest.fixture
def slow(qtbot, monkeypatch):
    """A session whose gestures are evaluated in a thread, when its gate says so."""
    session = session_on(SMALL)
    gate = Gate(monkeypatch)
    yield session, gate
    for _ in range(10):
        gate.go.release()
    session.close()


class LongAnswers:
    """Lets answers to a session's requests through one by one."""

    def __init__(self, monkeypatch):
        self.go = threading.Semaphore(0)
        monkeypatch.setattr("app.session.editing.MAX_UPDATES", 0)
        monkeypatch.setattr("app.session.evaluator.evaluate_for_editing", self.evaluated)

    def evaluated(self, scenario, before, progress):
        assert self.go.acquire(timeout=patience.SECONDS)
        return evaluate_for_editing(scenario, before, progress)


@pytest.fixture
def late(qtbot, monkeypatch):
    """A session whose edits are evaluated whole, when `go` says so, and the slots it began with."""
    session = session_on(SMALL)
    answers = LongAnswers(monkeypatch)
    yield session, answers.go
    for _ in range(10):
        answers.go.release()
    session.close()


def release_far(session, task, slot):
    session.editing.apply(put(session, [task], [slot]), f"Task {task} away")


def test_pending_edit_is_not_dropped_by_a_new_gesture(qtbot, late):
    session, go = late
    release_far(session, 0, 13)
    assert session.evaluator.moving
    assert not session.editing.begin("Drag")
    assert session.state.edit.hint == MOVING
    go.release()
    qtbot.waitUntil(lambda: session.state.history.undo_name == "Task 0 away")
    assert session.state.evaluation.case.mapping.slots[0] == 13
    assert not session.state.edit.hint
    assert session.editing.begin("Drag")
    session.editing.cancel()


def test_undo_reverts_only_the_pending_edit(qtbot, late):
    session, go = late
    for task, slot in ((0, 13), (1, 14)):
        release_far(session, task, slot)
        go.release()
        qtbot.waitUntil(lambda: not session.evaluator.moving)
    release_far(session, 2, 15)
    session.editing.undo()
    assert not session.evaluator.moving
    assert session.state.history.done == 2
    assert session.state.evaluation.case.mapping.slots[:3].tolist() == [13, 14, 2]
    assert session.state.wanted == session.state.evaluation.case.scenario


def test_two_quick_undos_undo_two_steps(qtbot, late):
    session, go = late
    for task, slot in ((0, 13), (1, 14)):
        release_far(session, task, slot)
        go.release()
        qtbot.waitUntil(lambda: not session.evaluator.moving)
    session.editing.undo()
    session.editing.undo()
    for _ in range(3):
        go.release()
    qtbot.waitUntil(lambda: session.state.history.done == 0)
    assert session.state.evaluation.case.mapping.slots[:2].tolist() == [0, 1]
    assert session.state.history.redo_name == "Task 0 away"
    session.editing.redo()
    session.editing.undo()
    assert not session.evaluator.moving
    assert session.state.history.done == 0


def test_latest_edit_is_evaluated_next(qtbot, slow):
    session, gate = slow
    before = session.state.evaluation
    session.editing.begin("Drag")
    for slots in ([8, 9], [12, 13], [14, 15]):
        session.editing.replace_edit(put(session, [0, 1], slots))
        assert session.state.edit.lagging
        assert session.state.evaluation is before
    gate.go.release()
    qtbot.waitUntil(lambda: session.state.evaluation is not before)
    assert session.state.edit.lagging
    assert session.state.report.case.mapping.slots[0] == 8
    gate.go.release()
    qtbot.waitUntil(lambda: not session.state.edit.lagging)
    assert session.state.report.case.mapping.slots[0] == 14
    assert [slots[0] for slots in gate.evaluated] == [8, 14]
    shown = session.state.evaluation
    session.editing.commit()
    assert session.state.evaluation is shown
    assert len(session.state.history.steps) == 1
    assert_full(session)


def test_edit_released_before_it_is_evaluated_follows(qtbot, slow):
    session, gate = slow
    before = session.state.evaluation
    session.editing.begin("Drag")
    session.editing.replace_edit(put(session, [0, 1], [8, 9]), "Far away")
    session.editing.commit()
    qtbot.waitUntil(lambda: session.state.history.undo_name == "Far away")
    assert session.state.report.case.mapping.slots[0] == 8
    gate.go.release()
    session.wait_idle()
    qtbot.wait(20)
    assert session.state.report.case.mapping.slots[0] == 8
    assert_full(session)
    assert session.state.evaluation is not before


def test_edit_cancelled_before_it_is_evaluated_has_no_effect(qtbot, slow):
    session, gate = slow
    before = session.state.evaluation
    session.editing.begin("Drag")
    session.editing.replace_edit(put(session, [0, 1], [8, 9]))
    assert gate.begun.acquire(timeout=patience.SECONDS)
    session.editing.cancel()
    gate.go.release()
    session.wait_idle()
    qtbot.wait(20)
    assert session.state.evaluation is before
    assert not session.state.edit.lagging


def test_choices_are_undone_too_and_redone(session):
    first = session.state.wanted
    session.choose("mapping", Explicit.of(session.state.evaluation.case.mapping))
    session.editing.apply(put(session, [0], [5]), "Move task 0")
    session.choose("routing", Adaptive() if first == SMALL else PercsIndirect())
    last = session.state.wanted
    strategy, title = first.mapping.title.lower(), last.routing.title.lower()
    names = [step.name for step in session.state.history.steps]
    assert names == [
        f"mapping {strategy} → custom",
        "Move task 0",
        f"routing {first.routing.title.lower()} → {title}",
    ]
    for done in (0, 3, 1, 2):
        session.editing.travel(done)
        assert session.state.history.done == done
        assert_full(session)
        assert session.state.wanted == {0: first, 3: last}.get(done, session.state.wanted)


def test_a_refused_choice_is_no_step(session):
    session.choose("job", Halo(rows=999, cols=99))
    assert session.state.error is not None
    assert not session.state.history.steps
    session.choose("routing", SMALL.routing if session.state.wanted.network == HALO.network else HALO.routing)
    assert session.state.error is not None
    assert not session.state.history.steps


@pytest.mark.parametrize("steps", [0, 2])
def test_undo_reverts_refused_choices_one_by_one(session, steps):
    for number in range(steps):
        session.editing.apply(put(session, [number], [5 + number]), f"Move {number}")
    good = session.state.wanted
    session.choose("job", Halo(rows=999, cols=99))
    first = session.state.wanted
    session.choose("job", Halo(rows=998, cols=98))  # continues the choice of both
    second = session.state.wanted
    session.choose("mapping", Random(seed=7))
    assert session.state.refusal is not None
    for wanted in (second, good):
        assert session.state.undoes
        session.editing.undo()
        assert session.state.wanted == wanted
    assert first != second
    assert (session.state.error, session.state.refusal, session.state.drafts) == (None, None, ())
    assert session.state.history.done == steps
    assert session.state.undoes == (f"Move {steps - 1}" if steps else "")
    assert_full(session)


def test_file_error_leaves_the_refused_choice_marked(session):
    session.choose("job", Halo(rows=999, cols=99))
    refusal = session.state.refusal
    session.report_error(SpecError(FILE, "x cannot be opened"))
    assert session.state.refusal == refusal
    session.clear_transient_error()
    assert session.state.error == refusal
    session.editing.undo()
    assert session.state.error is None


def test_going_to_a_step_of_the_history_drops_a_refused_choice(session):
    session.editing.apply(put(session, [0], [5]), "Move")
    good = session.state.wanted
    session.choose("job", Halo(rows=999, cols=99))
    session.editing.travel(1)
    assert (session.state.wanted, session.state.error) == (good, None)


def test_edit_drops_a_refused_choice(session):
    session.choose("job", Halo(rows=999, cols=99))
    session.editing.apply(put(session, [0], [5]), "Move")
    assert session.state.error is None
    assert_full(session)


def test_another_file_starts_a_new_history(session):
    session.editing.apply(put(session, [0], [5]), "Move")
    session.open(SMALL, None)
    assert not session.state.history.steps
    assert session.state.history.undo_name == ""
    assert not session.state.dirty


def test_history_contains_throughputs(session):
    start = Performance.of(session.state.report)
    session.editing.apply(put(session, [0], [10]), "Move")
    history = session.state.history
    assert history.states == [start, Performance.of(session.state.report)]
    session.editing.undo()
    history = session.state.history
    assert history.states[history.done] == Performance.of(session.state.report)


def test_gesture_keeps_the_selection_and_explains_it_at_the_end(session):
    link = int(session.state.report.bottleneck_links[0])
    session.select(Item("link", link))
    session.editing.begin("Drag")
    session.editing.replace_edit(put(session, [0], [10]))
    assert session.state.selection == Item("link", link)
    assert session.state.explanation is None
    session.editing.commit()
    assert session.state.explanation.load == pytest.approx(session.state.report.load[link])


def test_random_edits_and_undos_do_not_accumulate_errors(session):
    rng = np.random.default_rng(1)
    slots, tasks = session.state.evaluation.case.network.slots, session.state.evaluation.case.job.tasks
    for _ in range(60):
        kind = rng.integers(4)
        if kind < 2:
            count = int(rng.integers(1, 5))
            edit = put(session, rng.permutation(tasks)[:count], rng.permutation(slots)[:count])
            session.editing.apply(edit, "Move")
        elif kind == 2:
            session.editing.undo()
        else:
            session.editing.travel(int(rng.integers(len(session.state.history.steps) + 1)))
    assert_full(session)


def test_edits_of_an_imported_mapping_keep_the_cores_of_ranks(qapp, tmp_path):
    (tmp_path / "ranks.txt").write_text("rank 0=n0 slot=0-1\nrank 1=n1 slot=2-3\n")
    network, ranks = Torus(dims=(4,), slots_per_node=4), FromFile(file="ranks.txt")
    session = session_on(Scenario(network, AllToAll(tasks=2), ranks, DimensionOrder(), folder=tmp_path), sync=True)
    wanted = [ranks, Explicit([12, 6], cores_per_rank=2), Explicit([12, 8], cores_per_rank=2)]
    session.editing.apply(put(session, [0], [12]), "first")
    session.editing.apply(put(session, [1], [8]), "second")
    for step in (2, 1, 0, 1, 2):
        session.editing.travel(step)
        assert session.state.wanted.mapping == session.state.evaluation.case.scenario.mapping == wanted[step]
        assert session.state.evaluation.case.mapping.cores_per_rank == 2
    session.close()
