"""Pictures of many links that cross each other: hot links are visible, no class is missing, no node vanishes."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.parts import part_named
from app.model.pointing import Item
from app.storage.pictures import save_picture
from app.style.colour import lookup_table
from app.style.theme import DARK, LIGHT
from app.views.machine import scene as scenes
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.paint import HEAD, fit, paint_machine
from app.views.machine.picker import Picker, resolve, scene_headline
from app.views.machine.picture import Picture, paint_batch
from app.views.machine.scene import BOLD_PX, EVEN_INK_BUDGET, MIN_CELL_PX, THINNEST, compose, link_width
from core.job import AllToAll, Halo, Permutation
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Complete, Dragonfly, FatTree, Hypercube, Shortcut, Torus
from core.routing import Minimal
from tests.app.sessions import state_of

SIZE = (660.0, 600.0)
RING = Circulant(nodes=1024, jumps=(1, 2, 4, 8))


def scene_of(spec, relative=None):
    geometry = MachineGeometry(spec.build())
    camera = fit(geometry, SIZE)
    relative = np.ones(geometry.network.links) if relative is None else relative(geometry.network)
    return compose(geometry, LinkShading(geometry, relative), camera, SIZE, 100.0), camera


def test_equal_links_are_equally_thin_and_cover_a_share_of_the_picture():
    scene, camera = scene_of(Complete(nodes=24))
    width = scene.links.width
    assert width.min() == width.max()
    assert THINNEST["link"] < width[0] < link_width(scene.geometry, camera)
    legs = np.linalg.norm(np.diff(scene.links.curves, axis=1), axis=2).sum()
    low, high = scene.geometry.bounds
    covered = legs * width[0] / (np.prod((high - low)[:2]) * camera.scale)
    assert covered == pytest.approx(EVEN_INK_BUDGET, rel=0.25)


def test_a_hot_link_among_many_is_bold():
    def one_hot(network):
        return np.where(np.arange(network.links) == 77, 1.0, 0.5)

    scene, camera = scene_of(Complete(nodes=64), one_hot)
    hot = scene.links.index == 77
    assert scene.links.width[hot] == np.float32(max(BOLD_PX, link_width(scene.geometry, camera)))
    assert (scene.links.width[~hot] < scene.links.width[hot] / 8).all()


def test_links_with_infinite_values_are_the_boldest():
    def one_infinite(network):
        return np.where(np.arange(network.links) == 77, np.inf, np.where(np.arange(network.links) % 2, 0.5, np.nan))

    with np.errstate(all="raise"):
        geometry = MachineGeometry(Complete(nodes=64).build())
        camera, shading = fit(geometry, SIZE), LinkShading(geometry, one_infinite(geometry.network), signed=True)
        scene = compose(geometry, shading, camera, SIZE, 100.0)
    assert np.isfinite(scene.links.width).all()
    assert scene.links.index[scene.links.width == scene.links.width.max()].tolist() == [77]


def test_colder_links_are_never_wider():
    scene, _ = scene_of(Complete(nodes=48), lambda network: np.random.default_rng(2).random(network.links))
    order = np.argsort(-scene.links.heat)
    assert (np.diff(scene.links.width[order]) <= 0).all()


def test_few_links_and_links_of_a_grid_keep_their_width():
    for spec in (Circulant(nodes=8, jumps=(1,)), Torus(dims=(30, 30))):
        scene, camera = scene_of(spec)
        assert (scene.links.width == link_width(scene.geometry, camera)).all()


def test_of_too_many_links_each_class_has_its_share(monkeypatch):
    monkeypatch.setattr(scenes, "CROSSING_LIMIT", 100)
    # The links of nodes are hotter than any above them.
    scene, _ = scene_of(FatTree(arity=4, levels=3), lambda network: 1.0 / (1 + network.class_of))
    network = scene.geometry.network
    shown = np.bincount(network.class_of[scene.links.index])
    assert shown.sum() == 100
    assert shown.min() >= 33
    assert scene_headline(scene) == "100 of 384 links, the hottest of each class"


def test_of_long_chords_fewer_are_drawn_than_of_short_ones():
    random, short = (scene_of(spec)[0].links.count for spec in (Shortcut(nodes=1024, degree=19), RING))
    assert short == scenes.CROSSING_LIMIT
    assert 1000 < random < 2500


def test_chords_cover_no_more_than_their_share():
    scene, camera = scene_of(Shortcut(nodes=1024, degree=19))
    low, high = scene.geometry.bounds
    legs = np.linalg.norm(np.diff(scene.links.curves, axis=1), axis=2).sum()
    assert legs / (np.prod((high - low)[:2]) * camera.scale) < 1.3 * scenes.MAX_COVERAGE


def test_a_node_shows_all_its_links_where_all_together_are_too_many(monkeypatch):
    monkeypatch.setattr(scenes, "CROSSING_LIMIT", 50)
    ends = {}
    for percent in (100.0, 1.0):
        case = Scenario(Circulant(nodes=64, jumps=(1, 3, 9)), AllToAll(tasks=64), Sequential(), Minimal()).build()
        geometry = MachineGeometry(case.network)
        camera = fit(geometry, SIZE)
        relative = np.linspace(0.1, 1, geometry.network.links)
        scene = compose(geometry, LinkShading(geometry, relative), camera, SIZE, percent)
        ends[percent] = resolve(Item("node", 0), scene, camera, case).batch.count
    assert ends == {100.0: 12, 1.0: 0}


def test_a_small_class_is_shown_completely_and_leaves_room_to_others(monkeypatch):
    monkeypatch.setattr(scenes, "CROSSING_LIMIT", 250)
    scene, _ = scene_of(Circulant(nodes=64, jumps=(1, 3, 32)))
    network = scene.geometry.network
    shown = {
        c.name: int(((scene.links.index >= c.links.start) & (scene.links.index < c.links.stop)).sum())
        for c in network.classes
    }
    assert shown == {"C1": 93, "C3": 93, "C32": 64}


def test_nodes_of_a_large_ring_do_not_vanish_and_each_is_still_found():
    scene, camera = scene_of(RING)
    across = scene.cell_sizes[:, 0] * camera.scale
    assert across.min() > MIN_CELL_PX / 1.2
    picker = Picker(scene, camera, SIZE)
    for node in (0, 1, 500, 1023):
        at = camera.project(scene.geometry.layout.positions[node], SIZE)[:2]
        assert picker.at(*at).index == node


def test_names_go_around_a_ring_in_round_steps(qapp):
    state = state_of(Scenario(RING, AllToAll(tasks=64), Sequential(), Minimal()))
    width, height = 640, 600
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(state.style.theme.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, width, height), state)
    painter.end()
    geometry = MachineGeometry(state.evaluation.case.network)
    camera = fit(geometry, (width, height), HEAD)
    middle = camera.project([0.0, 0.0, 0.0], (width, height))[:2]
    named = []
    for node in range(0, 1024, 32):
        at = camera.project(geometry.layout.positions[node], (width, height))[:2]
        out = at + (at - middle) / np.linalg.norm(at - middle) * 20
        x, y = np.rint(out).astype(int)
        box = [
            image.pixelColor(i, j).name()
            for i in range(x - 9, x + 9)
            for j in range(y - 5, y + 6)
            if 0 <= i < width and 0 <= j < height
        ]
        named.append(any(colour != QColor(state.style.theme.panel).name() for colour in box))
    assert named[::2] == [True] * 16
    assert not any(named[1::2])


CROSSING = {
    "circulant": Circulant(nodes=1024, jumps=tuple(2**k for k in range(10))),
    "hypercube": Hypercube(dimensions=10),
    "shortcut": Shortcut(nodes=1024, degree=11),
    "dragonfly": Dragonfly(routers=8, global_links=4, groups=33, nodes_per_router=4),
}


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("name", CROSSING)
def test_hot_links_stand_out_from_a_calm_picture(name, theme, qapp):
    spec = CROSSING[name]
    tasks = spec.build().nodes
    job = AllToAll(tasks=tasks) if name == "shortcut" else Permutation(tasks=tasks)
    state = state_of(Scenario(spec, job, Sequential(), Minimal()), theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    size = (1280, 800)
    camera = fit(geometry, size)
    scene = compose(geometry, LinkShading(geometry, state.link_values), camera, size, 100.0)
    batch = scene.bundles if geometry.boxed else scene.links
    order = np.argsort(-batch.heat, kind="stable")
    hot, rest = batch.width[order[:3]], batch.width[order[batch.count // 2 :]]
    assert hot.min() >= 2
    assert rest.max() <= hot.min() / 3
    # A screen of one colour is useless: most of it is background, and little of the rest has the hottest colour.
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    picture = Picture(painter, scene, camera, size, state)
    paint_batch(picture, batch)
    painter.end()
    # Every second pixel of every second row: hot links are two wide.
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(size[1], size[0], 4)[::2, ::2, 2::-1].astype(int)
    top = lookup_table("heat", theme.dark)[-1, :3].astype(int)
    hottest = (np.abs(pixels - top).sum(axis=2) < 40).mean()
    assert 0 < hottest < 0.03


def test_an_evenly_loaded_machine_is_calm_and_its_headline_says_so(qapp, tmp_path):
    state = state_of(Scenario(Hypercube(dimensions=8), AllToAll(tasks=256), Sequential(), Minimal(spread="equal")))
    geometry = MachineGeometry(state.evaluation.case.network)
    shading = LinkShading(geometry, state.link_values)
    assert shading.even
    scene = compose(geometry, shading, fit(geometry, SIZE), SIZE, 100.0)
    assert np.ptp(scene.links.width) == 0
    assert "all links equally loaded" in scene_headline(scene)
    save_picture(tmp_path / "a.svg", (900, 700), DARK, lambda painter, area: paint_machine(painter, area, state))
    assert "all links equally loaded" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_an_unevenly_loaded_machine_is_not_called_even():
    scene, _ = scene_of(Complete(nodes=8), lambda network: np.where(np.arange(network.links) == 3, 0.999, 1.0))
    assert not scene.shading.even
    assert "equally" not in scene_headline(scene)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_local_and_host_links_of_an_open_dragonfly_group_are_seen_loaded_or_not(theme, qapp):
    spec = CROSSING["dragonfly"]
    state = state_of(Scenario(spec, Halo(rows=32, cols=33), Sequential(), Minimal()), theme)
    network = state.evaluation.case.network
    geometry, size = MachineGeometry(network), (1280, 800)
    camera = fit(geometry, size, HEAD, part_named("group 3", network))
    scene = compose(geometry, LinkShading(geometry, state.link_values), camera, size, 100.0)
    inside = np.flatnonzero((geometry.ends[0] == 3) & (geometry.ends[1] == 3))
    assert {network.classes[int(kind)].name for kind in network.class_of[inside]} == {"local", "host"}
    assert set(inside.tolist()) <= set(scene.links.index.tolist())
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.field))
    painter = QPainter(image)
    picture = Picture(painter, scene, camera, size, state)
    paint_batch(picture, scene.links)
    painter.end()
    ground, curves = QColor(theme.field), scene.links.curves[np.isin(scene.links.index, inside)]
    middles = picture.at((curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4)
    for x, y in middles.tolist():
        seen = [image.pixelColor(round(x) + dx, round(y) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        assert max(contrast(pixel, ground) for pixel in seen) > 25


def contrast(a, b):
    return max(abs(channel - second) for channel, second in zip(a.getRgb(), b.getRgb(), strict=True))
