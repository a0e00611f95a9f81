"""Parts of a machine by name: every name that the window writes leads back to its part, and into the picture."""

import numpy as np
import pytest

from app.model.parts import part_named
from app.model.pointing import Item, vertex_item
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit
from app.wording.names import pair_name
from core.mapping.targets import Target
from core.network import Clex, Dragonfly, Edges, FatTree, Hypercube, Percs, Torus
from core.spec import SpecError

SPECS = {
    "percs": Percs(supernodes=3),
    "dragonfly": Dragonfly(routers=3, global_links=1, groups=4, nodes_per_router=2),
    "tree": FatTree(arity=3, levels=3),
    "torus": Torus(dims=(3, 4, 2)),
    "hypercube": Hypercube(dimensions=4),
    "clex": Clex(k=3, levels=3),
}
SIZE = (900, 700)


@pytest.fixture(params=SPECS, scope="module")
def network(request):
    return SPECS[request.param].build()


def test_nodes_and_switches_are_found(network):
    for vertex in range(network.vertices):
        part = part_named(network.vertex_name(vertex), network)
        assert part.vertices.tolist() == [vertex]
        assert part.item == vertex_item(vertex, network)


def test_links_are_found(network):
    for link in np.linspace(0, network.links - 1, 60).astype(int).tolist():
        name = network.link_name(link)
        part = part_named(name.replace(" · ", " ").replace("→", "->").upper(), network)
        assert part.item == Item("link", link)
        assert part.name == name
        assert part.vertices.tolist() == [network.src[link], network.dst[link]]


def test_groups_of_every_level_are_found(network):
    for group in range(network.groups if network.levels else 0):
        part = part_named(network.group_name(group), network)
        assert part.item == Item("group", group) or part.vertices.size == 1
        np.testing.assert_array_equal(part.vertices, np.flatnonzero(network.group_of == group))
    for level in range(1, len(network.levels)):
        for index in range(network.levels[level].count):
            target = Target(level, index)
            np.testing.assert_array_equal(part_named(target.name(network), network).vertices, target.nodes(network))


def test_pairs_of_groups_are_found(network):
    if not network.levels:
        return
    for a, b in ((0, 1), (network.groups - 1, 0)):
        part = part_named(pair_name(network, a, b, "↔"), network)
        assert part.item.kind in ("bundle", "link")
        assert set(network.group_of[part.vertices].tolist()) == {a, b}


@pytest.mark.parametrize("text", ["", "node", "node 99999", "nothing 3", "->", "node 0 ->", "a -> b -> c", "9" * 5000])
def test_a_part_that_does_not_exist_is_refused_with_examples(text, network):
    with pytest.raises(SpecError, match="examples: ") as refused:
        part_named(text, network)
    named = str(refused.value).partition("examples: ")[2]
    assert "\n" not in named
    for example in named.split(", ") if "(" not in named else []:
        assert part_named(example, network).name == example


def test_the_part_in_view_fills_the_picture_and_is_inside_it(network):
    geometry = MachineGeometry(network)
    home = fit(geometry, SIZE, HEAD)
    names = [network.vertex_name(0), network.link_name(0)]
    names += [network.group_name(1)] if network.levels else []
    for name in names:
        part = part_named(name, network)
        camera = fit(geometry, SIZE, HEAD, part)
        at = camera.project(geometry.layout.positions[part.vertices], SIZE)[:, :2]
        assert (at > (0, HEAD)).all()
        assert (at < SIZE).all()
        assert camera.scale >= home.scale * 0.99
    node = fit(geometry, SIZE, HEAD, part_named(network.vertex_name(0), network))
    assert max(geometry.layout.cell) * node.scale > min(SIZE) / 10


def test_all_neighbours_of_a_vertex_in_an_unordered_layout_are_visible(tmp_path):
    (tmp_path / "g.txt").write_text("".join(f"{a} {a * 7 % 41}\n{a} {(a + 1) % 40}\n" for a in range(1, 40)))
    network = Edges(file="g.txt").build(tmp_path)
    geometry = MachineGeometry(network)
    for node in (0, 13, 39):
        camera = fit(geometry, SIZE, HEAD, part_named(f"node {network.label(node)}", network))
        links = geometry.links_at(node)
        around = np.unique(np.concatenate([network.src[links], network.dst[links]]))
        at = camera.project(geometry.layout.positions[around], SIZE)[:, :2]
        assert ((at > 0) & (at < SIZE)).all()
