"""Pictures of many links that cross each other: what is hot is seen, no class is missing, no node vanishes."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.views.machine import scene as scenes
from app.views.machine.items import Picker, _shown, headline
from app.views.machine.paint import HEAD, fit, paint_machine
from app.views.machine.plan import Heat, Plan
from app.views.machine.scene import INK, LEAST_CELL_PX, THINNEST, compose, link_width
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Complete, FatTree, Shortcut, Torus
from core.routing import Minimal

SIZE = (660.0, 600.0)
RING = Circulant(nodes=1024, jumps=(1, 2, 4, 8))


def scene_of(spec, relative=None):
    plan = Plan(spec.build())
    camera = fit(plan, SIZE)
    relative = np.ones(plan.network.links) if relative is None else relative(plan.network)
    return compose(plan, Heat(plan, relative), camera, SIZE, 100.0), camera


def test_equal_links_are_equally_thin_and_cover_a_share_of_the_picture():
    scene, camera = scene_of(Complete(nodes=32))
    width = scene.links.width
    assert width.min() == width.max()
    assert THINNEST["link"] < width[0] < link_width(scene.plan, camera)
    legs = np.linalg.norm(np.diff(scene.links.curves, axis=1), axis=2).sum()
    low, high = scene.plan.bounds
    covered = legs * width[0] / (np.prod((high - low)[:2]) * camera.scale)
    assert covered == pytest.approx(INK, rel=0.25)


def test_a_hot_link_among_many_stays_as_wide_as_alone():
    def one_hot(network):
        return np.where(np.arange(network.links) == 77, 1.0, 0.5)

    scene, camera = scene_of(Complete(nodes=64), one_hot)
    hot = scene.links.index == 77
    assert scene.links.width[hot] == link_width(scene.plan, camera)
    assert (scene.links.width[~hot] < scene.links.width[hot] / 2).all()


def test_colder_links_are_never_wider():
    scene, _ = scene_of(Complete(nodes=48), lambda network: np.random.default_rng(2).random(network.links))
    order = np.argsort(-scene.links.heat)
    assert (np.diff(scene.links.width[order]) <= 0).all()


def test_few_links_and_those_of_a_grid_stay_as_they_are():
    for spec in (Circulant(nodes=8, jumps=(1,)), Torus(dims=(30, 30))):
        scene, camera = scene_of(spec)
        assert (scene.links.width == link_width(scene.plan, camera)).all()


def test_of_too_many_links_each_class_has_its_share(monkeypatch):
    monkeypatch.setattr(scenes, "CROSSING_LIMIT", 100)
    # The links of nodes are hotter than any above them.
    scene, _ = scene_of(FatTree(arity=4, levels=3), lambda network: 1.0 / (1 + network.class_of))
    network = scene.plan.network
    shown = np.bincount(network.class_of[scene.links.index])
    assert shown.sum() == 100
    assert shown.min() >= 33
    assert headline(scene) == "100 of 384 links, the hottest of each class"


def test_of_long_chords_fewer_are_drawn_than_of_short_ones():
    random, short = (scene_of(spec)[0].links.count for spec in (Shortcut(nodes=1024, degree=19), RING))
    assert short == scenes.CROSSING_LIMIT
    assert 1000 < random < 2500


def test_chords_cover_no_more_than_their_share():
    scene, camera = scene_of(Shortcut(nodes=1024, degree=19))
    low, high = scene.plan.bounds
    legs = np.linalg.norm(np.diff(scene.links.curves, axis=1), axis=2).sum()
    assert legs / (np.prod((high - low)[:2]) * camera.scale) < 1.3 * scenes.CROSSED


def test_a_node_shows_all_its_links_where_all_together_are_too_many(monkeypatch):
    monkeypatch.setattr(scenes, "CROSSING_LIMIT", 50)
    ends = {}
    for percent in (100.0, 1.0):
        plan = Plan(Circulant(nodes=64, jumps=(1, 3, 9)).build())
        camera = fit(plan, SIZE)
        relative = np.linspace(0.1, 1, plan.network.links)
        scene = compose(plan, Heat(plan, relative), camera, SIZE, percent)
        ends[percent] = _shown(plan.links_at(0), scene).size
    assert ends == {100.0: 12, 1.0: 0}


def test_a_small_class_is_shown_whole_and_leaves_the_rest_to_others(monkeypatch):
    monkeypatch.setattr(scenes, "CROSSING_LIMIT", 250)
    scene, _ = scene_of(Circulant(nodes=64, jumps=(1, 3, 32)))
    network = scene.plan.network
    shown = {
        c.name: int(((scene.links.index >= c.links.start) & (scene.links.index < c.links.stop)).sum())
        for c in network.classes
    }
    assert shown == {"C1": 93, "C3": 93, "C32": 64}


def test_nodes_of_a_large_ring_do_not_vanish_and_each_is_still_found():
    scene, camera = scene_of(RING)
    across = scene.cell_sizes[:, 0] * camera.scale
    assert across.min() > LEAST_CELL_PX / 1.2
    picker = Picker(scene, camera, SIZE)
    for node in (0, 1, 500, 1023):
        at = camera.project(scene.plan.layout.positions[node], SIZE)[:2]
        assert picker.at(*at).index == node


def test_names_go_around_a_ring_in_round_steps(session_of):
    state = session_of(Scenario(RING, AllToAll(tasks=64), Sequential(), Minimal())).state
    width, height = 640, 600
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(state.theme.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, width, height), state)
    painter.end()
    plan = Plan(state.answer.case.network)
    camera = fit(plan, (width, height), HEAD)
    middle = camera.project([0.0, 0.0, 0.0], (width, height))[:2]
    named = []
    for node in range(0, 1024, 32):
        at = camera.project(plan.layout.positions[node], (width, height))[:2]
        out = at + (at - middle) / np.linalg.norm(at - middle) * 20
        x, y = np.rint(out).astype(int)
        box = [
            image.pixelColor(i, j).name()
            for i in range(x - 9, x + 9)
            for j in range(y - 5, y + 6)
            if 0 <= i < width and 0 <= j < height
        ]
        named.append(any(colour != QColor(state.theme.panel).name() for colour in box))
    assert named[::2] == [True] * 16
    assert not any(named[1::2])
