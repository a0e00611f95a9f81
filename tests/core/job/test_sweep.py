"""Sweeps: the cases of the description of patterns, and a plain enumeration of every wave."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import FlowBlock, Halo, Sweep
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Complete, Mesh
from core.routing import Minimal
from core.spec import SpecError

sides = st.integers(1, 6)


def flows(phase):
    block = FlowBlock.joined(block for _, block in phase.blocks())
    return Counter(zip(*map(list, block), strict=True))


def wave(rows, cols, down, right, volume):
    """Flows, diagonal by diagonal from a corner; (rows down, columns right) are the distances from it."""
    there = [
        (i if down > 0 else rows - 1 - i, j if right > 0 else cols - 1 - j) for i in range(rows) for j in range(cols)
    ]
    phases = [Counter() for _ in range(rows + cols - 1)]
    for k, (i, j) in enumerate(there):
        for ni, nj in ((i + down, j), (i, j + right)):
            if 0 <= ni < rows and 0 <= nj < cols:
                phases[sum(divmod(k, cols))][i * cols + j, ni * cols + nj, volume] += 1
    return [phase for phase in phases if phase]


@given(sides, sides, st.sampled_from([1, 2, 4]))
def test_waves_run_from_corner_to_corner(rows, cols, corners):
    ways = [(1, 1), (-1, -1), (1, -1), (-1, 1)][:corners]
    waves = [phase for way in ways for phase in wave(rows, cols, *way, 1 / (2 * corners))]
    waves_of_job = [flows(phase) for phase in Sweep(rows, cols, corners).build().phases]
    assert waves_of_job == (waves or [Counter()])
    (at_once,) = Sweep(rows, cols, corners, at_once=True).build().phases
    assert flows(at_once) == sum(waves, Counter())


def most(network, job):
    return [load.max() for load in evaluate(Scenario(network, job, Sequential(), Minimal()).build()).phases]


def test_written_cases_are_reproduced():
    phases = Sweep(3, 4).build().phases
    assert [sum(flows(phase).values()) for phase in phases] == [2, 4, 5, 4, 2]
    assert [sum(v * n for (_, _, v), n in flows(phase).items()) for phase in phases] == [1, 2, 2.5, 2, 1]
    assert most(Mesh((12,)), Sweep(3, 4)) == [1, 1.5, 1.5, 1.5, 1]
    (all_corners,) = Sweep(3, 3, 4, at_once=True).build().phases
    sent = flows(all_corners)
    assert (sum(sent.values()), len(sent)) == (48, 24)
    assert sum(v * n for (_, _, v), n in sent.items()) == 6
    assert most(Mesh((9,)), Sweep(3, 3, 4, at_once=True)) == [1]
    assert most(Complete(9), Sweep(3, 3, 4, at_once=True)) == [0.25]


@given(sides, sides)
def test_four_corners_at_once_are_an_open_halo(rows, cols):
    volumes = Counter()
    for (src, dst, volume), n in flows(Sweep(rows, cols, 4, at_once=True).build().phases[0]).items():
        volumes[src, dst, n * volume] += 1
    assert volumes == flows(Halo(rows, cols, periodic=False).build().phases[0])


def test_a_long_grid_is_refused_and_a_machine_filled():
    with pytest.raises(SpecError, match="make 20,000 phases; the limit is 16,384"):
        Sweep(1, 20_001).build()
    assert len(Sweep(corners=4).resized(99_991).build().phases) <= 1 << 14
    assert Sweep(at_once=True).resized(99_991).build().tasks == 99_991
