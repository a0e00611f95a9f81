"""Current machines and jobs: Frontier, a training step on 1,024 GPUs with rails, adaptive routing; medians of CPU."""

import time
from statistics import median

import numpy as np
import pytest

from core.job import AllToAll, Permutation, Training
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.edit import swapped
from core.network import Dragonfly, Rail
from core.routing import CongestionAware, Minimal, Ugal, Valiant
from tests.benchmarks.timing import digits, faster, medians, seconds_text, timed

FRONTIER = Dragonfly(**Dragonfly.presets["Frontier"])
PODS = Rail(**Rail.presets["DGX SuperPOD"])
BALANCED = Dragonfly(**Dragonfly.presets["Balanced, 1,056 nodes"])
EQUAL = Minimal(spread="equal")


@pytest.mark.parametrize("routing", [EQUAL, Valiant()], ids=lambda routing: routing.tag())
def test_all_to_all_on_frontier(record, routing):
    scenario = Scenario(FRONTIER, AllToAll(FRONTIER.nodes), Sequential(), routing)
    evaluate(scenario.build())
    # Routers cache their results, so each round has a new case.
    seconds = median(timed(evaluate, scenario.build(), clock=time.process_time) for _ in range(3))
    record(f"all-to-all on Frontier's 37,888 endpoints, {routing.tag()}", f"{seconds_text(seconds)} of CPU")
    assert seconds < 3


def test_a_training_step_on_1024_gpus(record):
    job = Training(**Training.presets["GPT-3, 1,024 ranks"])
    case = Scenario(PODS, job, Sequential(), EQUAL).build()
    live = LiveLoads(evaluate(case))
    random, spent = np.random.default_rng(0), []
    for _ in range(200):
        pair = random.choice(1024, (2, 1), replace=False)
        edit = swapped(live.mapping, *pair, live.occupant)

        def followed(edit=edit):
            live.apply(edit)
            live.outcome()

        spent.append(timed(followed, clock=time.process_time))
    (full,) = medians(7, lambda: evaluate(case), clock=time.process_time)
    swap = median(spent)
    record("a step of GPT-3 on 1,024 GPUs with rails", f"{seconds_text(full)} of CPU")
    record("a swap of two of its ranks", seconds_text(swap), f"{faster(full, swap)} than computing all loads")
    assert full < 0.05
    assert swap < 0.001


def test_ugal_compared_with_congestion_aware_routing(record):
    job = Permutation(BALANCED.nodes, seed=1)
    case, other = (Scenario(BALANCED, job, Sequential(), routing).build() for routing in (Ugal(), CongestionAware()))
    ours, adapted = evaluate(case), evaluate(other)
    seconds, others = medians(1, lambda: evaluate(case), lambda: evaluate(other), clock=time.process_time)
    gap = digits(100 * ours.notes[0].figures["gap"])
    speed = digits(ours.throughput_gbs / adapted.throughput_gbs)
    baseline = f"gap {gap} %; {speed}× the throughput of congestion-aware routing, {faster(others, seconds)}"
    record(
        "UGAL's steady state, a permutation on a dragonfly of 1,056 nodes", f"{seconds_text(seconds)} of CPU", baseline
    )
    assert seconds < others
