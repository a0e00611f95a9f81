"""Removes places, link classes and tasks from the state that its network or its job does not have."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.model.pointing import Item, exists
from app.model.routes import NO_ENDS, RoutesState
from app.model.state import State
from app.model.state_groups import ComparisonMode, ComparisonState, EditState, OptimiserState, StyleState, TimeState
from core.job.job import NO_TASKS, Tasks
from core.load.compare import comparable
from core.load.scenario import Case
from core.mapping.targets import Target, target_count


def without_missing(old: State, new: State) -> State:
    """Return the state `new`, which follows `old`, without places, link classes and tasks that its case lacks.

    Another network resets all unchanged places, and another job resets all unchanged task numbers, because the same
    number then means something else. A difference view ends if the links are no longer comparable. An edit shows B
    again instead of A.
    """
    keeper = _Keeper.between(old.evaluation.case, new.evaluation.case)
    same = new.evaluation is old.evaluation
    state = replace(
        new,
        selection=keeper.item(old.selection, new.selection),
        hover=keeper.item(old.hover, new.hover),
        marked=keeper.tasks(old.marked, new.marked),
        edit=new.edit if same and new.edit is old.edit else keeper.edit(old.edit, new.edit),
        search=keeper.search(old.search, new.search),
        time=keeper.time(old.time, new.time),
        routes=keeper.routes(old.routes, new.routes),
        style=keeper.style(new.style),
        comparison=_comparison(old, new),
    )
    explains_other = old.shows_reference is not state.shows_reference and new.explanation is old.explanation
    return replace(state, explanation=None) if explains_other else state


def _comparison(old: State, new: State) -> ComparisonState:
    comparison, network = new.comparison, new.evaluation.case.network
    if comparison.mode is ComparisonMode.REFERENCE and _edits(old, new):
        return replace(comparison, mode=ComparisonMode.OFF)
    if comparison.mode is not ComparisonMode.DIFFERENCE or network is old.evaluation.case.network:
        return comparison
    stays = comparison.reference is old.comparison.reference and old.comparison.mode is comparison.mode
    if stays and comparison.reference is not None and not comparable(comparison.reference.case, new.evaluation.case):
        return replace(comparison, mode=ComparisonMode.OFF)
    return comparison


def _edits(old: State, new: State) -> bool:
    same = old.wanted is new.wanted and old.evaluation is new.evaluation
    return not same or new.edit.gesture != old.edit.gesture


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Returns the valid part of each field in a case, from its previous and current values."""

    before: Case
    case: Case
    other_network: bool
    other_job: bool

    @classmethod
    def between(cls, old: Case, case: Case) -> "_Keeper":
        return cls(old, case, old.network is not case.network, old.job is not case.job)

    def edit(self, before: EditState, now: EditState) -> EditState:
        return replace(
            now,
            target=self.target(before.target, now.target),
            level=self.level(before.level, now.level),
            grabbed=self.tasks(before.grabbed, now.grabbed),
            grabbed_place=self.target(before.grabbed_place, now.grabbed_place),
            drop_target=self.target(before.drop_target, now.drop_target),
            allocated=self.nodes(before.allocated, now.allocated),
        )

    def search(self, before: OptimiserState, now: OptimiserState) -> OptimiserState:
        tasks = self.tasks(before.pinned_tasks, now.pinned_tasks)
        return now if tasks is now.pinned_tasks else replace(now, pinned_tasks=tasks)

    def time(self, before: TimeState, now: TimeState) -> TimeState:
        items = self.items(before.pinned_items, now.pinned_items)
        return now if items is now.pinned_items else replace(now, pinned_items=items)

    def routes(self, before: RoutesState, now: RoutesState) -> RoutesState:
        # The same nodes of another network, if it has nodes with these names.
        if not self.other_network or now.ends != before.ends or now.ends == NO_ENDS:
            return now
        begin, end = (None if node is None else self.same_node(node) for node in now.ends)
        return replace(now, ends=(begin, end), paths=None)

    def same_node(self, node: int) -> int | None:
        name, network = self.before.network.label(node), self.case.network
        vertex = network.vertex_named(name)
        return vertex if vertex is not None and vertex < network.nodes else None

    def style(self, now: StyleState) -> StyleState:
        names = {link_class.name for link_class in self.case.network.classes}
        # A filter for the only class shows all links.
        shown = now.link_class in names and len(names) > 1
        return now if shown or not now.link_class else replace(now, link_class="")

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
