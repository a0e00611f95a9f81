"""The slot of each task, as written by partitioners; repeated numbers are nodes.

METIS (.part), KaHIP and VieM write a number per line, for task 0, task 1, ...; the tasks of a node take its cores in
order. SST/macro's files of nodes begin with their count (node_id_allocation.cc). Scotch's mapping file has the number
of tasks, then ``task target`` in any order, tasks from the graph's base on. Source of the last: F. Pellegrini, Scotch
and libScotch 7.0 User's Guide, "Mapping files".
"""

import numpy as np

from core.export_result import Exported
from core.mapping.formats.placement import NAMES, Placed, lines
from core.mapping.formats.ranks import (
    LaunchNodes,
    RankPlacement,
    at_line,
    full_text,
    lines_of,
    number_in,
    shown,
    span,
    wrong,
)
from core.network.network import Ints, Network
from core.text import plural

COUNTED = "the first number is read as the count of {}, and the others as nodes, as in SST/macro's files"


def read_permutation(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a permutation.

    If the first number is the count of the others, they are numbers of nodes, unless there is a number for each task.

    Raises SpecError: naming the invalid line.
    """
    targets: list[int] = []
    lines: list[int] = []
    numbers = [*lines_of(text, "%", "#")]
    count = number_in(numbers[0][1]) if len(numbers) > 1 else None
    counted = len(numbers) != machine.tasks and count == len(numbers) - 1
    for line, words in numbers[counted:]:
        targets.append(target_in(line, words, machine))
        lines.append(line)
    if not targets:
        raise wrong("has no slots")
    if counted:
        return _on_nodes(targets, lines, machine)
    return at_targets(targets, lines, machine)


def _on_nodes(nodes: list[int], lines: list[int], machine: LaunchNodes) -> RankPlacement:
    for line, node in zip(lines, nodes, strict=True):
        if node >= machine.network.nodes:
            raise at_line(line, f"no node {node:,}; nodes are {span(machine.network.nodes)}")
    slots = _next_slots(np.array(nodes, np.int32), lines, machine.network)
    hosts, places = machine.network.host_slots.place_of(slots)
    note = COUNTED.format(plural(len(nodes), "rank"))
    return RankPlacement(hosts.tolist(), places.tolist(), lines, warnings=(note,))


def target_in(line: int, word: str, machine: LaunchNodes) -> int:
    """Parse the number of a slot or node.

    Raises SpecError: if it does not exist.
    """
    target = number_in(word)
    if target is None:
        raise at_line(line, f'"{shown(word)}" is not a slot')
    if target >= machine.network.slots:
        raise at_line(line, f"no slot {target:,}; slots are {span(machine.network.slots)}")
    return target


def at_targets(targets: list[int], lines: list[int], machine: LaunchNodes) -> RankPlacement:
    """Return the ranks in numbered slots or, if numbers are repeated, on numbered nodes."""
    network, slots = machine.network, np.array(targets, np.int32)
    if len(set(targets)) < len(targets) and max(targets) < network.nodes:
        slots = _next_slots(slots, lines, network)
    hosts, places = network.host_slots.place_of(slots)
    return RankPlacement(hosts.tolist(), places.tolist(), lines, lambda rank: f"slot {targets[rank]}")


def _next_slots(nodes: Ints, lines: list[int], network: Network) -> Ints:
    # The next slot of each node, in rank order.
    order = np.argsort(nodes, kind="stable")
    turn = np.empty_like(nodes)
    turn[order] = np.arange(nodes.size) - np.searchsorted(nodes[order], nodes[order])
    full = turn >= network.slots_per_node
    if full.any():
        rank = int(full.argmax())
        name = network.node_names[int(nodes[rank])]
        raise at_line(lines[rank], full_text(name, network.slots_per_node))
    return (nodes * np.int32(network.slots_per_node) + turn).astype(np.int32)


def write_permutation(placed: Placed) -> Exported:
    """Return the slot of each rank, with a line per rank."""
    return Exported(lines(slots_of(placed)), (NAMES, *placed.lost_core_sets))


def slots_of(placed: Placed) -> list[int]:
    """Return the slot of each rank."""
    slots: list[int] = placed.network.host_slots.slots_at(placed.host, placed.core).tolist()
    return slots


def read_scotch_map(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of Scotch's mapping file.

    Raises SpecError: naming the invalid line.
    """
    (first, words), *rest = [*lines_of(text)] or [(1, "")]
    count = number_in(words)
    if count is None:
        raise at_line(first, f'"{shown(words)}" is not a number of tasks')
    if len(rest) != count:
        raise wrong(f"declares {plural(count, 'line')}, but has {len(rest):,}")
    targets_by_task: dict[int, tuple[int, int]] = {}
    for line, words in rest:
        task, target = _pair(line, words, machine)
        if task in targets_by_task:
            raise at_line(line, f"task {task:,} is already on line {targets_by_task[task][0]:,}")
        targets_by_task[task] = line, target
    base = min(targets_by_task, default=0)
    outside = next((task for task in targets_by_task if task >= base + count), None)
    if base > 1 or outside is not None:
        task = base if outside is None else outside
        raise at_line(targets_by_task[task][0], f"no task {task:,}; the {count:,} tasks are numbered from 0 or 1")
    lines, targets = zip(*(targets_by_task[base + task] for task in range(count)), strict=True) if count else ((), ())
    return at_targets(list(targets), list(lines), machine)


def _pair(line: int, words: str, machine: LaunchNodes) -> tuple[int, int]:
    task, *more = words.split()
    if len(more) != 1 or number_in(task) is None:
        raise at_line(line, f'"{shown(words)}" is not a task and its target')
    return int(task), target_in(line, more[0], machine)


def write_scotch_map(placed: Placed) -> Exported:
    """Return the number of ranks, and the slot of each rank."""
    pairs = [f"{rank}\t{slot}" for rank, slot in enumerate(slots_of(placed))]
    return Exported(lines([str(placed.ranks), *pairs]), (NAMES, *placed.lost_core_sets))
