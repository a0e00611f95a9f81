"""Highlights of tools on the machine, failures, and moving between items by keys: pixels and speed."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.pointing import Item
from app.storage.presets import worked_example
from app.views.machine.faults import faulty_batches
from core.job import Halo, Permutation
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.explicit import Explicit
from core.mapping.mapping import Mapping
from core.mapping.targets import Target
from core.network import Mesh, Torus
from core.network.faults import BundleFault, LinkFault, NodeFault
from core.routing import DimensionOrder

MESH = Scenario(Mesh(dims=(5, 7)), Permutation(tasks=35, seed=1), Sequential(), DimensionOrder())
BIG = Scenario(Mesh(dims=(128, 128)), Halo(rows=128, cols=128), Sequential(), DimensionOrder())
BOX = Scenario(Torus(dims=(4, 4, 4)), Halo(rows=8, cols=8), Sequential(), DimensionOrder())


@pytest.fixture
def accelerated(accelerated):
    """Only the overlay of the canvas is examined here: the canvas itself is not drawn."""

    def make(scenario):
        view = accelerated(scenario)
        view.setUpdatesEnabled(False)
        return view

    return make


def pixel(view, point):
    x, y = view.camera.project(point, (view.width(), view.height()))[:2]
    return QPointF(float(x), float(y))


def node(view, index):
    return pixel(view, view.scene.geometry.layout.positions[index])


def box(view, group):
    return pixel(view, np.append(view.scene.geometry.layout.boxes[group, :2], 0))


def above(view):
    """The overlay of the canvas, shape (height, width, 4), in RGBA."""
    image = QImage(view.size(), QImage.Format.Format_RGBA8888)
    image.fill(0)
    painter = QPainter(image)
    view.paint_above(painter)
    painter.end()
    return np.array(image.constBits()).reshape(view.height(), view.width(), 4)


def like(pixels, colour):
    wanted = np.array(QColor(colour).getRgb()[:3])
    return (np.abs(pixels[..., :3].astype(int) - wanted).max(axis=-1) < 10) & (pixels[..., 3] > 200)


def around(pixels, at, reach):
    x, y = round(at.x()), round(at.y())
    return pixels[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]


def fail(session, *faults):
    session.propose(replace(session.state.wanted, faults=faults), name="Fail")
    assert session.state.error is None


def test_a_point_in_a_closed_box_hits_its_nearest_node(machine):
    view = machine(worked_example())
    hit = view.hit_at(node(view, 21 * 32 + 12))
    assert hit.item == Item("group", 21)
    assert hit.node == 21 * 32 + 12
    assert hit.task is None
    assert view.hit_at(QPointF(4, 4)).node is None


def test_a_point_on_a_link_of_a_lattice_hits_no_node(machine):
    view = machine(MESH)
    start, control, end = view.scene.links.curves[40]
    between = pixel(view, (start + 2 * control + end) / 4)
    assert view.hit_at(between).item == Item("link", int(view.scene.links.index[40]))
    assert view.hit_at(between).node is None
    assert view.hit_at(node(view, 17)).node == 17


def test_nodes_too_small_to_pick_are_still_hit(accelerated):
    view = accelerated(BIG)
    assert view.scene.geometry.layout.cell[0] * view.camera.scale < 4
    at = node(view, 64 * 128 + 50)
    assert view.hit_at(at + QPointF(0.4, 0.4)).node == 64 * 128 + 50


def test_a_drop_target_is_framed_at_every_level(accelerated):
    view = accelerated(worked_example())
    accent = view.state.style.theme.accent
    assert not like(above(view), accent).any()
    for target, size in ((Target(0, 9), 32), (Target(1, 9 * 4 + 1), 8), (Target(2, 9 * 32 + 12), 1)):
        view.session.set_drop_target(target)
        lit = like(above(view), accent)
        members = [node(view, int(n)) for n in target.nodes(view.scene.geometry.network)]
        assert len(members) == size
        assert around(lit, members[0], 9).any()
        assert around(lit, members[-1], 9).any()
        assert not around(lit, box(view, 20), 12).any()
    view.session.set_drop_target(None)
    assert not like(above(view), accent).any()


def test_the_drop_target_shows_its_name_and_how_full_it_is(accelerated, monkeypatch):
    view = accelerated(worked_example())
    written = []
    plain = QPainter.drawText
    monkeypatch.setattr(QPainter, "drawText", lambda self, *args: (written.append(args[-1]), plain(self, *args)))
    view.session.set_drop_target(Target(1, 37))
    above(view)
    assert "drawer 1 of supernode 9 · 32 of 32 tasks, full" in written


def test_the_brush_target_is_framed_only_while_painting(accelerated):
    view = accelerated(worked_example())
    view.session.set_target(Target(0, 9))
    assert not like(above(view), view.state.style.theme.accent).any()
    view.session.set_tool("paint")
    assert like(above(view), view.state.style.theme.accent).any()


def test_nodes_with_selected_tasks_are_framed(accelerated):
    view = accelerated(MESH)
    view.session.mark([17, 20])
    lit = like(above(view), view.state.style.theme.accent)
    for task in range(35):
        assert around(lit, node(view, task), 16).any() == (task in (17, 20))
    view.session.mark([])
    assert not like(above(view), view.state.style.theme.accent).any()


def test_frames_follow_selected_tasks_that_move(accelerated):
    view = accelerated(MESH)
    view.session.mark([17])
    order = np.arange(35)
    order[[17, 3]] = 3, 17
    view.session.choose("mapping", Explicit.of(Mapping(order.astype(np.int32), 1)))
    lit = like(above(view), view.state.style.theme.accent)
    assert around(lit, node(view, 3), 16).any()
    assert not around(lit, node(view, 17), 16).any()


class CountingPainter(QPainter):
    """Counts its drawing calls."""

    batch = 0

    def __getattribute__(self, name):
        if name.startswith("draw"):
            self.batch += 1
        return super().__getattribute__(name)


def test_sixteen_thousand_frames_are_drawn_in_one_image(accelerated):
    view = accelerated(BIG)
    batch = []
    for marked in ([], [17], np.arange(128 * 128)):
        view.session.mark(marked)
        image = QImage(view.size(), QImage.Format.Format_RGBA8888)
        painter = CountingPainter(image)
        view.paint_above(painter)
        painter.end()
        batch.append(painter.batch)
    assert batch[1] == batch[2] == batch[0] + 1


def test_in_a_solid_a_drop_target_is_framed_too(accelerated):
    view = accelerated(BOX)
    view.session.set_drop_target(Target(len(view.scene.geometry.network.levels), 21))
    assert around(like(above(view), view.state.style.theme.accent), node(view, 21), 10).any()


def test_failed_links_are_dashed_and_crossed(accelerated):
    view = accelerated(MESH)
    network = view.scene.geometry.network
    sound = above(view)
    link = LinkFault.of(network, 0)
    fail(view.session, link)
    middle = (node(view, link.src) + node(view, link.dst)) / 2
    drawn = above(view)
    assert like(around(drawn, middle, 8), view.state.style.theme.text).any()
    assert like(around(drawn, middle, 8), view.state.style.theme.panel).any()
    far = (node(view, 33) + node(view, 34)) / 2
    np.testing.assert_array_equal(around(drawn, far, 8), around(sound, far, 8))


def test_a_failed_bundle_is_crossed_and_can_be_hovered(accelerated):
    view = accelerated(worked_example())
    fail(view.session, BundleFault(3, 17))
    (batch,) = faulty_batches(view.scene, view.camera, view.state.evaluation.case.faults)
    start, control, end = batch.curves[0]
    middle = pixel(view, (start + 2 * control + end) / 4)
    assert like(around(above(view), middle, 7), view.state.style.theme.text).any()
    item = view.hit_at(middle).item
    assert item.kind == "bundle"
    assert set(divmod(item.index, 32)) == {3, 17}
    view.session.hover(item)
    assert "all failed" in view.readout_text


def test_a_failed_node_is_crossed_out_and_reported(accelerated):
    view = accelerated(MESH)
    fail(view.session, NodeFault(17))
    drawn = around(above(view), node(view, 17), 2)
    assert like(drawn, view.state.style.theme.text).any()
    view.session.hover(Item("node", 17))
    assert view.readout_text.startswith("X 2 · Y 3: failed")


def test_a_slow_link_shows_how_much_of_its_bandwidth_is_left(machine):
    view = machine(MESH)
    network = view.scene.geometry.network
    fail(view.session, LinkFault.of(network, 0, 0.5))
    view.session.hover(Item("link", 0))
    assert view.readout_text.split("\n")[-1] == f"at 50 % of {network.gbs[0]:.4g} GB/s"


def test_the_legend_explains_marks_only_where_there_are_any(accelerated, monkeypatch):
    view = accelerated(MESH)
    written = []
    plain = QPainter.drawText
    monkeypatch.setattr(QPainter, "drawText", lambda self, *args: (written.append(args[-1]), plain(self, *args)))
    above(view)
    assert not any("failed" in text for text in written)
    fail(view.session, LinkFault.of(view.scene.geometry.network, 0), NodeFault(17))
    above(view)
    assert any(text.endswith("links failed, 1 node failed") for text in written)


def test_arrows_go_from_box_to_box_and_from_node_to_node(machine):
    view = machine(worked_example())
    view.session.select(Item("group", 0))
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.state.selection == Item("group", 1)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.state.selection == Item("group", 0)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.state.selection == Item("group", 0)
    view.session.set_level(2)
    view.session.select(Item("node", 9))
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.state.selection == Item("node", 10)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.state.selection == Item("node", 18)


def test_every_node_of_a_lattice_can_be_reached_by_arrows(machine):
    view = machine(MESH)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.state.selection == Item("node", 17)
    for _ in range(5):
        QTest.keyClick(view, Qt.Key.Key_Left)
        QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.state.selection == Item("node", 0)
    for _ in range(8):
        QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.state.selection == Item("node", 6)


def test_the_hover_highlight_ends_when_the_pointer_leaves(machine):
    view = machine(worked_example())
    view.session.set_drop_target(Target(0, 3))
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert view.state.edit.drop_target is None
