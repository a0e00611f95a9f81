"""GPU servers: rows of GPUs, PCI bridges, CPUs and NICs in boxes that do not overlap, and switches outside."""

import re

import numpy as np
import pytest

from tests.core.network.formats.files import written
from tests.core.network.formats.topologies import (
    cpu,
    gpu_on,
    in_pairs,
    net,
    nic_on,
    nvswitch,
    pci,
    system,
    with_nvswitch,
)

DEEP = system(
    cpu(pci("01:00", pci("02:00", gpu_on("03:00", 1), nic_on("04:00", net("ib0"))), nic_on("05:00", net("ib1")))),
    cpu(gpu_on("13:00", 0, nvswitch()), numaid=1),
    cpu(pci("21:00", nic_on("22:00", net("ib2")), nic_on("23:00", net("ib3"))), numaid=2),
    cpu(numaid=3),
)
FILES = {"nvswitch": with_nvswitch(), "pairs": in_pairs(), "deep": DEEP, "many": in_pairs(16)}
machines = pytest.mark.parametrize(
    ("file", "copies", "fabric"),
    [(file, *more) for file in FILES for more in ((1, "none"), (1, "rail"), (2, "single"), (8, "rail"), (40, "rail"))],
)


@pytest.fixture
def network(tmp_path, file, copies, fabric):
    return written(tmp_path, "t.xml", FILES[file], servers=copies, fabric=fabric)


def heights(network, server, copies):
    """Heights of the vertices of a server, by the letters with which their names begin."""
    rows, prefix = {}, f"s{server}-" if copies > 1 else ""
    for vertex in range(network.vertices):
        if not network.label(vertex).startswith(prefix):
            continue
        name = network.label(vertex).removeprefix(prefix)
        kind = "port" if name.endswith("-pcie") else re.match("[a-z]+", name)[0]
        rows.setdefault(kind, []).append(float(network.layout.positions[vertex, 1]))
    return rows


@machines
def test_marks_do_not_overlap(network):
    layout, at = network.layout, network.layout.positions[:, :2].astype(float)
    marks = np.where((np.arange(network.vertices) < network.nodes)[:, None], layout.cell, layout.switch)
    away = np.abs(at[:, None] - at[None])
    room = (marks[:, None] + marks[None]) / 2
    apart = (away >= room - 1e-4).any(axis=2)
    assert apart[~np.eye(network.vertices, dtype=bool)].all()


@machines
def test_the_rows_of_a_server_are_gpus_bridges_cpus_and_nics(network, copies):
    for server in range(copies):
        rows = heights(network, server, copies)
        up = np.sign(rows["gpu"][0] - rows["cpu"][0])
        between = [*rows.get("pci", ()), *rows.get("port", ())]
        assert np.ptp(rows["gpu"]) == np.ptp(rows["cpu"]) == np.ptp(rows["ib"]) == 0
        assert all(up * (rows["gpu"][0] - y) > 0.5 and up * (y - rows["cpu"][0]) > 0.5 for y in between)
        assert up * (rows["cpu"][0] - rows["ib"][0]) > 0.5
        assert all(up * (y - rows["gpu"][0]) > 0.5 for y in rows.get("nvswitch", ()))


@machines
def test_servers_are_boxes_around_their_vertices_and_apart(network, copies):
    boxes, at = network.layout.boxes.astype(float), network.layout.positions[:, :2].astype(float)
    if copies == 1:
        assert not len(boxes)
        return
    assert len(boxes) == network.groups
    box = boxes[network.group_of]
    assert (np.abs(at - box[:, :2]) < box[:, 2:] / 2).all()
    away = np.abs(boxes[:, None, :2] - boxes[None, :, :2])
    apart = (away > (boxes[:, None, 2:] + boxes[None, :, 2:]) / 2 - 1e-3).any(axis=2)
    assert apart[~np.eye(len(boxes), dtype=bool)].all()
    width, height = np.ptp(boxes[:, :2], axis=0) + boxes[0, 2:]
    assert copies < 8 or 0.4 < height / width < 1.6


@machines
def test_nics_face_the_switches_outside(network, fabric):
    nets = [links for links in network.classes if links.name.startswith("net")]
    at = network.layout.positions[:, 1]
    for links in nets:
        for nic, switch in zip(
            network.src[links.links][::2].tolist(), network.dst[links.links][::2].tolist(), strict=True
        ):
            group = network.group_of[nic]
            others = np.flatnonzero(network.group_of[: network.nodes] == group)
            assert not others.size or abs(at[nic] - at[switch]) < abs(at[others] - at[switch]).min()


@machines
def test_links_end_at_their_vertices_and_do_not_coincide(network):
    curves = network.layout.link_curves(np.arange(network.links), network.src, network.dst).astype(float)
    assert np.isfinite(curves).all()
    for end, vertex in ((0, network.src), (2, network.dst)):
        assert np.abs(curves[:, end] - network.layout.positions[vertex]).max() < 0.1
    assert len(np.unique(np.round(curves.reshape(-1, 9), 4), axis=0)) == network.links


def test_a_single_server_has_captions_for_its_rows(tmp_path):
    layout = written(tmp_path, "t.xml", with_nvswitch(), fabric="rail").layout
    assert [caption.text for caption in layout.captions] == [
        "NVSwitch",
        "GPUs",
        "PCI bridges",
        "CPUs",
        "NICs",
        "fabric",
    ]
    heights = [caption.at[1] for caption in layout.captions]
    assert heights == sorted(heights, reverse=True)
    assert not written(tmp_path, "t.xml", with_nvswitch(), servers=2, fabric="rail").layout.captions
