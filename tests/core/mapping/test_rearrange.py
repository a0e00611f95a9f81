"""Tasks moved to targets, swapped and redistributed: which move, which stay, and which remain unplaced."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.mapping import Blocks, ColumnWise, Mapping, ModColour, Random, RowOrColumn, RowWise, Sequential
from core.mapping.edit import occupants
from core.mapping.rearrange import exchange, put, restrict
from core.mapping.targets import Target, target_count
from core.network import Percs, Torus
from core.spec import SpecError
from tests.core.mapping.cases import choices, edited, machines


@st.composite
def targets(draw, network):
    level = draw(st.integers(0, len(network.levels)))
    return Target(level, draw(st.integers(0, target_count(network, level) - 1)))


@given(machines(), st.data())
def test_tasks_moved_to_a_target_are_there_or_reported_as_unplaced(machine, data):
    network, job, mapping = machine
    tasks, keep = data.draw(choices(job)), data.draw(choices(job))
    slots = data.draw(targets(network)).slots(network)
    placement = put(mapping, tasks, slots, occupants(mapping, network.slots), keep)
    after = edited(placement.edit, mapping, network)
    there, here = np.isin(mapping.slots, slots), np.isin(after.slots, slots)
    # The requested tasks come in their order, as far as there are places.
    coming = [task for task in tasks if not there[task]]
    assert [*placement.placed, *placement.unplaced] == coming
    assert here[placement.placed].all()
    free = set(np.flatnonzero(there)) - set(tasks) - set(keep)
    empty = slots.size - int(there.sum())
    assert placement.placed.size == min(len(coming), empty + len(free))
    # Only tasks in the way leave, as few as possible, and no others move.
    gone = set(np.flatnonzero(there & ~here))
    assert gone <= free
    assert len(gone) == placement.edit.count - placement.placed.size == max(placement.placed.size - empty, 0)
    assert set(placement.edit.tasks) == gone | set(placement.placed)


def test_a_full_target_is_filled_from_its_first_slot_on():
    mapping = Mapping(np.arange(12, dtype=np.int32), 4)
    placement = put(mapping, [9, 6, 10], np.arange(4, 8, dtype=np.int32), occupants(mapping, 12))
    after = placement.edit.applied(mapping).slots
    assert after[[9, 6, 10]].tolist() == [4, 6, 5]
    assert after[[4, 5, 7]].tolist() == [9, 10, 7]
    assert placement.edit.count - placement.placed.size == 2


def test_empty_slots_are_taken_first():
    mapping = Mapping(np.array([0, 1, 4, 6], np.int32), 4)
    placement = put(mapping, [1, 0, 1], np.arange(4, 8, dtype=np.int32), occupants(mapping, 8))
    assert placement.edit.applied(mapping).slots.tolist() == [7, 5, 4, 6]


def test_a_stroke_of_more_tasks_than_fit_keeps_the_first():
    mapping, slots = Mapping(np.arange(12, dtype=np.int32), 4), np.arange(4, dtype=np.int32)
    stroke = []
    for point in ([4, 5], [6, 7, 0], [8, 9]):
        placement = put(mapping, point, slots, occupants(mapping, 12), stroke)
        mapping, stroke = placement.edit.applied(mapping), stroke + point
    assert sorted(np.flatnonzero(mapping.slots < 4).tolist()) == [4, 5, 6, 7]
    assert placement.unplaced.tolist() == [8, 9]
    assert placement.edit.count == 0


@given(machines(), st.data())
def test_targets_of_a_level_swap_their_tasks(machine, data):
    network, _, mapping = machine
    place = data.draw(targets(network))
    partner = Target(place.level, data.draw(st.integers(0, target_count(network, place.level) - 1)))
    before = occupants(mapping, network.slots)
    edit = exchange(mapping, place, partner, network, before)
    after = occupants(edited(edit, mapping, network), network.slots)
    here, there = place.slots(network), partner.slots(network)
    expected = before.copy()
    expected[here], expected[there] = before[there], before[here]
    np.testing.assert_array_equal(after, expected)


def test_targets_of_two_levels_are_not_swapped():
    network, mapping = Percs(2, 1).build(), Mapping(np.arange(8, dtype=np.int32), 4)
    with pytest.raises(SpecError) as refusal:
        exchange(mapping, Target(2, 3), Target(1, 5), network, occupants(mapping, network.slots))
    assert refusal.value.message == (
        "node 0 · d0 · 3 cannot be swapped with drawer 1 of supernode 1; choose another node or another drawer"
    )


strategies = st.sampled_from([Sequential(), RowWise(), ColumnWise(), RowOrColumn(), ModColour(), Blocks(2, 2)]) | (
    st.builds(Random, seed=st.integers(0, 9))
)


@given(machines(), strategies, st.data())
def test_a_strategy_redistributes_the_selected_tasks_among_their_slots(machine, strategy, data):
    network, job, mapping = machine
    tasks = data.draw(choices(job))
    try:
        wanted = strategy.build(job, network).slots
    except SpecError:
        wanted = None
    assume(wanted is not None)
    edit = restrict(mapping, tasks, strategy, job, network)
    after = edited(edit, mapping, network)
    assert set(edit.tasks) <= set(tasks)
    assert sorted(after.slots[tasks]) == sorted(mapping.slots[tasks])
    # They are in the order of the strategy, so that repeating it changes nothing.
    assert sorted(tasks, key=lambda task: after.slots[task]) == sorted(tasks, key=lambda task: wanted[task])
    assert restrict(after, tasks, strategy, job, network).count == 0


@pytest.mark.parametrize("strategy", [Sequential(), ColumnWise(), ModColour(), Random(3), Blocks(4, 8, "random", 1)])
def test_redistributing_all_tasks_of_a_full_machine_gives_the_strategy(strategy):
    network, job = Percs(16, 1).build(), Halo(32, 64).build()
    before = Random(seed=7).build(job, network)
    edit = restrict(before, np.arange(job.tasks), strategy, job, network)
    np.testing.assert_array_equal(edited(edit, before, network).slots, strategy.build(job, network).slots)


def test_a_refusing_strategy_is_reported():
    network, job = Torus(dims=(8,)).build(), AllToAll(tasks=8).build()
    mapping = Sequential().build(job, network)
    with pytest.raises(SpecError, match="column-wise needs a job on a task grid") as refusal:
        restrict(mapping, [1, 2], ColumnWise(), job, network)
    assert refusal.value.field == "mapping.type"
