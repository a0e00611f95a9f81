"""SimGrid's clusters: hosts, switches, wiring and bandwidths as in its manual."""

from collections import Counter
from itertools import combinations, product
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network.formats import simgrid_cluster
from core.spec import SpecError
from tests.core.network.formats.files import both, names, pairs, written
from tests.oracle.graphs import diameter_and_aspl, distances
from tests.oracle.simgrid import PLATFORM, pythons, routes

START = '<?xml version=\'1.0\'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'


def platform(**given):
    cluster = {"id": "c", "prefix": "n", "suffix": "", "radical": "0-15", "speed": "1Gf", "bw": "125MBps", "lat": "1us"}
    attributes = " ".join(f'{name}="{value}"' for name, value in (cluster | given).items() if value is not None)
    return f'{START}<zone id="w" routing="Full"><cluster {attributes}/></zone></platform>'


def cluster_of(folder, topology, parameters, **given):
    return written(folder, "p.xml", platform(topology=topology, topo_parameters=parameters, **given))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4).filter(lambda dims: 1 < prod(dims) <= 60))
def test_torus_matches_networkx_with_x_fastest(empty_folder, dims):
    folder = empty_folder()
    network = cluster_of(folder, "TORUS", ",".join(map(str, dims)), radical=f"0-{prod(dims) - 1}")
    places = [tuple(reversed(place)) for place in product(*(range(size) for size in reversed(dims)))]
    expected = []
    for number, place in enumerate(places):
        for d, size in enumerate(dims):
            if size > 1:
                ahead = (*place[:d], (place[d] + 1) % size, *place[d + 1 :])
                expected.append((f"n{number}", f"n{places.index(ahead)}"))
    assert pairs(network) == both(*expected)
    # Rings of two have both of their links twice; otherwise it equals networkx's.
    ours = {tuple(sorted(pair)) for pair in pairs(network)}
    grid = nx.grid_graph(dim=dims[::-1], periodic=True)
    assert len(ours) == sum(u != v for u, v in grid.edges)
    assert network.nodes == network.vertices == prod(dims)
    assert {c.gbs for c in network.classes} == {0.125}
    assert len(np.unique(network.layout.positions, axis=0)) == network.nodes


def test_dimensions_are_link_classes(tmp_path):
    network = cluster_of(tmp_path, "TORUS", "4,1,2", radical="0-7")
    assert {c.name: c.count for c in network.classes} == {"X": 16, "Z": 16}
    step = (network.dst - network.src)[network.link_class("X").links]
    assert set(np.abs(step).tolist()) == {1, 3}


small = st.integers(1, 3)


@st.composite
def fat_trees(draw):
    levels = draw(st.integers(1, 3))
    down, up, count = (draw(st.lists(small, min_size=levels, max_size=levels)) for _ in range(3))
    return down, up, count


def joined(down, up, count):
    """Parents and children of a fat tree by their labels, as SimGrid compares them, with our names."""
    levels = len(down)
    labels = []
    for level in range(levels + 1):
        sizes = [*up[:level], *down[level:]]
        labels.append([tuple(reversed(label)) for label in product(*(range(size) for size in reversed(sizes)))])
    name = [
        [f"n{i}" if not level else f"L{level}.{i}" for i in range(len(labels[level]))] for level in range(levels + 1)
    ]
    return [
        (name[level][i], name[level + 1][j])
        for level in range(levels)
        for i, child in enumerate(labels[level])
        for j, parent in enumerate(labels[level + 1])
        if all(a == b for d, (a, b) in enumerate(zip(child, parent, strict=True)) if d != level)
        for _ in range(count[level])
    ]


@given(fat_trees().filter(lambda tree: prod(tree[0]) > 1))
def test_fat_tree_links_labels_that_differ_in_one_digit(empty_folder, tree):
    folder = empty_folder()
    down, up, count = tree
    parameters = ";".join([str(len(down)), *(",".join(map(str, numbers)) for numbers in tree)])
    network = cluster_of(folder, "FAT_TREE", parameters, radical=f"0-{prod(down) - 1}")
    assert pairs(network) == both(*joined(down, up, count))
    assert network.nodes == prod(down)
    assert network.warnings == ()
    assert len(np.unique(network.layout.positions, axis=0)) == network.vertices
    for level in network.levels:
        assert (np.bincount(level.group) == level.nodes_per_group).all()


def test_fat_tree_of_the_manual(tmp_path):
    # "hosts are grouped by 4 on a given router, and there are 4 level-1 routers"; 2 routers above, 2 links to each.
    network = cluster_of(tmp_path, "FAT_TREE", "2;4,4;1,2;1,2")
    assert names(network)[16:] == ["L1.0", "L1.1", "L1.2", "L1.3", "L2.0", "L2.1"]
    assert {c.name: (c.count, c.gbs) for c in network.classes} == {"node link": (32, 0.125), "L1–L2": (32, 0.125)}
    assert Counter(pairs(network))["L1.2", "L2.1"] == 2
    assert [v for u, v in pairs(network) if u == "n6"] == ["L1.1"]
    assert [(level.name, level.count) for level in network.levels] == [("switch", 4)]
    assert diameter_and_aspl(network)[0] == 4


def test_dragonfly_of_the_manual(tmp_path):
    # 3 groups with 4 links between each, 4 chassis with 3 between the nth routers, 5 routers joined by one, 2 hosts.
    network = cluster_of(tmp_path, "DRAGONFLY", "3,4;4,3;5,1;2", radical="0-119")
    assert (network.nodes, network.vertices) == (120, 180)
    assert {c.name: (c.count // 2, round(c.gbs, 6)) for c in network.classes} == {
        "node link": (120, 0.125),
        "chassis link": (3 * 4 * 10, 0.125),
        "group link": (3 * 6 * 5, 0.375),
        "global link": (3, 0.5),
    }
    assert [(level.name, level.nodes_per_group) for level in network.levels] == [
        ("group", 40),
        ("chassis", 10),
        ("router", 2),
    ]
    assert len(network.layout.boxes) == 3
    # Router j of group i's first chassis leads to router i of group j's first chassis.
    links = network.link_class("global link").links
    ends = {(network.label(u), network.label(v)) for u, v in zip(network.src[links], network.dst[links], strict=True)}
    assert ends == {(f"{i}.0.{j}", f"{j}.0.{i}") for i in range(3) for j in range(3) if i != j}


@given(st.tuples(small, st.integers(1, 2), st.integers(3, 4), st.integers(1, 2)))
def test_dragonfly_connects_chassis_and_groups_fully(empty_folder, sizes):
    folder = empty_folder()
    groups, chassis, blades, nodes = sizes
    parameters = f"{groups},1;{chassis},1;{blades},1;{nodes}"
    network = cluster_of(folder, "DRAGONFLY", parameters, radical=f"0-{prod(sizes) - 1}")
    routers = list(product(range(groups), range(chassis), range(blades)))
    expected = [(f"n{i}", ".".join(map(str, routers[i // nodes]))) for i in range(network.nodes)]
    for u, v in combinations(routers, 2):
        same = [a == b for a, b in zip(u, v, strict=True)]
        far = not same[0] and u[1:] == (0, v[0]) and v[1:] == (0, u[0])
        if far or (same[0] and same[1] != same[2]):
            expected.append((".".join(map(str, u)), ".".join(map(str, v))))
    assert pairs(network) == both(*expected)
    assert len(np.unique(network.layout.positions, axis=0)) == network.vertices


def test_a_cluster_without_topology_is_a_crossbar(tmp_path):
    network = written(tmp_path, "p.xml", platform(radical="3,1;7-8"))
    assert names(network) == ["n3", "n1", "n7", "n8", "switch"]
    assert network.links == 8


@pytest.mark.parametrize(
    ("bw", "gbs"),
    [
        ("125MBps", 0.125),
        ("10Gbps", 1.25),
        ("1GiBps", 1.073741824),
        ("8 Gibps".replace(" ", ""), 1.073741824),
        ("2.5e9Bps", 2.5),
        ("4TBps", 4000.0),
        ("8000Kbps", 0.001),
    ],
)
def test_units_of_bandwidth(tmp_path, bw, gbs):
    assert written(tmp_path, "p.xml", platform(bw=bw)).classes[0].gbs == pytest.approx(gbs, rel=1e-12)


@pytest.mark.parametrize(
    ("policy", "words"), [("SHARED", "in both directions share one link"), ("FATPIPE", "do not share the bandwidth")]
)
def test_a_sharing_policy_that_is_not_full_duplex_gives_a_warning(tmp_path, policy, words):
    assert words in written(tmp_path, "p.xml", platform(sharing_policy=policy)).warnings[0]


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"topology": "VIVALDI"}, "has topology 'VIVALDI'; give TORUS, FAT_TREE, DRAGONFLY or FLAT"),
        ({"topology": "TORUS", "topo_parameters": "4,5"}, "radical lists 16 hosts, but a torus of 4 × 5 has 20"),
        ({"topology": "TORUS", "topo_parameters": "4;4"}, "has topo_parameters with '4;4'; give X,Y,Z"),
        ({"topology": "TORUS", "topo_parameters": "0,4"}, "whole numbers of at least 1"),
        ({"topology": "TORUS"}, "has topo_parameters with ''; give X,Y,Z"),
        ({"topology": "TORUS", "topo_parameters": ",".join("1" * 9)}, "has 9 dimensions; at most 8"),
        ({"topology": "FAT_TREE", "topo_parameters": "2;4,4;1,2"}, "give levels;down;up;count"),
        (
            {"topology": "FAT_TREE", "topo_parameters": "2;4,4;1;1,2"},
            "has 1 number of up for 2 levels; give one per level",
        ),
        ({"topology": "FAT_TREE", "topo_parameters": "2;4,4;1,x;1,2"}, "with '1,x'; give levels;down;up;count"),
        (
            {"topology": "FAT_TREE", "topo_parameters": "1;16;999999999;1"},
            "has 15,999,999,984 edges; at most 500,000",
        ),
        (
            {"topology": "FAT_TREE", "topo_parameters": "17;1;1;1"},
            "has a fat tree of 17 levels; at most 16 are supported",
        ),
        (
            {"topology": "DRAGONFLY", "topo_parameters": "3,1;2,1;2,1;2"},
            "has 3 groups, but each of the 2 routers per chassis links to one group; give at least 3",
        ),
        ({"topology": "DRAGONFLY", "topo_parameters": "2;2,1;2,1;2"}, "give groups,blue;chassis,black;routers,green"),
        ({"bw": None}, "has a <cluster> without bw"),
        ({"radical": None}, "has a <cluster> without radical"),
        ({"radical": "0-3-5"}, "radical has '0-3-5'; give ranges such as 0-15 or 0-7,12"),
        ({"radical": "0-99999999"}, "radical lists 100,000,000 hosts; at most 500,000"),
        ({"radical": "5"}, "has 1 vertex that hosts tasks"),
        ({"radical": "5-1"}, "has 0 vertices that host tasks"),
        ({"bw": "fast"}, "bw 'fast' is not a bandwidth; give one such as 125MBps or 10Gbps"),
        ({"bw": "1.2.3GBps"}, "bw '1.2.3GBps' is not a bandwidth"),
        ({"bw": "0GBps"}, "bw '0GBps' is 0 GB/s; must be from 1e-06 to"),
        ({"sharing_policy": "WIFI"}, "has sharing_policy 'WIFI'; give SPLITDUPLEX, SHARED, FATPIPE"),
    ],
)
def test_errors_are_one_line(tmp_path, given_, words):
    with pytest.raises(SpecError, match=words) as refusal:
        written(tmp_path, "p.xml", platform(**given_))
    assert refusal.value.field == "network.file"
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<platform><zone></platform>", "cannot be read as XML: mismatched tag"),
        ("<platform/>", "has no links between hosts"),
        ("<platform><cluster/><cluster/></platform>", "has a <cluster> without bw"),
        ('<!DOCTYPE platform [<!ENTITY a "a">]><platform/>', "declares XML entities"),
    ],
)
def test_files_that_are_not_a_platform_are_refused(tmp_path, text, words):
    with pytest.raises(SpecError, match=words):
        written(tmp_path, "p.xml", text)


def test_too_large_clusters_are_not_built(tmp_path, monkeypatch):
    monkeypatch.setattr(simgrid_cluster, "MAX_HOSTS", 10)
    with pytest.raises(SpecError, match="radical lists 16 hosts; at most 10 are supported"):
        written(tmp_path, "p.xml", platform())


@pytest.mark.skipif(not pythons(), reason="needs SimGrid (Debian package python3-simgrid)")
@pytest.mark.parametrize(
    ("topology", "parameters", "hosts"),
    [("TORUS", "4,3,2", 24), ("FAT_TREE", "2;4,4;1,2;1,2", 16), ("FAT_TREE", "3;2,3,2;1,2,3;1,1,2", 12)],
)
def test_simgrid_finds_paths_of_the_same_length(topology, parameters, hosts, tmp_path):
    network = written(tmp_path, "p.xml", PLATFORM.format(topology=topology, parameters=parameters, last=hosts - 1))
    paths = routes(tmp_path, topology, parameters, hosts)
    for begin in range(hosts):
        away = distances(network, begin)
        assert [len(paths[begin][end]) for end in range(hosts) if end != begin] == [
            away[end] for end in range(hosts) if end != begin
        ]
