"""Every failure of a cable, and the cable that helps most; CPU time. (32,4): 32 supernodes, 4 D-links per pair.

Compared with fresh evaluations of the scenarios with the failures, or with each added cable.
"""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from core.figures.resilience import components, evaluator
from core.job import Halo
from core.load.best_cables import best_cables, candidates
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, Random
from core.network import AddedCable, Dragonfly, Percs, Torus
from core.routing import GroupMinimal, Minimal, PercsDirect, PercsIndirect
from tests.benchmarks.timing import faster, medians, seconds_text, timed

SAMPLE = 60


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        (
            "torus 4 × 4 × 4, equal shares: 192 cables",
            1.0,
            Scenario(Torus((4, 4, 4)), Halo(8, 8), Random(seed=1), Minimal(spread="equal")),
        ),
        ("(32,4) direct: 17,856 cables", 60.0, Scenario(Percs(32, 4), Halo(64, 64), Blocks(8, 16), PercsDirect())),
        ("(32,4) indirect: 17,856 cables", 120.0, Scenario(Percs(32, 4), Halo(64, 64), Blocks(8, 16), PercsIndirect())),
    ],
)
def test_all_failures_of_cables(name, limit, scenario, record):
    report = evaluate(scenario.build())
    faults = components(report.case.network, "cables")
    failures = [(fault,) for fault in faults]
    evaluate_all = evaluator(report)
    chosen = [failures[k] for k in np.random.default_rng(0).choice(len(failures), min(SAMPLE, len(failures)), False)]

    def fresh():
        for failed in chosen:
            evaluate(replace(scenario, faults=failed).build(before=report.case))

    evaluate_all(chosen)
    fresh()
    ours, afresh = medians(3, lambda: evaluate_all(chosen), fresh, clock=process_time)
    seconds = timed(evaluate_all, failures, clock=process_time)
    record(name, f"{seconds_text(seconds)} of CPU", f"{faster(afresh, ours)} than fresh evaluations")
    assert seconds < limit


EQUAL = Minimal(spread="equal")
DRAGONFLY = Dragonfly(groups=9, routers=4, nodes_per_router=2, global_links=2)


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("torus 4 × 4 × 4", Scenario(Torus((4, 4, 4)), Halo(8, 8), Random(seed=1), EQUAL)),
        ("torus 8 × 8 × 8", Scenario(Torus((8, 8, 8)), Halo(16, 32), Random(seed=1), EQUAL)),
        ("dragonfly of 72 nodes", Scenario(DRAGONFLY, Halo(8, 9), Random(seed=1), GroupMinimal())),
    ],
)
def test_the_cable_that_helps_most(name, scenario, record):
    report = evaluate(scenario.build())
    pairs = candidates(report.case.network)
    chosen = pairs[np.random.default_rng(0).choice(len(pairs), min(SAMPLE, len(pairs)), False)].tolist()

    def fresh():
        for ends in chosen:
            evaluate(replace(scenario, cables=(AddedCable(*ends),)).build(before=report.case))

    next(best_cables(report, 1), None)
    fresh()
    ours, afresh = medians(3, lambda: next(best_cables(report, 1), None), fresh, clock=process_time)
    all_afresh = afresh * len(pairs) / len(chosen)
    what = f"{name}: best of {len(pairs):,} cables"
    record(what, f"{seconds_text(ours)} of CPU", f"{faster(all_afresh, ours)} than evaluating each ({SAMPLE} sampled)")
    assert ours < all_afresh
