"""Forwarding tables of OpenSM on simulated fabrics: hops and paths as OpenSM and ibtracert print them."""

import re

import numpy as np
import pytest

from core.network import Edges, Torus, Xgft
from core.routing import Tables
from tests.core.ibsim import needs_ibsim, simulated
from tests.core.network.formats.fabrics import Cable, Device, dump, two_rails
from tests.core.routing.tables.test_scheme import everyone

ROW = re.compile(r"0x([0-9A-F]+) : (\d+) +: (\d+) ")
HOP = re.compile(r"\[(\d+)\] -> (?:ca|switch) port \{0x[0-9a-f]+\}\[\d+\]")
FABRICS = {"tree": Xgft(down=(4, 4), up=(1, 4)), "torus": Torus(dims=(3, 3)), "rails": None}


def cabled(spec):
    """The devices and cables of a family: each node of a direct network is a switch with a host."""
    if spec is None:
        return two_rails(hosts=16, leaves=4, spines=2)
    network = spec.build()
    direct = network.vertices == network.nodes
    switches = [Device(k + 1, 24, f"s{k}", switch=True) for k in range(network.vertices)]
    hosts = [Device(0x1000 + 16 * k, 1, f"n{k:03d}") for k in range(network.nodes)]
    device = switches if direct else [*hosts, *switches[network.nodes :]]
    free = {switch: iter(range(1, 25)) for switch in switches} | {host: iter([1]) for host in hosts}
    pairs = [(device[a], device[b]) for a, b in zip(network.src.tolist(), network.dst.tolist(), strict=True) if a < b]
    pairs += zip(switches, hosts, strict=True) if direct else ()
    return [*device, *(hosts if direct else ())], [Cable(a, next(free[a]), b, next(free[b]), "4xQDR") for a, b in pairs]


@needs_ibsim
@pytest.mark.parametrize("engine", ["minhop", "dfsssp"])
@pytest.mark.parametrize("fabric", FABRICS)
def test_hops_and_paths_are_those_of_opensm(tmp_path, fabric, engine):
    text = dump(*cabled(FABRICS[fabric])).replace("4xNDR", "4xQDR").replace("4xHDR", "4xQDR")
    (tmp_path / "net").write_text(text)
    with simulated(tmp_path, "net", "-R", engine) as run:
        (tmp_path / "fabric.txt").write_bytes(run("ibnetdiscover"))
        network = Edges(file="fabric.txt").build(tmp_path)
        router, by_hops = (Tables(file=name).build(network, tmp_path) for name in ("opensm-lfts.dump", "opensm.fdbs"))
        np.testing.assert_array_equal(router.fabric.ports, by_hops.fabric.ports)
        assert router.complete
        _compare_hops(router, (tmp_path / "opensm.fdbs").read_text())
        if fabric != "rails":  # a single path between two hosts
            _compare_path(network, router, run)


def _compare_path(network, router, run):
    """Compare the path between the first and the last host with ibtracert, port by port."""
    ends = 0, network.nodes - 1
    printed = run("ibtracert", *(str(network.src_ports.lid[network.src == node][0]) for node in ends)).decode()
    assert [int(port) for port in HOP.findall(printed)] == network.src_ports.number[
        router.route(*ends).links
    ].tolist(), printed


def _compare_hops(router, fdbs):
    """Compare the hops from every switch to every host with a dump of OpenSM."""
    network, fabric = router.network, router.fabric
    row = {int(lid): k for k, lid in enumerate(fabric.lid)}
    switch = {int(guid): int(v) for guid, v in zip(network.src_ports.guid, network.src, strict=True)}
    compared = 0
    for block in fdbs.split("Switch ")[1:]:
        place = switch[int(block.split()[0], 16)] - network.nodes
        for lid, port, hops in ROW.findall(block):
            if int(lid, 16) in row:
                compared += 1
                assert fabric.ports[row[int(lid, 16)], place] == int(port)
                assert router.hop_counts[row[int(lid, 16)], place] == int(hops)
    assert compared == fabric.ports.size


@needs_ibsim
@pytest.mark.parametrize(
    ("engine", "most"),
    [("ftree", 384), ("nue", 520), ("dfsssp", 496), ("minhop", 1536), ("lash", 12288), ("dor", 12288)],
)
def test_engines_of_opensm_differ_on_a_perfect_tree(tmp_path, engine, most):
    (tmp_path / "net").write_text(dump(*cabled(Xgft(down=(8, 8, 4), up=(1, 8, 4)))))
    with simulated(tmp_path, "net", "-R", engine) as run:
        (tmp_path / "fabric.txt").write_bytes(run("ibnetdiscover"))
    network = Edges(file="fabric.txt").build(tmp_path)
    loads = Tables(file="opensm-lfts.dump").build(network, tmp_path).loads([everyone(network.nodes)])
    assert loads[(network.src >= network.nodes) & (network.dst >= network.nodes)].max() == most
