"""All distances of large networks, exact, beside networkx; limits are of a quiet machine of two cores."""

import time
import tracemalloc

import networkx as nx
import pytest

from core.network.families.circulant import Circulant
from core.network.families.percs import Percs
from core.network.families.shortcut import Shortcut
from core.network.families.torus import Torus
from core.network.metrics.metrics import distances, measure


@pytest.fixture(scope="module", autouse=True)
def compiled():
    measure(Torus((4, 4)).build())


@pytest.fixture
def say(capsys):
    def line(text):
        with capsys.disabled():
            print(f"\n    {text}")

    return line


def timed(network):
    started = time.thread_time()
    return measure(network), time.thread_time() - started


@pytest.mark.parametrize(
    "spec",
    [Shortcut(nodes=8192, degree=25), Circulant(nodes=8192, jumps=tuple(1 << k for k in range(13)))],
    ids=lambda spec: spec.tag(),
)
def test_8192_vertices_of_degree_25(spec, say):
    found, seconds = timed(spec.build())
    say(f"{spec.title}, 8,192 nodes, degree 25: {seconds:.2f} s on one core (at most 3); ASPL {float(found.aspl):.6f}")
    assert found.degree_max == 25
    assert seconds < 3


@pytest.mark.parametrize(("spec", "limit"), [(Percs(512, 1), 6), (Torus((32, 32, 32)), 20)], ids=lambda x: str(x)[:5])
def test_the_largest_of_other_families(spec, limit, say):
    found, seconds = timed(spec.build())
    say(f"{spec.title}, {spec.summary()}: {seconds:.2f} s; diameter {found.diameter}")
    assert seconds < limit


def test_memory_is_a_few_times_that_of_the_links():
    network = Shortcut(nodes=8192, degree=25).build()
    tracemalloc.start()
    measure(network)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


def test_networkx_says_the_same_and_takes_longer(say):
    network = Shortcut(nodes=1024, degree=19).build()
    started = time.thread_time()
    ours = distances(network)
    seconds = time.thread_time() - started
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    started = time.thread_time()
    rows = nx.all_pairs_shortest_path_length(graph)
    total, diameter = 0, 0
    for _, row in rows:
        total, diameter = total + sum(row.values()), max(diameter, *row.values())
    theirs = time.thread_time() - started
    words = f"ours {1000 * seconds:.1f} ms, networkx {theirs:.2f} s: {theirs / seconds:.0f} times as long"
    say(f"1,024 nodes of degree 19: {words}")
    assert (ours.total, ours.farthest) == (total, diameter)
    assert theirs > 50 * seconds
