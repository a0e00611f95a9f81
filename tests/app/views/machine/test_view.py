"""The machine view on the screen: pointer actions, visible content, and cost."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QImage, QPainter, QTextDocument, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.model.changes import ChangeSet
from app.model.pointing import Item
from app.storage.presets import worked_example
from app.style.colour import ColourScale, lookup_table
from app.style.theme import LIGHT
from app.views.legend import LegendOverlay
from app.views.machine import scene_image
from app.views.machine.bottleneck_marks import bottleneck_marks
from app.views.machine.picture import Picture
from app.views.machine.view import MachineView
from core.job import Halo, Permutation
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Mesh, Torus
from core.routing import DimensionOrder
from tests.pointer import drag, move

MESH = Scenario(Mesh(dims=(5, 7)), Permutation(tasks=35, seed=1), Sequential(), DimensionOrder())
BOX = Scenario(Torus(dims=(4, 4, 4)), Halo(rows=8, cols=8), Sequential(), DimensionOrder())


def pixel(view, point):
    x, y = view.camera.project(point, (view.width(), view.height()))[:2]
    return QPoint(round(float(x)), round(float(y)))


def box(view, group):
    return pixel(view, np.append(view.scene.geometry.layout.boxes[group, :2], 0))


def node(view, index):
    return pixel(view, view.scene.geometry.layout.positions[index])


def middle(batch, k):
    start, control, end = batch.curves[k]
    return (start + 2 * control + end) / 4


def click(view, at):
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)


def wheel(view, at, notches):
    none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(QPointF(at), QPointF(view.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches), *none, False)
    QApplication.sendEvent(view, event)


def settle(view, qtbot):
    qtbot.waitUntil(lambda: not view.moving)


def canvas_colour(view, at):
    return view.canvas.picture()[at.y(), at.x()].astype(int)


def test_a_click_selects_the_visible_item_and_deselects_on_empty_space(machine):
    view = machine(worked_example())
    click(view, box(view, 21))
    assert view.state.selection == Item("group", 21)
    bundles = view.scene.bundles
    k = next(k for k in range(bundles.count) if abs(middle(bundles, k)[:2]).max() < 0.6)
    click(view, pixel(view, middle(bundles, k)))
    assert view.state.selection.kind == "bundle"
    click(view, QPoint(650, 5))
    assert view.state.selection is None


def test_hovering_is_reported_once_per_frame_and_ends_when_the_pointer_leaves(machine, qtbot):
    view, told = machine(worked_example()), []
    view.session.changed.connect(lambda changes: told.append(changes) if changes & ChangeSet.HOVER else None)
    move(view, box(view, 8), box(view, 9), steps=4, button=Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: view.state.hover == Item("group", 9))
    assert len(told) <= 4
    assert view.readout_text.startswith("supernode 9 · 32 nodes")
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert view.state.hover is None
    assert view.readout_text == ""


def test_a_mark_of_several_bottlenecks_shows_their_number(machine, qtbot):
    view = machine(replace(worked_example(), mapping=Sequential()))
    marks = bottleneck_marks(Picture(QPainter(), view.scene, view.camera, view.size().toTuple(), view.state))
    k = int(np.argmax(marks.curves))
    assert marks.curves[k] > 1
    at = QPoint(*np.rint(marks.at[k]).astype(int).tolist())
    view.grab()
    move(view, at + QPoint(40, 40), at, steps=4, button=Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: f"this mark represents {marks.curves[k]} bottlenecks" in view.readout_text)
    move(view, at, at + QPoint(40, 40), steps=4, button=Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: "this mark" not in view.readout_text)


def test_wheel_opens_a_box_and_keeps_the_place_under_the_pointer(machine, qtbot):
    view = machine(worked_example())
    at = node(view, 21 * 32 + 12)
    here = view.camera.world(at.x(), at.y(), (660, 600))
    for _ in range(13):
        wheel(view, at, 1)
    assert view.camera.world(at.x(), at.y(), (660, 600)) == pytest.approx(here)
    qtbot.waitUntil(lambda: 21 in view.scene.open)
    click(view, node(view, 21 * 32 + 12))
    assert view.state.selection == Item("node", 21 * 32 + 12)


def test_double_click_opens_a_box_and_escape_shows_everything(machine, qtbot):
    view, told = machine(worked_example()), []
    view.subtitle_changed.connect(told.append)
    home = view.camera
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=box(view, 4))
    qtbot.waitUntil(lambda: 4 in view.scene.open)
    settle(view, qtbot)
    assert (box(view, 4) - QPoint(330, 300)).manhattanLength() <= 2
    assert "links" in told[-1]
    QTest.keyClick(view, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.camera == home)
    qtbot.waitUntil(lambda: not view.scene.open.size)
    assert told[-1] == "128 of 496 bundles in use · zoom in to open a supernode"


def test_dragging_pans_the_plane_and_selects_nothing(machine, qtbot):
    view = machine(worked_example())
    before = box(view, 16)
    drag(view, QPoint(300, 250), QPoint(360, 220))
    assert box(view, 16) - before == QPoint(60, -30)
    assert view.state.selection is None
    QTest.keyClick(view, Qt.Key.Key_F)
    qtbot.waitUntil(lambda: box(view, 16) == before)


def test_dragging_turns_a_solid_and_shift_pans_it(machine):
    view = machine(BOX)
    before = view.camera
    drag(view, QPoint(300, 250), QPoint(350, 270))
    turned = view.camera
    assert turned.azimuth == pytest.approx(before.azimuth + 20)
    assert turned.elevation == pytest.approx(before.elevation + 8)
    drag(view, QPoint(300, 250), QPoint(330, 250), modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert view.camera.azimuth == turned.azimuth
    assert view.camera.shift[0] == pytest.approx(turned.shift[0] - 30 / turned.scale)


@pytest.mark.parametrize("scenario", [MESH, worked_example(), BOX], ids=["mesh", "percs", "box"])
def test_hot_is_on_the_canvas_in_its_colour(accelerated, scenario):
    view = accelerated(scenario)
    hot = lookup_table("heat", True)[255, :3].astype(int)
    picture = view.canvas.picture().astype(int)
    assert (np.abs(picture - hot).max(axis=2) < 12).sum() > 20


def test_cells_on_the_canvas_have_the_colour_of_their_hottest_link(accelerated):
    view = accelerated(MESH)
    table, picture = lookup_table("heat", True), view.canvas.picture().astype(int)
    for index in range(35):
        at = node(view, index)
        expected = table[round(float(view.scene.shading.node[index]) * 255), :3].astype(int)
        assert np.abs(picture[at.y(), at.x()] - expected).max() < 12


def test_theme_and_scale_recolour_the_canvas(accelerated):
    view = accelerated(MESH)
    index = int(np.argmin(view.scene.shading.node))
    dark = canvas_colour(view, node(view, index))
    view.session.set_scale(ColourScale(log=True))
    log = canvas_colour(view, node(view, index))
    view.session.set_theme(LIGHT)
    light = canvas_colour(view, node(view, index))
    assert len({tuple(dark), tuple(log), tuple(light)}) == 3
    assert tuple(canvas_colour(view, QPoint(5, 5))) == QColor(LIGHT.panel).getRgb()[:3]


def test_new_loads_move_no_geometry(accelerated, monkeypatch):
    view = accelerated(MESH)
    view.session.choose("job", Permutation(tasks=35, seed=7))
    moved = []
    for marks in (view.canvas.cells, view.canvas.links):
        monkeypatch.setattr(type(marks), "set_geometry", lambda *args, **kwargs: moved.append(args))
    before = view.scene.shading.link
    view.session.choose("job", Permutation(tasks=35, seed=3))
    assert not np.array_equal(view.scene.shading.link, before)
    assert not moved


def test_another_network_starts_with_all_of_it_in_view(machine, qtbot):
    view = machine(worked_example())
    view.open_group(3)
    settle(view, qtbot)
    view.session.propose(MESH)
    size = (660, 600)
    seen = view.camera.project(view.scene.geometry.layout.positions, size)[:, :2]
    assert (seen > 20).all()
    assert (seen < np.array(size) - 20).all()
    assert not view.scene.bundles.count


def test_a_selection_in_another_view_is_highlighted(accelerated):
    view = accelerated(worked_example())
    before = canvas_colour(view, node(view, 3 * 32 + 9))
    report = view.state.report
    view.session.select(Item("link", int(report.bottleneck_links[0])))
    assert "bottleneck" in view.readout_text
    after = canvas_colour(view, node(view, 3 * 32 + 9))
    assert after.sum() < before.sum()
    accent = np.array(QColor(view.state.style.theme.accent).getRgb()[:3])
    assert count_near(view.grab().toImage(), accent) > 10
    view.session.select(None)
    assert count_near(view.grab().toImage(), accent) == 0
    np.testing.assert_array_equal(canvas_colour(view, node(view, 3 * 32 + 9)), before)


def count_near(image, rgb, slack=14):
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return int((np.abs(pixels[:, :, 2::-1].astype(int) - rgb).max(axis=2) < slack).sum())


def test_filter_shows_only_the_hottest(machine):
    view, told = machine(MESH), []
    view.subtitle_changed.connect(told.append)
    view.session.set_hottest_percent(10)
    assert view.scene.links.count == 12
    assert told[-1] == "12 of 116 links, the hottest 10 %"


def test_in_a_narrow_view_the_readout_is_above_the_legend_while_pointing(machine):
    view = machine(worked_example(), 360, 360)
    legend, readout = view.findChild(LegendOverlay), view.findChild(QLabel)
    assert legend.isVisible()
    view.session.hover(Item("group", 5))
    assert readout.isVisible()
    assert legend.isVisible()
    assert not readout.geometry().intersects(legend.geometry())
    assert view.rect().contains(readout.geometry())
    view.session.hover(None)
    view.session.select(Item("group", 5))
    assert legend.isVisible()
    assert not readout.isVisible()


def test_in_a_narrow_view_a_long_line_is_broken_not_cut_off(machine):
    view = machine(worked_example(), 300, 360)
    readout = view.findChild(QLabel)
    view.session.set_reference(view.session.state.evaluation)
    view.session.hover(Item("node", 8))
    assert readout.isVisible()
    assert view.rect().contains(readout.geometry())
    high = readout.height()
    view.resize(900, 360)
    assert view.rect().contains(readout.geometry())
    assert readout.height() < high


def test_a_figure_is_never_separated_from_its_unit(machine):
    view = machine(worked_example(), 300, 360)
    readout = view.findChild(QLabel)
    text = "A 68 % → B 0.25 units, <0.1 % of 5 GB/s per node"
    readout.write(("switch 3", text), view.state.style.theme)
    document = QTextDocument()
    document.setDefaultFont(readout.font())
    document.setHtml(readout.text())
    counts = set()
    for width in range(60, 400, 10):
        document.setTextWidth(width)
        document.size()  # lays it out
        block = document.begin()
        starts = [block.layout().lineAt(line).textStart() for line in range(block.layout().lineCount())]
        counts.add(len(starts))
        assert not any(block.text()[start:].startswith(("%", "unit", "GB/s", "0.1", "68", "0.25")) for start in starts)
    assert len(counts) > 3


def test_in_a_wide_view_readout_and_legend_stand_side_by_side(machine):
    view = machine(worked_example())
    legend, readout = view.findChild(LegendOverlay), view.findChild(QLabel)
    for item in (Item("link", 0), Item("node", 40), Item("group", 5), Item("task", 4000), Item("bundle", 7)):
        view.session.select(item)
        assert legend.isVisible()
        assert readout.isVisible()
        assert not readout.geometry().intersects(legend.geometry())


def test_resizing_keeps_everything_in_view(machine, qtbot):
    view = machine(worked_example())
    view.resize(420, 380)
    qtbot.waitUntil(lambda: view.width() == 420)
    places = [box(view, group) for group in range(32)]
    assert all(10 < at.x() < 410 and 10 < at.y() < 330 for at in places)


def test_a_hidden_view_is_updated_when_it_is_shown(machine):
    view = machine(MESH)
    scene = view.scene
    view.hide()
    view.session.choose("job", Permutation(tasks=35, seed=9))
    assert view.scene is scene
    view.show()
    assert view.scene is not scene


def test_picture_shows_the_view_as_it_is_zoomed(accelerated, qtbot):
    view = accelerated(worked_example())
    view.open_group(21)
    settle(view, qtbot)
    qtbot.waitUntil(lambda: 21 in view.scene.open)
    image = QImage(660, 600, QImage.Format.Format_RGB32)
    image.fill(QColor(view.state.style.theme.panel))
    painter = QPainter(image)
    view.paint_to(painter, QRectF(0, 0, 660, 600))
    painter.end()
    canvas = view.canvas.picture().astype(int)
    for index in range(21 * 32, 22 * 32, 5):
        at = node(view, index) + QPoint(-9, 9)
        drawn = np.array(image.pixelColor(at).getRgb()[:3])
        assert np.abs(drawn - canvas[at.y(), at.x()]).max() < 16


def test_without_opengl_it_draws_the_same(accelerated, session_of, shown, monkeypatch):
    monkeypatch.setattr("app.views.machine.view.opengl_version", lambda: None)
    plain = shown(MachineView(session_of(MESH)), 660, 600)
    monkeypatch.undo()
    view = accelerated(MESH)
    assert plain.canvas is None
    image, canvas = plain.grab().toImage(), view.canvas.picture().astype(int)
    for index in range(35):
        at = node(view, index) + QPoint(-10, 10)
        assert np.abs(np.array(image.pixelColor(at).getRgb()[:3]) - canvas[at.y(), at.x()]).max() < 12
    click(plain, node(plain, 17))
    assert plain.state.selection == Item("node", 17)


def test_without_visible_nodes_it_shows_how_to_get_back(accelerated, qtbot):
    view = accelerated(worked_example())
    for _ in range(3):
        drag(view, QPoint(20, 300), QPoint(640, 300))

    def written():
        image = QImage(view.size(), QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        view.paint_above(painter)
        painter.end()
        pixels = np.array(image.constBits()).reshape(view.height(), view.width(), 4)[..., 3] > 0
        return np.argwhere(pixels)

    assert (np.ptp(written(), axis=0) < (20, 400)).all()
    assert written()[:, 0].max() < 30
    QTest.keyClick(view, Qt.Key.Key_F)
    settle(view, qtbot)
    assert np.ptp(written(), axis=0)[0] > 400


def test_only_a_visible_focus_redraws_the_machine(machine, monkeypatch, qtbot):
    view, drawn = machine(MESH), []
    paint = view.paint_above
    monkeypatch.setattr(view, "paint_above", lambda painter: drawn.append(paint(painter)))
    with qtbot.waitExposed(view):
        QApplication.processEvents()

    def send(kind, reason):
        drawn.clear()
        QApplication.sendEvent(view, QFocusEvent(kind, reason))
        QApplication.processEvents()

    for kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
        send(kind, Qt.FocusReason.MouseFocusReason)
        assert not drawn
    for kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
        send(kind, Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(lambda: len(drawn) == 1)


def test_without_opengl_the_scene_is_redrawn_only_if_it_looks_different(machine, monkeypatch):
    view, drawn = machine(MESH), []
    session = view.session
    paint = scene_image.paint_scene
    monkeypatch.setattr(scene_image, "paint_scene", lambda picture: drawn.append(paint(picture)))
    view.grab()

    def drawn_after(change, *arguments):
        drawn.clear()
        change(*arguments)
        view.grab()
        return len(drawn)

    assert drawn_after(session.hover, Item("node", 3)) == 0
    assert drawn_after(session.mark, np.arange(4)) == 0
    assert drawn_after(session.select, Item("node", 3)) == 1  # the rest fades
    assert drawn_after(session.select, Item("node", 4)) == 0
    assert drawn_after(session.choose, "mapping", Random(1)) == 1
    assert drawn_after(session.set_scale, ColourScale(log=True)) == 1
    assert drawn_after(session.set_theme, LIGHT) == 1
    assert drawn_after(session.set_font_scale, 1.5) == 1
    assert drawn_after(wheel, view, QPoint(200, 200), 2) == 1
    assert drawn_after(view.resize, 500, 400) == 1
