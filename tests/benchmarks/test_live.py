"""Edits that update the loads of all links exactly: medians, compared with computing all loads."""

from dataclasses import replace
from statistics import median
from time import process_time

import numpy as np
import pytest

from core.job import AllToAll, Halo, Transpose
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, Random, RowOrColumn, Sequential
from core.mapping.edit import swapped
from core.network import Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from tests.benchmarks.timing import digits, faster, seconds_text, timed

SMALL, LARGEST = Percs(supernodes=32, d_links=4), Percs(supernodes=512, d_links=1)
TORUS = Torus(dims=(16, 16, 16))
US, MS = 1e-6, 1e-3


def swaps(live, count, tasks=1, seed=0):
    """Edits that swap `tasks` random tasks with as many others."""
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
    full, swap, preview = [], [], []
    for turn in range(5):
        some = edits[turn::5]
        full.append(timed(evaluate, case))
        swap += applied(live, some)
        preview += [timed(live.preview, edit) for edit in some]
    full, swap, preview = median(full), median(swap), median(preview)
    baseline = f"{faster(full, swap)} than computing all loads"
    record(f"a swap of two tasks: {name}", f"{seconds_text(swap)}; preview {seconds_text(preview)}", baseline)
    assert swap < limit
    assert preview < 2.5 * limit


@pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect()], ids=lambda routing: routing.tag())
def test_one_swap_with_background_jobs(record, routing):
    """The job has half of the machine, and three background jobs have an eighth each."""
    nodes = [f"{first}-{last}" for first, last in ((8192, 10239), (10240, 12287), (12288, 14335))]
    beside = tuple(Neighbour(job=Halo(64, 128), mapping=Random(k), allocation=text) for k, text in enumerate(nodes))
    alone = Scenario(LARGEST, Halo(128, 256), Random(1), routing, allocation="0-8191")
    live = [LiveLoads(evaluate(scenario.build())) for scenario in (alone, replace(alone, neighbours=beside))]
    edits = swaps(live[0], 100)
    spent, shown = [[], []], [[], []]

    def edited(loads, edit):
        loads.apply(edit)
        loads.outcome()

    def drawn(loads, edit):
        loads.apply(edit)
        report = loads.report()
        return report.utilisation, report.classes, report.hottest(1), report.slowdown

    for turn in range(10):
        for loads, seconds, shown_seconds in zip(live, spent, shown, strict=True):
            for edit in edits[turn::10]:
                seconds += [timed(edited, loads, some, clock=process_time) for some in (edit, edit.inverse())]
                shown_seconds += [timed(drawn, loads, some, clock=process_time) for some in (edit, edit.inverse())]
    for what, (without, with_jobs) in (
        ("its figures", map(median, spent)),
        ("the data of all views", map(median, shown)),
    ):
        baseline = f"{digits(with_jobs / without)}× the time without background jobs"
        name = f"a swap and {what} with three background jobs: Halo {routing.tag()} (512,1)"
        record(name, seconds_text(with_jobs), baseline)
        assert with_jobs < 2.5 * without


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
    full, moved = [], []
    for edit in swaps(live, 5, tasks):
        full.append(timed(evaluate, case))
        moved += applied(live, [edit])
    full, moved = median(full), median(moved)
    baseline = f"{faster(full, moved)} than computing all loads"
    record(f"a swap of {2 * tasks:,} tasks: {name}", seconds_text(moved), baseline)
    assert moved < limit
