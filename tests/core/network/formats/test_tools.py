"""Networks from the files of schedulers, fabrics and simulators: one small network in each format."""

# Files are written as they are, however long their lines.
# ruff: noqa: E501

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats import read_of
from core.network import Edges
from core.network.formats import read_graph
from core.spec import SpecError
from tests.core.malformed import facts
from tests.core.network.formats.files import both, names, pairs, written

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "data" / "formats"
LINKS = [("s1", "h1"), ("s1", "h2"), ("s2", "h3"), ("s1", "s2")]
"""Two switches and three hosts."""

IB = """# generated
vendid=0x2c9
Switch\t36 "S-1"\t\t# "s1" base port 0 lid 1
[1]\t"H-1"[1](2)\t\t# "h1 HCA-1" lid 7 4xEDR
[2]\t"H-2"[1](3)\t\t# "h2 HCA-1" lid 8 4xEDR
[3]\t"S-2"[1]\t\t# "s2" lid 2 4xHDR

Switch\t36 "S-2"\t\t# "s2" base port 0 lid 2
[1]\t"S-1"[3]\t\t# "s1" lid 1 4xHDR
[2]\t"H-3"[1](4)\t\t# "h3 HCA-1" lid 9 4xEDR

Ca\t1 "H-1"\t\t# "h1 HCA-1"
[1](2)\t"S-1"[1]\t\t# lid 7 lmc 0 "s1" lid 1 4xEDR

Ca\t1 "H-2"\t\t# "h2 HCA-1"
[1](3)\t"S-1"[2]\t\t# lid 8 lmc 0 "s1" lid 1 4xEDR

Ca\t1 "H-3"\t\t# "h3 HCA-1"
[1](4)\t"S-2"[2]\t\t# lid 9 lmc 0 "s2" lid 2 4xEDR
"""
YAML = """---
- topology: other
  flat: true
- topology: t
  cluster_default: true
  tree:
    switches:
      - {switch: r, children: "s[1-2]"}
      - {switch: s1, nodes: "h[1-2]"}
      - {switch: s2, nodes: h3}
"""
ROLES = {"s1": "switch", "s2": "switch", "h1": "host", "h2": "host", "h3": "host"}
DOT = "graph n { s1 [type=switch] s2 [type=switch]; h1 [type=host]; s1 -- {h1 h2} // leaves\n s2 -> h3; s1 -- s2 [bw=25] }"
NETJSON = json.dumps(
    {
        "type": "NetworkGraph",
        "nodes": [{"id": name, "properties": {"type": role}} for name, role in ROLES.items()],
        "links": [{"source": u, "target": v, "cost": 1} for u, v in LINKS],
    }
)
SIMGRID = """<?xml version='1.0'?><platform version="4.1"><zone id="z" routing="Floyd">
<host id="h1" speed="1Gf"/><host id="h2" speed="1Gf"/><host id="h3" speed="1Gf"/><router id="s1"/><router id="s2"/>
<link id="a1" bandwidth="12.5GBps" latency="1us"/><link id="a2" bandwidth="12.5GBps" latency="1us"/>
<link id="a3" bandwidth="12.5GBps" latency="1us"/>
<link id="b" bandwidth="25GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
<route src="s1" dst="h1"><link_ctn id="a1"/></route><route src="s1" dst="h2"><link_ctn id="a2"/></route>
<route src="s2" dst="h3"><link_ctn id="a3"/></route>
<route src="s1" dst="s2" symmetrical="NO"><link_ctn id="b" direction="UP"/></route>
<route src="s2" dst="s1" symmetrical="NO"><link_ctn id="b" direction="DOWN"/></route></zone></platform>"""


def sst(links, nodes):
    ports, taken = {}, Counter()
    for u, v in links:
        a, b = taken[u], taken[v]
        ports.setdefault(u, {})[str(a)] = {"destination": v, "inport": b}
        ports.setdefault(v, {})[str(b)] = {"destination": u, "inport": a}
        taken.update((u, v))
    sections = {"nodes": nodes, "switches": [name for name in ports if name not in nodes]}
    return json.dumps({"avg_num_hops": 3} | {k: {n: {"outports": ports[n]} for n in v} for k, v in sections.items()})


def gexf(links):
    graph = nx.MultiGraph(links)
    nx.set_node_attributes(graph, ROLES, "type")
    return "\n".join(nx.generate_gexf(graph))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ib.txt", IB),
        ("net.dot", DOT),
        ("net.txt", DOT),
        ("net.gexf", gexf(LINKS)),
        ("net.json", NETJSON),
        ("sst.json", sst(LINKS, ["h1", "h2", "h3"])),
        ("p.xml", SIMGRID),
    ],
)
def test_every_tool_writes_the_same_network(tmp_path, name, text):
    network = written(tmp_path, name, text)
    assert names(network)[:3] == ["h1", "h2", "h3"]
    assert (network.nodes, network.vertices) == (3, 5)
    assert pairs(network) == both(*LINKS)


def test_bandwidths_match_the_file(tmp_path):
    for name, text, uplink in (("ib.txt", IB, 25.0), ("net.dot", DOT, 25.0), ("p.xml", SIMGRID, 25.0)):
        network = written(tmp_path, name, text, gbs=3.0)
        ends = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
        assert {network.gbs[k] for k, (u, v) in enumerate(ends) if min(u, v) >= 3} == {uplink}
    assert set(written(tmp_path, "net.gexf", gexf(LINKS), gbs=3.0).gbs.tolist()) == {3.0}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "topology.conf",
            "switchname=s1 Nodes=h[1-2] # leaf\nSwitchName=s2 nodes=h3 LinkSpeed=1\nSwitchName=r \\\n Switches=s[1-2]",
        ),
        ("t.yaml", YAML),
    ],
)
def test_switches_of_slurm_are_a_tree(tmp_path, name, text):
    network = written(tmp_path, name, text)
    assert pairs(network) == both(("s1", "h1"), ("s1", "h2"), ("s2", "h3"), ("r", "s1"), ("r", "s2"))
    assert names(network)[:3] == ["h1", "h2", "h3"]


def test_rings_and_tori_of_slurm(tmp_path):
    ring = written(tmp_path, "topology.conf", "RingName=r Nodes=n[0-3]")
    assert pairs(ring) == both(*((f"n{k}", f"n{(k + 1) % 4}") for k in range(4)))
    printed = written(tmp_path, "topology.conf", "RingName=r Nodes=n[0-3] RingSize=4")  # by scontrol
    assert pairs(printed) == pairs(ring)
    text = "- topology: t\n  torus3d:\n    toruses:\n    - {name: p, dims: {x: 3, y: 2, z: 1}, nodes: 'n[0-5]'}\n"
    torus = written(tmp_path, "t.yaml", text)
    grid = nx.Graph()
    grid.add_edges_from((f"n{y * 3 + x}", f"n{y * 3 + (x + 1) % 3}") for y in range(2) for x in range(3))
    grid.add_edges_from((f"n{x}", f"n{3 + x}") for x in range(3))
    assert pairs(torus) == both(*grid.edges)


def test_slurm_warnings_are_given(tmp_path):
    network = written(tmp_path, "t.conf", "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3] Switches=a")
    assert "switch b has Nodes and Switches; only Nodes are used, as in Slurm" in network.warnings
    assert "n2: under several switches" in network.warnings


def test_the_tree_that_scontrol_prints_is_read(tmp_path):
    leaves = "SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1-2] \nSwitchName=b Level=0 LinkSpeed=1 Nodes=n[3-4] \n"
    top = "SwitchName=c Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=a,b "
    network = written(tmp_path, "topology.txt", leaves + top)
    assert pairs(network) == both(("a", "n1"), ("a", "n2"), ("b", "n3"), ("b", "n4"), ("c", "a"), ("c", "b"))
    assert network.warnings == ()


def test_parallel_cables_are_links_and_names_are_unique(tmp_path):
    twice = IB.replace('"h2 HCA-1"', '"h1 HCA-1"').replace('Ca\t1 "H-2"', '[4]\t"S-1"[9]\n\nCa\t1 "H-2"')
    twice = twice.replace('[3]\t"S-2"[1]', '[9]\t"S-2"[4]\n[3]\t"S-2"[1]').replace('[4]\t"S-1"[9]\n\nCa', "\nCa")
    twice = twice.replace('[2]\t"H-3"[1](4)', '[4]\t"S-1"[9]\n[2]\t"H-3"[1](4)')
    graph = read_graph(written(tmp_path, "ib.txt", twice).spec.file, tmp_path)
    assert sorted(graph.names) == ["H-1", "H-2", "h3", "s1", "s2"]
    assert (
        Counter(frozenset((graph.names[u], graph.names[v])) for u, v in zip(graph.src, graph.dst, strict=True))[
            frozenset(("s1", "s2"))
        ]
        == 2
    )


def test_anynet_has_one_link_per_pair_and_no_latencies(tmp_path):
    network = written(tmp_path, "net", "router 0 node 0 node 1 router 1 5\nrouter 1 node 2 router 0\n")
    expected = [("router 0", "node 0"), ("router 0", "node 1"), ("router 1", "node 2"), ("router 0", "router 1")]
    assert pairs(network) == both(*expected)


@pytest.mark.parametrize("kind", ["torus", "mesh"])
@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda sizes: sizes != [1] * len(sizes)))
def test_lattices_of_scotch_match_networkx(empty_folder, kind, sizes):
    folder = empty_folder()
    network = written(folder, "a.tgt", f"{kind}XD {len(sizes)} {' '.join(map(str, sizes))}")
    grid = nx.grid_graph(sizes, periodic=kind == "torus")

    def number(place):  # networkx has the first dimension last
        place = place if isinstance(place, tuple) else (place,)
        return str(sum(x * step for x, step in zip(reversed(place), steps, strict=True)))

    steps = [1]
    for size in sizes[:-1]:
        steps.append(steps[-1] * size)
    assert pairs(network) == both(*((number(u), number(v)) for u, v in grid.edges if u != v))


def test_other_architectures_of_scotch(tmp_path):
    cube = written(tmp_path, "c.tgt", "HCUB 3")
    assert (cube.nodes, cube.links) == (8, 24)
    assert written(tmp_path, "k.tgt", "cmplt 5").links == 20
    assert written(tmp_path, "t.tgt", "torus2D 4 3").links == 48


def test_graphs_of_metis_have_vertices_from_1(tmp_path):
    network = written(tmp_path, "g.graph", "% a path\n4 3 001\n2 5\n1 5 3 7\n2 7 4 1\n3 1\n")
    assert pairs(network) == both(("1", "2"), ("2", "3"), ("3", "4"))


TORUS = "- topology: t\n  torus3d:\n    toruses: [{}]\n"
REGIONS = (
    "{name: p, dims: {x: 4, y: 2, z: 1}, regions: ["
    "{anchor: {x: 0, y: 0, z: 0}, dims: {x: 2, y: 2, z: 1}, nodes: 'a[1-4]'}, "
    "{anchor: {x: 2, y: 0, z: 0}, dims: {x: 2, y: 2, z: 1}, nodes: 'b[1-4]'}]}"
)


def test_regions_of_a_torus_have_their_places(tmp_path):
    rows = [["a1", "a2", "b1", "b2"], ["a3", "a4", "b3", "b4"]]
    torus = written(tmp_path, "t.yaml", TORUS.format(REGIONS))
    rings = [(row[x], row[(x + 1) % 4]) for row in rows for x in range(4)]
    assert pairs(torus) == both(*rings, *zip(*rows, strict=True))


REFUSED = [
    ("a.conf", "SwitchName=a Nodes=n[1-2]\nSwitchName=a Nodes=n3", "line 2: switch a is defined on line 1"),
    ("a.conf", "SwitchName=a Nodes=n1\nSwitchName=r Switches=a,b", "line 2: child switch b is not defined"),
    ("a.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a", "switches a and b are each other's descendants; give a tree"),
    ("a.conf", "SwitchName=a Nodes=n[1-4] Colour=red", "line 1: unknown key Colour"),
    ("a.conf", "Nodes=n[1-4]", "line 1: no SwitchName="),
    ("a.conf", "SwitchName=a", "line 1: switch a has neither Nodes nor Switches"),
    ("a.conf", "SwitchName=a Nodes=n[3-1]", "line 1: n[3-1]: 3-1 runs backwards; write 1-3"),
    ("a.conf", "BlockName=b Nodes=n[1-4]", "line 1: blocks define no links between their nodes, so they do not define a network"),
    ("a.conf", "BlockName=b BlockIndex=0 Nodes=n[1-4] BlockSize=4", "line 1: blocks define no links between their nodes, so they do not define a network"),
    ("a.conf", "RingName=r Nodes=n[1-4] RingSize=4\nAggregatedBlock=c Nodes=n5", "line 2: blocks define no links between their nodes, so they do not define a network"),
    ("a.yaml", "- topology: t\n  tree: {switches: []}\n  flat: true\n", "topology t has both tree and flat; give one"),
    ("a.yaml", "- topology: t\n", "topology t has no kind; give one of tree, block, ring, torus3d, flat"),
    ("a.yaml", '!!python/object/apply:os.system ["true"]\n', "line 1: YAML tags are not supported"),
    ("a.yaml", "- &a {topology: t}\n- *a\n", "line 2: YAML aliases are not supported"),
    ("a.yaml", "- topology: t\n  block: {}\n", "topology t: block defines no links, so it does not define a network"),
    ("a.yaml", "- topology: t\n  tree: [1]\n", "topology t: tree is '[1]' instead of keys with values"),
    ("a.yaml", "- topology: t\n  ring: 5\n", "topology t: ring is '5' instead of keys with values"),
    ("a.yaml", "- topology: t\n  tree: {}\n", "topology t: tree lacks 'switches'"),
    ("a.yaml", "- topology: t\n  tree: {switches: 's1=n1'}\n", "topology t: tree: switches is not a list of entries with keys"),
    ("a.yaml", "- topology: t\n  tree: {switches: [{nodes: n1}]}\n", "switch 1 lacks 'switch'"),
    ("a.yaml", "- topology: t\n  tree: {switches: [{switch: s, nodes: [n1]}]}\n", "switch s: nodes is not a text"),
    ("a.yaml", "- topology: t\n  ring: {rings: [{ring: r, nodes: 'n[1-17]'}]}\n", "ring r: a ring of 17 nodes; Slurm allows at most 16"),
    ("a.conf", "RingName=r Nodes=n[1-17]", "line 1: a ring of 17 nodes; Slurm allows at most 16"),
    ("a.yaml", TORUS.format("{name: p, dims: {x: 2, y: 2}, nodes: 'n[1-4]'}"), "torus p: dims lacks 'z'"),
    ("a.yaml", TORUS.format("{name: p, dims: 4x2x2, nodes: 'n[1-16]'}"), "torus p: dims is '4x2x2' instead of keys with values"),
    ("a.yaml", TORUS.format("{name: p, dims: {x: 2, y: two, z: 1}, nodes: 'n[1-4]'}"), "torus p: dims: y is 'two'; give a whole number"),
    ("a.yaml", TORUS.format("{name: p, dims: {x: 4, y: 4, z: 2}, nodes: 'n[1-8]'}"), "torus p: 4 × 4 × 2 = 32 places for 8 nodes"),
    ("a.yaml", TORUS.format(REGIONS.replace("x: 2, y: 0", "x: 3, y: 0")), "torus p: region 2: node b2 is outside the torus"),
    ("a.yaml", TORUS.format(REGIONS.replace("x: 2, y: 0", "x: 1, y: 0")), "torus p: region 2: node b1 is in the place of a2"),
    ("a.yaml", TORUS.format(REGIONS.replace("x: 4, y: 2", "x: 4, y: 3")), "torus p: 4 of 12 places have no node"),
    ("a.yaml", "topology: t\n", "is not a list of topologies; begin each with - topology: NAME"),
    ("ib.txt", 'Switch\t8 "S-1"\t# "a"\n[1]\t"H-1"[1]\n', "line 2: H-1 has no block"),
    ("ib.txt", 'Switch\t8 "S-1"\t# "a"\n[9]\t"H-1"[1]\n', "line 2: port 9 of a switch with 8 ports"),
    ("ib.txt", 'Switch\t8 "S-1"\n[1]\t"H-1"[1]\n\nCa\t1 "H-1"\n[1]\t"S-1"[2]\n', "S-1[1] leads to H-1[1], but H-1[1] leads to S-1[2]"),
    ("net", "router 0 node 0 router 1\nrouter 1 node 2\n", "node 1 is missing; number the nodes 0, 1, ... without gaps"),
    ("net", "router 0 node 0 router 1\nrouter 1 node 0\n", "line 2: node 0 is already at router 0"),
    ("net", "Router 0 node 0", 'line 1: "Router"; write router or node in lower case'),
    ("net", "node 0 node 1", "line 1: links two nodes; link nodes to routers only"),
    ("net", "router 0 node 0 4 router 1", "line 1: '4' after node 0; only routers have a latency"),
    ("net", "router 0 node 0 router 1\n\tx", "line 2: a tab; separate words by spaces and lines by line feeds only, as BookSim does"),
    ("s.json", '{"avg_num_hops":1,"switches":{"s":{"outports":{"0":{"destination":"t","inport":0}}}},"nodes":{}}', "switches.s port 0: unknown switch or node t"),
    ("s.json", '{"switches":{"s":{"routes":{"n":1}}}}', "is a router table of SST/macro, which lists no links; give the topology that it belongs to"),
    ("s.json", '{"switches":{"s":{"outports":{}}},"nodes":{}}', "avg_num_hops is missing"),
    ("s.json", '{"avg_num_hops":1,"switches":{"s":{"outports":{"a":{}}}},"nodes":{}}', 'switches.s: port "a" is not a number'),
    ("j.json", '{"type":"DeviceConfiguration"}', "has type DeviceConfiguration; give NetworkGraph"),
    ("j.json", '{"type":"NetworkGraph","nodes":[{"id":"a"}],"links":[{"source":"a","target":"b"}]}', "links[0]: unknown node b"),
    ("j.json", '{"type":', "invalid JSON: line 1: Expecting value"),
    ("a.tgt", "leaf 2 4 10", "unknown architecture leaf; in Scotch 6 and 7 it is tleaf"),
    ("a.tgt", "torus3D 4 2", "torus3D has 2 sizes; give 3"),
    ("a.tgt", "deco\n0\n2 3", "deco gives distances instead of links, so it does not define a network"),
    ("a.tgt", "torusXD 20 " + "9 " * 20, "torusXD: give 1 to 8 sizes of at least 1"),
    ("a.tgt", "hcub 40", "hcub 40 has more than 500,000 links"),
    ("a.dot", "graph { a -- b\n", "line 2: } is missing"),
    ("a.dot", "graph { }", "has no edges"),
    ("a.gexf", '<gexf><graph><nodes><node id="a"/></nodes><edges><edge id="0" source="a" target="b"/></edges></graph></gexf>', "edge 0: unknown node b"),
    ("a.gexf", "<gexf><graph>", "cannot be read as XML"),
    ("p.xml", SIMGRID.replace('<link_ctn id="a1"/>', '<link_ctn id="a1"/><link_ctn id="b"/>'), "route s1 to h1 has 2 links; give one route per link, so that all vertices have names"),
    ("p.xml", SIMGRID.replace('<link_ctn id="a1"/>', '<link_ctn id="x"/>', 1), "route s1 to h1: unknown link x"),
    ("p.xml", SIMGRID.replace('dst="h1"', 'dst="q"', 1), "route s1 to q: unknown host or router q"),
    ("g.graph", "2 1\n3\n1\n", "line 2: no vertex 3; vertices are 1 to 2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "words"), REFUSED, ids=range(len(REFUSED)))
def test_errors_give_their_place(tmp_path, name, text, words):
    with pytest.raises(SpecError) as refused:
        written(tmp_path, name, text)
    assert refused.value.field == "network.file"
    assert name in refused.value.message
    assert words is None or refused.value.message.endswith(words)


@pytest.mark.parametrize("form", [form for form in read_of("network") if form != "edge-list"])
@given(
    st.binary(max_size=60), st.sampled_from([IB, DOT, YAML, NETJSON, SIMGRID, "router 0 node 0"]), st.integers(0, 300)
)
def test_hostile_files_are_refused_in_one_line(empty_folder, form, noise, text, at):
    folder = empty_folder()
    content = text.encode()
    (folder / "f").write_bytes(content[:at] + noise + content[at:])
    try:
        read_graph("f", folder, form)
    except SpecError as error:
        assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_the_samples_of_all_tools_are_read():
    expected = json.loads((SAMPLES / "expected.json").read_text())["networks"]
    for name, figures in expected.items():
        network, graph = Edges(file=name).build(SAMPLES), read_graph(name, SAMPLES)
        measured = {
            "nodes": network.nodes,
            "switches": network.vertices - network.nodes,
            "vertices": network.vertices,
            "links": len(graph.src),
        }
        if "distance_sum" in figures:
            undirected = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
            steps = dict(nx.all_pairs_shortest_path_length(undirected))
            measured["distance_sum"] = sum(steps[u][v] for u in range(network.nodes) for v in range(u))
        assert {key: measured[key] for key in figures} == figures, name


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_malformed_samples_are_refused_with_the_expected_messages():
    expected = json.loads((SAMPLES / "bad" / "errors.json").read_text())
    kinds = r"(topology-|ib-|anynet-|sst-|simgrid-|target-|net-|netjson-|metis-).*"
    refused = {name: words for name, words in expected.items() if re.fullmatch(kinds, name)}
    assert len(refused) > 30
    for name, words in refused.items():
        with pytest.raises(SpecError) as refusal:
            read_graph(name, SAMPLES / "bad")
        assert name in refusal.value.message
        assert facts(words) <= facts(refusal.value.message.removeprefix(name)), name


def test_a_chain_of_switches_is_not_a_cycle(tmp_path):
    lines = ["SwitchName=s0 Nodes=a,b", *(f"SwitchName=s{k} Switches=s{j}" for j, k in pairwise(range(2000)))]
    assert written(tmp_path, "topology.conf", "\n".join(lines)).vertices == 2002


def same_graph(form, edges):
    """A graph without roles in a format."""
    graph = nx.Graph(edges)
    links = [{"source": u, "target": v, "cost": 1} for u, v in edges]
    return {
        "g.edges": "".join(f"{u} {v}\n" for u, v in edges),
        "g.graphml": "\n".join(nx.generate_graphml(graph)),
        "g.gexf": "\n".join(nx.generate_gexf(graph)),
        "g.dot": "graph {" + ";".join(f"{u} -- {v}" for u, v in edges) + "}",
        "g.json": json.dumps({"type": "NetworkGraph", "nodes": [{"id": name} for name in graph], "links": links}),
    }[form]


@pytest.mark.parametrize("form", ["g.edges", "g.graphml", "g.gexf", "g.dot", "g.json"])
def test_without_roles_the_choice_of_nodes_decides_in_every_format(tmp_path, form):
    tree = same_graph(form, [("a", "b"), ("b", "c"), ("c", "d"), ("c", "e")])
    assert written(tmp_path, form, tree).nodes == 5
    assert sorted(names(written(tmp_path, form, tree, hosts="leaves"))[:3]) == ["a", "d", "e"]
    ring = same_graph(form, [("a", "b"), ("b", "c"), ("c", "a")])
    assert written(tmp_path, form, ring).nodes == 3
    with pytest.raises(SpecError, match="has 0 vertices that host tasks; choose hosts=all to make every vertex a node"):
        written(tmp_path, form, ring, hosts="leaves")


@pytest.mark.parametrize("form", ["g.edges", "g.graphml", "g.gexf", "g.dot", "g.json"])
@pytest.mark.parametrize("choice", ["h[1-3]", "/^h/", "/h\\d$/", "h3,h1,h2,h1"])
def test_hosts_are_chosen_by_name_in_every_format(tmp_path, form, choice):
    graph = same_graph(form, [("r", "h1"), ("h1", "h2"), ("h2", "h3"), ("h3", "r"), ("r", "x")])
    network = written(tmp_path, form, graph, hosts=choice)
    assert sorted(names(network)[:3]) == ["h1", "h2", "h3"]
    assert (network.nodes, network.vertices) == (3, 5)


@pytest.mark.parametrize("choice", ["h[1-2]", "/h[12]/"])
@pytest.mark.parametrize(
    ("name", "text"), [("net.dot", DOT), ("sst.json", sst(LINKS, ["h1", "h2", "h3"])), ("p.xml", SIMGRID)]
)
def test_hosts_chosen_by_name_replace_the_roles_of_the_file(tmp_path, name, text, choice):
    network = written(tmp_path, name, text, hosts=choice)
    assert names(network)[:2] == ["h1", "h2"]
    assert (network.nodes, network.vertices) == (2, 5)
    assert written(tmp_path, name, text, hosts="all").nodes == 3


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("h[1-9]", "the file has no 'h4', 'h5', 'h6' and 3 more; give all, leaves, a host list or /REGEX/"),
        ("leaf", "the file has no 'leaf'"),
        ("/^x/", "no vertex matches /^x/; names are 's1', 's2', 'h1' and 2 more"),
        ("/(/", "'(' is not a regular expression"),
        ("h[1-", "missing ]"),
        ("", "has 0 vertices that host tasks"),
    ],
)
def test_names_that_do_not_occur_are_refused(tmp_path, choice, words):
    with pytest.raises(SpecError) as refused:
        written(tmp_path, "net.dot", DOT, hosts=choice)
    assert words in str(refused.value)


def test_a_dragonfly_of_simgrid_with_other_hosts_has_no_levels(tmp_path):
    cluster = (
        "<cluster id='c' topology='DRAGONFLY' topo_parameters='3,1;1,1;3,1;2' prefix='n' radical='0-17' bw='1GBps'/>"
    )
    text = f"<platform>{cluster}</platform>"
    assert len(written(tmp_path, "p.xml", text).levels) == 3
    network = written(tmp_path, "p.xml", text, hosts="n[0-8]")
    assert (network.nodes, network.levels) == (9, ())
