"""Kernels of `core.mapping.lattice.search`: annealing of the labels and the places of the tasks of one group.

By symmetry one group stands for all. It holds one task of each coset of a lattice, translated so that the task is in
group 0: an edge of the task grid leads to the translation ``label of the neighbour + shift - label``, 0 inside the
group. All volumes and loads are integers.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, inlined, kernel
from core.random_numbers import State, chance, draw

Ints = NDArray[np.int32]

JOINED = 0.7
"""Probability that a task gets the label that puts it in the group of a neighbour, not any label."""
NEAR = 0.5
"""Probability of a swap with the place of a neighbour."""
MAX_EXCESS = 4095
"""Excess from which on all count alike: the sum of 128 squares fits 32 bits."""
NOWHERE = -(1 << 28)
"""Load between a place and itself, always below all limits."""


class Graph(NamedTuple):
    """The edges of one task of each coset, and the translations."""

    other: Ints
    """(tasks, offsets) coset of each neighbour."""
    shift: Ints
    """(tasks, offsets) translation from the coset's representative to the neighbour."""
    opposite: Ints
    """(offsets,) number of the opposite offset."""
    weight: Ints
    """(offsets,) volume of a message."""
    sums: Ints
    """(translations, translations) two translations combined."""
    less: Ints
    """(translations, translations) the first combined with the inverse of the second."""


class Links(NamedTuple):
    """The links of a group, for a message of volume 1."""

    gates: Ints
    """(translations, links) places whose links lead to the group at each translation; row 0 is not used."""
    leg: int
    """Load of each link from a place to its gates."""
    hop: int
    """Load of the link between two places of the group; 0 if drawers share traffic."""
    stripe: int
    """Load of each link of a drawer that shares traffic."""
    drawer: int
    """Places of a drawer."""
    near: int
    far: int
    between: int
    """Largest permitted loads: links in a drawer, other links in a group, messages to another group."""


class Loads(NamedTuple):
    """Loads of the links of one group, to be read as ``flow[u, v] + passed[drawer of u, v]``.

    Links in a drawer carry `spread` of their first place as well.
    """

    flow: Ints
    """(places, places)"""
    passed: Ints
    """(drawers, places)"""
    spread: Ints
    """(places,)"""


class Labels(NamedTuple):
    """The groups of the tasks."""

    label: Ints
    """(tasks,) translation of the group of each coset's representative."""
    to: Ints
    """(tasks, offsets) translation from the group of a task to the group of its neighbour."""
    messages: Ints
    """(translations,) messages from the group to the group at each translation."""


class Places(NamedTuple):
    """The places of the tasks of the group."""

    slot: Ints
    """(tasks,) slot in the group, -1 while the task is moved."""
    task: Ints
    """(slots,) task in each slot, -1 for none."""


@inlined
def _excess(count: int, limit: int) -> int:
    over = count - limit
    return over * over if over > 0 else 0


@inlined
def _count(messages: Ints, to: int, weight: int, limit: int) -> int:
    # Add messages to a translation; return the change of the excess.
    if to == 0:
        return 0
    before = _excess(messages[to], limit)
    messages[to] += weight
    return _excess(messages[to], limit) - before


@kernel
def _relabel(r: int, new: int, graph: Graph, labels: Labels, limit: int) -> int:
    # Change a label; return the change of the excess. Tuples are unpacked before loops: numba counts references for
    # each read of a tuple.
    label, to, messages = labels
    other, shift, opposite, weights, sums, less = graph
    change = 0
    label[r] = new
    for k in range(weights.size):
        q = other[r, k]
        if q != r:
            old, weight = to[r, k], weights[k]
            change += _count(messages, old, -weight, limit) + _count(messages, less[0, old], -weight, limit)
            to[r, k] = less[sums[shift[r, k], label[q]], new]
            back = less[0, to[r, k]]
            to[q, opposite[k]] = back
            change += _count(messages, to[r, k], weight, limit) + _count(messages, back, weight, limit)
    return change


@inlined
def _collisions_of(r: int, to: Ints, gate: Ints) -> int:
    # Pairs of outside edges of a task that leave by the same gates.
    pairs = 0
    for k in range(1, to.shape[1]):
        if to[r, k] != 0:
            for j in range(k):
                if to[r, j] != 0 and gate[to[r, j]] == gate[to[r, k]]:
                    pairs += 1
    return pairs


@kernel
def _collisions_at(r: int, other: Ints, to: Ints, gate: Ints) -> int:
    pairs = _collisions_of(r, to, gate)
    for k in range(to.shape[1]):
        if other[r, k] != r:
            pairs += _collisions_of(other[r, k], to, gate)
    return pairs


@kernel
def start_labels(graph: Graph, labels: Labels) -> None:
    """Compute the translations to all neighbours, and count the messages, given the labels."""
    label, to, messages = labels
    messages[:] = 0
    for r in range(label.size):
        for k in range(graph.weight.size):
            joined = graph.sums[graph.shift[r, k], label[graph.other[r, k]]]
            to[r, k] = graph.less[joined, label[r]]
            messages[to[r, k]] += graph.weight[k]
    messages[0] = 0


@kernel
def collisions(to: Ints, gate: Ints) -> int:
    """Return the number of pairs of outside edges of a task that leave by the same gates."""
    pairs = 0
    for r in range(to.shape[0]):
        pairs += _collisions_of(r, to, gate)
    return pairs


@kernel
def excess_of(messages: Ints, limit: int) -> int:
    """Return the sum over translations of the squared number of messages beyond the limit."""
    total = 0
    for to in range(1, messages.size):
        total += _excess(messages[to], limit)
    return total


@inlined
def _any_label(r: int, k: int, graph: Graph, labels: Labels, state: State) -> int:
    # Mostly the label that puts a task in the group of its neighbour.
    if chance(state) <= JOINED:
        return int(graph.sums[graph.shift[r, k], labels.label[graph.other[r, k]]])
    return draw(state, labels.messages.size)


@kernel
def anneal_labels(
    graph: Graph,
    block: Ints,
    gate: Ints,
    per_collision: float,
    limit: int,
    heats: tuple[float, float],
    steps: int,
    state: State,
    labels: Labels,
) -> float:
    """Change labels so that no group gets more messages than the limit, and few tasks use a gate twice.

    Parameters
    ----------
    block
        ``(blocks, tasks)`` tasks that get the same label in a step; blocks are disjoint.
    gate
        ``(translations,)`` equal for translations whose groups are reached by the same gates.
    per_collision
        Energy of each pair of edges of a task that leave by the same gates; 0 ignores them.
    heats
        First and last temperature.

    Returns the last energy: squared excess of messages, and collisions.
    """
    heat, cool = heats[0], (heats[1] / heats[0]) ** (1 / steps)
    label, to, messages = labels
    other, tasks = graph.other, block.shape[1]
    before = np.empty(tasks, np.int32)
    energy = excess_of(messages, limit) + per_collision * collisions(to, gate)
    for _ in range(steps):
        if energy <= 0:
            break
        heat *= cool
        chosen = draw(state, block.shape[0])
        r = block[chosen, draw(state, tasks)]
        new = _any_label(r, draw(state, graph.weight.size), graph, labels, state)
        if new == label[r]:
            continue
        change = 0.0
        for i in range(tasks):
            r = block[chosen, i]
            before[i] = label[r]
            if per_collision > 0:
                change -= per_collision * _collisions_at(r, other, to, gate)
            change += _relabel(r, new, graph, labels, limit)
            if per_collision > 0:
                change += per_collision * _collisions_at(r, other, to, gate)
        if change <= 0 or chance(state) < exp(-change / heat):
            energy += change
        else:
            for i in range(tasks - 1, -1, -1):
                _relabel(block[chosen, i], before[i], graph, labels, limit)
    return energy


@kernel
def _add_edges(
    r: int, sign: int, ends: bool, room: int, graph: Graph, to: Ints, links: Links, slot: Ints, loads: Loads
) -> None:
    # Add the loads of a task's edges, or remove them: inside the group only to neighbours that are not being moved.
    # With `ends`, the loads at the other ends of edges to other groups are included.
    flow, passed, spread = loads
    other, weights, less = graph.other, graph.weight, graph.less
    gates, leg, hop, stripe, drawer = links.gates, links.leg, links.hop, links.stripe, links.drawer
    u = slot[r] // room
    for k in range(weights.size):
        q, out, volume = other[r, k], to[r, k], sign * weights[k]
        if out != 0 and not (ends and q == r):
            _leg(u, out, volume * leg, gates, flow)
            if ends:
                _leg(slot[q] // room, less[0, out], volume * leg, gates, flow)
        elif out == 0 and slot[q] >= 0:
            v = slot[q] // room
            if u != v:
                flow[u, v] += volume * hop
                flow[v, u] += volume * hop
                striped = volume * stripe
                spread[u] += striped
                spread[v] += striped
                passed[u // drawer, v] += striped
                passed[v // drawer, u] += striped


@inlined
def _leg(u: int, to: int, load: int, gates: Ints, flow: Ints) -> None:
    for j in range(gates.shape[1]):
        v = gates[to, j]
        if v != u:
            flow[u, v] += load
            flow[v, u] += load


@kernel
def _swap(a: int, b: int, room: int, graph: Graph, to: Ints, links: Links, at: Places, loads: Loads) -> None:
    slot, task = at
    r, q = task[a], task[b]
    if r >= 0:
        _add_edges(r, -1, False, room, graph, to, links, slot, loads)
        slot[r] = -1
    if q >= 0:
        _add_edges(q, -1, False, room, graph, to, links, slot, loads)
        slot[q] = a
        _add_edges(q, 1, False, room, graph, to, links, slot, loads)
    if r >= 0:
        slot[r] = b
        _add_edges(r, 1, False, room, graph, to, links, slot, loads)
    task[a], task[b] = q, r


@inlined
def _squares(flow: Ints, passed: Ints, u: int, first: int, last: int, limit: int, drawer: int) -> int:
    # In 32 bits, which processors compute eight at a time.
    least, none, most, total = np.int32(limit), np.int32(0), np.int32(MAX_EXCESS), np.int32(0)
    for v in range(first, last):
        over = np.int32(min(max(np.int32(flow[u, v] + passed[drawer, v] - least), none), most))
        total = np.int32(total + np.int32(over * over))
    return int(total)


@kernel
def _energy(links: Links, loads: Loads, between: int) -> float:
    # The sum over links of the squared relative excess over their limit.
    flow, passed, spread = loads
    places, near, far = spread.size, 0, 0
    size, near_limit, far_limit = links.drawer, links.near, links.far
    for u in range(places):
        drawer = u // size
        low = drawer * size
        far += _squares(flow, passed, u, 0, low, far_limit, drawer)
        near += _squares(flow, passed, u, low, low + size, near_limit - spread[u], drawer)
        far += _squares(flow, passed, u, low + size, places, far_limit, drawer)
    squared = near / (near_limit * near_limit) + far / (far_limit * far_limit)
    return float(squared + between / (links.between * links.between))


@inlined
def _copy_loads(source: Loads, target: Loads) -> None:
    copy(source.flow.ravel(), target.flow.ravel())
    copy(source.passed.ravel(), target.passed.ravel())
    copy(source.spread, target.spread)


@kernel
def start_loads(room: int, graph: Graph, to: Ints, links: Links, at: Places, loads: Loads) -> None:
    """Compute the loads of the tasks in their slots."""
    loads.flow[:] = 0
    loads.passed[:] = 0
    loads.spread[:] = 0
    for u in range(loads.spread.size):
        loads.flow[u, u] = NOWHERE
    slots = at.slot.copy()
    at.slot[:] = -1
    for r in range(slots.size):
        at.slot[r] = slots[r]
        _add_edges(r, 1, False, room, graph, to, links, at.slot, loads)


@kernel
def largest_loads(links: Links, loads: Loads, largest: NDArray[np.int64]) -> None:
    """Compute the largest load of links in a drawer, and of the other links in a group, (2,)."""
    largest[:] = 0
    for u in range(loads.spread.size):
        for v in range(loads.spread.size):
            near = u // links.drawer == v // links.drawer
            load = loads.flow[u, v] + loads.passed[u // links.drawer, v] + (loads.spread[u] if near else 0)
            kind = 0 if near else 1
            largest[kind] = max(largest[kind], load)


@kernel
def _any_swap(r: int, near: int, by_place: float, room: int, at: Places, state: State) -> tuple[int, int, int]:
    # Two slots, and the number of slots from there that are swapped; 0 if they are at the same place.
    a, b = at.slot[r], draw(state, at.task.size)
    if chance(state) <= by_place:
        a, b, width = a - a % room, b - b % room, room
    else:
        width = 1
        if chance(state) <= NEAR:
            b = at.slot[near] // room * room + b % room
    return a, b, width if a // room != b // room else 0


@kernel
def _swap_back(a: int, b: int, width: int, at: Places) -> None:
    # Undo a swap without its loads.
    slot, task = at
    for i in range(width):
        r, q = task[a + i], task[b + i]
        task[a + i], task[b + i] = q, r
        if r >= 0:
            slot[r] = b + i
        if q >= 0:
            slot[q] = a + i


@kernel
def anneal_places(
    room: int,
    graph: Graph,
    links: Links,
    by_place: float,
    relabelled: float,
    heats: tuple[float, float],
    steps: int,
    state: State,
    labels: Labels,
    at: Places,
    loads: Loads,
) -> float:
    """Swap tasks and change labels until no link exceeds its limit.

    Parameters
    ----------
    by_place
        Probability that a swap is of two places with all their tasks.
    relabelled
        Probability that a step changes a label.
    heats
        First and last temperature.

    Returns the last energy: the sum over links of the squared relative excess over their limit.
    """
    label, to, messages = labels
    slot, other = at.slot, graph.other
    heat, cool = heats[0], (heats[1] / heats[0]) ** (1 / steps)
    before = Loads(loads.flow.copy(), loads.passed.copy(), loads.spread.copy())
    between = excess_of(messages, links.between)
    energy = _energy(links, loads, between)
    for _ in range(steps):
        if energy <= 0:
            break
        heat *= cool
        r, k = draw(state, slot.size), draw(state, other.shape[1])
        old, change, a, b, width = label[r], 0, 0, 0, 0
        if chance(state) <= relabelled:
            new = _any_label(r, k, graph, labels, state)
            _add_edges(r, -1, True, room, graph, to, links, slot, loads)
            change = _relabel(r, new, graph, labels, links.between)
            _add_edges(r, 1, True, room, graph, to, links, slot, loads)
        else:
            a, b, width = _any_swap(r, other[r, k], by_place, room, at, state)
            for i in range(width):
                _swap(a + i, b + i, room, graph, to, links, at, loads)
        after = _energy(links, loads, between + change)
        if after <= energy or chance(state) < exp((energy - after) / heat):
            energy, between = after, between + change
            _copy_loads(loads, before)
        else:
            _copy_loads(before, loads)
            _swap_back(a, b, width, at)
            if label[r] != old:
                _relabel(r, old, graph, labels, links.between)
    return energy
