"""The stage: time to the next scene, and frames per second of the transition.

On a virtual screen without a GPU most of a frame is rasterising, which is timed apart.
"""

import json
import time

import pytest

from app.storage.presets import worked_example
from app.tour.tour_file import decode_tour
from tests.benchmarks.timing import digits, seconds_text

VIEWS = [{"view": "machine", "share": 3}, {"view": "job"}, {"view": "matrix"}]
MAPPINGS = ("sequential", "random", "mod-colour", "sequential")
SCREEN = 1280, 720


def tour_of(preset):
    """A tour of one machine with a different mapping in each scene."""
    first = {"title": "First", "id": "first", "scenario": preset, "views": VIEWS, "text": "**{throughput_gbs} GB/s**"}
    others = [{**first, "title": name, "changes": {"mapping": {"type": name}}} for name in MAPPINGS]
    for scene in others:
        del scene["scenario"], scene["id"]
    return decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [first, *others]}).encode())


@pytest.fixture
def on_stage(opened, qtbot):
    def present(preset):
        window = opened(worked_example())
        tour = tour_of(preset)
        window.session.tours.open(tour, None, saved=tour)
        window.present(full=False)
        window.touring.stage.resize(*SCREEN)
        # The first scene also creates all views.
        qtbot.waitUntil(lambda: window.session.state.tour.scene == 0, timeout=120_000)
        window.hide()
        qtbot.wait(3000)
        return window

    return present


def arrive(window, number, qtbot):
    """Go to the next scene; return the seconds until the views have it, and until it is painted."""
    session, canvas, begun = window.session, window.touring.stage.machine.canvas.native, time.perf_counter()
    session.presentation.step(1)
    while session.state.tour.scene != number:
        qtbot.wait(1)
    arrived = time.perf_counter() - begun
    with qtbot.waitSignal(canvas.frameSwapped):
        pass
    return arrived, time.perf_counter() - begun


def test_the_next_scene_of_the_largest_machine(on_stage, qtbot, record):
    window = on_stage("power775-largest")
    session, spans = window.session, []
    for number in (1, 2, 3):
        spans.append(arrive(window, number, qtbot))
        qtbot.waitUntil(lambda: not session.presentation.busy, timeout=60_000)
        qtbot.wait(4000)  # the next scene is evaluated in the background
    arrived, painted = (max(seconds) for seconds in zip(*spans, strict=True))
    assert session.state.evaluation.case.network.links == 769_536
    record(
        "(512,1): next scene of a tour, slowest of three",
        seconds_text(painted),
        f"in the views after {seconds_text(arrived)}",
    )
    window.touring.stage.close()
    assert painted < 1


def test_transition(on_stage, qapp, qtbot, record):
    window = on_stage("power775-halo")
    session, rates, work, painting = window.session, [], [], []
    for number in (1, 2, 3, 4):
        seen = []
        window.touring.stage.machine.canvas.native.frameSwapped.connect(
            lambda seen=seen: seen.append(session.state.tour.glide)
        )
        arrive(window, number, qtbot)
        begun = time.perf_counter()
        qapp.watch()
        qtbot.waitUntil(lambda: session.state.tour.glide is None)
        qapp.watch(False)
        frames = len({glide.done for glide in seen if glide is not None})
        rates.append(frames / (time.perf_counter() - begun))
        work.append(sum(qapp.turns) / frames)
        painting.append(qapp.painting / frames)
        qtbot.wait(1500)
    best, own, painted = (sorted(values)[len(values) // 2] for values in (rates, work, painting))
    baseline = f"{seconds_text(own)} of GUI thread work per frame, {seconds_text(painted)} of painting"
    record(
        f"(32,4): transition of the loads to the next scene, {SCREEN[0]} × {SCREEN[1]}",
        f"{digits(best)} frames per second",
        baseline,
    )
    window.touring.stage.close()
    assert own < 1 / 30
