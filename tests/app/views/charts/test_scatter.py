"""Points: axes that hold them, names that do not cover each other, a click that picks."""

from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtTest import QTest

from app.style.theme import DARK, LIGHT
from app.views.charts.scatter import Dot, Hue, ScatterData, ScatterPlot, axis_over, pixels, placed_names, scatter_axes
from tests.pointer import move

LEFT = Qt.MouseButton.LeftButton
DOTS = (Dot("Torus", 6.0, 12.0, 0), Dot("Mesh", 4.0, 46.0, 1), Dot("CLEX", 23.0, 3.0, 2))
SCATTER = ScatterData(DOTS, "degree", "diameter", chosen=1)


@pytest.fixture
def plot(qtbot):
    plot = ScatterPlot("Networks as points")
    plot.resize(600, 300)
    qtbot.addWidget(plot)
    plot.show_scatter(SCATTER, DARK, "nothing")
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


@pytest.mark.parametrize("values", [(3.0, 46.0), (5.0, 5.0), (1.5e6, 1.2e8), (0.0, 10.0), (0.2, 33.0)])
def test_an_axis_holds_its_figures_and_its_ticks(values):
    axis = axis_over(values)
    assert all(0 <= axis.part(value) <= 1 for value in values)
    assert axis.part(values[0]) <= axis.part(values[1])
    ticks = axis.ticks(8)
    assert len(ticks) >= 2
    assert all(0 <= axis.part(value) <= 1 for value, _ in ticks)
    assert len({text for _, text in ticks}) == len(ticks)


def test_an_axis_is_logarithmic_where_figures_are_far_apart():
    far = axis_over((1.5e6, 1.2e8))
    assert far.log
    assert far.part(1e7) - far.part(5e6) == pytest.approx(far.part(4e6) - far.part(2e6))
    assert [text for _, text in far.ticks(8)] == ["2M", "5M", "10M", "20M", "50M", "100M"]
    assert not axis_over((1.0, 29.0)).log
    assert not axis_over((0.0, 1e9)).log
    assert axis_over((0.0, 10.0)).low == 0.0


@pytest.mark.parametrize(
    ("values", "log", "marks"),
    [
        ((1, 2, 4, 8, 16), True, ["1", "2", "4", "8", "16"]),
        ((4, 1, 3, 2), False, ["1", "2", "3", "4"]),
        ((0, 0.25, 0.5), False, ["0", "0.25", "0.5"]),
        ((1, 2, 7), False, None),
        (tuple(range(1, 40)), True, None),
        ((5,), False, None),
    ],
)
def test_figures_that_were_chosen_evenly_are_marked(values, log, marks):
    axis = axis_over(values, stepped=True)
    assert axis.log == log
    assert all(0 <= axis.part(value) <= 1 for value in values)
    if marks is not None:
        assert [text for _, text in axis.ticks(12)] == marks
        assert len(axis.ticks(2)) <= 4
    else:
        assert axis.ticks(8) == axis_over(values).ticks(8)


def test_all_points_lie_in_the_plot_larger_figures_right_and_up(qapp):
    (axes,) = scatter_axes(SCATTER, QSizeF(600, 300), QFont())
    torus, mesh, clex = (axes.at(dot.x, dot.y) for dot in DOTS)
    assert all(axes.plot.contains(point) for point in (torus, mesh, clex))
    assert mesh.x() < torus.x() < clex.x()
    assert mesh.y() < torus.y() < clex.y()


def test_names_stand_on_no_point_and_no_other_name(qapp):
    dots = tuple(Dot(f"Network {k}", 1.0 + k % 5 * 0.02, 1.0 + k // 5 * 0.02, k) for k in range(25))
    scatter = ScatterData((*dots, Dot("far", 3.0, 3.0, 25)), "x", "y", chosen=24)
    metrics = QFontMetricsF(QFont())
    (axes,) = scatter_axes(scatter, QSizeF(600, 300), QFont())
    placed = list(placed_names(axes, scatter, metrics))
    assert placed[0][0].row == 24
    areas = [area for _, area in placed]
    assert 2 <= len(areas) < 26
    assert not any(a.intersects(b) for k, a in enumerate(areas) for b in areas[:k])
    points = [QRectF(axes.at(dot.x, dot.y) - QPointF(2, 2), QSizeF(4, 4)) for dot in scatter.dots]
    assert not any(area.intersects(point) for area in areas for point in points)


def test_a_click_on_a_point_picks_its_row(plot):
    picked = []
    plot.picked.connect(picked.append)
    for dot in DOTS:
        QTest.mouseClick(plot, LEFT, pos=plot.place_of(dot).toPoint())
    QTest.mouseClick(plot, LEFT, pos=plot.axes[0].plot.center().toPoint())
    assert picked == [0, 1, 2]


def test_the_pointer_lights_a_point_and_reads_its_figures(plot):
    there = plot.place_of(DOTS[2]).toPoint()
    before = plot.grab().toImage().pixelColor(there).name()
    move(plot, plot.rect().center(), there, button=Qt.MouseButton.NoButton)
    assert plot.toolTip() == "CLEX\ndegree: 23\ndiameter: 3"
    assert plot.grab().toImage().pixelColor(there).name() == DARK.accent != before
    move(plot, there, plot.rect().center(), button=Qt.MouseButton.NoButton)
    assert plot.toolTip() == ""


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_what_is_looked_at_is_painted_in_full_colour(plot, theme):
    plot.show_scatter(SCATTER, theme, "nothing")
    image = plot.grab().toImage()
    chosen, other = (image.pixelColor(plot.place_of(DOTS[k]).toPoint()).name() for k in (1, 0))
    assert chosen == theme.accent
    assert other not in (theme.accent, theme.panel)


def test_without_points_it_says_why(plot):
    plot.show_scatter(ScatterData(), DARK, "No network has both figures.")
    assert plot.accessibleDescription() == "No network has both figures."
    assert plot.mark_at(QPointF(100, 100)) is None
    image = plot.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(200, 400) for y in range(130, 170)}
    assert DARK.dim in colours


def test_it_is_described_in_words(plot):
    assert plot.accessibleDescription() == "diameter over degree: Torus 6, 12, Mesh 4, 46, CLEX 23, 3"


HUES = (Hue("random", "#ff0000"), Hue("blocks", "#00ff00"))
SWEEP = ScatterData(
    tuple(Dot("", float(2**k), 3.0 * k + hue, 8 * panel + 2 * k + hue, hue, panel)
          for panel in range(3) for k in range(4) for hue in range(2)),
    "d_links", "GB/s", hues=HUES, hue_title="mapping", panels=("direct", "Valiant", "adaptive"), joined=True, pinned=5,
    describe=lambda row: f"point {row}",
)  # fmt: skip


def test_small_plots_stand_beside_each_other_on_the_same_axes(plot):
    plot.show_scatter(SWEEP, DARK, "")
    first, *others = plot.axes
    assert len(others) == 2
    for one in others:
        assert (one.across, one.up) == (first.across, first.up)
        assert (one.plot.size(), one.plot.top()) == (first.plot.size(), first.plot.top())
    lefts = [one.plot.left() for one in plot.axes]
    assert lefts == sorted(lefts)
    assert lefts[1] > first.plot.right()
    for dot, place in zip(SWEEP.dots, pixels(SWEEP, plot.axes), strict=True):
        there = plot.axes[dot.panel].at(dot.x, dot.y)
        assert place.tolist() == pytest.approx([there.x(), there.y()])


def test_points_have_their_colours_and_are_told_of(plot):
    plot.show_scatter(SWEEP, DARK, "")
    image = plot.grab().toImage()
    for dot in (SWEEP.dots[0], SWEEP.dots[7], SWEEP.dots[-1]):
        there = plot.place_of(dot).toPoint()
        assert image.pixelColor(there).name() == HUES[dot.hue].colour
        assert plot.mark_at(plot.place_of(dot)) == dot
        plot.point_at(dot)
        assert plot.toolTip() == f"point {dot.row}"


def test_names_across_stand_in_shares_of_equal_width(plot):
    names = ("random", "blocks", "a name that is far too long for the share that it has")
    plot.show_scatter(
        ScatterData(tuple(Dot("", k, k, k) for k in range(3)), "mapping", "GB/s", x_names=names), DARK, ""
    )
    axis = plot.scatter.across
    assert [axis.part(k) for k in range(3)] == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    assert [text for _, text in axis.ticks(9)] == list(names)
    assert [text for _, text in axis.ticks(2)] == [names[0], names[2]]
    assert not plot.grab().isNull()


def test_hues_have_shapes_too(qtbot, plot):
    grey = tuple(Hue(f"choice {k}", "#808080") for k in range(5))
    dots = tuple(Dot("", float(k), 1.0, k, hue=k) for k in range(5))
    plot.show_scatter(ScatterData(dots, "x", "y", hues=grey, hue_title="mapping"), DARK, "nothing")
    image, marks = plot.grab().toImage(), []
    for dot in dots:
        at = plot.place_of(dot).toPoint()
        square = [(x, y) for x in range(-6, 7) for y in range(-6, 7)]
        marks.append({(x, y) for x, y in square if image.pixelColor(at.x() + x, at.y() + y).lightness() > 110})
    assert all(len(mark) > 30 for mark in marks)
    assert min(len(one ^ other) for one, other in combinations(marks, 2)) > 10
