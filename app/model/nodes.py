"""The nodes of the job in the requested scenario, and changes of them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.state import State
from core.load.scenario import Case, Scenario
from core.mapping.allocation import Allocation
from core.mapping.explicit import Explicit
from core.mapping.node_choice import CHOICES, nodes_text
from core.network.network import Ints
from core.spec import SpecError

ALL_NODES = "all"


def with_nodes(wanted: Scenario, case: Case, **places: Any) -> Scenario:
    """Return the scenario with other `hosts`, `allocation` or `down`.

    If its mapping is explicit, tasks on nodes that are no longer the job's move to free slots of its other nodes.

    Raises SpecError: naming the field, if they are not nodes of the network of `case`.
    """
    after = replace(wanted, **places)
    if not isinstance(after.mapping, Explicit) or "hosts" in places:
        return after
    allocation = _own_nodes(after, case)
    slots = after.mapping.slots.array
    if allocation is None or slots.max(initial=0) >= case.network.slots:
        return after
    return replace(after, mapping=after.mapping.moved(allocation.kept_within(slots)))


def with_allocated(wanted: Scenario, case: Case, nodes: Ints) -> Scenario:
    """Return the scenario with the job allocated exactly these nodes, in this order."""
    free = free_nodes(wanted, case)
    every = nodes.size == free.size and bool((nodes == free).all())
    return with_nodes(wanted, case, allocation="" if every else nodes_text(nodes, case.network))


def choose_nodes(wanted: Scenario, case: Case, rule: str) -> Ints:
    """Return nodes for a job of this size by a rule of `CHOICES`, or half of all nodes if the job fills the machine."""
    free = free_nodes(wanted, case)
    if rule == ALL_NODES:
        return free
    hosts = case.network.host_slots
    free_hosts = hosts.hosts_of(free)
    needed = -(-case.job.tasks // int(hosts.room.min()))
    count = needed if needed < free_hosts.size else max(free_hosts.size // 2, 1)
    chosen = CHOICES[rule](hosts.first[free_hosts], count, case.network)
    return hosts.nodes_of(hosts.host_of[chosen])


def free_nodes(wanted: Scenario, case: Case) -> Ints:
    """Return the nodes that are neither down nor allocated to another job, ascending."""
    running = _running(wanted, case)
    of_others = [nodes for _, nodes in case.allocation.others] if case.allocation is not None else []
    return np.setdiff1d(running, np.concatenate(of_others)) if of_others else running


def _running(wanted: Scenario, case: Case) -> Ints:
    # Nodes that are not down, ascending.
    allocation = Allocation.of(case.network, "", wanted.down)
    return np.arange(case.network.nodes, dtype=np.int32) if allocation is None else allocation.nodes


def _own_nodes(wanted: Scenario, case: Case) -> Allocation | None:
    # The job's nodes in the requested scenario, or None if it has all nodes.
    if wanted.neighbours != case.scenario.neighbours:
        return case.allocation
    return wanted.allocations(case.network, [job_case.job.tasks for job_case in (case, *case.neighbours.cases)])[0]


def allocation_wanted(state: State) -> Allocation | None:
    """Return the job's nodes in the requested scenario, or on screen if that is invalid; None if it has all nodes."""
    case, wanted = state.evaluation.case, state.wanted
    if (wanted.allocation, wanted.down) == (case.scenario.allocation, case.scenario.down):
        return case.allocation
    try:
        return _own_nodes(wanted, case)
    except SpecError:
        return case.allocation


def down_nodes(state: State) -> Ints:
    """Return the nodes that are down in the requested scenario, ascending; none if it is invalid."""
    case = state.evaluation.case
    if not state.wanted.down:
        return np.zeros(0, np.int32)
    try:
        return np.setdiff1d(np.arange(case.network.nodes, dtype=np.int32), _running(state.wanted, case))
    except SpecError:
        return np.zeros(0, np.int32)


def group_labels(state: State, nodes: NDArray[np.integer]) -> dict[int, str]:
    """Return the groups by which some nodes are coloured: ``3``, ``0, 1``; nodes without tasks are omitted.

    Empty if nodes are coloured by load.
    """
    groups, node = state.groups, state.evaluation.case.mapping.nodes
    labels: dict[int, str] = {}
    if groups is not None:
        tasks = np.flatnonzero(np.isin(node, nodes))
        for at, group in np.unique(np.stack([node[tasks], groups.group[tasks]]), axis=1).T.tolist():
            labels[at] = f"{labels[at]}, {group}" if at in labels else str(group)
    return labels


def closed_nodes(state: State) -> NDArray[np.bool_] | None:
    """Return a mask of the nodes outside the job, as painted or requested, shape ``(nodes,)``, or None."""
    if state.edit.allocated is not None:
        return ~state.edit.allocated
    allocation = allocation_wanted(state)
    if allocation is None:
        return None
    closed = np.ones(state.evaluation.case.network.nodes, np.bool_)
    closed[allocation.nodes] = False
    return closed
