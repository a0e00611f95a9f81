"""The fit of bandwidths to loads, and its tolerance: exact lines, noise alone, and noise with planted links."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.counters.measured_links import MeasuredLinks
from core.job import RandomTraffic
from core.load.counter_fit import FALSE_ALARMS, LEAST, THIRD, fitted
from core.load.evaluate import evaluate
from core.load.measured import Comparison
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus, Xgft
from core.routing import DimensionOrder, DModK

NOISE = 0.03
"""Standard deviation of counters, relative to the bandwidth."""
SCALE = 2.5
STRANGER, SLOW = 0.3, 0.5
"""Bandwidth of a planted flow, relative to the hottest link, and the speed of a slow link."""
MACHINES = {
    "fat tree": (Xgft(down=(8, 8, 8), up=(1, 8, 8)), DModK()),
    "torus": (Torus(dims=(8, 8, 8)), DimensionOrder()),
}
SEEDS = range(20)


@cache
def report_of(machine):
    """The loads of a job of random pairs, on 3,072 links."""
    network, routing = MACHINES[machine]
    return evaluate(Scenario(network, RandomTraffic(tasks=512, messages=8), Random(seed=1), routing).build())


def noisy(report, seed):
    """Counters in GB in a second, as predicted and with noise."""
    noise = np.random.default_rng(seed).normal(1, NOISE, report.total_load.size)
    return SCALE * report.total_load * noise


def compared(report, gb, wait=None):
    wait = np.ones(gb.size) if wait is None else wait
    return Comparison(report, MeasuredLinks(gb, wait, gb, 1.0))


@pytest.mark.parametrize("machine", MACHINES)
def test_noise_in_proportion_makes_no_link_differ(machine):
    report = report_of(machine)
    assert report.total_load.size == 3072
    for seed in SEEDS:
        result = compared(report, noisy(report, seed))
        differing = np.abs(result.residual) > result.tolerance.of(result.predicted)
        assert not differing.any(), seed
        assert result.hot.size == result.slow.size == 0
        assert result.scale == pytest.approx(SCALE, rel=0.01)


@pytest.mark.parametrize("machine", MACHINES)
def test_planted_links_are_found_in_noise_and_no_others(machine):
    report = report_of(machine)
    case = report.case
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        src, dst = rng.choice(case.network.nodes, 2, replace=False)
        route = np.unique(case.router.route(int(src), int(dst)).links)
        used = np.flatnonzero(report.total_load > 0.5 * report.total_load.max())
        slow = int(rng.choice(np.setdiff1d(used, route)))
        gb, wait = noisy(report, seed), np.ones(report.total_load.size)
        gb[route] += STRANGER * SCALE * report.total_load.max()
        gb[slow] *= SLOW
        wait[slow] = 1e9
        result = compared(report, gb, wait)
        assert set(result.hot.tolist()) == set(route.tolist()), seed
        assert result.slow.tolist() == [slow]


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_of_constant_size_makes_no_link_differ(seed):
    rng = np.random.default_rng(seed)
    load = rng.uniform(0, 1, 4000)
    measured = load + rng.normal(0, 0.02, 4000)
    fit = fitted(measured, load)
    # The chance of a single false alarm is 1 % in each of these trials.
    assert np.count_nonzero(np.abs(measured - fit.scale * load) > fit.tolerance.of(fit.scale * load)) <= 1
    assert fit.tolerance.share < 0.1


def test_false_alarms_are_as_rare_as_declared():
    alarms, trials = 0, 300
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        load = rng.uniform(0, 1, 2000)
        measured = load * rng.normal(1, NOISE, 2000)
        scale, tolerance = fitted(measured, load)
        alarms += (np.abs(measured - scale * load) > tolerance.of(scale * load)).any()
    assert alarms <= 3 * FALSE_ALARMS * trials


@given(st.floats(0.1, 10), st.floats(0.01, 100), st.integers(0, 50))
def test_units_of_bandwidths_and_loads_do_not_matter(gbs, unit, seed):
    rng = np.random.default_rng(seed)
    load = rng.uniform(0.1, 1, 100)
    measured = load * rng.normal(1, 0.05, 100)
    plain, other = fitted(measured, load), fitted(gbs * measured, unit * load)
    assert other.scale == pytest.approx(plain.scale * gbs / unit)
    assert other.tolerance.gbs == pytest.approx(gbs * plain.tolerance.gbs, abs=1e-9)
    assert other.tolerance.share == pytest.approx(plain.tolerance.share, abs=1e-9)


def test_few_links_have_a_tolerance_in_proportion():
    load = np.linspace(1, 2, 3 * THIRD - 1)
    measured = load * np.random.default_rng(0).normal(1, 0.02, load.size)
    fit = fitted(measured, load)
    assert fit.tolerance.gbs == pytest.approx(LEAST * measured.max())
    assert 0.02 * 2 < fit.tolerance.share < 0.02 * 6


@pytest.mark.parametrize("links", [0, 1, 5])
def test_without_predicted_loads_there_is_no_scale(links):
    fit = fitted(np.ones(links), np.zeros(links))
    assert fit.scale == 0
    assert fit.tolerance.of(np.zeros(links)).tolist() == [LEAST] * links


def test_links_without_predicted_load_do_not_widen_the_tolerance():
    # Another job on most of the machine, where this job sends nothing.
    load = np.r_[np.linspace(0.5, 1, 100), np.zeros(900)]
    measured = load.copy()
    measured[300:] = 0.7
    fit = fitted(measured, load)
    assert fit.tolerance == (pytest.approx(LEAST), pytest.approx(0))
    assert np.count_nonzero(measured > fit.tolerance.of(fit.scale * load) + fit.scale * load) == 700
