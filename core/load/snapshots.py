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
    """Return the scenario with the choices of another scenario as its last snapshot, replacing any of the same name."""
    others = (snapshot for snapshot in scenario.snapshots if snapshot.name != name)
    return replace(scenario, snapshots=(*others, Snapshot(name, bare(kept))))


def without_snapshot(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario without the snapshot called `name`.

    Raises SpecError: if it does not exist.
    """
    gone = snapshot(scenario, name)
    return replace(scenario, snapshots=tuple(snapshot for snapshot in scenario.snapshots if snapshot is not gone))


def with_renamed(scenario: Scenario, name: str, new: str) -> Scenario:
    """Return the scenario with a snapshot renamed, in its old position.

    Raises SpecError: if it does not exist, or the new name is empty, too long or taken.
    """
    renamed_snapshot = snapshot(scenario, name)
    renamed = (replace(entry, name=new.strip()) if entry is renamed_snapshot else entry for entry in scenario.snapshots)
    return replace(scenario, snapshots=checked(tuple(renamed)))


def restored(scenario: Scenario, name: str) -> Scenario:
    """Return the choices of a snapshot, with the scenario's note, folder and snapshots.

    Raises SpecError: if it does not exist.
    """
    return with_notes_of(snapshot(scenario, name).kept, scenario)


def with_notes_of(choices: Scenario, other: Scenario) -> Scenario:
    """Return the choices with the note, folder and snapshots of another scenario, which belong to the file."""
    return replace(choices, note=other.note, folder=other.folder, snapshots=other.snapshots)


def snapshot(scenario: Scenario, name: str) -> Snapshot:
    """Return the snapshot called `name`.

    Raises SpecError: if it does not exist.
    """
    for entry in scenario.snapshots:
        if entry.name == name:
            return entry
    raise SpecError("snapshots", f"has no snapshot {name!r}")


def bare(scenario: Scenario) -> Scenario:
    """Return the choices only, as stored in a snapshot."""
    return replace(scenario, note="", folder=None, snapshots=())


def free_name(scenario: Scenario) -> str:
    """Return ``snapshot 3``, with the first free number."""
    names = {entry.name for entry in scenario.snapshots}
    number = len(names) + 1
    while f"snapshot {number}" in names:
        number += 1
    return f"snapshot {number}"


def checked(snapshots: Sequence[Snapshot]) -> tuple[Snapshot, ...]:
    """Return the snapshots.

    Raises SpecError: if a name is empty, too long or given twice.
    """
    seen = set[str]()
    for place, entry in enumerate(snapshots):
        field = f"snapshots[{place}].name"
        if not entry.name.strip():
            raise SpecError(field, "is empty; give the snapshot a name")
        if len(entry.name) > MAX_NAME_LENGTH:
            raise SpecError(field, f"has {len(entry.name):,} characters; at most {MAX_NAME_LENGTH} are allowed")
        if entry.name in seen:
            raise SpecError(field, f"{entry.name!r} is taken; give each snapshot a different name")
        seen.add(entry.name)
    return tuple(snapshots)
