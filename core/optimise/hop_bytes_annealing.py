"""Annealing of hop-bytes alone: communicating tasks move close together, much faster than under other objectives.

A swap reads the table of distances twice for each flow of its tasks, and updates nothing else. If distances differ by
direction, their mean counts.
"""

from math import exp

import numpy as np

from core.kernels import kernel
from core.mapping.edit import EMPTY
from core.mapping.mapping import Slots
from core.optimise.kernel import exchange_units
from core.optimise.move_constraints import MoveConstraints
from core.optimise.problem import Problem
from core.optimise.tables import CommunicationGraph, Moves, Place
from core.random_numbers import State, chance, draw

LENGTH, EACH, MAX_UNITS = 50_000, 64, 1 << 12
"""Minimum number of steps, and steps per unit, for at most this number of units."""
LOOKS = 64
"""Swaps evaluated in the time of an ordinary step."""
HOT, COLD = 0.8, 0.25
"""First and last temperature, in hops of the mean volume (the volume of the flow of a mean byte)."""
COOL = 64
"""Swaps between changes of the temperature."""


class HopBytesAnnealing:
    """An annealing of hop-bytes in batches of steps; single tasks move, within the constraints."""

    def __init__(self, problem: Problem, constraints: MoveConstraints, slots: Slots, draws: State) -> None:
        network, flows = problem.case.network, problem.distances
        self._moves = constraints.moves(network, problem.case.mapping.moved(slots), problem.case.allocation)
        self._spn, self._draws, self._place = network.slots_per_node, draws, problem.place(slots)
        # Volume of each pair in both directions.
        volume = np.ascontiguousarray(flows.out[:, :1] if flows.symmetric else flows.out[:, :1] + flows.into[:, :1])
        table = flows.table if flows.symmetric else (flows.table + flows.table.T) * np.float32(0.5)
        self._flows = flows._replace(out=volume, table=table)
        mean = float((volume**2).sum() / volume.sum()) if volume.any() else 1.0
        self._hot, self._cold = HOT * mean, COLD * mean
        self._length = max(LENGTH, EACH * min(self._moves.group.size, MAX_UNITS))
        self._done = 0

    @property
    def draw(self) -> int:
        """Return the state of the random numbers, to continue elsewhere."""
        return int(self._draws[0])

    @property
    def slots(self) -> Slots:
        """Return the slots of all tasks."""
        return self._place.slot

    @property
    def left(self) -> int:
        """Return the number of remaining steps."""
        return self._length - self._done

    def advance(self, steps: int) -> None:
        """Take at most `steps` of the remaining steps."""
        cooling = (self._cold / self._hot) ** (COOL / (self._length * LOOKS))
        first, looks = self._done * LOOKS, steps * LOOKS
        _anneal_hop_bytes(
            first, looks, self._hot, cooling, self._spn, self._moves, self._flows, self._place, self._draws
        )
        self._done += steps


@kernel
def _anneal_hop_bytes(
    first: int,
    looks: int,
    hot: float,
    cooling: float,
    spn: int,
    moves: Moves,
    flows: CommunicationGraph,
    place: Place,
    draws: State,
) -> None:
    slots, start, group = moves.slots, moves.start, moves.group
    begins, others, volume, table = flows.start, flows.other, flows.out, flows.table
    node, occupant = place.node, place.occupant
    heat = hot * cooling ** (first // COOL)
    for step in range(first, first + looks):
        if step % COOL == 0:
            heat = hot * cooling ** (step // COOL)
        a = draw(draws, group.size)
        lowest = start[group[a]]
        b = lowest + draw(draws, start[group[a] + 1] - lowest)
        s, t = slots[a, 0], slots[b, 0]
        u, v = occupant[s], occupant[t]
        if u == v:
            continue
        longer = 0.0
        # The distance between the two themselves does not change.
        for task, partner, old, new in ((u, v, s // spn, t // spn), (v, u, t // spn, s // spn)):
            change = 0.0
            if task != EMPTY:
                for f in range(begins[task], begins[task + 1]):
                    if others[f] != partner:
                        end = node[others[f]]
                        change += volume[f, 0] * (table[new, end] - table[old, end])
            longer += change
        if longer <= 0 or chance(draws) < exp(-longer / heat):
            exchange_units(a, b, spn, moves, place)
