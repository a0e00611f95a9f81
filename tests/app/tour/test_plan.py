"""Planned times: scenes without one share the remaining time, and delays are shown."""

import json

import pytest

from app.tour.plan import Plan, clock_text
from app.tour.tour_file import decode_tour


def plan_of(minutes, *scenes):
    tour = {"fabriscope_tour": 1, "title": "T"}
    tour["scenes"] = [
        {"title": "S", "scenario": "power775-smallest", **({} if time is None else {"minutes": time})}
        for time in scenes
    ]
    if minutes is not None:
        tour["minutes"] = minutes
    return Plan.of(decode_tour(json.dumps(tour).encode()))


@pytest.mark.parametrize(
    ("minutes", "scenes", "ends", "total"),
    [
        (12, (2, None, 3, None), (2, 5.5, 8.5, 12), 12),
        (None, (2, None, 1.5), (2, 2, 3.5), 3.5),
        (10, (2, 3), (2, 5), 10),
        (4, (2, 3, None), (2, 5, 5), 5),
        (9, (None, None, None), (3, 6, 9), 9),
    ],
)
def test_scenes_without_a_time_share_the_remaining_time(minutes, scenes, ends, total):
    plan = plan_of(minutes, *scenes)
    assert plan.ends == pytest.approx([60 * end for end in ends])
    assert plan.total == pytest.approx(60 * total)


def test_without_times_there_is_no_plan():
    assert plan_of(None, None, None) is None


def test_delay_of_the_speaker_is_shown():
    plan = plan_of(12, 5, None)
    assert plan.text(0) == "of 12:00\nscene 1 planned until 5:00"
    assert plan.status(0, 250) == ("on time", "on time")
    assert plan.status(0, 300) == ("on time", "on time")
    assert plan.status(0, 310) == ("behind", "behind by 0:10")
    assert plan.status(1, 310) == ("on time", "on time")
    assert plan.status(1, 790) == ("over time", "over time by 1:10")
    assert clock_text(250.9) == "4:10"
