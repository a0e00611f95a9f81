"""Edits that must follow the pointer: each against its limit, and against a full evaluation in the same run."""

from time import perf_counter

import numpy as np
import pytest

from core.job import AllToAll, Halo, Transpose
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, RowOrColumn, Sequential
from core.mapping.edit import swapped
from core.network import Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect

SMALL, LARGEST = Percs(supernodes=32, d_links=4), Percs(supernodes=512, d_links=1)
TORUS = Torus(dims=(16, 16, 16))
US, MS = 1e-6, 1e-3


@pytest.fixture
def say(capsys):
    """Print past the capture: these lines are what the benchmarks are run for."""

    def line(text):
        with capsys.disabled():
            print(f"\n    {text}")

    return line


def swaps(live, count, tasks=1, seed=0):
    """Edits that exchange `tasks` tasks with as many others, drawn at random."""
    rng = np.random.default_rng(seed)
    used = live.mapping.slots
    drawn = (rng.choice(used, 2 * tasks, replace=False) for _ in range(count))
    return [swapped(live.mapping, slots[:tasks], slots[tasks:], live.occupant) for slots in drawn]


def timed(call, *args):
    start = perf_counter()
    call(*args)
    return perf_counter() - start


def applied(live, edits):
    """Seconds of each edit and of its inverse."""
    return [timed(live.apply, some) for edit in edits for some in (edit, edit.inverse())]


def told(seconds):
    return f"{seconds / US:.1f} us" if seconds < MS else f"{seconds / MS:.2f} ms"


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        ("(32,4) halo direct", 20 * US, Scenario(SMALL, Halo(64, 64), Blocks(8, 16), PercsDirect())),
        ("(32,4) halo indirect", 300 * US, Scenario(SMALL, Halo(64, 64), Blocks(8, 16), PercsIndirect())),
        ("(512,1) halo direct", 60 * US, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect())),
        ("(512,1) halo indirect", 2 * MS, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsIndirect())),
        ("(512,1) transpose", 3 * MS, Scenario(LARGEST, Transpose(256, 256), RowOrColumn(), PercsDirect())),
        ("torus 16^3 halo, adaptive", 1 * MS, Scenario(TORUS, Halo(64, 64), Sequential(), Adaptive())),
        ("torus 16^3 all-to-all", 20 * MS, Scenario(TORUS, AllToAll(4096), Sequential(), DimensionOrder())),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_one_swap(benchmark, say, name, limit, scenario):
    case = scenario.build()
    evaluate(case)
    full = float(np.median([timed(evaluate, case) for _ in range(3)]))
    live = LiveLoads(evaluate(case))
    build = float(np.median([timed(LiveLoads, evaluate(case)) for _ in range(3)]))
    edits = swaps(live, 100)
    applied(live, edits[:10])
    swap = float(np.median(applied(live, edits)))
    preview = float(np.median([timed(live.preview, edit) for edit in edits]))
    report = float(np.median([timed(live.report) for _ in range(10)]))
    benchmark.pedantic(live.preview, args=(edits[0],), rounds=20)
    say(
        f"{name}: a swap {told(swap)} (limit {told(limit)}), full {told(full)}, ratio {full / swap:,.0f};"
        f" preview {told(preview)}, report {told(report)}, build {told(build)}"
    )
    assert swap < limit
    assert preview < 2.5 * limit


@pytest.mark.parametrize(
    ("name", "tasks", "limit", "scenario"),
    [
        ("(32,4) halo direct, a supernode", 128, 5 * MS, Scenario(SMALL, Halo(64, 64), Blocks(8, 16), PercsDirect())),
        (
            "(512,1) halo direct, a supernode",
            128,
            5 * MS,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect()),
        ),
        (
            "(512,1) halo indirect, a supernode",
            128,
            50 * MS,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsIndirect()),
        ),
        (
            "(512,1) halo direct, a quarter",
            8192,
            150 * MS,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect()),
        ),
        (
            "(512,1) transpose, a supernode",
            128,
            100 * MS,
            Scenario(LARGEST, Transpose(256, 256), RowOrColumn(), PercsDirect()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_many_tasks_at_once(benchmark, say, name, tasks, limit, scenario):
    case = scenario.build()
    evaluate(case)
    full = timed(evaluate, case)
    live = LiveLoads(evaluate(case))
    edits = swaps(live, 5, tasks)
    cost = live.cost(edits[0])
    median = float(np.median(applied(live, edits)))
    benchmark.pedantic(live.preview, args=(edits[0],), rounds=3)
    say(f"{name}: {2 * tasks:,} tasks {told(median)}, full {told(full)}, ratio {full / median:.1f}; cost {cost:,}")
    assert median < limit
