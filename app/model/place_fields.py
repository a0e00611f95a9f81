"""Keeps the state free of places and tasks that its network and its job do not have."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.model.pointing import Item, exists
from app.model.state import State
from app.model.state_groups import ComparisonMode
from core.job.job import NO_TASKS, Tasks
from core.load.compare import comparable
from core.load.scenario import Case
from core.mapping.targets import Target, target_count

CONCERNED = ("evaluation", "selection", "hover", "marked", "edit", "search", "time", "comparison")
"""Fields of the state that hold places or tasks, or decide which there are."""


def without_missing(old: State, new: State) -> State:
    """Return the state `new`, which follows `old`, without places and tasks that its case lacks.

    Another network resets all places that stayed the same, another job all numbers of tasks: the same number means
    something else there. A difference to links that are not comparable any more ends.
    """
    if all(getattr(new, name) is getattr(old, name) for name in CONCERNED):
        return new
    keeper = _Keeper.between(old.evaluation.case, new.evaluation.case)
    edit, was = new.edit, old.edit
    return replace(
        new,
        selection=keeper.item(old.selection, new.selection),
        hover=keeper.item(old.hover, new.hover),
        marked=keeper.tasks(old.marked, new.marked),
        edit=replace(
            edit,
            target=keeper.target(was.target, edit.target),
            level=keeper.level(was.level, edit.level),
            grabbed=keeper.tasks(was.grabbed, edit.grabbed),
            grabbed_place=keeper.target(was.grabbed_place, edit.grabbed_place),
            drop_target=keeper.target(was.drop_target, edit.drop_target),
            allocated=keeper.nodes(was.allocated, edit.allocated),
        ),
        search=replace(new.search, pinned_tasks=keeper.tasks(old.search.pinned_tasks, new.search.pinned_tasks)),
        time=replace(new.time, pinned_items=keeper.items(old.time.pinned_items, new.time.pinned_items)),
        comparison=replace(new.comparison, mode=_mode(old, new)),
    )


def _mode(old: State, new: State) -> ComparisonMode:
    """Return how the states are compared."""
    comparison, network = new.comparison, new.evaluation.case.network
    if comparison.mode is not ComparisonMode.DIFFERENCE or network is old.evaluation.case.network:
        return comparison.mode
    stays = comparison.reference is old.comparison.reference and old.comparison.mode is comparison.mode
    if stays and comparison.reference is not None and not comparable(comparison.reference.case, new.evaluation.case):
        return ComparisonMode.OFF
    return comparison.mode


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Says of each field, from its values before and now, what is left of it in a case."""

    case: Case
    other_network: bool
    other_job: bool

    @classmethod
    def between(cls, old: Case, case: Case) -> "_Keeper":
        return cls(case, old.network is not case.network, old.job is not case.job)

    def item(self, before: Item | None, now: Item | None) -> Item | None:
        if now is None or (self.other_network and now is before):
            return None
        return now if exists(now, self.case) else None

    def items(self, before: tuple[Item, ...], now: tuple[Item, ...]) -> tuple[Item, ...]:
        if self.other_network and now is before:
            return ()
        left = tuple(item for item in now if exists(item, self.case))
        return now if left == now else left

    def target(self, before: Target | None, now: Target | None) -> Target | None:
        if now is None or (self.other_network and now is before):
            return None
        network = self.case.network
        return now if now.level <= len(network.levels) and now.index < target_count(network, now.level) else None

    def level(self, before: int | None, now: int | None) -> int | None:
        if now is None or (self.other_network and now == before):
            return None
        return now if now <= len(self.case.network.levels) else None

    def nodes(self, before: NDArray[np.bool_] | None, now: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        if now is None or (self.other_network and now is before):
            return None
        return now if now.size == self.case.network.nodes else None

    def tasks(self, before: Tasks, now: Tasks) -> Tasks:
        if not now.size:
            return now
        if self.other_job and now is before:
            return NO_TASKS
        return now if int(now.max()) < self.case.job.tasks else now[now < self.case.job.tasks]
