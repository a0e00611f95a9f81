"""The matrices: every cell shows the hottest of its links, and the pointer reports it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtTest import QTest

from app.model.pointing import Item, flow_item
from app.storage.pictures import save_picture
from app.storage.presets import worked_example
from app.style.colour import ColourScale, lookup_table
from app.style.theme import DARK, LIGHT
from app.views.drawing import SMALL as SMALL_TEXT
from app.views.drawing import quiet, scaled_font, spaced_numbers
from app.views.heatmaps.bundle_matrix import NAME_PX, BundleMatrixView, longest
from app.views.heatmaps.heatmap_view import HeatmapView
from app.views.heatmaps.inner_matrix import InnerMatrixView
from core.job import AllToAll, Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Circulant, Percs, Torus
from core.network.families.hypercube import Hypercube
from core.routing import DimensionOrder, Minimal, PercsDirect, PercsIndirect
from tests.app.scenarios import HALO
from tests.app.views.seen import colour_at, colours, text_of
from tests.pointer import move, press

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
TORUS = Scenario(Torus(dims=(4, 5, 6)), Halo(rows=8, cols=15), Random(seed=1), DimensionOrder())
RING = Scenario(Torus(dims=(12,)), Halo(rows=3, cols=4), Random(seed=1), DimensionOrder())
LONG_RING = Scenario(Torus(dims=(60,)), Halo(rows=6, cols=10), Random(seed=1), DimensionOrder())
CIRCULANT = Scenario(Circulant(nodes=64, jumps=(1, 3, 9, 21, 27, 31)), Halo(rows=8, cols=8), Random(seed=1), Minimal())
NO_BUTTON = Qt.MouseButton.NoButton


def hottest(session, ends_of):
    """{(row, col): (relative load, links)}, computed in the obvious way."""
    network, heats = session.state.evaluation.case.network, {}
    for src, dst, heat in zip(network.src.tolist(), network.dst.tolist(), session.state.utilisation, strict=True):
        pair = ends_of(src), ends_of(dst)
        if None not in pair and pair[0] != pair[1]:
            before = heats.get(pair, (0.0, 0))
            heats[pair] = (max(before[0], float(heat)), before[1] + 1)
    return heats


def point_at(view, row, col):
    where = view.heat.cell_rect(row, col).center().toPoint()
    move(view.surface, where - QPoint(1, 0), where, steps=1, button=NO_BUTTON)


def click(view, row, col):
    press(view.surface, view.heat.cell_rect(row, col).center().toPoint())


def expected_colour(session, heat, theme=DARK):
    place = int(session.state.style.scale.coordinate(np.array([heat]))[0] * 256)
    return QColor(*lookup_table(session.state.style.scale.map, theme.dark)[min(place, 255)].tolist()).name()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("log", [False, True], ids=["linear", "log"])
def test_bundles_have_the_colour_of_their_hottest_link(session_of, shown, theme, log):
    session = session_of(SMALL, theme)
    session.set_scale(ColourScale(log=log))
    view = shown(BundleMatrixView(session))
    heats = hottest(session, lambda node: node // 32)
    assert len(heats) == 30
    seen = colours(view.surface)
    for (row, col), (heat, _) in heats.items():
        corner = view.heat.cell_rect(row, col).topLeft().toPoint() + QPoint(3, 3)  # the middle may have a mark
        assert seen(corner.toTuple()) == expected_colour(session, heat, theme)
    assert seen(view.heat.cell_rect(2, 2).center()) == quiet(theme).name()
    assert seen((2, 2)) == theme.panel


@pytest.mark.parametrize("group", [0, 3])
def test_inner_links_have_their_colour(session_of, shown, group):
    session = session_of(TORUS)
    view = shown(InnerMatrixView(session), 500, 520)
    session.select(Item("group", group))
    heats = hottest(session, lambda node: node % 30 if node // 30 == group else None)
    assert len(heats) == 30 * 4
    present, seen = np.zeros((30, 30), np.bool_), colours(view.surface)
    for (row, col), (heat, _) in heats.items():
        corner = view.heat.cell_rect(row, col).topLeft().toPoint() + QPoint(1, 1)
        assert seen(corner.toTuple()) == expected_colour(session, heat)
        present[row, col] = True
    none = np.argwhere(~present)[7]
    assert seen(view.heat.cell_rect(*none.tolist()).center()) == quiet(DARK).name()


def test_pointing_at_a_bundle_reads_it_out(session_of, shown):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    assert text_of(view).startswith("max ")
    assert text_of(view).endswith(" % · 30 bundles · 0 idle")
    point_at(view, 4, 1)
    assert session.state.hover == Item("bundle", 6 * 4 + 1)
    heat, links = hottest(session, lambda node: node // 32)[4, 1]
    assert links == 4
    assert (
        text_of(view)
        == f"supernode 4 → 1: max {100 * heat:.0f} %, {heat * session.state.report.time * 10:.4g} units · 4 links"
    )
    view.surface.leaveEvent(None)
    assert session.state.hover is None


def test_the_diagonal_is_the_group_itself(session_of, shown):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    click(view, 3, 3)
    assert session.state.selection == Item("group", 3)
    assert text_of(view).startswith("supernode 3: out ")


def test_a_click_selects_the_bundle_of_two_groups(session_of, shown):
    session = session_of(SMALL)
    bundles, inner = shown(BundleMatrixView(session)), shown(InnerMatrixView(session))
    click(bundles, 5, 2)
    assert session.state.selection == Item("bundle", 6 * 5 + 2)
    assert inner.heading() == "Supernode 5"
    click(inner, 3, 20)
    link = session.state.selection.index
    network = session.state.evaluation.case.network
    assert (network.src[link], network.dst[link]) == (5 * 32 + 3, 5 * 32 + 20)
    assert text_of(inner).startswith("LR 5 · d0 · 3 → 5 · d2 · 20: ")
    press(bundles.surface, QPoint(2, 2))
    assert session.state.selection is None


def test_a_cell_of_parallel_links_is_the_hottest(session_of, shown):
    session = session_of(Scenario(Torus(dims=(3, 2, 4)), Halo(rows=4, cols=6), Random(seed=2), DimensionOrder()))
    view = shown(InnerMatrixView(session))
    session.select(Item("group", 1))
    click(view, 0, 4)
    case, relative = session.state.evaluation.case, session.state.utilisation
    parallel = np.flatnonzero((case.network.src == 8) & (case.network.dst == 12))
    assert parallel.size == 2
    assert session.state.selection == Item("link", int(parallel[relative[parallel].argmax()]))


def test_where_no_link_is_there_is_nothing(session_of, shown):
    session = session_of(TORUS)
    view = shown(BundleMatrixView(session))
    session.select(Item("node", 3))
    click(view, 0, 2)
    assert session.state.selection is None


def frames(view, colour):
    """The rows and columns of the surface with pixels of a colour."""
    image = view.surface.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.array(image.constBits()).reshape(image.height(), -1, 4)[..., 2::-1]
    wanted = np.array(QColor(colour).getRgb()[:3])
    hit = (pixels == wanted).all(axis=2)
    rect = view.heat.rect
    # The rows and columns of pixels in which a line runs along the entire matrix.
    area = hit[int(rect.top()) : int(rect.bottom()), int(rect.left()) : int(rect.right())]
    return np.flatnonzero(area.mean(axis=1) > 0.9), np.flatnonzero(area.mean(axis=0) > 0.9), int(hit.sum())


@pytest.mark.parametrize("item", [Item("group", 4), Item("node", 4 * 32 + 7), Item("link", 4 * 32 * 7)])
def test_an_item_in_a_group_marks_the_groups_row_and_column(session_of, shown, item):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    session.select(item)
    rows, cols, _ = frames(view, DARK.accent)
    side = view.heat.cell[0]
    for lines in (rows, cols):
        assert lines.size
        assert {round(line / side) for line in lines.tolist()} == {4, 5}


@pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect()])
def test_cells_on_the_paths_of_a_flow_are_framed(session_of, shown, routing):
    session = session_of(replace(worked_example(), routing=routing))
    bundles, inner = (shown(view(session), 500, 500) for view in (BundleMatrixView, InnerMatrixView))
    before = bundles.surface.grab().toImage()
    session.select(flow_item(0, 63 * 64 + 40))
    network, (u, v) = session.state.evaluation.case.network, session.state.drawn_paths.nodes
    a, b = int(network.group_of[u]), int(network.group_of[v])
    over = set(range(network.groups)) if routing == PercsIndirect() else {b}
    expected = {(a, x) for x in over - {a}} | {(x, b) for x in over - {b}} - {(b, b)}
    assert {*bundles._marks_of(session.state.selection).cells} == expected
    row, col = min(expected)
    corner = bundles.heat.cell_rect(row, col).topLeft().toPoint()
    assert bundles.surface.grab().toImage().pixel(corner) != before.pixel(corner)
    cells = inner._marks_of(session.state.selection).cells
    assert {inner._nodes[row] for row, _ in cells} >= {u}


def test_a_bundle_marks_one_cell(session_of, shown):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    session.select(Item("bundle", 6 * 4 + 1))
    rows, cols, count = frames(view, DARK.accent)
    assert rows.size == cols.size == 0
    assert count > 100


def test_the_inner_matrix_follows_the_selection_or_else_the_bottleneck(session_of, shown):
    session = session_of(HALO)
    view = shown(InnerMatrixView(session))
    titles = []
    view.title_changed.connect(titles.append)
    hot = session.state.report.bottleneck_links[0]
    assert view.heading() == f"Supernode {session.state.evaluation.case.network.src[hot] // 32}"
    for item in (Item("task", 0), Item("node", 21 * 32), Item("bundle", 32 * 7 + 9), Item("group", 30)):
        session.select(item)
    node = int(session.state.evaluation.case.mapping.slots[0]) // 4
    assert titles == [f"Supernode {node // 32}", "Supernode 21", "Supernode 7", "Supernode 30"]
    assert text_of(view).endswith(" % · LL in drawers, LR across")
    assert view.names() == ["d0", "d1", "d2", "d3"]


@pytest.mark.parametrize(("bits", "words"), [(6, "D6 in 1-cubes, W and D5 across"), (8, "D5, D6 and 2 more links")])
def test_many_classes_are_only_listed(session_of, shown, bits, words):
    scenario = Scenario(Hypercube(dimensions=bits), AllToAll(1 << bits), Sequential(), Minimal(spread="equal"))
    view = shown(InnerMatrixView(session_of(scenario)))
    assert text_of(view) == f"max 100 % · {words}"


def test_a_network_without_levels_shows_its_nodes(session_of, shown):
    session = session_of(RING)
    bundles, inner = shown(BundleMatrixView(session)), shown(InnerMatrixView(session))
    network = session.state.evaluation.case.network
    hot = int(network.src[session.state.report.bottleneck_links[0]])
    assert inner.heading() == f"Near node ({hot})"
    assert text_of(inner).startswith("max 100 % · X links")
    click(bundles, 2, 3)
    link = session.state.selection
    assert link.kind == "link"
    assert (network.src[link.index], network.dst[link.index]) == (2, 3)
    assert text_of(bundles).startswith("node (2) → (3): max ")
    click(bundles, 5, 5)
    assert session.state.selection == Item("node", 5)
    assert text_of(inner) == "node (5)"


def test_without_levels_the_inner_matrix_is_a_neighbourhood(session_of, shown):
    session = session_of(CIRCULANT)
    view = shown(InnerMatrixView(session))
    session.select(Item("node", 20))
    assert view.heading() == "Near node 20"
    near = sorted((20 + step) % 64 for step in (0, 1, -1, 3, -3, 9, -9, 21, -21, 27, -27, 31, -31))
    assert view.names() == [str(node) for node in near]
    network = session.state.evaluation.case.network
    row, col = near.index(20), near.index(23)
    click(view, row, col)
    link = session.state.selection
    assert (link.kind, network.src[link.index], network.dst[link.index]) == ("link", 20, 23)
    # A choice in it leaves it unchanged, also if the link leads elsewhere first.
    click(view, near.index(21), near.index(20))
    assert session.state.selection.kind == "link"
    assert view.heading() == "Near node 20"
    other = int(np.flatnonzero((network.src == 40) & (network.dst == 41))[0])
    session.select(Item("link", other))
    assert view.heading() == "Near node 40"


def test_a_small_neighbourhood_includes_farther_nodes(session_of, shown):
    view = shown(InnerMatrixView(session_of(LONG_RING)))
    view.session.select(Item("node", 30))
    assert view.names() == [f"({node})" for node in range(24, 37)]


def test_long_names_leave_room_for_the_matrix(session_of, shown):
    assert longest(["a", "abc", "ab"]) == "abc"
    assert longest([]) == "0"
    view = shown(InnerMatrixView(session_of(CIRCULANT)))
    view.names = lambda: ["a very long name of a node that a file gave to it"] * 13
    width, _ = view.label_room(QFontMetricsF(view.font()))
    assert width <= NAME_PX + 8


@pytest.mark.parametrize(
    ("kind", "dims", "says"),
    [
        (BundleMatrixView, (2100, 2), "2,100 rows (maximum 2,048)"),
        (InnerMatrixView, (2, 1100), "each row has 1,100 nodes (maximum 1,024)"),
        (BundleMatrixView, (1100,), "1,100 nodes (maximum 1,024)"),
    ],
)
def test_a_matrix_that_is_too_large_is_refused_and_recovers(session_of, shown, kind, dims, says):
    large = Scenario(Torus(dims=dims), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
    session = session_of(large)
    view = shown(kind(session))
    assert says in view.obstacle()
    assert view.obstructed
    press(view.surface, QPoint(170, 170))
    assert session.state.selection is None
    assert kind is BundleMatrixView or view.heading() == "Inner links"
    session.propose(TORUS)
    assert view.obstacle() == ""
    session.propose(large)
    assert kind is BundleMatrixView or view.heading() == "Inner links"
    session.propose(TORUS)
    click(view, 1, 1)
    assert session.state.selection is not None


def test_bottlenecks_carry_a_mark(session_of, shown):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    heats = hottest(session, lambda node: node // 32)
    top = session.state.utilisation.max()
    marked = {tuple(cell) for cell in view.bottlenecks.tolist()}
    assert marked == {pair for pair, (heat, _) in heats.items() if heat >= top * (1 - 1e-9)}
    assert marked
    middle = view.heat.cell_rect(*next(iter(marked))).center()
    assert colour_at(view.surface, (middle - QPoint(1, 1).toPointF())) == DARK.panel


def test_a_hidden_view_catches_up(session_of, shown):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    view.hide()
    session.set_theme(LIGHT)
    session.propose(TORUS)
    assert view.heat.shape == (6, 6)
    view.show()
    assert view.heat.shape == (4, 4)
    assert colour_at(view.surface, (2, 2)) == LIGHT.panel


@pytest.mark.parametrize("kind", [BundleMatrixView, InnerMatrixView])
def test_pictures_are_arranged_for_their_size(session_of, tmp_path, kind):
    session = session_of(SMALL, LIGHT)
    view: HeatmapView = kind(session)
    view.resize(200, 150)
    image = QImage(700, 600, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    painter = QPainter(image)
    view.paint_to(painter, QRectF(50, 40, 600, 500))
    painter.end()
    pixels = np.array(image.constBits()).reshape(600, 700, 4)[..., :3]
    ink = np.argwhere((pixels != pixels[0, 0]).any(axis=2))
    (top, left), (bottom, right) = ink.min(axis=0), ink.max(axis=0)
    assert top >= 40
    assert left >= 50
    assert bottom < 540
    assert right < 650
    assert bottom - top > 460
    assert view.heat.rect.width() < 200  # back in its own size
    save_picture(tmp_path / "matrix.svg", (500, 520), LIGHT, view.paint_to)
    svg = (tmp_path / "matrix.svg").read_text()
    assert "<image" in svg
    assert "per unit" in svg


@pytest.mark.parametrize(
    ("count", "px", "least", "wanted", "named"),
    [
        (32, 7, 28, set(), [0, 4, 8, 12, 16, 20, 24, 28]),
        (10, 10, 15, set(), [0, 2, 4, 6, 8]),
        (8, 30, 20, set(), list(range(8))),
        (16, 5, 20, {6}, [0, 6, 12]),
        (512, 0.5, 30, {511}, [0, 64, 128, 192, 256, 320, 384, 448, 511]),
    ],
)
def test_names_in_round_steps(count, px, least, wanted, named):
    assert spaced_numbers(count, px, least, wanted) == named


@pytest.mark.parametrize("side", [200, 260, 420])
def test_names_of_inner_groups_never_touch(session_of, shown, monkeypatch, side):
    scenario = Scenario(Torus(dims=(2, 16, 8)), Halo(rows=16, cols=16), Sequential(), DimensionOrder())
    view, written = InnerMatrixView(session_of(scenario)), []
    monkeypatch.setattr(
        view, "write", lambda painter, name, beside, above, chosen: written.append((above, name, beside))
    )
    shown(view, side, side).surface.grab()
    metrics = QFontMetricsF(scaled_font(view.font(), SMALL_TEXT))
    across = {name: beside.center().x() for above, name, beside in written if above}
    down = {name: beside.center().y() for above, name, beside in written if not above}
    assert len(across) >= 2
    assert len(down) >= 4
    for (caption, x), (next_caption, next_x) in pairwise(across.items()):
        assert next_x - x > (metrics.horizontalAdvance(caption) + metrics.horizontalAdvance(next_caption)) / 2
    for (_, y), (_, next_y) in pairwise(down.items()):
        assert next_y - y >= metrics.height()


def test_arrow_keys_select_cell_by_cell_and_describe_the_selection(session_of, shown):
    session = session_of(SMALL)
    view = shown(BundleMatrixView(session))
    view.surface.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Up):
        QTest.keyClick(view.surface, key)
    assert session.state.selection == view.pair_item(0, 1)
    assert view.surface.accessibleDescription() == view.describe(view.pair_item(0, 1))
    for _ in range(20):
        QTest.keyClick(view.surface, Qt.Key.Key_Down)
    assert session.state.selection == view.pair_item(5, 1)
    QTest.keyClick(view.surface, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)  # a command's, not the matrix's
    assert session.state.selection == view.pair_item(5, 1)
