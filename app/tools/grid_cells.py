"""Cells of the task grid and the tasks in them, for the tools that work on it."""

import numpy as np
from PySide6.QtCore import QPointF, Qt

from app.model.state import EDIT, State
from app.tools.tool import Ground, PointerEvent, Spot
from core.job.job import Job, Tasks
from core.load.scenario import Case
from core.mapping.targets import Target
from core.spec import SpecError

Place = tuple[float, float]
"""Row and column in cells, as in `Spot`."""
Modifier = Qt.KeyboardModifier


def level_meant(state: State) -> int:
    """Return the level of the places that are painted or marked: the one chosen, else the coarsest."""
    return state.level if state.level is not None else 0


def target_at(spot: Spot, state: State) -> Target | None:
    """Return the place at a spot of which tasks can be painted; None for nothing.

    If no level is chosen it is the coarsest, but in the machine what is seen there: a node, or the frame around it.
    """
    if spot.node is None or state.answer is None:
        return None
    network = state.answer.case.network
    level = level_meant(state)
    if state.level is None and spot.item is not None and spot.item.kind == "node":
        level = len(network.levels)
    elif state.level is None and spot.level is not None:
        level = spot.level
    return Target.around(spot.node, level, network)


def places_of_tasks(case: Case, level: int) -> Tasks:
    """Return the index of the place of a level on which each task sits, shape ``(tasks,)``."""
    nodes = case.mapping.nodes
    return nodes if level == len(case.network.levels) else case.network.levels[level].group[nodes]


def tasks_at(target: Target, case: Case) -> Tasks:
    """Return the tasks that sit on a place, ascending."""
    return np.flatnonzero(places_of_tasks(case, target.level) == target.index).astype(np.int32)


def place_in(ground: Ground, event: PointerEvent) -> Place | None:
    """Return where the pointer is in a ground's grid, also when it has left the ground."""
    if event.ground is ground:
        return event.spot.place
    at = event.at if event.ground is None else event.ground.sensor.mapToGlobal(event.at)
    return ground.spot_at(QPointF(ground.sensor.mapFromGlobal(at))).place


def tasks_between(first: Place, last: Place, job: Job) -> Tasks:
    """Return the tasks in the rectangle between two places of the grid, ascending."""
    (rows, cols), spans = job.shape, []
    for a, b, count in zip(first, last, (rows, cols), strict=True):
        low, high = sorted((int(np.floor(a)), int(np.floor(b))))
        spans.append(np.arange(max(low, 0), min(high, count - 1) + 1, dtype=np.int32))
    tasks = (spans[0][:, None] * np.int32(cols) + spans[1]).ravel()
    found: Tasks = tasks[tasks < job.tasks]
    return found


def task_in(place: Place, job: Job) -> int | None:
    """Return the task at a place of the grid."""
    found = tasks_between(place, place, job)
    return int(found[0]) if found.size else None


def combined(base: Tasks, tasks: Tasks, modifiers: Modifier) -> Tasks:
    """Return what is marked after marking tasks: Shift adds them, Control changes them over, Alt takes them away."""
    if modifiers & Modifier.ShiftModifier:
        return np.union1d(base, tasks)
    if modifiers & Modifier.ControlModifier:
        return np.setxor1d(base, tasks)
    return np.setdiff1d(base, tasks) if modifiers & Modifier.AltModifier else tasks


def refusal(message: str) -> SpecError:
    """Return why an edit cannot be done, as the session shows it."""
    return SpecError(EDIT, message)


def place_in_grid(cell: tuple[int, int]) -> Place:
    """Return the middle of a cell."""
    return cell[0] + 0.5, cell[1] + 0.5
