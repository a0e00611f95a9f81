"""Dragonflies: the published case, the rule of each arrangement, and how evenly ports are used."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import BundleFault, Dragonfly
from core.network.faults import Faults
from core.spec import SpecError

ARRANGEMENTS = ("absolute", "relative", "cyclic")


@st.composite
def dragonflies(draw):
    routers, ports = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    groups = draw(st.integers(2, min(routers * ports + 1, 12)))
    return Dragonfly(
        routers=routers,
        global_links=ports,
        groups=groups,
        nodes_per_router=draw(st.integers(1, 3)),
        arrangement=draw(st.sampled_from(ARRANGEMENTS)),
        links_per_pair=draw(st.integers(0, routers * ports // (groups - 1))),
    )


def routers_of(spec, network):
    """The index within its group of each vertex's router; -1 for nodes that are not routers."""
    count = spec.groups * spec.routers
    return np.concatenate([np.full(network.vertices - count, -1), np.arange(count)])


def global_ends(spec, network):
    links = network.link_class("global").links
    router = routers_of(spec, network)
    return router[network.src[links]], router[network.dst[links]]


@pytest.mark.parametrize(("arrangement", "total"), [("relative", 2952), ("absolute", 2964)])
def test_published_case(arrangement, total):
    network = Dragonfly(routers=4, global_links=2, groups=9, arrangement=arrangement).build()
    assert (network.nodes, network.vertices, network.links) == (36, 36, 180)
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    away = [d for _, lengths in nx.all_pairs_shortest_path_length(graph) for d in lengths.values()]
    assert (max(away), sum(away)) == (3, total)


def target(spec, group, port):
    """The target of a port in a round to all other groups, by the papers' text."""
    others = spec.groups - 1
    if spec.arrangement == "absolute":
        return port % others + (port % others >= group)
    if spec.arrangement == "relative":
        return (group + port % others + 1) % spec.groups
    step = port % others // 2 + 1
    return (group + (step if port % others % 2 == 0 else -step)) % spec.groups


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize(("routers", "ports", "groups"), [(4, 2, 9), (3, 2, 7), (4, 2, 5), (5, 4, 11), (4, 3, 4)])
def test_ports_follow_the_arrangement(arrangement, routers, ports, groups):
    # Only complete rounds: each port of each group leads to the group with its number.
    spec = Dragonfly(routers=routers, global_links=ports, groups=groups, arrangement=arrangement)
    src, dst = global_ends(spec, spec.build())
    ours = Counter(zip(src.tolist(), (dst // routers).tolist(), strict=True))
    expected = Counter(
        (group * routers + port // ports, target(spec, group, port))
        for group in range(groups)
        for port in range(routers * ports)
    )
    assert ours == expected


@given(dragonflies())
def test_groups_are_fully_connected_in_both_directions(spec):
    network = spec.build()
    router = routers_of(spec, network)
    pairs = Counter(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    assert all(pairs[v, u] == count for (u, v), count in pairs.items())
    if spec.routers > 1:
        links = network.link_class("local").links
        local = Counter(zip(router[network.src[links]].tolist(), router[network.dst[links]].tolist(), strict=True))
        first = range(0, spec.groups * spec.routers, spec.routers)
        inside = [(g + i, g + j) for g in first for i in range(spec.routers) for j in range(spec.routers) if i != j]
        assert local == Counter(inside)
    assert nx.is_connected(nx.Graph(list(pairs)))


@given(dragonflies())
def test_ports_are_used_evenly(spec):
    network = spec.build()
    src, dst = global_ends(spec, network)
    assert np.bincount(src, minlength=1).max() <= spec.global_links
    between = np.zeros((spec.groups, spec.groups), int)
    np.add.at(between, (src // spec.routers, dst // spec.routers), 1)
    assert not np.diagonal(between).any()
    pairs = between[~np.eye(spec.groups, dtype=bool)]
    assert pairs.max() - pairs.min() <= 1
    used = between.sum(axis=1)
    assert (used == used[0]).all()
    free = spec.routers * spec.global_links - int(used[0])
    if spec.links_per_pair:
        assert (pairs == spec.links_per_pair).all()
    else:
        # A port of a group stays unused only if the number of groups is odd.
        assert free <= spec.groups % 2
    assert network.warnings == () if free == 0 else f"{free} of the" in network.warnings[0]
    few, many = int(pairs.min()), int(pairs.max())
    assert (f"{few} global" if few == many else f"{few} or {many} global") in spec.summary()


@given(dragonflies())
def test_nodes_link_to_their_routers_and_levels_are_equal(spec):
    network = spec.build()
    each = spec.nodes_per_router
    assert network.nodes == spec.groups * spec.routers * each
    node = np.arange(network.nodes)
    if each > 1:
        links = network.link_class("host").links
        up = network.src[links] < network.nodes
        np.testing.assert_array_equal(network.src[links][up], node)
        np.testing.assert_array_equal(network.dst[links][up], network.nodes + node // each)
    assert network.levels[0].name == "group"
    np.testing.assert_array_equal(network.group_of[: network.nodes], node // (spec.routers * each))
    router = routers_of(spec, network)
    np.testing.assert_array_equal(network.group_of[router >= 0], router[router >= 0] // spec.routers)
    for level in network.levels:
        assert (np.bincount(level.group, minlength=level.count) == level.nodes_per_group).all()


@given(dragonflies())
def test_cuts_count_the_links_that_leave_the_first_groups(spec):
    network = spec.build()
    for cut, groups in zip(network.cuts, (1, spec.groups // 2), strict=True):
        side = network.group_of < groups
        leaving = np.flatnonzero(side[network.src] & ~side[network.dst])
        assert side[: network.nodes].sum() == cut.nodes
        assert Counter(network.classes[c].name for c in network.class_of[leaving]) == cut.leaving


def test_bundles_of_global_links_fail_where_routers_are_switches():
    network = Dragonfly(routers=4, global_links=2, groups=5, nodes_per_router=2).build()
    faults = Faults.of(network, (BundleFault(a=1, b=3),))
    failed = np.flatnonzero(faults.failed)
    assert failed.size == 4
    assert set(network.group_of[network.src[failed]].tolist()) == {1, 3}
    assert (network.src[failed] >= network.nodes).all()


def test_names():
    direct = Dragonfly().build()
    hosted = Dragonfly(nodes_per_router=2, host_gbs=1.0, local_gbs=2.0, global_gbs=3.0).build()
    assert [c.name for c in direct.classes] == ["local", "global"]
    assert [(c.name, c.gbs) for c in hosted.classes] == [("local", 2.0), ("global", 3.0), ("host", 1.0)]
    assert direct.label(7) == "g1 · r3"
    assert [hosted.label(v) for v in (15, 72 + 7)] == ["g1 · r3 · n1", "g1 · r3"]
    assert Dragonfly().summary() == "36 nodes, 1 global link between every two groups"


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        (Dragonfly(groups=10), "network.groups", "is 10; must be at most 9 for 4 routers with 2 global links each"),
        (
            Dragonfly(groups=4, links_per_pair=3),
            "network.links_per_pair",
            "is 3; must be at most 2 for 8 global ports per group",
        ),
        (Dragonfly(routers=3, groups=1), "network.groups", "is 1; must be at least 2"),
        (Dragonfly(routers=1024, global_links=4, groups=4096), "network.groups", "must be at most 10,000,000"),
    ],
)
def test_refusals_name_the_field(spec, field, words):
    with pytest.raises(SpecError, match=words) as refusal:
        spec.build()
    assert refusal.value.field == field


@given(dragonflies(), st.integers(1, 100_000))
def test_sized_can_be_built_and_is_near(spec, nodes):
    other = spec.sized(nodes)
    assert (other.nodes_per_router, other.arrangement) == (spec.nodes_per_router, spec.arrangement)
    ports = other.routers * other.global_links
    assert max(other.links_per_pair, 1) * (other.groups - 1) <= ports
    if other.nodes > 2 * spec.nodes_per_router:
        assert abs(other.nodes - nodes) <= max(other.routers * other.nodes_per_router, 0.2 * nodes)
    else:
        assert nodes <= 3 * spec.nodes_per_router


@pytest.mark.parametrize("name", sorted(Dragonfly.presets.keys() - Dragonfly.preset_notes.keys()))
def test_presets_have_the_nodes_of_their_names_and_use_every_port(name):
    network = Dragonfly(**Dragonfly.presets[name]).build()
    assert f"{network.nodes:,} " in name
    assert network.warnings == ()


MACHINES = {
    "Frontier": (37_888, 9_472, 2_368, {"local": 36_704, "global": 10_804, "host": 37_888}),
    "Aurora": (84_992, 10_624, 5_312, {"local": 82_336, "global": 27_390, "host": 84_992}),
    "LUMI-G": (12_288, 3_072, 768, {"local": 11_904, "global": 5_520, "host": 12_288}),
}


@pytest.mark.parametrize(("name", "counts"), MACHINES.items())
def test_machines_have_the_switches_and_cables_of_their_sources(name, counts):
    network = Dragonfly(**Dragonfly.presets[name]).build()
    cables = {c.name: c.count // 2 for c in network.classes}
    assert (network.nodes, network.host_slots.count, network.vertices - network.nodes, cables) == counts
    assert {c.gbs for c in network.classes} == {25.0}
    assert "assumed" in Dragonfly.preset_notes[name]
