"""The history: differences that lead to any step and back, in bounded memory."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model.history import ChoiceStep, EditStep, History
from app.model.performance import Performance
from core.job import Halo
from core.load.scenario import Case, Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import Edit, edit_moving, occupants
from core.mapping.explicit import Explicit
from core.network import Torus
from core.routing import DimensionOrder

START = Scenario(Torus(dims=(3, 4)), Halo(rows=3, cols=3), Sequential(), DimensionOrder())


def edit_of(case: Case, tasks: list[int], slots: list[int]) -> Edit:
    return edit_moving(case.mapping, tasks, slots, occupants(case.mapping, case.network.slots))


def after(case: Case, edit: Edit) -> Case:
    return replace(case.scenario, mapping=Explicit.of(edit.applied(case.mapping))).build(case)


@given(st.data())
def test_every_state_of_the_history_is_reached_from_any_other(data: st.DataObject) -> None:
    history, case = History(Performance(1.0)), START.build()
    states = [case.scenario]
    for k in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            task, slot = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 11))
            edit = edit_of(case, [task], [slot])
            if not edit.count:
                continue
            history = history.with_step(EditStep.over("move", Performance(float(k)), edit, case))
            case = after(case, edit)
        else:
            scenario = case.scenario.with_choice("mapping", Random(seed=k))
            history = history.with_step(ChoiceStep("choose", Performance(float(k)), case.scenario, scenario, "", 0.0))
            case = scenario.build(case)
        states.append(case.scenario)
    for _ in range(6):
        wanted = data.draw(st.integers(0, len(states) - 1))
        moment = history.at(wanted, case)
        assert moment.scenario == states[wanted]
        case = moment.scenario.build(case)
        if moment.slots is not None:
            np.testing.assert_array_equal(moment.slots, case.mapping.slots)
        history = replace(history, done=wanted)


def test_new_step_drops_undone_steps() -> None:
    history, case = History(), START.build()
    for slot in (9, 10, 11):
        history = history.with_step(EditStep.over(f"to {slot}", Performance(), edit_of(case, [0], [slot]), case))
    history = replace(history, done=1)
    assert (history.undo_name, history.redo_name) == ("to 9", "to 10")
    history = history.with_step(EditStep.over("to 8", Performance(), edit_of(case, [0], [8]), case))
    assert [step.name for step in history.steps] == ["to 9", "to 8"]
    assert history.redo_name == ""


def test_consecutive_changes_of_one_field_are_one_step() -> None:
    history = History()
    sizes = [START.with_choice("job", Halo(rows=3, cols=cols)) for cols in (3, 2, 1)]
    history = history.with_step(ChoiceStep("a", Performance(2.0), START, sizes[1], "job.cols", 5.0))
    history = history.with_step(ChoiceStep("b", Performance(3.0), sizes[1], sizes[2], "job.cols", 5.5))
    (step,) = history.steps
    assert isinstance(step, ChoiceStep)
    assert (step.before, step.after, step.reached, step.name) == (START, sizes[2], Performance(3.0), "Columns 3 → 1")
    history = history.with_step(ChoiceStep("c", Performance(3.0), sizes[2], sizes[1], "job.cols", 9.0))
    history = history.with_step(ChoiceStep("d", Performance(3.0), sizes[1], sizes[0], "job.rows", 9.1))
    assert len(history.steps) == 3


def test_memory_is_bounded_and_the_newest_steps_are_kept() -> None:
    case = START.build()
    edit = edit_of(case, [0], [11])
    room = EditStep.over("x", Performance(0.0), edit, case).nbytes
    history = History(Performance(7.0), memory=4 * room)
    for k in range(10):
        history = history.with_step(EditStep.over(str(k), Performance(float(k)), edit, case))
    assert [step.name for step in history.steps] == ["6", "7", "8", "9"]
    assert history.done == 4
    assert history.forgotten == 6
    assert [reached.gbs for reached in history.states] == [5.0, 6.0, 7.0, 8.0, 9.0]


@pytest.mark.parametrize("tasks", [1, 6])
def test_memory_of_a_step_depends_on_the_moved_tasks_only(tasks: int) -> None:
    case = START.with_choice("mapping", Explicit.of(START.build().mapping)).build()
    edit = edit_of(case, list(range(tasks)), [11 - k for k in range(tasks)])
    step = EditStep.over("move", Performance(), edit, case)
    assert step.drawn_from is None
    assert step.nbytes == pytest.approx(1000 + 12 * edit.count)


def test_cores_of_ranks_in_a_file_are_kept_by_undone_and_repeated_edits() -> None:
    case = START.build()
    case = replace(case, mapping=replace(case.mapping, cores_per_rank=2))
    history = History().with_step(EditStep.over("move", Performance(), edit_of(case, [0], [9]), case))
    edited = case.scenario.with_choice("mapping", Explicit.of(edit_of(case, [0], [9]).applied(case.mapping)))
    undone = history.at(0, replace(case, scenario=edited)).scenario
    assert undone == case.scenario
    assert replace(history, done=0).at(1, case).scenario == edited
    assert edited.mapping.cores_per_rank == 2
