"""Forwarding tables: paths as a slow walk finds them, the figures of real dumps, and what disconnects flows."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.import_report import reports_of
from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges
from core.network.faults import LinkFault
from core.routing import Minimal, Tables, with_faults
from core.routing.flows import NodeFlows
from core.routing.paths import single_paths
from core.spec import SpecError
from tests.core.routing.tables.fabrics import fabrics, routed, tables, text_of
from tests.oracle.tables import paths

DATA = Path(__file__).parents[3] / "data" / "infiniband"
TREE, DEGRADED = DATA / "tree", DATA / "degraded"


def dumped(folder, name="opensm-lfts.dump"):
    """The network and the router of a dumped fabric."""
    network = Edges(file="ibnetdiscover.txt").build(folder)
    return network, Tables(file=name).build(network, folder)


def everyone(nodes):
    """A unit from every node to every other."""
    src, dst = (ends.ravel().astype(np.int32) for ends in np.indices((nodes, nodes)))
    return NodeFlows(src, dst, (src != dst).astype(float))


@pytest.mark.parametrize(
    ("folder", "name", "most", "mean", "used", "hops"),
    [
        (TREE, "opensm-lfts.dump", 12, 12, 32, 3.6),
        (TREE, "opensm.fdbs", 12, 12, 32, 3.6),
        (TREE, "dump_fts.txt", 12, 12, 32, 3.6),
        (TREE, "uneven.fts", 48, 384 / 29, 29, 3.6),
        (DEGRADED, "opensm-lfts.dump", 144, 57.806, 124, 3.778),
    ],
)
def test_loads_of_dumped_fabrics(folder, name, most, mean, used, hops):
    network, router = dumped(folder, name)
    flows = everyone(network.nodes)
    between = (network.src >= network.nodes) & (network.dst >= network.nodes)
    loads = router.loads([flows])[between]
    assert (loads.max(), np.count_nonzero(loads)) == (most, used)
    assert loads[loads > 0].mean() == pytest.approx(mean, abs=1e-3)
    lengths = router.hops(flows.src, flows.dst)[flows.src != flows.dst]
    assert lengths.mean() == pytest.approx(hops, abs=1e-3)
    assert (lengths >= Minimal().router(network).hops(flows.src, flows.dst)[flows.src != flows.dst]).all()
    assert router.complete
    assert router.warnings == ()


def test_a_path_is_what_ibtracert_prints():
    network, router = dumped(TREE)
    ends = [network.node_named(name) for name in ("n0000", "n0015")]
    tails = [network.link_ends(link)[0] for link in router.route(*ends).links.tolist()]
    assert tails == ["n0000 port 1", "s1_0000 port 8", "s2_0003 port 4", "s1_0003 port 4"]


@given(st.data(), fabrics(), st.sampled_from(["first", "all"]))
def test_paths_are_those_of_a_slow_walk(empty_folder, data, fabric, lids):
    ports = data.draw(tables(*fabric))
    network, router = routed(empty_folder(), fabric, ports, lids=lids)
    vertex = {int(guid): int(v) for guid, v in zip(network.src_ports.guid, network.src, strict=True)}
    by_vertex = {(vertex[guid], lid): port for guid, rows in ports.items() for lid, port in rows.items()}
    failed = np.zeros(network.links, np.bool_)
    failed[data.draw(st.lists(st.integers(0, network.links - 1), max_size=2))] = True
    faulty, expected = with_faults(router, failed), np.zeros(network.links)
    flows = everyone(network.nodes)._replace(volume=np.random.default_rng(0).random(network.nodes**2))
    for u, v, volume in zip(*(column.tolist() for column in flows), strict=True):
        walked = paths(network, by_vertex, lambda lmc: 1 << lmc if lids == "all" else 1, u, v) if u != v else []
        cut = any(links is None or failed[links].any() for _, links in walked)
        shares = np.zeros(network.links)
        for share, links in walked:
            np.add.at(shares, [] if cut else links, float(share))
        expected += volume * shares
        pair = np.array([u], np.int32), np.array([v], np.int32)
        assert faulty.disconnected(*pair)[0] == cut
        assert bool(faulty.reason(u, v)) == cut or u == v
        route = faulty.route(u, v)
        np.testing.assert_allclose(np.bincount(route.links, route.shares, network.links), shares, atol=1e-12)
        if faulty.single_path:
            assert single_paths(faulty, *pair).of(0).tolist() == (walked[0][1] if walked and not cut else [])
    np.testing.assert_allclose(faulty.loads([flows]), expected, atol=1e-9)
    link = data.draw(st.integers(0, network.links - 1))
    crossing = faulty.crossing(link, flows.src, flows.dst).sum(axis=0)
    assert crossing @ flows.volume == pytest.approx(expected[link])
    scale = faulty.parts or 1
    traced = faulty.trace(flows.src, flows.dst, np.full(flows.src.size, scale))
    units = faulty.loads([flows._replace(volume=np.ones(flows.src.size))])
    np.testing.assert_allclose(np.bincount(traced.links, traced.volume / scale, network.links), units, atol=1e-9)


def scenario(folder, name, *faults):
    network = Edges(file="ibnetdiscover.txt")
    return Scenario(network, AllToAll(tasks=16), Sequential(), Tables(file=name), folder=folder, faults=faults)


def without_rows(folder, change):
    """A copy of the sample whose tables are changed line by line."""
    (folder / "ibnetdiscover.txt").write_bytes((TREE / "ibnetdiscover.txt").read_bytes())
    lines = (TREE / "opensm-lfts.dump").read_text().splitlines()
    (folder / "t.dump").write_text("\n".join(line for line in map(change, lines) if line is not None))


CUT = [
    (lambda row: None, "switch s1_0000 has no port for LID 24"),
    (lambda row: row.replace("008", "255"), "switch s1_0000 has no port for LID 24"),
    (lambda row: row.replace("008", "000"), "switch s1_0000 keeps packets for LID 24 (port 0)"),
    (lambda row: row.replace("008", "009"), "switch s1_0000 forwards LID 24 to port 9, which has no cable"),
    (lambda row: row.replace("008", "002"), "LID 24 leads to node n0004"),
]


@pytest.mark.parametrize(("change", "words"), CUT)
def test_disconnected_flows_name_the_entry(tmp_path, change, words):
    block = []

    def changed(line):
        block[:] = [line] if "switch" in line else block
        return change(line) if "s1_0000" in block[0] and line.startswith("0x0018") else line

    without_rows(tmp_path, changed)
    report = evaluate(scenario(tmp_path, "t.dump").build())
    # The four hosts of the leaf to one host.
    assert report.disconnected.count == 4
    assert words in report.disconnected.reason


def test_a_failed_link_leaves_the_tables_as_they_are():
    case = scenario(TREE, "opensm-lfts.dump", LinkFault(src="s1_0000", dst="s2_0003")).build()
    report = evaluate(case)
    # Four hosts send to three others over the cable, and receive.
    assert report.disconnected.count == 24
    assert "s2_0003 port 1 → s1_0000 port 8, on the path to LID 21, has failed" in report.disconnected.reason


def test_loops_are_named(tmp_path):
    def changed(line):
        block[:] = [line] if "switch" in line else block
        return "0x0018 001 #" if "s2_0003" in block[0] and line.startswith("0x0018") else line

    block = []
    without_rows(tmp_path, changed)
    reason = evaluate(scenario(tmp_path, "t.dump").build()).disconnected.reason
    assert "the path to LID 24 is a loop, s2_0003 → s1_0000 → s2_0003" in reason


def test_the_report_names_switches_and_ports_that_differ(tmp_path):
    text = (TREE / "opensm-lfts.dump").read_text()
    changed = text.replace("0x0000000000200000", "0x0000000000300000").replace("0x0018 008", "0x0018 099")
    (tmp_path / "ibnetdiscover.txt").write_bytes((TREE / "ibnetdiscover.txt").read_bytes())
    (tmp_path / "t.dump").write_text(changed)
    report = reports_of(scenario(tmp_path, "t.dump").build())["routing"]
    assert report.source == "a dump of OpenSM's forwarding tables"
    assert report.contents == ("tables of 8 switches with 180 entries",)
    assert report.notes[:2] == (
        "no table for 1 switch: s2_0000",
        "tables of 1 switch that the network does not have: s2_0000",
    )
    assert report.notes[2].startswith("the tables are stale: 3 entries name a port without a cable: s1_000")


def test_tables_of_another_fabric_are_refused(tmp_path):
    network = Edges(file="ibnetdiscover.txt").build(TREE)
    (tmp_path / "t.dump").write_text(text_of({77: {5: 1}}))
    with pytest.raises(SpecError, match="are of other switches: 0x4d is not among the 8 switches of the network"):
        Tables(file="t.dump").build(network, tmp_path)


def test_networks_without_lids_are_refused(tmp_path):
    (tmp_path / "net.edges").write_text("a s\nb s\n")
    network = Edges(file="net.edges").build(tmp_path)
    with pytest.raises(SpecError, match="tables supports InfiniBand fabrics with LIDs only"):
        Tables(file="t.dump").build(network, tmp_path)
