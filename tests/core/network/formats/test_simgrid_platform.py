"""SimGrid platforms of zones: links as in the routes of the file, and between vertices that the file does not name."""

# Platforms are written in few lines, however long.
# ruff: noqa: E501

import json
import subprocess
from itertools import pairwise, permutations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges
from core.routing import Minimal
from core.spec import SpecError
from tests.core.network.formats.files import both, pairs, written
from tests.oracle.simgrid import pythons

CLUSTER = "<cluster id='c' prefix='c-' radical='0-1' suffix='.me' speed='1Gf' bw='125MBps' lat='1us' {more}/>"


def hosts(*names, kind="host"):
    return "".join(
        f"<{kind} id='{name}'{' speed=1Gf'.replace('1Gf', chr(39) + '1Gf' + chr(39)) if kind == 'host' else ''}/>"
        for name in names
    )


def links(policy="SPLITDUPLEX", **gbs):
    return "".join(
        f"<link id='{name}' bandwidth='{value}GBps' latency='1us' sharing_policy='{policy}'/>"
        for name, value in gbs.items()
    )


def passed(*over):
    return "".join(f"<link_ctn id='{link}'/>" for link in over)


def route(src, dst, *over, more=""):
    return f"<route src='{src}' dst='{dst}' {more}>{passed(*over)}</route>"


def between(src, dst, gateways, *over):
    ends = f"src='{src}' dst='{dst}' gw_src='{gateways[0]}' gw_dst='{gateways[1]}'"
    return f"<zoneRoute {ends}>{passed(*over)}</zoneRoute>"


def zone(*parts, routing="Full", name="z"):
    return f"<zone id='{name}' routing='{routing}'>{''.join(parts)}</zone>"


def platform(*parts):
    start = "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>"
    return f"{start}<platform version='4.1'>{''.join(parts)}</platform>"


def network_of(folder, *parts, **fields):
    return written(folder, "p.xml", platform(*parts), **fields)


def widths_on_paths(network):
    """The different bandwidths on the only shortest path from each node to each other."""
    graph = nx.DiGraph()
    for u, v, gbs in zip(network.src.tolist(), network.dst.tolist(), network.gbs.tolist(), strict=True):
        assert not graph.has_edge(u, v)
        graph.add_edge(u, v, gbs=gbs)
    widths = {}
    for u, v in permutations(range(network.nodes), 2):
        if nx.has_path(graph, u, v):
            (path,) = nx.all_shortest_paths(graph, u, v)
            used = pairwise(path)
            widths[network.label(u), network.label(v)] = {round(graph.edges[link]["gbs"], 9) for link in used}
    return widths


def test_routes_of_single_links_are_cables(tmp_path):
    parts = hosts("a", "b", "c"), links(x=1, y=2, z=3), route("a", "b", "x"), route("b", "c", "y"), route("a", "c", "z")
    network = network_of(tmp_path, zone(*parts, route("a", "a", "x")))
    assert pairs(network) == both(("a", "b"), ("a", "c"), ("b", "c"))
    assert sorted(c.gbs for c in network.classes) == [1, 2, 3]
    assert network.warnings == ()


def test_a_route_of_several_links_has_vertices_without_names(tmp_path):
    network = network_of(tmp_path, zone(hosts("a", "b"), links(x=1, y=2, z=3), route("a", "b", "x", "y", "z")))
    assert pairs(network) == both(("a", "x/y"), ("x/y", "y/z"), ("y/z", "b"))
    assert (network.nodes, network.vertices) == (2, 4)


def test_routes_share_the_vertices_between_their_links(tmp_path):
    # A star of links; the order of the routes, and of their ends, does not matter.
    names = "abcde"
    routes = [route(u, v, f"l{u}", f"l{v}") for u, v in permutations(names, 2) if (u < v) == (u != "b")]
    network = network_of(tmp_path, zone(hosts(*names), links(**{f"l{u}": k + 1 for k, u in enumerate(names)}), *routes))
    assert network.vertices == 6
    assert widths_on_paths(network) == {
        (u, v): {names.index(u) + 1, names.index(v) + 1} for u, v in permutations(names, 2)
    }


@st.composite
def trees(draw):
    """A tree whose leaves are hosts, as parents by vertex; the links have different bandwidths."""
    parents = [draw(st.integers(0, vertex - 1)) for vertex in range(1, draw(st.integers(3, 12)))]
    return nx.Graph([(vertex + 1, parent) for vertex, parent in enumerate(parents)])


@given(trees(), st.randoms())
def test_the_tree_behind_all_routes_is_recovered(empty_folder, tree, random):
    names = [f"h{leaf}" for leaf in tree if tree.degree(leaf) == 1]
    width = {frozenset(edge): k + 1 for k, edge in enumerate(tree.edges)}
    routes, expected = [], {}
    for u, v in permutations(names, 2):
        path = nx.shortest_path(tree, int(u[1:]), int(v[1:]))
        over = [width[frozenset(edge)] for edge in pairwise(path)]
        expected[u, v] = set(over)
        if u < v:
            routes.append(route(u, v, *(f"l{k}" for k in over)))
    random.shuffle(routes)
    parts = hosts(*names), links(**{f"l{k}": k for k in width.values()}), *routes
    network = network_of(empty_folder(), zone(*parts))
    assert widths_on_paths(network) == expected
    assert network.links == 2 * len(width)


@pytest.mark.parametrize("order", [1, -1])
def test_a_shared_link_between_several_hosts_carries_the_sum_of_their_traffic(tmp_path, order):
    ends = [("a", "b"), ("a", "c"), ("b", "c")][::order]
    network = network_of(
        tmp_path, zone(hosts("a", "b", "c"), links("SHARED", bus=2), *(route(u, v, "bus") for u, v in ends))
    )
    assert [network.label(vertex) for vertex in range(3, 5)] == ["bus in", "bus out"]
    scenario = Scenario(network.spec, AllToAll(3), Sequential(), Minimal(), folder=tmp_path)
    report = evaluate(scenario.build())
    load = dict(zip(zip(network.src.tolist(), network.dst.tolist(), strict=True), report.load.tolist(), strict=True))
    # A third of a unit from each task to each of two others.
    assert load[3, 4] == pytest.approx(2)
    assert max(load.values()) == load[3, 4]


def test_a_fatpipe_between_several_hosts_is_a_switch(tmp_path):
    ends = [("a", "b"), ("a", "c"), ("b", "c")]
    parts = links(la=1, lb=2, lc=3), links("FATPIPE", bb=9), *(route(u, v, f"l{u}", "bb", f"l{v}") for u, v in ends)
    network = network_of(tmp_path, zone(hosts("a", "b", "c"), *parts))
    assert pairs(network) == both(("a", "bb"), ("b", "bb"), ("c", "bb"))
    assert any("FATPIPE: in SimGrid messages do not share" in warning for warning in network.warnings)


def test_up_and_down_are_the_directions_of_one_cable(tmp_path):
    there, back = (
        f"<route src='{u}' dst='{v}' symmetrical='NO'><link_ctn id='x' direction='{way}'/></route>"
        for u, v, way in (("a", "b", "UP"), ("b", "a", "DOWN"))
    )
    network = network_of(tmp_path, zone(hosts("a", "b"), links(x=1), there, back))
    assert pairs(network) == both(("a", "b"))


def test_a_one_way_ring_has_one_way_links(tmp_path):
    ends = [("a", "b"), ("b", "c"), ("c", "a")]
    parts = (route(u, v, f"l{u}", more="symmetrical='NO'") for u, v in ends)
    network = network_of(tmp_path, zone(hosts("a", "b", "c"), links(la=1, lb=1, lc=1), *parts))
    assert pairs(network) == sorted(ends)


def test_a_cluster_and_a_host_are_joined(tmp_path):
    # cluster_and_one_host.xml of SimGrid
    cluster = CLUSTER.format(more="router_id='router1'")
    alone = zone(hosts("host1"), routing="None", name="outside")
    link = "<link id='link1' bandwidth='100kBps' latency='10ms'/>"
    network = network_of(tmp_path, zone(cluster, alone, link, between("c", "outside", ("router1", "host1"), "link1")))
    assert pairs(network) == both(("c-0.me", "router1"), ("c-1.me", "router1"), ("host1", "router1"))
    assert sorted(set(network.gbs.tolist())) == [0.0001, 0.125]


def test_the_backbone_of_a_cluster_is_shared(tmp_path):
    network = network_of(tmp_path, CLUSTER.format(more="bb_bw='2GBps' bb_lat='1us'"))
    up = [("c-0.me", "c backbone in"), ("c-1.me", "c backbone in")]
    down = [("c backbone out", "c-0.me"), ("c backbone out", "c-1.me")]
    assert pairs(network) == sorted([*up, *down, ("c backbone in", "c backbone out")])
    pipe = network_of(tmp_path, CLUSTER.format(more="bb_bw='2GBps' bb_sharing_policy='FATPIPE'"))
    assert pairs(pipe) == both(("c-0.me", "c backbone"), ("c-1.me", "c backbone"))


def test_hosts_of_a_zone_with_routing_cluster_have_links_up_and_down(tmp_path):
    own = (
        hosts("r", kind="router"), hosts("a", "b"),
        links("SHARED", up=1, down=2), links("SPLITDUPLEX", both=3),
        "<host_link id='a' up='up' down='down'/><host_link id='b' up='both_UP' down='both_DOWN'/>",
        "<cabinet id='k' prefix='k' suffix='' radical='1-2' speed='1Gf' bw='4GBps' lat='1us'/>",
    )  # fmt: skip
    network = network_of(tmp_path, zone(*own, routing="Cluster"))
    assert pairs(network) == both(("a", "r"), ("b", "r"), ("k1", "r"), ("k2", "r"))
    width = {
        (network.label(u), network.label(v)): gbs
        for u, v, gbs in zip(network.src, network.dst, network.gbs, strict=True)
    }
    assert (width["a", "r"], width["r", "a"], width["r", "b"], width["k1", "r"]) == (1, 2, 3, 4)
    assert network.warnings == ()
    shared = network_of(tmp_path, zone(*own, routing="Cluster").replace("down='down'", "down='up'"))
    assert any("SHARED: in SimGrid messages in both directions share one link" in note for note in shared.warnings)


def test_zones_in_zones_are_joined_at_their_gateways(tmp_path):
    left = zone(
        hosts("a", "b"),
        hosts("g", kind="router"),
        links(x=1, y=2),
        route("a", "g", "x"),
        route("b", "g", "y"),
        routing="Floyd",
        name="l",
    )
    right = zone(CLUSTER.format(more="router_id='h'"), name="r")
    network = network_of(tmp_path, zone(left, right, links(w=5, v=6), between("l", "r", "gh", "w", "v"), name="w"))
    ends = ("a", "g"), ("b", "g"), ("g", "w/v"), ("h", "w/v"), ("c-0.me", "h"), ("c-1.me", "h")
    assert pairs(network) == both(*ends)


def test_parts_without_effect_on_loads_are_noted(tmp_path):
    parts = hosts("a", "b"), links(x=1, spare=2), route("a", "b", "x"), "<trace_connect trace='t' element='x'/>"
    warnings = network_of(tmp_path, zone(*parts)).warnings
    assert warnings == (
        "1 link without a route: spare",
        "changes with time are not read (traces and profiles in 1 place)",
    )
    limited = network_of(tmp_path, CLUSTER.format(more="limiter_link='1GBps'"))
    assert limited.warnings == ("limiter_link: the limit of each node's total bandwidth is not read",)


TWO = hosts("a", "b") + links(x=1)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (zone(TWO, "<bypassRoute src='a' dst='b'/>"), "has a <bypassRoute>, which does not define links"),
        (zone("<peer id='p' speed='1Gf'/>"), "has a <peer> p, which does not define links"),
        (zone(TWO, routing="Vivaldi"), "zone z has routing Vivaldi, which gives latencies, but no links"),
        (zone(TWO, routing="Wifi"), "zone z has routing Wifi, which gives a medium that all its hosts share"),
        (zone(TWO, "<link id='w' bandwidth='1GBps' sharing_policy='WIFI'/>"), "link w has sharing_policy 'WIFI'"),
        (zone(TWO), "has no links between hosts"),
        (zone(TWO, route("a", "b")), "route a to b has no links"),
        (zone(TWO, hosts("a")), "'a' is defined twice"),
        (zone(TWO, links(x=2)), "link 'x' is defined twice"),
        (zone(TWO, links(y=1), route("a", "b", "x"), route("b", "a", "y")), "route b to a is given twice, with different links"),
        (zone(TWO, between("m", "n", "aq", "x")), "route m to n: unknown gateway q"),
        (zone(TWO, route("a", "b", "x", "x"), routing="Dijkstra"), "route a to b has 2 links; give one route per link"),
        (
            zone(hosts("a", "b", "c"), links(x=1, y=1, z=1), route("a", "b", "x"), route("b", "c", "y", "z"), route("a", "c", "x", "y", "z", "x")),
            "is longer than the shortest path over links of other routes",
        ),
        (
            CLUSTER.format(more="topology='TORUS' topo_parameters='2'") + zone(TWO, between("c", "z", ("c-c_router.me", "a"), "x")),
            "cluster c: its router c-c_router.me has no links; choose one of its hosts as gateway",
        ),
        (zone("<host_link id='q' up='x' down='x'/>", TWO, routing="Cluster"), "zone z: unknown host q in a <host_link>"),
        (CLUSTER.format(more="bb_bw='1GBps' bb_sharing_policy='SPLITDUPLEX'"), "but it has no two ends; give SHARED or FATPIPE"),
    ],
)  # fmt: skip
def test_no_part_of_a_platform_is_ignored_silently(tmp_path, parts, words):
    with pytest.raises(SpecError) as refused:
        network_of(tmp_path, parts)
    assert words in str(refused.value)


ROUTES = """
import json, sys, simgrid
engine = simgrid.Engine(["routes", "--log=root.thres:critical"])
engine.load_platform(sys.argv[1])
engine.netzone_root.seal()
pairs = [(a, b) for a in engine.all_hosts for b in engine.all_hosts if a.name != b.name]
print(json.dumps([[a.name, b.name, [link.bandwidth for link in a.route_to(b)[0]]] for a, b in pairs]))
"""
BACKBONE = CLUSTER.format(more="bb_bw='2GBps' bb_lat='1us'")
SECOND = BACKBONE.replace("'c", "'d").replace("125MBps", "126MBps").replace("2GBps", "3GBps")
THIRD = BACKBONE.replace("'c", "'e").replace("125MBps", "127MBps").replace("2GBps", "4GBps")
ROUTER = {letter: f"{letter}-{letter}_router.me" for letter in "cde"}
PLATFORMS = {
    "a bus": zone(hosts("a", "b", "c"), links("SHARED", bus=2, own=3), route("a", "b", "bus"), route("a", "c", "bus", "own"), route("b", "c", "bus", "own")),
    "one cluster": zone(BACKBONE),
    "three clusters": zone(
        BACKBONE, SECOND, THIRD, links("SHARED", bb=1),
        *(between(u, v, (ROUTER[u], ROUTER[v]), "bb") for u, v in ("cd", "ce", "de")),
    ),
    "a path of zones": zone(
        BACKBONE, SECOND, THIRD, links("SHARED", x=1, y=5, z=6), between("c", "d", (ROUTER["c"], ROUTER["d"]), "x", "y"),
        between("d", "e", (ROUTER["d"], ROUTER["e"]), "z"), routing="Floyd",
    ),
}  # fmt: skip


@pytest.mark.skipif(not pythons(), reason="needs SimGrid (Debian package python3-simgrid)")
@pytest.mark.parametrize("name", PLATFORMS)
def test_simgrid_takes_the_same_links(tmp_path, name):
    network = network_of(tmp_path, PLATFORMS[name])
    done = subprocess.run([pythons()[0], "-c", ROUTES, tmp_path / "p.xml"], capture_output=True, check=True, text=True)
    routes = json.loads(done.stdout.splitlines()[-1])
    assert len(routes) == network.nodes * (network.nodes - 1)
    widths = widths_on_paths(network)
    for src, dst, rates in routes:
        assert widths[src, dst] == {round(rate / 1e9, 9) for rate in rates}, (src, dst)


def test_large_platforms_are_read(tmp_path):
    # Every pair of 150 hosts has a route of four links.
    names = [f"h{k}" for k in range(150)]
    routes = (route(u, v, f"l{u}", f"m{u}", f"m{v}", f"l{v}") for u, v in permutations(names, 2) if u < v)
    width = {f"{kind}{name}": 1 for name in names for kind in "lm"}
    network = network_of(tmp_path, zone(hosts(*names), links(**width), *routes))
    assert (network.nodes, network.vertices, network.links) == (150, 301, 600)
    assert isinstance(network.spec, Edges)
