"""Jobs with many steps: evaluation, an edit, a search for seconds, and the cursor of the timeline."""

import gc
import sys
from time import process_time

import numpy as np
import pytest

from app.session.moments import moment_of
from core.files import write_scenario
from core.job import Allreduce, AllToAll
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Percs, Torus
from core.optimise.method import TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Seconds, Throughput
from core.optimise.problem import Problem
from core.optimise.search import Search
from core.routing import DimensionOrder, PercsDirect
from core.timing import BarrierTiming, timeline
from core.timing.live import LiveTimeline
from tests.benchmarks.test_live import swaps
from tests.benchmarks.test_optimise import rate
from tests.benchmarks.test_processes import EVALUATE, spent
from tests.benchmarks.timing import digits, medians, seconds_text

PAIRWISE = Scenario(Torus((8, 8, 8, 8)), AllToAll(4096, "pairwise", 1e6), Random(1), DimensionOrder())
TEN = Scenario(
    Torus((32, 32)),
    Allreduce(tasks=1024, algorithm="recursive-doubling", message_bytes=1e6),
    Random(1),
    DimensionOrder(),
    timing=BarrierTiming(hop_seconds=1e-7, injection_gbs=5.0),
)
FRAME = 0.016
SECONDS = 6.0
"""Duration of the playback."""


@pytest.mark.parametrize("command", ["evaluate", "timeline"])
def test_all_steps_at_once(record, tmp_path, command):
    path = tmp_path / "case.fabriscope.json"
    write_scenario(path, PAIRWISE)
    spent(EVALUATE, "evaluate", path)  # compile
    most, seconds = spent(EVALUATE, command, path)
    record(
        f"{command}: 4,095 steps on 32,768 links, whole process", f"{seconds_text(seconds)} of CPU, {most / 1e6:.0f} MB"
    )
    assert seconds < 20
    assert most < 1e9


def test_a_swap_in_ten_steps(record):
    case = TEN.build()
    loads, followed = (LiveLoads(evaluate(case)) for _ in range(2))
    live, edits = LiveTimeline(followed, case, TEN.timing), swaps(loads, 50)

    def play(live_loads):
        for edit in edits:
            for some in (edit, edit.inverse()):
                live_loads.apply(some)
                yield live_loads.report()

    def play_timed():
        for report in play(followed):
            live.timeline(report.case)

    calls = [lambda: sum(1 for _ in play(loads)), play_timed, lambda: timeline(case)]
    for call in calls:
        call()
    alone, both, fresh = medians(5, *calls, clock=process_time)
    alone, both = alone / (2 * len(edits)), both / (2 * len(edits))
    what = "a swap in 10 steps of 1,024 ranks"
    record(
        what,
        f"{seconds_text(alone)} of CPU",
        f"{seconds_text(both)} with the timeline; {seconds_text(fresh)} for a new timeline",
    )
    assert both < fresh / 4


def test_swaps_per_second_for_seconds(record):
    report = evaluate(TEN.build())
    rates = []
    for objective in (Seconds(), Throughput()):
        search = Search(Problem.of(report, objective), TwoOpt(), MoveConstraints(), 0)
        rates.append(rate(search, 20_000))
    what = "swaps evaluated: 10 steps of 1,024 ranks on a torus 32 × 32, seconds"
    baseline = f"{digits(rates[0] / rates[1])}× the rate for throughput"
    record(what, f"{round(rates[0], -3):,.0f} per second on one core", baseline)
    assert rates[0] > 0.6 * rates[1]


@pytest.fixture
def thousands(opened, qtbot):
    """Return a window with a timeline of 4,095 steps of 4,096 tasks on (32,4)."""
    job = AllToAll(tasks=4096, algorithm="pairwise", message_bytes=1e6)
    window = opened(Scenario(Percs(32, 4), job, Sequential(), PercsDirect()))
    session = window.session
    window.commands["view.timeline"].trigger()
    qtbot.waitUntil(lambda: session.timekeeper.current is not None, timeout=120_000)
    for step in (1, 2):
        session.timekeeper.go_to(step)
        qtbot.waitUntil(lambda step=step: session.state.moment is not None and session.state.moment.step == step)
    gc.collect()
    return window


def test_the_cursor_moves_through_thousands_of_steps(thousands, qapp, qtbot, record):
    session, state = thousands.session, lambda: thousands.session.state
    qapp.watch()
    for step in range(10, 4000, 133):
        session.timekeeper.go_to(step)
        qtbot.waitUntil(lambda step=step: state().moment is not None and state().moment.step == step)
        qtbot.wait(40)
    qapp.watch(False)
    turns = np.array(qapp.turns)
    each = medians(3, lambda: moment_of(state().evaluation, 2000), clock=process_time)[0]
    record(
        "(32,4): cursor moved through 4,095 steps, longest event-loop turn without painting",
        seconds_text(turns.max()),
        f"loads of a step computed in the background in {seconds_text(each)}",
    )
    assert sys.gettrace() or np.percentile(turns, 99) < FRAME


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)])
def test_thousands_of_steps_play(thousands, qapp, qtbot, record, size):
    pictures = []
    thousands.resize(*size)
    thousands.machine.canvas.native.frameSwapped.connect(lambda: pictures.append(thousands.session.state.moment))
    thousands.session.timekeeper.go_to(0)
    qtbot.wait(500)
    pictures.clear()
    qapp.watch()
    thousands.commands["time.play"].trigger()
    qtbot.wait(int(1e3 * SECONDS))
    thousands.commands["time.play"].trigger()
    qapp.watch(False)
    seen = len({moment.step for moment in pictures})
    own, painted = sum(qapp.turns) / seen, qapp.painting / seen
    baseline = f"{seconds_text(own)} of GUI thread work per step, {seconds_text(painted)} of painting"
    what = f"(32,4): 4,095 steps played in 10 s, {size[0]} × {size[1]}"
    record(what, f"{digits(seen / SECONDS)} different steps drawn per second", baseline)
    assert own < 1 / 30
