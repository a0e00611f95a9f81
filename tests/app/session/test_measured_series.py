"""Counters that were read several times: rows over time and single intervals, compared with plain loops."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import app.session.measured_series
from app.model.measured_series import strongest
from app.model.measurement import LinkSource, quantity
from app.model.pointing import Item
from app.session.intervals import HOTTEST, measured_interval, measured_series
from app.session.session import Session
from app.style.theme import DARK
from app.views.legend import scale_ticks, top_text
from core.load.measured import Comparison
from core.mapping import Sequential
from tests.app.measured import COUNTED, LEVELS, measured_scenario, planted, series_rates, series_scenario

SLOW_LINK, OTHER_LINK, MISSING = planted()


@pytest.fixture
def session(tmp_path, qapp):
    session = Session.of(series_scenario(tmp_path), theme=DARK, sync=True)
    yield session
    session.close()


@given(
    arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(0, 5)), elements=st.sampled_from([-2, 0, 1, 2, np.nan]))
)
def test_strongest_values(values):
    largest = strongest(values)
    for row, value, link in zip(values.tolist(), largest.values.tolist(), largest.links.tolist(), strict=True):
        given_values = [(abs(v), -k, v) for k, v in enumerate(row) if not np.isnan(v)]
        if not given_values:
            assert (np.isnan(value), link) == (True, -1)
        else:
            _, place, expected = max(given_values)
            assert (value, link) == (expected, -place)


@pytest.mark.parametrize("source", COUNTED, ids=lambda source: source.id)
def test_rows_are_the_strongest_values_of_their_links(session, source):
    evaluation = session.state.evaluation
    series = measured_series(evaluation, source, (Item("node", 3), Item("link", 2)))
    network, case = evaluation.case.network, evaluation.case
    sets = [range(*links.links.indices(network.links)) for links in network.classes]
    sets.append([k for k in range(network.links) if 3 in (network.src[k], network.dst[k])])
    sets += [[item.index] for item in series.items[len(sets) :]]
    assert len(sets) == len(series.items) == series.rows.values.shape[1]
    assert series.items[len(network.classes) :][:2] == (Item("node", 3), Item("link", 2))
    values = [quantity(Comparison(evaluation.report, links), source) for links in case.measured.intervals]
    for number, of_interval in enumerate(values):
        for row, links in enumerate(sets):
            present = [k for k in links if not np.isnan(of_interval[k])]
            link = series.rows.links[number, row]
            if not present:
                assert link == -1
                continue
            expected = max(abs(of_interval[k]) for k in present)
            assert abs(of_interval[link]) == pytest.approx(expected, rel=1e-6)
            assert series.rows.values[number, row] * series.counters.top == pytest.approx(of_interval[link], rel=1e-6)
    # The last rows are the links with the strongest values.
    peaks = np.nanmax(np.abs(np.stack(values)), axis=0, initial=0.0, where=~np.isnan(np.stack(values)))
    hottest = [item.index for item in series.items[-HOTTEST:]]
    assert peaks[hottest].min() >= np.delete(peaks, hottest).max() - 1e-6
    assert series.counters.scale.largest == pytest.approx(peaks.max() / series.counters.top, rel=1e-6)


def test_the_cursor_shows_the_rates_of_its_interval(session):
    session.set_source(LinkSource.MEASURED)
    rates = series_rates(session.state.report.total_load, SLOW_LINK, OTHER_LINK)
    for number in range(len(LEVELS)):
        session.go_to(number)
        state = session.state
        assert state.interval.number == number
        shown = state.link_values * state.counters.top
        present = np.delete(np.arange(shown.size), MISSING)
        np.testing.assert_allclose(shown[present], rates[number, present], atol=1e-8)
        assert np.isnan(shown[MISSING]).all()
    assert state.interval.words == "interval 3 of 3: 20 s to 30 s"
    assert state.cursor_words == ("interval 3 of 3: 20 s to 30 s",)
    session.go_to(None)
    assert session.state.interval is None
    average = session.state.link_values * session.state.counters.top
    np.testing.assert_allclose(average[present], rates.mean(axis=0)[present], atol=1e-8)


@pytest.mark.parametrize("source", COUNTED, ids=lambda source: source.id)
def test_the_legend_is_the_same_in_all_intervals(session, source):
    session.set_source(source)
    session.go_to(0)
    legends = []
    for number in range(len(LEVELS)):
        session.go_to(number)
        state = session.state
        legends.append((top_text(state), scale_ticks(state.shading, state.counters), state.shading))
        assert np.nanmax(np.abs(state.shading.coordinate(state.link_values))) <= 1
    assert legends[0] == legends[1] == legends[2]
    # The highest value of all intervals is at the end of the scale, not only of the interval shown.
    assert state.counters.scale == state.series.counters.scale


def test_other_traffic_is_a_difference_in_its_interval_only(session):
    session.set_source(LinkSource.DIFFERENCE)
    differences = []
    for number in range(len(LEVELS)):
        session.go_to(number)
        differences.append(session.state.link_values[OTHER_LINK])
    assert differences[1] > 0.3
    assert abs(differences[0]) < 0.02
    assert abs(differences[2]) < 0.02


def test_the_cursor_is_clipped_and_hidden_with_predicted_loads(session):
    session.set_source(LinkSource.MEASURED)
    session.go_to(99)
    assert session.state.cursor == 2
    session.go_to(-5)
    assert session.state.cursor == 0
    session.set_source(LinkSource.LOAD)
    assert session.state.interval is session.state.cursor is None
    assert session.state.steps == 1
    session.set_source(LinkSource.MEASURED)
    assert session.state.interval.number == 0
    session.timekeeper.go_to(0)  # a step of the job
    assert session.state.interval is session.state.cursor is None
    assert session.state.time.step == 0
    session.go_to(1)
    assert session.state.time.step is None


def test_without_readings_in_between_there_is_nothing_to_play(tmp_path):
    session = Session.of(measured_scenario(tmp_path), theme=DARK, sync=True)
    session.set_source(LinkSource.MEASURED)
    session.series.look()
    session.series.go_to(1)
    assert (session.state.intervals, session.state.series, session.state.interval) == ((), None, None)
    session.close()


def test_comparison_of_two_states_shows_the_whole_job(session):
    session.set_source(LinkSource.MEASURED)
    session.go_to(1)
    session.set_reference(session.state.evaluation)
    session.propose(session.state.wanted.with_choice("mapping", Sequential()))
    assert session.state.compared_pair is not None
    assert session.state.interval is None
    session.set_reference(None)
    assert session.state.interval.number == 1


def test_another_mapping_is_compared_with_the_same_interval(session):
    session.set_source(LinkSource.DIFFERENCE)
    session.go_to(1)
    before = session.state.interval
    session.propose(session.state.wanted.with_choice("mapping", Sequential()))
    after = session.state.interval
    assert after.number == before.number == 1
    assert after.measurement.comparison.report is session.state.evaluation.report
    assert not np.array_equal(after.measurement.comparison.predicted, before.measurement.comparison.predicted)


def test_removed_counters_leave_predicted_loads(session):
    session.set_source(LinkSource.MEASURED)
    session.go_to(1)
    session.propose(replace(session.state.wanted, measured=None))
    assert session.state.intervals == ()
    assert session.state.counters is None
    assert not np.isnan(session.state.link_values).any()


def test_unknown_lengths_have_no_rates(tmp_path):
    session = Session.of(series_scenario(tmp_path, seconds=None), theme=DARK, sync=True)
    session.set_source(LinkSource.MEASURED)
    session.go_to(1)
    assert session.state.interval.words == "interval 2 of 3"
    assert top_text(session.state).endswith(" GB")
    assert not session.state.series.timeline.timed
    session.close()


def test_rows_are_computed_off_the_gui_thread_and_can_be_cancelled(tmp_path, qtbot, monkeypatch):
    threads, go_on = [], threading.Event()

    def slow(*given):
        threads.append(threading.current_thread())
        while not go_on.wait(0.005):
            given[-1](0.25)
        return measured_series(*given)

    monkeypatch.setattr(app.session.measured_series, "measured_series", slow)
    session = Session.of(series_scenario(tmp_path), theme=DARK)
    session.set_source(LinkSource.MEASURED)
    session.series.look()
    qtbot.waitUntil(lambda: session.state.time.series_progress == 0.25)
    session.series.look()
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    session.series.cancel()
    assert session.state.time.series_stopped
    go_on.set()
    session.series.look()  # not again for this state
    assert session.state.series is None
    session.series.look(again=True)
    qtbot.waitUntil(lambda: session.state.series is not None)
    assert not session.state.time.series_stopped
    session.close()


def test_a_single_interval_is_that_of_the_series(session):
    evaluation = session.state.evaluation
    interval = measured_interval(evaluation, 2, {})
    assert interval.links is evaluation.case.measured.intervals[2]
    assert interval.start == 20.0
    own = interval.measurement.counters(LinkSource.MEASURED)
    assert own.top == pytest.approx(max(np.nanmax(interval.links.gbs), interval.measurement.comparison.predicted.max()))
