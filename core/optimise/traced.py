"""The steps of a search where routes do not come as tables: what changes is traced move by move.

The same steps as `core.optimise.walk.advance`, some twenty times slower: for adaptive routing, and around failed links.
What is cut loads nothing, which makes no mapping better: a move that cuts more is never taken, one that cuts less
always, whatever it does to the objective. So what is cut never grows, and the mapping as it is cuts what the best does.
"""

from typing import NamedTuple

import numpy as np

from core.optimise.kernel import (
    commit_move,
    discard_move,
    energy,
    figure,
    hop_delta,
    list_pairs,
    list_traced,
    load_delta,
)
from core.optimise.problem import Problem
from core.optimise.tables import (
    BEST,
    ENERGY,
    FIRST,
    HALTED,
    LINKS,
    LOST,
    SECOND,
    STEP,
    TAKEN,
    TASKS,
    Goal,
    Moves,
    Place,
    Rule,
    Sums,
    Touched,
    Walk,
)
from core.optimise.walk import COOL, NOTHING, REFRESH, begin, cool, judge, keep_best, propose, turn


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
    trip = _Trip(p, goal, moves, place, sums, touched, walk)
    links, spn = p.case.network.links, p.case.network.slots_per_node
    cool(walk)
    for _ in range(steps):
        if whole[STEP] % REFRESH == 0:
            begin(links, goal, rule, place, p.layers, p.routes, p.distances, sums, walk)
        if whole[STEP] % COOL == 0:
            cool(walk)
        if propose(spn, rule, moves, p.near, place, p.layers, p.distances, walk):
            lost = p.losses.change(int(whole[TASKS]), place, touched)
            if lost > 0:
                discard_move(whole[TASKS], 0, place, touched)
            else:
                trip.evaluate_move()
                if lost < 0 and not rule.sampling:
                    trip.regain(lost)
                else:
                    judge(links, goal, rule, moves, place, p.layers, sums, touched, walk)
        turn(rule, moves, walk)
        if goal.limit > 0 and walk.real[ENERGY] < NOTHING:
            whole[HALTED] = 1
            return


class _Trip(NamedTuple):
    """What the steps of one portion share."""

    problem: Problem
    goal: Goal
    moves: Moves
    place: Place
    sums: Sums
    touched: Touched
    walk: Walk

    def evaluate_move(self) -> None:
        """Work out what the marked move would make of all sums."""
        p, goal, _, place, sums, touched, walk = self
        tasks, count = int(walk.whole[TASKS]), 0
        for layer in range(p.layers.term.size):
            first, pairs = count, list_pairs(layer, tasks, place, p.layers, touched)
            traced = p.case.router.trace(touched.src[:pairs], touched.dst[:pairs], touched.volume[:pairs])
            count = list_traced(*traced, layer * p.case.network.links, count, touched)
            load_delta(layer, first, count, goal, p.layers, sums, touched)
        if p.distances.other.size:
            hop_delta(tasks, place, p.routes, p.distances, sums)
        walk.whole[LINKS] = count

    def regain(self, lost: int) -> None:
        """Take the move that was looked at, and what it leads to as the best: it cuts less than all before."""
        p, goal, moves, place, sums, touched, walk = self
        whole, links = walk.whole, p.case.network.links
        commit_move(
            whole[FIRST], whole[SECOND], whole[TASKS], whole[LINKS], links, moves, place, p.layers, sums, touched
        )
        walk.real[ENERGY], walk.real[BEST] = energy(goal, p.layers, sums.power, sums.distance), np.inf
        whole[LOST] += lost
        whole[TAKEN] += 1
        keep_best(figure(goal, p.layers, sums), p.layers, sums, place, walk)
        discard_move(whole[TASKS], whole[LINKS], place, touched)
