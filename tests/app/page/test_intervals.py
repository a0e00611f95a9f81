"""The intervals of counters in a page equal the comparison of each with the predicted loads."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from app.model.measurement import LinkSource, quantity
from app.model.state import State
from app.page.intervals import interval_steps
from app.page.states import StepRoom
from app.session.evaluation import evaluate_scenario
from core.load.measured import Comparison
from core.spec import Cancelled, no_progress
from tests.app.measured import COUNTED, LEVELS, SERIES_SECONDS, measured_scenario, series_scenario
from tests.app.page.unpacking import unpacked


def state_of(scenario, source=LinkSource.MEASURED):
    state = State(scenario, evaluate_scenario(scenario, None, no_progress))
    return replace(state, style=replace(state.style, source=source))


@pytest.mark.parametrize("source", COUNTED, ids=lambda s: s.id)
def test_each_interval_has_its_values_on_the_scale_of_all(tmp_path, source):
    state = state_of(series_scenario(tmp_path), source)
    steps = msgspec.to_builtins(interval_steps(state, StepRoom()))
    report, intervals = state.report, state.evaluation.case.measured.intervals
    expected = np.stack([quantity(Comparison(report, links), source) for links in intervals])
    values = np.stack([unpacked(blob) for blob in steps["loads"]]) * steps["look"]["top"]
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    busy = unpacked(steps["busy"]).reshape(-1, len(LEVELS)).T * steps["look"]["top"]
    for number, of in enumerate(report.case.network.classes):
        highest = np.nanmax(np.abs(expected[:, of.links]), axis=1)
        np.testing.assert_allclose(np.abs(busy[:, number]), highest, rtol=1e-5)
    np.testing.assert_allclose(unpacked(steps["seconds"]), SERIES_SECONDS / len(LEVELS), rtol=1e-6)
    assert (steps["noun"], steps["timed"]) == ("interval", True)
    assert unpacked(steps["titles"])[1] == "interval 2 of 3: 10 s to 20 s"


def test_intervals_of_unknown_length_have_no_times(tmp_path):
    steps = interval_steps(state_of(series_scenario(tmp_path, seconds=None)), StepRoom())
    assert not steps.timed
    assert steps.summary == "3 intervals: the entire measurement"


def test_loads_and_single_measurements_have_no_intervals(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "series").mkdir()
    assert interval_steps(state_of(measured_scenario(tmp_path / "one")), StepRoom()) is None
    assert interval_steps(state_of(series_scenario(tmp_path / "series"), LinkSource.LOAD), StepRoom()) is None


def test_intervals_without_room_have_no_values(tmp_path):
    room = StepRoom(characters=0)
    steps = interval_steps(state_of(series_scenario(tmp_path)), room)
    assert (steps.loads, room.omitted) == ([None] * len(LEVELS), len(LEVELS))


def test_reading_intervals_can_be_cancelled(tmp_path):
    def stop(_):
        raise Cancelled

    with pytest.raises(Cancelled):
        interval_steps(state_of(series_scenario(tmp_path)), StepRoom(), stop)
