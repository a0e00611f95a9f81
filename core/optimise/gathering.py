"""Annealing of hop-bytes alone: tasks are brought near those that they talk to, far faster than other figures allow.

A swap costs two reads of the table of distances for each flow of its tasks, and nothing else is kept. Where ways back
have other lengths than ways there, the mean of both counts.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from core.draws import State, chance, draw
from core.job.job import Tasks
from core.kernels import inlined, kernel
from core.mapping.edit import EMPTY, occupants
from core.mapping.mapping import Mapping, Slots
from core.optimise.move_constraints import MoveConstraints
from core.optimise.problem import Problem
from core.optimise.tables import Indices
from core.routing.flows import FixedPoint, Nodes, Volumes

LENGTH, EACH, MAX_UNITS = 50_000, 64, 1 << 12
"""Steps at least, and for each unit, up to so many of them."""
LOOKS = 64
"""Swaps that are looked at in the time of a step elsewhere."""
HOT, COLD = 0.8, 0.25
"""Temperatures at the beginning and at the end, in hops of the mean volume (that of the flow of a mean byte)."""
COOL = 64
"""Swaps after which it gets colder."""


class Gathering:
    """One annealing of hop-bytes, some steps at a time; single tasks move, within what is free."""

    def __init__(self, problem: Problem, constraints: MoveConstraints, slots: Slots, draws: State) -> None:
        network, far = problem.case.network, problem.distances
        mapping = Mapping(slots, network.slots_per_node)
        self._moves = constraints.moves(network, mapping)
        self._spn, self._draws = network.slots_per_node, draws
        self._begins, self._others = far.start, far.other
        # As of any two tasks: there and back together.
        volume = far.out[:, 0] if far.symmetric else far.out[:, 0] + far.into[:, 0]
        self._volume = np.ascontiguousarray(volume)
        self._table = far.table if far.symmetric else (far.table + far.table.T) * np.float32(0.5)
        self._node, self._occupant = mapping.nodes.copy(), occupants(mapping, network.slots)
        self.slots: Slots = slots.copy()
        """Where all tasks are."""
        mean = float((volume**2).sum() / volume.sum()) if volume.any() else 1.0
        self._hot, self._cold = HOT * mean, COLD * mean
        self._length = max(LENGTH, EACH * min(self._moves.group.size, MAX_UNITS))
        self._done = 0

    @property
    def draw(self) -> int:
        """Return where its random numbers have come to."""
        return int(self._draws[0])

    @property
    def left(self) -> int:
        """Return how many steps are left."""
        return self._length - self._done

    def advance(self, steps: int) -> None:
        """Take so many steps, at most those left."""
        looks, moves = self._length * LOOKS, self._moves
        _gather(
            self._done * LOOKS,
            steps * LOOKS,
            self._hot,
            (self._cold / self._hot) ** (COOL / looks),
            self._spn,
            moves.slots[:, 0].copy(),
            moves.start,
            moves.group,
            self._begins,
            self._others,
            self._volume,
            self._table,
            self.slots,
            self._node,
            self._occupant,
            self._draws,
        )
        self._done += steps


@kernel
def _gather(
    first: int,
    looks: int,
    hot: float,
    cooling: float,
    spn: int,
    slots: Slots,
    start: FixedPoint,
    group: Indices,
    begins: FixedPoint,
    others: Tasks,
    volume: Volumes,
    table: NDArray[np.float32],
    slot: Slots,
    node: Nodes,
    occupant: Tasks,
    draws: State,
) -> None:
    heat = hot * cooling ** (first // COOL)
    for step in range(first, first + looks):
        if step % COOL == 0:
            heat = hot * cooling ** (step // COOL)
        a = draw(draws, group.size)
        lowest = start[group[a]]
        s, t = slots[a], slots[lowest + draw(draws, start[group[a] + 1] - lowest)]
        one, other = occupant[s], occupant[t]
        if one == other:
            continue
        here, there = s // spn, t // spn
        change = _longer(one, other, here, there, begins, others, volume, table, node)
        change += _longer(other, one, there, here, begins, others, volume, table, node)
        if change <= 0 or chance(draws) < exp(-change / heat):
            occupant[s], occupant[t] = other, one
            if one != EMPTY:
                slot[one], node[one] = t, there
            if other != EMPTY:
                slot[other], node[other] = s, here


@inlined
def _longer(
    task: int,
    partner: int,
    here: int,
    there: int,
    begins: FixedPoint,
    others: Tasks,
    volume: Volumes,
    table: NDArray[np.float32],
    node: Nodes,
) -> float:
    # By how much a task's flows get longer; those with the partner stay as long as they are.
    change = 0.0
    if task != EMPTY:
        for f in range(begins[task], begins[task + 1]):
            other = others[f]
            if other != partner:
                at = node[other]
                change += volume[f] * (table[there, at] - table[here, at])
    return change
