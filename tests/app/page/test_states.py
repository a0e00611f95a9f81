"""The loads and steps of a page equal the evaluation, and its legends equal the legends of the window."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from app.model.state import State
from app.page.states import StepRoom, look_of, state_data, steps_data
from app.session.evaluation import evaluate_scenario
from app.session.moments import moment_of
from app.storage.presets import preset
from core.figures.evaluation import evaluation_of
from core.job import Halo
from core.job.measure import UNITS
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.network.faults import LinkFault
from core.routing import DimensionOrder
from core.spec import TooLarge, no_progress
from core.timing import detailed_timeline
from tests.app.page.unpacking import unpacked

SMALL = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())


def evaluated(scenario):
    return evaluate_scenario(scenario, None, no_progress)


def data_of(evaluation, steps=None):
    return msgspec.to_builtins(state_data(evaluation, 0, "a", [], steps))


def test_loads_and_figures_are_those_of_the_report():
    evaluation = evaluated(SMALL)
    data, report = data_of(evaluation), evaluation.report
    np.testing.assert_array_equal(unpacked(data["load"]), report.total_load.astype(np.float32))
    figures = msgspec.json.decode(msgspec.json.encode(evaluation_of(report, evaluation.bounds)))
    assert msgspec.json.decode(msgspec.json.encode(state_data(evaluation, 0, "a", [], None)))["figures"] == figures
    assert (data["own"], data["slow"]) == (None, [])
    assert data["measures"] == [{"singular": UNITS.singular, "many": UNITS.many, "perVolume": 1.0}]
    np.testing.assert_array_equal(unpacked(data["nodes"]), evaluation.case.mapping.nodes)


def test_slow_links_and_the_own_load_next_to_other_jobs():
    neighbour = Neighbour(job=Halo(rows=2, cols=4), mapping=Sequential(), allocation="8-15")
    slow = (LinkFault(0, 1, speed=0.5),)
    half = replace(SMALL, job=Halo(rows=2, cols=4), allocation="0-7", neighbours=(neighbour,), faults=slow)
    evaluation = evaluated(half)
    data, report = data_of(evaluation), evaluation.report
    np.testing.assert_array_equal(unpacked(data["own"]), report.load.astype(np.float32))
    assert unpacked(data["load"]).sum() > unpacked(data["own"]).sum()
    links = np.flatnonzero(report.case.gbs != report.case.network.gbs).tolist()
    assert links
    assert data["slow"] == [(link, float(report.case.gbs[link])) for link in links]


@pytest.mark.parametrize("name", ["nas-ft-skeleton", "clex-rounds", "training-1024-gpus"])
def test_each_step_has_the_loads_and_the_legend_of_the_window(name):
    evaluation = evaluated(preset(name))
    timeline = detailed_timeline(evaluation.case)
    steps = msgspec.to_builtins(steps_data(evaluation, timeline, StepRoom()))
    run = unpacked(steps["run"])
    assert run.size == len(timeline.steps) == len(unpacked(steps["titles"]))
    for step in sorted({0, 1, run.size // 2, run.size - 1}):
        alone = moment_of(evaluation, step, timeline.each_round).alone
        loads = unpacked(steps["loads"][run[step]])
        np.testing.assert_allclose(loads, alone.report.total_load, rtol=1e-6)
        assert steps["times"][run[step]] == pytest.approx(alone.report.time)
        look = look_of(State(alone.case.scenario, alone))
        assert (steps["heading"], steps["tops"][run[step]]) == (look.heading, look.ticks[-1])
    busy = unpacked(steps["busy"]).reshape(-1, run.size)
    assert busy.max() <= 1.0
    np.testing.assert_allclose(unpacked(steps["seconds"]), [step.seconds for step in timeline.steps], rtol=1e-6)


def test_steps_without_room_have_no_loads_and_requested_steps_have_priority():
    evaluation = evaluated(preset("nas-ft-skeleton"))
    timeline = detailed_timeline(evaluation.case)
    everything = steps_data(evaluation, timeline, StepRoom())
    last = len(timeline.steps) - 1
    run = int(evaluation.case.job.run_of[last])
    room = StepRoom(characters=everything.loads[run].size)
    some = steps_data(evaluation, timeline, room, frozenset([last]))
    assert some.loads[run] == everything.loads[run]
    assert sum(blob is None for blob in some.loads) == room.omitted > 0
    assert some.tops == everything.tops


def test_steps_that_take_too_long_are_left_out():
    evaluation = evaluated(preset("nas-ft-skeleton"))

    def refuse(done):
        if done > 0.3:
            raise TooLarge("job", "takes long")

    steps = steps_data(evaluation, detailed_timeline(evaluation.case), StepRoom(), progress=refuse)
    assert {blob is None for blob in steps.loads} == {True, False}
