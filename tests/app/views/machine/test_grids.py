"""Nested grids in the machine view: levels of detail, and the same gestures as on any machine with boxes."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from app.model.pointing import Item
from app.views.machine import scene as scenes
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.paint import fit
from app.views.machine.picker import Picker, scene_headline
from app.views.machine.scene import CLOSED_CELL, OPEN_STEP_PX, compose, detail
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.views.machine.rest import at_rest

SIZE = (660.0, 600.0)
SMALL = Scenario(Torus(dims=(4, 3, 3, 4)), Halo(rows=6, cols=8), Sequential(), DimensionOrder())


@pytest.fixture(scope="module")
def large():
    """A machine of the shape of Fugaku, with a tenth of its size."""
    geometry = MachineGeometry(Torus(dims=(12, 11, 12, 2, 3, 2)).build())
    return geometry, LinkShading(geometry, np.random.default_rng(1).random(geometry.network.links))


def close_up(geometry, node, scale):
    at = geometry.layout.positions[node]
    camera = fit(geometry, SIZE)
    shift = (float(at[0] - camera.pivot[0]), float(at[1] - camera.pivot[1]))
    return replace(camera, scale=scale, shift=shift)


def test_zoomed_out_boxes_are_heatmaps_joined_by_bundles(large):
    geometry, shading = large
    scene = compose(geometry, shading, fit(geometry, SIZE), SIZE, 100.0)
    assert not scene.open.size
    assert not scene.links.count
    assert scene.bundles.count == 12
    assert (scene.cell_scale == CLOSED_CELL).all()
    assert scene_headline(scene) == "12 bundles · zoom in to open an X slice"


def test_zoomed_in_all_visible_links_are_drawn(large, monkeypatch):
    geometry, shading = large
    monkeypatch.setattr(scenes, "STRAIGHT_LIMIT", 20_000)
    node = 7000
    camera = close_up(geometry, node, 30.0)
    scene = compose(geometry, shading, camera, SIZE, 100.0)
    assert geometry.group[node] in scene.open
    assert 0 < scene.links.count < 20_000
    at = camera.project(geometry.layout.positions, SIZE)[:, :2]
    seen = np.flatnonzero(((at > 0) & (at < SIZE)).all(axis=1))
    assert seen.size > 100
    for vertex in seen[::40].tolist():
        assert np.isin(geometry.links_at(vertex), scene.links.index).all()
    # Links that pass other nodes are thin, since all of them are parallel.
    length = np.linalg.norm(scene.links.curves[:, 2] - scene.links.curves[:, 0], axis=1)
    assert scene.links.width[length > 1.5].max() < scene.links.width[length < 1.1].min()


def test_slight_panning_keeps_the_scene_and_more_rebuilds_it(large):
    geometry, _ = large
    camera = close_up(geometry, 7000, 20.0)
    details = [detail(geometry, camera.panned(step, 0), SIZE) for step in (0.0, 2.0, 4.0, 300.0)]
    assert len(set(details[:3])) <= 2
    assert details[3] != details[0]


def test_boxes_open_when_links_are_distinguishable_at_any_width(large):
    geometry, shading = large
    for scale, opens in ((OPEN_STEP_PX - 0.1, False), (OPEN_STEP_PX + 0.1, True)):
        assert bool(compose(geometry, shading, close_up(geometry, 0, scale), SIZE, 100.0).open.size) == opens


def test_a_small_one_is_open_from_the_start_and_draws_every_link():
    geometry = MachineGeometry(SMALL.network.build())
    shading = LinkShading(geometry, np.linspace(0, 1, geometry.network.links))
    scene = compose(geometry, shading, fit(geometry, SIZE), SIZE, 100.0)
    assert scene.open.size == 4
    assert scene.links.count == geometry.network.links
    assert compose(geometry, shading, fit(geometry, SIZE), SIZE, 10.0).links.count < geometry.network.links / 9


def test_slices_are_named_and_hovered_like_any_group(machine):
    view = machine(SMALL)
    geometry = view.scene.geometry
    picker = Picker(view.scene, view.camera, SIZE)
    for node in (0, 37, 143):
        x, y = view.camera.project(geometry.layout.positions[node], SIZE)[:2]
        hit = view.hit_at(QPointF(x, y))
        assert (hit.item, hit.node) == (Item("node", node), node)
        assert picker.box_at(x, y) == node // 36
    left, top = view.camera.project([*(geometry.layout.boxes[2, :2] - geometry.layout.boxes[2, 2:] / 2), 0.0], SIZE)[:2]
    hit = view.hit_at(QPointF(left + 2, top - 2))
    assert hit.level == 0
    view.session.hover(Item("group", 2))
    assert view.readout_text.startswith("X slice 2 · 36 nodes")


def test_pictures_of_every_size_and_both_kinds_of_rings_are_drawn(machine, qtbot):
    for wrap in (True, False, (True, False, False, True)):
        view = machine(replace(SMALL, network=Torus(dims=(4, 3, 3, 4), wrap=wrap)))
        for zoom in (0.2, 1.0, 6.0):
            view.controller.move(fit(view.scene.geometry, SIZE).zoomed(zoom, 300, 300, SIZE))
            qtbot.waitUntil(lambda view=view: at_rest(view))
            assert not view.grab().toImage().isNull()
