"""Nodes in the colours of the groups of their tasks: cells, slices of cells, names and the legend."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.nodes import group_labels
from app.model.pointing import Item
from app.style.colour import category_colours
from app.style.theme import DARK, LIGHT
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.legends import legend_areas
from app.views.machine.node_groups import groups_rect
from app.views.machine.overlay import paint_overlay
from app.views.machine.paint import HEAD, fit
from app.views.machine.picker import item_lines
from app.views.machine.picture import Picture
from app.views.machine.scene import compose
from core.job import Halo, Training
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Mesh
from core.routing import DimensionOrder
from tests.app.sessions import state_of
from tests.app.views.machine.test_paint import painted

JOB = Training(tensor=2, data=2, pipeline=5, layers=10, hidden=8, sequence=4, micro_batches=2)
TRAINING = Scenario(Mesh((4, 5)), JOB, Random(seed=3), DimensionOrder())
SLICED = replace(TRAINING, network=Mesh((2, 5), slots_per_node=2), mapping=Sequential())


def grouped(scenario, name, theme=DARK):
    state = state_of(scenario, theme)
    return replace(state, style=replace(state.style, groups=name))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("name", ["tensor group", "pipeline stage", "data group"])
def test_each_node_has_the_colour_of_its_tasks_group(qapp, theme, name):
    state = grouped(TRAINING, name, theme)
    image, groups = painted(state), state.groups
    geometry, size = MachineGeometry(TRAINING.network.build()), (640, 560 - HEAD)
    at = fit(geometry, size).project(geometry.layout.positions, size)[:, :2] + (0, HEAD)
    colours = category_colours(groups.count, theme.dark)
    for task, node in enumerate(state.evaluation.case.mapping.nodes.tolist()):
        seen = QColor(image.pixel(*np.rint(at[node] - 8).astype(int).tolist()))
        assert list(seen.getRgb()) == colours[groups.group[task]].tolist()


def picture_of(state, size=(640, 560), zoom=1.0):
    geometry = MachineGeometry(state.evaluation.case.network)
    camera = fit(geometry, size).zoomed(zoom, 320, 280, size)
    scene = compose(geometry, LinkShading(geometry, state.link_values), camera, size, 100.0)
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    return Picture(painter, scene, camera, size, state), image, painter


def test_several_tasks_of_a_node_share_its_cell(qapp):
    state = grouped(SLICED, "data group")
    picture, image, painter = picture_of(state)
    paint_overlay(picture)
    painter.end()
    colours = category_colours(state.groups.count, True)
    for slot, group in zip(state.evaluation.case.mapping.slots.tolist(), state.groups.group.tolist(), strict=True):
        left, top, width, height = picture.cells[slot // 2].tolist()
        seen = image.pixelColor(round(left + width * (slot % 2 + 0.5) / 2), round(top + height - 3))
        assert list(seen.getRgb()) == colours[group].tolist()
    assert group_labels(state, np.arange(2)) == {0: "0, 1", 1: "0, 1"}


def test_nodes_show_the_names_of_their_groups(qapp):
    state = grouped(TRAINING, "pipeline stage")
    labels, groups = group_labels(state, np.arange(20)), state.groups
    for task, node in enumerate(state.evaluation.case.mapping.nodes.tolist()):
        assert labels[node] == str(groups.group[task])
    geometry = MachineGeometry(state.evaluation.case.network)
    node = int(state.evaluation.case.mapping.nodes[7])
    assert f"pipeline stage {groups.group[7]}" in item_lines(Item("node", node), geometry, state)


def test_the_legend_lists_as_many_groups_as_there_is_room_for(qapp):
    for name, height, rows in (("pipeline stage", 560, 5), ("tensor group", 560, 10), ("tensor group", 120, 3)):
        picture, _, painter = picture_of(grouped(TRAINING, name), (640, height))
        area = groups_rect(picture)
        assert area.height() == pytest.approx(15 * (rows + 1))
        assert area in legend_areas(picture)
        assert area.right() < 640
        painter.end()
    plain, _, painter = picture_of(state_of(TRAINING))
    assert groups_rect(plain) == QRectF()
    painter.end()


def test_jobs_without_the_groups_keep_the_colours_of_loads(qapp):
    other = replace(TRAINING, job=Halo(4, 5))
    assert grouped(other, "tensor group").groups is None
    assert painted(grouped(other, "tensor group")) == painted(state_of(other))
