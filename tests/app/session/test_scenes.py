"""Scenes are evaluated once, before they are shown."""

import json

from app.session.scenes import SceneEvaluations
from app.tour.tour_file import decode_tour

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
