"""Axes of the traffic matrix and the key of its colours: round figures, without overlaps, where there is room."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.storage.presets import worked_example
from app.views.heatmaps import traffic as module
from app.views.heatmaps.matrix_axes import FIGURED_PX, axis_titles, key_ticks, ticks_of
from app.views.heatmaps.traffic import DECADES, TrafficView
from core.job.measure import UNITS
from core.load.traffic_matrix import ORDERS, traffic_matrix

SIZES = [(560, 240), (900, 420), (300, 200), (180, 120)]


@pytest.fixture(scope="module")
def case():
    return worked_example().build()


def rects_of(view):
    """The rectangles of all figures along both sides."""
    metrics, rect, (width, height) = view._metrics(), view.heat.rect, view.heat.cell
    tall = metrics.capHeight()
    for tick in view._axes.rows:
        long = metrics.horizontalAdvance(tick.text)
        yield QRectF(rect.left() - 5 - long, rect.top() + tick.place * height - tall / 2, long, tall)
    for tick in view._axes.columns:
        long = metrics.horizontalAdvance(tick.text)
        x = rect.left() + tick.place * width
        yield QRectF(x - long / 2, rect.top() - 3 - metrics.descent() - tall, long, tall)


@pytest.mark.parametrize("by", ORDERS)
@pytest.mark.parametrize("size", SIZES)
def test_figures_overlap_nothing_and_lie_in_the_view(session_of, shown, size, by):
    view = shown(TrafficView(session_of(worked_example())), *size)
    view.order.setCurrentIndex(ORDERS.index(by))
    view._on_order_activated()
    rects = list(rects_of(view))
    assert not any(a.intersects(b) for a, b in combinations(rects, 2))
    assert all(QRectF(0, 0, *size).contains(rect) for rect in rects)
    assert not any(rect.intersects(view.heat.rect) for rect in rects)
    if view._key:
        assert view._key_area.left() > view.heat.rect.right()
        assert view._key_area.right() <= size[0]


def test_figures_of_ranks_are_round_and_stand_at_their_cells(case):
    matrix = traffic_matrix(case)
    ticks = ticks_of(case, matrix, "rank", 400.0, 30.0)
    ranks = [int(tick.text.replace(",", "")) for tick in ticks]
    assert ranks == list(range(0, 4096, ranks[1]))
    assert ranks[1] & (ranks[1] - 1) == 0
    assert [int(tick.place) for tick in ticks] == matrix.cell_of[ranks].tolist()


def test_groups_are_named_where_their_tasks_begin(case):
    matrix = traffic_matrix(case, "group")
    ticks = ticks_of(case, matrix, "group", 1600.0, 20.0)
    assert [tick.text for tick in ticks] == [str(group) for group in range(32)]
    groups = case.network.levels[0].group[case.mapping.nodes[matrix.order]]
    for tick in ticks:
        first = int(matrix.first[int(tick.place)])
        assert groups[first] == int(tick.text)
        assert first == 0 or groups[first - 1] < groups[first]
    assert axis_titles(case, "group") == ("Source supernode", "Destination supernode")


@pytest.mark.parametrize("most", [7.5, 1.0, 0.031, 4096.0])
def test_the_key_shows_the_volume_of_each_colour(most):
    ticks = key_ticks(most, DECADES, UNITS, 0.1)
    assert ticks[0].place == 1
    places = np.array([tick.place for tick in ticks])
    assert (np.diff(places) <= -0.1).all()
    for tick in ticks[1:]:
        volume = float(tick.text.split()[0].replace(",", ""))
        assert tick.place == pytest.approx(1 + np.log10(volume / most) / DECADES)


def test_without_room_the_matrix_has_no_axes(session_of, shown):
    view = shown(TrafficView(session_of(worked_example())), 150, FIGURED_PX)
    assert not view._axes.rows
    assert view._axes.titles == ("", "")


def test_pictures_have_axes_and_the_key(session_of, shown, monkeypatch):
    view, drawn = shown(TrafficView(session_of(worked_example())), 180, 120), []
    for name in ("draw_axes", "draw_key"):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, f=original, name=name: (drawn.append(name), f(*args)))
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    view.paint_to(painter, QRectF(0, 0, 900, 600))
    painter.end()
    assert {"draw_axes", "draw_key"} <= set(drawn)
