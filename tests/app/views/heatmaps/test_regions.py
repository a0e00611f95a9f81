"""Lines between regions and positions of their names, against a flood fill."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from app.views.heatmaps.regions import label_places, outline, separators

GRIDS = hnp.arrays(
    np.int32, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9), elements=st.integers(-1, 2)
)


def unit_edges(lines):
    """Every edge of a cell that some line covers: (x, y, upright)."""
    edges = []
    for x0, y0, x1, y1 in zip(lines.x0, lines.y0, lines.x1, lines.y1, strict=True):
        assert (x0 == x1) != (y0 == y1)
        edges += [(int(x0), int(y), True) for y in range(y0, y1)] + [(int(x), int(y0), False) for x in range(x0, x1)]
    assert len(edges) == len(set(edges))
    return set(edges)


def slow_edges(grid):
    rows, cols = grid.shape
    upright = {(c, r, True) for r in range(rows) for c in range(1, cols) if grid[r, c] != grid[r, c - 1]}
    flat = {(c, r, False) for r in range(1, rows) for c in range(cols) if grid[r, c] != grid[r - 1, c]}
    return upright | flat


def slow_regions(grid):
    left, regions = {(r, c) for r in range(grid.shape[0]) for c in range(grid.shape[1])}, []
    while left:
        stack, region = [left.pop()], set()
        while stack:
            r, c = stack.pop()
            region.add((r, c))
            for near in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if near in left and grid[near] == grid[r, c]:
                    left.remove(near)
                    stack.append(near)
        regions.append(region)
    return regions


@given(GRIDS)
def test_separators_are_between_different_cells(grid):
    assert unit_edges(separators(grid)) == slow_edges(grid)


@given(GRIDS)
def test_outline_goes_around(grid):
    mask = grid == 1
    assert unit_edges(outline(mask)) == {(x - 1, y - 1, up) for x, y, up in slow_edges(np.pad(mask, 1))}


@given(GRIDS)
def test_every_region_has_one_place_inside_it(grid):
    places, regions = label_places(grid), slow_regions(grid)
    assert places.value.size == len(regions)
    sizes = []
    for value, x, y in zip(places.value, places.x, places.y, strict=True):
        # A position may lie on the edge between two cells, or at the corner of four; all are then in the region.
        cells = {(int(row), int(col)) for row in (np.ceil(y) - 1, y // 1) for col in (np.ceil(x) - 1, x // 1)}
        around = [region for region in regions if next(iter(cells)) in region]
        assert len(around) == 1
        assert cells <= around[0]
        assert grid[next(iter(cells))] == value
        sizes.append(len(around[0]))
        regions.remove(around[0])
    assert sizes == sorted(sizes, reverse=True)


def test_a_rectangle_has_its_name_in_its_centre():
    grid = np.zeros((8, 12), np.int32)
    grid[2:6, 4:10] = 7
    places = label_places(grid)
    k = places.value.tolist().index(7)
    assert (places.x[k], places.y[k], places.width[k], places.height[k]) == (7.0, 4.0, 6, 4)


def test_a_line_is_as_long_as_the_edge():
    grid = np.repeat(np.arange(4, dtype=np.int32), 64)[None].repeat(256, axis=0)
    assert separators(grid).count == 3


@pytest.mark.parametrize("value", [True, False])
def test_outline_of_nothing_and_everything(value):
    assert outline(np.full((3, 5), value)).count == (4 if value else 0)


def test_places_that_no_longer_hold_their_number_are_dropped():
    grid = np.repeat(np.arange(4, dtype=np.int32), 4).reshape(2, 8)
    places = label_places(grid)
    assert sorted(places.holding(grid).value.tolist()) == [0, 1, 2, 3]
    changed = grid.copy()
    changed[grid == 2] = 3
    left = places.holding(changed)
    assert sorted(left.value.tolist()) == [0, 1, 3]
    assert left.x.size == left.y.size == left.width.size == left.height.size == 3
