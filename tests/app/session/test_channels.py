"""Channels drawn through a session: repeated links, hops in readouts, and the textbook algorithm as A."""

from collections import Counter

import numpy as np
import pytest

from app.model.channels_shown import chosen_channel, crossed_links, crossings_of, drawn_channels, hop_lines
from app.model.flow_text import flow_lines
from app.model.pointing import flow_item
from app.model.routes_shown import drawn_links
from app.model.state_groups import ComparisonMode
from app.storage.presets import preset
from core.job import Allreduce, Halo
from core.load.crossings import part_crossings
from core.mapping import Random
from tests.app.channelled import RINGS, TREES


@pytest.fixture
def session(session_of):
    return session_of(RINGS)


def test_repeated_links_are_those_of_the_parts_of_a_channel(session):
    assert crossings_of(session.state) is None
    session.channels.draw(True)
    state = session.state
    expected = part_crossings(state.evaluation.report)
    for channel in (0, 1):
        links, times = crossed_links(state, channel)
        np.testing.assert_array_equal(links, expected[channel].links)
        np.testing.assert_array_equal(times, expected[channel].times)
    assert not crossed_links(state, 0)[0].size
    session.channels.choose(1)
    np.testing.assert_array_equal(drawn_links(session.state).links, np.sort(expected[1].links))
    session.channels.choose(None)
    assert drawn_links(session.state) is None


def test_a_link_that_both_directions_of_a_tree_repeat_is_listed_once(session_of):
    session = session_of(TREES)
    session.channels.draw(True)
    up, down = part_crossings(session.state.evaluation.report)
    most = Counter()
    for part in (up, down):
        for link, times in zip(part.links.tolist(), part.times.tolist(), strict=True):
            most[link] = max(most[link], times)
    links, times = crossed_links(session.state, 0)
    assert dict(zip(links.tolist(), times.tolist(), strict=True)) == most
    assert times.tolist() == sorted(times, reverse=True)


def test_another_mapping_has_other_crossings(session):
    session.channels.draw(True)
    before = crossings_of(session.state)
    session.choose("mapping", Random(seed=1))
    after = crossings_of(session.state)
    assert after is not before
    assert after.report is session.state.evaluation.report
    session.channels.draw(False)
    session.choose("mapping", Random(seed=2))
    assert crossings_of(session.state) is None  # nobody has asked


def test_nothing_is_drawn_for_jobs_without_channels(session):
    session.channels.choose(1)
    assert drawn_channels(session.state) is not None
    session.choose("job", Halo(3, 4))
    assert drawn_channels(session.state) is None
    assert chosen_channel(session.state) is None
    assert hop_lines(session.state, 0, 1) == ()


def test_flows_are_named_by_channel_and_hop(session):
    assert hop_lines(session.state, 7, 8) == ()  # nothing is drawn yet
    session.channels.draw(True)
    assert hop_lines(session.state, 7, 8) == ("channel 0: hop 8 of 12", "channel 1: hop 8 of 12")
    assert hop_lines(session.state, 0, 4) == ("channel 1: hop 1 of 12",)
    assert flow_lines(flow_item(0, 4), session.state)[1] == "channel 1: hop 1 of 12"
    session.channels.choose(0)
    assert hop_lines(session.state, 7, 8) == ("channel 0: hop 8 of 12",)
    assert hop_lines(session.state, 0, 4) == ()


def test_flows_of_trees_are_named_by_level(session_of):
    session = session_of(TREES)
    session.channels.draw(True)
    assert hop_lines(session.state, 3, 2) == ("channel 0, up: level 3",)
    assert hop_lines(session.state, 4, 1) == ("channel 0, down: level 1",)


def test_the_textbook_algorithm_is_pinned_as_a(session_of):
    session = session_of(preset("nccl-32-gpus"))
    session.compare_with_textbook()
    comparison = session.state.comparison
    assert comparison.mode is ComparisonMode.SIDE
    assert isinstance(comparison.reference.case.job.spec, Allreduce)
    assert session.state.evaluation.case.job.channels is not None
    assert comparison.reference.case.job.channels is None


def test_a_job_without_textbook_algorithm_is_refused_in_one_line(session):
    session.compare_with_textbook()
    assert session.state.comparison.reference is None
    assert "has no textbook algorithm" in session.state.error.message
