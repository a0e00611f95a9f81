"""The tour *Which cable must not fail*: its figures of failures, cables and mappings, computed another way."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from app.session.scenes import SceneEvaluations
from app.storage.tours import tour_content
from app.tour.tour_file import decode_tour
from core.load.evaluate import evaluate
from core.mapping import Explicit
from core.network import AddedCable, LinkFault
from core.network.faults import cables_of
from core.optimise.request import Request
from core.optimise.run import optimise

JOB, HARM, WORST, PARADOX, ADDED, MAPPED = range(6)
"""The scenes."""


@pytest.fixture(scope="module")
def scenes():
    return SceneEvaluations(decode_tour(tour_content("which-cable-must-not-fail")))


def throughput(scenes, **changes):
    return evaluate(replace(scenes.scenario(JOB), **changes).build()).throughput_gbs


def load(scenes, number, src, dst):
    """The load of the link between two nodes, in either direction."""
    report = scenes.evaluation(number).report
    return report.load[LinkFault(src, dst).links(report.case.network)].max()


def test_failures_of_single_cables_are_counted_and_ordered_right(scenes):
    base, faults = throughput(scenes), cables_of(scenes.scenario(JOB).machine())
    after = np.array([throughput(scenes, faults=(fault,)) for fault in faults])
    figures = scenes.failures(HARM).figures
    assert (np.sum(after < base * (1 - 1e-9)), np.sum(after > base * (1 + 1e-9))) == (figures.slower, figures.faster)
    assert scenes.scenario(WORST).faults == (LinkFault("(2,0,3)", "(2,3,3)"),)
    assert scenes.evaluation(WORST).report.throughput_gbs == pytest.approx(after.min())
    assert scenes.evaluation(PARADOX).report.throughput_gbs == pytest.approx(after.max())
    doubled = throughput(scenes, faults=(LinkFault("(2,1,3)", "(2,2,3)"),))
    assert doubled == pytest.approx(figures.rows[190].throughput_gbs)


def test_the_failures_change_the_load_of_the_hottest_link_in_their_ring(scenes):
    before, worst, paradox = (load(scenes, number, "(2,1,3)", "(2,2,3)") for number in (JOB, WORST, PARADOX))
    assert (f"{before:.2f}", f"{worst:.2f}") == ("0.92", "1.10")
    assert paradox < before
    for number, hottest in ((JOB, before), (WORST, worst)):
        assert scenes.evaluation(number).report.load.max() == pytest.approx(hottest)


def test_no_other_cable_of_a_sample_helps_more_than_the_added_one(scenes):
    pairs, added = list(combinations(range(64), 2)), scenes.evaluation(ADDED).report.throughput_gbs
    assert len(pairs) == 2016
    sample = np.random.default_rng(0).choice(len(pairs), 100, replace=False)
    assert all(throughput(scenes, cables=(AddedCable(*pairs[k]),)) <= added * (1 + 1e-9) for k in sample)
    more = [throughput(scenes, cables=(AddedCable(39, 43), *others)) for others in (
        (AddedCable(31, 62),), (AddedCable(31, 62), AddedCable(39, 63)),
    )]  # fmt: skip
    assert [f"{100 * b / a - 100:.1f}" for a, b in zip([added, *more], more, strict=False)] == ["4.9", "2.2"]


def test_a_search_finds_a_mapping_as_good(scenes):
    best = optimise(scenes.evaluation(JOB).report, Request(seconds=None, steps=300_000, seed=2)).slots
    assert throughput(scenes, mapping=Explicit(tuple(best.tolist()))) == pytest.approx(
        scenes.evaluation(MAPPED).report.throughput_gbs
    )
