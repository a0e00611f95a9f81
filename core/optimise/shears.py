"""Searches among mappings that act on the binary digits of task and slot numbers.

Programs number their tasks, and machines their nodes, in regular orders: good mappings between grids, hypercubes and
butterflies are often simple in these digits, while single exchanges hardly ever find them. All moves here exchange half
of the tasks: digit i is added to digit j (a shear; shears generate all linear maps over GF(2)), or two digits are
swapped. From random compositions, moves that reduce the sum of squared link times are accepted until none does; then
the search restarts.
"""

from typing import NamedTuple

import numpy as np

from core.kernels import copy, inlined, kernel
from core.mapping.mapping import Slots
from core.optimise.tables import Layers
from core.random_numbers import State, draw
from core.routing.flows import FixedPoint, Volumes
from core.routing.route_tables import RouteTables, row_of

SQUARES, START_BEST, BEST_TIME = range(3)
"""Indices of `Shears.figures`: current sum of squares; least time since the last start; least time of all."""
MIXING = 4
"""Random moves per digit at a start."""


class Shears(NamedTuple):
    """State of the search."""

    slot: Slots
    """(tasks,) the current mapping; then the mapping being evaluated, and the best."""
    trial: Slots
    best: Slots
    load: FixedPoint
    """(links,) buffer for loads."""
    draws: State
    failed: FixedPoint
    """(1,) moves evaluated since the last improvement, or -1 before a start."""
    figures: Volumes
    """(3,) figures by the indices above."""


@kernel
def shear(tries: int, slots: int, spn: int, layers: Layers, routes: RouteTables, shears: Shears, ended: Volumes) -> int:
    """Evaluate `tries` mappings; return how many starts ended, with the least time of each in `ended`."""
    slot, trial, failed, figures = shears.slot, shears.trial, shears.failed, shears.figures
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
        failed[0] = 0 if begins or squares < figures[SQUARES] else failed[0] + 1
        if begins or squares <= figures[SQUARES]:
            copy(trial, slot)
            figures[SQUARES] = squares
        figures[START_BEST] = time if begins else min(time, figures[START_BEST])
        if time < figures[BEST_TIME]:
            copy(trial, shears.best)
            figures[BEST_TIME] = time
        if failed[0] > patience:
            ended[count], failed[0] = figures[START_BEST], -1
            count += 1
    return count


@inlined
def _digits(numbers: int) -> int:
    """Return the number of binary digits of numbers below `numbers`."""
    count = 0
    while (1 << count) < numbers:
        count += 1
    return count


@inlined
def _move(slots: int, first: int, second: int, slot: Slots, trial: Slots, draws: State) -> None:
    # Apply a move to task or slot numbers; numbers that would leave the range stay.
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
    # The time of a mapping and the sum of squared link times, over all layers.
    time, squares, links = 0.0, 0.0, load.size
    pace, volumes, others, shares, where = layers.pace, layers.volume, layers.other, routes.shares, routes.links
    fluid, flows = routes.fluid, routes.fluid.size > 0
    for layer in range(layers.term.size):
        load[:] = 0
        for t in range(slot.size):
            u = slot[t] // spn
            for f in range(layers.start[layer, t], layers.first_in[layer, t]):
                v, volume = slot[others[f]] // spn, volumes[f] // routes.denominator
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
