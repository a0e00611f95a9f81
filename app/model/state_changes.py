"""The changes between two states, as flags determined by the fields."""

from dataclasses import fields
from pathlib import Path

import numpy as np

from app.model.changes import EVALUATION, ChangeSet
from app.model.computation import Computation
from app.model.evaluation import Evaluation
from app.model.pointing import Item
from app.model.search_run import SearchSettings
from app.model.state import State
from app.model.state_groups import Group
from app.style.colour import ColourScale, ScaleTop
from app.style.theme import Theme
from core.mapping.targets import Target

FLAGS = {
    "wanted": ChangeSet.FILE | ChangeSet.STATUS,
    "baseline": ChangeSet.LOADS,
    "error": ChangeSet.STATUS,
    "refusal": ChangeSet.STATUS,
    "drafts": ChangeSet.HISTORY,
    "offer": ChangeSet.STATUS,
    "selection": ChangeSet.SELECTION | ChangeSet.EXPLANATION,
    "hover": ChangeSet.HOVER,
    "explanation": ChangeSet.EXPLANATION,
    "flow_paths": ChangeSet.PATHS,
    "marked": ChangeSet.MARKED,
    "history": ChangeSet.HISTORY,
    "suggestions": ChangeSet.ADVICE,
    "suggestion_progress": ChangeSet.ADVICE,
    "desk": ChangeSet.TOUR | ChangeSet.FILE,
}
"""By field of the state, except groups."""
GROUP_FLAGS = {
    "file": ChangeSet.FILE,
    "style": ChangeSet.STYLE,
    "edit": ChangeSet.TOOL,
    # The comparison determines the colour scale.
    "comparison": ChangeSet.COMPARISON | ChangeSet.STYLE,
    "search": ChangeSet.SEARCH,
    "time": ChangeSet.TIME,
    "tour": ChangeSet.TOUR,
    "panels": ChangeSet.PANELS,
    "routes": ChangeSet.ROUTES,
    "channels": ChangeSet.CHANNELS,
    "what_if": ChangeSet.WHAT_IF,
}
"""By group of the state, for all its fields except those below."""
FLAGS_IN_GROUPS = {
    "glide": ChangeSet.LOADS,
    "held_top": ChangeSet.SCALE,
    "looked_at": ChangeSet.FILE,
    "progress": ChangeSet.ANALYSIS,
    "measured_interval": ChangeSet.TIME | ChangeSet.LOADS,
    "failures": ChangeSet.WHAT_IF | ChangeSet.LOADS,
    "pointed": ChangeSet.WHAT_IF | ChangeSet.HOVER,
    "moment": ChangeSet.TIME | ChangeSet.LOADS | ChangeSet.EXPLANATION,
}
"""By fields of groups that also affect other groups."""
ANOTHER_NETWORK = (
    ChangeSet.TOPOLOGY | ChangeSet.STYLE | ChangeSet.SELECTION | ChangeSet.HOVER | ChangeSet.TOOL
)  # fmt: skip
"""Changes, besides the evaluation, caused by another network: everything that shows its places or acts on them."""
COMPARED = (str, int, float, frozenset, Path, Item, Target, ColourScale, ScaleTop, Theme, SearchSettings)
"""Types compared by equality; values of other types are compared by identity."""


def changes_between(old: State, new: State) -> ChangeSet:
    """Return the differences between two states."""
    changes = _of_evaluation(old.evaluation, new.evaluation)
    # Another state in the views counts as another evaluation.
    changes |= _of_evaluation(old.pictured.evaluation, new.pictured.evaluation)
    changes |= _of_computations(old.computations, new.computations)
    for name, flag in FLAGS.items():
        if not _same(getattr(old, name), getattr(new, name)):
            changes |= flag
    for name, flag in GROUP_FLAGS.items():
        before, after = getattr(old, name), getattr(new, name)
        if before is not after:
            changes |= _of_group(before, after, flag)
    return changes


def _of_evaluation(old: Evaluation, new: Evaluation) -> ChangeSet:
    if old is new:
        return ChangeSet.NONE
    if old.case.network is not new.case.network:
        return EVALUATION | ANOTHER_NETWORK
    same = old.case.mapping is new.case.mapping and old.case.job is new.case.job
    return EVALUATION & ~ChangeSet.MAPPING if same else EVALUATION


def _of_computations(old: tuple[Computation, ...], new: tuple[Computation, ...]) -> ChangeSet:
    if old == new:
        return ChangeSet.NONE
    before, after = ([computation._replace(fraction=0.0) for computation in some] for some in (old, new))
    return ChangeSet.PROGRESS if before == after else ChangeSet.STATUS


def _of_group(old: Group, new: Group, flag: ChangeSet) -> ChangeSet:
    changes = ChangeSet.NONE
    for name in (field.name for field in fields(new)):
        if not _same(getattr(old, name), getattr(new, name)):
            changes |= FLAGS_IN_GROUPS.get(name, flag)
    return changes


def _same(old: object, new: object) -> bool:
    if old is new:
        return True
    if isinstance(new, np.ndarray):
        return isinstance(old, np.ndarray) and np.array_equal(old, new)
    return isinstance(new, COMPARED) and type(old) is type(new) and bool(old == new)
