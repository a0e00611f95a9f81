"""Paths of many lines: exactly these, at their positions."""

from itertools import pairwise

import numpy as np
import pytest

from app.views.paths import path_through


@pytest.mark.parametrize("count", [0, 1, 2, 7, 50])
def test_lines_lead_from_the_joined_to_the_next(count):
    chance = np.random.default_rng(count)
    points, joined = chance.normal(0, 100, (count, 2)), chance.random(count) < 0.6
    path = path_through(points, joined)
    steps = [path.elementAt(place) for place in range(path.elementCount())]
    lines = [(a.x, a.y, b.x, b.y) for a, b in pairwise(steps) if b.isLineTo()]
    assert lines == [(*points[k].tolist(), *points[k + 1].tolist()) for k in range(count - 1) if joined[k]]
