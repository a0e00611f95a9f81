"""The built-in tours: every scene builds, every figure is known, and every claim holds."""

import re

import msgspec
import pytest

from app.model.parts import part_named
from app.session.scene_state import SceneSetting
from app.session.scenes import SceneEvaluations
from app.storage.tours import START, tour_content, tour_names
from app.tour.expression import figures_in
from app.tour.tour_file import decode_tour, encode_tour
from core.spec import SpecError

PAPERS = 5
SHORT = {START: 6, "diagnosing-a-slow-fabric": 6, "why-is-my-all-reduce-slow": 6, "which-cable-must-not-fail": 6}
"""Scenes of the tours that present no paper."""
MAX_CAPTION = 220
"""Maximum characters of a caption that is legible from the last row."""


def played(name):
    return SceneEvaluations(decode_tour(tour_content(name)))


def test_there_is_a_tour_for_each_paper_as_the_program_would_write_it():
    assert tour_names()[0] == START
    assert len(tour_names()) == PAPERS + len(SHORT)
    for name in tour_names():
        assert encode_tour(decode_tour(tour_content(name))) == tour_content(name), name


@pytest.mark.parametrize("name", tour_names())
def test_all_claims_of_a_tour_hold(name):
    scenes = played(name)
    tour = scenes.tour
    assert len(tour.scenes) == SHORT[name] if name in SHORT else 7 <= len(tour.scenes) <= 12
    for number, scene in enumerate(tour.scenes):
        scenes.prepare(number)
        words, errors, _ = scenes.caption(number)
        assert not errors
        assert "⚠" not in words, words
        assert len(re.sub(r"[*_]", "", words)) <= MAX_CAPTION, words
        assert scenes.failing(number) == [], scene.title
        assert scene.claims, scene.title
        assert len(scene.notes) > 80, scene.title
        SceneSetting.of(number, scenes)
        if scene.camera.focus:
            part_named(scene.camera.focus, scenes.evaluation(number).case.network)
    assert {figure for _, figure in figures_in(tour.scenes[-1].text)} & {"bound_gbs", "percent_of_bound"}


@pytest.mark.parametrize("scene", [1, 3, 7])
def test_a_scene_with_another_mapping_fails(scene):
    tour = decode_tour(tour_content("mapping-on-percs"))
    other = {**tour.scenes[scene].scenario, "mapping": {"type": "random", "seed": 1}}
    scenes = list(tour.scenes)
    scenes[scene] = msgspec.structs.replace(scenes[scene], scenario=other)
    changed = SceneEvaluations(msgspec.structs.replace(tour, scenes=tuple(scenes)))
    changed.prepare(scene)
    assert changed.failing(scene)


def test_a_missing_step_is_reported():
    tour = decode_tour(tour_content("all-to-all-in-a-supernode"))
    number = next(k for k, scene in enumerate(tour.scenes) if scene.step is not None)
    late = msgspec.structs.replace(tour.scenes[number], step=2000)
    scenes = SceneEvaluations(
        msgspec.structs.replace(tour, scenes=(*tour.scenes[:number], late, *tour.scenes[number + 1 :]))
    )
    with pytest.raises(SpecError, match="the job has 1,023 steps, not 2,000"):
        scenes.prepare(number)
