"""Marks on an open supernode: none covers the number of a node, and each kind is in the legend."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from app.style.theme import DARK, LIGHT
from app.views.legend import legend_font, legend_rect, side_text
from app.views.machine import bottleneck_marks, faults
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.overlay import paint_overlay
from app.views.machine.paint import fit
from app.views.machine.picture import MARK_ROOM_PX, Picture
from app.views.machine.scene import compose
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import LinkFault, Mesh, Percs, Torus
from core.routing import Minimal
from tests.app.sessions import state_of

SIZE = (900, 700)
OPEN = Scenario(Percs(supernodes=8, d_links=2), Halo(rows=8, cols=32), Sequential(), Minimal())


class Noted(Picture):
    """A picture that records the positions of numbers."""

    def centred(self, text, at, metrics):
        half = np.array([metrics.horizontalAdvance(text), metrics.capHeight()]) / 2
        self.__dict__.setdefault("numbers", []).append(QRectF(*(at - half), *(2 * half)))
        super().centred(text, at, metrics)


@pytest.fixture
def drawn(qapp, monkeypatch):
    """Draw a scenario with a share of its links as bottlenecks; return the picture, and its marks by position."""

    def draw(scenario, zoom=1.0, box=None, hot=lambda network: np.zeros(0, np.intp), theme=DARK):
        state = state_of(scenario, theme)
        geometry = MachineGeometry(state.evaluation.case.network)
        camera = fit(geometry, SIZE)
        camera = camera if box is None else camera.onto(geometry.layout.boxes[box], SIZE, zoom)
        relative = np.full(geometry.network.links, 0.4)
        relative[hot(geometry.network)] = 1.0
        scene = compose(geometry, LinkShading(geometry, relative), camera, SIZE, 100.0)
        diamonds, crosses = [], []
        plain, mark = bottleneck_marks.diamond, faults.mark
        monkeypatch.setattr(
            bottleneck_marks, "diamond", lambda p, x, y, r: (diamonds.append((x, y, r)), plain(p, x, y, r))
        )

        def marked(painter, x, y, theme, failed, reach=faults.MARK_PX):
            crosses.append((x, y, reach))
            mark(painter, x, y, theme, failed, reach)

        monkeypatch.setattr(faults, "mark", marked)
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        painter.setFont(legend_font(painter.font()))
        ellipses = []
        ellipse = QPainter.drawEllipse
        monkeypatch.setattr(QPainter, "drawEllipse", lambda *args: (ellipses.append(args), ellipse(*args))[1])
        picture = Noted(painter, scene, camera, SIZE, state)
        paint_overlay(picture)
        painter.end()
        monkeypatch.undo()
        return picture, diamonds, crosses, ellipses

    return draw


def straight_down(network):
    """Links of the first supernode that pass by a node between theirs."""
    inside = (network.src < 32) & (network.dst < 32)
    far = np.abs(network.src.astype(int) - network.dst) == 16
    return np.flatnonzero(inside & far)


def over(rect, x, y, reach):
    """Whether a diamond covers any of a rectangle."""
    dx = max(rect.left() - x, 0, x - rect.right())
    dy = max(rect.top() - y, 0, y - rect.bottom())
    return dx + dy < reach


@pytest.mark.parametrize("share", [0.37, 0.45, 0.82, 1.6])
def test_no_mark_of_a_bottleneck_covers_a_number(drawn, share):
    picture, diamonds, _, ellipses = drawn(OPEN, share, 0, straight_down)
    numbers = picture.__dict__["numbers"]
    assert len(numbers) >= 20
    assert len(diamonds) > 40
    for x, y, reach in diamonds:
        assert not any(over(rect, x, y, reach) for rect in numbers)
    # Nodes at a bottleneck carry the same mark: the legend has no other.
    assert not ellipses


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_the_mark_of_a_bottleneck_is_in_the_legend(qapp, theme):
    assert side_text(state_of(OPEN, theme)) == "bottleneck"


def test_marks_of_failed_links_cover_no_number_either(drawn):
    network = OPEN.network.build()
    faults = tuple(LinkFault(int(network.src[link]), int(network.dst[link])) for link in straight_down(network)[:12])
    picture, _, crosses, _ = drawn(replace(OPEN, faults=faults), 0.82, 0)
    numbers = picture.__dict__["numbers"]
    assert crosses
    for x, y, reach in crosses:
        around = QRectF(x - reach, y - reach, 2 * reach, 2 * reach)
        assert not any(around.intersects(rect) for rect in numbers)


def test_marks_stay_on_their_curves(drawn):
    picture, diamonds, _, _ = drawn(OPEN, 0.82, 0, straight_down)
    curves = picture.at(
        picture.scene.links.curves[picture.scene.shading.marked(picture.scene.links.heat)].astype(float)
    )
    t = np.linspace(0, 1, 201)[:, None, None]
    points = (1 - t) ** 2 * curves[:, 0] + 2 * t * (1 - t) * curves[:, 1] + t * t * curves[:, 2]
    marks = bottleneck_marks.bottleneck_marks(picture)
    assert marks.curves.sum() == len(curves) == 32
    on_links = diamonds[: len(marks.at)]
    assert [(x, y) for x, y, _ in on_links] == [tuple(at) for at in marks.at.tolist()]
    for x, y, _ in on_links:
        assert np.hypot(*(points.reshape(-1, 2) - (x, y)).T).min() < MARK_ROOM_PX / 2


def test_many_marks_close_together_are_merged(drawn):
    ring = Scenario(Torus((16, 16)), Halo(16, 16), Sequential(), Minimal())
    few = drawn(ring, hot=lambda network: np.arange(20))[0]
    marks = bottleneck_marks.bottleneck_marks(few)
    assert (marks.curves == 1).all()
    assert len(marks.at) == 20
    many = drawn(ring, hot=lambda network: np.arange(180))[0]
    marks = bottleneck_marks.bottleneck_marks(many)
    assert marks.curves.sum() == 180
    assert len(marks.at) < 90
    squares = marks.at // bottleneck_marks.CLUSTER_PX
    assert len(np.unique(squares, axis=0)) == len(squares)
    largest = int(np.argmax(marks.curves))
    assert marks.text_at(QPointF(*marks.at[largest])) == f"this mark represents {marks.curves[largest]} bottlenecks"
    assert marks.text_at(QPointF(*(marks.at[largest] + 9))) == ""
    every = drawn(ring, hot=lambda network: np.arange(network.links))[0]
    assert len(bottleneck_marks.bottleneck_marks(every).at) == 0


def test_no_number_stands_below_the_legend(drawn):
    picture, *_ = drawn(Scenario(Mesh(dims=(9, 9)), Halo(rows=9, cols=9), Sequential(), Minimal()))
    camera = picture.camera.zoomed(3.0, 300, 300, SIZE)
    scene = compose(picture.geometry, picture.scene.shading, camera, SIZE, 100.0)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setFont(legend_font(painter.font()))
    near = Noted(painter, scene, camera, SIZE, picture.state)
    paint_overlay(near)
    painter.end()
    numbers = near.__dict__["numbers"]
    assert len(numbers) > 5
    assert not any(rect.intersects(legend_rect(SIZE)) for rect in numbers)


def test_both_stubs_of_a_wrap_around_cable_that_failed_are_marked(drawn):
    ring = Scenario(
        Torus(dims=(5, 5)), Halo(rows=5, cols=5), Sequential(), Minimal(), faults=(LinkFault(0, 4), LinkFault(6, 7))
    )
    picture, _, crosses, _ = drawn(ring)
    at = picture.at(picture.geometry.layout.positions)
    places = sorted((round(x), round(y)) for x, y, _ in crosses)
    assert len(places) == 3
    assert min(x for x, _ in places) < at[0, 0]
    assert max(x for x, _ in places) > at[4, 0]
