"""Edges that leave groups of a grid that may share few with each other: against all divisions of small grids."""

from functools import cache
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.job.halo_sets import edges_leaving, edges_of_groups


def divisions(tasks, size):
    """All divisions of tasks into groups of one size, as group numbers."""
    ways = [()]
    for _ in range(tasks):
        # A new group gets the next number.
        choices = (range(min(max(way, default=-1) + 2, tasks // size)) for way in ways)
        ways = [(*way, g) for way, groups in zip(ways, choices, strict=True) for g in groups if way.count(g) < size]
    return np.array(ways, np.int8)


def edges_of(rows, cols, periodic):
    """Both ends of every edge of the grid: each task's to the right and down."""
    task = np.arange(rows * cols).reshape(rows, cols)
    pairs = [(task, np.roll(task, -1, axis=1)), (task, np.roll(task, -1, axis=0))]
    if not periodic:
        pairs = [(task[:, :-1], task[:, 1:]), (task[:-1], task[1:])]
    return tuple(np.concatenate([pair[end].ravel() for pair in pairs]) for end in (0, 1))


def cut_edges(rows, cols, ways, periodic):
    """For each division, the mean number of edges that leave a group, and the maximum number between two groups."""
    src, dst = edges_of(rows, cols, periodic)
    a, b = ways[:, src].astype(int), ways[:, dst].astype(int)
    groups = int(ways.max()) + 1
    node_pair_flows = np.zeros((len(ways), groups, groups), int)
    np.add.at(node_pair_flows, (np.arange(len(ways))[:, None], np.minimum(a, b), np.maximum(a, b)), a != b)
    return 2 * node_pair_flows.sum(axis=(1, 2)) / groups, node_pair_flows.max(axis=(1, 2))


@cache
def ways_of(tasks, size):
    return divisions(tasks, size)


@cache
def all_cut_edges(rows, cols, size, periodic):
    return cut_edges(rows, cols, ways_of(rows * cols, size), periodic)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("most", [0, 1, 2, 3, 4, 6])
@pytest.mark.parametrize(
    ("rows", "cols", "size"),
    [
        (3, 3, 3),
        (3, 3, 1),
        (3, 4, 2),
        (4, 3, 3),
        (3, 4, 4),
        (3, 4, 6),
        (4, 4, 8),
        (2, 6, 3),
        (2, 4, 1),
        (4, 4, 1),
        (1, 12, 4),
        (3, 3, 9),
    ],
)
def test_no_division_of_small_grids_has_fewer_edges_than_the_bound(rows, cols, size, most, periodic):
    edges, widest = all_cut_edges(rows, cols, size, periodic)
    least = edges[widest <= most].min(initial=inf)
    assert edges_of_groups(size, rows, cols, most, periodic) <= least + 1e-9


@st.composite
def divided(draw):
    """A grid of even sides, and a division of it into blocks with some tasks swapped."""
    rows, cols = 2 * draw(st.integers(2, 6)), 2 * draw(st.integers(2, 6))
    high, wide = (draw(st.sampled_from([k for k in range(1, n + 1) if n % k == 0])) for n in (rows, cols))
    i, j = np.divmod(np.arange(rows * cols), cols)
    shift = draw(st.integers(0, cols))
    group = i // high * (cols // wide) + (j + shift * (i // high)) % cols // wide
    task = st.integers(0, rows * cols - 1)
    for a, b in draw(st.lists(st.tuples(task, task), max_size=12)):
        group[[a, b]] = group[[b, a]]
    return rows, cols, high * wide, group


@given(divided(), st.booleans())
def test_no_random_division_has_fewer_edges_than_the_bound(case, periodic):
    rows, cols, size, group = case
    (edges,), (widest,) = cut_edges(rows, cols, group[None], periodic)
    for most in range(int(widest), int(widest) + 3):
        assert edges_of_groups(size, rows, cols, most, periodic) <= edges + 1e-9


def test_fewer_edges_per_pair_need_more_edges_or_are_impossible():
    # The 64 x 64 grid on 32 supernodes: at least 46 edges leave each, and 2 per pair are impossible.
    assert edges_of_groups(128, 64, 64, 1) == inf
    assert edges_of_groups(128, 64, 64, 2) == inf
    edges_by_most = [edges_of_groups(128, 64, 64, most) for most in range(3, 9)]
    assert edges_by_most == sorted(edges_by_most, reverse=True)
    assert edges_by_most[0] > 68
    assert edges_by_most[-1] == edges_leaving(128, 64, 64, True) == 46
    # With twice as many supernodes 2 per pair are possible, but cost more edges.
    assert edges_of_groups(128, 64, 128, 1) == inf
    assert 74 < edges_of_groups(128, 64, 128, 2) < 75
    # With half as many each has 15 neighbours; 4 edges per pair would suffice for 46, but not for the pieces.
    assert edges_of_groups(128, 32, 64, 4) == inf
    assert edges_of_groups(128, 32, 64, 5) > 57
    # There is no bound for large groups, or for a single group.
    assert edges_of_groups(512, 64, 64, 2) == edges_of_groups(128, 8, 16, 2) == 0


def test_edges_for_many_sizes_match_single_sizes():
    sizes = np.arange(-1, 41)
    for periodic in (True, False):
        each = [edges_leaving(int(k), 5, 8, periodic) for k in sizes]
        np.testing.assert_array_equal(edges_leaving(sizes, 5, 8, periodic), each)
    assert edges_leaving(0, 5, 8, True) == edges_leaving(40, 5, 8, True) == 0


@pytest.mark.parametrize("size", [1, 2, 7, 8, 12, 30, 63, 64, 100])
def test_half_perimeters_are_the_minimum_of_all_rectangles(size):
    for short, long_ in ((8, 16), (10, 12), (1, 100), (7, 40)):
        if 2 * size <= short * long_:
            fits = [r + -(-size // r) for r in range(1, short + 1) if -(-size // r) <= long_]
            assert edges_leaving(size, short, long_, False) == min(short, *fits)


def test_a_limit_between_groups_never_lowers_the_bound():
    spec = Halo(64, 64)
    job = spec.build()
    plain = spec.min_crossing_volume(job, 128, 32)
    assert plain == 32 * 46 / 4
    assert spec.min_crossing_volume_split(job, 128, 32, 1e9) == plain
    assert spec.min_crossing_volume_split(job, 128, 32, 0.75) > plain
    assert spec.min_crossing_volume_split(job, 128, 32, 0.74) == inf
    # For groups that are not full the bound only says that all must pass somewhere.
    other = Halo(63, 64)
    built = other.build()
    assert other.min_crossing_volume_split(built, 128, 32, 0.75) == other.min_crossing_volume(built, 128, 32)
    assert other.min_crossing_volume_split(built, 128, 32, 0.01) == inf
    equal = AllToAll(tasks=4)
    assert equal.min_crossing_volume_split(equal.build(), 1, 4, 0.25) == 3
    assert equal.min_crossing_volume_split(equal.build(), 1, 4, 0.24) == inf
