"""A matrix is legible without its colours: more and less, and values above a frozen scale."""

from dataclasses import replace

import numpy as np
import pytest

from app.model.state_groups import ComparisonMode
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from core.mapping import Blocks, Random


@pytest.fixture
def view(session, shown):
    return shown(BundleMatrixView(session), 560, 600)


def extent(view, image, cell):
    """The width and height, in pixels, of the panel's colour around the centre of a cell."""
    rect, panel = view.heat.cell_rect(*cell).adjusted(2, 2, -3, -3).toRect(), view.state.style.theme.panel
    wanted = np.array([int(panel[k : k + 2], 16) for k in (1, 3, 5)])
    pixels = np.array(
        [[image.pixelColor(x, y).getRgb()[:3] for x in range(rect.left(), rect.right() + 1)]
         for y in range(rect.top(), rect.bottom() + 1)]
    )  # fmt: skip
    inked = np.abs(pixels - wanted).max(axis=2) < 90
    return int(inked.any(axis=0).sum()), int(inked.any(axis=1).sum())


def test_less_has_a_dash_and_more_a_plus(view):
    session = view.session
    session.set_reference(session.state.evaluation, ComparisonMode.DIFFERENCE)
    session.choose("mapping", Blocks(8, 16))
    cells, more = view.heat.signs(1000)
    image = view.grab().toImage()
    plus, dash = (extent(view, image, tuple(cells[np.flatnonzero(more == wanted)[0]])) for wanted in (True, False))
    assert min(plus) >= 5
    assert dash[0] >= 5
    assert dash[1] <= 3


def test_cells_beyond_a_frozen_scale_have_the_arrow_of_the_legend(view):
    session = view.session
    session.choose("mapping", Random(1))
    scale = session.state.style.scale
    assert view.heat.beyond.size == 0
    session.set_scale(replace(scale, frozen_time=session.state.full_scale_time * 0.5))
    beyond = {tuple(cell) for cell in view.heat.beyond.tolist()}
    assert beyond
    image = view.grab().toImage()
    inside = next((r, c) for r in range(32) for c in range(32) if r != c and (r, c) not in beyond)
    assert min(extent(view, image, min(beyond))) >= 4
    assert extent(view, image, inside) == (0, 0)
