"""Loads after failures: as if evaluated afresh, for every family, scheme and job."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.failures import Failures
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import BundleFault, LinkFault, NodeFault, Percs, Torus
from core.routing import Minimal, PercsDirect
from core.spec import SpecError
from tests.core.everywhere import scenarios
from tests.core.strategies import faults_of


def assert_equal(report, fresh):
    np.testing.assert_allclose(report.load, fresh.load, rtol=1e-9, atol=1e-9 * (1 + fresh.load.max(initial=0.0)))
    assert report.time == pytest.approx(fresh.time, rel=1e-9)
    assert (report.throughput_gbs or 0.0) == pytest.approx(fresh.throughput_gbs or 0.0, rel=1e-9)
    assert report.class_times == pytest.approx(fresh.class_times, rel=1e-9, abs=1e-12)
    lost, expected = report.disconnected, fresh.disconnected
    assert (lost.count, lost.volume, lost.stranded) == (expected.count, expected.volume, expected.stranded)


@settings(max_examples=150)
@given(st.data())
def test_reports_equal_a_fresh_evaluation(data):
    scenario = data.draw(scenarios())
    network = scenario.machine()
    if network.aggregation > 1 or not network.links:
        return
    earlier = data.draw(faults_of(network)) if data.draw(st.booleans()) else ()
    failures = Failures(evaluate(replace(scenario, faults=earlier).build()))
    for _ in range(2):
        failed = data.draw(faults_of(network, speeds=(0.0,)))
        assert_equal(failures.with_failure(*failed), evaluate(replace(scenario, faults=(*earlier, *failed)).build()))


TORUS = Scenario(Torus((4, 4, 4)), Halo(8, 8), Random(seed=1), Minimal(spread="equal"))


def cables(network):
    return dict.fromkeys(LinkFault.of(network, link) for link in range(network.links))


def test_a_failed_cable_may_raise_the_throughput():
    report = evaluate(TORUS.build())
    failures, cut = Failures(report), cables(report.case.network)
    after = np.array([failures.with_failure(cable).throughput_gbs for cable in cut])
    assert (len(cut), round(report.throughput_gbs, 4)) == (192, 0.4615)
    assert (round(after.min(), 4), round(after.max(), 4)) == (0.3865, 0.5337)
    assert (np.sum(after < report.throughput_gbs), np.sum(after > report.throughput_gbs)) == (155, 37)


PERCS = Scenario(Percs(supernodes=4, drawers=2, nodes_per_drawer=8), Halo(8, 8), Random(seed=1), PercsDirect())


@pytest.mark.parametrize("fault", [LinkFault(0, 1), NodeFault(5), BundleFault(0, 1)], ids=["cable", "node", "bundle"])
def test_every_kind_of_failure(fault):
    fresh = evaluate(replace(PERCS, faults=(fault,)).build())
    assert_equal(Failures(evaluate(PERCS.build())).with_failure(fault), fresh)


def test_small_loads_keep_their_digits_next_to_large_ones():
    # The flow from 0 to 2 loads the links 0 – 1 and 1 – 2 until 1 – 2 fails, and the flow from 0 to 1 loads 0 – 1.
    job = Flows(tasks=8, src=(0, 0), dst=(2, 1), volume=(1e12 / 3, 4131.7))
    ring = Scenario(Torus((8,)), job, Sequential(), Minimal(spread="equal"))
    cut = LinkFault(1, 2)
    fresh = evaluate(replace(ring, faults=(cut,)).build())
    assert_equal(Failures(evaluate(ring.build())).with_failure(cut), fresh)
    link = fresh.case.network.links_between(0, 1)[0]
    assert Failures(evaluate(ring.build())).with_failure(cut).load[link] == pytest.approx(4131.7, rel=1e-12)


def test_an_unknown_component_is_an_error():
    with pytest.raises(SpecError, match=r"^faults\[0\]\.node: "):
        Failures(evaluate(TORUS.build())).with_failure(NodeFault(64))
