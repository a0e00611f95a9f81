"""Routings for any network: loads of all links, computed in full and after a swap; medians."""

import time
from statistics import median

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
from tests.benchmarks.timing import faster, medians, seconds_text, timed

SPREADS = {"single": "one path", "equal": "equal shares of all shortest paths"}
ROUTINGS = {**{Minimal(spread=spread): words for spread, words in SPREADS.items()}, Valiant(): "Valiant"}


def doubling(nodes):
    """G(n, log2 n)."""
    return Circulant(nodes=nodes, jumps=tuple(1 << k for k in range(nodes.bit_length() - 1)))


def test_equal_all_to_all_against_the_edge_betweenness_of_networkx(record):
    case = Scenario(doubling(512), AllToAll(512), Sequential(), Minimal(spread="equal")).build()
    network = case.network
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    graph = nx.DiGraph(links)
    between = nx.edge_betweenness_centrality(graph, normalized=False)
    np.testing.assert_allclose(evaluate(case).load * 512, [between[link] for link in links], rtol=1e-9)
    ours, networkx_seconds = medians(
        3, lambda: evaluate(case), lambda: nx.edge_betweenness_centrality(graph, normalized=False)
    )
    baseline = f"{faster(networkx_seconds, ours)} than edge betweenness by networkx"
    record("all-to-all on 512 nodes of degree 17, equal shares", seconds_text(ours), baseline)
    assert networkx_seconds / ours >= 25


@pytest.mark.parametrize("routing", ROUTINGS, ids=ROUTINGS.values())
@pytest.mark.parametrize(
    ("name", "network", "job"),
    [
        ("all-to-all on 4,096 nodes of degree 23", doubling(4096), AllToAll(4096)),
        ("Halo on 16,384 nodes, 769,536 links", Percs(supernodes=512, d_links=1), Halo(256, 256)),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_large_networks(record, name, network, job, routing):
    scenario = Scenario(network, job, Sequential(), routing)
    evaluate(scenario.build())
    # Routers cache their results, so each round has a new case. Other programs do not count.
    seconds = median(timed(evaluate, scenario.build(), clock=time.process_time) for _ in range(3))
    record(f"{name}, {ROUTINGS[routing]}", f"{seconds_text(seconds)} of CPU")
    assert seconds < (5 if network.tag() == "circulant" else 20)


@pytest.mark.parametrize("spread", ["single", "equal"])
def test_previews_follow_the_pointer(record, spread):
    case = Scenario(doubling(1024), Halo(32, 32), Sequential(), Minimal(spread=spread)).build()
    report = evaluate(case)
    live = LiveLoads(report)
    edit = swapped(live.mapping, np.array([5]), np.array([700]), live.occupant)
    live.preview(edit)
    explain(report, 17)
    preview, full, causes = medians(5, lambda: live.preview(edit), lambda: evaluate(case), lambda: explain(report, 17))
    baseline = f"{faster(full, preview)} than computing all loads"
    record(f"preview of a swap on 1,024 nodes of degree 19, {SPREADS[spread]}", seconds_text(preview), baseline)
    record(f"causes of a link's load on 1,024 nodes of degree 19, {SPREADS[spread]}", seconds_text(causes))
    assert preview < 0.01
