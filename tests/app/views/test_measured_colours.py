"""Counters as colours of links: in every view, in its legend, and for links without a counter."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.measured_text import counters_text
from app.model.measurement import NO_VALUE, LinkSource
from app.model.pointing import Item
from app.style.colour import DifferenceScale
from app.style.theme import DARK, LIGHT
from app.views.charts.histogram import histograms
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from app.views.legend import excess, heading, scale_ticks, side_text, top_text
from app.views.machine.geometry import MachineGeometry, shading_of
from app.views.machine.paint import HEAD, fit, paint_machine
from app.views.machine.picker import item_lines
from app.views.reduce import PairMaximum, strongest_at_ends
from tests.app.measured import COUNTED, GBS, OTHER, SLOW, TORUS, measured_scenario, planted
from tests.app.sessions import session_on
from tests.app.views.seen import text_of

MINUS = "\N{MINUS SIGN}"
SLOW_LINK, OTHER_LINK, MISSING = planted()
BY_PORTS = [source for source in COUNTED if source is not LinkSource.PREDICTED]
"""Quantities that a link without a counter lacks."""


@pytest.fixture
def session(tmp_path):
    session = session_on(measured_scenario(tmp_path), theme=DARK, sync=True)
    yield session
    session.close()


def test_loads_are_shown_until_counters_are_chosen(session):
    state = session.state
    assert state.source is LinkSource.LOAD
    assert state.counters is None
    np.testing.assert_array_equal(state.link_values, state.utilisation)


def test_values_are_bandwidths_on_one_scale(session):
    loads = session.state.report.total_load
    session.set_source(LinkSource.MEASURED)
    counters = session.state.counters
    assert counters.top == pytest.approx(np.nanmax(counters.values * counters.top))
    assert counters.values[OTHER_LINK] * counters.top == pytest.approx(OTHER * GBS * loads[OTHER_LINK] / loads.max())
    session.set_source(LinkSource.DIFFERENCE)
    residual = session.state.link_values * counters.top
    assert residual[SLOW_LINK] == pytest.approx((SLOW - 1) * GBS * loads[SLOW_LINK] / loads.max(), rel=1e-3)
    assert isinstance(session.state.shading, DifferenceScale)
    assert session.state.shading.span >= np.nanmax(np.abs(session.state.link_values))


def test_predicted_bandwidths_have_the_scale_of_measured_bandwidths(session):
    session.set_source(LinkSource.PREDICTED)
    state = session.state
    assert heading(state) == "Predicted bandwidth, GB/s"
    comparison, loads = state.measurement.comparison, state.report.total_load
    np.testing.assert_allclose(state.link_values * state.counters.top, GBS * loads / loads.max(), rtol=1e-3)
    assert not np.isnan(state.link_values).any()
    legend = top_text(state), scale_ticks(state.shading, state.counters)
    session.set_source(LinkSource.MEASURED)
    assert (top_text(session.state), scale_ticks(session.state.shading, session.state.counters)) == legend
    assert session.state.counters.top == max(np.nanmax(comparison.measured), comparison.predicted.max())


def test_links_that_agree_do_not_count_as_different(session):
    session.set_source(LinkSource.DIFFERENCE)
    state = session.state
    comparison = state.measurement.comparison
    shading = shading_of(MachineGeometry(state.evaluation.case.network), state)
    different = np.flatnonzero(np.abs(comparison.residual) > comparison.tolerance.of(comparison.predicted))
    assert {SLOW_LINK, OTHER_LINK} <= set(different)
    assert (comparison.residual != 0).sum() > different.size
    np.testing.assert_array_equal(np.flatnonzero(shading.rank), different)
    np.testing.assert_array_equal(shading.link, state.link_values)


@pytest.mark.parametrize("source", BY_PORTS)
def test_links_without_a_counter_have_no_value(session, source):
    session.set_source(source)
    assert set(MISSING) <= set(np.flatnonzero(np.isnan(session.state.link_values)))
    word = "no value" if source is LinkSource.WAIT else NO_VALUE
    assert side_text(session.state) == f"{word}: {np.isnan(session.state.link_values).sum()}"
    assert excess(session.state) == 0


def test_scenario_without_counters_has_loads_whatever_was_chosen(session):
    session.set_source(LinkSource.MEASURED)
    session.propose(session.state.wanted.with_choice("job", TORUS["job"]))
    session.propose(replace(session.state.wanted, measured=None))
    assert session.state.source is LinkSource.LOAD
    assert not np.isnan(session.state.link_values).any()


def test_waits_without_such_counters_are_not_shown(tmp_path):
    session = session_on(measured_scenario(tmp_path, waits=False), theme=DARK, sync=True)
    session.set_source(LinkSource.WAIT)
    assert session.state.source is LinkSource.LOAD
    session.set_source(LinkSource.MEASURED)
    assert session.state.source is LinkSource.MEASURED
    session.close()


def test_comparison_of_two_states_shows_loads(session):
    session.set_source(LinkSource.MEASURED)
    session.set_reference(session.state.evaluation)
    assert session.state.compared_pair is None or session.state.source is LinkSource.LOAD
    session.set_reference(None)
    assert session.state.source is LinkSource.MEASURED


def test_legend_has_units(session):
    session.set_source(LinkSource.MEASURED)
    assert heading(session.state) == "Measured bandwidth, GB/s"
    assert top_text(session.state).endswith(" GB/s")
    assert scale_ticks(session.state.shading, session.state.counters)[0] == (0.0, "0")
    session.set_source(LinkSource.DIFFERENCE)
    assert heading(session.state) == f"Measured {MINUS} predicted, GB/s · blue: less, red: more"
    ticks = scale_ticks(session.state.shading, session.state.counters)
    assert [place for place, _ in ticks] == [0, 0.5]
    assert ticks[0][1].startswith(MINUS)
    assert top_text(session.state).startswith("+")
    session.set_source(LinkSource.WAIT)
    assert heading(session.state) == "Wait to send, ticks per GB"


def test_unknown_interval_has_no_rate(tmp_path):
    session = session_on(measured_scenario(tmp_path, seconds=None), theme=DARK, sync=True)
    session.set_source(LinkSource.MEASURED)
    assert top_text(session.state).endswith(" GB")
    session.close()


def test_readout_of_a_link_has_both_bandwidths_and_the_wait(session):
    geometry = MachineGeometry(session.state.report.case.network)
    lines = item_lines(Item("link", SLOW_LINK), geometry, session.state)
    assert lines[-2].startswith("measured 0.")
    assert "predicted" in lines[-2]
    assert f"({MINUS}" in lines[-2]
    assert lines[-1].endswith("ticks per GB")
    assert item_lines(Item("link", MISSING[0]), geometry, session.state)[-1].startswith(f"{NO_VALUE}, predicted")


@pytest.mark.parametrize("source", COUNTED)
def test_matrices_tell_all_quantities_of_a_link_beginning_with_the_one_shown(session, source):
    session.set_source(source)
    first, *others = counters_text(session.state, np.array([SLOW_LINK])).split(", ")
    assert first.startswith(f"{source.value} ")
    rest = [of.value for of in (LinkSource.MEASURED, LinkSource.PREDICTED, LinkSource.WAIT) if of is not source]
    assert [text.split()[0] for text in others] == rest
    without = counters_text(session.state, np.array([MISSING[0]]))
    assert without.startswith(f"{NO_VALUE}, predicted ")


def test_a_range_begins_at_zero_if_only_management_crosses_a_link(session):
    session.set_source(LinkSource.MEASURED)
    counters = session.state.counters
    assert counters.range_text(np.array([1e-6, 1.0])).startswith("measured 0 to ")
    assert not counters.range_text(np.array([1e-3, 1.0])).startswith("measured 0 to ")
    assert counters.range_text(np.array([-1e-9, 1e-9])) == "measured 0 GB/s"
    assert counters.range_text(np.array([1e-9])) != "measured 0 GB/s"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_links_without_a_counter_are_drawn_as_missing(session, qapp, theme):
    session.set_theme(theme)
    session.set_source(LinkSource.MEASURED)
    network, size = session.state.report.case.network, (900, 700)
    image = QImage(*size, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    paint_machine(painter, QRectF(0, 0, *size), session.state)
    painter.end()
    camera = fit(MachineGeometry(network), size, HEAD)
    links = np.array(MISSING)
    start, control, end = np.moveaxis(network.layout.link_curves(links, network.src[links], network.dst[links]), 1, 0)
    t = np.linspace(0.2, 0.8, 31)[:, None, None]
    points = camera.project((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end, size)
    for link in range(links.size):
        colours = {image.pixelColor(*np.rint(at[:2]).astype(int).tolist()).name() for at in points[:, link]}
        assert QColor(theme.missing).name() in colours


def test_missing_values_do_not_hide_others(session):
    session.set_source(LinkSource.MEASURED)
    state = session.state
    network, values = state.report.case.network, state.link_values
    node = strongest_at_ends(network, values)
    assert not np.isnan(node).any()
    pairs, strongest = PairMaximum.of_network(network)(values)
    for pair, value in zip(pairs.tolist(), strongest.tolist(), strict=True):
        of = values[(network.group_of[network.src] * network.groups + network.group_of[network.dst]) == pair]
        assert value == (pytest.approx(np.nanmax(of)) if not np.isnan(of).all() else pytest.approx(np.nan, nan_ok=True))
    shading = shading_of(MachineGeometry(network), state)
    assert not np.isnan(shading.rank).any()
    assert not shading.marked(values).any()


def test_reductions_of_missing_values_only_are_missing(session):
    network = session.state.report.case.network
    nothing = np.full(network.links, np.nan)
    assert np.isnan(strongest_at_ends(network, nothing)).all()
    assert np.isnan(PairMaximum.of_network(network)(nothing)[1]).all()


@pytest.mark.parametrize("source", COUNTED)
def test_histograms_count_links_with_values(session, source):
    session.set_source(source)
    total = sum(int(chart.counts.sum()) + chart.beyond for chart in histograms(session.state))
    assert total == np.count_nonzero(~np.isnan(session.state.link_values))


def test_matrix_tells_the_range(session, qtbot):
    session.set_source(LinkSource.MEASURED)
    view = BundleMatrixView(session)
    qtbot.addWidget(view)
    view.resize(500, 500)
    view.show()
    assert "measured 0" in text_of(view)
    assert "GB/s" in text_of(view)
