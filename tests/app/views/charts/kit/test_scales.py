"""Scales: round figures, decades, counts; which texts fit along an axis."""

from itertools import pairwise

import numpy as np
import pytest

from app.views.charts.kit.scales import GAP_PX, LINEAR, LOG, LOG1P, count_marks, decade_marks, round_marks, spread


def texts(marks):
    return [mark.text for mark in marks]


def test_round_figures():
    assert texts(round_marks(0, 100, 5)) == ["0", "20", "40", "60", "80", "100"]
    assert texts(round_marks(0.12, 0.31, 4)) == ["0.15", "0.20", "0.25", "0.30"]
    assert texts(round_marks(0, 4e6, 4)) == ["0", "1M", "2M", "3M", "4M"]
    assert round_marks(3, 3, 5) == []


def test_decades():
    assert texts(decade_marks(1, 1000, 4)) == ["1", "10", "100", "1,000"]
    assert texts(decade_marks(1, 100, 9)) == ["1", "2", "5", "10", "20", "50", "100"]
    assert texts(decade_marks(0.01, 10, 4)) == ["0.01", "0.1", "1", "10"]
    assert texts(decade_marks(23, 29, 3)) == ["24", "26", "28"]
    assert decade_marks(0, 10, 3) == []


def test_counts():
    assert texts(count_marks(0, 15520, 9)) == ["1", "10", "100", "1,000", "10,000"]
    assert texts(count_marks(0, 1, 9)) == ["1"]


@pytest.mark.parametrize("scale", [LINEAR, LOG, LOG1P], ids=["linear", "log", "log1p"])
def test_scales_can_be_inverted_for_figures_and_arrays(scale):
    values = np.array([1.0, 7.5, 1e4])
    assert scale.back(scale.forward(values)) == pytest.approx(values)
    assert float(scale.back(scale.forward(7.5))) == pytest.approx(7.5)


@pytest.mark.parametrize("room", [60, 79, 110, 180, 400])
def test_texts_along_an_axis_never_touch(room):
    widths = [38.0, 22.0, 30.0, 36.0]
    placed = spread([0, room / 3, 2 * room / 3, room], widths, room)
    ends = [left + widths[k] for k, left in placed]
    assert all(after[1] >= end + GAP_PX for (_, after), end in zip(pairwise(placed), ends, strict=False))
    assert ends[-1] == pytest.approx(room)
    assert placed[0][1] >= 0
    assert len(placed) == len(widths) or room < 400


def test_the_first_text_extends_beyond_the_left_end_where_it_may():
    assert spread([0.0, 50.0], [20.0, 20.0], 100.0) == [(0, 0.0), (1, 40.0)]
    assert spread([0.0, 50.0], [20.0, 20.0], 100.0, 12.0) == [(0, -10.0), (1, 40.0)]
    assert spread([0.0, 50.0], [20.0, 20.0], 100.0, 4.0) == [(0, -4.0), (1, 40.0)]
