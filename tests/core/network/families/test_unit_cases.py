"""Families compared with an independent reference computed from their rules, case by case."""

from fractions import Fraction
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import BCube, DragonflyPlus, HyperX, Rail, SlimFly, TwistedTorus, Xgft
from core.routing import Minimal


class Counted(NamedTuple):
    """Nodes, switches, joined pairs of vertices with parallel cables, directed links, distances."""

    nodes: int
    switches: int
    links: int
    directed: int
    diameter: int
    between_switches: int | None
    """The maximum distance between switches without passing through nodes; None if some are disconnected."""
    distance_sum: int


F = Fraction
CASES = [
    (
        DragonflyPlus(2, 2, 1, 3, 2),
        Counted(12, 12, 27, 54, 5, 4, 600),
        {"host": F(11, 12), "local": F(5, 6), "global": F(4, 3)},
    ),
    (
        DragonflyPlus(4, 4, 2, 9, 2),
        Counted(72, 72, 252, 504, 5, 5, 24912),
        {"host": F(71, 72), "local": F(35, 72), "global": F(8, 9)},
    ),
    (
        DragonflyPlus(3, 2, 3, 4, 2),
        Counted(24, 20, 60, 120, 5, 3, 2592),
        {"host": F(23, 24), "local": F(11, 12), "global": F(3, 4)},
    ),
    (
        Xgft(down=(4, 4), up=(1, 2), parallel=(1, 2)),
        Counted(16, 6, 32, 64, 4, 2, 864),
        {"host": F(15, 16), "L1-L2": F(3, 4)},
    ),
    (
        Xgft(down=(6, 4), up=(1, 3), parallel=(1, 1)),
        Counted(24, 7, 36, 72, 4, 2, 1968),
        {"host": F(23, 24), "L1-L2": F(3, 2)},
    ),
    (
        Xgft(down=(4, 3), up=(2, 2), parallel=1),
        Counted(12, 10, 36, 72, 4, None, 456),
        {"host": F(11, 24), "L1-L2": F(2, 3)},
    ),
    (HyperX(dims=(4, 4)), Counted(16, 16, 48, 96, 2, 2, 384), {"X": F(1, 4), "Y": F(1, 4)}),
    (
        HyperX(dims=(4, 4), nodes_per_switch=4),
        Counted(64, 16, 112, 224, 4, 2, 14208),
        {"host": F(63, 64), "X": F(1), "Y": F(1)},
    ),
    (
        HyperX(dims=(2, 3, 4), parallel=(1, 1, 2)),
        Counted(24, 24, 108, 216, 3, 3, 1104),
        {"X": F(1, 2), "Y": F(1, 3), "Z": F(1, 8)},
    ),
    (SlimFly(q=4), Counted(32, 32, 96, 192, 2, 2, 1792), {}),
    (SlimFly(q=5), Counted(50, 50, 175, 350, 2, 2, 4550), {"local": F(13, 50), "global": F(13, 50)}),
    (SlimFly(q=5, nodes_per_switch=3), Counted(150, 50, 325, 650, 4, 2, 85650), {}),
    (SlimFly(q=7), Counted(98, 98, 539, 1078, 2, 2, 17934), {}),
    *(
        (Rail(2, 2, 4, 2, relays=relays), Counted(16, 14, 48, 96, 4, None, 832), loads)
        for relays, loads in (
            (True, {"nvlink": F(9, 32), "rail": F(3, 4), "spine": F(19, 32)}),
            (False, {"nvlink": F(3, 16), "rail": F(3, 4), "spine": F(11, 16)}),
        )
    ),
    *(
        (Rail(1, 4, 8, 4, 2, relays=relays), Counted(32, 16, 128, 256, 4, None, 3328), loads)
        for relays, loads in (
            (True, {"nvlink": F(7, 24), "rail": F(3, 4), "spine": F(7, 24)}),
            (False, {"nvlink": F(7, 32), "rail": F(3, 4), "spine": F(21, 64)}),
        )
    ),
    (Rail(1, 3, 4, 0), Counted(12, 7, 24, 48, 4, None, 408), {}),
    (TwistedTorus(dims=(2, 2, 4)), Counted(16, 16, 48, 96, 3, 3, 416), {}),
    (
        TwistedTorus(dims=(4, 4, 8)),
        Counted(128, 128, 384, 768, 6, 6, 56320),
        {"electrical": F(55, 96), "optical": F(55, 96)},
    ),
    (BCube(), Counted(16, 8, 32, 64, 4, None, 768), {"L0": F(3, 4), "L1": F(3, 4)}),
]
NAMES = [f"{type(spec).tag()} {number}" for number, (spec, *_) in enumerate(CASES)]


def distances(network, ends, without=()):
    """Distances between some vertices, without passing through some others; None if there is no path."""
    graph = nx.DiGraph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    graph.remove_nodes_from(without)
    away = dict(nx.all_pairs_shortest_path_length(graph))
    return [away.get(u, {}).get(v) for u in ends for v in ends]


@pytest.mark.parametrize(("spec", "counted", "loads"), CASES, ids=NAMES)
def test_counts_distances_and_loads(spec, counted, loads):
    network = spec.build()
    direct = network.vertices == network.nodes
    away = distances(network, range(network.nodes))
    switches = range(network.nodes, network.vertices) if not direct else range(network.nodes)
    between = distances(network, switches, () if direct else range(network.nodes))
    counted_links = Counted(
        network.nodes,
        network.nodes if direct else network.vertices - network.nodes,
        network.links // 2,
        network.links,
        max(away),
        None if None in between else max(between),
        sum(away),
    )
    assert counted_links == counted
    report = evaluate(Scenario(spec, AllToAll(tasks=network.nodes), Sequential(), Minimal(spread="equal")).build())
    heaviest = {link_class.name: link_class.max_load for link_class in report.classes}
    assert heaviest == pytest.approx({**heaviest, **{name: float(load) for name, load in loads.items()}}, rel=1e-12)


@pytest.mark.parametrize(("spec", "counted", "loads"), CASES, ids=NAMES)
def test_levels_cuts_and_symmetry_are_correct(spec, counted, loads):
    network = spec.build()
    for level in network.levels:
        assert np.bincount(level.group).tolist() == [network.nodes // level.count] * level.count
    for cut in network.cuts:
        side = np.arange(network.vertices) < cut.nodes
        for name, leaving in cut.leaving.items():
            links = network.link_class(name).links
            if spec.__class__ is HyperX:
                assert leaving == crossing(network, spec, cut, name)
            elif network.vertices == network.nodes and spec.__class__ is not TwistedTorus:
                assert leaving == int((side[network.src[links]] & ~side[network.dst[links]]).sum())
    if network.symmetry is not None:
        sums = np.array(distances(network, range(network.nodes))).reshape(network.nodes, -1).sum(axis=1)
        assert int(network.symmetry.size.sum()) == network.nodes
        assert int(sums[network.symmetry.representative] @ network.symmetry.size) == counted.distance_sum


def crossing(network, spec, cut, name):
    """Cables of a class between switches in the lower half along its coordinate, and others."""
    along = "XYZ".index(name)
    coordinate = np.unravel_index(np.arange(spec.switches), spec.dims)[along]
    low = np.append(np.zeros(network.vertices - spec.switches, np.bool_), coordinate < spec.dims[along] // 2)
    links = network.link_class(name).links
    assert cut.nodes == int((coordinate < spec.dims[along] // 2).sum()) * spec.nodes_per_switch
    return int((low[network.src[links]] & ~low[network.dst[links]]).sum())
