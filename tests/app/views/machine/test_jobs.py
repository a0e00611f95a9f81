"""Nodes of the machine in the colours of their jobs, and the links that limit the job in focus."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.style.theme import DARK, LIGHT
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.paint import HEAD, fit
from core.job import Flows
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Mesh
from core.routing import DimensionOrder
from tests.app.sessions import state_of
from tests.app.views.machine.test_paint import painted

PAIR = Flows(tasks=2, src=(0,), dst=(1,), volume=(1.0,))
BUSY = Flows(tasks=2, src=(0,), dst=(1,), volume=(9.0,))
TWO = Scenario(
    Mesh((4, 5)), PAIR, Sequential(), DimensionOrder(), allocation="0,1",
    neighbours=(Neighbour(name="B", job=BUSY, mapping=Sequential(), allocation="18,19"),),
)  # fmt: skip
FOUR = {"B": "18,19", "C": "14,15", "D": "12,13", "E": "10,11"}


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_nodes_of_another_job_have_its_colour(qapp, theme):
    image = painted(state_of(replace(TWO, job_colour=2), theme))
    geometry, size = MachineGeometry(TWO.network.build()), (640, 560 - HEAD)
    at = fit(geometry, size).project(geometry.layout.positions, size)[:, :2] + (0, HEAD)
    wanted = np.array(QColor(theme.roles[0]).getRgb()[:3])  # the first that is free

    def distance(node):
        seen = QColor(image.pixel(*np.rint(at[node] - 3).astype(int).tolist()))
        return np.abs(np.array(seen.getRgb()[:3]) - wanted).sum()

    assert max(distance(18), distance(19)) < min(distance(0), distance(1), distance(10))


def test_switching_jobs_keeps_the_colours_and_the_order_of_the_legend(qapp):
    looked = TWO.with_identities().exchanged(0)
    geometry, size = MachineGeometry(TWO.network.build()), (640, 560 - HEAD)
    at = fit(geometry, size).project(geometry.layout.positions, size)[:, :2] + (0, HEAD)
    wanted = np.array(QColor(DARK.roles[0]).getRgb()[:3])
    image = painted(state_of(looked))

    def distance(node):
        seen = QColor(image.pixel(*np.rint(at[node] - 3).astype(int).tolist()))
        return np.abs(np.array(seen.getRgb()[:3]) - wanted).sum()

    assert max(distance(0), distance(1)) < min(distance(18), distance(19), distance(10))


def test_background_jobs_differ_without_their_colours(qapp):
    beside = (Neighbour(name=name, job=BUSY, mapping=Sequential(), allocation=nodes) for name, nodes in FOUR.items())
    image = painted(state_of(replace(TWO, job_colour=5, neighbours=tuple(beside))))
    geometry, size = MachineGeometry(TWO.network.build()), (640, 560 - HEAD)
    at = fit(geometry, size).project(geometry.layout.positions, size)[:, :2] + (0, HEAD)

    def dark(node):
        left, top = (np.rint(at[node]) - 15).astype(int).tolist()  # above the number
        seen = [[QColor(image.pixel(left + x, top + y)).lightness() for x in range(10)] for y in range(8)]
        return np.array(seen) < np.max(seen) - 30

    plain, *lined = (dark(int(nodes.partition(",")[0])) for nodes in FOUR.values())
    assert not plain.any()
    assert all(outline.any() for outline in lined)
    assert all((outline != second).sum() > 8 for outline, second in combinations(lined, 2))


def test_marks_are_on_links_of_the_job_even_if_other_jobs_have_hotter_links(qapp):
    state = state_of(TWO)
    shading = LinkShading(MachineGeometry(state.report.case.network), state.utilisation, top=state.bottleneck_load)
    (link,) = np.flatnonzero(shading.marked(state.utilisation))
    assert link == state.report.bottleneck_links[0] != state.utilisation.argmax()
