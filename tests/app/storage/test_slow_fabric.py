"""The tour *Diagnosing a slow fabric*: its counters are reproducible, and it finds exactly the planted defects."""

import numpy as np
import pytest

from app.session.faults import measured_speed
from app.session.scenes import SceneEvaluations
from app.storage.tours import tour_content
from app.tour.tour_file import decode_tour
from core.load.measured import unknown_background
from tests import slow_fabric

PREDICTED, COUNTED, DIFFERING, BACKGROUND, FAULT, AVOIDED = range(6)
"""The scenes."""


@pytest.fixture(scope="module")
def scenes():
    return SceneEvaluations(decode_tour(tour_content("diagnosing-a-slow-fabric")))


@pytest.fixture(scope="module")
def comparisons(scenes):
    """The comparison with counters in each scene that has some."""
    measured = range(COUNTED, AVOIDED)
    return {number: scenes.evaluation(number).measurement.comparison for number in measured}


def names(scenes, links):
    return {scenes.evaluation(PREDICTED).case.network.link_ends(link) for link in links.tolist()}


def test_counters_are_as_the_script_writes_them():
    assert slow_fabric.COUNTERS.read_text() == slow_fabric.counters()


def test_the_flow_of_another_job_and_both_directions_of_the_slow_cable_are_found(scenes, comparisons):
    case, comparison = scenes.evaluation(PREDICTED).case, comparisons[DIFFERING]
    src, dst = (case.network.node_names.index(host) for host in slow_fabric.STRANGER)
    assert not np.isin([src, dst], case.mapping.nodes).any()
    assert set(comparison.hot.tolist()) == set(case.router.route(src, dst).links.tolist())
    assert names(scenes, comparison.slow) == {slow_fabric.SLOW, slow_fabric.SLOW[::-1]}
    # A task sends to 4 neighbours.
    assert comparison.scale == pytest.approx(4 * slow_fabric.PACE, rel=slow_fabric.SPREAD)


def test_the_background_is_the_surplus_of_the_counters(scenes, comparisons):
    case = scenes.evaluation(BACKGROUND).case
    given = {entry.link(case.network): entry.load for entry in case.scenario.background}
    computed = {entry.link(case.network): entry.load for entry in unknown_background(comparisons[DIFFERING])}
    assert given == pytest.approx(computed, rel=1e-3)


def test_every_link_agrees_once_the_slow_cable_is_a_fault(scenes, comparisons):
    before, after = comparisons[BACKGROUND], comparisons[FAULT]
    (fault,) = scenes.evaluation(FAULT).case.scenario.faults
    for link in before.slow.tolist():
        assert measured_speed(before, link) == pytest.approx(fault.speed, rel=0.01)
    differing = [np.abs(of.residual) > of.tolerance.of(of.predicted) for of in (before, after)]
    assert differing[0].sum() > before.slow.size
    assert not differing[1].any()


def test_the_last_mapping_moves_ten_tasks_and_leaves_one_flow_per_link(scenes, comparisons):
    before, after = scenes.evaluation(FAULT), scenes.evaluation(AVOIDED)
    assert np.count_nonzero(before.case.mapping.nodes != after.case.mapping.nodes) == 10
    assert set(before.case.mapping.nodes) == set(after.case.mapping.nodes)
    both = np.r_[comparisons[DIFFERING].hot, comparisons[DIFFERING].slow]
    assert before.report.load[both].max() > 0.25
    assert after.report.load[both].max() <= 0.25  # a quarter of the volume that a task sends
