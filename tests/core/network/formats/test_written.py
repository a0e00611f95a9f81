"""Networks written for other tools and read again: equal vertices, links and bandwidths, as far as a format allows."""

import json
import shutil
import subprocess
from collections import Counter
from functools import cache
from itertools import permutations, product

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats import written_of
from core.network import Circulant, Clex, Complete, Dragonfly, Edges, FatTree, Hypercube, Mesh, Percs, Torus
from core.spec import SpecError
from tests.benchmarks.scotch import program
from tests.core.network.formats.files import written
from tests.oracle.simgrid import pythons, routes_in

FAMILIES = (
    Torus((3, 2)),
    Torus((2, 2, 3), wrap=(True, False, True)),
    Mesh((2, 1, 3), gbs=1.5),
    Hypercube(3),
    Complete(5),
    Circulant(7, (1, 2)),
    FatTree(2, 2, host_gbs=3.0),
    Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2),
    Percs(2, 4, drawers=2, nodes_per_drawer=2),
)
NO_ROLES, NO_WIDTHS, ONE_A_PAIR, ROUTERS = "roles", "widths", "pairs", "routers"
LACKS = {
    "scotch-target": {NO_ROLES, NO_WIDTHS, ONE_A_PAIR},
    "metis-graph": {NO_ROLES, NO_WIDTHS, ONE_A_PAIR},
    "simgrid-xml": {ONE_A_PAIR},
    "booksim-anynet": {NO_WIDTHS, ONE_A_PAIR, ROUTERS},
    "sst-json": {NO_WIDTHS, ROUTERS},
    "graphml": set(),
    "dot": set(),
    "edge-list": {NO_ROLES},
}
"""Information that a format loses; ROUTERS: each node is linked to one router."""
ASSUMED = 7.25
"""GB/s of links without a bandwidth in the file."""

WRITTEN = {kind: form for kind, form in written_of("network").items() if not kind.startswith("slurm-")}
"""Formats of any network; Slurm's are in `test_slurm_tree`."""


def links(network):
    """Directed links as triples of two vertices and GB/s, each with its multiplicity."""
    return Counter(zip(network.src.tolist(), network.dst.tolist(), network.gbs.tolist(), strict=True))


def direct(network, lacks):
    """Whether some node has links other than one to a switch, or several that are merged into one."""
    ends = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    ends = set(ends) if ONE_A_PAIR in lacks else ends
    to = [[v for u, v in ends if u == node] for node in range(network.nodes)]
    return any(len(some) != 1 or some[0] < network.nodes for some in to)


def kept(network, lacks):
    """The links that a format keeps, and the number of vertices that are nodes."""
    counts, nodes = links(network), network.nodes
    if ROUTERS in lacks and direct(network, lacks):
        counts = Counter({(nodes + u, nodes + v, gbs): count for (u, v, gbs), count in counts.items()})
        counts.update((u, v, 0.0) for k in range(nodes) for u, v in ((k, nodes + k), (nodes + k, k)))
    if ONE_A_PAIR in lacks:
        width = Counter()
        for (u, v, gbs), count in counts.items():
            width[u, v] += gbs * count
        counts = Counter((u, v, gbs) for (u, v), gbs in width.items())
    if NO_WIDTHS in lacks:
        plain = Counter()
        for (u, v, _), count in counts.items():
            plain[u, v, ASSUMED] += count
        counts = plain
    return counts, network.vertices if NO_ROLES in lacks else nodes


def read_back(folder, network, kind):
    writer = WRITTEN[kind]
    return written(folder, f"network{writer.ending}", writer.write(network).content, gbs=ASSUMED)


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: f"{spec.tag()}-{spec.summary()}")
def test_written_networks_are_read_back_unchanged(tmp_path, spec, kind):
    network = spec.build()
    if kind == "scotch-target" and not isinstance(spec, Torus | Mesh | Hypercube | Complete):
        with pytest.raises(SpecError, match="network: has no Scotch target"):
            WRITTEN[kind].write(network)
        return
    again = read_back(tmp_path, network, kind)
    assert (links(again), again.nodes) == kept(network, LACKS[kind])
    if kind in ("simgrid-xml", "sst-json", "graphml", "dot"):
        assert again.host_names == network.host_names


@cache
def edges_between(names):
    """Pairs of vertices and bandwidths: a strategy."""
    choices = product(permutations(names, 2), ("0.425", "0.000001", "12.5", "50000"))
    return st.lists(st.sampled_from([*choices]), min_size=1, max_size=6)


@st.composite
def graphs(draw):
    """Any network of nodes and switches, with parallel links, in NetJSON, which is fast to read."""
    nodes, switches = draw(st.integers(2, 5)), draw(st.integers(0, 3))
    names = [*(f"n{k}" for k in range(nodes)), *(f"s{k}" for k in range(switches))]
    edges = draw(edges_between(tuple(names)))
    roles = [{"id": name, "properties": {"type": "host" if name[0] == "n" else "switch"}} for name in names]
    joined = [{"source": u, "target": v, "properties": {"bw": gbs}} for (u, v), gbs in edges]
    return json.dumps({"type": "NetworkGraph", "nodes": roles, "links": joined})


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if kind != "scotch-target"])
@settings(max_examples=20)
@given(graphs())
def test_any_network_is_read_back(empty_folder, kind, text):
    folder = empty_folder()
    network = written(folder, "first.json", text)
    again = read_back(folder, network, kind)
    counts, nodes = kept(network, LACKS[kind])
    assert again.nodes == nodes
    assert {key[:2]: count for key, count in links(again).items()} == {key[:2]: count for key, count in counts.items()}
    assert sorted(again.gbs) == pytest.approx(sorted(Counter(key[2] for key in counts.elements()).elements()))


@pytest.mark.parametrize("kind", WRITTEN)
def test_losses_are_reported(kind):
    fat_tree, twice = FatTree(2, 2).build(), Torus((2, 2)).build()
    losses = " ".join(WRITTEN[kind].write(twice).losses)
    assert ("second links" in losses or "4 parallel links" in losses) == (ONE_A_PAIR in LACKS[kind])
    assert ("bandwidths" in losses) == (NO_WIDTHS in LACKS[kind])
    assert ("its own router" in losses) == (ROUTERS in LACKS[kind])
    if kind != "scotch-target":
        losses = " ".join(WRITTEN[kind].write(fat_tree).losses)
        assert ("which vertices are switches" in losses) == (NO_ROLES in LACKS[kind])
        assert "router" not in losses


@pytest.mark.parametrize("kind", ["simgrid-xml", "sst-json", "graphml", "dot", "edge-list"])
def test_names_from_a_file_are_kept(tmp_path, kind):
    text = 'graph { h2 [type=host]; "h3\\"1" [type=host]; s [type=switch]; s--"h3\\"1"; s--h2 }'
    again = read_back(tmp_path, written(tmp_path, "first.dot", text), kind)
    assert [again.label(vertex) for vertex in range(3)] == ["h2", 'h3"1', "s"]


def test_nodes_of_sst_sort_as_they_are_numbered(tmp_path):
    first = written(tmp_path, "first.edges", "n2 n10 5\n")
    assert WRITTEN["sst-json"].write(first).losses[0] == "names"
    assert read_back(tmp_path, first, "sst-json").host_names == ("node0", "node1")


@pytest.mark.parametrize("spec", [FatTree(2, 2), Torus((3, 3)), Dragonfly(groups=3, routers=2, global_links=1)])
def test_hops_in_sst_files_match_the_network(tmp_path, spec):
    import json

    content = WRITTEN["sst-json"].write(spec.build()).content
    graph = nx.Graph()
    given = json.loads(content)
    for name, ports in {**given["nodes"], **given["switches"]}.items():
        graph.add_edges_from((name, port["destination"]) for port in ports["outports"].values())
    steps = [nx.shortest_path_length(graph, a, b) for a in given["nodes"] for b in given["nodes"] if a != b]
    assert given["avg_num_hops"] == round(sum(steps) / len(steps))


def test_anynet_has_only_spaces_and_line_feeds_as_booksim_expects():
    content = WRITTEN["booksim-anynet"].write(FatTree(2, 2).build()).content
    assert content.splitlines()[0] == "router 0 node 0 node 1 router 2 router 3"
    assert set(content) <= set("router node0123456789 \n")


def test_one_way_links_are_for_graphml_only(tmp_path):
    network = Clex(2, 3).build()
    loops = {key for key in links(network) if key[0] == key[1]}
    assert loops
    expected = Counter({key: count for key, count in links(network).items() if key not in loops})
    assert links(read_back(tmp_path, network, "graphml")) == expected
    assert WRITTEN["graphml"].write(network).losses == (
        f"{sum(links(network)[key] for key in loops)} links from a node to itself",
    )
    with pytest.raises(SpecError, match="network: has one-way links; choose graphml"):
        WRITTEN["dot"].write(network)


def test_aggregated_networks_are_not_exported():
    with pytest.raises(SpecError, match="links and is aggregated; choose a smaller network"):
        WRITTEN["dot"].write(Clex(32, 4).build())


def test_a_vertex_without_links_is_written(tmp_path):
    network = written(tmp_path, "g.txt", "7\n0 1 2\n1\n")
    assert WRITTEN["edge-list"].write(network).content == "7\n0 1 2\n"
    assert isinstance(network.spec, Edges)


def test_scotch_has_no_torus_with_an_open_side():
    with pytest.raises(SpecError, match="network: has no Scotch target"):
        WRITTEN["scotch-target"].write(Torus((3, 3), wrap=(True, False)).build())


@pytest.mark.skipif(program() is None, reason="Scotch is not installed")
@pytest.mark.parametrize("spec", [Torus((3, 4, 2)), Mesh((3, 5)), Hypercube(4), Complete(6)], ids=lambda s: s.tag())
def test_scotch_maps_on_its_targets(tmp_path, spec):
    network = spec.build()
    (tmp_path / "t.tgt").write_text(WRITTEN["scotch-target"].write(network).content)
    tasks = network.nodes
    graph = ["0", f"{tasks} {2 * (tasks - 1)}", "0 000"]
    for task in range(tasks):
        ends = [end for end in (task - 1, task + 1) if 0 <= end < tasks]
        graph.append(f"{len(ends)} {' '.join(map(str, ends))}")
    (tmp_path / "g.grf").write_text("\n".join(graph) + "\n")
    done = subprocess.run([program(), "g.grf", "t.tgt", "out.map"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    places = sorted(int(line.split()[1]) for line in (tmp_path / "out.map").read_text().splitlines()[1:])
    assert places == list(range(tasks))


@pytest.mark.skipif(shutil.which("graphchk") is None, reason="METIS is not installed")
@pytest.mark.parametrize("spec", [Torus((2, 4)), FatTree(2, 2)], ids=lambda spec: spec.tag())
def test_metis_checks_its_graphs(tmp_path, spec):
    (tmp_path / "n.graph").write_text(WRITTEN["metis-graph"].write(spec.build()).content)
    done = subprocess.run(["graphchk", "n.graph"], cwd=tmp_path, capture_output=True, check=False, text=True)
    assert "The format of the graph is correct!" in done.stdout


@pytest.mark.skipif(not pythons(), reason="SimGrid is not installed")
@pytest.mark.parametrize("spec", [FatTree(2, 2), Torus((2, 4))], ids=lambda spec: spec.tag())
def test_simgrid_has_the_distances_of_its_platform(tmp_path, spec):
    network = spec.build()
    (tmp_path / "p.xml").write_text(WRITTEN["simgrid-xml"].write(network).content)
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    steps = dict(nx.all_pairs_shortest_path_length(graph))
    for u, some in enumerate(routes_in(tmp_path / "p.xml")):
        assert [len(route) for v, route in enumerate(some) if v != u] == [
            steps[u][v] for v in range(network.nodes) if v != u
        ]
