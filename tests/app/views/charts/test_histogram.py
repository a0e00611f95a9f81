"""Histograms of loads: every link counted once, where its colour says."""

import numpy as np
import pytest

from app.model.state import State
from app.session.evaluation import evaluate_for_editing
from app.style.colour import ColourScale
from app.views.charts.histogram import BINS, bin_of, bin_text, count_ticks, histograms
from core.spec import no_progress
from tests.app.scenarios import HALO
from tests.app.sessions import with_fields


@pytest.fixture(scope="module")
def state():
    return State(HALO, evaluation=evaluate_for_editing(HALO, None, no_progress).evaluation)


@pytest.mark.parametrize(
    ("value", "index"), [(0, 0), (0.04, 0), (0.0401, 1), (0.8, 19), (0.8000001, 19), (0.81, 20), (1, 24)]
)
def test_a_bin_has_its_upper_end(value, index):
    assert bin_of(np.array([value], np.float32)).tolist() == [index]


def test_every_link_is_counted_once(state):
    counted = histograms(state)
    assert [(chart.name, chart.links) for chart in counted] == [("LL", 7168), ("LR", 24576), ("D", 3968)]
    for chart, figures in zip(counted, state.report.classes, strict=True):
        assert chart.counts.size == BINS
        assert chart.counts.sum() == chart.links
        assert chart.highest == pytest.approx(figures.max_load / figures.gbs / state.report.time)
        assert chart.mean == pytest.approx(figures.mean_load / figures.gbs / state.report.time)
    assert counted[2].counts[[0, 19]].tolist() == [2944, 1024]  # idle, or all at 80 %
    assert counted[2].idle == 2944


def test_links_beyond_a_frozen_scale_are_counted_separately(state):
    frozen = with_fields(state, scale=ColourScale(frozen_time=state.report.time / 2))
    counted = histograms(frozen)
    assert counted[2].counts[[0, 24]].tolist() == [2944, 0]
    assert counted[2].beyond == 1024
    assert [chart.beyond for chart in histograms(state)] == [0, 0, 0]
    assert counted[2].highest == pytest.approx(1.6)


def test_ranges_in_words():
    assert [bin_text(ColourScale(), k) for k in (0, 19, 24)] == ["0–4 %", "76–80 %", "96–100 %"]
    assert bin_text(ColourScale(), BINS) == "more than 100 %"
    assert bin_text(ColourScale(log=True), 0) == "up to 0.13 %"
    assert bin_text(ColourScale(log=True), 24) == "76–1e+02 %"


def test_counts_are_marked_by_decades():
    assert [count_ticks(highest) for highest in (0, 9, 1000)] == [[1], [1], [1, 10, 100, 1000]]
