"""Every failure of a cable, from the loads without it; CPU time, medians. (32,4): 32 supernodes, 4 D-links per pair.

Compared with fresh evaluations of the scenarios with the failures.
"""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from core.figures.resilience import components, evaluator
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, Random
from core.network import Percs, Torus
from core.routing import Minimal, PercsDirect, PercsIndirect
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
