"""The matrix of bundles for groups that meet in switches: pods, and planes or switches, up and down separate."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QColor

from app.model.pointing import Hit, Item
from app.style.colour import lookup_table
from app.style.theme import DARK, LIGHT
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from app.views.heatmaps.inner_matrix import InnerMatrixView
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.geometry import MachineGeometry
from app.views.machine.picker import item_lines
from app.window.context_menu import faults_offered, title
from core.job import Permutation
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import BundleFault, FatTree, Torus
from core.routing import Minimal
from tests.app.views.heatmaps.test_bundle_matrix import NO_BUTTON, hottest
from tests.app.views.seen import colours, text_of
from tests.pointer import move, press


def tree(arity, levels):
    spec = FatTree(arity=arity, levels=levels)
    return Scenario(spec, Permutation(tasks=spec.nodes, seed=1), Random(3), Minimal(spread="single"))


TREE = tree(4, 3)
SPINE = tree(4, 2)
RING = Scenario(Torus(dims=(400,)), Permutation(tasks=400, seed=1), Random(3), Minimal(spread="single"))


def group_of(case):
    """The pod of a vertex, or 4 and the lowest digit of a switch at the top, by the labels alone."""

    def group(vertex):
        if vertex < 64:
            return vertex // 16
        level, number = case.network.label(vertex).split(" switch ")
        return 4 + int(number) % 4 if level == "L3" else int(number) // 4

    return group


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_cells_are_the_hottest_links_up_and_down(session_of, shown, theme):
    session = session_of(TREE, theme)
    view = shown(BundleMatrixView(session), 420, 420)
    heats = hottest(session, group_of(session.state.evaluation.case))
    assert set(heats) == {(a, b) for a in range(8) for b in range(8) if (a < 4) != (b < 4)}
    assert {count for _, count in heats.values()} == {4}
    table, seen = lookup_table(session.state.style.scale.map, theme.dark), colours(view.surface)
    for (row, col), (heat, _) in heats.items():
        corner = view.heat.cell_rect(row, col).topLeft().toPoint() + QPoint(4, 4)  # the middle may have a mark
        place = int(session.state.style.scale.coordinate(np.array([heat]))[0] * 256)
        assert seen(corner.toTuple()) == QColor(*table[min(place, 255)].tolist()).name()
    assert view.names() == ["0", "1", "2", "3", "plane 0", "plane 1", "plane 2", "plane 3"]
    assert view.subtitle() == "pods and planes, from row to column"
    assert text_of(view).endswith(f"32 bundles · {sum(not heat for heat, _ in heats.values())} idle")


def test_a_bundle_of_a_pod_and_a_plane_is_shown_everywhere(session_of, shown, qtbot):
    session = session_of(TREE)
    bundles, inner = shown(BundleMatrixView(session), 420, 420), shown(InnerMatrixView(session))
    grid, case = shown(JobGridView(session)), session.state.evaluation.case
    where = bundles.heat.cell_rect(5, 2).center().toPoint()

    def pointed():
        # Windows that open report late to each other that the pointer has left them.
        move(bundles.surface, where - QPoint(1, 0), where, steps=1, button=NO_BUTTON)
        return session.state.hover == Item("bundle", 8 * 5 + 2)

    qtbot.waitUntil(pointed)
    heat, links = hottest(session, group_of(case))[5, 2]
    percentage = "0 %" if heat == 0 else f"{100 * heat:.0f} %"
    assert text_of(bundles).startswith(f"plane 1 → pod 2: max {percentage}, ")
    assert text_of(bundles).endswith(f" · {links} links")
    press(bundles.surface, where)
    assert session.state.selection == Item("bundle", 8 * 5 + 2)
    # Inside a plane there is nothing to show: the pod is shown.
    assert inner.heading() == "Pod 2"
    assert grid.tasks_of(session.state.selection).sum() == 16
    lines = item_lines(session.state.selection, MachineGeometry(case.network), session.state)
    assert lines[0] == "plane 1 ↔ pod 2: 4 links each way"
    assert [line.split("  ")[0] for line in lines[1:]] == ["plane 1 → pod 2", "pod 2 → plane 1"]


def test_a_plane_can_be_selected(session_of, shown):
    session = session_of(TREE)
    view, inner = shown(BundleMatrixView(session), 420, 420), shown(InnerMatrixView(session))
    heading = inner.heading()
    press(view.surface, view.heat.cell_rect(6, 6).center().toPoint())
    item = session.state.selection
    assert item == Item("group", 6)
    assert text_of(view).startswith("plane 2: out ")
    assert inner.heading() == heading
    case = session.state.evaluation.case
    assert title(item, case) == "Plane 2"
    assert faults_offered(Hit(item), case) == []
    first, second = item_lines(item, MachineGeometry(case.network), session.state)
    assert first == "plane 2 · 4 switches"
    assert second.startswith("links to other groups: up to ")
    # A switch at the top marks the row and column of its plane.
    session.select(Item("switch", case.network.nodes + 32 + 3))
    assert view.marks(session.state.selection).lines == (7,)


def test_the_bundle_of_a_pod_and_a_plane_fails(session_of, shown):
    session = session_of(TREE)
    view = shown(BundleMatrixView(session), 420, 420)
    item = view.item_at(QPointF(view.heat.cell_rect(0, 4).center()))
    case = session.state.evaluation.case
    assert faults_offered(Hit(item), case) == [(BundleFault(0, 4), "the bundle of pod 0 and plane 0")]
    assert title(item, case) == "Bundle pod 0 – plane 0"
    link = int(BundleFault(0, 4).links(case.network)[0])
    assert faults_offered(Hit(Item("link", link)), case)[1] == (BundleFault(0, 4), "the bundle of pod 0 and plane 0")


def test_beneath_single_switches_each_has_a_row(session_of, shown):
    session = session_of(SPINE)
    view = shown(BundleMatrixView(session), 420, 420)
    assert view.names() == ["0", "1", "2", "3", *(f"L2 switch {k}" for k in range(4))]
    assert view.subtitle() == "leaf groups and switches, from row to column"
    assert view.pair_item(0, 5) == Item("bundle", 5)
    assert view.heat.shape == (8, 8)


def test_a_tree_of_one_switch_shows_its_nodes_and_the_switch(session_of, shown):
    session = session_of(tree(6, 1))
    view = shown(BundleMatrixView(session), 420, 420)
    press(view.surface, view.heat.cell_rect(6, 6).center().toPoint())
    assert session.state.selection == Item("switch", 6)
    press(view.surface, view.heat.cell_rect(6, 2).center().toPoint())
    network, link = session.state.evaluation.case.network, session.state.selection
    assert (link.kind, network.src[link.index], network.dst[link.index]) == ("link", 6, 2)
    assert text_of(view).startswith("L1 switch 0 → node 2: max ")


def test_too_many_rows_are_counted_by_what_they_are(session_of, shown):
    session = session_of(Scenario(FatTree(arity=1024, levels=1), Permutation(tasks=4), Random(), Minimal()))
    view = shown(BundleMatrixView(session))
    assert "1,025 nodes and switches (maximum 1,024)" in view.obstacle()


def test_the_names_of_the_first_row_and_column_do_not_meet(session_of, shown):
    view = shown(BundleMatrixView(session_of(RING)), 300, 300)
    image, heat = view.surface.grab().toImage(), view.heat.rect
    # Above the matrix there is no space left at the start of the first column's name.
    corner = QRectF(0, 0, heat.left() - 11, heat.top() - 2).toRect()
    panel = QColor(DARK.panel)
    ink = [
        (x, y)
        for x in range(corner.width())
        for y in range(corner.height())
        if image.pixelColor(x, y).lightness() > panel.lightness() + 40
    ]
    assert not ink
