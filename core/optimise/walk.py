"""The steps of a search: draw a move, evaluate it, accept or reject it; the same for all methods.

All state of a step is in the arrays of `Walk`, so a search can stop and continue, and the same seed takes the same
steps, however they are divided into calls.
"""

from math import exp

import numpy as np

from core.kernels import copy, inlined, kernel
from core.mapping.edit import EMPTY
from core.optimise.kernel import (
    OVER,
    commit_move,
    current_figure,
    discard_move,
    energy,
    evaluate_move,
    stage_move,
    sum_distances,
    sum_loads,
    sum_waits,
    with_delay,
)
from core.optimise.tables import (
    BEST,
    BEST_COUNT,
    COLDEST_HEAT,
    ENERGY,
    FIRST,
    FORCED,
    HALTED,
    HEAT,
    HOT,
    HOTTEST_HEAT,
    LINKS,
    LOOKED,
    NO_SLOT,
    PARTNER,
    PICKED,
    PICKED_ENERGY,
    ROUND_START,
    ROUND_STEPS,
    SAMPLES,
    SECOND,
    STEP,
    TAKEN,
    TASKS,
    CommunicationGraph,
    Goal,
    ListRows,
    Moves,
    Place,
    Rule,
    SearchState,
    Walk,
)
from core.random_numbers import chance, draw
from core.routing.route_tables import RouteTables, row_of

REFRESH = 1 << 13
"""Steps between full recomputations of the sums and of the hot tasks."""
NEGLIGIBLE = 1e-12
"""Energy within rounding of zero: no link is over the limit."""
COOL = 1 << 6
"""Steps between changes of the temperature."""


@inlined
def propose(
    spn: int, rule: Rule, moves: Moves, neighbours: ListRows, partners: ListRows, place: Place, walk: Walk
) -> int:
    """Draw two units and mark their tasks; return the number of tasks that would change their node."""
    counters = walk.counters
    counters[STEP] += 1
    if counters[FORCED]:
        counters[FIRST], counters[SECOND] = counters[PICKED], counters[PARTNER]
    else:
        counters[FIRST], counters[SECOND] = _drawn(spn, rule, moves, neighbours, partners, place, walk)
    counters[TASKS] = stage_move(counters[FIRST], counters[SECOND], spn, moves, place)
    return int(counters[TASKS])


@inlined
def _drawn(
    spn: int, rule: Rule, moves: Moves, neighbours: ListRows, partners: ListRows, place: Place, walk: Walk
) -> tuple[int, int]:
    hot, a = walk.counters[HOT], -1
    if hot > 0 and chance(walk.draws) < rule.hot_share:
        a = moves.unit_of[place.slot[walk.hot[draw(walk.draws, hot)]]]
    if a < 0:
        a = draw(walk.draws, moves.group.size)
    group = moves.group[a]
    if rule.near_share > 0 and chance(walk.draws) < rule.near_share:
        b = _next_to_partner(a, spn, moves, neighbours, partners, place, walk)
        if b >= 0 and moves.group[b] == group:
            return a, b
    first = moves.start[group]
    return a, int(first + draw(walk.draws, moves.start[group + 1] - first))


@inlined
def _next_to_partner(
    a: int, spn: int, moves: Moves, neighbours: ListRows, partners: ListRows, place: Place, walk: Walk
) -> int:
    # A unit on or next to the node of a partner of one of the unit's tasks.
    slot = moves.slots[a, draw(walk.draws, moves.slots.shape[1])]
    if slot == NO_SLOT or place.occupant[slot] == EMPTY:
        return -1
    task = place.occupant[slot]
    start, end = partners.start[task], partners.start[task + 1]
    if start == end:
        return -1
    node = place.node[partners.item[start + draw(walk.draws, end - start)]]
    start, end = neighbours.start[node], neighbours.start[node + 1]
    return int(moves.unit_of[neighbours.item[start + draw(walk.draws, end - start)] * spn + draw(walk.draws, spn)])


@inlined
def accepts(after: float, rule: Rule, walk: Walk) -> bool:
    """Return whether to accept the evaluated move, after which the energy would be `after`."""
    counters, figures = walk.counters, walk.figures
    change = after - figures[ENERGY]
    walk.changes[counters[STEP] % SAMPLES] = change
    if rule.sampling:
        return False
    if rule.candidates > 1:
        return True if counters[FORCED] else _pick(after, walk)
    if rule.strict:
        return bool(change < 0)
    return bool(change <= 0 or (figures[HEAT] > 0 and chance(walk.draws) < exp(-change / figures[HEAT])))


@kernel
def accept(after: float, state: SearchState) -> None:
    """Accept the evaluated move."""
    rule, walk = state.rule, state.walk
    commit_move(state)
    walk.figures[ENERGY] = after
    walk.counters[TAKEN] += 1
    if rule.tenure:
        end = walk.counters[STEP] + rule.tenure * rule.candidates
        walk.tabu_until[walk.counters[FIRST]] = walk.tabu_until[walk.counters[SECOND]] = end
    keep_best(current_figure(state), state)


@inlined
def _pick(after: float, walk: Walk) -> bool:
    # Remember the best candidate; it is made when all are evaluated.
    counters, figures = walk.counters, walk.figures
    tabu = max(walk.tabu_until[counters[FIRST]], walk.tabu_until[counters[SECOND]]) > counters[STEP]
    if after < figures[PICKED_ENERGY] and not tabu:
        figures[PICKED_ENERGY] = after
        counters[PICKED], counters[PARTNER] = counters[FIRST], counters[SECOND]
    return False


@inlined
def keep_best(figure: float, state: SearchState) -> None:
    """Keep the mapping if its figure is the best, or equals the best with fewer hottest links."""
    walk = state.walk
    count = state.sums.hot[0] if state.layers.term.size else 0
    if figure < walk.figures[BEST] or (figure == walk.figures[BEST] and count < walk.counters[BEST_COUNT]):
        walk.figures[BEST], walk.counters[BEST_COUNT] = figure, count
        copy(state.place.slot, walk.best)


@inlined
def end_step(goal: Goal, rule: Rule, walk: Walk) -> bool:
    """Count a candidate; when enough are evaluated, the best is the next move.

    Return whether no link is over the limit any more.
    """
    counters = walk.counters
    if counters[FORCED]:
        counters[FORCED] = counters[LOOKED] = 0
        walk.figures[PICKED_ENERGY] = np.inf
    elif rule.candidates > 1:
        counters[LOOKED] += 1
        if counters[LOOKED] >= rule.candidates:
            counters[FORCED], counters[LOOKED] = walk.figures[PICKED_ENERGY] < np.inf, 0
    counters[HALTED] = goal.limit > 0 and walk.figures[ENERGY] < NEGLIGIBLE
    return bool(counters[HALTED])


@kernel
def cool(walk: Walk) -> None:
    """Set the temperature by the elapsed part of the round: geometric cooling."""
    counters, figures = walk.counters, walk.figures
    if figures[HOTTEST_HEAT] > 0:
        # By the last multiple of `COOL`, so that the division into calls does not matter.
        step = max(counters[STEP] - counters[STEP] % COOL, counters[ROUND_START])
        done = (step - counters[ROUND_START]) / max(counters[ROUND_STEPS], 1)
        figures[HEAT] = figures[HOTTEST_HEAT] * (figures[COLDEST_HEAT] / figures[HOTTEST_HEAT]) ** min(done, 1.0)


@kernel
def recompute(routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    """Recompute all sums, and find the tasks whose flows cross links over the limit."""
    goal, layers, sums, walk = state.goal, state.layers, state.sums, state.walk
    sum_loads(state)
    sum_waits(state)
    if distances.other.size:
        sum_distances(routes, distances, state)
    walk.figures[ENERGY] = energy(goal, layers, sums.power, sums.distance)
    walk.counters[HOT] = 0
    if state.rule.hot_share > 0:
        for layer in range(layers.term.size):
            limit = goal.limit * (1 + OVER) if goal.limit > 0 else sums.hottest[layer] * (1 - OVER)
            _find_hot(layer, limit, routes, state)


@kernel
def _find_hot(layer: int, limit: float, routes: RouteTables, state: SearchState) -> None:
    place, layers, walk = state.place, state.layers, state.walk
    for t in range(place.node.size):
        for f in range(layers.start[layer, t], layers.start[layer, t + 1]):
            u, v = place.node[t], place.node[layers.other[f]]
            if f >= layers.first_in[layer, t]:
                u, v = v, u
            if u != v and _is_hot(u, v, layer, limit, routes, state):
                if walk.counters[HOT] < walk.hot.size:
                    walk.hot[walk.counters[HOT]] = t
                    walk.counters[HOT] += 1
                break


@inlined
def _is_hot(u: int, v: int, layer: int, limit: float, routes: RouteTables, state: SearchState) -> bool:
    offset = layer * state.links
    alone = routes.detour[state.layers.failure[layer], u, v] if routes.detour.size else -1
    for k in range(routes.when.size if alone < 0 else 1):
        row = alone if alone >= 0 else row_of(routes, k, u, v)
        if row >= 0:
            for e in range(routes.start[row], routes.start[row + 1]):
                link = offset + routes.links[e]
                load, delays = state.sums.load[link], state.layers.delay
                if with_delay(load * state.layers.pace[link], load, delays[link] if delays.size else 0.0) > limit:
                    return True
    return False


def advance(steps: int, routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    """Take `steps` steps, or stop when no link is over the limit any more."""
    counters = state.walk.counters
    end = int(counters[STEP]) + steps
    while counters[STEP] < end and not counters[HALTED]:
        step = int(counters[STEP])
        # Called outside the kernel, which would compile it a second time.
        if step % REFRESH == 0:
            recompute(routes, distances, state)
        _advance(min(end - step, REFRESH - step % REFRESH), routes, distances, state)


@kernel
def _advance(steps: int, routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    # Steps between two recomputations of the sums.
    links, spn, goal, rule, moves, neighbours, partners, place, layers, waits, sums, touched, walk = state
    cool(walk)
    counters = walk.counters
    for _ in range(steps):
        if counters[STEP] % COOL == 0:
            cool(walk)
        tasks = propose(spn, rule, moves, neighbours, partners, place, walk)
        if tasks:
            counters[LINKS] = evaluate_move(tasks, links, goal, place, layers, routes, distances, waits, sums, touched)
            after = energy(goal, layers, sums.new_power, sums.new_distance)
            if accepts(after, rule, walk):
                accept(after, state)
            discard_move(tasks, counters[LINKS], place, touched)
        if end_step(goal, rule, walk):
            return
