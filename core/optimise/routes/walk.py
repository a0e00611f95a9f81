"""Moves drawn at random, mostly from hot links, and accepted by simulated annealing (Kirkpatrick et al., 1983)."""

from math import exp

import numpy as np

from core.kernels import inlined, kernel
from core.optimise.routes.kernel import energy_change, figure_of, is_minimal, link_time, move
from core.optimise.routes.state import (
    BEST,
    COLDEST_HEAT,
    HOTTEST_HEAT,
    NO_LAYER,
    ROUND_STEP,
    ROUND_STEPS,
    STEP,
    Goal,
    MinimalPaths,
    RouteSums,
    RouteWalk,
    Traffic,
)
from core.random_numbers import chance, draw
from core.routing.flows import Nodes

HOT = 0.8
"""Fraction of moves that relieve a hot link."""
TRIES = 16
"""Entries drawn until one can move."""
BETTER = 1e-9
"""Smallest relative improvement that counts."""
NONE = -1


@inlined
def _volume(row: int, switch: int, sums: RouteSums) -> int:
    total = 0
    for layer in range(sums.through.shape[2]):
        total += sums.through[row, switch, layer]
    return total


@kernel
def _alternative(row: int, switch: int, at: Nodes, paths: MinimalPaths, sums: RouteSums, walk: RouteWalk) -> int:
    """Return the index in `paths.out` of a random minimal port other than the current, or `NONE`."""
    begin, count = paths.out.start[switch], paths.out.start[switch + 1] - paths.out.start[switch]
    if count < 2:
        return NONE
    current, first = at[switch * 256 + sums.ports[row, switch]], draw(walk.draws, count)
    for k in range(count):
        index = begin + (first + k) % count
        link = paths.out.link[index]
        if link != current and is_minimal(row, switch, link, paths):
            return int(index)
    return NONE


@kernel
def _hot_link(traffic: Traffic, sums: RouteSums, walk: RouteWalk) -> int:
    """Return the hottest of some random links between switches, in a random run."""
    run, tries = draw(walk.draws, traffic.times.size), 1 << (1 + draw(walk.draws, 6))
    chosen, most = NONE, 0.0
    for _ in range(tries):
        link = walk.inner[draw(walk.draws, walk.inner.size)]
        rest = sums.load[link, traffic.others] if traffic.others != NO_LAYER else 0
        time = link_time(sums.load[link, run], rest, traffic.share[run], traffic.pace[link])
        if time > most:
            chosen, most = int(link), time
    return chosen


@kernel
def _row_through(link: int, at: Nodes, paths: MinimalPaths, sums: RouteSums, walk: RouteWalk) -> int:
    """Return a random row whose flows cross a link, or `NONE`."""
    switch, rows = paths.src[link] - paths.nodes, sums.ports.shape[0]
    first = draw(walk.draws, rows)
    for k in range(rows):
        row = (first + k) % rows
        if at[switch * 256 + sums.ports[row, switch]] == link and _volume(row, switch, sums) > 0:
            return int(row)
    return NONE


@kernel
def _feeder(row: int, switch: int, at: Nodes, paths: MinimalPaths, sums: RouteSums, walk: RouteWalk) -> int:
    """Return a random switch that forwards a volume for the LID of a row to a switch, or `NONE`."""
    begin, count = paths.into.start[switch], paths.into.start[switch + 1] - paths.into.start[switch]
    if count == 0:
        return NONE
    first = draw(walk.draws, count)
    for k in range(count):
        link = paths.into.link[begin + (first + k) % count]
        tail = paths.src[link] - paths.nodes
        if at[tail * 256 + sums.ports[row, tail]] == link and _volume(row, tail, sums) > 0:
            return int(tail)
    return NONE


@kernel
def _pick_hot(
    at: Nodes, paths: MinimalPaths, traffic: Traffic, sums: RouteSums, walk: RouteWalk
) -> tuple[int, int, int]:
    """Return the row, switch and new port of a move that takes flows off a hot link, or `NONE`s.

    The next hop that moves is at the link's tail or, with chance one half at every switch, farther from the LID.
    """
    link = _hot_link(traffic, sums, walk)
    row = _row_through(link, at, paths, sums, walk) if link != NONE else NONE
    if row == NONE:
        return NONE, NONE, NONE
    switch = int(paths.src[link] - paths.nodes)
    while True:
        index = _alternative(row, switch, at, paths, sums, walk)
        if index != NONE and draw(walk.draws, 2) == 0:
            return row, switch, index
        farther = _feeder(row, switch, at, paths, sums, walk)
        if farther == NONE:
            return (row, switch, index) if index != NONE else (NONE, NONE, NONE)
        switch = farther


@kernel
def _pick_any(at: Nodes, paths: MinimalPaths, sums: RouteSums, walk: RouteWalk) -> tuple[int, int, int]:
    """Return the row, switch and new port of a random move, or `NONE`s."""
    rows, switches = sums.ports.shape
    for _ in range(TRIES):
        row, switch = draw(walk.draws, rows), draw(walk.draws, switches)
        if _volume(row, switch, sums) > 0:
            index = _alternative(row, switch, at, paths, sums, walk)
            if index != NONE:
                return row, switch, index
    return NONE, NONE, NONE


@kernel
def advance(
    steps: int, at: Nodes, paths: MinimalPaths, traffic: Traffic, goal: Goal, sums: RouteSums, walk: RouteWalk
) -> bool:
    """Evaluate moves and make those accepted; return whether all links are within the limits of the round."""
    counters, figures = walk.counters, walk.figures
    amount = np.empty(sums.load.shape[1], np.int64)
    hottest, coldest = figures[HOTTEST_HEAT], figures[COLDEST_HEAT]
    for _ in range(steps):
        counters[STEP] += 1
        counters[ROUND_STEP] += 1
        hot = chance(walk.draws) < HOT
        if hot:
            row, switch, index = _pick_hot(at, paths, traffic, sums, walk)
        else:
            row, switch, index = _pick_any(at, paths, sums, walk)
        if row == NONE:
            continue
        for layer in range(amount.size):
            amount[layer] = sums.through[row, switch, layer]
        old, new = at[switch * 256 + sums.ports[row, switch]], paths.out.link[index]
        change = energy_change(row, old, new, amount, paths, at, traffic, goal, sums)
        if change > 0.0:
            done = counters[ROUND_STEP] / counters[ROUND_STEPS]
            heat = hottest * (coldest / hottest) ** done if hottest > 0.0 else 0.0
            if heat <= 0.0 or chance(walk.draws) >= exp(-change / heat):
                continue
        move(row, old, new, paths.out.port[index], amount, paths, at, traffic, goal, sums)
        figure = figure_of(traffic, sums)
        if figure < figures[BEST] * (1.0 - BETTER):
            figures[BEST] = figure
            _keep(sums, walk)
        if goal.limited and _within(goal, sums):
            return True
    return False


@inlined
def _within(goal: Goal, sums: RouteSums) -> bool:
    over = 0
    for run in range(sums.hottest.size):
        over += sums.hottest[run] > goal.unit[run] * (1.0 + BETTER)
    return over == 0


@kernel
def _keep(sums: RouteSums, walk: RouteWalk) -> None:
    for row in range(walk.best.shape[0]):
        for switch in range(walk.best.shape[1]):
            walk.best[row, switch] = sums.ports[row, switch]
