"""The compact list of slots: immutable, compared by value, without needless copies."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.job import Halo
from core.mapping import Explicit, Random
from core.mapping.explicit import SlotList
from core.network import Percs, Torus
from core.spec import SpecError, fields_of, from_plain, to_plain


def settled(*slots):
    array = np.array(slots, np.int32)
    array.setflags(write=False)
    return array


def test_slots_are_a_sequence_of_plain_numbers():
    slots = SlotList((5, 0, 3, 9))
    assert list(slots) == [5, 0, 3, 9]
    assert (len(slots), slots[-1], slots[1:3], 3 in slots) == (4, 9, SlotList((0, 3)), True)
    assert type(slots[0]) is int
    assert len(SlotList(())) == 0


def test_read_only_slots_are_not_copied():
    array = settled(4, 2)
    assert SlotList(array).array is array
    assert Explicit(SlotList(array)).slots.array is array


def test_writable_slots_are_copied():
    for array in (np.array([4, 2], np.int32), np.array([4, 2], np.int64), np.array([4, 2], np.int32)[:]):
        slots = SlotList(array)
        array[0] = 7
        assert list(slots) == [4, 2]
    owner = np.array([4, 2], np.int32)
    view = owner[:]
    view.setflags(write=False)
    slots = SlotList(view)
    owner[0] = 7
    assert list(slots) == [4, 2]


def test_slots_are_immutable():
    with pytest.raises(ValueError, match="read-only"):
        SlotList([1, 2]).array[0] = 5


def test_equal_slots_are_equal_choices_with_one_hash():
    explicit, same, other = Explicit((3, 1)), Explicit(SlotList(np.array([3, 1]))), Explicit((3, 2))
    assert explicit == same
    assert hash(explicit) == hash(same)
    assert explicit != other
    assert explicit != Explicit((3,))
    assert explicit.slots != (3, 1)


def test_long_lists_are_shown_short():
    assert repr(SlotList((3, 1))) == "SlotList(3, 1)"
    assert repr(Explicit(SlotList(np.arange(65_536)))) == "Explicit(slots=SlotList(0, 1, 2, … 65,536 slots))"


@pytest.mark.parametrize("slots", [(0, -1), (0, 1 << 31), (0, 1 << 70), (0.5, 1.0), ((0, 1), (2, 3)), ("a",)])
def test_invalid_slots_are_refused(slots):
    with pytest.raises(SpecError) as refused:
        SlotList(slots)
    assert refused.value.field == "mapping.slots"


def test_the_choice_of_a_mapping_gives_that_mapping():
    network, job = Percs(supernodes=4).build(), Halo(rows=16, cols=16).build()
    mapping = Random(seed=3).build(job, network)
    explicit = Explicit.of(mapping)
    again = explicit.build(job, network)
    np.testing.assert_array_equal(again.slots, mapping.slots)
    again.slots[0] += 1  # a separate mapping
    assert explicit == Explicit.of(mapping)


def test_slots_are_declared_and_stored_as_a_list():
    field, _ = fields_of(Explicit)
    assert (field.kind, field.required, field.title) == (tuple, True, "Placements")
    plain = to_plain(Explicit((5, 0)))
    assert plain == {"type": "explicit", "slots": [5, 0]}
    assert from_plain(plain, Explicit) == Explicit((5, 0))


def test_cores_per_rank_are_stored_and_kept_by_moves():
    explicit = Explicit((0, 6), cores_per_rank=6)
    assert to_plain(explicit) == {"type": "explicit", "slots": [0, 6], "cores_per_rank": 6}
    assert from_plain(to_plain(explicit), Explicit) == explicit
    assert explicit.moved(np.array([6, 0], np.int32)) == Explicit((6, 0), cores_per_rank=6)
    mapping = explicit.build(SimpleNamespace(tasks=2), Torus(dims=(2,), slots_per_node=12).build())
    assert mapping.cores_per_rank == 6
    assert Explicit.of(mapping) == Explicit.of(mapping.moved(mapping.slots)) == explicit
