"""What fitting a scenario to its network has changed, in words."""

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from core.job.job import Job
from core.load.scenario import Case, Scenario
from core.mapping.carried import kept_tasks
from core.mapping.explicit import Explicit
from core.mapping.mapping import Mapping
from core.spec import SpecError
from core.text import plural

DROPPED = {
    "hosts": ("host names removed", "remove the host names"),
    "cores": ("sockets removed", "remove the sockets"),
    "cables": ("added cables of missing parts removed", "remove added cables"),
    "allocation": ("allocation of nodes removed", "remove the allocation of nodes"),
    "down": ("list of nodes that are down removed", "remove the list of nodes that are down"),
    "background": ("background loads of missing links removed", "remove background loads"),
    "neighbours": ("background jobs removed", "remove the background jobs"),
    "measured": ("counters removed", "remove the counters"),
}
"""By field of a scenario: a change as done, and the command for it."""


class FitChange(NamedTuple):
    """A choice that fitting has changed."""

    done: str
    """``job reduced to 32 × 32 tasks to fit 1,024 nodes``."""
    command: str
    """``use 32 × 32 tasks``."""


def fit_changes(wanted: Scenario, drawn: Mapping | None, case: Case) -> tuple[FitChange, ...]:
    """Return the changes that fitted a scenario to its network (`core.load.compatibility.fitted`).

    Parameters
    ----------
    wanted, drawn
        The arguments of `fitted`.
    case
        Its built result.
    """
    shown = case.scenario
    changes = []
    if shown.job != wanted.job:
        size = size_text(case.job)
        changes.append(FitChange(f"job reduced to {size} to fit {_room(case)}", f"use {size}"))
    changes += _mapping_changes(wanted, drawn, case)
    if shown.routing != wanted.routing:
        title = shown.routing.title
        changes.append(FitChange(f"routing {_change(wanted.routing.title, title)}", f"use the routing {title}"))
    if shown.faults != wanted.faults:
        faults = plural(len(wanted.faults) - len(shown.faults), "fault")
        changes.append(FitChange(f"{faults} of missing parts removed", f"remove {faults}"))
    return (*changes, *(FitChange(*words) for name, words in DROPPED.items() if _differ(wanted, shown, name)))


def in_words(changes: Iterable[FitChange]) -> str:
    """Return changes as a sentence; empty for none."""
    words = "; ".join(change.done for change in changes)
    return f"{sentence(words)}." if words else ""


def sentence(words: str) -> str:
    """Return words with a capital first letter."""
    return words[:1].upper() + words[1:]


def size_text(job: Job) -> str:
    """Return ``32 × 32 tasks`` for a task grid, else ``1,024 tasks``."""
    return " × ".join(f"{side:,}" for side in job.grid) + " tasks" if job.grid else plural(job.tasks, "task")


def _differ(wanted: Scenario, shown: Scenario, name: str) -> bool:
    return bool(getattr(wanted, name) != getattr(shown, name))


def _change(old: str, new: str) -> str:
    return f"changed from {old} to {new}" if old != new else f"{new} set to its defaults"


def _room(case: Case) -> str:
    nodes = case.slots // case.network.slots_per_node
    if case.network.slots_per_node > 1:
        return plural(case.slots, "slot")
    return plural(nodes * case.network.aggregation, "node")


def _mapping_changes(wanted: Scenario, drawn: Mapping | None, case: Case) -> list[FitChange]:
    spec, shown = wanted.mapping, case.scenario.mapping
    if shown == spec and not isinstance(spec, Explicit):
        return []
    if not isinstance(shown, Explicit):
        return [FitChange(f"mapping {_change(spec.title, shown.title)}", f"use the mapping {shown.title}")]
    slots = spec.slots if isinstance(spec, Explicit) else shown.slots
    return _moves(wanted, drawn or Mapping(slots.array, case.network.slots_per_node), case)


def _moves(wanted: Scenario, drawn: Mapping, case: Case) -> list[FitChange]:
    old = case.job
    if wanted.job != case.scenario.job:
        with suppress(SpecError):
            old = wanted.job.build(wanted.folder)
    kept = kept_tasks(old, case.job)
    placed = (kept >= 0) & (kept < drawn.slots.size)
    moved = int(np.count_nonzero(drawn.nodes[kept[placed]] != case.mapping.nodes[placed]))
    stayed, tasks = int(np.count_nonzero(placed)) - moved, plural(moved, "task")
    if drawn.slots.size > case.job.tasks and stayed:
        away = f", {moved:,} moved to free nodes" if moved else ""
        done = f"mapping kept for {stayed:,} of {plural(drawn.slots.size, 'task')}{away}"
        return [FitChange(done, f"keep the mapping of {plural(stayed, 'task')}")]
    if drawn.slots.size < case.job.tasks:
        added = plural(case.job.tasks - drawn.slots.size, "task")
        return [FitChange(f"{added} placed on free nodes", f"place {added} on free nodes")]
    return [FitChange(f"{tasks} moved to free nodes", f"move {tasks} to free nodes")] if moved else []
