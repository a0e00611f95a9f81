"""Steps of a search without route tables: changed routes are traced for each move.

The same steps as `core.optimise.walk.advance`, about twenty times slower: for adaptive routing, and with failed links.
A move that disconnects more is never accepted, a move that disconnects less always, for any objective: disconnected
flows load nothing, which must not make a mapping better. So the loss never grows, and the current mapping has the loss
of the best.
"""

import numpy as np

from core.optimise.kernel import (
    discard_move,
    energy,
    hop_delta,
    list_injected,
    list_pairs,
    list_traced,
    load_delta,
    wait_after,
)
from core.optimise.problem import Problem
from core.optimise.tables import BEST, LINKS, LOST, STEP, WAITED, SearchState
from core.optimise.walk import COOL, REFRESH, accept, accepts, cool, end_step, propose, recompute
from core.routing import FaultyRouter
from core.routing.router import Router


def advance_traced(steps: int, problem: Problem, state: SearchState) -> None:
    """Take steps as `core.optimise.walk.advance` does."""
    _, spn, goal, rule, moves, neighbours, partners, place, layers, _, sums, touched, walk = state
    cool(walk)
    for _ in range(steps):
        if walk.counters[STEP] % REFRESH == 0:
            recompute(problem.routes, problem.distances, state)
        if walk.counters[STEP] % COOL == 0:
            cool(walk)
        tasks = propose(spn, rule, moves, neighbours, partners, place, walk)
        if tasks:
            lost, count = problem.losses.change(tasks, place, touched), 0
            if lost <= 0:
                count = walk.counters[LINKS] = _evaluate_move(tasks, problem, state)
                after = energy(goal, layers, sums.new_power, sums.new_distance)
                if lost < 0 and not rule.sampling:
                    # Less disconnected volume beats any value of the objective.
                    walk.counters[LOST] += lost
                    walk.figures[BEST] = np.inf
                    accept(after, state)
                elif accepts(after, rule, walk):
                    accept(after, state)
            discard_move(tasks, count, place, touched)
        if end_step(goal, rule, walk):
            return


def _evaluate_move(tasks: int, problem: Problem, state: SearchState) -> int:
    # Compute all sums after the marked move; return the number of listed links.
    layers, place, touched, sums, count = state.layers, state.place, state.touched, state.sums, 0
    waits, waited = state.waits, state.waits.fixed
    for layer in range(layers.term.size):
        first, pairs = count, list_pairs(layer, tasks, place, layers, touched)
        router: Router = problem.cases[layers.failure[layer]].router
        traced = router.trace(touched.src[:pairs], touched.dst[:pairs], touched.volume[:pairs])
        count = list_traced(*traced, layer * state.links, count, touched)
        if waits.nodes:
            if isinstance(problem.case.router, FaultyRouter):
                # Disconnected volume is neither carried nor sent.
                touched.volume[:pairs][problem.case.router.disconnected(touched.src[:pairs], touched.dst[:pairs])] = 0
            count = list_injected(pairs, (layer + 1) * state.links, count, waits, touched)
        if waits.level.size:
            waited += wait_after(layer, pairs, waits, touched)
        load_delta(layer, first, count, state.goal, layers, sums, touched)
    if problem.distances.other.size:
        hop_delta(tasks, place, problem.routes, problem.distances, sums)
    sums.new_distance[WAITED] = waited
    return count
