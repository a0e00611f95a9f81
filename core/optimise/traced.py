"""The steps of a search where routes do not come as tables: what changes is traced move by move.

The same steps as `core.optimise.walk.advance`, some twenty times slower: for adaptive routing, and around failed links.
A move that cuts flows is never taken: what is cut loads nothing, which makes no mapping better.
"""

import numpy as np

from core.optimise.kernel import forget, go_far, list_pairs, list_traced, weigh
from core.optimise.problem import Problem
from core.optimise.tables import ENERGY, HALTED, LINKS, STEP, TASKS, Goal, Moves, Place, Rule, Sums, Touched, Walk
from core.optimise.walk import COOL, NOTHING, REFRESH, begin, cool, judge, propose, turn
from core.routing import FaultyRouter


def advance_traced(
    steps: int,
    problem: Problem,
    goal: Goal,
    rule: Rule,
    moves: Moves,
    place: Place,
    sums: Sums,
    touched: Touched,
    walk: Walk,
) -> None:
    """Take steps as `core.optimise.walk.advance` does."""
    p, whole = problem, walk.whole
    links, spn = p.case.network.links, p.case.network.slots_per_node
    cool(walk)
    for _ in range(steps):
        if whole[STEP] % REFRESH == 0:
            begin(links, goal, rule, place, p.layers, p.legs, p.distances, sums, walk)
        if whole[STEP] % COOL == 0:
            cool(walk)
        if propose(spn, rule, moves, p.near, place, p.layers, p.distances, walk):
            if _look(int(whole[TASKS]), p, goal, place, sums, touched, walk):
                judge(links, goal, rule, moves, place, p.layers, sums, touched, walk)
            else:
                forget(whole[TASKS], whole[LINKS], place, touched)
        turn(rule, moves, walk)
        if goal.limit > 0 and walk.real[ENERGY] < NOTHING:
            whole[HALTED] = 1
            return


def _look(tasks: int, p: Problem, goal: Goal, place: Place, sums: Sums, touched: Touched, walk: Walk) -> bool:
    # Work out what the marked move would make of all sums; return whether it cuts no more flows than before.
    count = more_cut = 0
    for layer in range(p.layers.term.size):
        first, pairs = count, list_pairs(layer, tasks, place, p.layers, touched)
        src, dst, volume = touched.src[:pairs], touched.dst[:pairs], touched.volume[:pairs]
        if isinstance(p.case.router, FaultyRouter):
            more_cut += int(np.sign(volume)[p.case.router.cut(src, dst)].sum())
        count = list_traced(*p.case.router.trace(src, dst, volume), layer * p.case.network.links, count, touched)
        weigh(layer, first, count, goal, p.layers, sums, touched)
    if p.distances.other.size:
        go_far(tasks, place, p.legs, p.distances, sums)
    walk.whole[LINKS] = count
    return more_cut <= 0
