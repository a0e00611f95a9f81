"""Eight of eight seeds must improve the best published mapping of the Halo on 32 supernodes in a minute on two cores.

Two searches exchange their best mappings ten times per second, like the two processes of a run. Each has the CPU time
of one core, so other programs do not count. A run ends when it has reached its target.
"""

from statistics import median
from time import process_time

import pytest

from core.job import Halo
from core.load.bounds import bounds
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour
from core.mapping.mapping import results_of
from core.network import Percs
from core.optimise.method import Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Throughput
from core.optimise.problem import Problem
from core.optimise.search import Search
from core.routing import PercsDirect, PercsIndirect

SECONDS, SEEDS, TURN, STEPS = 60.0, range(8), 0.1, 200
SN, RANDOM = Blocks(8, 16), Blocks(8, 16, order="random", seed=1)
DIRECT, INDIRECT = PercsDirect(), PercsIndirect()
# D-links, routing, the mapping with the best published figure, this figure, and the target, in GB/s per node.
FIGURES = (
    (1, DIRECT, ModColour(), 20, 40.0),
    (2, DIRECT, ModColour(), 40, 80.0),
    (4, DIRECT, ModColour(), 64, 160.0),
    (8, DIRECT, ModColour(), 107, 160.0),
    (16, DIRECT, SN, 160, 224.0),
    (1, INDIRECT, SN, 53.3, 53.3),
    (2, INDIRECT, RANDOM, 96, 106.7),
    (4, INDIRECT, RANDOM, 174, 182.9),
    (8, INDIRECT, SN, 183, 192.0),
    (16, INDIRECT, Blocks(4, 8), 179, 206.8),
)

# Supernodes, D-links, grid, the upper bound in GB/s per node (at (64,2) the best known figure), and the least number of
# seeds that reach it.
OPTIMA = (
    (16, 1, (32, 64), 32.0, 8),
    (16, 2, (32, 64), 64.0, 8),
    (16, 4, (32, 64), 128.0, 8),
    (32, 1, (64, 64), 53.33, 4),
    (64, 1, (64, 128), 80.0, 8),
    (64, 2, (64, 128), 128.0, 2),
    (128, 1, (128, 128), 80.0, 8),
)


def reached(report: LoadReport, seed: int, least: float) -> tuple[float, float]:
    """Return the best throughput of two searches, and the seconds of the longer one."""
    # Results of earlier seeds must not help.
    results_of.cache_clear()
    problem = Problem.of(report, Throughput())
    team = [Search(problem, Portfolio(), MoveConstraints(), seed, rank=rank, of=2) for rank in (0, 1)]
    spent, best = [0.0, 0.0], report.time
    for search in team:
        search.advance(1)
    while min(spent) < SECONDS and report.throughput(best) < least:
        rank = int(spent[1] < spent[0])
        search, begun = team[rank], process_time()
        while process_time() < begun + TURN:
            search.advance(STEPS)
        spent[rank] += process_time() - begun
        if search.best < best:
            best = search.best
            team[1 - rank].adopt(search.slots)
    return report.throughput(best), max(spent)


def seeds_reaching(report: LoadReport, figure: float, name: str, compared: str, record) -> int:
    """Search with all seeds, record the result, and return the number of seeds that reach a throughput."""
    runs = [reached(report, seed, figure - 0.05) for seed in SEEDS]
    best, seconds = (sorted(column) for column in zip(*runs, strict=True))
    most = report.throughput(bounds(report.case)[0].time)
    reaching = sum(reached >= figure - 0.05 for reached in best)
    record(
        name,
        f"{figure} GB/s per node with {reaching} of {len(runs)} seeds, worst {best[0]:.1f}; "
        f"median {median(seconds):.1f} s, maximum {seconds[-1]:.1f} s",
        f"{compared}; upper bound {most:.1f}",
    )
    return reaching


@pytest.mark.parametrize(("d_links", "routing", "start", "published", "figure"), FIGURES)
def test_eight_of_eight_seeds_reach_the_target(d_links, routing, start, published, figure, record):
    report = evaluate(Scenario(Percs(32, d_links), Halo(64, 64), start, routing).build())
    compared = f"{figure / published:.2f}× the published {published}"
    name = f"Halo (32,{d_links}), {routing.tag()}"
    assert seeds_reaching(report, figure, name, compared, record) == len(SEEDS)


@pytest.mark.parametrize(("supernodes", "d_links", "grid", "figure", "least"), OPTIMA)
def test_seeds_reach_the_best_lattice_colouring(supernodes, d_links, grid, figure, least, record):
    report = evaluate(Scenario(Percs(supernodes, d_links), Halo(*grid), ModColour(), DIRECT).build())
    compared = f"{figure / report.throughput(report.time):.2f}× mod-colour"
    name = f"Halo ({supernodes},{d_links}), from mod-colour"
    assert seeds_reaching(report, figure, name, compared, record) >= least
