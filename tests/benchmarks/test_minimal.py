"""Routings for any network that must stay fast: the limits are of a quiet machine of two cores, with room to spare."""

import time

import networkx as nx
import numpy as np
import pytest

from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.edit import swapped
from core.network import Circulant, Percs
from core.routing import Minimal, Valiant


@pytest.fixture
def say(capsys):
    """Print past the capture: these lines are what the benchmarks are run for."""

    def line(text):
        with capsys.disabled():
            print(f"\n    {text}")

    return line


def doubling(nodes):
    """G(n, log2 n)."""
    return Circulant(nodes=nodes, jumps=tuple(1 << k for k in range(nodes.bit_length() - 1)))


def median_of(benchmark, case, rounds=3):
    benchmark.pedantic(evaluate, args=(case,), rounds=rounds, warmup_rounds=1)
    return benchmark.stats.stats.median


def test_equal_all_to_all_against_the_edge_betweenness_of_networkx(benchmark, say):
    case = Scenario(doubling(512), AllToAll(512), Sequential(), Minimal(spread="equal")).build()
    ours = median_of(benchmark, case)
    network = case.network
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    start = time.perf_counter()
    between = nx.edge_betweenness_centrality(nx.DiGraph(links), normalized=False)
    theirs = time.perf_counter() - start
    say(f"G(512, log2 n) all-to-all: {ours * 1e3:.1f} ms; networkx: {theirs:.1f} s; ratio {theirs / ours:,.0f}")
    np.testing.assert_allclose(evaluate(case).load * 512, [between[link] for link in links], rtol=1e-9)
    assert theirs / ours >= 25


@pytest.mark.parametrize("routing", [Minimal(), Minimal(spread="equal"), Valiant()], ids=("single", "equal", "valiant"))
@pytest.mark.parametrize(
    ("network", "job"),
    [(doubling(4096), AllToAll(4096)), (Percs(supernodes=512, d_links=1), Halo(256, 256))],
    ids=("all-to-all on 4,096 nodes of degree 23", "halo on 16,384 nodes with 770 k links"),
)
def test_large_networks(benchmark, say, network, job, routing):
    case = Scenario(network, job, Sequential(), routing).build()
    whole = median_of(benchmark, case, rounds=1)
    start = time.process_time()
    evaluate(case)
    # What other programs take of the processor meanwhile does not count.
    seconds = time.process_time() - start
    say(f"{routing.summary()}: {seconds:.2f} s of work in {whole:.2f} s")
    assert seconds < (5 if network.tag() == "circulant" else 20)


@pytest.mark.parametrize("spread", ["single", "equal"])
def test_a_swap_is_followed_while_the_pointer_moves(benchmark, say, spread):
    case = Scenario(doubling(1024), Halo(32, 32), Sequential(), Minimal(spread=spread)).build()
    report = evaluate(case)
    live = LiveLoads(report)
    edit = swapped(live.mapping, np.array([5]), np.array([700]), live.occupant)
    benchmark(live.preview, edit)
    say(f"preview of a swap, {spread}: {benchmark.stats.stats.median * 1e3:.2f} ms")
    assert benchmark.stats.stats.median < 0.01
    start = time.perf_counter()
    explain(report, 17)
    say(f"causes of a link: {(time.perf_counter() - start) * 1e3:.0f} ms")
