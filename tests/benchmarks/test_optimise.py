"""Results of searches on PERCS, compared with the papers and with upper bounds, and swaps evaluated per second."""

from statistics import median
from time import process_time

import numpy as np
import pytest

from core.job import Flows, Halo, Permutation, Transpose
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, Random, RowOrColumn
from core.network import Percs, Shortcut, Torus
from core.optimise.method import FREE, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.request import Request
from core.optimise.run import optimise
from core.optimise.search import Search
from core.routing import DimensionOrder, PercsDirect, PercsIndirect, Valiant

SECONDS = 30
SN = Blocks(8, 16)
DIRECT, INDIRECT = PercsDirect(), PercsIndirect()
GRIDS = {64: (64, 128), 128: (128, 128)}
TRANSPOSES = tuple((nd, routing) for routing in (DIRECT, INDIRECT) for nd in (1, 2, 4, 8, 16))


def searched(scenario, record, published=None):
    report = evaluate(scenario.build())
    result = optimise(report, Request(seconds=SECONDS, workers=2))
    ours, start = (report.throughput(time) for time in (result.best, result.start))
    most = report.throughput(bounds(report.case)[0].time)
    network, job = scenario.network, scenario.job
    baseline = f"{ours / published:.2f}× the published {published}" if published else f"started from {start:.1f}"
    record(
        f"{job.tag()} ({network.supernodes},{network.d_links}), {scenario.routing.tag()}, at most {SECONDS} s",
        f"{ours:.1f} GB/s per node",
        f"{baseline}; upper bound {most:.1f}, {max(most / ours - 1, 0):.1%} higher",
    )
    assert Problem.of(report, Throughput()).report(result.slots).throughput_gbs == pytest.approx(ours, rel=1e-12)
    return ours, start, most


@pytest.mark.parametrize("supernodes", GRIDS)
def test_halo_from_the_best_published_mapping(record, supernodes):
    # For 32 supernodes see test_seeds.py.
    ours, _, most = searched(
        Scenario(Percs(supernodes, 1), Halo(*GRIDS[supernodes]), ModColour(), DIRECT), record, published=20
    )
    assert 39.95 <= ours <= most * (1 + 1e-9)


def test_the_bound_is_close_to_the_indirect_halo():
    # Any 128 tasks of the grid have at least 46 edges to other tasks.
    report = evaluate(Scenario(Percs(32, 1), Halo(64, 64), SN, INDIRECT).build())
    most = report.throughput(bounds(report.case)[0].time)
    assert most == pytest.approx(55.7, abs=0.06)
    assert most / report.throughput_gbs == pytest.approx(1.044, abs=0.001)


@pytest.mark.parametrize(("nd", "routing"), TRANSPOSES)
def test_transpose_from_row_or_column(record, nd, routing):
    scenario = Scenario(Percs(32, nd), Transpose(64, 64), RowOrColumn(), routing)
    ours, start, most = searched(scenario, record)
    assert ours > start * (1 + 1e-9) or ours >= most * (1 - 1e-9)


def rate(search, steps, rounds=5):
    # Swaps evaluated per CPU second of this process: other programs do not count.
    search.advance(steps)
    rates = []
    for _ in range(rounds):
        begun = process_time()
        search._advance(steps, search._state)
        rates.append(steps / (process_time() - begun))
    return median(rates)


@pytest.mark.parametrize(("nd", "aim", "least"), [(1, 36, 150_000), (4, 100, 60_000)])
def test_swaps_per_second_for_throughput(record, nd, aim, least):
    report = evaluate(Scenario(Percs(32, nd), Halo(64, 64), ModColour(), DIRECT).build())
    problem = Problem.of(report, Throughput())
    search = Search(problem, TwoOpt(), MoveConstraints(), 0)
    # Uniformly drawn pairs without empty slots; the limit lies above the throughput of the mapping.
    goal, rule = problem.goal(report.throughput_gbs / aim, 4), FREE._replace(near_share=0.0)
    search._state = search._state._replace(goal=goal, rule=rule)
    pace = rate(search, 50_000)
    record(
        f"swaps evaluated: Halo (32,{nd}), percs-direct, throughput", f"{round(pace, -3):,.0f} per second on one core"
    )
    assert pace >= least


def allreduce(tasks):
    # Recursive doubling: in each step task r and r XOR 2^i send each other a message.
    pairs = [(r, r ^ (1 << i)) for i in range(tasks.bit_length() - 1) for r in range(tasks)]
    src, dst = np.array(pairs).T.tolist()
    return Flows(tasks=tasks, src=tuple(src), dst=tuple(dst), volume=(1.0,) * len(src))


def test_swaps_per_second_for_hops(record):
    report = evaluate(Scenario(Torus((32, 32)), allreduce(512), Random(1), DimensionOrder()).build())
    search = Search(Problem.of(report, TotalHops()), TwoOpt(), MoveConstraints(empty=False), 0)
    pace = rate(search, 400_000)
    record(
        "swaps evaluated: 512 ranks on a torus 32 × 32, total hops", f"{round(pace, -3):,.0f} per second on one core"
    )
    assert pace >= 600_000


@pytest.mark.parametrize(
    ("tasks", "least"), [(1024, 100_000), (512, 4_000)], ids=["no node is free", "half of the nodes are free"]
)
def test_swaps_per_second_under_valiant(record, tasks, least):
    # Two of 1,024 tasks send to themselves. With free nodes, every swap changes the traffic of nodes.
    scenario = Scenario(Shortcut(nodes=1024, degree=19), Permutation(tasks, seed=0), Random(1), Valiant())
    search = Search(
        Problem.of(evaluate(scenario.build()), Throughput()), Portfolio(), MoveConstraints(), 0, with_restarts=False
    )
    pace = rate(search, 10_000)
    what = f"swaps evaluated: {tasks:,} tasks on 1,024 nodes of degree 19, Valiant"
    record(what, f"{round(pace, -3):,.0f} per second on one core")
    assert pace >= least
