"""Named snapshots of a scenario: take, restore, rename, delete."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from core.load.scenario import Scenario, Snapshot
from core.spec import SpecError

MAX_NAME_LENGTH = 100
Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_LENGTH)]
"""The declaration of a snapshot's name."""


def with_snapshot(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario with its present choices as a new last snapshot.

    Nothing is copied, as choices are immutable.

    Raises SpecError: if the name is empty, too long or taken.
    """
    taken = Snapshot(name.strip(), bare(scenario))
    return replace(scenario, snapshots=checked((*scenario.snapshots, taken)))


def with_kept(scenario: Scenario, name: str, kept: Scenario) -> Scenario:
    """Return the scenario with the choices of another one as its last snapshot, in place of any of the same name."""
    others = (one for one in scenario.snapshots if one.name != name)
    return replace(scenario, snapshots=(*others, Snapshot(name, bare(kept))))


def without_snapshot(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario without the snapshot of that name.

    Raises SpecError: if there is none.
    """
    gone = snapshot(scenario, name)
    return replace(scenario, snapshots=tuple(one for one in scenario.snapshots if one is not gone))


def with_renamed(scenario: Scenario, name: str, new: str) -> Scenario:
    """Return the scenario with a snapshot renamed, at its old place.

    Raises SpecError: if there is none, or the new name is empty, too long or taken.
    """
    found = snapshot(scenario, name)
    renamed = (replace(one, name=new.strip()) if one is found else one for one in scenario.snapshots)
    return replace(scenario, snapshots=checked(tuple(renamed)))


def restored(scenario: Scenario, name: str) -> Scenario:
    """Return the choices of a snapshot, with the scenario's note, folder and snapshots.

    Raises SpecError: if there is none.
    """
    return with_notes_of(snapshot(scenario, name).kept, scenario)


def with_notes_of(choices: Scenario, other: Scenario) -> Scenario:
    """Return the choices with the note, folder and snapshots of another scenario, which belong to the file."""
    return replace(choices, note=other.note, folder=other.folder, snapshots=other.snapshots)


def snapshot(scenario: Scenario, name: str) -> Snapshot:
    """Return the snapshot of that name.

    Raises SpecError: if there is none.
    """
    for one in scenario.snapshots:
        if one.name == name:
            return one
    raise SpecError("snapshots", f"none is called {name!r}")


def bare(scenario: Scenario) -> Scenario:
    """Return the choices only, as a snapshot keeps them."""
    return replace(scenario, note="", folder=None, snapshots=())


def free_name(scenario: Scenario) -> str:
    """Return ``snapshot 3``, with the first number that is free."""
    names = {one.name for one in scenario.snapshots}
    number = len(names) + 1
    while f"snapshot {number}" in names:
        number += 1
    return f"snapshot {number}"


def checked(snapshots: Sequence[Snapshot]) -> tuple[Snapshot, ...]:
    """Return the snapshots.

    Raises SpecError: if a name is empty, too long or given twice.
    """
    seen = set[str]()
    for place, one in enumerate(snapshots):
        field = f"snapshots[{place}].name"
        if not one.name.strip():
            raise SpecError(field, "is empty; give the snapshot a name")
        if len(one.name) > MAX_NAME_LENGTH:
            raise SpecError(field, f"has {len(one.name):,} characters; give it at most {MAX_NAME_LENGTH}")
        if one.name in seen:
            raise SpecError(field, f"{one.name!r} is taken; give each snapshot a name of its own")
        seen.add(one.name)
    return tuple(snapshots)
