"""Ten of ten seeds must reach the best known mapping of traced traffic on a small torus, searching on one core.

The traffic comes from the NAS Parallel Benchmarks: 64 ranks, the message volume of each pair, one dense matrix per
file, in a folder next to the project or the folder NAS_MATRICES. Budgets are CPU seconds of the process, so other
programs do not count.
"""

import os
from pathlib import Path
from statistics import median
from time import process_time

import pytest

from core.job import Flows
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.optimise.method import Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Throughput
from core.optimise.problem import Problem
from core.optimise.restart_statistics import spread_of
from core.optimise.search import Search
from core.routing import DimensionOrder

NEXT_TO_PROJECT = Path(__file__).resolve().parents[3] / "shared" / "data" / "nas-mpi-64"
FOLDER = Path(os.environ.get("NAS_MATRICES", NEXT_TO_PROJECT))
SECONDS, SEEDS, STEPS = 10.0, range(10), 2000
BEST = {"lu": 1.48744, "bt": 1.275, "cg": 1.41487, "mg": 2.34049}
"""Best known throughput: total volume / (nodes * time), in GB/s per node for volumes in GB."""


def searched(problem, seed, best):
    """Search until the time is up or `best` is reached; return the search and its seconds."""
    search = Search(problem, Portfolio(), MoveConstraints(), seed)
    search.advance(1)
    begun = process_time()
    while process_time() - begun < SECONDS and search.best > best and not search.proven:
        search.advance(STEPS)
    return search, process_time() - begun


@pytest.mark.parametrize("name", BEST)
def test_ten_of_ten_seeds_reach_the_best_known_mapping(name, record):
    if not (FOLDER / f"{name}.csv").exists():
        pytest.skip("the folder NAS_MATRICES does not have the traffic")
    scenario = Scenario(
        Torus((4, 4, 4)), Flows(64, file=f"{name}.csv"), Sequential(), DimensionOrder(), folder=FOLDER.resolve()
    )
    report = evaluate(scenario.build())
    problem = Problem.of(report, Throughput())
    scale = report.throughput_gbs * report.time
    reached, ends = [], []
    for seed in SEEDS:
        search, seconds = searched(problem, seed, scale / BEST[name] * (1 + 1e-4))
        reached.append((scale / search.best, seconds))
        spread = spread_of([search.tally])
        ends += [[scale / time for time in spread[1:]]] if spread.restarts else []
    figures, seconds = (sorted(column) for column in zip(*reached, strict=True))
    near = sum(figure >= 0.97 * BEST[name] for figure in figures)
    among = ", ".join(f"{median(column):.4g}" for column in zip(*ends, strict=True))
    record(
        f"NAS {name}, 64 ranks on a torus 4 × 4 × 4",
        f"{near} of {len(SEEDS)} seeds within 3 % of {BEST[name]:.4g}, worst {figures[0]:.4g}; "
        f"median {median(seconds):.1f} s, maximum {seconds[-1]:.1f} s",
        f"best, median and worst restart (medians over seeds): {among}" if ends else "reached before any restart",
    )
    assert figures[0] >= 0.97 * BEST[name]
