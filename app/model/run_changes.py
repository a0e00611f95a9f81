"""Changes made by a search, in a few lines: which tasks moved how far, and which links carry less."""

import numpy as np

from app.model.evaluation import Evaluation
from app.wording.numbers import signed
from core.job.measure import Measure, common
from core.load.compare import ClassChange, class_changes
from core.text import enumerated, plural

ARROW = "→"


def describe_changes(before: Evaluation, after: Evaluation) -> tuple[str, ...]:
    """Return what differs between two evaluations with different mappings: the tasks that moved, then the links."""
    return movement(before, after), *cooling(before, after)


def movement(before: Evaluation, after: Evaluation) -> str:
    """Return how many tasks moved, and how far: within a drawer, to another drawer, to another supernode."""
    old, new = before.case.mapping.nodes, after.case.mapping.nodes
    moved = np.flatnonzero(old != new)
    if not moved.size:
        return "No task moved to another node."
    away = old[moved], new[moved]
    parts, counted = [], 0
    for level in before.case.network.levels:
        left = int(np.count_nonzero(level.group[away[0]] != level.group[away[1]]))
        if left > counted:
            parts.append(f"{left - counted:,} to another {level.name}")
        counted = left
    if parts and counted < moved.size:
        parts.append(f"{moved.size - counted:,} within their {before.case.network.levels[-1].name}")
    text = f"{moved.size:,} of {plural(old.size, 'task')} moved to another node"
    return f"{text}: {enumerated(parts[::-1])}." if parts else f"{text}."


def cooling(before: Evaluation, after: Evaluation) -> tuple[str, ...]:
    """Return a line on the hottest link of each loaded class, and one on the number of limiting links."""
    measure = common(before.case.job.measure, after.case.job.measure)
    lines = [_class_line(change, measure) for change in class_changes(before.report.classes, after.report.classes)]
    hot = [evaluation.report.bottleneck_links.size for evaluation in (before, after)]
    limiting = f"Limiting links: {hot[0]:,} {ARROW} {hot[1]:,}, {after.report.verdict}."
    return *(line for line in lines if line), limiting


def _class_line(change: ClassChange, measure: Measure) -> str:
    if change.a is None or change.b is None or not (change.a.max_load or change.b.max_load):
        return ""
    old, new = change.a.max_load, change.b.max_load
    if abs(new - old) <= 1e-9 * max(old, new):
        return f"{change.name}: hottest link unchanged, {measure.amount(new)}."
    share = f" ({signed(new / old - 1)})" if old > 0 else ""
    return f"{change.name}: hottest link {measure.number(old)} {ARROW} {measure.amount(new)}{share}."
