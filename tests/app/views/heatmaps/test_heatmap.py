"""The heatmap: always in the fast form, always at its position, and no hot cell lost."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.views.heatmaps import heatmap
from app.views.heatmaps.heatmap import Heatmap, grid_rect

RAMP = np.stack([np.arange(256)] * 3 + [np.full(256, 255)], axis=1).astype(np.uint8)
GONE = QColor("#ff0000")
OVER = QColor("#00ff00")
RED = (255, 0, 0)


@pytest.fixture
def heat(qapp):
    heatmap = Heatmap()
    heatmap.set_look(RAMP, GONE, OVER)
    heatmap.place(QRectF(0, 0, 100, 100))
    return heatmap


def seen(heat):
    """Its picture, shape (100, 100, 3)."""
    image = QImage(100, 100, QImage.Format.Format_RGBA8888)
    image.fill(0)
    painter = QPainter(image)
    heat.draw(painter)
    painter.end()
    return np.array(image.constBits()).reshape(100, 100, 4)[..., :3]


GIVEN = {
    "float64": np.linspace(0, 1, 12).reshape(3, 4),
    "Fortran order": np.asfortranarray(np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)),
    "every second": np.linspace(0, 1, 24).reshape(3, 8)[:, ::2],
    "NaN and infinite": np.array([[0.1, np.nan], [np.inf, 1.0]]),
    "a list": [[0, 1], [1, 0]],
    "beyond either end": [[-0.5, 1.5], [0.0, 1.0]],
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_values_are_drawn_cell_by_cell(heat, given):
    heat.set_values(given)
    picture, values = seen(heat), np.asarray(given, np.float32)
    for (row, col), value in np.ndenumerate(values):
        middle = heat.cell_rect(row, col).center()
        level = min(max(int(value * 256), 0), 255) if np.isfinite(value) else None
        assert tuple(picture[int(middle.y()), int(middle.x())]) == (RED if level is None else (level,) * 3)


def test_nothing_is_reduced_to_pixels_before_something_is_shown(qapp, monkeypatch):
    reduced = []
    monkeypatch.setattr(heatmap, "under_pixels", lambda cells, *rest: reduced.append(cells) or cells)
    heat = Heatmap()
    heat.set_look(RAMP, GONE, OVER)
    heat.place(QRectF(0, 0, 100, 100))
    assert not reduced
    assert not seen(heat).any()
    heat.set_values([[1.0]])
    heat.set_visible(False)
    heat.place(QRectF(0, 0, 50, 50))
    assert len(reduced) == 2  # values, and where there are any
    heat.set_visible(True)
    assert len(reduced) == 4
    assert (seen(heat)[:50, :50] == 255).all()


def test_values_and_missing_values_have_their_colours(heat):
    heat.set_values([[0.0, 1.0], [np.nan, 0.5]], np.array([[True, True], [True, False]]))
    picture = seen(heat)
    assert picture[25, 25].tolist() == [0, 0, 0]
    assert picture[25, 75].tolist() == [255, 255, 255]
    assert tuple(picture[75, 25]) == tuple(picture[75, 75]) == RED


def test_categories_after_values_and_back(heat):
    heat.set_values([[np.nan, 1.0]])
    colours = np.array([[10, 20, 30, 255], [40, 50, 60, 255]], np.uint8)
    heat.set_categories(np.array([[0, 1], [1, -1]]), colours)
    picture = seen(heat)
    assert [picture[y, x].tolist() for y, x in ((25, 25), (25, 75), (75, 25))] == [
        [10, 20, 30],
        [40, 50, 60],
        [40, 50, 60],
    ]
    assert tuple(picture[75, 75]) == RED
    heat.set_values([[1.0]])
    assert (seen(heat) == 255).all()


def test_a_hot_cell_among_many_is_seen_and_found(heat):
    values = np.zeros((730, 730), np.float32)
    values[401, 77] = 1
    heat.set_values(values)
    white = np.argwhere(seen(heat)[..., 0] == 255)
    assert white.shape == (1, 2)
    y, x = (white[0] + 0.5).tolist()
    assert heat.cell_at(QPointF(x, y)) == (401, 77)
    assert heat.cell_rect(401, 77).intersects(QRectF(x - 0.5, y - 0.5, 1, 1))


def test_a_cold_cell_comes_before_none(heat):
    present = np.zeros((300, 300), np.bool_)
    present[7, 8] = True
    heat.set_values(np.zeros((300, 300)), present)
    assert heat.cell_at(QPointF(2.9, 2.5)) == (7, 8)


@pytest.mark.parametrize("cell", [(0, 0), (2, 3), (3, 1)])
def test_cells_are_found_where_they_are(heat, cell):
    heat.set_values(np.zeros((4, 5)))
    assert heat.cell_at(heat.cell_rect(*cell).center()) == cell


def test_outside_is_no_cell(heat):
    heat.set_values(np.zeros((4, 5)))
    assert heat.cell_at(QPointF(50, heat.rect.bottom() + 1)) is None
    assert heat.cell_at(QPointF(-1, 1)) is None


@pytest.mark.parametrize(
    ("rows", "cols", "size"),
    [
        (10, 10, (100, 100)),
        (9, 9, (99, 99)),  # 11.1 pixels each: whole ones
        (70, 70, (100, 100)),  # 1.43 pixels each: whole ones would leave a third of the room
        (5, 10, (100, 50)),
        (400, 400, (100, 100)),
        (1, 1000, (100, 30)),  # no thinner than can be seen
    ],
)
def test_fits(rows, cols, size):
    rect = grid_rect(QRectF(10, 20, 100, 100), rows, cols)
    assert (rect.width(), rect.height()) == size
    assert rect.top() == 20
    assert abs(rect.center().x() - 60) <= 0.5


def test_no_room(heat):
    heat.place(QRectF(0, 0, 0, 5))
    heat.set_values(np.zeros((3, 3)))
    assert heat.cell_at(QPointF(0, 0)) is None
    assert heat.rect.isEmpty()


def test_values_beyond_the_scale_have_their_own_colour(heat):
    heat.set_values([[0.5, 1.0], [1.0, 0.0]], beyond=np.array([[False, False], [True, False]]))
    picture = seen(heat)
    assert picture[75, 25].tolist() == [0, 255, 0]
    assert picture[25, 75].tolist() == [255, 255, 255]
    heat.set_values([[0.5, 1.0], [1.0, 0.0]])
    assert seen(heat)[75, 25].tolist() == [255, 255, 255]


def test_a_cell_beyond_the_scale_shows_among_more_cells_than_pixels(heat):
    beyond = np.zeros((400, 400), np.bool_)
    beyond[201, 203] = True
    heat.set_values(np.full((400, 400), 0.5), beyond=beyond)
    assert (seen(heat) == (0, 255, 0)).all(axis=2).sum() == 1
