"""Every field of the state that refers to places or tasks, over every change to another network or job."""

from dataclasses import fields, is_dataclass
from typing import get_args, get_type_hints

import numpy as np
import pytest
from numpy.typing import NDArray

from app.model.pointing import Item
from app.model.state import State
from app.session.evaluation import evaluate_for_editing
from core.job import Halo
from core.job.job import Tasks
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.targets import Target
from core.network import Complete, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect
from core.spec import no_progress
from tests.app.sessions import field_of, with_fields

PLACES = ("selection", "hover", "target", "level", "grabbed_place", "drop_target", "allocated", "pinned_items")
TASKS = ("marked", "grabbed", "pinned_tasks")
LARGE = Scenario(Percs(supernodes=4, d_links=4), Halo(rows=16, cols=32), Sequential(), PercsDirect())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
COMPLETE = Scenario(Complete(nodes=600), Halo(rows=4, cols=4), Sequential(), Minimal())


def choose(session, other):
    session.propose(other)


def open_file(session, other):
    session.open(other, None)


def fit(session, other):
    session.fit(other)


def swap_with_a(session, other):
    session.pin_scenario(other)
    session.swap_pinned()


def follow_history(session, other):
    """Undo and redo with the fields set in between."""
    session.propose(other)
    session.editing.undo()
    fill(session)
    session.editing.redo()


def show_scene(session, other):
    from app.model.scenes import Scene

    result = evaluate_for_editing(other, session.state.evaluation.case, no_progress)
    session.editing.show_scene(Scene("scene", "", other), result, "Scene")


WAYS = (choose, open_file, fit, swap_with_a, follow_history, show_scene)


def fill(session):
    """Make every field refer to the last place, or task."""
    case = session.state.evaluation.case
    nodes, last_task = case.network.nodes, case.job.tasks - 1
    place, tasks = Target(len(case.network.levels), nodes - 1), np.array([0, last_task], np.int32)
    values = {
        "selection": Item("node", nodes - 1),
        "hover": Item("task", last_task),
        "marked": tasks,
        "target": place,
        "level": len(case.network.levels),
        "grabbed": tasks,
        "grabbed_place": place,
        "drop_target": place,
        "allocated": np.ones(nodes, np.bool_),
        "pinned_tasks": tasks,
        "pinned_items": (Item("link", case.network.links - 1), Item("group", 0)),
    }
    assert values.keys() == {*PLACES, *TASKS}
    session.show(with_fields(session.state, **values))
    assert not any(is_empty(session.state, name) for name in (*PLACES, *TASKS))


def is_empty(state, name):
    """Whether a field refers to nothing."""
    value = field_of(state, name)
    return value is None or (not isinstance(value, int | Item | Target) and not len(value))


def refers(annotation):
    """Whether a field of this type holds numbers of places or tasks."""
    kinds = {annotation, *get_args(annotation)}
    return bool(kinds & {Item, Target}) or annotation in (Tasks, tuple[Item, ...]) or NDArray[np.bool_] in kinds


def test_all_fields_that_refer_to_places_are_listed():
    groups = [field.default_factory for field in fields(State) if is_dataclass(field.default_factory)]
    place_fields = {
        field.name for kind in (State, *groups) for field in fields(kind) if refers(get_type_hints(kind)[field.name])
    }
    # The number of a level has no separate type.
    assert place_fields | {"level"} == {*PLACES, *TASKS}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("other", [TORUS, COMPLETE, LARGE.with_choice("network", Percs(supernodes=8, d_links=4))])
def test_another_network_leaves_no_reference_to_a_place(session_of, way, other):
    session = session_of(LARGE)
    if way is follow_history:
        other = other.with_choice("mapping", Sequential())
    fill(session)
    way(session, other)
    state = session.state
    assert state.evaluation.case.scenario.network == other.network
    same_job = state.evaluation.case.scenario.job == LARGE.job
    for name in PLACES if same_job else (*PLACES, *TASKS):
        assert is_empty(state, name), name


@pytest.mark.parametrize("way", WAYS)
def test_another_job_leaves_no_number_of_a_task(session_of, way):
    session = session_of(LARGE)
    fill(session)
    way(session, LARGE.with_choice("job", Halo(rows=8, cols=8)))
    for name in TASKS:
        assert is_empty(session.state, name), name
    # The hovered task disappears, all places remain.
    assert session.state.hover is None
    assert session.state.selection == Item("node", session.state.evaluation.case.network.nodes - 1)


def test_reference_to_a_missing_place_is_dropped(session_of):
    """As a view sends it that still shows the previous network."""
    session, large = session_of(TORUS), Target(0, 1007)
    session.hover(Item("node", 1007))
    session.select(Item("link", 10**6))
    session.set_target(large)
    session.set_drop_target(large)
    session.set_grabbed([3, 999], large)
    session.mark([2, 16])
    session.set_pinned_tasks([15, 700])
    session.set_level(3)
    session.set_allocated(np.ones(99, np.bool_))
    session.watcher.pin(Item("node", 16))
    state = session.state
    assert all(field_of(state, name) is None for name in ("hover", "selection", "target", "drop_target", "level"))
    assert state.edit.grabbed.tolist() == [3]
    assert state.edit.grabbed_place is None
    assert state.marked.tolist() == [2]
    assert state.search.pinned_tasks.tolist() == [15]
    assert state.edit.allocated is None
    assert state.time.pinned_items == ()
