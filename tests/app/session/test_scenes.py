"""Scenes are evaluated once, before they are shown."""

import json
from dataclasses import replace

import numpy as np
import pytest

from app.model.channels_shown import chosen_channel, drawn_channels
from app.model.measurement import LinkSource
from app.model.scenes import Seen, ViewShare
from app.model.state import State
from app.session.scene_state import SceneSetting, scene_of
from app.session.scenes import SceneEvaluations
from app.tour.expression import written
from app.tour.tour_file import decode_tour, plain_scenario
from core.load.evaluate import evaluate
from core.network.faults import cables_of
from core.spec import SpecError
from tests.app.measured import measured_scenario

SCENES = [
    {"title": "Coloured", "id": "coloured", "scenario": "power775-smallest"},
    {"title": "Beside", "changes": {"mapping": {"type": "sequential"}}, "against": "coloured"},
]


def test_reference_scene_is_not_evaluated_again(monkeypatch):
    tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES}).encode())
    scenes = SceneEvaluations(tour)
    scenes.prepare(1)

    def evaluate(*_):
        raise AssertionError("evaluated where the window would wait for it")

    for module in ("scenes", "evaluation"):
        monkeypatch.setattr(f"app.session.{module}.evaluate_scenario", evaluate)
    assert scenes.reference(0) is None
    assert scenes.reference(1) is scenes.evaluation(0)


def counted(folder, link_values, *, waits=True):
    """The scenes of a tour whose only scene has counters."""
    scenario = plain_scenario(measured_scenario(folder, waits=waits), folder)
    scene = {"title": "Counted", "scenario": scenario, "link_values": link_values}
    return SceneEvaluations(
        decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [scene]}).encode()), folder
    )


@pytest.mark.parametrize("source", LinkSource)
def test_a_scene_colours_links_by_counters(tmp_path, source):
    scenes = counted(tmp_path, source.id)
    scenes.prepare(0)
    evaluation = scenes.evaluation(0)
    state = SceneSetting.of(0, scenes).applied(State(evaluation.case.scenario, evaluation))
    assert state.source is source
    assert state.shading.signed == (source in (LinkSource.DIFFERENCE, LinkSource.HARM))
    assert not np.isnan(state.link_values).all()


@pytest.mark.parametrize("link_values", ["measured", "wait"])
def test_a_scene_without_the_counters_is_reported(tmp_path, link_values):
    scenes = counted(tmp_path, "wait", waits=False)
    if link_values == "measured":
        del scenes.tour.scenes[0].scenario["measured"]
    with pytest.raises(SpecError, match=r"scenes\[0\].link_values: 'wait' needs counters"):
        scenes.prepare(0)


TORUS = {
    "fabriscope": 1, "network": {"type": "torus", "dims": [4, 4]}, "job": {"type": "halo", "rows": 4, "cols": 4},
    "mapping": {"type": "random", "seed": 1}, "routing": {"type": "minimal", "spread": "equal"},
}  # fmt: skip


def test_a_scene_names_failures_of_its_cables_and_of_another_scene():
    text = "{resilience.worst.throughput_gbs} after {random.resilience.worst.throughput_gbs}"
    first = {"title": "Random", "id": "random", "scenario": TORUS, "claims": ["resilience.failures == 32"]}
    second = {"title": "In order", "text": text, "changes": {"mapping": {"type": "sequential"}}}
    tour = {"fabriscope_tour": 1, "title": "T", "scenes": [first, second]}
    scenes = SceneEvaluations(decode_tour(json.dumps(tour).encode()))
    assert scenes.known_failures(1) is None
    scenes.prepare(1)
    ends = [worst_throughput(scenes.scenario(number)) for number in (1, 0)]
    assert scenes.caption(1).text == f"{written(ends[0])} after {written(ends[1])}"
    assert scenes.failing(0) == []
    assert scenes.known_failures(0) is scenes.failures(0)


def worst_throughput(scenario):
    """The throughput after the worst failure of a cable, by a fresh evaluation of each."""
    faults = cables_of(scenario.machine())
    return min(evaluate(replace(scenario, faults=(fault,)).build()).throughput_gbs for fault in faults)


def ringed(channels):
    """The scenes of a tour whose only scene draws channels of a preset."""
    scene = {"title": "Rings", "scenario": "nccl-32-gpus", "channels": channels}
    return SceneEvaluations(decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [scene]}).encode()))


@pytest.mark.parametrize(("channels", "drawn", "chosen"), [("all", True, None), (2, True, 2), (None, False, None)])
def test_a_scene_draws_channels_and_a_new_scene_keeps_them(channels, drawn, chosen):
    scenes = ringed(channels)
    scenes.prepare(0)
    evaluation = scenes.evaluation(0)
    state = SceneSetting.of(0, scenes).applied(State(evaluation.case.scenario, evaluation))
    assert (drawn_channels(state) is not None) == drawn
    assert chosen_channel(state) == chosen
    assert scene_of(state, (ViewShare("machine"),), Seen()).channels == channels


def test_a_scene_without_its_channels_is_reported():
    with pytest.raises(SpecError, match=r"scenes\[0\].channels: is 4, but the job has 4 channels, from 0"):
        ringed(4).prepare(0)
    scenes = SceneEvaluations(decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [
        {"title": "Halo", "scenario": "power775-smallest", "channels": "all"}]}).encode()))  # fmt: skip
    with pytest.raises(SpecError, match=r"scenes\[0\].channels: needs a job with channels, such as nccl"):
        scenes.prepare(0)
