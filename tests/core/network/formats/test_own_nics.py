"""Networks from files in which every NIC of a host is a node."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import FromFile, Sequential
from core.network import Edges
from core.network.formats import read_graph
from core.network.formats.own_nics import with_own_nics
from core.network.formats.parsed_graph import ParsedGraph
from core.network.ports import Ports
from core.routing import Minimal
from core.spec import SpecError

RAILS = "n0 s0 10\nn0 s1 10\nn1 s0 10\nn1 s1 10\nn2 s1 10\nn2 s0 10\ns0 t 20\ns1 t 20\n"
"""Three hosts with two NICs each, the last with its NICs in the other order."""
HOSTS = "n[0-2]"


def built(folder, text, name="fabric.edges", **fields):
    (folder / name).write_text(text)
    return Edges(file=name, **{"hosts": HOSTS, **fields}).build(folder)


def neighbours(network, node):
    return [network.label(vertex) for vertex in network.dst[network.src == node].tolist()]


def test_links_of_a_host_are_its_nics(tmp_path):
    network = built(tmp_path, RAILS, nics="own")
    assert (network.nodes, network.host_names) == (6, ("n0", "n1", "n2"))
    assert [network.label(node) for node in range(6)] == [f"n{host}-nic{nic}" for host in range(3) for nic in range(2)]
    assert [neighbours(network, node) for node in range(6)] == [["s0"], ["s1"], ["s0"], ["s1"], ["s1"], ["s0"]]
    assert [(level.name, level.names) for level in network.levels] == [("host", ("n0", "n1", "n2"))]
    shared = built(tmp_path, RAILS)
    assert (shared.nodes, shared.nics, shared.host_names) == (3, None, ("n0", "n1", "n2"))


def test_tasks_use_their_own_nic_or_all(tmp_path):
    # All-to-all of 6 tasks with messages of 1/6, two of them on each host.
    (tmp_path / "fabric.edges").write_text(RAILS)
    loads = {}
    for nics, slots in (("own", 1), ("shared", 2)):
        network = Edges(file="fabric.edges", hosts=HOSTS, nics=nics, slots_per_node=slots)
        scenario = Scenario(network, AllToAll(6), Sequential(), Minimal(spread="equal"), folder=tmp_path)
        report = evaluate(scenario.build())
        loads[nics] = report.load[report.case.network.link_class("node link").links]
    # Own: each task sends and receives five messages over its NIC. Shared: eight messages of a host over two links.
    assert loads["own"] == pytest.approx(5 / 6)
    assert loads["shared"] == pytest.approx(8 / 6 / 2)


def test_hosts_may_have_different_numbers_of_nics(tmp_path):
    network = built(tmp_path, RAILS + "n3 s0 10\n", hosts="n[0-3]", nics="own")
    assert network.nics.tolist() == [2, 2, 2, 1]
    assert network.label(6) == "n3"
    assert network.levels == ()
    (tmp_path / "ranks.txt").write_text("rank 0=n2 slot=1\nrank 1=n3 slot=0\nrank 2=n2 slot=0\n")
    mapping = FromFile(file="ranks.txt").build(SimpleNamespace(tasks=3), network, None, tmp_path)
    assert mapping.slots.tolist() == [5, 6, 4]


def test_links_that_are_no_nics_are_refused(tmp_path):
    with pytest.raises(SpecError) as refused:
        built(tmp_path, RAILS + "n0 n1 10\n", nics="own")
    why = "the hosts 'n0' and 'n1' are linked; links are NICs only if they lead to switches"
    assert str(refused.value) == f"network.nics: is own, but {why}; choose shared"
    one_way = replace(read_graph("fabric.edges", _written(tmp_path, RAILS)), directed=True)
    with pytest.raises(
        SpecError, match="is own, but the file has one-way links, which NICs do not have; choose shared"
    ):
        with_own_nics(one_way, np.array([name.startswith("n") for name in one_way.names]))


def test_numbered_nics_may_have_several_links():
    # A NIC of two ports on one adapter, numbered 3, and a further NIC, numbered 1.
    src, dst = np.array([0, 0, 0], np.int32), np.array([1, 2, 1], np.int32)
    number = np.ones(6, np.int32)
    nic = np.array([3, 3, 1, -1, -1, -1], np.int32)
    ports = Ports(number, nic, number.astype(np.uint64), number, number, number.astype(np.uint64))
    graph = ParsedGraph(["a", "s", "t"], src, dst, np.full(3, np.nan), ports=ports)
    split, count = with_own_nics(graph, np.array([True, False, False]))
    assert count.tolist() == [2, 1, 1]
    assert split.names == ["a-nic0", "a-nic1", "s", "t"]
    assert [split.src.tolist(), split.dst.tolist()] == [[1, 1, 0], [2, 3, 2]]


def test_positions_of_nics_are_side_by_side(tmp_path):
    graph = read_graph("fabric.edges", _written(tmp_path, RAILS))
    placed = replace(graph, positions=np.array([[float(k), 0.0] for k in range(len(graph.names))]))
    split, _ = with_own_nics(placed, np.array([name.startswith("n") for name in graph.names]))
    assert len({*map(tuple, split.positions.tolist())}) == len(split.names)
    nics = [k for k, name in enumerate(split.names) if name.startswith("n0")]
    assert split.positions[nics].mean(axis=0).tolist() == placed.positions[graph.names.index("n0")].tolist()


def _written(folder: Path, text: str) -> Path:
    (folder / "fabric.edges").write_text(text)
    return folder


@given(st.data())
def test_the_switches_of_each_host_stay_the_same(data):
    hosts, switches = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    links = data.draw(st.lists(st.tuples(st.integers(0, hosts - 1), st.integers(0, switches - 1)), min_size=1))
    turned = [(host, hosts + switch) if data.draw(st.booleans()) else (hosts + switch, host) for host, switch in links]
    src, dst = (np.array(end, np.int32) for end in zip(*turned, strict=True))
    graph = ParsedGraph([f"v{k}" for k in range(hosts + switches)], src, dst, np.ones(src.size))
    split, count = with_own_nics(graph, np.arange(hosts + switches) < hosts)
    of_host = [[switch for host, switch in links if host == k] for k in range(hosts)]
    assert count.tolist() == [max(len(some), 1) for some in of_host] + [1] * switches
    first = np.cumsum(count) - count
    seen = {}
    for u, v in zip(split.src.tolist(), split.dst.tolist(), strict=True):
        node, switch = min(u, v), max(u, v)
        assert node not in seen
        seen[node] = switch - int(first[hosts])
    for host, some in enumerate(of_host):
        assert [seen[first[host] + nic] for nic in range(len(some))] == some
