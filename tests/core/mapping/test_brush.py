"""A brush drawn over the grid touches the cells that it passes, without gaps."""

from fractions import Fraction
from itertools import pairwise
from math import floor

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.mapping.brush import brushed

JOBS = (Halo(9, 12).build(), AllToAll(tasks=11).build())
# Quarters: their sums and products are exact, so lines through corners are too.
points = st.tuples(*[st.integers(-12, 60).map(lambda quarters: quarters / 4)] * 2)


def stays(begin, end, cell):
    """The interval in which a point moving along an axis, from time 0 to 1, is in a cell, or None."""
    if begin == end:
        return (Fraction(0), Fraction(1)) if cell <= begin < cell + 1 else None
    first, last = sorted((Fraction(edge) - begin) / (end - begin) for edge in (cell, cell + 1))
    return (max(first, Fraction(0)), min(last, Fraction(1)))


def passes(start, end, cell):
    """Whether a line starts or ends in a cell, or stays in it for some time."""
    if tuple(map(floor, start)) == cell or tuple(map(floor, end)) == cell:
        return True
    spans = [stays(Fraction(a), Fraction(b), c) for a, b, c in zip(start, end, cell, strict=True)]
    return None not in spans and max(span[0] for span in spans) < min(span[1] for span in spans)


def under(cell, size, job):
    """The tasks under a brush with the given first cell."""
    rows, cols = job.shape
    inside = [
        (row, col)
        for row in range(cell[0], cell[0] + size)
        for col in range(cell[1], cell[1] + size)
        if 0 <= row < rows and 0 <= col < cols
    ]
    return {row * cols + col for row, col in inside if row * cols + col < job.tasks}


def slowly(path, size, job):
    corners = [tuple(x - (size - 1) / 2 for x in point) for point in path]
    touched = set()
    for start, end in pairwise(corners):
        for row in range(floor(min(start[0], end[0])), floor(max(start[0], end[0])) + 1):
            for col in range(floor(min(start[1], end[1])), floor(max(start[1], end[1])) + 1):
                if passes(start, end, (row, col)):
                    touched |= under((row, col), size, job)
    return touched


@example([(3.0, 5.0), (1.5, 2.25)], 1, JOBS[0])  # backwards from a corner: the cell in which it starts lies beyond
@example([(0.5, 0.5), (3.5, 3.5), (5.5, 1.5)], 1, JOBS[0])  # through corners
@given(st.lists(points, min_size=2, max_size=3), st.integers(1, 4), st.sampled_from(JOBS))
def test_a_stroke_touches_what_the_brush_passes(path, size, job):
    tasks = brushed(path, size, job).tolist()
    assert len(set(tasks)) == len(tasks)
    assert set(tasks) == slowly(path, size, job)


@given(points, st.integers(1, 5), st.sampled_from(JOBS))
def test_a_touch_is_a_square_around_the_pointer(point, size, job):
    corner = tuple(floor(x - (size - 1) / 2) for x in point)
    assert brushed([point], size, job).tolist() == sorted(under(corner, size, job))
    assert brushed([point, point], size, job).tolist() == sorted(under(corner, size, job))


wide = Halo(64, 64).build()
free = st.tuples(*[st.floats(0, 63.99)] * 2)


@given(free, free)
def test_a_line_of_any_slope_is_a_path_of_neighbours_from_end_to_end(start, end):
    row, col = np.divmod(brushed([start, end], 1, wide), 64)
    assert (row[0], col[0]) == tuple(map(floor, start))
    assert (row[-1], col[-1]) == tuple(map(floor, end))
    assert np.maximum(abs(np.diff(row)), abs(np.diff(col))).max(initial=1) == 1


def test_a_stroke_is_in_the_order_in_which_it_is_drawn():
    assert brushed([(0.5, 2.5), (0.5, 0.5), (1.5, 0.5)], 1, JOBS[0]).tolist() == [2, 1, 0, 12]
    assert brushed([(1.0, 2.0), (1.0, 3.0)], 2, JOBS[0]).tolist() == [1, 2, 13, 14, 3, 15]


def test_a_stroke_outside_the_grid_or_without_points_touches_no_task():
    assert brushed([(-900.0, -50.0), (-1.0, 4e5)], 3, JOBS[0]).size == 0
    assert brushed([], 3, JOBS[0]).size == 0
    assert brushed([(2.5, 2.5)], 1, JOBS[1]).tolist() == [10]
    assert brushed([(2.5, 3.5)], 1, JOBS[1]).size == 0
