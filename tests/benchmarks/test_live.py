"""Edits, after which the loads of all links are exact again, and follow the pointer: medians, beside all loads anew."""

from statistics import median

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
from tests.benchmarks.timing import faster, timed, told

SMALL, LARGEST = Percs(supernodes=32, d_links=4), Percs(supernodes=512, d_links=1)
TORUS = Torus(dims=(16, 16, 16))
US, MS = 1e-6, 1e-3


def swaps(live, count, tasks=1, seed=0):
    """Edits that exchange `tasks` tasks with as many others, drawn at random."""
    rng = np.random.default_rng(seed)
    used = live.mapping.slots
    drawn = (rng.choice(used, 2 * tasks, replace=False) for _ in range(count))
    return [swapped(live.mapping, slots[:tasks], slots[tasks:], live.occupant) for slots in drawn]


def applied(live, edits):
    """Seconds of each edit and of its inverse."""
    return [timed(live.apply, some) for edit in edits for some in (edit, edit.inverse())]


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        ("Halo direct (32,4)", 25 * US, Scenario(SMALL, Halo(64, 64), Blocks(8, 16), PercsDirect())),
        ("Halo indirect (32,4)", 300 * US, Scenario(SMALL, Halo(64, 64), Blocks(8, 16), PercsIndirect())),
        ("Halo direct (512,1)", 60 * US, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect())),
        ("Halo indirect (512,1)", 2 * MS, Scenario(LARGEST, Halo(256, 256), ModColour(), PercsIndirect())),
        ("transpose 256 × 256 (512,1)", 3 * MS, Scenario(LARGEST, Transpose(256, 256), RowOrColumn(), PercsDirect())),
        ("Halo on a torus 16 × 16 × 16, adaptive", 1 * MS, Scenario(TORUS, Halo(64, 64), Sequential(), Adaptive())),
        (
            "all-to-all on a torus 16 × 16 × 16",
            20 * MS,
            Scenario(TORUS, AllToAll(4096), Sequential(), DimensionOrder()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_one_swap(record, name, limit, scenario):
    case = scenario.build()
    live = LiveLoads(evaluate(case))
    edits = swaps(live, 100)
    applied(live, edits[:10])
    whole, swap, preview = [], [], []
    for turn in range(5):
        some = edits[turn::5]
        whole.append(timed(evaluate, case))
        swap += applied(live, some)
        preview += [timed(live.preview, edit) for edit in some]
    whole, swap, preview = median(whole), median(swap), median(preview)
    beside = f"{faster(whole, swap)} than all loads from nothing"
    record(f"a swap of two tasks: {name}", f"{told(swap)}; previewed {told(preview)}", beside)
    assert swap < limit
    assert preview < 2.5 * limit


@pytest.mark.parametrize(
    ("name", "tasks", "limit", "scenario"),
    [
        (
            "Halo direct (32,4)",
            128,
            5 * MS,
            Scenario(SMALL, Halo(64, 64), Blocks(8, 16), PercsDirect()),
        ),
        (
            "Halo direct (512,1)",
            128,
            5 * MS,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect()),
        ),
        (
            "Halo indirect (512,1)",
            128,
            50 * MS,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsIndirect()),
        ),
        (
            "Halo direct (512,1)",
            8192,
            150 * MS,
            Scenario(LARGEST, Halo(256, 256), ModColour(), PercsDirect()),
        ),
        (
            "transpose 256 × 256 (512,1)",
            128,
            100 * MS,
            Scenario(LARGEST, Transpose(256, 256), RowOrColumn(), PercsDirect()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_many_tasks_at_once(record, name, tasks, limit, scenario):
    case = scenario.build()
    live = LiveLoads(evaluate(case))
    whole, moved = [], []
    for edit in swaps(live, 5, tasks):
        whole.append(timed(evaluate, case))
        moved += applied(live, [edit])
    whole, moved = median(whole), median(moved)
    beside = f"{faster(whole, moved)} than all loads from nothing"
    record(f"a swap of {2 * tasks:,} tasks: {name}", told(moved), beside)
    assert moved < limit
