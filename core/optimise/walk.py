"""The steps of a search: draw a move, look at it, take it or leave it. One machine for all methods.

Everything that a step depends on lies in the arrays of `Walk`, so a search goes on where it stopped, and takes the
same steps from the same seed in whatever portions it is asked for them.
"""

from math import exp

import numpy as np

from core.draws import chance, draw
from core.kernels import copy, inlined, kernel
from core.mapping.edit import EMPTY
from core.optimise.kernel import (
    OVER,
    commit_move,
    discard_move,
    energy,
    evaluate_move,
    figure,
    lifted,
    stage_move,
    sum_distances,
    sum_loads,
    sum_waits,
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
    Lists,
    Moves,
    Place,
    Rule,
    SearchState,
    Walk,
)
from core.routing.route_tables import RouteTables, row_of

REFRESH = 1 << 13
"""Steps after which sums are made anew and hot tasks are looked for again."""
NOTHING = 1e-12
"""Energy of a mapping that passes no limit, but for rounding."""
COOL = 1 << 6
"""Steps after which it gets colder."""


@inlined
def propose(spn: int, rule: Rule, moves: Moves, neighbours: Lists, partners: Lists, place: Place, walk: Walk) -> int:
    """Draw two units and mark their tasks; return how many tasks would change their node."""
    whole = walk.whole
    whole[STEP] += 1
    if whole[FORCED]:
        whole[FIRST], whole[SECOND] = whole[PICKED], whole[PARTNER]
    else:
        whole[FIRST], whole[SECOND] = _drawn(spn, rule, moves, neighbours, partners, place, walk)
    whole[TASKS] = stage_move(whole[FIRST], whole[SECOND], spn, moves, place)
    return int(whole[TASKS])


@inlined
def _drawn(
    spn: int, rule: Rule, moves: Moves, neighbours: Lists, partners: Lists, place: Place, walk: Walk
) -> tuple[int, int]:
    hot, a = walk.whole[HOT], -1
    if hot > 0 and chance(walk.draws) < rule.hot_share:
        a = moves.unit_of[place.slot[walk.hot[draw(walk.draws, hot)]]]
    if a < 0:
        a = draw(walk.draws, moves.group.size)
    group = moves.group[a]
    if rule.near_share > 0 and chance(walk.draws) < rule.near_share:
        b = _beside(a, spn, moves, neighbours, partners, place, walk)
        if b >= 0 and moves.group[b] == group:
            return a, b
    first = moves.start[group]
    return a, int(first + draw(walk.draws, moves.start[group + 1] - first))


@inlined
def _beside(a: int, spn: int, moves: Moves, neighbours: Lists, partners: Lists, place: Place, walk: Walk) -> int:
    # A unit on or next to the node of a task that one of the unit's tasks talks to.
    task = place.occupant[moves.slots[a, draw(walk.draws, moves.slots.shape[1])]]
    if task == EMPTY:
        return -1
    start, end = partners.start[task], partners.start[task + 1]
    if start == end:
        return -1
    node = place.node[partners.item[start + draw(walk.draws, end - start)]]
    start, end = neighbours.start[node], neighbours.start[node + 1]
    return int(moves.unit_of[neighbours.item[start + draw(walk.draws, end - start)] * spn + draw(walk.draws, spn)])


@inlined
def accepts(after: float, rule: Rule, walk: Walk) -> bool:
    """Return whether to take the move that was looked at, after which the energy would be `after`."""
    whole, real = walk.whole, walk.real
    change = after - real[ENERGY]
    walk.changes[whole[STEP] % SAMPLES] = change
    if rule.sampling:
        return False
    if rule.candidates > 1:
        return True if whole[FORCED] else _pick(after, walk)
    if rule.strict:
        return bool(change < 0)
    return bool(change <= 0 or (real[HEAT] > 0 and chance(walk.draws) < exp(-change / real[HEAT])))


@kernel
def accept(after: float, state: SearchState) -> None:
    """Take the move that was looked at."""
    rule, walk = state.rule, state.walk
    commit_move(state)
    walk.real[ENERGY] = after
    walk.whole[TAKEN] += 1
    if rule.tenure:
        end = walk.whole[STEP] + rule.tenure * rule.candidates
        walk.still[walk.whole[FIRST]] = walk.still[walk.whole[SECOND]] = end
    keep_best(figure(state), state)


@inlined
def _pick(after: float, walk: Walk) -> bool:
    # Remember the best candidate; none is taken before all were looked at.
    whole, real = walk.whole, walk.real
    still = max(walk.still[whole[FIRST]], walk.still[whole[SECOND]]) > whole[STEP]
    if after < real[PICKED_ENERGY] and not still:
        real[PICKED_ENERGY] = after
        whole[PICKED], whole[PARTNER] = whole[FIRST], whole[SECOND]
    return False


@inlined
def keep_best(found: float, state: SearchState) -> None:
    """Keep the mapping if its figure is the best so far, or if as good a one has fewer hottest links."""
    walk = state.walk
    count = state.sums.hot[0] if state.layers.term.size else 0
    if found < walk.real[BEST] or (found == walk.real[BEST] and count < walk.whole[BEST_COUNT]):
        walk.real[BEST], walk.whole[BEST_COUNT] = found, count
        copy(state.place.slot, walk.best)


@inlined
def end_step(goal: Goal, rule: Rule, walk: Walk) -> bool:
    """Count a candidate, the best of which is the next move when enough were looked at.

    Return whether nothing passes the limit any more.
    """
    whole = walk.whole
    if whole[FORCED]:
        whole[FORCED] = whole[LOOKED] = 0
        walk.real[PICKED_ENERGY] = np.inf
    elif rule.candidates > 1:
        whole[LOOKED] += 1
        if whole[LOOKED] >= rule.candidates:
            whole[FORCED], whole[LOOKED] = walk.real[PICKED_ENERGY] < np.inf, 0
    whole[HALTED] = goal.limit > 0 and walk.real[ENERGY] < NOTHING
    return bool(whole[HALTED])


@kernel
def cool(walk: Walk) -> None:
    """Set the temperature by how much of the round is over: geometric cooling."""
    whole, real = walk.whole, walk.real
    if real[HOTTEST_HEAT] > 0:
        # As of the last multiple of `COOL`: it must not matter in what portions the steps are asked for.
        step = max(whole[STEP] - whole[STEP] % COOL, whole[ROUND_START])
        done = (step - whole[ROUND_START]) / max(whole[ROUND_STEPS], 1)
        real[HEAT] = real[HOTTEST_HEAT] * (real[COLDEST_HEAT] / real[HOTTEST_HEAT]) ** min(done, 1.0)


@kernel
def begin(routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    """Make all sums anew, and look for tasks whose flows are over the limit."""
    goal, layers, sums, walk = state.goal, state.layers, state.sums, state.walk
    sum_loads(state)
    sum_waits(state)
    if distances.other.size:
        sum_distances(routes, distances, state)
    walk.real[ENERGY] = energy(goal, layers, sums.power, sums.distance)
    walk.whole[HOT] = 0
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
            if f >= layers.turn[layer, t]:
                u, v = v, u
            if u != v and _is_hot(u, v, layer * state.links, limit, routes, state):
                if walk.whole[HOT] < walk.hot.size:
                    walk.hot[walk.whole[HOT]] = t
                    walk.whole[HOT] += 1
                break


@inlined
def _is_hot(u: int, v: int, offset: int, limit: float, routes: RouteTables, state: SearchState) -> bool:
    for k in range(routes.when.size):
        row = row_of(routes, k, u, v)
        if row >= 0:
            for e in range(routes.start[row], routes.start[row + 1]):
                link = offset + routes.links[e]
                load, lifts = state.sums.load[link], state.layers.lift
                if lifted(load * state.layers.pace[link], load, lifts[link] if lifts.size else 0.0) > limit:
                    return True
    return False


def advance(steps: int, routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    """Take steps until so many were taken, or nothing passes the limit any more."""
    whole = state.walk.whole
    end = int(whole[STEP]) + steps
    while whole[STEP] < end and not whole[HALTED]:
        step = int(whole[STEP])
        # Not in the kernel: compiled into it, it would be compiled twice.
        if step % REFRESH == 0:
            begin(routes, distances, state)
        _advance(min(end - step, REFRESH - step % REFRESH), routes, distances, state)


@kernel
def _advance(steps: int, routes: RouteTables, distances: CommunicationGraph, state: SearchState) -> None:
    # Steps of one making of the sums.
    links, spn, goal, rule, moves, neighbours, partners, place, layers, waits, sums, touched, walk = state
    cool(walk)
    whole = walk.whole
    for _ in range(steps):
        if whole[STEP] % COOL == 0:
            cool(walk)
        tasks = propose(spn, rule, moves, neighbours, partners, place, walk)
        if tasks:
            whole[LINKS] = evaluate_move(tasks, links, goal, place, layers, routes, distances, waits, sums, touched)
            after = energy(goal, layers, sums.new_power, sums.new_distance)
            if accepts(after, rule, walk):
                accept(after, state)
            discard_move(tasks, whole[LINKS], place, touched)
        if end_step(goal, rule, walk):
            return
