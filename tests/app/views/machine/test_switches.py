"""Switches are items like nodes: pointed at, chosen, distinguished from nodes; but they take no tasks."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest

from app.model.parts import part_named
from app.model.pointing import Hit, Item, exists, groups_of, nodes_of, vertex_item, vertices_of
from app.storage.pictures import save_picture
from app.style.colour import lookup_table
from app.style.theme import DARK, LIGHT
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from app.views.heatmaps.inner_matrix import InnerMatrixView
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.camera import fitting_camera
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit, paint_machine
from app.views.machine.picker import item_lines, resolve
from app.window.context_menu import faults_offered, places, title
from core.job import AllToAll, Permutation
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, FatTree, NodeFault
from core.routing import Minimal
from tests.app.sessions import state_of
from tests.app.views.machine.rest import at_rest
from tests.app.views.seen import text_of
from tests.pointer import drag, move

TREE = Scenario(FatTree(arity=3, levels=2), AllToAll(tasks=9), Sequential(), Minimal())
GROUPS = Scenario(
    Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2), AllToAll(tasks=12), Sequential(), Minimal()
)
SIZE = (660, 600)


def pixel(view, vertex):
    x, y = view.camera.project(view.scene.geometry.layout.positions[vertex], (view.width(), view.height()))[:2]
    return QPoint(round(float(x)), round(float(y)))


def corner(camera, scene_cell, at, share=0.92):
    """The distance of a point just inside the corner of a cell from its centre, in pixels."""
    half = share * np.array(scene_cell) * camera.scale / 2
    return round(at[0] - half[0]), round(at[1] - half[1])


def test_switches_have_names_and_ends_and_groups(qapp):
    tree, groups = (state_of(scenario).evaluation.case for scenario in (TREE, GROUPS))
    assert [exists(Item("switch", index), tree) for index in (8, 9, 14, 15)] == [False, True, True, False]
    assert [vertex_item(index, tree.network).kind for index in (8, 9)] == ["node", "switch"]
    assert [tree.network.vertex_name(index) for index in (8, 9, 14)] == ["node 8", "L1 switch 0", "L2 switch 2"]
    assert groups.network.vertex_name(13) == "switch g0 · r1"
    assert vertices_of(Item("switch", 13), groups) == (13,)
    assert nodes_of(Item("switch", 13), groups) == ()
    assert [groups_of(Item("switch", index), groups) for index in (12, 13, 17)] == [(0,), (0,), (2,)]
    assert groups_of(Item("switch", 14), tree) == (5,)


def test_a_hovered_switch_shows_its_hottest_link(machine, qtbot):
    view = machine(TREE)
    at = pixel(view, 13)
    move(view, at - QPoint(30, 30), at, steps=3, button=Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: view.state.hover == Item("switch", 13))
    network, relative = view.scene.geometry.network, view.state.utilisation
    touching = np.flatnonzero((network.src == 13) | (network.dst == 13))
    first, second = view.readout_text.split("\n")
    assert first == f"L2 switch 1: {touching.size} links, no tasks"
    assert second.endswith(f", {100 * relative[touching].max():.0f} %")
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    assert view.state.selection == Item("switch", 13)


def test_a_selected_switch_is_outlined_with_its_links(session_of, machine):
    view = machine(TREE)
    case = view.state.evaluation.case
    chosen = resolve(Item("switch", 10), view.scene, view.camera, case)
    np.testing.assert_array_equal(chosen.nodes, [10])
    touching = view.scene.geometry.links_at(10)
    loaded = touching[view.state.utilisation[touching] > 0]
    assert loaded.size
    np.testing.assert_array_equal(np.sort(chosen.batch.index), loaded)
    before = view.grab().toImage()
    view.session.select(Item("switch", 10))
    after, accent = view.grab().toImage(), QColor(view.state.style.theme.accent)
    x, y = pixel(view, 10).x(), pixel(view, 10).y()
    reach = round(view.scene.geometry.layout.switch[0] * view.camera.scale / 2) + 3

    def blue(image):
        ring = [(x + dx, y) for dx in range(-reach, reach + 1)]
        return sum(image.pixelColor(*at).name() == accent.name() for at in ring)

    assert blue(after) > blue(before)


def test_links_between_switches_can_be_selected_in_closed_and_open_boxes(machine, qtbot):
    view = machine(GROUPS)
    network = view.state.evaluation.case.network
    link = int(np.flatnonzero((network.src >= network.nodes) & (network.dst >= network.nodes))[0])
    for camera in (view.camera, fitting_camera([-9, -9, 0], [9, 9, 0], False, SIZE, (0, 0, 0, 0))):
        view.controller.move(camera)
        qtbot.waitUntil(lambda: at_rest(view))
        for item in (Item("link", link), Item("switch", int(network.src[link]))):
            view.session.select(item)
            view.session.hover(item)
            assert not view.grab().toImage().isNull()
            assert view.readout_text


def test_no_task_can_be_dropped_on_a_switch(machine):
    view = machine(TREE)
    hit = view.hit_at(QPointF(pixel(view, 10)))
    assert (hit.item, hit.node, hit.level) == (Item("switch", 10), None, None)
    view.session.set_grabbed([0])
    assert view.hit_at(QPointF(pixel(view, 10))).node is None
    assert view.hit_at(QPointF(pixel(view, 4))).node == 4
    before = view.state.evaluation.case.mapping.slots.copy()
    drag(view, pixel(view, 0), pixel(view, 10))
    np.testing.assert_array_equal(view.state.evaluation.case.mapping.slots, before)


def test_arrows_go_to_switches_and_back(machine):
    view = machine(TREE)
    view.session.select(Item("node", 3))
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.state.selection.kind == "switch"
    assert view.state.selection.index >= 12
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.state.selection.kind == "node"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_switches_are_round_and_nodes_have_corners_in_pictures(qapp, theme):
    state = state_of(TREE, theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, *SIZE), state)
    painter.end()
    camera, table = fit(geometry, SIZE, HEAD), lookup_table("heat", theme.dark)
    for vertex, filled in ((4, True), (13, False)):
        hot = QColor(*table[round(float(state.report.utilisation[geometry.links_at(vertex)].max()) * 255)].tolist())
        at = camera.project(geometry.layout.positions[vertex], SIZE)[:2]
        assert (image.pixelColor(*corner(camera, geometry.layout.cell, at)) == hot) == filled
        assert image.pixelColor(round(at[0]) - 8, round(at[1]) - 8) == hot
    # The legend says so: a square before "node", a disc before "switch".
    legend_top = SIZE[1] - 58 - 22
    assert image.pixelColor(13, legend_top + 7) == QColor(theme.dim)


def test_switches_are_round_on_the_canvas(accelerated):
    view = accelerated(TREE)
    picture, cell = view.canvas.picture(), view.scene.geometry.layout.cell
    for vertex, filled in ((4, True), (13, False)):
        at = view.camera.project(view.scene.geometry.layout.positions[vertex], SIZE)[:2]
        x, y = corner(view.camera, cell, at)
        middle = picture[round(at[1]), round(at[0])]
        assert np.array_equal(picture[y, x], middle) == filled


def test_failed_switches_are_crossed_discs_and_failed_nodes_crossed_squares(qapp):
    state = state_of(replace(TREE, faults=(NodeFault(4), NodeFault(13))))
    geometry = MachineGeometry(state.evaluation.case.network)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(DARK.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, *SIZE), state)
    painter.end()
    camera = fit(geometry, SIZE, HEAD)
    for vertex, square in ((4, True), (13, False)):
        at = camera.project(geometry.layout.positions[vertex], SIZE)[:2]
        cross, tip = (image.pixelColor(*corner(camera, geometry.layout.cell, at, share)) for share in (0.6, 1.0))
        assert cross.lightness() > 150
        assert (tip.lightness() > 150) == square
        assert item_lines(vertex_item(vertex, geometry.network), geometry, state)[0].endswith(": failed")


def test_matrices_and_the_task_grid_know_switches(session_of, shown):
    session = session_of(GROUPS)
    case = session.state.evaluation.case
    inner, bundles = shown(InnerMatrixView(session)), shown(BundleMatrixView(session))
    session.select(Item("switch", 15))
    assert inner.heading() == "Group 1"
    assert text_of(inner) == "switch g1 · r1"
    (row,) = inner.marks(Item("switch", 15)).lines
    assert inner.pair_item(row, row) == Item("switch", 15)
    assert bundles.marks(Item("switch", 15)).lines == (1,)
    grid = shown(JobGridView(session))
    assert not grid.tasks_of(Item("switch", 15)).any()
    between = int(np.flatnonzero((case.network.src >= 12) & (case.network.dst >= 12))[0])
    assert not grid.tasks_of(Item("link", between)).any()
    session.hover(Item("switch", 15))
    assert text_of(grid) == "switch g1 · r1"


def test_menus_name_a_switch_and_offer_no_place_on_it(qapp):
    case = state_of(GROUPS).evaluation.case
    item = Item("switch", 13)
    assert title(item, case) == "Switch g0 · r1"
    assert places(Hit(item), case) == []
    assert faults_offered(Hit(item), case) == [(NodeFault(13), "switch g0 · r1")]
    plane = state_of(TREE).evaluation.case
    assert title(Item("group", 4), plane) == "L2 switch 1"
    assert places(Hit(Item("group", 4)), plane) == []


def test_the_inner_levels_of_a_job_do_not_describe_a_switch(qapp):
    state = state_of(TREE)
    lines = item_lines(Item("switch", 9), MachineGeometry(state.evaluation.case.network), state)
    assert lines[0] == "L1 switch 0: 12 links, no tasks"
    assert len(lines) == 2


LARGE_NETWORK = Scenario(FatTree(arity=8, levels=3), Permutation(tasks=512), Sequential(), Minimal())


def test_switches_of_a_large_tree_are_discs_on_the_screen(machine):
    view = machine(LARGE_NETWORK, 1100, 700)
    nodes = view.scene.geometry.network.nodes
    sizes = view.scene.cell_sizes[nodes:] * view.camera.scale
    np.testing.assert_allclose(sizes[:, 0], sizes[:, 1], rtol=1e-6)
    assert sizes.min() >= 4


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_switches_at_bottlenecks_have_marks_despite_many_links(qapp, theme):
    state = state_of(LARGE_NETWORK, theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    size = (1280, 800)
    with_marks, camera = QImage(*size, QImage.Format.Format_RGB32), fit(geometry, size, HEAD)
    painter = QPainter(with_marks)
    paint_machine(painter, QRectF(0, 0, *size), state)
    painter.end()
    relative, network = state.report.utilisation, geometry.network
    table = lookup_table("heat", theme.dark)
    for vertex in range(network.nodes, network.vertices):
        hottest = float(relative[geometry.links_at(vertex)].max())
        at = camera.project(geometry.layout.positions[vertex], size)[:2]
        middle = with_marks.pixelColor(round(float(at[0])), round(float(at[1]))).lightness()
        fill = QColor(*table[round(hottest * 255)].tolist()).lightness()
        assert (abs(middle - fill) > 40) == (hottest > 0.9999)


def test_levels_are_named_inside_the_picture_even_when_zoomed(qapp, tmp_path):
    state = state_of(LARGE_NETWORK)
    names = ["nodes", "host links", "L1 switches", "L1-L2 links", "L2 switches", "L2-L3 links", "L3 switches"]
    for size in ((660, 600), (1600, 1000)):
        places = written(state, size, tmp_path)
        assert set(names) <= set(places)
        boxes = [QRectF(x, y - 10, 6 * len(name), 12) for name, (x, y) in places.items() if name in names]
        assert all(QRectF(0, HEAD, *size).contains(box) for box in boxes)
        assert not any(a.intersects(b) for a in boxes for b in boxes if a is not b)
    part = part_named("L2 switch 40", state.evaluation.case.network)
    assert "L2 switches" in written(state, (900, 600), tmp_path, part)


def written(state, size, folder, part=None):
    """Every text of a picture and its starting position."""
    path = folder / "names.svg"
    save_picture(path, size, state.style.theme, lambda painter, area: paint_machine(painter, area, state, part=part))
    texts = [element for element in ElementTree.parse(path).iter() if element.tag.endswith("text")]
    return {"".join(text.itertext()).strip(): (float(text.get("x")), float(text.get("y"))) for text in texts}
