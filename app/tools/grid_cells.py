"""Cells of the task grid and their tasks, for tools."""

import numpy as np
from PySide6.QtCore import QPointF, Qt

from app.tools.tool import PointerEvent, PointerSurface
from core.job.job import Job, Tasks

Place = tuple[float, float]
"""Row and column in cells, as in `Hit`."""
Modifier = Qt.KeyboardModifier


def grid_place(surface: PointerSurface, event: PointerEvent) -> Place | None:
    """Return the place of the pointer in a surface's grid, even if it has left the surface."""
    if event.surface is surface:
        return event.hit.place
    at = event.at if event.surface is None else event.surface.event_widget.mapToGlobal(event.at)
    return surface.hit_at(QPointF(surface.event_widget.mapFromGlobal(at))).place


def tasks_between(first: Place, last: Place, job: Job) -> Tasks:
    """Return the tasks in the rectangle between two places of the grid, ascending."""
    spans = []
    for a, b, count in zip(first, last, job.shape, strict=True):
        low, high = sorted((int(np.floor(a)), int(np.floor(b))))
        spans.append(np.arange(max(low, 0), min(high, count - 1) + 1, dtype=np.int32))
    tasks = (spans[0][:, None] * np.int32(job.shape[1]) + spans[1]).ravel()
    inside: Tasks = tasks[tasks < job.tasks]
    return inside


def combined(base: Tasks, tasks: Tasks, modifiers: Modifier) -> Tasks:
    """Return the selection after selecting tasks: Shift adds, Control toggles, Alt removes them."""
    if modifiers & Modifier.ShiftModifier:
        return np.union1d(base, tasks)
    if modifiers & Modifier.ControlModifier:
        return np.setxor1d(base, tasks)
    return np.setdiff1d(base, tasks) if modifiers & Modifier.AltModifier else tasks


def place_in_grid(cell: tuple[int, int]) -> Place:
    """Return the middle of a cell."""
    return cell[0] + 0.5, cell[1] + 0.5
