"""Pictures of the machine without OpenGL: the right colours at the right places, in every device."""

import os
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.pointing import Item
from app.storage.pictures import save_picture
from app.storage.presets import preset, worked_example
from app.style.colour import ColourScale, lookup_table
from app.style.theme import DARK, LIGHT
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit, paint_machine
from core.job import Halo, Permutation
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Mesh, Torus
from core.routing import DimensionOrder
from tests import patience
from tests.app.sessions import state_of, with_fields

SIZE = (640, 560)
MESH = Scenario(Mesh(dims=(5, 7)), Permutation(tasks=35, seed=1), Sequential(), DimensionOrder())
BOX = Scenario(Torus(dims=(4, 4, 4)), Halo(rows=8, cols=8), Sequential(), DimensionOrder())


def painted(state, view=None, size=SIZE):
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(state.style.theme.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, *size), state, view)
    painter.end()
    return image


def close(pixel, rgb, slack=10):
    return all(abs(a - b) <= slack for a, b in zip(pixel.getRgb()[:3], map(int, rgb[:3]), strict=True))


def place_of(geometry, point, camera=None):
    x, y = (camera or fit(geometry, SIZE, HEAD)).project(point, SIZE)[:2]
    return round(float(x)), round(float(y))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_a_cell_has_the_colour_of_its_hottest_link(qapp, theme):
    state = state_of(MESH, theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    image, table = painted(state), lookup_table("heat", theme.dark)
    for node in range(35):
        links = geometry.links_at(node)
        expected = table[round(float(state.report.utilisation[links].max()) * 255)]
        x, y = place_of(geometry, geometry.layout.positions[node])
        assert close(image.pixelColor(x - 12, y - 12), expected)


def test_a_scale_changes_the_colours(qapp):
    state = state_of(MESH)
    geometry = MachineGeometry(state.evaluation.case.network)
    node = next(n for n in range(35) if state.report.utilisation[geometry.links_at(n)].max() < 0.9)
    heat = float(state.report.utilisation[geometry.links_at(node)].max())
    x, y = place_of(geometry, geometry.layout.positions[node])
    log = ColourScale(log=True)
    expected = lookup_table("heat", True)[round(float(log.coordinate(heat)) * 255)]
    assert close(painted(with_fields(state, scale=log)).pixelColor(x - 12, y - 12), expected)
    assert not close(painted(state).pixelColor(x - 12, y - 12), expected)


def test_a_hot_link_is_drawn_from_end_to_end(qapp):
    state = state_of(MESH)
    geometry = MachineGeometry(state.evaluation.case.network)
    hot = state.report.bottleneck_links[:1]
    (start, control, end), *_ = geometry.layout.link_curves(hot, geometry.network.src[hot], geometry.network.dst[hot])
    image = painted(state)
    for t in (0.25, 0.35, 0.75):
        x, y = place_of(geometry, (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end)
        assert close(image.pixelColor(x, y), lookup_table("heat", True)[255])


def test_the_selection_is_outlined_and_everything_else_fades(qapp):
    state = state_of(worked_example())
    geometry = MachineGeometry(state.evaluation.case.network)
    x, y, _, height = geometry.layout.boxes[21]
    edge = place_of(geometry, (x, y + height / 2, 0))
    chosen = painted(replace(state, selection=Item("group", 21)))
    column = [chosen.pixelColor(edge[0], edge[1] + dy) for dy in range(-5, 3)]
    assert any(close(pixel, QColor(DARK.accent).getRgb(), 30) for pixel in column)
    other = place_of(geometry, geometry.layout.positions[3 * 32 + 9])
    before, after = painted(state).pixelColor(*other), chosen.pixelColor(*other)
    assert after.lightness() < before.lightness()


def test_every_named_corner_of_a_solid_is_written_in_svg(qapp, tmp_path):
    state = state_of(BOX)
    path = tmp_path / "box.svg"
    save_picture(path, SIZE, state.style.theme, lambda painter, area: paint_machine(painter, area, state))
    texts = "".join(ElementTree.parse(path).getroot().itertext())
    assert "(0,0,0)" in texts
    assert "(3,3,3)" in texts
    assert "relative to the hottest link" in texts


def test_svg_of_the_worked_example_is_made_of_curves(qapp, tmp_path):
    state = state_of(worked_example())
    path = tmp_path / "machine.svg"
    save_picture(path, SIZE, state.style.theme, lambda painter, area: paint_machine(painter, area, state))
    text = path.read_text(encoding="utf-8")
    assert text.count("C") >= 128
    assert "image" not in {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}


def test_the_view_of_a_window_is_kept(qapp):
    state = state_of(worked_example())
    geometry = MachineGeometry(state.evaluation.case.network)
    camera = fit(geometry, (320, 280)).onto(geometry.layout.boxes[21], (320, 280))
    image = painted(state, (geometry, camera, (320, 280)))
    node = 21 * 32 + 12
    x, y = place_of(geometry, geometry.layout.positions[node], camera.resized((320, 280), SIZE))
    links = geometry.links_at(node)
    expected = lookup_table("heat", True)[round(float(state.report.utilisation[links].max()) * 255)]
    assert close(image.pixelColor(x - 12, y + 12), expected)


def test_the_area_is_a_clip_and_an_origin(qapp):
    state = state_of(MESH)
    image = QImage(900, 700, QImage.Format.Format_RGB32)
    image.fill(QColor("#123456"))
    painter = QPainter(image)
    paint_machine(painter, QRectF(100, 80, *SIZE), state)
    painter.end()
    assert image.copy(100, 80, *SIZE) != image.copy(0, 0, *SIZE)
    outside = [image.pixelColor(x, y) for x in range(0, 900, 3) for y in range(0, 700, 3) if x < 100 or y < 80]
    assert {pixel.name() for pixel in outside} == {"#123456"}


def test_renders_without_a_screen_and_without_opengl(tmp_path):
    out = tmp_path / "machine.png"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from app.storage.presets import preset\n"
        "from app.cli.picture import render_file\n"
        f"render_file(preset('hypercube-64-nodes'), 'machine', Path({str(out)!r}), (800, 600), 'dark')\n"
        "assert not any(name.startswith(('vispy', 'OpenGL')) for name in sys.modules)\n"
    )
    hidden = {"DISPLAY", "WAYLAND_DISPLAY"}
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | {"QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=patience.SECONDS)
    image = QImage(str(out))
    assert (image.width(), image.height()) == (800, 600)
    hot = lookup_table("heat", True)[255]
    assert any(close(image.pixelColor(x, y), hot) for x in range(0, 800) for y in range(0, 500))


def test_links_beyond_a_frozen_scale_have_a_colour_no_map_has(qapp):
    state = state_of(MESH)
    frozen = with_fields(state, scale=ColourScale(frozen_time=state.report.time / 2))
    geometry = MachineGeometry(state.evaluation.case.network)
    node = int(geometry.network.src[state.report.bottleneck_links[0]])
    x, y = place_of(geometry, geometry.layout.positions[node])
    beyond = QColor(state.style.theme.beyond).getRgb()
    assert close(painted(frozen).pixelColor(x - 12, y - 12), beyond)
    assert not close(painted(state).pixelColor(x - 12, y - 12), beyond)


@pytest.mark.parametrize("name", ["power775-smallest", "power775-halo", "torus-16x16-transpose"])
@pytest.mark.parametrize("size", [(330, 600), SIZE], ids=["narrow", "wide"])
def test_a_picture_keeps_the_machine_below_its_heading(qapp, name, size):
    state = state_of(preset(name))
    image, panel = painted(state, size=size), QColor(state.style.theme.panel).rgb()
    heading, gap = ({image.pixel(x, y) for x in range(size[0]) for y in rows} for rows in (range(8, 48), range(49, 56)))
    assert len(heading) > 1
    assert gap == {panel}
