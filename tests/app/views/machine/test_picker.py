"""The item under the pointer, the items covered by a selection, and their texts."""

import numpy as np
import pytest

from app.model.pointing import Item
from app.style.colour import ColourScale
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.paint import fit
from app.views.machine.picker import Picker, item_lines, resolve, scene_headline
from app.views.machine.scene import compose
from core.job import Halo, Permutation
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Mesh, Torus
from core.routing import DimensionOrder
from tests.app.scenarios import HALO

SIZE = (660.0, 600.0)
MESH = Scenario(Mesh(dims=(5, 7)), Permutation(tasks=35, seed=1), Sequential(), DimensionOrder())
RING = Scenario(Torus(dims=(12,)), Permutation(tasks=12, seed=1), Sequential(), DimensionOrder())
BOX = Scenario(Torus(dims=(4, 4, 4)), Halo(rows=8, cols=8), Sequential(), DimensionOrder())


class Look:
    """A scene as seen, for a scenario."""

    def __init__(self, session, group=None):
        self.state = session.state
        self.evaluation = session.state.evaluation
        self.geometry = MachineGeometry(self.evaluation.case.network)
        self.camera = fit(self.geometry, SIZE)
        if group is not None:
            self.camera = self.camera.onto(self.geometry.layout.boxes[group], SIZE)
        self.scene = compose(
            self.geometry, LinkShading(self.geometry, self.evaluation.report.utilisation), self.camera, SIZE, 100.0
        )
        self.picker = Picker(self.scene, self.camera, SIZE)

    def pixel(self, point):
        return self.camera.project(point, SIZE)[:2]

    def at(self, point):
        return self.picker.at(*self.pixel(point))

    def covers(self, kind, index):
        return resolve(Item(kind, index), self.scene, self.camera, self.evaluation.case)

    def says(self, kind, index):
        return item_lines(Item(kind, index), self.geometry, self.state)


def along(curve, t):
    return (1 - t) ** 2 * curve[0] + 2 * t * (1 - t) * curve[1] + t * t * curve[2]


def test_a_closed_box_is_picked_as_a_group(session_of):
    look = Look(session_of(HALO))
    for group in (0, 9, 31):
        assert look.at(np.append(look.geometry.layout.boxes[group, :2], 0)) == Item("group", group)


def test_a_curve_is_picked_as_its_bundle_everywhere(session_of):
    look = Look(session_of(HALO))
    batch = look.scene.bundles
    hits = 0
    for k in range(batch.count):
        for t in (0.2, 0.5, 0.8):
            at = look.pixel(along(batch.curves[k], t))
            item = look.picker.at(*at)
            # Where curves cross, the hotter one lies on top; here all are equally hot.
            assert item is not None
            assert item.kind == "bundle"
            hits += item.index == batch.index[k]
    assert hits > 2 * batch.count
    assert look.picker.at(650, 5) is None


def test_an_open_box_has_nodes_links_and_a_rest(session_of):
    look = Look(session_of(HALO), group=21)
    node = 21 * 32 + 12
    assert look.at(look.geometry.layout.positions[node]) == Item("node", node)
    lone = next(k for k in range(look.scene.links.count) if look.at(along(look.scene.links.curves[k], 0.5)) is not None)
    assert look.at(along(look.scene.links.curves[lone], 0.5)).kind in ("link", "node")
    x, y, width, height = look.geometry.layout.boxes[21]
    assert look.at((x - 0.497 * width, y - 0.49 * height, 0)) == Item("group", 21)


def test_a_lattice_has_nodes_and_directed_links(session_of):
    look = Look(session_of(MESH))
    assert look.at(look.geometry.layout.positions[17]) == Item("node", 17)
    for link in (0, 1, 40, 41):
        assert look.at(along(look.scene.links.curves[link], 0.5)) == Item("link", link)
    assert look.picker.at(2, 2) is None


def test_of_nodes_behind_each_other_the_nearest_is_hit(session_of):
    look = Look(session_of(BOX))
    depth = look.camera.project(look.geometry.layout.positions, SIZE)
    nearest = int(depth[:, 2].argmin())
    assert look.picker.at(*depth[nearest, :2]) == Item("node", nearest)


def test_the_scene_is_projected_once_for_all_picks(session_of, monkeypatch):
    look = Look(session_of(Scenario(Torus(dims=(12, 12, 12)), Halo(rows=36, cols=48), Sequential(), DimensionOrder())))
    look.picker.at(300, 300)
    look.picker.at(0, 0)

    def again(camera, points, size):
        pytest.fail(f"{len(points)} points projected for another pixel")

    monkeypatch.setattr(type(look.camera), "project", again)
    items = {look.picker.at(200 + 7 * k, 250) for k in range(30)}
    assert {item.kind for item in items if item is not None} >= {"node"}


def test_a_link_covers_its_ends_and_zoomed_out_its_bundle(session_of):
    session = session_of(HALO)
    network = session.state.evaluation.case.network
    link = network.link_class("D").links.start + 5
    far = Look(session).covers("link", link)
    assert far.nodes.tolist() == [network.src[link], network.dst[link]]
    assert far.batch.kind == "bundle"
    assert far.batch.count == 1
    near = Look(session, group=int(network.src[link]) // 32).covers("link", link)
    assert near.batch.kind == "link"
    assert near.batch.index.tolist() == [link]
    assert near.outlined


def test_a_bundle_covers_both_boxes_in_either_direction(session_of):
    look = Look(session_of(HALO))
    there, back = look.covers("bundle", 3 * 32 + 7), look.covers("bundle", 7 * 32 + 3)
    assert there.groups.tolist() == [3, 7]
    np.testing.assert_array_equal(there.batch.curves, back.batch.curves)
    assert there.batch.count == 1


def test_a_group_covers_its_loaded_bundles(session_of):
    look = Look(session_of(HALO))
    chosen = look.covers("group", 21)
    assert chosen.groups.tolist() == [21]
    assert chosen.batch.count == 8
    assert (np.stack(np.divmod(chosen.batch.index, 32)) == 21).any(0).all()


def test_a_task_covers_the_node_it_is_on(session_of):
    look = Look(session_of(HALO))
    node = int(look.evaluation.case.mapping.nodes[1234])
    assert look.covers("task", 1234).nodes.tolist() == [node]
    assert look.covers("node", node).batch.count == look.covers("task", 1234).batch.count


def test_lattice_groups_and_bundles_cover_nodes_and_links(session_of):
    look = Look(session_of(MESH))
    assert look.covers("group", 2).nodes.tolist() == list(range(14, 21))
    between = look.covers("bundle", 1 * 5 + 2).batch
    assert between.kind == "link"
    assert between.count == 14
    ring = Look(session_of(RING))
    assert ring.covers("group", 4).nodes.tolist() == [4]


@pytest.mark.parametrize(
    ("kind", "index"), [("link", 10**6), ("node", 1024), ("group", 32), ("task", 4096), ("bundle", -1)]
)
def test_an_item_that_does_not_exist_covers_nothing(session_of, kind, index):
    look = Look(session_of(HALO))
    assert look.covers(kind, index) is None
    assert look.says(kind, index) == ()


def test_the_readout_of_a_link_has_its_load_with_units(session_of):
    look = Look(session_of(HALO))
    report = look.evaluation.report
    hot = int(report.bottleneck_links[0])
    src, dst = (
        look.geometry.network.label(int(end[hot])) for end in (look.geometry.network.src, look.geometry.network.dst)
    )
    name, load = look.says("link", hot)
    assert name == f"LR {src} → {dst}"
    assert load == "load 0.3125 units, 100 % of the hottest link: bottleneck"
    d_link = int(np.flatnonzero(np.isclose(report.utilisation, 0.8) & (look.geometry.network.class_of == 2))[0])
    assert look.says("link", d_link)[1] == "load 0.5 units, 80 % of the hottest link"


def test_the_readout_of_a_bundle_has_its_links_and_load_in_each_direction(session_of):
    look = Look(session_of(HALO))
    title, *ways = look.says("bundle", int(look.scene.bundles.index[0]))
    assert title.endswith(": 4 links each way")
    assert all("load 0.5 units, 80 % of the hottest link" in way for way in ways)
    assert len(ways) == 2


def test_the_readout_of_a_task_has_its_place_and_hottest_link(session_of):
    look = Look(session_of(HALO))
    node = int(look.evaluation.case.mapping.nodes[100])
    title, tasks, hottest = look.says("task", 100)
    assert title == f"task 100 on node {look.geometry.network.label(node)}"
    assert "100" in tasks
    assert hottest.startswith("hottest link: L")
    assert look.says("group", 3)[0] == "supernode 3 · 32 nodes"


def test_headline_counts_what_is_drawn(session_of):
    assert scene_headline(Look(session_of(HALO)).scene) == "128 of 496 bundles in use · zoom in to open a supernode"
    assert scene_headline(Look(session_of(HALO), group=21).scene).startswith("supernode 21: ")
    assert scene_headline(Look(session_of(MESH)).scene) == "116 links"
    assert scene_headline(Look(session_of(BOX)).scene) == "384 links · drag to rotate"
    look = Look(session_of(HALO))
    same = compose(look.geometry, LinkShading(look.geometry, np.zeros(35_712), signed=True), look.camera, SIZE, 100.0)
    assert scene_headline(same) == "none of 496 bundles changed · zoom in to open a supernode"
    change = np.zeros(116)
    change[[3, 7]] = 0.5, -0.5
    mesh = Look(session_of(MESH))
    differing = compose(mesh.geometry, LinkShading(mesh.geometry, change, signed=True), mesh.camera, SIZE, 100.0)
    assert scene_headline(differing) == "2 of 116 links changed"
    few = compose(look.geometry, look.scene.shading, look.camera, SIZE, 10.0)
    assert scene_headline(few) == "50 of 496 bundles, the hottest 10 % · zoom in to open a supernode"


def test_percentages_refer_to_the_load_named_in_the_legend(session_of):
    session = session_of(HALO)
    link = int(session.state.report.bottleneck_links[0])
    group = int(session.state.evaluation.case.network.levels[0].group[session.state.evaluation.case.network.src[link]])
    assert "100 % of the hottest link" in Look(session).says("link", link)[1]
    session.set_scale(ColourScale(frozen_time=session.state.report.time / 2))
    look = Look(session)
    assert "200 % of the frozen state" in look.says("link", link)[1]
    assert "up to 200 % of the frozen state" in look.says("group", group)[1]
