"""The machine of a page is the network as the window draws it."""

import msgspec
import numpy as np
import pytest

from app.page import machine
from app.page.machine import machine_data
from app.views.machine.geometry import MachineGeometry
from core.network import Circulant, Dragonfly, Edges, FatTree, Mesh, Percs, Torus
from core.spec import SpecError
from tests.app.page.unpacking import curves_of, unpacked
from tests.core.network.test_link_ends import TWO_CABLES

NETWORKS = [
    Percs(supernodes=4, d_links=2), Torus(dims=(3, 4, 2)), Torus(dims=(5, 4)), FatTree(arity=4),
    Circulant(nodes=12, jumps=(1, 3)), Dragonfly(), Mesh(dims=(7,)),
]  # fmt: skip


def data_of(network):
    return msgspec.to_builtins(machine_data(MachineGeometry(network)))


@pytest.fixture(params=NETWORKS, ids=lambda spec: spec.tag() + str(getattr(spec, "dims", "")))
def network(request):
    return request.param.build()


def test_curves_of_links_and_bundles_are_those_of_the_layout(network):
    data, layout = data_of(network), network.layout
    dimensions = data["dimensions"]
    places = unpacked(data["positions"]).reshape(dimensions, -1).T
    np.testing.assert_array_equal(places, layout.positions[:, :dimensions])
    expected = layout.link_curves(np.arange(network.links), network.src, network.dst)[..., :dimensions]
    np.testing.assert_allclose(curves_of(data["links"], places, dimensions), expected, atol=data["links"]["step"])
    if len(layout.boxes):
        a, b = MachineGeometry(network).pairs
        centres = unpacked(data["boxes"]).reshape(4, -1)[:2].T
        expected = layout.bundle_curves(a, b)[..., :2]
        np.testing.assert_allclose(
            curves_of(data["bundles"], centres, 2), expected, atol=data["bundles"]["step"] + 1e-6
        )


def test_names_groups_and_classes_are_those_of_the_network(network):
    data = data_of(network)
    assert unpacked(data["names"]) == [network.label(vertex) for vertex in range(network.vertices)]
    classes = [(c["name"], c["gbs"], slice(c["first"], c["end"])) for c in data["classes"]]
    assert classes == [(c.name, c.gbs, c.links) for c in network.classes]
    if len(network.layout.boxes):
        np.testing.assert_array_equal(unpacked(data["groupOf"]), network.group_of)
        assert data["groupNames"] == [network.group_name(group) for group in range(network.groups)]


@pytest.mark.parametrize("spec", [Edges(file="ib.txt"), Torus(dims=(2, 3)), Mesh(dims=(2, 3))])
def test_links_have_their_names_with_ports_or_numbers_of_parallel_links(tmp_path, spec):
    (tmp_path / "ib.txt").write_text(TWO_CABLES)
    network = spec.build(tmp_path)
    data = data_of(network)
    names = unpacked(data["names"])
    assert (data["ends"] is None) == isinstance(spec, Mesh)
    ends = [line.split("\t") for line in unpacked(data["ends"])] if data["ends"] else [("", "")] * network.links
    links = zip(unpacked(data["links"]["src"]), unpacked(data["links"]["dst"]), ends, strict=True)
    shown = [(names[src] + tail, names[dst] + head) for src, dst, (tail, head) in links]
    assert shown == [network.link_ends(link) for link in range(network.links)]


def test_too_many_links_are_refused(monkeypatch):
    monkeypatch.setattr(machine, "MAX_LINKS", 10)
    with pytest.raises(SpecError, match="48 links; a page shows at most 10"):
        machine_data(MachineGeometry(Mesh(dims=(4, 4)).build()))
