"""What has changed between two states: flags that follow from the fields, so that none can be forgotten."""

from dataclasses import fields
from typing import Any

from app.model.changes import ChangeSet
from app.model.computation import Computation
from app.model.state import GROUP_OF, Evaluation, State

FLAGS = {
    "wanted": ChangeSet.FILE,
    "baseline": ChangeSet.LOADS,
    "error": ChangeSet.STATUS,
    "refusal": ChangeSet.STATUS,
    "drafts": ChangeSet.HISTORY,
    "selection": ChangeSet.SELECTION,
    "hover": ChangeSet.HOVER,
    "explanation": ChangeSet.EXPLANATION,
    "marked": ChangeSet.MARKED,
    "undo_name": ChangeSet.HISTORY,
    "redo_name": ChangeSet.HISTORY,
    "suggestions": ChangeSet.ADVICE,
    "suggestion_progress": ChangeSet.ADVICE,
    "file": ChangeSet.FILE,
    "style": ChangeSet.STYLE,
    "edit": ChangeSet.TOOL,
    "comparison": ChangeSet.COMPARISON,
    "search": ChangeSet.SEARCH,
    "time": ChangeSet.TIME,
    "tour": ChangeSet.TOUR,
}
"""By field of the state; of a group, for all its fields but those below."""
OF_OTHERS = {"glide": ChangeSet.LOADS, "looked_at": ChangeSet.FILE}
"""By fields of groups that concern what other groups show."""
GROUPS = frozenset(GROUP_OF.values())


def changes_between(old: State, new: State) -> ChangeSet:
    """Return what differs between two states; fields are compared by identity."""
    changes = _of_evaluation(old.evaluation, new.evaluation) | _of_computations(old.computations, new.computations)
    for name, flag in FLAGS.items():
        before, after = getattr(old, name), getattr(new, name)
        if before is not after:
            changes |= _of_group(before, after, flag) if name in GROUPS else flag
    return changes


def _of_evaluation(old: Evaluation, new: Evaluation) -> ChangeSet:
    if old is new:
        return ChangeSet.NONE
    if old.case.network is not new.case.network:
        return ChangeSet.LOADS | ChangeSet.TOPOLOGY | ChangeSet.MAPPING
    same = old.case.mapping is new.case.mapping and old.case.job is new.case.job
    return ChangeSet.LOADS if same else ChangeSet.LOADS | ChangeSet.MAPPING


def _of_computations(old: tuple[Computation, ...], new: tuple[Computation, ...]) -> ChangeSet:
    if old == new:
        return ChangeSet.NONE
    before, after = ([one._replace(fraction=0.0) for one in some] for some in (old, new))
    return ChangeSet.PROGRESS if before == after else ChangeSet.STATUS


def _of_group(old: Any, new: Any, flag: ChangeSet) -> ChangeSet:
    changes = ChangeSet.NONE
    for name in (field.name for field in fields(new)):
        if getattr(old, name) is not getattr(new, name):
            changes |= OF_OTHERS.get(name, flag)
    return changes
