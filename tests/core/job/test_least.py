"""The volume that must leave any set of tasks, and cross between groups: against all sets and all partitions."""

from functools import cache

import numpy as np
import pytest

from core.job import AllToAll, Flows, Halo, Permutation, Transpose, transpose
from core.job.halo_sets import edges_leaving
from core.job.transpose import least_leaving_sets

SMALL = [(r, c) for r in range(1, 7) for c in range(1, 13) if 1 < r * c <= 12]
GRIDS = [*SMALL, (4, 4), (3, 5), (5, 3), (2, 8), (8, 2), (2, 7), (1, 16)]


def matrix_of(job):
    """The volume from task to task, without volumes from a task to itself."""
    volumes = np.zeros((job.tasks, job.tasks))
    for _, block in job.phases[0].blocks():
        np.add.at(volumes, (block.src, block.dst), block.volume)
    np.fill_diagonal(volumes, 0)
    return volumes


@cache
def all_sets(tasks):
    """Whether each task is in each set, shape (sets, tasks)."""
    return (np.arange(1 << tasks)[:, None] >> np.arange(tasks) & 1).astype(float)


def least_by_size(volume):
    """The least volume that leaves any set of k tasks, k = 0 .. tasks, by trying all sets."""
    tasks = len(volume)
    members = all_sets(tasks)
    leaving = ((members @ volume) * (1 - members)).sum(axis=1)
    sizes = members.sum(axis=1).astype(int)
    least = np.full(tasks + 1, np.inf)
    np.minimum.at(least, sizes, leaving)
    return least


def partitions(tasks, capacity):
    """All divisions of tasks into groups of at most `capacity`, as group numbers."""
    ways = [()]
    for _ in range(tasks):
        ways = [(*way, g) for way in ways for g in range(max(way, default=-1) + 2) if way.count(g) < capacity]
    return ways


def least_between_groups(volume):
    """(capacity, groups) -> the least volume between groups, by trying all partitions."""
    tasks, least = len(volume), {}
    for way in partitions(tasks, tasks):
        group = np.array(way)
        crossing = volume[group[:, None] != group[None, :]].sum()
        largest, used = np.bincount(group).max(), group.max() + 1
        for capacity in range(largest, tasks + 1):
            for groups in range(used, tasks + 1):
                key = capacity, groups
                least[key] = min(least.get(key, np.inf), crossing)
    return least


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize(("rows", "cols"), GRIDS)
def test_the_bound_on_leaving_edges_is_never_exceeded_by_the_minimum(rows, cols, periodic):
    least = 4 * least_by_size(matrix_of(Halo(rows, cols, periodic).build()))
    bound = np.array([edges_leaving(k, rows, cols, periodic) for k in range(rows * cols + 1)])
    assert (bound <= least + 1e-9).all()
    # And the bound is not trivial: some edge leaves every set.
    assert (bound[1:-1] > 0).all()


@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (3, 5), (3, 4)])
@pytest.mark.parametrize("periodic", [True, False])
def test_edges_leaving_is_exact_for_lines_of_a_square_grid(rows, cols, periodic):
    # The shapes a mapping aims at, a few full lines of the shorter side, meet the bound.
    least = 4 * least_by_size(matrix_of(Halo(rows, cols, periodic).build()))
    half = rows * (cols // 2)
    assert edges_leaving(half, rows, cols, periodic) == pytest.approx(least[half])


@pytest.mark.parametrize(("rows", "cols"), GRIDS)
def test_transpose_sets_are_exact(rows, cols):
    least = least_by_size(matrix_of(Transpose(rows, cols).build()))
    np.testing.assert_allclose(least_leaving_sets(rows, cols, rows * cols), least, atol=1e-12)
    few = min(5, rows * cols)
    np.testing.assert_allclose(least_leaving_sets(rows, cols, few), least[: few + 1], atol=1e-12)


@pytest.mark.parametrize(("rows", "cols"), GRIDS)
def test_transpose_bound_for_large_grids_holds(rows, cols, monkeypatch):
    exact = least_leaving_sets(rows, cols, rows * cols)
    monkeypatch.setattr(transpose, "EXACT_WORK", 0)
    weak = least_leaving_sets.__wrapped__(rows, cols, rows * cols)
    assert (weak <= exact + 1e-12).all()
    assert (weak >= 0).all()


def _tiny_jobs():
    # Up to seven tasks.
    for rows, cols in [(1, 4), (1, 7), (2, 2), (2, 3), (3, 2), (5, 1), (1, 2)]:
        yield Halo(rows, cols)
        yield Halo(rows, cols, periodic=False)
        yield Transpose(rows, cols)
    yield from (AllToAll(tasks=n) for n in (2, 4, 6, 7))
    yield from (Permutation(tasks=n, seed=s) for n in (4, 6, 7) for s in range(4))
    yield Permutation(tasks=7, targets=(1, 2, 3, 4, 5, 6, 0))
    yield Permutation(tasks=6, targets=(1, 2, 0, 4, 5, 3))
    rng = np.random.default_rng(3)
    for count in (3, 8, 20):
        src, dst = rng.integers(6, size=(2, count))
        volume = rng.choice([0.0, 1.0, 5.0], count) * rng.random(count)
        yield Flows(tasks=6, src=tuple(src.tolist()), dst=tuple(dst.tolist()), volume=tuple(volume.tolist()))


TINY_JOBS = list(_tiny_jobs())


@pytest.mark.parametrize("spec", TINY_JOBS, ids=repr)
def test_the_crossing_bound_is_at_most_the_minimum(spec):
    job = spec.build()
    for (capacity, groups), truth in least_between_groups(matrix_of(job)).items():
        assert spec.min_crossing_volume(job, capacity, groups) <= truth + 1e-9, (capacity, groups)


@pytest.mark.parametrize("tasks", [2, 4, 6])
def test_the_all_to_all_crossing_bound_is_exact_if_tasks_fill_the_groups(tasks):
    spec = AllToAll(tasks=tasks)
    job, truth = spec.build(), least_between_groups(matrix_of(spec.build()))
    for capacity in range(1, tasks + 1):
        if tasks % capacity == 0:
            groups = tasks // capacity
            assert spec.min_crossing_volume(job, capacity, groups) == pytest.approx(truth[capacity, groups])


@pytest.mark.parametrize("spec", TINY_JOBS, ids=repr)
def test_the_leaving_bound_is_at_most_the_minimum(spec):
    job = spec.build()
    least = least_by_size(matrix_of(job))
    for fewest in range(job.tasks + 1):
        for most in range(fewest, job.tasks + 1):
            assert spec.min_leaving_volume(np.arange(fewest, most + 1)).min() <= least[fewest : most + 1].min() + 1e-9


@pytest.mark.parametrize("spec", [*TINY_JOBS, Halo(3, 4), Halo(1, 1), Halo(4, 3, periodic=False)], ids=repr)
def test_heaviest_partners_are_summed_by_rank(spec):
    by_rank = -np.sort(-matrix_of(spec.build()), axis=1).sum(axis=0)
    ours = spec.volume_by_partner_rank(spec.build())
    assert ours.size < by_rank.size
    np.testing.assert_allclose(ours, by_rank[: ours.size])
    assert not by_rank[ours.size :].any()


def stars(volume, capacity):
    """Return what each task sends to all but its capacity - 1 most served partners."""
    return -np.sort(-volume, axis=1)[:, capacity - 1 :].sum(axis=1)


@pytest.mark.parametrize("spec", [spec for spec in TINY_JOBS if isinstance(spec, Flows | Permutation)], ids=repr)
def test_external_volumes_are_those_of_the_busiest_task(spec):
    job = spec.build()
    for capacity in range(1, job.tasks + 2):
        for ours, volume in zip(
            spec.max_external_volume(job, capacity), (matrix_of(job), matrix_of(job).T), strict=True
        ):
            assert ours == pytest.approx(stars(volume, capacity).max(), rel=1e-12, abs=0)


def test_small_volumes_keep_their_digits_next_to_large_ones():
    uneven = Flows(tasks=4, src=(0, 1, 2, 3), dst=(2, 0, 0, 0), volume=(1e12 / 3, 1e-6, 1.0, 1 / 3))
    received = [uneven.max_external_volume(uneven.build(), capacity)[1] for capacity in (1, 2, 3, 4)]
    assert received == [1e12 / 3, 1 / 3 + 1e-6, 1e-6, 0]


@pytest.mark.parametrize("spec", TINY_JOBS, ids=repr)
def test_external_volume_bounds_are_at_most_the_minimum(spec):
    job = spec.build()
    for capacity in range(1, job.tasks + 2):
        sent, received = spec.max_external_volume(job, capacity)
        assert stars(matrix_of(job), capacity).mean() - 1e-12 <= sent <= stars(matrix_of(job), capacity).max() + 1e-12
        assert received <= stars(matrix_of(job).T, capacity).max() + 1e-12


def test_every_job_has_a_bound_above_zero():
    # None of these bounds is trivial.
    assert Halo(8, 8).min_crossing_volume(Halo(8, 8).build(), 16, 4) == pytest.approx(4 * 16 / 4)
    assert Transpose(4, 4).min_crossing_volume(Transpose(4, 4).build(), 4, 4) == pytest.approx(6)
    ring = Permutation(tasks=6, targets=(1, 2, 3, 4, 5, 0))
    assert ring.min_crossing_volume(ring.build(), 2, 3) == 3
    star = Flows(tasks=4, src=(0, 0, 0), dst=(1, 2, 3), volume=(1.0, 2.0, 4.0))
    assert star.min_crossing_volume(star.build(), 2, 2) == 3
