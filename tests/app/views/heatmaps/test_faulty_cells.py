"""Failed and slow links in the matrices: marked cells, their look, and their texts."""

from dataclasses import replace

import numpy as np
from PySide6.QtGui import QColor

from app.model.pointing import Item
from app.storage.presets import worked_example
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from app.views.heatmaps.faulty_cells import faults_text, faulty_cells
from app.views.heatmaps.inner_matrix import InnerMatrixView
from core.network.faults import BundleFault, Faults, LinkFault, NodeFault
from tests.app.sessions import state_of
from tests.app.views.seen import text_of

SPEEDS = np.array([1, 0, 0, 1, 0.5, 0.5, 0.5, 0])
PAIR = np.array([1, 1, 2, 3, 3, 4, 6, 6])


def fail(session, *faults):
    session.propose(replace(session.state.wanted, faults=faults), name="Fail")
    assert session.state.error is None


def colours(view, row, col):
    image, rect = view.grab().toImage(), view.heat.cell_rect(row, col).translated(view.surface.geometry().topLeft())
    inner = rect.toAlignedRect()
    return {
        image.pixelColor(x, y).name()
        for x in range(inner.left(), inner.right() + 1)
        for y in range(inner.top(), inner.bottom() + 1)
    }


class Speeds:
    """Faults as far as cells are concerned."""

    speed = SPEEDS


def test_a_cell_is_gone_if_all_its_links_have_failed_and_worn_if_some_have_or_are_slow():
    cells = faulty_cells(Speeds(), PAIR, np.arange(8), 3)
    assert cells.gone.tolist() == [[0, 2]]
    assert cells.worn.tolist() == [[0, 1], [1, 0], [1, 1], [2, 0]]


def test_the_text_counts_failed_and_slow_links(qapp):
    network = state_of(worked_example()).evaluation.case.network
    bundle = BundleFault(3, 17).links(network)
    faults = Faults.of(network, (BundleFault(3, 17), LinkFault.of(network, 0, 0.5)))
    assert faults_text(faults, bundle) == "all failed"
    assert faults_text(faults, np.append(bundle[:1], [0, 1])) == "1 of 3 links failed, 1 slow"
    assert faults_text(faults, np.array([1])) == ""
    assert faults_text(None, bundle) == ""


def test_a_failed_bundle_is_crossed_in_both_directions(session_of, shown):
    session = session_of(worked_example())
    view = shown(BundleMatrixView(session), 420, 440)
    text = QColor(session.state.style.theme.text).name()
    assert text not in colours(view, 3, 17)
    fail(session, BundleFault(3, 17))
    assert text in colours(view, 3, 17)
    assert text in colours(view, 17, 3)
    assert text not in colours(view, 4, 17)
    session.hover(Item("bundle", 3 * 32 + 17))
    assert text_of(view) == "supernode 3 → 17: all failed · 4 links"
    session.editing.undo()
    assert text not in colours(view, 3, 17)


def test_links_of_a_failed_node_are_crossed_inside_its_supernode(session_of, shown):
    session = session_of(worked_example())
    session.select(Item("group", 5))
    view = shown(InnerMatrixView(session), 420, 440)
    fail(session, NodeFault(5 * 32 + 3))
    text = QColor(session.state.style.theme.text).name()
    assert text in colours(view, 3, 20)
    assert text in colours(view, 20, 3)
    assert text not in colours(view, 4, 20)
    link = int(np.flatnonzero((view.case.network.src == 163) & (view.case.network.dst == 180))[0])
    session.hover(Item("link", link))
    assert text_of(view).endswith(": failed")
