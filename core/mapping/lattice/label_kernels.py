"""Kernels of the labels of a lattice colouring.

By symmetry one group stands for all. It holds one task of each coset of a lattice, translated so that the task is in
group 0: an edge of the task grid leads to the translation ``label of the neighbour + shift - label``, 0 inside the
group. All volumes are integers.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.random_numbers import State, chance, draw

Ints = NDArray[np.int32]

JOINED = 0.7
"""Probability that a task gets the label that puts it in the group of a neighbour, not any label."""


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


class Labels(NamedTuple):
    """The groups of the tasks."""

    label: Ints
    """(tasks,) translation of the group of each coset's representative."""
    to: Ints
    """(tasks, offsets) translation from the group of a task to the group of its neighbour."""
    messages: Ints
    """(translations,) messages from the group to the group at each translation."""


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
def relabel(r: int, new: int, graph: Graph, labels: Labels, limit: int) -> int:
    """Change the label of a task; return the change of the squared excess of messages."""
    # Tuples are unpacked before loops: numba counts references for each read of a tuple.
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
def any_label(r: int, k: int, graph: Graph, labels: Labels, state: State) -> int:
    """Return a random label for a task, mostly the label that puts it in the group of its k-th neighbour."""
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
        new = any_label(r, draw(state, graph.weight.size), graph, labels, state)
        if new == label[r]:
            continue
        change = 0.0
        for i in range(tasks):
            r = block[chosen, i]
            before[i] = label[r]
            if per_collision > 0:
                change -= per_collision * _collisions_at(r, other, to, gate)
            change += relabel(r, new, graph, labels, limit)
            if per_collision > 0:
                change += per_collision * _collisions_at(r, other, to, gate)
        if change <= 0 or chance(state) < exp(-change / heat):
            energy += change
        else:
            for i in range(tasks - 1, -1, -1):
                relabel(block[chosen, i], before[i], graph, labels, limit)
    return energy
