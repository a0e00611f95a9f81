"""The nodes of the job as the wanted scenario has them, and changes of these."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.state import State
from core.load.scenario import Case, Scenario
from core.mapping.allocation import Allocation
from core.mapping.explicit import Explicit, SlotList
from core.mapping.node_choice import CHOICES, nodes_text
from core.network.network import Ints
from core.spec import SpecError

ALL_NODES = "all"


def with_nodes(wanted: Scenario, case: Case, **places: Any) -> Scenario:
    """Return the scenario with other `hosts`, `allocation` or `down`.

    Where its mapping is given slot by slot, tasks on nodes that are no longer the job's move to free slots of others.

    Raises SpecError: naming the field, if these are no nodes of the network of `case`.
    """
    after = replace(wanted, **places)
    if not isinstance(after.mapping, Explicit) or "hosts" in places:
        return after
    allocation = _own_nodes(after, case)
    slots = after.mapping.slots.array
    if allocation is None or slots.max(initial=0) >= case.network.slots:
        return after
    return replace(after, mapping=Explicit(SlotList(allocation.kept_within(slots))))


def with_allocated(wanted: Scenario, case: Case, nodes: Ints) -> Scenario:
    """Return the scenario with the job allocated exactly these nodes, in this order."""
    free = free_nodes(wanted, case)
    every = nodes.size == free.size and bool((nodes == free).all())
    return with_nodes(wanted, case, allocation="" if every else nodes_text(nodes, case.network))


def choose_nodes(wanted: Scenario, case: Case, rule: str) -> Ints:
    """Return nodes chosen by a rule, one of `CHOICES`, for a job of this size; half of all if it fills the machine."""
    free = free_nodes(wanted, case)
    if rule == ALL_NODES:
        return free
    needed = -(-case.job.tasks // case.network.slots_per_node)
    count = needed if needed < free.size else max(free.size // 2, 1)
    return CHOICES[rule](free, count, case.network)


def free_nodes(wanted: Scenario, case: Case) -> Ints:
    """Return the nodes that are not down, nor another job's, ascending."""
    found = _running(wanted, case)
    theirs = [nodes for _, nodes in case.allocation.others] if case.allocation is not None else []
    return np.setdiff1d(found, np.concatenate(theirs)) if theirs else found


def _running(wanted: Scenario, case: Case) -> Ints:
    # Nodes that are not down, ascending.
    found = Allocation.of(case.network, "", wanted.down)
    return np.arange(case.network.nodes, dtype=np.int32) if found is None else found.nodes


def _own_nodes(wanted: Scenario, case: Case) -> Allocation | None:
    # The job's nodes in the wanted scenario; None: all.
    if wanted.neighbours != case.scenario.neighbours:
        return case.allocation
    return wanted.allocations(case.network, [one.job.tasks for one in (case, *case.neighbours.cases)])[0]


def allocation_wanted(state: State) -> Allocation | None:
    """Return the job's nodes in the wanted scenario, or those on screen if it is invalid; None: all."""
    case, wanted = state.evaluation.case, state.wanted
    if (wanted.allocation, wanted.down) == (case.scenario.allocation, case.scenario.down):
        return case.allocation
    try:
        return _own_nodes(wanted, case)
    except SpecError:
        return case.allocation


def down_nodes(state: State) -> Ints:
    """Return the nodes that are down in the wanted scenario, ascending; empty if it is invalid."""
    case = state.evaluation.case
    if not state.wanted.down:
        return np.zeros(0, np.int32)
    try:
        return np.setdiff1d(np.arange(case.network.nodes, dtype=np.int32), _running(state.wanted, case))
    except SpecError:
        return np.zeros(0, np.int32)


def closed_nodes(state: State) -> NDArray[np.bool_] | None:
    """Return which nodes are not the job's, as being painted or wanted, shape ``(nodes,)``; None: all are the job's."""
    if state.edit.allocated is not None:
        return ~state.edit.allocated
    allocation = allocation_wanted(state)
    if allocation is None:
        return None
    closed = np.ones(state.evaluation.case.network.nodes, np.bool_)
    closed[allocation.nodes] = False
    return closed
