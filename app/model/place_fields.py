"""The fields of the state that refer to places of the machine or to tasks, and what is left of them in another case."""

from typing import Any, NamedTuple

from app.model.changes import ChangeSet
from app.model.pointing import Item, exists
from core.job.job import NO_TASKS
from core.load.scenario import Case
from core.mapping.targets import Target, target_count


class PlaceField(NamedTuple):
    """A field that refers to places or tasks by number."""

    empty: Any
    """Its value where it refers to nothing."""
    change: ChangeSet
    """What changes with it."""
    numbers_tasks: bool = False
    """Whether its numbers are those of tasks, which another network leaves as they are."""


PLACE_FIELDS = {
    "selection": PlaceField(None, ChangeSet.SELECTION),
    "hover": PlaceField(None, ChangeSet.HOVER),
    "marked": PlaceField(NO_TASKS, ChangeSet.MARKED, numbers_tasks=True),
    "target": PlaceField(None, ChangeSet.TOOL),
    "level": PlaceField(None, ChangeSet.TOOL),
    "grabbed": PlaceField(NO_TASKS, ChangeSet.TOOL, numbers_tasks=True),
    "grabbed_place": PlaceField(None, ChangeSet.TOOL),
    "drop_target": PlaceField(None, ChangeSet.TOOL),
    "allocated": PlaceField(None, ChangeSet.TOOL),
    "pinned_tasks": PlaceField(NO_TASKS, ChangeSet.SEARCH, numbers_tasks=True),
    "pinned_items": PlaceField((), ChangeSet.TIME),
}
"""By name in `State` or one of its groups."""


def dropped(old: Case, case: Case, values: dict[str, Any]) -> tuple[dict[str, Any], ChangeSet]:
    """Return the fields to reset when a case replaces another, with their new values, and what changes.

    `values` are the present values of `PLACE_FIELDS`. Another network resets all but numbers of tasks; another job
    resets these. Otherwise a field is reset if it refers to something that the case lacks.
    """
    network, job = old.network is not case.network, old.job is not case.job
    kept, changes = dict[str, Any](), ChangeSet.NONE
    for name, field in PLACE_FIELDS.items():
        value = values[name]
        if is_empty(value):
            continue
        left = field.empty if (job if field.numbers_tasks else network) else remaining(value, case)
        if left is not value:
            kept[name], changes = left, changes | field.change
    return kept, changes


def existing(values: dict[str, Any], case: Case) -> dict[str, Any]:
    """Return values of the state without places and tasks that a case lacks."""
    return {
        name: remaining(value, case) if name in PLACE_FIELDS and not is_empty(value) else value
        for name, value in values.items()
    }


def is_empty(value: Any) -> bool:
    """Return whether the value of a place field refers to nothing."""
    return value is None or (not isinstance(value, int | Item | Target) and not len(value))


def remaining(value: Any, case: Case) -> Any:
    """Return what a case has of a place field's value: the value itself if it has all of it."""
    if isinstance(value, Item):
        return value if exists(value, case) else None
    if isinstance(value, Target):
        fits = value.level <= len(case.network.levels) and value.index < target_count(case.network, value.level)
        return value if fits else None
    if isinstance(value, int):
        return value if value <= len(case.network.levels) else None
    if isinstance(value, tuple):
        items = tuple(item for item in value if exists(item, case))
        return value if items == value else items
    if value.dtype == bool:
        return value if value.size == case.network.nodes else None
    return value if int(value.max()) < case.job.tasks else value[value < case.job.tasks]
