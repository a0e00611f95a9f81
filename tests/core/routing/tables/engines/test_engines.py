"""Routing engines: all hosts are reached, without failed links, by legal or minimal paths, and loads are balanced."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Edges, Torus, Xgft
from core.routing import DModK
from core.routing.tables.engines import ENGINES, compute_tables
from core.routing.tables.engines.legal import legal_tables
from core.routing.tables.engines.ranks import ranks_by
from core.routing.tables.engines.subnet import subnet_of
from core.routing.tables.fabric import fabric_of
from core.routing.tables.forwarding import NO_PORT
from core.routing.tables.scheme import TableRouter
from core.spec import Cancelled, SpecError, no_progress
from tests.core.routing.tables.fabrics import LMC, built, discovered, fabrics
from tests.core.routing.tables.test_scheme import DEGRADED, everyone

ON_ANY = ("up-down", "sssp", "minhop")
ENGINE_NAMES = tuple(engine.name for engine in ENGINES)
SMALL_TREES = st.tuples(*(st.tuples(*(st.integers(1, most),) * 2) for most in (3, 3, 2))).map(
    lambda levels: Xgft(
        down=(2, *(m + 1 for m, _ in levels[:1]), levels[1][0]),
        up=(1, levels[0][1], levels[1][1]),
        parallel=(1, *levels[2]),
    )
)


class Subgraph:
    """A fabric with its tables as dictionaries and graphs; switches have the numbers of the network's vertices."""

    def __init__(self, network, tables, failed=None):
        ports, works = network.src_ports, np.ones(network.links, np.bool_) if failed is None else ~failed
        self.vertex = {int(g): int(v) for g, v in zip(ports.guid, network.src, strict=True) if v >= network.nodes}
        self.next = {}
        for guid, row in zip(tables.guids.tolist(), tables.ports, strict=True):
            for lid in np.flatnonzero(row != NO_PORT).tolist():
                self.next[self.vertex[guid], lid] = int(row[lid])
        ends = zip(network.src.tolist(), network.dst.tolist(), ports.number.tolist(), strict=True)
        self.at_port = {(u, port): (v, link) for link, (u, v, port) in enumerate(ends) if works[link]}
        self.graph = nx.DiGraph()
        self.graph.add_nodes_from(self.vertex.values())
        self.graph.add_edges_from((u, v) for (u, _), (v, _) in self.at_port.items() if min(u, v) >= network.nodes)
        self.lids = {}
        for (u, _), (v, link) in self.at_port.items():
            if u >= network.nodes > v:
                base, lmc = int(network.dst_ports.lid[link]), int(network.dst_ports.lmc[link])
                self.lids |= {base + k: (u, v) for k in range(1 << lmc)}

    def path(self, switch, lid):
        """The switches from one to the host with an LID, and the host; None if a switch has no entry."""
        path = [switch]
        while path[-1] in self.graph:
            if (path[-1], lid) not in self.next:
                return None
            path.append(self.at_port[path[-1], self.next[path[-1], lid]][0])
            assert len(set(path)) == len(path), "a loop"
        return path

    def waits(self):
        """The arcs from each link to the next on the paths of hosts."""
        starts = {switch for switch, _ in self.lids.values()}
        for lid in self.lids:
            for switch in starts:
                path = self.path(switch, lid) or []
                yield from pairwise(pairwise(path))


def failing(draw, network):
    """Some failed links, with their reverses."""
    failed = np.zeros(network.links, np.bool_)
    failed[draw(st.lists(st.integers(0, network.links - 1), max_size=3))] = True
    return failed | failed[np.arange(network.links) ^ 1]


@given(st.data(), fabrics(), st.sampled_from(ON_ANY))
def test_all_hosts_with_a_path_are_reached(empty_folder, data, fabric, engine):
    network = built(empty_folder(), fabric, LMC)
    failed = failing(data.draw, network)
    view = Subgraph(network, compute_tables(network, engine, failed), failed)
    leaves = {switch for switch, _ in view.lids.values()}
    lengths = dict(nx.all_pairs_shortest_path_length(view.graph))
    for lid, (leaf, host) in view.lids.items():
        for switch in view.graph:
            path = view.path(switch, lid)
            if leaf not in lengths[switch]:
                assert path is None
            elif path is not None or switch in leaves or engine != "up-down":
                assert path[-2:] == [leaf, host]
                hops = lengths[switch][leaf]
                assert len(path) - 2 == hops if engine != "up-down" else len(path) - 2 >= hops
    own = {(view.vertex[guid], lid) for guid, lid in switch_lids(network).items()}
    assert all(view.next[entry] == 0 for entry in own)


def switch_lids(network):
    ports = network.src_ports
    return {int(g): int(lid) for g, lid, nic in zip(ports.guid, ports.lid, ports.nic, strict=True) if nic < 0}


@given(st.data(), fabrics())
def test_up_down_is_free_of_deadlock(empty_folder, data, fabric):
    network = built(empty_folder(), fabric)
    failed = failing(data.draw, network)
    view = Subgraph(network, compute_tables(network, "up-down", failed), failed)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(list(view.waits())))


@given(st.data(), fabrics())
def test_paths_never_lead_up_after_down_and_are_short(empty_folder, data, fabric):
    network = built(empty_folder(), fabric)
    subnet = subnet_of(network)
    key = np.array(data.draw(st.permutations(range(subnet.guids.size))), np.int32)
    ranks = ranks_by(key, subnet.cables)
    view = Subgraph(network, subnet.tables(legal_tables(subnet, ranks, None, no_progress)))
    rank = {view.vertex[guid]: int(key[k]) for k, guid in enumerate(subnet.guids.tolist())}
    down = nx.DiGraph((u, v) for u, v in view.graph.edges if rank[u] < rank[v])
    down.add_nodes_from(view.graph)
    up = down.reverse()
    for lid, (leaf, _) in view.lids.items():
        below = dict(nx.single_target_shortest_path_length(down, leaf))
        paths = {switch: view.path(switch, lid) for switch in view.graph}
        entered = {v for path in paths.values() if path for u, v in pairwise(path[:-1]) if rank[u] < rank[v]}
        for switch, path in paths.items():
            above = nx.single_source_shortest_path_length(up, switch)
            lengths = [hops + below[top] for top, hops in above.items() if top in below]
            assert (path is None) == (not lengths)
            if path is not None:
                ups = [rank[u] > rank[v] for u, v in pairwise(path[:-1])]
                assert ups == sorted(ups, reverse=True)
                assert len(path) - 2 >= min(lengths)
                if switch in entered:
                    assert len(path) - 2 == below[switch]


def routed(network, engine, failed=None):
    """The router of an engine's tables."""
    fabric, notes = fabric_of(network, compute_tables(network, engine, failed), all_lids=False)
    assert notes == ()
    return TableRouter(network, fabric, failed)


def most_between_switches(network, engine):
    router = routed(network, engine)
    assert router.complete
    loads = router.loads([everyone(network.nodes)])
    return loads[(network.src >= network.nodes) & (network.dst >= network.nodes)].max()


TREE = Xgft(down=(8, 8, 4), up=(1, 8, 4), parallel=(1, 1, 1))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # OpenSM's engines ftree, DFSSSP and minhop: 384, 528 and 1,536.
        (TREE, {"up-down": 384, "d-mod-k": 384, "sssp": 384, "minhop": 1536}),
        (Xgft(down=(4, 4), up=(1, 4), parallel=(1, 1)), dict.fromkeys(ENGINE_NAMES, 12)),
        # DFSSSP and minhop: 57 and 66; LASH 48.
        (Torus(dims=(4, 4, 4)), {"up-down": 128, "sssp": 56, "minhop": 71}),
        # 42 and 46.
        (Torus(dims=(6, 6)), {"up-down": 85, "sssp": 42, "minhop": 50}),
    ],
)  # fmt: skip
def test_flows_on_the_hottest_link_of_all_to_all(tmp_path, spec, expected):
    network = built(tmp_path, discovered(spec))
    assert {engine: most_between_switches(network, engine) for engine in expected} == expected


def test_engines_route_around_missing_cables(tmp_path):
    network = Edges(file="ibnetdiscover.txt").build(DEGRADED)
    # OpenSM: Up*/Down* 112, ftree 144, DFSSSP 96, minhop 144.
    assert {engine: most_between_switches(network, engine) for engine in ENGINE_NAMES} == {
        "up-down": 96,
        "d-mod-k": 104,
        "sssp": 96,
        "minhop": 96,
    }


@given(SMALL_TREES)
def test_d_mod_k_loads_a_perfect_tree_as_the_closed_form_does(empty_folder, spec):
    tree = spec.build()
    network = built(empty_folder(), discovered(spec))
    flows = everyone(tree.nodes)
    given, expected = routed(network, "d-mod-k").loads([flows]), DModK().router(tree).loads([flows])
    np.testing.assert_array_equal(np.sort(given), np.sort(expected))


@given(SMALL_TREES, st.sampled_from(ENGINE_NAMES))
def test_paths_on_trees_are_minimal(empty_folder, spec, engine):
    tree = spec.build()
    network = built(empty_folder(), discovered(spec))
    flows = everyone(tree.nodes)
    hops = routed(network, engine).hops(flows.src, flows.dst)
    np.testing.assert_array_equal(np.sort(hops), np.sort(DModK().router(tree).hops(flows.src, flows.dst)))


@given(SMALL_TREES, st.sampled_from(ENGINE_NAMES), st.randoms(use_true_random=False))
def test_engines_route_around_a_failed_switch(empty_folder, spec, engine, random):
    network = built(empty_folder(), discovered(spec))
    lost = random.randrange(network.nodes, network.vertices)
    failed = (network.src == lost) | (network.dst == lost)
    tables = compute_tables(network, engine, failed)
    flows = everyone(network.nodes)
    router = TableRouter(network, fabric_of(network, tables, all_lids=False)[0], failed)
    reached = router.reaches(flows.src, flows.dst)
    left = nx.Graph(np.stack([network.src, network.dst], axis=1)[~failed].tolist())
    left.add_nodes_from(range(network.vertices))
    part = {vertex: number for number, vertices in enumerate(nx.connected_components(left)) for vertex in vertices}
    joined = [part[src] == part[dst] for src, dst in zip(flows.src.tolist(), flows.dst.tolist(), strict=True)]
    # The paths of D-mod-k lead up and then down, which may not be enough.
    assert (reached <= joined).all() if engine == "d-mod-k" else reached.tolist() == joined


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_tables_are_reproducible_and_can_be_cancelled(tmp_path, engine):
    network = built(tmp_path, discovered(TREE))
    first, again = (compute_tables(network, engine) for _ in range(2))
    np.testing.assert_array_equal(first.ports, again.ports)

    def stop(fraction):
        assert 0 <= fraction <= 1
        raise Cancelled

    with pytest.raises(Cancelled):
        compute_tables(network, engine, progress=stop)


def test_a_host_at_a_top_switch_leaves_the_levels_as_they_are(tmp_path):
    devices, cables = discovered(Xgft(down=(4, 4), up=(1, 4), parallel=(1, 1)))
    extra = devices[0]._replace(guid=0x8000, description="manager")
    top = next(device for device in reversed(devices) if device.switch)
    network = built(tmp_path, ([*devices, extra], [*cables, cables[0]._replace(a=top, a_port=200, b=extra, b_port=1)]))
    assert all(routed(network, engine).complete for engine in ENGINE_NAMES)


def test_networks_that_engines_do_not_support_are_refused(tmp_path):
    torus = built(tmp_path, discovered(Torus(dims=(4, 4))))
    with pytest.raises(SpecError, match=r"d-mod-k needs a tree, .* choose up-down, sssp or minhop"):
        compute_tables(torus, "d-mod-k")
    with pytest.raises(SpecError, match="unknown engine 'updown'; did you mean up-down"):
        compute_tables(torus, "updown")
    with pytest.raises(SpecError, match="need an InfiniBand fabric with LIDs, such as the output of ibnetdiscover"):
        compute_tables(TREE.build(), "sssp")
