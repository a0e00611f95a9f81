"""The distribution: bars in the colours of the scale, read out under the pointer."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from app.model.pointing import Item
from app.storage.pictures import save_picture
from app.style.colour import ColourScale, lookup_table
from app.style.theme import DARK, LIGHT
from app.views.charts.distribution import DistributionView
from app.views.charts.distribution_chart import DistributionChart
from app.views.charts.histogram import BINS, Histogram
from app.views.drawing import fitting
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.scenarios import HALO
from tests.app.views.seen import colour_at, colours
from tests.pointer import move

CUBE = Scenario(Torus(dims=(2,) * 8), Halo(rows=16, cols=16), Sequential(), DimensionOrder())
NO_BUTTON = Qt.MouseButton.NoButton


def column(view, chart, index):
    """The middle of a bar, just above the axis."""
    plot = view.plots()[chart]
    return QPointF(plot.left() + (index + 0.5) * plot.width() / BINS, plot.bottom() - 4)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_bars_stand_where_the_links_are(session_of, shown, theme):
    view = shown(DistributionView(session_of(HALO, theme)), 1000, 260)
    table, colour = lookup_table("heat", theme.dark), colours(view)
    for index in range(BINS):
        seen = colour(column(view, 2, index))
        if index in (0, 19):
            place = 0 if index == 0 else round(19.5 / 25 * 255)
            assert seen == QColor(*table[place].tolist()).name()
        else:
            assert seen == theme.panel


def test_the_bar_under_the_pointer_is_read_out(session_of, shown):
    view = shown(DistributionView(session_of(HALO)), 1000, 260)
    where = column(view, 2, 19).toPoint()
    move(view.chart.viewport(), where - QPoint(40, 0), where, steps=3, button=NO_BUTTON)
    assert view.pointed == (2, 19)
    assert view.histograms[2].counts[19] == 1024
    plot = view.plots()[2]
    move(view.chart.viewport(), where, QPoint(where.x(), round(plot.bottom()) + 12), steps=3, button=NO_BUTTON)
    assert view.pointed is None


def test_subtitle_names_the_unit(session_of, shown):
    session = session_of(HALO)
    view = DistributionView(session)
    told = []
    view.subtitle_changed.connect(told.append)
    shown(view, 1000, 260)
    assert told[-1] == "links by load ÷ bandwidth · 100 % = 62.5 ms per unit"
    session.set_scale(ColourScale(frozen_time=0.125))
    assert told[-1].endswith("100 % = 125 ms per unit")
    session.choose("job", Halo(rows=2, cols=2, periodic=False))
    assert session.state.error is not None  # mod-colour does not fit; the last good state stays
    session.propose(replace(HALO, job=Halo(rows=2, cols=2, periodic=False), mapping=Sequential()))
    session.set_scale(ColourScale())
    assert told[-1] == "no load"
    assert [int(chart.counts[0]) for chart in view.histograms] == [7168, 24576, 3968]


@pytest.mark.parametrize(("width", "rows"), [(1800, 1), (1000, 2), (500, 4), (150, 8)])
def test_many_classes_wrap(session_of, shown, width, rows):
    view = shown(DistributionView(session_of(CUBE)), width, 600)
    plots = view.plots()
    assert len(plots) == 8
    assert len({plot.top() for plot in plots}) == rows
    assert len({(plot.width(), plot.height()) for plot in plots}) == 1
    inside = QRectF(view.rect())
    for k, plot in enumerate(plots):
        assert inside.contains(plot)
        assert not any(plot.intersects(other) for other in plots[:k])


def test_the_selected_link_has_a_mark_on_the_axis(session_of, shown):
    session = session_of(HALO)
    view = shown(DistributionView(session), 1000, 260)
    below = column(view, 1, BINS - 1) + QPointF(0, 9)
    assert colour_at(view, below) != DARK.accent
    session.select(Item("link", int(session.state.report.bottleneck_links[0])))
    assert colour_at(view, below) == DARK.accent


def test_pictures_fill_their_size(session_of, tmp_path):
    view = DistributionView(session_of(HALO, LIGHT))
    image = QImage(900, 400, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    painter = QPainter(image)
    view.paint_to(painter, QRectF(100, 50, 700, 300))
    painter.end()
    pixels = np.array(image.constBits()).reshape(400, 900, 4)[..., :3]
    ink = np.argwhere((pixels != 255).any(axis=2))
    assert (ink.min(axis=0) >= (50, 100)).all()
    assert (ink.max(axis=0) < (350, 800)).all()
    assert (np.ptp(ink, axis=0) > (270, 660)).all()
    save_picture(tmp_path / "charts.svg", (700, 300), LIGHT, view.paint_to)
    svg = (tmp_path / "charts.svg").read_text()
    assert "LR: 24,576 links" in svg
    assert "mean 21 %, max 80 %, 2,944 idle" in svg


def test_no_text_touches_the_border(session_of):
    view = DistributionView(session_of(HALO, LIGHT))
    for width in range(380, 520, 4):
        image = QImage(width, 240, QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.panel))
        painter = QPainter(image)
        view.paint_to(painter, QRectF(0, 0, width, 240))
        painter.end()
        pixels = np.array(image.constBits()).reshape(240, width, 4)[..., :3]
        assert (pixels[:, -3:] == 255).all(), width


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_links_beyond_a_frozen_scale_have_a_bar_past_its_end(session_of, shown, theme):
    session = session_of(HALO, theme)
    session.set_scale(ColourScale(frozen_time=session.state.report.time / 2))
    view = shown(DistributionView(session), 1000, 260)
    plot = view.plots()[2]
    past = QPointF(plot.left() + (BINS + 1.5) * plot.width() / (BINS + 2), plot.bottom() - 4)
    last = QPointF(plot.left() + (BINS - 0.5) * plot.width() / (BINS + 2), plot.bottom() - 4)
    seen = colours(view)
    assert (seen(past), seen(last)) == (theme.beyond, theme.panel)
    assert view.mark_at(past) == (2, BINS)
    assert view.mark_at(QPointF(plot.left() + (BINS + 0.5) * plot.width() / (BINS + 2), plot.bottom() - 4)) is None
    move(view.chart.viewport(), past.toPoint() - QPoint(0, 9), past.toPoint(), steps=3, button=NO_BUTTON)
    assert view.pointed == (2, BINS)


def test_texts_are_shortened_to_what_fits(qapp):
    metrics = QFontMetricsF(QFont())
    texts = ("C512: 1,024 links", "C512: 1,024")
    wide, narrow = (metrics.horizontalAdvance(text) + 1 for text in texts)
    assert fitting(texts, wide, metrics) == texts[0]
    assert fitting(texts, narrow, metrics) == texts[1]
    shortened = fitting(texts, narrow / 2, metrics)
    assert shortened.endswith("…")
    assert metrics.horizontalAdvance(shortened) <= narrow / 2


def test_one_link_is_visible_next_to_a_million(qapp):
    chart = DistributionChart()
    counts = np.zeros(BINS, np.intp)
    counts[[0, 5]] = 10**6, 1
    chart.show_histograms((Histogram("LL", 10**6 + 1, counts, 0, 0, 0.0, 0.2),), ColourScale(), None)
    chart.fit(QSize(1000, 260))
    area = chart.panels[0].area
    high = area.frame.height()
    assert [area.y_of(count) for count in (0, 10**6)] == pytest.approx([high, 0])
    assert area.y_of(1) < 0.96 * high


def test_many_charts_in_a_low_view_do_not_overlap(session_of, shown):
    view = shown(DistributionView(session_of(CUBE)), 440, 170)
    plots = view.plots()
    assert len(plots) == 8
    line = QFontMetricsF(view.font()).height()
    tops = sorted({plot.top() for plot in plots})
    assert all(below - above - plots[0].height() > 2 * line for above, below in pairwise(tops))
    assert plots[-1].bottom() + line < 170
    assert plots[0].width() > 50


def test_narrow_bars_keep_their_colour(session_of, shown):
    view = shown(DistributionView(session_of(CUBE)), 440, 170)
    plot, chart = view.plots()[0], view.histograms[0]
    index = int(chart.counts.argmax())
    place = (index + 0.5) / BINS if 0 < index < BINS - 1 else float(index > 0)
    expected = QColor(*lookup_table("heat", True)[round(place * 255)].tolist()).name()
    x = round(plot.left() + index * plot.width() / BINS)
    seen = colours(view)
    assert expected in {seen((x + step, round(plot.bottom()) - 3)) for step in (0, 1, 2)}


@pytest.mark.parametrize(("width", "scale"), [(240, 1.0), (420, 1.75), (1000, 1.0)])
def test_figures_and_titles_do_not_overlap(session_of, shown, width, scale):
    session = session_of(HALO, DARK.scaled(scale))
    view = DistributionView(session)
    font = QFont(view.font())
    font.setPointSizeF(scale * font.pointSizeF())
    view.setFont(font)
    shown(view, width, 260)
    for panel in view.chart.panels:
        texts = [
            axis.mapRectToScene(area)
            for axis in (panel.counts, panel.loads) if axis.texts for area, _ in axis.placed(axis.shown_marks())
        ]  # fmt: skip
        texts += [caption.geometry() for caption in (panel.title, panel.figures)]
        assert not any(a.adjusted(0, 1, 0, -1).intersects(b) for k, a in enumerate(texts) for b in texts[:k])


def test_the_readout_goes_with_the_pointer_and_is_in_no_file(session_of, shown, tmp_path):
    view = shown(DistributionView(session_of(HALO)), 1000, 260)
    where = column(view, 2, 19).toPoint()
    move(view.chart.viewport(), where - QPoint(40, 0), where, steps=3, button=NO_BUTTON)
    assert view.chart.panels[2].figures.text == "1,024 links at 76–80 %"
    save_picture(tmp_path / "charts.svg", (700, 300), LIGHT, view.paint_to)
    assert "1,024 links at" not in (tmp_path / "charts.svg").read_text()
    view.chart.leaveEvent(QEvent(QEvent.Type.Leave))
    assert view.pointed is None
    assert view.chart.panels[2].figures.text.startswith("mean")
