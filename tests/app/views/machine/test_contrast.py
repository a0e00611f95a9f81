"""Idle items are still visible: idle nodes of every family, and the bundles of the largest machine."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.state_groups import ComparisonMode
from app.storage.presets import preset
from app.style.colour import lookup_table
from app.style.theme import DARK, LIGHT
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit, paint_machine
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import (
    Circulant,
    Clex,
    Complete,
    Dragonfly,
    FatTree,
    Hypercube,
    Mesh,
    Percs,
    Shortcut,
    Torus,
)
from core.routing import Minimal
from tests.app.sessions import state_of, with_fields
from tests.contrast import contrast

SIZE = (660, 600)
TOLD_APART = 1.25
"""Minimum contrast of idle nodes against their surroundings."""
SEEN = 1.1
"""Mean contrast of the bundles of the largest machine, thinner than a pixel."""
FAMILIES = [
    Percs(supernodes=8, d_links=1),
    Torus(dims=(40,)),
    Torus(dims=(8, 8)),
    Torus(dims=(5, 5, 5)),
    Mesh(dims=(4, 4, 4, 4)),
    Hypercube(dimensions=6),
    FatTree(arity=4, levels=3),
    Dragonfly(routers=4, global_links=1, groups=5, nodes_per_router=2),
    Complete(nodes=24),
    Circulant(nodes=64, jumps=(1, 8)),
    Shortcut(nodes=64, degree=6),
    Clex(k=4, levels=2),
]
themes = pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])


def pixels(state, size=SIZE):
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(state.style.theme.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, *size), state)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(size[1], size[0], 4)
    return pixels[:, :, 2::-1].copy()


@themes
@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: f"{type(spec).__name__}-{spec.build().nodes}")
def test_idle_nodes_differ_from_the_background(qapp, spec, theme):
    """Two adjacent tasks leave nearly all nodes idle."""
    state = state_of(Scenario(spec, Halo(rows=1, cols=2, periodic=False), Sequential(), Minimal()), theme)
    geometry = MachineGeometry(state.evaluation.case.network)
    image = pixels(state)
    at = np.rint(fit(geometry, SIZE, HEAD).project(geometry.layout.positions, SIZE)[:, :2]).astype(int)
    nodes = np.arange(geometry.network.nodes)
    idle = nodes[[not state.report.utilisation[geometry.links_at(node)].any() for node in nodes]]
    assert idle.size > geometry.network.nodes / 2
    # A name may be on the centre of a cell; next to it there is none.
    around = np.median([image[at[idle, 1] + dy, at[idle, 0] + dx] for dx in (-1, 0, 1) for dy in (-1, 0, 1)], axis=0)
    ground = QColor(theme.field if geometry.boxed else theme.panel).getRgb()[:3]
    assert contrast(around, ground).min() > TOLD_APART


@themes
@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: f"{type(spec).__name__}-{spec.build().nodes}")
def test_unchanged_nodes_differ_from_the_background(qapp, spec, theme):
    """In the difference of two states that are equal everywhere."""
    state = state_of(Scenario(spec, Halo(rows=1, cols=2, periodic=False), Sequential(), Minimal()), theme)
    state = with_fields(state, reference=state.evaluation, mode=ComparisonMode.DIFFERENCE)
    assert state.differing
    geometry, image = MachineGeometry(state.evaluation.case.network), pixels(state)
    at = np.rint(fit(geometry, SIZE, HEAD).project(geometry.layout.positions, SIZE)[:, :2]).astype(int)[
        : geometry.network.nodes
    ]
    around = np.median([image[at[:, 1] + dy, at[:, 0] + dx] for dx in (-1, 0, 1) for dy in (-1, 0, 1)], axis=0)
    ground = QColor(theme.field if geometry.boxed else theme.panel).getRgb()[:3]
    assert contrast(around, ground).min() > TOLD_APART


@themes
def test_the_map_of_differences_leads_away_from_the_background(theme):
    colours = lookup_table("difference", theme.dark)
    ratio = contrast(colours, QColor(theme.panel).getRgb()[:3])
    for side in (ratio[128:], ratio[127::-1]):
        assert (side > np.maximum.accumulate(side) - 0.06).all()
    assert ratio.min() > 1.35


@themes
def test_bundles_of_the_largest_machine_are_visible(qapp, theme):
    """They carry little, and there are more than a thousand."""
    state = state_of(preset("power775-largest"), theme)
    size = (1100, 1000)
    geometry, image = MachineGeometry(state.evaluation.case.network), pixels(state, size)
    middle = fit(geometry, size, HEAD).project([0.0, 0.0, 0.0], size)[:2].astype(int)
    reach = 100
    inside = image[middle[1] - reach : middle[1] + reach, middle[0] - reach : middle[0] + reach]
    ratio = contrast(inside, QColor(theme.panel).getRgb()[:3])
    assert ratio.mean() > SEEN
    assert np.quantile(ratio, 0.95) > 2 * SEEN - 1
