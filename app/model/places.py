"""Places of the machine for tools: the place of a hit, the tasks there, and edits that move them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.model.pointing import Hit, Item, nodes_of
from app.model.state import EDIT, State
from core.job.job import Tasks
from core.load.scenario import Case
from core.mapping.edit import Edit, edit_moving, no_edit, occupants
from core.mapping.mapping import Mapping
from core.mapping.rearrange import exchange, put
from core.mapping.targets import Target, target_count
from core.network.network import Network
from core.spec import SpecError
from core.text import plural


def capacity(network: Network, level: int) -> int:
    """Return the number of tasks that a place of a level can hold."""
    nodes = 1 if level == len(network.levels) else network.levels[level].nodes_per_group
    return nodes * network.slots_per_node


def fitting_level(network: Network, tasks: int) -> int:
    """Return the finest level whose places can hold `tasks` tasks, or else the coarsest."""
    levels = range(len(network.levels), -1, -1)
    return next((level for level in levels if capacity(network, level) >= tasks), 0)


def node_of_hit(hit: Hit, mapping: Mapping) -> int | None:
    """Return the node of a hit; for a task, its node in `mapping`, before a gesture moved it."""
    return hit.node if hit.task is None else int(mapping.nodes[hit.task])


def seen_level(hit: Hit, network: Network) -> int | None:
    """Return the level visible at a hit: node for a task or a large node, or else the level of the innermost frame."""
    if hit.task is not None or (hit.item is not None and hit.item.kind == "node"):
        return len(network.levels)
    if hit.level is not None:
        return hit.level
    return 0 if hit.node is not None and network.levels else None


def place_at(hit: Hit, level: int | None, coarser: int, case: Case) -> Target | None:
    """Return the place at a hit, `coarser` levels above `level`, or None if there is no node."""
    node = node_of_hit(hit, case.mapping)
    if node is None or level is None:
        return None
    return Target.containing(node, max(level - coarser, 0), case.network)


def tasks_text(tasks: Tasks) -> str:
    """Return ``task 17`` or ``12 tasks``."""
    return f"task {int(tasks[0]):,}" if tasks.size == 1 else plural(int(tasks.size), "task")


@dataclass(frozen=True, eq=False)
class EditBase:
    """The mapping at the start of a gesture, to which all its edits refer."""

    case: Case

    @cached_property
    def occupant(self) -> Tasks:
        """Return the task in each slot."""
        return occupants(self.case.mapping, self.case.network.slots)

    def name(self, target: Target) -> str:
        """Return the name of a place."""
        return target.name(self.case.network)

    def tasks_on(self, target: Target) -> Tasks:
        """Return the tasks on a place, ascending."""
        return tasks_at(target, self.case)

    def put(self, tasks: Tasks, target: Target) -> tuple[Edit, str]:
        """Return the edit that puts tasks onto a place, and its name."""
        placed = put(self.case.mapping, tasks, self.case.own(target.slots(self.case.network)), self.occupant)
        fitting = tasks.size - placed.unplaced.size
        what = tasks_text(tasks) if fitting == tasks.size else f"{fitting:,} of {plural(int(tasks.size), 'task')}"
        return placed.edit, f"Put {what} on {self.name(target)}"

    def exchange(self, place: Target, other: Target) -> tuple[Edit, str]:
        """Return the edit that swaps two places of a level, and its name."""
        edit = exchange(self.case.mapping, place, other, self.case.network, self.occupant, self.case.allocation)
        return edit, f"Swap {self.name(place)} with {self.name(other)}"

    def exchange_tasks(self, task: int, other: int) -> tuple[Edit, str]:
        """Return the edit that swaps two tasks, and its name."""
        mapping = self.case.mapping
        if task == other:
            return no_edit(), f"Swap task {task:,} with …"
        edit = edit_moving(mapping, [task, other], mapping.slots[[other, task]], self.occupant)
        return edit, f"Swap task {task:,} with task {other:,}"


def fill_text(target: Target, case: Case, edit: Edit | None, held: Tasks) -> str:
    """Return how full a place is: ``drawer 3 of supernode 5 · 32 of 32 tasks, full: drop swaps``.

    Parameters
    ----------
    case
        The current case.
    edit
        The gesture's edit so far, if it concerns this place; the text then describes the place before the edit.
    held
        The tasks that the gesture has picked up.
    """
    inside = np.zeros(case.network.nodes, np.bool_)
    inside[target.nodes(case.network)] = True
    room, spn = capacity(case.network, target.level), case.network.slots_per_node
    sitting, displaced = int(np.count_nonzero(inside[case.mapping.nodes])), 0
    if edit is not None:
        came, went = inside[edit.new // spn], inside[edit.old // spn]
        sitting += int(went.sum()) - int(came.sum())
        displaced = int((went & ~came & ~np.isin(edit.tasks, held)).sum())
    text = f"{target.name(case.network)} · {sitting:,} of {plural(room, 'task')}"
    if sitting == room:
        return f"{text}, full: drop swaps" if displaced else f"{text}, full"
    return f"{text}, {displaced:,} to be swapped" if displaced else text


def level_meant(state: State) -> int:
    """Return the level of places for painting and selecting: the chosen level, or else the coarsest."""
    return state.edit.level if state.edit.level is not None else 0


def next_target(state: State, step: int) -> Target:
    """Return the place after or before the target, cyclically within its level."""
    target = state.edit.target
    level = target.level if target is not None else level_meant(state)
    count = target_count(state.evaluation.case.network, level)
    index = target.index + step if target is not None else min(step, 0)
    return Target(level, index % count)


def target_at(hit: Hit, state: State) -> Target | None:
    """Return the place at a hit that can be a target of painting, or None.

    Without a chosen level, the place is of the coarsest level, or in the machine view of the visible level: a node, or
    the frame around it.
    """
    if hit.node is None:
        return None
    network = state.evaluation.case.network
    level = level_meant(state)
    if state.edit.level is None and hit.item is not None and hit.item.kind == "node":
        level = len(network.levels)
    elif state.edit.level is None and hit.level is not None:
        level = hit.level
    return Target.containing(hit.node, level, network)


def target_of_item(item: Item | None, state: State) -> Target | None:
    """Return the place of an item that can be a target of painting, or None, as for a link between two places."""
    case = state.evaluation.case
    if item is None or item.kind not in ("group", "node", "task"):
        return None
    if item.kind == "group":
        levels = case.network.levels
        return Target(0, item.index) if not levels or item.index < levels[0].count else None
    return target_at(Hit(item, nodes_of(item, case)[0]), state)


def places_of_tasks(case: Case, level: int) -> Tasks:
    """Return the index of each task's place of a level, shape ``(tasks,)``."""
    nodes = case.mapping.nodes
    return nodes if level == len(case.network.levels) else case.network.levels[level].group[nodes]


def tasks_at(target: Target, case: Case) -> Tasks:
    """Return the tasks on a place, ascending."""
    return np.flatnonzero(places_of_tasks(case, target.level) == target.index).astype(np.int32)


def edit_error(message: str) -> SpecError:
    """Return the error of an impossible edit."""
    return SpecError(EDIT, message)
