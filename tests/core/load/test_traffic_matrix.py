"""Traffic between all pairs and its hops, compared with plain sums over all flows."""

from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Allreduce, AllToAll, Flows, Halo, Permutation, Sequence
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.traffic_matrix import ORDERS, heaviest_pair, ordered, reach, traffic_matrix
from core.mapping import Random, Sequential
from core.network import Dragonfly, FatTree, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect

CASES = {
    "halo": Scenario(Torus((3, 4), slots_per_node=2), Halo(4, 6), Random(seed=1), DimensionOrder()),
    "all-to-all": Scenario(FatTree(3, 2, slots_per_node=2), AllToAll(13), Random(seed=2), Minimal()),
    "phases": Scenario(Percs(2), Sequence(parts=(AllToAll(32, message_bytes=1e3), Allreduce(tasks=32)), repeat=2),
                       Sequential(), PercsDirect()),
    "traced": Scenario(Dragonfly(2, 1, 3, 2), Flows(tasks=9, src=(0, 1, 1), dst=(1, 8, 1), volume=(2.0, 3.0, 4.0)),
                       Random(seed=3), Minimal(spread="split")),
}  # fmt: skip
each = pytest.mark.parametrize("scenario", CASES.values(), ids=CASES)


def flows(case):
    """All flows, one by one; symmetric tasks send to each other."""
    for run in case.job.runs:
        for _, block in run.phase.blocks():
            for src, dst, volume in zip(*(part.tolist() for part in block), strict=True):
                yield src, dst, volume * run.times, run.times


@each
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_cells_are_sums_of_flows(scenario, data):
    case = scenario.build()
    by, cells = data.draw(st.sampled_from(ORDERS)), data.draw(st.integers(1, 40))
    matrix = traffic_matrix(case, by, cells)
    volume, count = np.zeros((2, *matrix.volume.shape))
    where = {task: cell for cell in range(matrix.first.size - 1) for task in matrix.tasks(cell).tolist()}
    for src, dst, amount, times in flows(case):
        volume[where[src], where[dst]] += amount
        count[where[src], where[dst]] += times
    np.testing.assert_allclose(matrix.volume, volume)
    np.testing.assert_array_equal(matrix.flows, count)


@each
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_heaviest_pair_is_the_largest_sum_of_flows(scenario, data):
    case = scenario.build()
    tasks = st.lists(st.integers(0, case.job.tasks - 1), min_size=1, unique=True).map(
        lambda few: np.array(few, np.int32)
    )
    sources, destinations = data.draw(tasks), data.draw(tasks)
    volumes = {}
    for src, dst, amount, _ in flows(case):
        if src in sources and dst in destinations and amount:
            volumes[src, dst] = volumes.get((src, dst), 0.0) + amount
    pair = heaviest_pair(case, sources, destinations)
    assert (pair is None) == (not volumes)
    assert pair is None or volumes[pair] == pytest.approx(max(volumes.values()))


@each
def test_orders_have_every_task_once_node_by_node_and_group_by_group(scenario):
    case = scenario.build()
    for by in ORDERS:
        assert np.sort(ordered(case, by)).tolist() == list(range(case.job.tasks))
    assert (np.diff(case.mapping.nodes[ordered(case, "node")]) >= 0).all()
    if case.network.levels:
        groups = case.network.levels[0].group[case.mapping.nodes[ordered(case, "group")]]
        assert (np.diff(groups) >= 0).all()


@each
def test_reach_is_that_of_each_flow(scenario):
    case = scenario.build()
    reached = reach(case)
    hops, within, total = {}, dict.fromkeys([name for name, _ in reached.within], 0.0), 0.0
    beyond = 0.0
    for src, dst, volume, _ in flows(case):
        u, v = (int(case.mapping.nodes[task]) for task in (src, dst))
        far = 0.0 if u == v else float(case.router.hops(np.array([u], np.int32), np.array([v], np.int32))[0])
        low = floor(far)
        hops[low] = hops.get(low, 0.0) + volume * (low + 1 - far)
        hops[low + 1] = hops.get(low + 1, 0.0) + volume * (far - low)
        total += far * volume
        name = "node" if u == v else next((level.name for level in reversed(case.network.levels)
                                           if level.group[u] == level.group[v]), None)  # fmt: skip
        if name is None:
            beyond += volume
        else:
            within[name] += volume
    np.testing.assert_allclose(reached.hops, [hops.get(k, 0.0) for k in range(reached.hops.size)], atol=1e-12)
    assert reached.hops @ np.arange(reached.hops.size) == pytest.approx(total)
    assert dict(reached.within) == pytest.approx(within)
    assert reached.beyond == pytest.approx(beyond)
    assert reached.hop_volume == pytest.approx(total)
    assert sum(part for _, part in reached.within) + reached.beyond == pytest.approx(reached.volume)


def test_hop_volume_is_what_all_links_carry():
    scenario = CASES["halo"]
    assert reach(scenario.build()).hop_volume == pytest.approx(evaluate(scenario.build()).load.sum())


def test_many_tasks_need_no_matrix_of_all_pairs():
    network = Torus((16, 16, 16), slots_per_node=16)
    dense = traffic_matrix(Scenario(network, AllToAll(65536), Sequential(), DimensionOrder()).build(), "group")
    assert dense.volume.shape == (256, 256)
    # Each task also sends to itself.
    assert dense.flows.sum() == 65536**2
    sparse = traffic_matrix(Scenario(network, Permutation(65536), Sequential(), DimensionOrder()).build())
    assert sparse.flows.sum() == 65536
