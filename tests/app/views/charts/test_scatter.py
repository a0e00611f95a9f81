"""Points: plots that hold them, names that do not cover each other, a click that picks, zooming."""

import gc
import re
import weakref
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from app.storage.pictures import picture_content
from app.style.theme import DARK, LIGHT
from app.views.charts.scatter import STEPS, ScatterPlot
from app.views.charts.scatter_chart import ScatterChart
from app.views.charts.scatter_data import Dot, Hue, ScatterData
from tests.app.views.charts.kit.test_chart import drawn, pixels, turn
from tests.pointer import drag, move

SIZE = QSize(600, 300)
LEFT = Qt.MouseButton.LeftButton
NO_BUTTON = Qt.MouseButton.NoButton
CTRL = Qt.KeyboardModifier.ControlModifier
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


@pytest.fixture
def chart(qapp):
    """A chart that is never shown."""
    kept = []

    def make(scatter, size=SIZE, theme=DARK, font=None):
        chart = ScatterChart()
        chart.dress(theme, font or QFont())
        chart.show_scatter(scatter, "nothing")
        chart.fit(size)
        kept.append(chart)
        return chart

    return make


def test_all_points_lie_in_the_plot_larger_figures_right_and_up(chart):
    made = chart(SCATTER)
    torus, mesh, clex = map(made.place_of, DOTS)
    (panel,) = made.panels
    assert all(panel.area.frame.contains(point) for point in (torus, mesh, clex))
    assert mesh.x() < torus.x() < clex.x()
    assert mesh.y() < torus.y() < clex.y()


CROWD = tuple(Dot(f"Network {k}", 1.0 + k % 5 * 0.02, 1.0 + k // 5 * 0.02, k) for k in range(25))


def test_names_stand_on_no_point_and_no_other_name(chart):
    scatter = ScatterData((*CROWD, Dot("far", 3.0, 3.0, 25)), "x", "y", chosen=24)
    (panel,) = chart(scatter).panels
    placed = panel.names.placed()
    assert placed[0][0].row == 24
    areas = [area for _, area in placed]
    assert 2 <= len(areas) < 26
    assert_apart(areas, panel.area, scatter)


def assert_apart(areas, area, scatter):
    assert not any(a.intersects(b) for k, a in enumerate(areas) for b in areas[:k])
    points = [QRectF(area.at(dot.x, dot.y) - QPointF(2, 2), QSizeF(4, 4)) for dot in scatter.dots]
    assert not any(name.intersects(point) for name in areas for point in points)


def test_names_find_new_places_when_the_range_changes(plot):
    scatter = ScatterData((*CROWD, Dot("far", 3.0, 3.0, 25)), "x", "y")
    plot.show_scatter(scatter, DARK, "")
    (panel,) = plot.chart.panels
    few = panel.names.placed()
    turn(plot.chart.viewport(), panel.area.pixel(1.04, 1.04).toPoint(), CTRL, notches=10)
    placed = panel.names.placed()
    assert len(placed) > len(few)
    assert "far" not in [dot.name for dot, _ in placed]
    assert_apart([area for _, area in placed], panel.area, scatter)
    plot.chart.show_all()
    assert panel.names.placed() == few


def test_a_click_on_a_point_picks_its_row(plot):
    picked = []
    plot.picked.connect(picked.append)
    for dot in DOTS:
        QTest.mouseClick(plot.chart.viewport(), LEFT, pos=plot.place_of(dot).toPoint())
    QTest.mouseClick(plot.chart.viewport(), LEFT, pos=plot.chart.panels[0].area.frame.center().toPoint())
    QTest.mouseClick(plot.chart.viewport(), Qt.MouseButton.RightButton, pos=plot.place_of(DOTS[0]).toPoint())
    assert picked == [0, 1, 2]


def test_a_hovered_point_is_highlighted_and_its_figures_are_shown(plot):
    there = plot.place_of(DOTS[2]).toPoint()
    before = plot.grab().toImage().pixelColor(there).name()
    move(plot.chart.viewport(), plot.rect().center(), there, button=NO_BUTTON)
    assert plot.toolTip() == "CLEX\ndegree: 23\ndiameter: 3"
    assert plot.grab().toImage().pixelColor(there).name() == DARK.accent != before
    move(plot.chart.viewport(), there, plot.rect().center(), button=NO_BUTTON)
    assert plot.toolTip() == ""


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_the_plot_is_painted_in_full_colour(plot, theme):
    plot.show_scatter(SCATTER, theme, "nothing")
    image = plot.grab().toImage()
    chosen, other = (image.pixelColor(plot.place_of(DOTS[k]).toPoint()).name() for k in (1, 0))
    assert chosen == theme.accent
    assert other not in (theme.accent, theme.panel)


def test_arrows_go_from_point_to_point_and_enter_picks(plot):
    picked = []
    plot.picked.connect(picked.append)
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Right)  # from the chosen one, Mesh
    assert plot.toolTip().startswith("Torus")
    assert QToolTip.text() == plot.toolTip()
    QTest.keyClick(plot, Qt.Key.Key_Right)
    QTest.keyClick(plot, Qt.Key.Key_Return)
    assert picked == [2]
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert plot.toolTip().startswith("Mesh")
    QTest.keyClick(plot, Qt.Key.Key_Left)
    assert plot.toolTip().startswith("CLEX")
    turn(plot.chart.viewport(), plot.place_of(DOTS[0]).toPoint(), CTRL, notches=10)
    for key in STEPS:
        QTest.keyClick(plot, key)
        assert plot.toolTip().startswith("Torus")  # no other is shown
    QToolTip.hideText()


def test_without_points_it_shows_the_reason(plot):
    plot.show_scatter(ScatterData(), DARK, "No network has both figures.")
    assert plot.accessibleDescription() == "No network has both figures."
    assert plot.mark_at(QPointF(100, 100)) is None
    image = plot.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(200, 400) for y in range(130, 170)}
    assert DARK.dim in colours


def test_it_is_described_in_words(plot):
    assert plot.accessibleDescription() == "diameter against degree: Torus 6, 12, Mesh 4, 46, CLEX 23, 3"


HUES = (Hue("random", "#ff0000"), Hue("blocks", "#00ff00"))
SWEEP = ScatterData(
    tuple(Dot("", float(2**k), 3.0 * k + hue, 8 * panel + 2 * k + hue, hue, panel)
          for panel in range(3) for k in range(4) for hue in range(2)),
    "d_links", "GB/s", hues=HUES, hue_title="mapping", panels=("direct", "Valiant", "adaptive"), joined=True, pinned=5,
    describe=lambda row: f"point {row}",
)  # fmt: skip


def test_small_plots_share_their_axes(plot):
    plot.show_scatter(SWEEP, DARK, "")
    first, *others = plot.chart.panels
    assert len(others) == 2
    for panel_there in others:
        assert (panel_there.area.span, panel_there.area.rise) == (first.area.span, first.area.rise)
        assert (panel_there.area.frame.size(), panel_there.area.frame.top()) == (
            first.area.frame.size(),
            first.area.frame.top(),
        )
    lefts = [panel_there.area.frame.left() for panel_there in plot.chart.panels]
    assert lefts == sorted(lefts)
    assert lefts[1] > first.area.frame.right()
    for dot in SWEEP.dots:
        assert plot.chart.panels[dot.panel].area.frame.contains(plot.place_of(dot))


def test_small_plots_are_zoomed_together(plot):
    plot.show_scatter(SWEEP, DARK, "")
    first, second, third = (panel.area for panel in plot.chart.panels)
    full_span = first.span
    turn(plot.chart.viewport(), second.pixel(2, 6).toPoint(), CTRL)
    assert second.zoomed
    assert first.span == second.span == third.span != full_span
    assert first.rise == second.rise == third.rise
    start = third.span
    middle = third.frame.center().toPoint()
    drag(plot.chart.viewport(), middle, middle + QPoint(20, 0), steps=6)
    assert start != third.span == first.span == second.span
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert first.span == second.span == third.span == full_span
    steps, rise = np.log10(full_span), first.rise
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    assert first.span == second.span == third.span
    assert np.ptp(np.log10(first.span)) == pytest.approx(np.ptp(steps) / 1.25)
    assert np.ptp(third.rise) == pytest.approx(np.ptp(rise) / 1.25)
    QTest.keyClick(plot, Qt.Key.Key_Minus)
    assert first.span == pytest.approx(full_span)


def test_the_number_of_plots_can_change(plot):
    plot.show_scatter(SWEEP, DARK, "")
    three = pixels(plot.grab().toImage())
    turn(plot.chart.viewport(), plot.chart.panels[1].area.pixel(2, 6).toPoint(), CTRL)
    plot.show_scatter(SCATTER, DARK, "")
    assert len(plot.chart.panels) == 1
    assert not plot.chart.panels[0].area.zoomed
    plot.show_scatter(SWEEP, DARK, "")
    assert (pixels(plot.grab().toImage()) == three).all()


def test_a_part_stays_while_points_come(plot):
    plot.show_scatter(SWEEP, DARK, "")
    first, second, _ = (panel.area for panel in plot.chart.panels)
    turn(plot.chart.viewport(), second.pixel(2, 6).toPoint(), CTRL)
    part = first.span
    more = (*SWEEP.dots, Dot("", 16.0, 40.0, 99))
    plot.show_scatter(replace(SWEEP, dots=more), DARK, "")
    assert first.span == second.span == pytest.approx(part)
    plot.show_scatter(replace(SWEEP, dots=more, panels=("all",)), DARK, "")
    plot.chart.show_all()
    plot.show_scatter(replace(SWEEP, dots=more), DARK, "")
    assert not second.zoomed


def test_points_have_their_colours_and_the_legend_explains_them(plot):
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
    (panel,) = plot.chart.panels
    width = panel.area.rect().width()
    assert [panel.area.x_of(k) / width for k in range(3)] == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    texts = [mark.text for _, mark in panel.below.placed(panel.below.shown_marks())]
    assert texts[:2] == list(names[:2])
    assert texts[2].endswith("…")
    assert names[2].startswith(texts[2][:-1])


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
    assert min(len(mark ^ second) for mark, second in combinations(marks, 2)) > 10


MANY = 10_000
HUNDREDS = tuple(Hue(f"choice {k}", DARK.roles[k]) for k in range(5))


def many(count=MANY):
    x, y = np.random.default_rng(3).normal((50, 20), (12, 5), (count, 2)).T
    dots = tuple(Dot("", a, b, k, k % 5) for k, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)))
    return ScatterData(dots, "cost", "throughput", hues=HUNDREDS, hue_title="mapping")


def test_also_of_many_points_the_one_under_the_pointer_is_read(plot, monkeypatch):
    scatter = many()
    plot.show_scatter(scatter, DARK, "")
    port = plot.chart.viewport()
    port.repaint()
    area = plot.chart.panels[0].area
    places = np.stack([area.x_of(scatter.places[:, 0]), area.y_of(scatter.places[:, 1])], axis=1)
    for dot in (scatter.dots[int(np.argmin(places[:, 0]))], scatter.dots[int(np.argmax(places[:, 1]))]):
        at = plot.place_of(dot).toPoint()
        move(port, at - QPoint(40, 0), at, button=NO_BUTTON)
        assert plot.toolTip() == f"\ncost: {dot.x:,.5g}\nthroughput: {dot.y:,.5g}"
        assert not plot.chart.panels[0].pointed.boundingRect().isEmpty()
        assert plot.chart.panels[0].pointed.boundingRect().width() < 20  # only that much is drawn again
    QApplication.sendEvent(plot.chart, QEvent(QEvent.Type.Leave))
    assert plot.toolTip() == ""
    assert plot.chart.panels[0].pointed.boundingRect().isEmpty()


def test_many_points_have_shapes_too(chart):
    shapes = {symbol.shape for symbol in chart(many()).panels[0].points.symbols}
    assert shapes == set(range(5))


@pytest.mark.parametrize("scatter", [SCATTER, SWEEP, many(300)], ids=["names", "small plots", "many"])
def test_points_in_files_are_shapes_and_texts_stay_texts(plot, scatter):
    plot.show_scatter(scatter, DARK, "")
    svg = picture_content(".svg", (600, 300), DARK, plot.paint_to).decode()
    assert "<image" not in svg
    shapes = len(re.findall("<(?:circle|ellipse|path|polygon)", svg))
    assert shapes >= len(scatter.dots)
    texts = {text.strip() for text in re.findall(r"<text[^>]*>([^<]*)", svg)}
    assert {scatter.y_title, *(hue.name for hue in scatter.hues), *filter(None, scatter.panels)} <= texts
    assert {dot.name for dot in scatter.dots if dot.name} <= texts
    pdf = picture_content(".pdf", (600, 300), DARK, plot.paint_to)
    assert b"/Subtype /Image" not in pdf


def test_a_file_shows_what_the_screen_does(plot, chart):
    for scatter in (SCATTER, SWEEP):
        plot.show_scatter(scatter, DARK, "")
        assert (pixels(plot.chart.grab().toImage()) == pixels(drawn(chart(scatter), SIZE))).all()


def test_a_zoomed_plot_is_drawn_zoomed_and_reads_only_what_it_shows(plot, qtbot):
    port, area = plot.chart.viewport(), plot.chart.panels[0].area
    picked = []
    plot.picked.connect(picked.append)
    torus, mesh, _ = DOTS
    turn(port, plot.place_of(torus).toPoint(), notches=5)
    assert not area.zoomed  # without Ctrl the wheel scrolls
    turn(port, plot.place_of(torus).toPoint(), CTRL, notches=10)
    assert area.zoomed
    assert not area.frame.contains(plot.place_of(mesh))
    assert plot.mark_at(plot.place_of(mesh)) is None
    at = plot.place_of(torus).toPoint()
    drag(port, at, at + QPoint(30, 20), steps=6)
    assert picked == []  # a drag is not a click
    assert (plot.place_of(torus).toPoint() - at - QPoint(30, 20)).manhattanLength() <= 2
    QTest.mouseClick(port, LEFT, pos=plot.place_of(torus).toPoint())
    qtbot.waitUntil(lambda: picked == [torus.row])
    plot.show_scatter(ScatterData(DOTS, "degree", "diameter", chosen=2), DARK, "")
    assert area.zoomed  # another choice leaves it zoomed
    svg = picture_content(".svg", (600, 300), DARK, plot.paint_to).decode()
    assert "Torus" in svg
    assert "Mesh" not in svg
    QTest.mouseDClick(port, LEFT, pos=area.frame.center().toPoint())
    assert not area.zoomed
    assert "Mesh" in picture_content(".svg", (600, 300), DARK, plot.paint_to).decode()
    turn(port, plot.place_of(torus).toPoint(), CTRL)
    plot.show_scatter(ScatterData(DOTS, "nodes", "diameter"), DARK, "")
    assert not area.zoomed  # another axis is shown as a whole


def test_large_type_in_a_small_plot_overlaps_nowhere(chart):
    font = QFont()
    font.setPointSizeF(2 * font.pointSizeF())
    made = chart(SWEEP, QSize(420, 300), DARK.scaled(2.0), font)
    for panel in made.panels:
        for axis in (panel.left, panel.below):
            areas = [area for area, _ in axis.placed(axis.shown_marks())]
            assert not any(area.intersects(other) for k, area in enumerate(areas) for other in areas[:k])


def test_a_plot_is_freed_with_its_chart(shown, qapp):
    plot = ScatterPlot("Networks as points")
    plot.resize(600, 300)
    plot.show_scatter(SWEEP, DARK, "")
    plot.build()
    plot.show_scatter(SCATTER, LIGHT, "")
    plot.grab()
    panel = plot.chart.panels[0]
    parts = [weakref.ref(part) for part in (plot.chart, panel.area, panel.points, panel.names, plot.chart.legend)]
    gc.collect()
    del panel
    plot.chart = None
    plot.deleteLater()
    del plot
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not [part() for part in parts if part() is not None]
