"""Searches among mappings that go by the binary digits of tasks' and slots' numbers.

Whoever wrote a program numbered its tasks in some order, and whoever built a machine its nodes: grids, hypercubes and
butterflies, and the machines on which they run well, are simple in these digits, while single exchanges hardly ever
find the few mappings where all fits. Here all moves are exchanges of half of the tasks: digit i is added to digit j (a
shear; together they make all linear maps over two elements), or both change places. From random compositions of them
the sum of the squares of links' times goes down until none of them helps; then it starts anew.
"""

from typing import NamedTuple

import numpy as np

from core.draws import State, draw
from core.kernels import copy, inlined, kernel
from core.mapping.mapping import Slots
from core.optimise.tables import Layers
from core.routing.flows import FixedPoint, Volumes
from core.routing.route_tables import RouteTables, row_of

SQUARES, START_BEST, BEST_TIME = range(3)
"""Of `Shears.real`: the sum where the search is; the least time since the last start, and of all."""
MIXING = 4
"""Random moves of a start, for each digit."""


class Shears(NamedTuple):
    """Where the search stands."""

    slot: Slots
    """(tasks,) the mapping where it is; the one that is looked at; the best of all."""
    trial: Slots
    best: Slots
    load: FixedPoint
    """(links,) room for loads."""
    draws: State
    failed: FixedPoint
    """(1,) moves looked at since the last that helped, or -1 before a start."""
    real: Volumes
    """(3,)"""


@kernel
def shear(tries: int, slots: int, spn: int, layers: Layers, routes: RouteTables, shears: Shears, ended: Volumes) -> int:
    """Look at so many mappings; return how many starts came to an end, the least time of each being in `ended`."""
    slot, trial, failed, real = shears.slot, shears.trial, shears.failed, shears.real
    first, second, count = _digits(slot.size), _digits(slots), 0
    patience = 3 * (first * (first - 1) + second * (second - 1)) // 2
    for _ in range(tries):
        begins = failed[0] < 0
        if begins:
            for task in range(slot.size):
                slot[task] = task
        for _ in range(MIXING * (first + second) if begins else 1):
            _move(slots, first, second, slot, trial, shears.draws)
            if begins:
                copy(trial, slot)
        time, squares = _weighed(spn, layers, routes, trial, shears.load)
        failed[0] = 0 if begins or squares < real[SQUARES] else failed[0] + 1
        if begins or squares <= real[SQUARES]:
            copy(trial, slot)
            real[SQUARES] = squares
        real[START_BEST] = time if begins else min(time, real[START_BEST])
        if time < real[BEST_TIME]:
            copy(trial, shears.best)
            real[BEST_TIME] = time
        if failed[0] > patience:
            ended[count], failed[0] = real[START_BEST], -1
            count += 1
    return count


@inlined
def _digits(numbers: int) -> int:
    """Return how many binary digits numbers below `numbers` have."""
    count = 0
    while (1 << count) < numbers:
        count += 1
    return count


@inlined
def _move(slots: int, first: int, second: int, slot: Slots, trial: Slots, draws: State) -> None:
    # One move of the tasks' numbers or of the slots': those that would leave the range stay.
    of_tasks = draw(draws, first * first + second * second) < first * first
    bits = first if of_tasks else second
    i, j, swaps = draw(draws, bits), draw(draws, bits - 1), draw(draws, 2) == 1
    if j >= i:
        j += 1
    for t in range(slot.size):
        if of_tasks:
            trial[t] = slot[_moved(t, i, j, swaps, slot.size)]
        else:
            trial[t] = _moved(slot[t], i, j, swaps, slots)


@inlined
def _moved(number: int, i: int, j: int, swaps: bool, below: int) -> int:
    if swaps:
        differ = (number >> i ^ number >> j) & 1
        other = number ^ (differ << i | differ << j)
    else:
        other = number ^ (number >> i & 1) << j
    return other if other < below else number


@inlined
def _weighed(spn: int, layers: Layers, routes: RouteTables, slot: Slots, load: FixedPoint) -> tuple[float, float]:
    # The time of a mapping and the sum of the squares of links' times, all layers together.
    time, squares, links = 0.0, 0.0, load.size
    pace, volumes, others, shares, where = layers.pace, layers.volume, layers.other, routes.shares, routes.links
    fluid, flows = routes.fluid, routes.fluid.size > 0
    for layer in range(layers.term.size):
        load[:] = 0
        for t in range(slot.size):
            u = slot[t] // spn
            for f in range(layers.start[layer, t], layers.turn[layer, t]):
                v, volume = slot[others[f]] // spn, volumes[f] // routes.whole
                if u == v:
                    continue
                for k in range(routes.when.size):
                    row = row_of(routes, k, u, v)
                    if row >= 0:
                        for e in range(routes.start[row], routes.start[row + 1]):
                            load[where[e]] += np.int64(np.rint(volume * fluid[e])) if flows else volume * shares[e]
        hottest = 0.0
        for link in range(links):
            taken = load[link] * pace[layer * links + link]
            squares += taken * taken
            hottest = max(hottest, taken)
        time += hottest
    return time, squares
