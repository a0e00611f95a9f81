"""Trees written for Slurm: read again they have the same switches above the same nodes."""

import re
from itertools import combinations

import networkx as nx
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.formats import written_of
from core.hostlist import expand
from core.network import BCube, Circulant, Dragonfly, DragonflyPlus, FatTree, Percs, Rail, SlimFly, Torus, Xgft
from core.network.formats.written_graph import vertex_names
from core.spec import SpecError
from tests.core.network.formats.files import both, names, pairs, written

KINDS = {"slurm-topology-conf": "topology.conf", "slurm-topology-yaml": "topology.yaml"}
WRITTEN = written_of("network")


def content_of(network, kind):
    return WRITTEN[kind].write(network).content


def read_back(folder, network, kind):
    return written(folder, KINDS[kind], content_of(network, kind))


def joined(network):
    """Pairs of names of linked vertices, once each."""
    name = vertex_names(network)
    ends = zip(network.src.tolist(), network.dst.tolist(), strict=True)
    return {frozenset((name[u], name[v])) for u, v in ends}


def children(network, kind):
    """The names below each switch of a written file, in its order."""
    text = content_of(network, kind)
    if kind == "slurm-topology-yaml":
        switches = yaml.safe_load(text)[0]["tree"]["switches"]
        return {entry["switch"]: expand(entry.get("nodes", entry.get("children"))) for entry in switches}
    lines = re.findall(r"^SwitchName=(\S+) (?:Nodes|Switches)=(\S+)$", text, re.MULTILINE)
    return {name: expand(below) for name, below in lines}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "spec",
    [Xgft((4, 3, 2), (1, 2, 2)), Xgft((5,), (1,)), FatTree(4, 3), FatTree(2, 2)],
    ids=lambda spec: spec.summary(),
)
def test_a_tree_is_read_back_with_all_its_switches(tmp_path, spec, kind):
    network = spec.build()
    again = read_back(tmp_path, network, kind)
    assert joined(again) == joined(network)
    assert (again.nodes, again.vertices) == (network.nodes, network.vertices)
    assert again.host_names == network.host_names


@st.composite
def trees(draw):
    """A topology.conf: switches with nodes or switches below, the root last, all nodes at any depth."""
    lines, free, count = [], [], 0
    for leaf in range(draw(st.integers(1, 5))):
        size = draw(st.integers(1, 4))
        lines.append(f"SwitchName=s{leaf:02} Nodes=h[{count}-{count + size - 1}]")
        free.append(f"s{leaf:02}")
        count += size
    while len(free) > 1:
        below = draw(st.lists(st.sampled_from(free), min_size=2, unique=True))
        free = [name for name in free if name not in below] + [f"s{len(lines):02}"]
        lines.append(f"SwitchName=s{len(lines):02} Switches={','.join(below)}")
    return count, "\n".join(lines)


@pytest.mark.parametrize("kind", KINDS)
@given(trees().filter(lambda tree: tree[0] > 1))
def test_a_tree_of_a_file_is_the_same_after_export_and_import(empty_folder, kind, tree):
    folder = empty_folder()
    network = written(folder, "first.conf", tree[1])
    again = read_back(folder, network, kind)
    assert pairs(again) == pairs(network)
    assert again.host_names == network.host_names
    assert content_of(again, kind) == content_of(network, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fat_tree_with_several_spines_is_written_as_it_is(tmp_path, kind):
    text = (
        "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=c Switches=a,b\nSwitchName=d Switches=a,b\n"
    )
    network = written(tmp_path, "first.conf", text)
    assert children(network, kind) == {"a": ["n1", "n2"], "b": ["n3", "n4"], "c": ["a", "b"], "d": ["a", "b"]}


def test_rails_have_leaf_switches_without_the_switches_in_servers(tmp_path):
    network = Rail(units=2, servers=2, gpus=3, spines=2, parallel=2).build()
    exported = WRITTEN["slurm-topology-conf"].write(network)
    assert exported.losses == ("bandwidths", "12 parallel links", "4 switches inside servers")
    below = children(network, "slurm-topology-conf")
    assert below["u1-leaf-2"] == ["n08", "n11"]
    assert [len(some) for some in below.values()] == [2] * 6 + [6] * 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("spec", "sizes"),
    [
        (Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2), [2] * 36 + [4] * 9 + [9]),
        (Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=1), [4] * 9 + [9]),
        (DragonflyPlus(leaves=2, spines=2, global_links=1, groups=3, nodes_per_leaf=2), [2] * 6 + [2] * 3 + [3]),
        (Percs(2, 4, drawers=2, nodes_per_drawer=2), [2] * 4 + [2] * 2 + [2]),
    ],
    ids=lambda value: value.tag() if hasattr(value, "tag") else "",
)
def test_groups_that_are_all_linked_are_levels_of_switches(tmp_path, spec, sizes, kind):
    network = spec.build()
    again = read_back(tmp_path, network, kind)
    assert again.host_names == network.host_names
    assert [len(some) for some in children(network, kind).values()] == sizes
    # Two nodes of a group are nearer to each other than to other nodes.
    graph = nx.Graph(pairs(again))
    group = network.levels[0].group
    name = network.host_names
    for u, v, w in ((0, v, w) for v, w in combinations(range(1, network.nodes), 2)):
        if group[0] == group[v] != group[w]:
            assert nx.shortest_path_length(graph, name[u], name[v]) < nx.shortest_path_length(graph, name[u], name[w])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Torus((4, 4)), "its nodes are linked directly to each other"),
        (Circulant(7, (1, 2)), "its nodes are linked directly to each other"),
        (SlimFly(nodes_per_switch=2), "its links do not all join a level of switches and the next"),
        (BCube(), "its switches are connected only through nodes"),
    ],
    ids=lambda value: value.tag() if hasattr(value, "tag") else "",
)
def test_other_networks_are_refused_in_one_line(spec, words, kind):
    with pytest.raises(SpecError, match=r"^network: is not a tree of switches above nodes") as refused:
        WRITTEN[kind].write(spec.build())
    assert str(refused.value).endswith(words)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("edges", "below", "loss"),
    [
        # Two leaf switches linked to each other.
        (
            "h1 s1;h2 s1;h3 s2;s1 s2",
            {"s1": "h1 h2", "s2": "h3", "top": "s1 s2"},
            "1 link between switches of the same level",
        ),
        # A node at the spine.
        (
            "h1 s1;h2 s1;h3 s2;s1 r;s2 r;h4 r",
            {"s1": "h1 h2", "s2": "h3", "r-nodes": "h4", "r": "s1 s2 r-nodes"},
            "1 switch with nodes and switches below, whose nodes are now below an added switch",
        ),
        ("h1 s1;h2 s1;s2 r;s1 r;h3 s3;s3 r", {"s1": "h1 h2", "s3": "h3", "r": "s1 s3"}, "1 switch without nodes below"),
        # Two planes, each with all nodes.
        (
            "h1 s1;h2 s1;h1 s2;h2 s2;h3 t1;h3 t2;s1 r1;t1 r1;s2 r2;t2 r2",
            {"s1": "h1 h2", "t1": "h3", "r1": "s1 t1", "r2": "s1 t1"},
            "2 leaf switches with the same nodes as another",
        ),
        # Two fabrics.
        ("h1 s1;h2 s1;h3 s2;h4 s2", {"s1": "h1 h2", "s2": "h3 h4"}, "bandwidths"),
    ],
)  # fmt: skip
def test_switches_are_added_where_slurm_needs_them(tmp_path, edges, below, loss, kind):
    network = written(tmp_path, "t.edges", edges.replace(";", "\n"), hosts="/^h/")
    assert children(network, kind) == {name: some.split() for name, some in below.items()}
    assert loss in WRITTEN[kind].write(network).losses


def test_the_name_of_an_added_switch_is_new(tmp_path):
    network = written(tmp_path, "t.edges", "h1 top\nh2 top\nh3 s\ntop s\n", hosts="/^h/")
    assert list(children(network, "slurm-topology-conf")) == ["top", "s", "top-1"]


def test_names_that_a_host_list_cannot_contain_are_replaced(tmp_path):
    text = 'graph { "h[1" [type=host]; "h,2" [type=host]; s [type=switch]; s--"h[1"; s--"h,2" }'
    network = written(tmp_path, "first.dot", text)
    assert children(network, "slurm-topology-conf") == {"switch0": ["n0", "n1"]}
    assert WRITTEN["slurm-topology-conf"].write(network).losses == ("bandwidths", "names")


def test_blocks_are_equal_groups_of_nodes():
    network = Xgft((4, 2, 3), (1, 2, 2)).build()
    assert [level.nodes_per_group for level in network.levels] == [8, 4]
    topologies = yaml.safe_load(content_of(network, "slurm-topology-yaml"))
    assert [topology["cluster_default"] for topology in topologies] == [True, False]
    block = topologies[1]["block"]
    assert block["block_sizes"] == [4, 8]
    assert [expand(entry["nodes"]) for entry in block["blocks"]] == [
        [f"n{4 * leaf + node:02}" for node in range(4)] for leaf in range(6)
    ]
    conf = content_of(network, "slurm-topology-conf")
    assert "# BlockName=leaf-group-5 Nodes=n[20-23]\n# BlockSizes=4,8\n" in conf


def test_sizes_of_blocks_are_powers_of_two_times_the_smallest():
    # Groups of 3 leaf switches are not.
    network = Xgft((2, 3, 2), (1, 2, 2)).build()
    assert yaml.safe_load(content_of(network, "slurm-topology-yaml"))[1]["block"]["block_sizes"] == [2]
    assert "Block" not in content_of(Xgft((5,), (1,)).build(), "slurm-topology-conf")


def test_names_of_switches_are_kept(tmp_path):
    network = written(
        tmp_path, "t.conf", "SwitchName=010 Nodes=n1,n2\nSwitchName=on Nodes=n3\nSwitchName=0x1 Switches=010,on"
    )
    again = read_back(tmp_path, network, "slurm-topology-yaml")
    assert names(again)[3:] == ["010", "on", "0x1"]
    assert pairs(again) == both(("010", "n1"), ("010", "n2"), ("on", "n3"), ("0x1", "010"), ("0x1", "on"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_host_with_several_nics_is_one_node(kind):
    network = Rail(units=2, servers=2, gpus=4, nics=4).build()
    assert len(network.host_names) == 4
    below = children(network, kind)
    assert [below["u0-leaf-0"], below["u1-leaf-0"], below["spine-0"]] == [
        ["n0", "n1"],
        ["n2", "n3"],
        ["u0-leaf-0", "u1-leaf-0"],
    ]
    assert "6 leaf switches with the same nodes as another" in WRITTEN[kind].write(network).losses
    assert "NICs of hosts" in WRITTEN[kind].write(network).losses
    blocks = yaml.safe_load(content_of(network, "slurm-topology-yaml"))[1]["block"]
    assert (blocks["block_sizes"], [entry["nodes"] for entry in blocks["blocks"]]) == ([2], ["n[0-1]", "n[2-3]"])
    groups = Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2, nics=2).build()
    assert list(children(groups, kind).values())[-1] == ["group-0", "group-1", "group-2"]
    assert children(groups, kind)["group-1"] == ["n2", "n3"]
