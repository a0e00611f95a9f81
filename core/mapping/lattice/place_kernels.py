"""Kernels of the places of a lattice colouring: the loads of the links of one group, as integers.

A node, or the router of some nodes, is a place. Messages to another group take links from their place to its gates.
Messages inside the group take one hop, or are spread over the drawer of their source and take another hop from there.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, inlined, kernel
from core.mapping.lattice.label_kernels import Graph, Ints, Labels, any_label, excess_of, relabel
from core.random_numbers import State, chance, draw

NEAR = 0.5
"""Probability of a swap with the place of a neighbour."""
MAX_EXCESS = 4095
"""Excess from which on all count alike: the sum of 128 squares fits 32 bits."""
NOWHERE = -(1 << 28)
"""Load between a place and itself, always below all limits."""


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


class Places(NamedTuple):
    """The places of the tasks of the group."""

    slot: Ints
    """(tasks,) slot in the group, -1 while the task is moved."""
    task: Ints
    """(slots,) task in each slot, -1 for none."""


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
            new = any_label(r, k, graph, labels, state)
            _add_edges(r, -1, True, room, graph, to, links, slot, loads)
            change = relabel(r, new, graph, labels, links.between)
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
                relabel(r, old, graph, labels, links.between)
    return energy
