"""All-to-all on symmetric nodes is routed from one node; by sums alone, or around failed links, with few flows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.job.collectives import all_to_all
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Circulant, Complete, Dragonfly, FatTree, Hypercube, LinkFault, Mesh, Rail, Torus, TwistedTorus
from core.network.families.torus import Lattice
from core.routing import Adaptive, DimensionOrder, Minimal, Valiant, node_pairs
from core.routing.flows import NodeFlows
from core.routing.minimal import demand, scheme

EQUAL = Minimal(spread="equal")
ALIKE = [
    Torus((5, 4)),
    Torus((2, 3, 4)),
    Torus((1, 6), slots_per_node=3),
    Torus((2, 5), wrap=(False, True)),
    Hypercube(4),
    Circulant(12, (1, 3, 6)),
    Circulant(9, (2, 4, 1)),
    Complete(7, slots_per_node=2),
]
MIXED = [TwistedTorus((2, 4, 4), cube=2), Rail(2, 3, 2, 3, slots_per_node=2), Rail(3, 2, 2, 1, 2, relays=False)]
"""Sets with links of two classes, or of fewer links than there are nodes."""


def schemes(network):
    """Schemes whose loads shift with the flows on such a network."""
    more = [DimensionOrder(), Adaptive(), Adaptive("hop-local")] if isinstance(network, Lattice) else []
    return [EQUAL, *more] if isinstance(network, Rail) else [EQUAL, Valiant(), *more]


def one_by_one(case):
    """The loads of all flows between nodes."""
    (phase,) = case.job.phases
    node = case.mapping.nodes
    router = case.scenario.routing.router(case.network) if case.faults is None else case.router
    return router.loads(NodeFlows(node[b.src], node[b.dst], b.volume) for _, b in phase.blocks())


def read(case):
    """The number of flows that the router receives in an evaluation of the case."""
    counts, loads = [], case.router.loads

    def counting(flows, *args):
        def counted():
            for block in flows:
                counts.append(block.src.size)
                yield block

        return loads(counted(), *args)

    case.router.loads = counting
    evaluate(case)
    return sum(counts)


@pytest.mark.parametrize("network", ALIKE + MIXED, ids=str)
def test_flows_of_one_node_shifted_load_links_as_all_flows_do(network):
    nodes = network.build().nodes
    for routing in schemes(network):
        case = Scenario(network, AllToAll(network.build().slots), Random(), routing).build()
        np.testing.assert_allclose(evaluate(case).load, one_by_one(case), rtol=1e-9, atol=1e-12, err_msg=repr(routing))
        assert read(case) in (nodes - 1, nodes)


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=3).filter(lambda dims: 1 < np.prod(dims) <= 60),
    st.integers(1, 120),
    st.integers(1, 2),
    st.integers(0, 9),
    st.sampled_from([EQUAL, Minimal(), Valiant(), DimensionOrder(), Adaptive()]),
    st.booleans(),
)
def test_sums_are_exact_for_any_mapping_and_routing(dims, tasks, slots, seed, routing, wrap):
    network = Torus(tuple(dims), wrap=wrap, slots_per_node=slots)
    case = Scenario(network, AllToAll(min(tasks, network.build().slots)), Random(seed), routing).build()
    np.testing.assert_allclose(evaluate(case).load, one_by_one(case), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("network", ALIKE, ids=str)
def test_sets_of_equivalent_links_are_closed_under_shifts(network):
    built = network.build()
    assert (np.bincount(built.alike) % built.nodes == 0).all()
    assert np.bincount(built.alike).max() == built.nodes
    for alike in np.unique(built.alike):
        ends = built.src[built.alike == alike], built.dst[built.alike == alike]
        assert all(np.array_equal(np.sort(end), np.arange(built.nodes)) for end in ends)
        assert np.unique(built.class_of[built.alike == alike]).size == 1


def test_meshes_and_single_paths_are_followed_flow_by_flow():
    assert Mesh((3, 3)).build().alike is None
    lowest = Scenario(Torus((4, 4)), AllToAll(16), Sequential(), Minimal()).build()
    assert read(lowest) == 16 * 16
    few = Scenario(Torus((4, 4)), AllToAll(15), Sequential(), EQUAL).build()
    assert read(few) == 15 * 15
    halo = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), EQUAL).build()
    assert read(halo) == 64


def test_a_torus_of_12_000_nodes_is_evaluated_from_one_node():
    for routing in schemes(Torus()):
        case = Scenario(Torus((23, 23, 23)), AllToAll(23**3), Sequential(), routing).build()
        hops = (23**2 - 1) / (4 * 23)  # on average, round a ring; half of them each way
        twice = 2 * (1 - 1 / 23**3)  # there and onwards, except for messages of a node to itself
        expected = hops / 2 * (twice if routing == Valiant() else 1)
        np.testing.assert_allclose(evaluate(case).load, expected, rtol=1e-9, err_msg=repr(routing))


@pytest.mark.parametrize("network", [FatTree(4, 3), Dragonfly(routers=4, groups=5), Mesh((3, 4))], ids=str)
def test_few_flows_represent_all_where_only_sums_count(network):
    built = network.build()
    for tasks in (built.nodes, built.nodes - 3):
        case = Scenario(network, AllToAll(tasks), Random(), Valiant()).build()
        np.testing.assert_allclose(evaluate(case).load, one_by_one(case), rtol=1e-9, atol=1e-12)
        assert read(case) == tasks


def test_flows_are_summed_between_switches_with_failed_links():
    network = FatTree(4, 3)
    built = network.build()
    up = int(np.flatnonzero((built.src >= built.nodes) & (built.dst >= built.nodes))[0])
    sound = Scenario(network, AllToAll(built.nodes), Random(), EQUAL)
    for routing in (EQUAL, Minimal()):
        case = replace(sound, routing=routing, faults=(LinkFault.of(built, up),)).build()
        np.testing.assert_allclose(evaluate(case).load, one_by_one(case), rtol=1e-9, atol=1e-12)
        assert not evaluate(case).disconnected
        assert read(case) < built.nodes**2
    host = int(np.flatnonzero(built.src < built.nodes)[0])
    case = replace(sound, faults=(LinkFault.of(built, host),)).build()
    assert evaluate(case).disconnected.count == 2 * (built.nodes - 1)
    np.testing.assert_allclose(evaluate(case).load, one_by_one(case), rtol=1e-9, atol=1e-12)


def test_progress_counts_the_flows_read_in_several_batches(monkeypatch):
    monkeypatch.setattr(node_pairs, "DENSE_NODES", 10)
    for module in (demand, scheme):
        monkeypatch.setattr(module, "MAX_LISTED", 3000)
    monkeypatch.setattr(all_to_all, "BLOCK", 1000)
    heard = []
    evaluate(Scenario(Mesh((15, 15)), AllToAll(225), Sequential(), Minimal()).build(), heard.append)
    assert heard == sorted(heard)
    assert len(set(heard)) > 20
    assert np.median(heard) < 0.7


def test_blocks_of_summed_flows_have_distinct_destinations():
    case = Scenario(Mesh((40, 40)), AllToAll(1600), Sequential(), Minimal()).build()
    ends = [np.unique(block.dst) for _, block in case.added_up(case.job.phases[0])]
    assert len(ends) > 1
    assert np.unique(np.concatenate(ends)).size == sum(end.size for end in ends)
