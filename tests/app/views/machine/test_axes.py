"""Axes of lattices: named in every picture, places numbered to the end, corner names clear of all that is drawn."""

from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.style.theme import DARK, LIGHT
from app.views.legend import legend_font
from app.views.machine import labels, paint
from app.views.machine.axes import places_named
from app.views.machine.axes_key import axes_key_rect, key_text
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.label_space import crossing
from app.views.machine.legends import paint_legends_above
from app.views.machine.overlay import paint_overlay
from app.views.machine.paint import HEAD, fit
from app.views.machine.picture import Picture
from app.views.machine.scene import compose
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Hypercube, Mesh, Torus
from core.routing import DimensionOrder
from tests.app.sessions import state_of

WINDOW, PAGE = (660, 600), (1600, 1000)
TURNS = [(0.0, 0.0), (60.0, 20.0), (200.0, -70.0), (31.0, 66.0)]


class Written(Picture):
    """A picture that records the texts written on it, and where."""

    def centred(self, text, at, metrics):
        half = np.array([metrics.horizontalAdvance(text), metrics.height()]) / 2
        self.__dict__.setdefault("notes", []).append((text, QRectF(*(at - half), *(2 * half))))
        super().centred(text, at, metrics)


@cache
def machine_of(spec, theme):
    """A machine, built once and viewed from many sides."""
    state = state_of(Scenario(spec, Halo(rows=1, cols=2), Sequential(), DimensionOrder()), theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    return state, geometry, LinkShading(geometry, state.link_values)


@pytest.fixture
def noted(qapp, monkeypatch):
    """Draw the overlay of a machine; return the texts with their areas, and the picture."""

    def draw(spec, size=WINDOW, turn=(0.0, 0.0), theme=DARK, zoom=1.0, head=0):
        state, geometry, shading = machine_of(spec, theme)
        camera = fit(geometry, size, head)
        camera = camera.turned(*turn) if camera.solid else camera
        camera = camera.zoomed(zoom, size[0] / 2, size[1] / 2, size)
        scene = compose(geometry, shading, camera, size, 100.0)
        image = QImage(*size, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        painter.setFont(legend_font(painter.font()))
        picture = Written(painter, scene, camera, size, state)
        texts_drawn = []
        write = labels.LabelSpace.write

        def wrote(self, text, rect, *more, **named):
            texts_drawn.append((text, QRectF(rect)))
            write(self, text, rect, *more, **named)

        monkeypatch.setattr(labels.LabelSpace, "write", wrote)
        paint_overlay(picture)
        painter.end()
        monkeypatch.setattr(labels.LabelSpace, "write", write)
        return texts_drawn + picture.__dict__.get("notes", []), picture

    return draw


def segments(picture):
    """The links as drawn, in many short lines, pixels."""
    start, control, end = np.moveaxis(picture.scene.links.curves.astype(float), 1, 0)
    t = np.linspace(0, 1, 9)[:, None, None]
    points = picture.at((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end)
    return np.stack([points[:-1], points[1:]], axis=2).reshape(-1, 2, 2)


@pytest.mark.parametrize("size", [WINDOW, PAGE])
def test_a_torus_of_16_by_16_is_numbered_to_the_end_with_the_names_of_its_axes(noted, size):
    labels, picture = noted(Torus(dims=(16, 16)), size)
    texts = [text for text, _ in labels]
    assert sorted(texts) == sorted([*map(str, range(16)), *map(str, range(16)), "X ↓", "Y →"])
    lines, surface = segments(picture), QRectF(0, 0, *size)
    for text, rect in labels:
        assert surface.contains(rect)
        # Nothing that is drawn crosses a number.
        assert not crossing(lines, rect.adjusted(1, 1, -1, -1)).any(), text
    for k, (_, rect) in enumerate(labels):
        assert not any(rect.adjusted(1, 1, -1, -1).intersects(other) for _, other in labels[:k])


def test_numbers_of_a_plane_stand_at_their_rows_and_columns(noted):
    labels, picture = noted(Mesh(dims=(3, 40)))
    at = picture.at(picture.geometry.layout.positions)
    columns = {text: rect.center().x() for text, rect in labels if rect.center().y() < at[0, 1] and text.isdigit()}
    assert columns == {str(k): pytest.approx(at[k, 0], abs=1) for k in map(int, columns)}
    assert {"0", "39"} <= columns.keys()
    assert len(columns) > 10


def test_nodes_have_their_names_where_all_of_them_fit_and_none_otherwise(noted):
    large = [text for text, _ in noted(Torus(dims=(16, 16)), PAGE, zoom=3.0)[0] if "," in text]
    small = [text for text, _ in noted(Torus(dims=(16, 16)), PAGE)[0] if "," in text]
    assert len(large) > 10
    assert "8,7" in large
    assert not small


def test_numbers_stay_visible_when_the_border_is_not(noted):
    size = (400, 400)
    labels, _ = noted(Torus(dims=(60, 60)), size, zoom=3.0)
    assert not any("," in text for text, _ in labels)
    seen = [rect for text, rect in labels if text.isdigit()]
    assert len(seen) > 10
    assert any(rect.top() < 4 for rect in seen)
    assert any(rect.left() < 4 for rect in seen)


def test_coordinates_are_written_in_round_steps_and_the_last_always():
    assert places_named(np.arange(16) * 20.0, 18) == list(range(16))
    assert places_named(np.arange(64) * 12.0, 20) == [*range(0, 62, 2), 63]
    assert places_named(np.arange(100) * 1.0, 20) == [0, 20, 40, 60, 99]
    assert places_named(np.arange(2) * -50.0, 20) == [0, 1]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("dims", [(2, 2, 2), (4, 4, 4), (8, 8, 8), (3, 9, 5)], ids=str)
def test_no_link_or_stub_crosses_the_name_of_a_corner_or_of_an_axis(noted, dims, turn):
    for size in (WINDOW, PAGE):
        labels, picture = noted(Torus(dims=dims), size, turn, head=HEAD)
        lines, cells = segments(picture), picture.cells
        texts = [text for text, _ in labels]
        assert {"X", "Y", "Z"} <= set(texts)
        corners = [(text, rect) for text, rect in labels if text.startswith("(")]
        assert len(corners) >= 3
        for text, rect in labels:
            assert not crossing(lines, rect).any(), text
            low, high = cells[:, :2], cells[:, :2] + cells[:, 2:]
            over = (low < (rect.right(), rect.bottom())) & (high > (rect.left(), rect.top()))
            assert not over.all(axis=1).any(), text
        for k, (_, rect) in enumerate(labels):
            assert not any(rect.intersects(other) for _, other in labels[:k])


def test_corner_names_of_other_pictures_avoid_links_too(noted):
    labels, picture = noted(Hypercube(dimensions=6))
    corners = [rect for text, rect in labels if len(text) == 6]
    assert len(corners) == 4
    assert not any(crossing(segments(picture), rect).any() for rect in corners)


def test_no_corner_name_is_below_the_heading_of_a_picture(qapp, monkeypatch):
    written, heads = [], []
    monkeypatch.setattr(
        labels.LabelSpace, "write", lambda self, text, rect, *more, **named: written.append((text, rect))
    )
    monkeypatch.setattr(paint, "draw_veil", lambda painter, rect, theme: heads.append(rect))
    size = (1000, 700)
    state = state_of(Scenario(Hypercube(dimensions=14), Halo(rows=1, cols=2), Sequential(), DimensionOrder()))
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint.paint_machine(painter, QRectF(0, 0, *size), state)
    painter.end()
    head = heads[-1]
    assert head.top() < HEAD < head.bottom() + 10
    names = [rect for text, rect in written if len(text) == 14]
    assert len(names) >= 2
    assert not any(rect.intersects(head) for rect in names)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (Torus(dims=(24, 23, 24, 2, 3, 2)), "boxes: X     across: Z › W › D6     down: Y › D5"),
        (Torus(dims=(24, 23, 24, 2, 3, 2), unit=3), "boxes: X     across: Z › A › C     down: Y › B"),
        (Torus(dims=(4, 1, 4, 4, 4)), "boxes: X     across: D5     down: Z › W"),
        (Torus(dims=(1, 3, 3, 3, 3)), "across: Y › D5     down: Z › W"),
        (Hypercube(dimensions=6), "across: Y › W › D6     down: X › Z › D5"),
    ],
)
def test_the_legend_of_nested_grids_names_the_dimension_of_each_level(spec, text):
    network = spec.build()
    geometry = MachineGeometry(network)
    scene = compose(geometry, LinkShading(geometry, np.zeros(network.links)), fit(geometry, WINDOW), WINDOW, 100.0)
    picture = Picture(None, scene, fit(geometry, WINDOW), WINDOW, None)
    assert key_text(picture) == text


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_the_legend_of_nested_grids_is_in_the_picture(qapp, theme):
    spec = Torus(dims=(3, 3, 3, 3))
    state = state_of(Scenario(spec, Halo(rows=3, cols=3), Sequential(), DimensionOrder()), theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    camera = fit(geometry, WINDOW)
    image = QImage(*WINDOW, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    painter.setFont(legend_font(painter.font()))
    scene = compose(geometry, LinkShading(geometry, state.link_values), camera, WINDOW, 100.0)
    picture = Picture(painter, scene, camera, WINDOW, state)
    paint_legends_above(picture)
    area = axes_key_rect(picture)
    painter.end()
    assert key_text(picture) == "boxes: X     across: W     down: Y › Z"
    assert QRectF(0, 0, *WINDOW).contains(area)
    inside = image.copy(area.toRect())
    shades = {inside.pixel(x, y) for x in range(inside.width()) for y in range(inside.height())}
    assert QColor(theme.text).rgb() in shades


@pytest.mark.parametrize("spec", [Torus(dims=(12,)), Mesh(dims=(100,))])
def test_the_only_axis_of_a_line_is_named_too(noted, spec):
    labels, picture = noted(spec)
    (rect,) = [rect for text, rect in labels if text == "X →"]
    assert QRectF(0, 0, *WINDOW).contains(rect)
    assert not crossing(segments(picture), rect).any()


def test_crossing_finds_lines_through_a_rectangle_and_those_that_end_in_it():
    rect = QRectF(10, 10, 20, 10)
    lines = np.array(
        [
            [[0, 15], [40, 15]],
            [[15, 12], [18, 15]],
            [[0, 0], [40, 8]],
            [[0, 14], [14, 30]],
            [[25, 0], [25, 60]],
            [[9, 21], [31, 21]],
        ],
        float,
    )
    assert crossing(lines, rect).tolist() == [True, True, False, False, True, False]
    assert not crossing(lines[:0], rect).any()
