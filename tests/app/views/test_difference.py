"""B minus A in every view: warm where B carries more, grey where both are equal, and a legend with signs."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.evaluation import Evaluation
from app.model.pointing import Item
from app.model.state_groups import ComparisonMode
from app.style.colour import ColourScale, DifferenceScale, lookup_table
from app.style.theme import DARK, LIGHT
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from app.views.heatmaps.inner_matrix import InnerMatrixView
from app.views.heatmaps.task_grid import LOAD, JobGridView
from app.views.legend import (
    LEGEND_HEIGHT,
    LEGEND_WIDTH,
    LegendOverlay,
    difference_ticks,
    excess,
    heading,
    legend_rect,
    paint_legend,
    top_text,
)
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit, paint_machine
from app.views.machine.picker import item_lines
from app.views.machine.pinned import PinnedMachineView
from app.views.machine.view import MachineView
from core.job import Halo, Permutation
from core.load.evaluate import LoadReport
from core.load.phases import Phases, busiest
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Mesh, Percs
from core.routing import DimensionOrder, PercsDirect
from tests.app.sessions import with_fields
from tests.app.views.seen import colour_at, text_of

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
MESH = Scenario(Mesh(dims=(5, 7)), Permutation(tasks=35, seed=1), Sequential(), DimensionOrder())
MINUS = "\N{MINUS SIGN}"
THEMES = pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])


def beside_sign(view, row, col):
    """A pixel of a cell that neither its sign nor the gap to the next covers."""
    return (view.heat.cell_rect(row, col).topLeft() + QPointF(2, 2)).toPoint()


def equal(theme) -> QColor:
    """The colour of values that are equal in both states."""
    return QColor(*lookup_table("difference", theme.dark)[128, :3].tolist())


def with_loads(evaluation: Evaluation, load) -> Evaluation:
    """The same case, with these loads on its links."""
    case, load = evaluation.case, np.asarray(load, float)
    busy = np.array([busiest(case, load)])
    return replace(evaluation, report=LoadReport(case, Phases(case, load), load, busy))


@pytest.fixture
def differing_of(session_of):
    def make(scenario, theme=DARK, change=None):
        session = session_of(scenario, theme)
        evaluation = session.state.evaluation
        load = evaluation.report.load if change is None else evaluation.report.load + change(evaluation.case.network)
        session.set_reference(with_loads(evaluation, load), ComparisonMode.DIFFERENCE)
        return session

    return make


@pytest.fixture
def machine(shown):
    """Show a machine view; its canvas is closed with the test."""
    views = []

    def make(kind, session, width=520, height=460):
        views.append(kind(session))
        return shown(views[-1], width, height)

    yield make
    for view in views:
        view.close()
        view.canvas.close()


def shade(state, value):
    table = lookup_table("difference", state.style.theme.dark)
    return QColor(*table[round(float(state.shading.coordinate(np.array(value))) * 255)].tolist())


def near(colour, other, slack=6):
    return all(abs(x - y) <= slack for x, y in zip(colour.getRgb()[:3], other.getRgb()[:3], strict=True))


def strongest_of(state, links):
    values = state.link_values[links]
    return float(values[np.abs(values).argmax()]) if values.size else 0.0


@THEMES
def test_bundles_have_the_colour_of_their_strongest_change(session_of, shown, theme):
    session = session_of(SMALL, theme)
    session.pin_scenario(SMALL.with_choice("mapping", Random(seed=4)), ComparisonMode.DIFFERENCE)
    view, state = shown(BundleMatrixView(session)), session.state
    network = state.evaluation.case.network
    group = network.levels[0].group
    image, seen = view.grab().toImage(), set()
    for row in range(6):
        for col in range(6):
            links = np.flatnonzero((group[network.src] == row) & (group[network.dst] == col))
            if row == col:
                continue
            value = strongest_of(state, links)
            at = beside_sign(view, row, col)
            assert near(image.pixelColor(at), shade(state, value)), (row, col)
            seen.add(np.sign(value))
    assert seen >= {-1.0, 1.0}
    assert not view.bottlenecks.size


@THEMES
def test_unchanged_links_recede(differing_of, shown, theme):
    def one_more(network):
        change = np.zeros(network.links)
        change[first_inner(network)] = 0.5
        return change

    def first_inner(network):
        group = network.levels[0].group
        return int(np.flatnonzero((group[network.src] == 0) & (group[network.dst] == 0))[5])

    session = differing_of(SMALL, theme, one_more)
    session.select(Item("group", 0))
    view, state = shown(InnerMatrixView(session)), session.state
    network = state.evaluation.case.network
    link = first_inner(network)
    assert state.link_values[link] < 0
    ends = (Item("node", int(node)) for node in (network.src[link], network.dst[link]))
    changed = tuple(view.marks(end).lines[0] for end in ends)
    image = view.grab().toImage()
    colours = {}
    for row, col in (changed, changed[::-1], (20, 9)):
        colours[row, col] = image.pixelColor(beside_sign(view, row, col))
    assert near(colours[changed], shade(state, state.link_values[link]))
    assert colours[changed].blue() > colours[changed].red() + 30
    for where in (changed[::-1], (20, 9)):
        assert near(colours[where], equal(theme), 4)


@THEMES
def test_a_picture_of_a_difference_is_red_where_b_carries_more(session_of, theme):
    session = session_of(MESH, theme)
    session.pin_scenario(MESH.with_choice("mapping", Random(seed=5)), ComparisonMode.DIFFERENCE)
    state = session.state
    geometry, size = MachineGeometry(state.evaluation.case.network), (640, 560)
    image = painted(state, size)
    camera, signs = fit(geometry, size, HEAD), set()
    for node in range(35):
        value = strongest_of(state, geometry.links_at(node))
        x, y = camera.project(geometry.layout.positions[node], size)[:2]
        pixel = image.pixelColor(round(x) - 12, round(y) - 12)
        assert near(pixel, shade(state, value), 10)
        if abs(value) > 0.3 * state.shading.span:
            assert (pixel.red() > pixel.blue()) == (value > 0)
            signs.add(value > 0)
    assert signs == {True, False}


def painted(state, size):
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(state.style.theme.panel))
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, *size), state)
    painter.end()
    return image


def test_a_picture_of_a_difference_has_its_legend(session_of):
    session = session_of(MESH)
    session.pin_scenario(MESH.with_choice("mapping", Random(seed=5)), ComparisonMode.DIFFERENCE)
    size = (640, 560)
    rect, image = legend_rect(size), painted(session.state, size)
    middle = round(rect.top()) + 21
    row = [image.pixelColor(x, middle) for x in range(round(rect.left()) + 2, round(rect.left()) + 120)]
    assert row[0].blue() > row[0].red() + 30
    assert any(near(colour, equal(DARK), 4) for colour in row)
    assert any(colour.red() > colour.blue() + 30 for colour in row)


@THEMES
def test_equal_loads_have_one_colour_in_both_machines(session_of, machine, theme):
    session = session_of(MESH, theme)
    evaluation = session.state.evaluation
    hotter = evaluation.report.load.copy()
    hotter[:4] = 3 * hotter.max()
    session.set_reference(with_loads(evaluation, hotter), ComparisonMode.SIDE)
    a, b = machine(PinnedMachineView, session), machine(MachineView, session)
    pictures = [view.canvas.picture() for view in (a, b)]
    assert a.camera == b.camera
    network, geometry = evaluation.case.network, b.scene.geometry
    alike = differ = 0
    for node in range(35):
        links = geometry.links_at(node)
        x, y = b.camera.project(geometry.layout.positions[node], (520, 460))[:2]
        colours = [picture[round(y) - 9, round(x) - 9].astype(int) for picture in pictures]
        if np.intersect1d(links, np.arange(4)).size:
            differ += np.abs(colours[0] - colours[1]).max() > 20
        else:
            np.testing.assert_allclose(colours[0], colours[1], atol=2)
            alike += 1
    assert alike > 20
    assert differ >= 2
    assert network is a.scene.geometry.network


def test_the_canvas_of_a_difference_shows_red_blue_and_nothing(session_of, machine):
    session = session_of(MESH)
    evaluation = session.state.evaluation
    load = evaluation.report.load.copy()
    src = evaluation.case.network.src
    load[src == 0] += 1
    load[src == 34] = np.maximum(load[src == 34] - 1, 0)
    session.set_reference(with_loads(evaluation, load), ComparisonMode.DIFFERENCE)
    view = machine(MachineView, session)
    picture = view.canvas.picture().astype(int)

    def cell(node):
        x, y = view.camera.project(view.scene.geometry.layout.positions[node], (520, 460))[:2]
        return picture[round(y) - 9, round(x) - 9]

    less, more, same = cell(0), cell(34), cell(17)
    assert less[2] > less[0] + 40
    assert more[0] > more[2] + 40
    assert np.abs(same - np.array(equal(DARK).getRgb()[:3])).max() <= 4


def test_the_task_grid_shows_the_change_at_each_tasks_node(session_of, shown):
    session = session_of(MESH)
    session.pin_scenario(MESH.with_choice("mapping", Random(seed=5)), ComparisonMode.DIFFERENCE)
    view, state = shown(JobGridView(session)), session.state
    view.set_colouring(LOAD)
    geometry = MachineGeometry(state.evaluation.case.network)
    image = view.surface.grab().toImage()
    for task in (0, 17, 34):
        node = int(state.evaluation.case.mapping.nodes[task])
        rows, cols = state.evaluation.case.job.shape
        at = beside_sign(view, *divmod(task, cols))
        assert near(image.pixelColor(at), shade(state, strongest_of(state, geometry.links_at(node))))
        assert rows * cols >= 35


def test_the_legend_has_signs_and_units_and_reaches_far_enough(session_of):
    session = session_of(MESH)
    session.pin_scenario(MESH.with_choice("mapping", Random(seed=5)), ComparisonMode.DIFFERENCE)
    state = session.state
    span = f"{100 * state.shading.span:.4g} %"
    assert isinstance(state.shading, DifferenceScale)
    assert heading(state).startswith(f"Load ÷ bandwidth, B {MINUS} A")
    assert difference_ticks(state) == ((0.0, f"{MINUS}{span}"), (0.5, "0"))
    assert top_text(state).startswith(f"+{span} of ")
    assert top_text(state).endswith(" per unit")
    assert excess(state) == 0
    frozen = with_fields(state, scale=ColourScale(frozen_time=state.full_scale_time / 8))
    largest = 100 * np.abs(frozen.link_values).max()
    end = float(top_text(frozen).removeprefix("+").split()[0])
    assert largest <= end <= 1.5 * largest
    assert excess(frozen) == 0


def test_a_narrow_legend_stays_inside(session_of):
    session = session_of(SMALL)
    session.pin_scenario(SMALL.with_choice("mapping", Sequential()))
    for comparison in (ComparisonMode.SIDE, ComparisonMode.DIFFERENCE):
        session.compare(comparison)
        for width in (150, 190, LEGEND_WIDTH):
            image = QImage(width + 60, LEGEND_HEIGHT, QImage.Format.Format_RGB32)
            image.fill(QColor(DARK.panel))
            painter = QPainter(image)
            paint_legend(painter, QRectF(0, 0, width, LEGEND_HEIGHT), session.state)
            painter.end()
            beyond = {image.pixelColor(x, y).name() for x in range(width + 1, width + 60) for y in range(LEGEND_HEIGHT)}
            assert beyond == {DARK.panel}


def test_the_legend_of_two_states_names_both(session_of):
    session = session_of(SMALL)
    session.pin_scenario(SMALL.with_choice("mapping", Sequential()))
    assert heading(session.state) == "Load ÷ bandwidth, relative to the hottest link of A and B"


def test_readouts_give_both_values_and_the_change(session_of, shown):
    session = session_of(SMALL)
    session.pin_scenario(SMALL.with_choice("mapping", Sequential()), ComparisonMode.DIFFERENCE)
    state = session.state
    a, b = state.compared_pair
    link = int(np.abs(state.link_values).argmax())
    longer = max(a.report.time, b.report.time)
    shares = [100 * evaluation.report.utilisation[link] * evaluation.report.time / longer for evaluation in (a, b)]
    lines = item_lines(Item("link", link), MachineGeometry(b.case.network), state)
    assert lines[1].startswith(f"A: {a.report.load[link]:.4g} unit")
    assert f", {shares[0]:.0f} %" in lines[1]
    assert lines[2].startswith(f"B: {b.report.load[link]:.4g} unit")
    sign = "+" if state.link_values[link] > 0 else MINUS
    assert lines[3].startswith(f"B {MINUS} A: {sign}")
    assert lines[3].endswith(f"{sign}{100 * abs(state.link_values[link]):.0f} %")
    assert item_lines(Item("node", 0), MachineGeometry(b.case.network), state)[-1].startswith("most changed link: ")
    view = shown(BundleMatrixView(session))
    assert text_of(view).startswith(f"B {MINUS} A: ")
    group = b.case.network.levels[0].group
    bundle = int(group[b.case.network.src[link]]) * 6 + int(group[b.case.network.dst[link]])
    session.hover(Item("bundle", bundle))
    assert "A " in text_of(view)
    assert " → B " in text_of(view)
    assert f"{sign}{100 * abs(state.link_values[link]):.0f} %" in text_of(view)


def test_a_node_without_changed_links_says_so(session_of):
    session = session_of(SMALL)
    session.set_reference(session.state.evaluation, ComparisonMode.DIFFERENCE)
    geometry = MachineGeometry(session.state.evaluation.case.network)
    assert item_lines(Item("node", 0), geometry, session.state)[-1] == "no change on its links"


def test_of_many_cells_under_a_pixel_the_largest_difference_is_visible(shown, session_of):
    session = session_of(SMALL)
    session.set_reference(session.state.evaluation, ComparisonMode.DIFFERENCE)
    view = shown(BundleMatrixView(session))
    values = np.full((900, 900), 0.55)
    values[400, 600] = 0.1
    view.heat.set_values(values, None, None, 0.5)
    rect = view.heat.rect
    at = QPoint(int(rect.left() + rect.width() * 600.5 / 900), int(rect.top() + rect.height() * 400.5 / 900))
    assert view.heat.cell_at(at.toPointF()) == (400, 600)
    shown_colour = QColor(colour_at(view.surface, at.toPointF()))
    assert near(shown_colour, QColor(*lookup_table("difference", True)[26].tolist()))


def test_no_difference_remains_on_the_machine_of_a(session_of, machine):
    session = session_of(SMALL)
    session.mark([1, 2, 3])
    session.set_tool("paint")
    session.set_reference(session.state.evaluation)
    view = machine(PinnedMachineView, session)
    assert view.state.comparison.swapped
    assert not view.state.marked.size
    assert view.state.edit.tool == "select"
    assert not view.findChild(LegendOverlay).isVisible()
    assert view.focusPolicy() == Qt.FocusPolicy.StrongFocus
