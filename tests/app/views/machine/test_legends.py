"""Legends at the bottom left: none overlaps another, and no name lies below them."""

from dataclasses import replace
from itertools import combinations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from app.views.drawing import half_extent, rect_around
from app.views.machine import label_space, paint, scattered_labels
from app.views.machine.legends import legend_areas
from app.views.machine.picture import Picture
from core.load.neighbours import Neighbour
from core.mapping import Sequential
from core.network import Circulant, Dragonfly, FatTree, LinkFault, Mesh, NodeFault, Rail, Shortcut, Torus
from core.routing import Minimal
from tests.app.sessions import state_of
from tests.app.views.machine.test_jobs import BUSY, TWO
from tests.app.views.machine.test_paint import painted


@pytest.fixture
def written(monkeypatch):
    """The names written on the pictures that are drawn, by position; numbers in cells are not recorded."""
    rects: list[QRectF] = []
    centred, write = Picture.centred, label_space.write

    def note_centred(picture, text, at, metrics):
        if picture.painter.pen().color() == QColor(picture.theme.dim):
            rects.append(rect_around(at, half_extent(metrics, text)))
        centred(picture, text, at, metrics)

    def note(picture, text, rect, *more, **named):
        rects.append(rect)
        write(picture, text, rect, *more, **named)

    monkeypatch.setattr(Picture, "centred", note_centred)
    for module in (label_space, scattered_labels):
        monkeypatch.setattr(module, "write", note)
    return rects


@pytest.fixture
def areas(monkeypatch):
    """The areas of the legends of the last picture."""
    rects: list[QRectF] = []
    plain = paint.paint_legends_above

    def paint_legends(picture):
        rects[:] = legend_areas(picture)
        plain(picture)

    monkeypatch.setattr(paint, "paint_legends_above", paint_legends)
    return rects


def test_group_names_are_omitted_only_below_legends(qapp, written, areas):
    beside = [
        Neighbour(name=f"climate ensemble, member {name}", job=BUSY, mapping=Sequential(), allocation=f"{at},{at + 1}")
        for at, name in zip(range(4, 14, 2), "BCDEF", strict=True)
    ]
    machine = replace(TWO, network=Dragonfly(nodes_per_router=4), routing=Minimal(), neighbours=tuple(beside))
    painted(state_of(replace(machine, neighbours=(), allocation=None)))
    alone = list(written)
    written.clear()
    painted(state_of(machine))
    hidden = [name for name in alone if name not in written]
    assert hidden == [name for name in alone if any(name.intersects(area) for area in areas)]
    assert len(areas) == 4
    assert 0 < len(hidden) < 5


@pytest.mark.parametrize(
    "network",
    [
        Rail(units=2, servers=6, gpus=4),
        FatTree(arity=4, levels=3),
        Mesh((9, 9)),
        Torus((4, 4, 4)),
        Torus((2, 3, 2, 3, 2)),
        Circulant(nodes=64),
        Shortcut(nodes=64),
    ],
    ids=lambda network: network.tag(),
)
def test_no_name_lies_below_a_legend(qapp, written, areas, network):
    built = network.build()
    faults = (LinkFault(int(built.src[0]), int(built.dst[0])), NodeFault(9))
    beside = (Neighbour(name="B", job=BUSY, mapping=Sequential(), allocation="4,5"),)
    scenario = replace(TWO, network=network, routing=Minimal(), neighbours=beside, faults=faults)
    painted(state_of(scenario), size=(460, 400))
    assert len(areas) >= 3
    assert written
    assert not any(name.intersects(area) for name in written for area in areas)
    assert not any(area.intersects(second) for area, second in combinations(areas, 2))


def test_legends_of_nested_grids_do_not_overlap(qapp, areas):
    faults = (LinkFault(0, 1), NodeFault(9))
    painted(state_of(replace(TWO, network=Torus((2, 3, 2, 3, 2)), faults=faults)))
    assert len(areas) == 4
    assert not any(area.intersects(second) for area, second in combinations(areas, 2))
