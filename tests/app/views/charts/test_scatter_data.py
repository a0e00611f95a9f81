"""Ranges of axes: they hold their figures, and mark round or chosen ones, or names."""

import pytest

from app.views.charts.scatter_data import named_range, range_over


def part(axis, value):
    """Return the place of a value on an axis, 0 to 1."""
    place, low, high = (float(axis.scale.forward(number)) for number in (value, axis.low, axis.high))
    return (place - low) / (high - low)


def texts(axis, limit):
    return [mark.text for mark in axis.marks(axis.low, axis.high, limit)]


@pytest.mark.parametrize("values", [(3.0, 46.0), (5.0, 5.0), (1.5e6, 1.2e8), (0.0, 10.0), (0.2, 33.0)])
def test_an_axis_holds_its_figures_and_its_marks(values):
    axis = range_over(values)
    assert all(0 <= part(axis, value) <= 1 for value in values)
    assert part(axis, values[0]) <= part(axis, values[1])
    marks = axis.marks(axis.low, axis.high, 8)
    assert len(marks) >= 2
    assert all(-1e-9 <= part(axis, mark.value) <= 1 + 1e-9 for mark in marks)
    assert len(set(texts(axis, 8))) == len(marks)


def test_an_axis_is_logarithmic_where_figures_are_far_apart():
    far = range_over((1.5e6, 1.2e8))
    assert far.log
    assert part(far, 1e7) - part(far, 5e6) == pytest.approx(part(far, 4e6) - part(far, 2e6))
    assert texts(far, 8) == ["2M", "5M", "10M", "20M", "50M", "100M"]
    assert not range_over((1.0, 29.0)).log
    assert not range_over((0.0, 1e9)).log
    assert range_over((0.0, 10.0)).low == 0.0


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
    axis = range_over(values, stepped=True)
    assert axis.log == log
    assert all(0 <= part(axis, value) <= 1 for value in values)
    if marks is not None:
        assert texts(axis, 12) == marks
        assert len(texts(axis, 2)) <= 4
    else:
        assert texts(axis, 8) == texts(range_over(values), 8)


def test_a_part_of_an_axis_has_the_marks_that_lie_in_it():
    axis = range_over((1, 2, 4, 8, 16), stepped=True)
    assert [mark.text for mark in axis.marks(1.5, 9, 12)] == ["2", "4", "8"]
    assert len(axis.marks(4.1, 7.9, 12)) > 2  # none was chosen there: round figures


def test_names_lie_in_shares_of_equal_width():
    axis = named_range(("random", "blocks", "halo"))
    assert [part(axis, k) for k in range(3)] == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    assert texts(axis, 9) == ["random", "blocks", "halo"]
    assert texts(axis, 2) == ["random", "halo"]
