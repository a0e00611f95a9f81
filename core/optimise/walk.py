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
    hop_delta,
    stage_move,
    sum_distances,
    sum_loads,
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
    Distances,
    Goal,
    Layers,
    Moves,
    Near,
    Place,
    Rule,
    Sums,
    Touched,
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
def propose(
    spn: int, rule: Rule, moves: Moves, near: Near, place: Place, layers: Layers, distances: Distances, walk: Walk
) -> int:
    """Draw two units and mark their tasks; return how many tasks would change their node."""
    whole = walk.whole
    whole[STEP] += 1
    if whole[FORCED]:
        a, b = whole[PICKED], whole[PARTNER]
    else:
        a, b = _drawn(spn, rule, moves, near, place, layers, distances, walk)
    whole[FIRST], whole[SECOND] = a, b
    whole[TASKS] = stage_move(a, b, spn, moves, place)
    return int(whole[TASKS])


@inlined
def _drawn(
    spn: int, rule: Rule, moves: Moves, near: Near, place: Place, layers: Layers, distances: Distances, walk: Walk
) -> tuple[int, int]:
    whole, units = walk.whole, moves.group.size
    a = -1
    if whole[HOT] > 0 and chance(walk.draws) < rule.hot_share:
        a = moves.unit_of[place.slot[walk.hot[draw(walk.draws, whole[HOT])]]]
    if a < 0:
        a = draw(walk.draws, units)
    group = moves.group[a]
    if rule.near_share > 0 and chance(walk.draws) < rule.near_share:
        b = _beside(a, spn, moves, near, place, layers, distances, walk)
        if b >= 0 and moves.group[b] == group:
            return a, b
    first = moves.start[group]
    return a, int(first + draw(walk.draws, moves.start[group + 1] - first))


@inlined
def _beside(
    a: int, spn: int, moves: Moves, near: Near, place: Place, layers: Layers, distances: Distances, walk: Walk
) -> int:
    # A unit on or next to the node of a task that one of the unit's tasks talks to.
    task = place.occupant[moves.slots[a, draw(walk.draws, moves.slots.shape[1])]]
    if task == EMPTY:
        return -1
    if layers.term.size:
        start, end, others = layers.start[0, task], layers.start[0, task + 1], layers.other
    else:
        start, end, others = distances.start[task], distances.start[task + 1], distances.other
    if start == end:
        return -1
    node = place.node[others[start + draw(walk.draws, end - start)]]
    node = near.node[near.start[node] + draw(walk.draws, near.start[node + 1] - near.start[node])]
    return int(moves.unit_of[node * spn + draw(walk.draws, spn)])


@inlined
def judge(
    links: int,
    goal: Goal,
    rule: Rule,
    moves: Moves,
    place: Place,
    layers: Layers,
    sums: Sums,
    touched: Touched,
    walk: Walk,
) -> None:
    """Take the move that was looked at, or leave it."""
    whole, real = walk.whole, walk.real
    after = energy(goal, layers, sums.new_power, sums.new_distance)
    walk.changes[whole[STEP] % SAMPLES] = after - real[ENERGY]
    if _taken(after, rule, walk):
        a, b = whole[FIRST], whole[SECOND]
        commit_move(a, b, whole[TASKS], whole[LINKS], links, moves, place, layers, sums, touched)
        real[ENERGY] = after
        whole[TAKEN] += 1
        if rule.tenure:
            walk.still[a] = walk.still[b] = whole[STEP] + rule.tenure * rule.candidates
        keep_best(figure(goal, layers, sums), layers, sums, place, walk)
    discard_move(whole[TASKS], whole[LINKS], place, touched)


@inlined
def _taken(after: float, rule: Rule, walk: Walk) -> bool:
    whole, real = walk.whole, walk.real
    if rule.sampling:
        return False
    if rule.candidates > 1:
        return True if whole[FORCED] else _pick(after, walk)
    if rule.strict:
        return bool(after < real[ENERGY])
    change = after - real[ENERGY]
    return bool(change <= 0 or (real[HEAT] > 0 and chance(walk.draws) < exp(-change / real[HEAT])))


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
def keep_best(found: float, layers: Layers, sums: Sums, place: Place, walk: Walk) -> None:
    """Keep the mapping if its figure is the best so far, or if as good a one has fewer hottest links."""
    count = sums.hot[0] if layers.term.size else 0
    if found < walk.real[BEST] or (found == walk.real[BEST] and count < walk.whole[BEST_COUNT]):
        walk.real[BEST], walk.whole[BEST_COUNT] = found, count
        copy(place.occupant, walk.best)


@inlined
def turn(rule: Rule, moves: Moves, walk: Walk) -> None:
    """Count a candidate; when enough were looked at, the best of them is the next move."""
    whole = walk.whole
    if whole[FORCED]:
        whole[FORCED] = whole[LOOKED] = 0
        walk.real[PICKED_ENERGY] = np.inf
    elif rule.candidates > 1:
        whole[LOOKED] += 1
        if whole[LOOKED] >= rule.candidates:
            whole[FORCED], whole[LOOKED] = walk.real[PICKED_ENERGY] < np.inf, 0


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
def begin(
    links: int,
    goal: Goal,
    rule: Rule,
    place: Place,
    layers: Layers,
    routes: RouteTables,
    distances: Distances,
    sums: Sums,
    walk: Walk,
) -> None:
    """Make all sums anew, and look for tasks whose flows are over the limit."""
    sum_loads(links, goal, layers, sums)
    if distances.other.size:
        sum_distances(place, routes, distances, sums)
    walk.real[ENERGY] = energy(goal, layers, sums.power, sums.distance)
    walk.whole[HOT] = 0
    if rule.hot_share > 0:
        for layer in range(layers.term.size):
            limit = goal.limit * (1 + OVER) if goal.limit > 0 else sums.hottest[layer] * (1 - OVER)
            _find_hot(layer, links, limit, place, layers, routes, sums, walk)


@kernel
def _find_hot(
    layer: int, links: int, limit: float, place: Place, layers: Layers, routes: RouteTables, sums: Sums, walk: Walk
) -> None:
    for t in range(place.node.size):
        for f in range(layers.start[layer, t], layers.start[layer, t + 1]):
            u, v = place.node[t], place.node[layers.other[f]]
            if f >= layers.turn[layer, t]:
                u, v = v, u
            if u != v and _is_hot(u, v, layer * links, limit, layers, routes, sums):
                if walk.whole[HOT] < walk.hot.size:
                    walk.hot[walk.whole[HOT]] = t
                    walk.whole[HOT] += 1
                break


@inlined
def _is_hot(u: int, v: int, offset: int, limit: float, layers: Layers, routes: RouteTables, sums: Sums) -> bool:
    for k in range(routes.when.size):
        row = row_of(routes, k, u, v)
        if row >= 0:
            for e in range(routes.start[row], routes.start[row + 1]):
                link = offset + routes.links[e]
                if sums.load[link] * layers.pace[link] > limit:
                    return True
    return False


def advance(
    steps: int,
    links: int,
    spn: int,
    goal: Goal,
    rule: Rule,
    moves: Moves,
    near: Near,
    place: Place,
    layers: Layers,
    routes: RouteTables,
    distances: Distances,
    sums: Sums,
    touched: Touched,
    walk: Walk,
) -> None:
    """Take steps until so many were taken, or nothing passes the limit any more."""
    whole = walk.whole
    end = int(whole[STEP]) + steps
    while whole[STEP] < end and not whole[HALTED]:
        step = int(whole[STEP])
        # Not in the kernel: compiled into it, it would be compiled twice.
        if step % REFRESH == 0:
            begin(links, goal, rule, place, layers, routes, distances, sums, walk)
        some = min(end - step, REFRESH - step % REFRESH)
        _march(some, links, spn, goal, rule, moves, near, place, layers, routes, distances, sums, touched, walk)


@kernel
def _march(
    steps: int,
    links: int,
    spn: int,
    goal: Goal,
    rule: Rule,
    moves: Moves,
    near: Near,
    place: Place,
    layers: Layers,
    routes: RouteTables,
    distances: Distances,
    sums: Sums,
    touched: Touched,
    walk: Walk,
) -> None:
    # Steps of one making of the sums.
    whole = walk.whole
    end = whole[STEP] + steps
    while whole[STEP] < end and whole[HALTED] == 0:
        cool(walk)
        some = min(end - whole[STEP], COOL - whole[STEP] % COOL)
        _stride(some, links, spn, goal, rule, moves, near, place, layers, routes, distances, sums, touched, walk)


@kernel
def _stride(
    steps: int,
    links: int,
    spn: int,
    goal: Goal,
    rule: Rule,
    moves: Moves,
    near: Near,
    place: Place,
    layers: Layers,
    routes: RouteTables,
    distances: Distances,
    sums: Sums,
    touched: Touched,
    walk: Walk,
) -> None:
    # Steps of one temperature.
    whole, real, loads = walk.whole, walk.real, layers.term.size > 0
    whole[LINKS] = 0
    for _ in range(steps):
        if propose(spn, rule, moves, near, place, layers, distances, walk):
            if loads:
                whole[LINKS] = evaluate_move(whole[TASKS], links, goal, place, layers, routes, distances, sums, touched)
            else:
                hop_delta(whole[TASKS], place, routes, distances, sums)
            judge(links, goal, rule, moves, place, layers, sums, touched, walk)
        turn(rule, moves, walk)
        if goal.limit > 0 and real[ENERGY] < NOTHING:
            whole[HALTED] = 1
            return
