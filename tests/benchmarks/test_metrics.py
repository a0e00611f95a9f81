"""All distances of large networks, exact, on one core: medians of the thread's CPU time."""

import time
import tracemalloc

import networkx as nx
import pytest

from core.network.families.circulant import Circulant
from core.network.families.percs import Percs
from core.network.families.shortcut import Shortcut
from core.network.families.torus import Torus
from core.network.metrics.metrics import distances, measure
from tests.benchmarks.timing import faster, medians, seconds_text


@pytest.fixture(scope="module", autouse=True)
def compiled():
    measure(Torus((4, 4)).build())


def timed(network):
    (seconds,) = medians(3, lambda: measure(network), clock=time.thread_time)
    return measure(network), seconds_text(seconds), seconds


@pytest.mark.parametrize(
    "spec",
    [Shortcut(nodes=8192, degree=25), Circulant(nodes=8192, jumps=tuple(1 << k for k in range(13)))],
    ids=lambda spec: spec.tag(),
)
def test_8192_vertices_of_degree_25(spec, record):
    metrics, words, seconds = timed(spec.build())
    record(f"8,192 nodes of degree 25, with bisection: {spec.title}", words, f"ASPL {float(metrics.aspl):.6f}")
    assert metrics.degree_max == 25
    assert seconds < 3


@pytest.mark.parametrize(("spec", "limit"), [(Percs(512, 1), 6), (Torus((32, 32, 32)), 20)], ids=lambda x: str(x)[:5])
def test_the_largest_of_other_families(spec, limit, record):
    metrics, words, seconds = timed(spec.build())
    record(f"{spec.title}: {spec.summary()}", words, f"diameter {metrics.diameter}")
    assert seconds < limit


def test_memory_is_a_small_multiple_of_the_links():
    network = Shortcut(nodes=8192, degree=25).build()
    tracemalloc.start()
    measure(network)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


def test_networkx_gives_the_same_distances_and_is_slower(record):
    network = Shortcut(nodes=1024, degree=19).build()
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))

    def networkx_distances():
        rows = [row.values() for _, row in nx.all_pairs_shortest_path_length(graph)]
        return sum(map(sum, rows)), max(map(max, rows))

    ours = distances(network)
    assert (ours.total, ours.farthest) == networkx_distances()
    spent, by_networkx = medians(3, lambda: distances(network), networkx_distances, clock=time.thread_time)
    record(
        "all distances between 1,024 nodes of degree 19",
        seconds_text(spent),
        f"{faster(by_networkx, spent)} than networkx",
    )
    assert by_networkx > 50 * spent
