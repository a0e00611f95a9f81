"""Named snapshots: each function gives a scenario, names are checked, and nothing is copied."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.job import Halo, Transpose
from core.load.scenario import Scenario
from core.load.snapshots import free_name, restored, snapshot, with_renamed, with_snapshot, without_snapshot
from core.mapping import Explicit, ModColour, Sequential
from core.network import Percs
from core.routing import PercsDirect
from core.spec import SpecError

FIRST = Scenario(Percs(), Halo(), ModColour(), PercsDirect(), note="mine", folder=Path("somewhere"))


@pytest.fixture
def two():
    """Two snapshots, and a third state that is edited."""
    second = with_snapshot(FIRST, "a").with_choice("mapping", Explicit(range(4096)))
    return with_snapshot(second, "b").with_choice("job", Transpose())


def names(scenario):
    return [snapshot.name for snapshot in scenario.snapshots]


def test_a_snapshot_keeps_the_choices_and_shares_them(two):
    assert names(two) == ["a", "b"]
    assert snapshot(two, "a").kept == replace(FIRST, note="", folder=None)
    assert snapshot(two, "b").kept.mapping is two.mapping
    assert snapshot(two, "b").kept.snapshots == ()


def test_taking_one_is_a_change_of_the_scenario():
    assert with_snapshot(FIRST, "a") != FIRST
    assert with_snapshot(FIRST, "a") != with_snapshot(FIRST, "b")
    assert with_snapshot(FIRST, "a") == with_snapshot(FIRST, " a ")


def test_going_back_keeps_note_folder_and_all_snapshots(two):
    back = restored(two, "a")
    assert back == replace(FIRST, snapshots=two.snapshots)
    again = restored(replace(back, note="new", folder=None), "b")
    assert again.mapping is two.mapping
    assert (again.job, again.note, again.folder, names(again)) == (Halo(), "new", None, ["a", "b"])


def test_editing_after_a_restore_leaves_the_snapshot(two):
    onwards = restored(two, "a").with_choice("mapping", Sequential())
    assert restored(onwards, "a").mapping == ModColour()


def test_snapshots_can_be_deleted_and_renamed(two):
    assert names(without_snapshot(two, "a")) == ["b"]
    renamed = with_renamed(two, "a", " best so far ")
    assert names(renamed) == ["best so far", "b"]
    assert snapshot(renamed, "best so far").kept == snapshot(two, "a").kept
    assert with_renamed(two, "a", "a") == two


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "is empty"), ("  ", "is empty"), ("a", "'a' is taken"), ("x" * 101, "at most 100 are allowed")],
)
def test_invalid_names_are_refused(name, words, two):
    for attempt in (lambda: with_snapshot(two, name), lambda: with_renamed(two, "b", name)):
        with pytest.raises(SpecError, match=words) as refused:
            attempt()
        assert refused.value.field.startswith("snapshots[")


def test_unknown_names_are_refused(two):
    for attempt in (restored, without_snapshot, snapshot, lambda s, name: with_renamed(s, name, "x")):
        with pytest.raises(SpecError, match="has no snapshot 'c'"):
            attempt(two, "c")


def test_the_next_name_is_free(two):
    assert free_name(FIRST) == "snapshot 1"
    assert free_name(two) == "snapshot 3"
    assert free_name(with_snapshot(two, "snapshot 4")) == "snapshot 5"
