"""The tour *Why is my all-reduce slow*: what its captions say of channels, links and hosts, computed another way."""

from collections import Counter

import numpy as np
import pytest

from app.model.parts import item_named
from app.session.scenes import SceneEvaluations
from app.storage.tours import tour_content
from app.tour.tour_file import decode_tour
from core.load.crossings import part_crossings
from core.load.explain import explain
from core.mapping import Logged

RINGS, LINKS, CAUSE, TWICE, ORDERED, TEXTBOOK = range(6)
"""The scenes."""
CHANNEL = 7
PER_HOST = 8


@pytest.fixture(scope="module")
def scenes():
    return SceneEvaluations(decode_tour(tour_content("why-is-my-all-reduce-slow")))


def hosts(scenes, number):
    """The host of each rank in a scene."""
    case = scenes.evaluation(number).case
    host, _ = case.network.host_slots.place_of(case.mapping.slots)
    return host.tolist()


def units_left(scenes, number):
    """The messages between servers in a step of the ring, and how many of them leave their unit."""
    case, host = scenes.evaluation(number).case, hosts(scenes, number)
    channels = case.job.channels
    (messages,) = np.nonzero(channels.of_message == CHANNEL)
    pairs = [(host[channels.src[k]], host[channels.dst[k]]) for k in messages.tolist()]
    between = [(a, b) for a, b in pairs if a != b]
    return len(between), sum(a // 4 != b // 4 for a, b in between)


def test_the_job_is_where_its_log_says(scenes):
    case = scenes.evaluation(RINGS).case
    assert case.scenario.mapping == Logged()
    assert len(case.job.channels.names) == 8
    assert len(set(hosts(scenes, RINGS))) == 8
    assert case.scenario.job.message_bytes == 1e9


def test_the_links_drawn_are_the_hottest(scenes):
    scene, report = scenes.tour.scenes[LINKS], scenes.evaluation(LINKS).report
    hot = report.hottest(int(scene.hottest_percent / 100 * report.load.size))
    names = {report.case.network.classes[k].name for k in report.case.network.class_of[hot].tolist()}
    assert names == {"spine"}


def test_the_marked_link_is_loaded_by_four_messages_of_channel_7(scenes):
    for number in (LINKS, CAUSE):
        scene, report = scenes.tour.scenes[number], scenes.evaluation(number).report
        item = item_named(scene.selection, report)
        assert item.kind == "link"
        explanation = explain(report, item.index)
        assert [(part.label, part.steps) for part in explanation.parts] == [(f"channel {CHANNEL}", 126)]
        assert explanation.parts[0].load == pytest.approx(report.load[item.index])
        # A message of 1 GB / 8 channels / 64 ranks in each step, of which two spines carry equal parts.
        assert report.load[item.index] == pytest.approx(4 / 2 * 126 / 8 / 64)
    assert scenes.tour.scenes[CAUSE].channels == CHANNEL


def test_the_ring_crosses_eight_links_twice(scenes):
    crossings = part_crossings(scenes.evaluation(TWICE).report)
    (ring,) = [part for part in crossings if part.label == f"channel {CHANNEL}"]
    assert ring.times == pytest.approx([2.0] * 8)
    assert units_left(scenes, TWICE) == (8, 8)
    assert scenes.tour.scenes[TWICE].channels == CHANNEL


def test_the_better_order_moves_whole_hosts_and_leaves_a_unit_twice(scenes):
    before, after = hosts(scenes, TWICE), hosts(scenes, ORDERED)
    assert Counter(after) == Counter(before) == dict.fromkeys(range(8), PER_HOST)
    for first in range(0, 64, PER_HOST):
        assert len(set(after[first : first + PER_HOST])) == 1
    assert units_left(scenes, ORDERED) == (8, 2)


def test_the_textbook_algorithm_runs_on_the_same_gpus(scenes):
    ordered, textbook = scenes.evaluation(ORDERED).case, scenes.evaluation(TEXTBOOK).case
    assert textbook.scenario.job == ordered.scenario.with_textbook_job().job
    assert textbook.mapping.slots.tolist() == ordered.mapping.slots.tolist()
    net = textbook.network
    rails = [k for k, links in enumerate(net.classes) if links.name == "rail"]
    used = np.flatnonzero((scenes.evaluation(TEXTBOOK).report.load > 0) & np.isin(net.class_of, rails))
    nics = {(min(net.src[link], net.dst[link]) // PER_HOST, min(net.src[link], net.dst[link]) % 8) for link in used}
    assert nics == {(host, nic) for host in range(8) for nic in (0, 7)}
