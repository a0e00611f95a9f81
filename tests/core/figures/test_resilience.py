"""Figures of failures: their counts and order, and brute force over all of them."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from msgspec import UNSET

from core.figures.resilience import (
    COMPONENTS,
    CurveLength,
    components,
    curve_of,
    evaluator,
    named,
    named_curve,
    pairs_of,
    resilience,
    worst_of,
)
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree, Percs, Torus
from core.routing import Minimal, PercsDirect
from core.spec import Cancelled, SpecError

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))
PERCS = Scenario(Percs(supernodes=4, drawers=2, nodes_per_drawer=8), Halo(8, 8), Random(seed=1), PercsDirect())
TREE = Scenario(FatTree(2, 2), AllToAll(tasks=4), Random(seed=1), Minimal())


def figures_of(scenario, what):
    report = evaluate(scenario.build())
    return resilience(report, what, components(report.case.network, what))


@pytest.mark.parametrize(
    ("scenario", "what", "count"),
    [
        (TORUS, "cables", 32), (TORUS, "nodes", 16), (PERCS, "bundles", 6), (PERCS, "cables", None),
        (TREE, "switches", None),
    ],
)  # fmt: skip
def test_rows_equal_brute_force(scenario, what, count):
    figures, network = figures_of(scenario, what), scenario.machine()
    by_name = {row.failure: row for row in figures.rows}
    faults = components(network, what)
    assert len(by_name) == len(faults) == figures.failures == (count or figures.failures)
    for fault in faults:
        fresh, row = evaluate(replace(scenario, faults=(fault,)).build()), by_name[fault.what(network)]
        assert (row.throughput_gbs or 0.0) == pytest.approx(fresh.throughput_gbs or 0.0, rel=1e-9)
        assert (row.disconnected_flows, row.disconnected_volume) == (
            fresh.disconnected.count,
            fresh.disconnected.volume,
        )


@pytest.mark.parametrize("scenario", [TORUS, PERCS, TREE])
@pytest.mark.parametrize("what", COMPONENTS)
def test_counts_add_up_and_rows_are_ordered(scenario, what):
    try:
        figures = figures_of(scenario, what)
    except SpecError as error:
        assert str(error).startswith(f"--what: this network has no {what}; choose ")  # noqa: PT017
        return
    assert figures.slower + figures.faster + figures.unchanged + figures.disconnecting == figures.failures
    assert figures.rows[0] == figures.worst
    connected = [row.throughput_gbs for row in figures.rows if not row.disconnected_flows]
    assert connected == sorted(connected)
    if connected:
        assert figures.best.throughput_gbs == connected[-1]
        assert figures.quantiles["50"] == pytest.approx(np.median(connected))
        assert connected[0] <= figures.quantiles["5"] <= figures.quantiles["95"] <= connected[-1]
    else:
        assert figures.quantiles == {"5": None, "50": None, "95": None}


def test_a_sample_is_drawn_without_replacement():
    network = TORUS.machine()
    some, every = components(network, "cables", 10, seed=3), components(network, "cables")
    assert len(set(some)) == 10
    assert set(some) < set(every)
    assert some == components(network, "cables", 10, seed=3) != components(network, "cables", 10, seed=4)
    assert components(network, "cables", 1000) == every


def test_it_reports_progress_and_can_be_cancelled():
    report, seen = evaluate(TORUS.build()), []
    resilience(report, "nodes", components(report.case.network, "nodes"), seen.append)
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] < 1

    def cancel(done):
        raise Cancelled

    with pytest.raises(Cancelled):
        resilience(report, "nodes", components(report.case.network, "nodes"), cancel)


def test_the_curve_is_the_mean_over_draws_of_failures_evaluated_together():
    report, draws, most = evaluate(TORUS.build()), 3, 4
    curve = curve_of(report, "cables", CurveLength(most), draws, 5, evaluator(report))
    faults, rng = components(report.case.network, "cables"), np.random.default_rng(5)
    orders = [rng.permutation(len(faults))[:most] for _ in range(draws)]
    assert [point.failures for point in curve] == list(range(most + 1))
    for count, point in enumerate(curve):
        fresh = [
            evaluate(replace(TORUS, faults=tuple(faults[number] for number in order[:count])).build())
            for order in orders
        ]
        values = [after.throughput_gbs or 0.0 for after in fresh]
        assert point.mean_gbs == pytest.approx(np.mean(values))
        assert (point.low_gbs, point.high_gbs) == pytest.approx(tuple(np.percentile(values, (5, 95))))
        assert point.disconnecting == np.mean([after.disconnected.count > 0 for after in fresh])
        assert point.percent == pytest.approx(100 * count / len(faults))
        assert point.mean_relative == pytest.approx(point.mean_gbs / report.throughput_gbs)
        assert point.low_relative == pytest.approx(point.low_gbs / report.throughput_gbs)
        assert point.high_relative == pytest.approx(point.high_gbs / report.throughput_gbs)
    named = named_curve("torus", report, "cables", curve)
    assert (named.components, named.base_gbs, named.points) == (len(faults), report.throughput_gbs, curve)


def test_a_curve_up_to_a_percentage_has_equal_steps():
    assert CurveLength(3).counts(100) == [0, 1, 2, 3]
    assert CurveLength(10, percent=True).counts(1000) == list(range(0, 101, 5))
    assert CurveLength(50, percent=True).counts(10) == [0, 1, 2, 3, 4, 5]
    assert len(CurveLength(50, percent=True).steps(10)) == 21
    report = evaluate(TORUS.build())
    by_count, by_percentage = (
        curve_of(report, "cables", length, 3, 5, evaluator(report))
        for length in (CurveLength(16), CurveLength(50, True))
    )
    at = {point.failures: point for point in by_count}
    assert all(point == at[point.failures] for point in by_percentage)
    assert by_percentage[-1].failures == 16
    with pytest.raises(SpecError, match=r"--curve: this network has 32 cables; give at most this number"):
        curve_of(report, "cables", CurveLength(33), 1, 0, evaluator(report))
    nothing = curve_of(report, "cables", CurveLength(0.1, True), 3, 5, evaluator(report))
    assert [(point.failures, point.mean_gbs) for point in nothing] == [(0, report.throughput_gbs)]


def test_all_pairs_of_the_worst_failures_equal_brute_force():
    report = evaluate(TORUS.build())
    network, faults = report.case.network, components(report.case.network, "cables")
    rows = evaluator(report)([(fault,) for fault in faults])
    worst = worst_of(faults, rows, 5)
    assert [fault.what(network) for fault in worst] == [row.failure for row in figures_of(TORUS, "cables").rows[:5]]
    pairs = pairs_of(report, "cables", worst, 2, 0, evaluator(report))
    fresh = {
        named(pair, network): evaluate(replace(TORUS, faults=pair).build()).throughput_gbs
        for pair in combinations(worst, 2)
    }
    assert {row.failure: row.throughput_gbs for row in pairs.rows} == pytest.approx(fresh)
    assert pairs.worst.throughput_gbs == pytest.approx(min(fresh.values()))
    assert (pairs.total, pairs.pairs) == (32 * 31 // 2, 10)


def test_random_pairs_estimate_all_pairs():
    report = evaluate(TORUS.build())
    faults = components(report.case.network, "cables")
    every = pairs_of(report, "cables", faults, 2, 0, evaluator(report))
    assert every.sample is UNSET
    assert every.pairs == every.total
    base = report.throughput_gbs * (1 - 1e-9)
    truth = {
        "mean_gbs": np.mean([row.throughput_gbs for row in every.rows]),
        "slower": np.mean([row.throughput_gbs < base and not row.disconnected_flows for row in every.rows]),
        "disconnecting": np.mean([row.disconnected_flows > 0 for row in every.rows]),
    }
    covered = dict.fromkeys(truth, 0)
    for seed in range(40):
        sample = pairs_of(report, "cables", faults[:2], 50, seed, evaluator(report)).sample
        assert sample.pairs == 50
        for name, value in truth.items():
            estimate = getattr(sample, name)
            assert 0 <= estimate.low <= estimate.value <= estimate.high
            covered[name] += estimate.low <= value <= estimate.high
    # 95 % of 40 are 38; for shares near 1, coverage is about 90 %.
    assert min(covered.values()) >= 30


def test_a_single_component_has_no_pairs():
    report = evaluate(PERCS.build())
    bundle = components(report.case.network, "bundles")[:1]
    assert pairs_of(report, "bundles", bundle, 2, 0, evaluator(report)) is UNSET
