"""Nodes that are not the job's are hollow, and the legend explains it."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.style.theme import DARK, LIGHT
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Mesh
from core.routing import DimensionOrder
from tests.app.sessions import state_of
from tests.app.views.machine.test_paint import painted

MACHINE = Scenario(Mesh((4, 5)), Halo(2, 4), Sequential(), DimensionOrder(), allocation="0-9", down=("3",))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_cells_of_unallocated_nodes_nearly_match_the_background(qapp, theme):
    full, some = (
        painted(state_of(scenario, theme)) for scenario in (replace(MACHINE, allocation="", down=()), MACHINE)
    )
    geometry = MachineGeometry(MACHINE.network.build())
    size = (640, 560 - HEAD)
    at = fit(geometry, size).project(geometry.layout.positions, size)[:, :2] + (0, HEAD)

    def contrast(image, node):
        seen, ground = QColor(image.pixel(*np.rint(at[node] - 3).astype(int).tolist())), QColor(theme.panel)
        return sum(abs(a - b) for a, b in zip(seen.getRgb(), ground.getRgb(), strict=True))

    for node in (10, 15, 19):
        assert contrast(some, node) < contrast(full, node) / 2
    assert contrast(some, 1) > contrast(some, 10)
