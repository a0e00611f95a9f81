"""Edits keep the mapping an injection, can be undone, and add up."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.mapping.edit import EMPTY, edit_between, edit_moving, no_edit, occupants, swapped
from core.mapping.mapping import Mapping, check_injection

SLOTS = 24


@st.composite
def mappings(draw: st.DrawFn) -> Mapping:
    tasks = draw(st.integers(1, SLOTS))
    slots = draw(st.permutations(range(SLOTS)))[:tasks]
    return Mapping(np.array(slots, np.int32), 4)


@st.composite
def moves(draw: st.DrawFn, mapping: Mapping) -> tuple[list[int], list[int]]:
    count = draw(st.integers(0, mapping.slots.size))
    tasks = draw(st.permutations(range(mapping.slots.size)))[:count]
    return list(tasks), list(draw(st.permutations(range(SLOTS)))[:count])


@given(st.data())
def test_a_move_places_tasks_and_stays_an_injection(data: st.DataObject) -> None:
    mapping = data.draw(mappings())
    tasks, slots = data.draw(moves(mapping))
    edit = edit_moving(mapping, tasks, slots, occupants(mapping, SLOTS))
    after = edit.applied(mapping)
    check_injection(after.slots, SLOTS)
    assert after.slots[tasks].tolist() == slots
    # Only the requested tasks move, and those in their way.
    in_the_way = set(np.flatnonzero(np.isin(mapping.slots, slots))) | set(tasks)
    assert set(edit.tasks.tolist()) <= in_the_way
    np.testing.assert_array_equal(edit.inverse().applied(after).slots, mapping.slots)


@given(st.data())
def test_two_edits_in_a_row_are_one(data: st.DataObject) -> None:
    start = data.draw(mappings())
    first = edit_moving(start, *data.draw(moves(start)), occupants(start, SLOTS))
    middle = first.applied(start)
    second = edit_moving(middle, *data.draw(moves(middle)), occupants(middle, SLOTS))
    end = second.applied(middle)
    both = first.then(second)
    np.testing.assert_array_equal(both.applied(start).slots, end.slots)
    direct = edit_between(start, end)
    np.testing.assert_array_equal(both.tasks, direct.tasks)
    np.testing.assert_array_equal(both.old, direct.old)
    assert first.then(first.inverse()).count == 0
    assert no_edit().then(first).count == first.count


def test_a_full_target_swaps_in_the_order_of_slots() -> None:
    mapping = Mapping(np.arange(8, dtype=np.int32), 4)
    edit = edit_moving(mapping, [6, 1], [3, 2], occupants(mapping, 8))
    assert edit.applied(mapping).slots.tolist() == [0, 2, 1, 6, 4, 5, 3, 7]


def test_swapping_nodes_includes_empty_slots() -> None:
    mapping = Mapping(np.array([0, 1, 6], np.int32), 4)
    after = swapped(mapping, [0, 1, 2, 3], [4, 5, 6, 7], occupants(mapping, 8)).applied(mapping)
    assert after.slots.tolist() == [4, 5, 2]
    assert occupants(after, 8).tolist() == [EMPTY, EMPTY, 2, EMPTY, 0, 1, EMPTY, EMPTY]
