"""Measured and predicted loads: made-up counters of a prediction, with one slow link and one stranger planted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.counters.measured import Measured
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.measured import compare_measured, unknown_background
from core.load.scenario import Scenario
from core.load.throttling import throttled_loads
from core.mapping import Random, Sequential
from core.network import Dragonfly, Edges, Torus
from core.network.faults import LinkFault
from core.routing import DimensionOrder, Minimal, Tables
from tests.core.routing.tables.test_scheme import TREE

SCALE = 2.5
CASES = {
    "torus": (Torus(dims=(4, 4)), Halo(rows=4, cols=4), Random(seed=3), DimensionOrder()),
    "dragonfly": (
        Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2),
        AllToAll(tasks=72),
        Sequential(),
        Minimal(spread="equal"),
    ),
    "tables": (
        Edges(file=str(TREE / "ibnetdiscover.txt")),
        AllToAll(tasks=16),
        Sequential(),
        Tables(file=str(TREE / "uneven.fts")),
    ),
}


def compared(folder, case, gb, wait):
    """The comparison of a case with made-up counters of its links, in GB and ticks."""
    report = evaluate(Scenario(*CASES[case], folder=folder).build())
    network = report.case.network
    gb, wait = gb(report), wait(report)
    rows = [
        f'"{src}","{dst}",{value * 1e9:.0f},{ticks}'
        for (src, dst), value, ticks in zip(map(network.link_ends, range(network.links)), gb, wait, strict=True)
    ]
    (folder / "c.csv").write_text("src,dst,bytes,wait\n" + "\n".join(rows))
    scenario = Scenario(*CASES[case], folder=folder, measured=Measured(after="c.csv", seconds=1.0))
    return compare_measured(evaluate(scenario.build()))


def as_predicted(report):
    return SCALE * report.total_load


def no_wait(report):
    return np.ones(report.load.size, int)


@pytest.mark.parametrize("case", CASES)
def test_counters_of_a_prediction_agree(tmp_path, case):
    result = compared(tmp_path, case, as_predicted, no_wait)
    assert result.scale == pytest.approx(SCALE)
    assert result.correlation() in (pytest.approx(1), None)
    np.testing.assert_allclose(result.residual, 0, atol=1e-6)
    assert result.hot.size == result.slow.size == 0


@settings(max_examples=20)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_a_slow_link_and_a_stranger_are_listed_and_nothing_else(empty_folder, case, data):
    report = evaluate(Scenario(*CASES[case]).build())
    used = np.flatnonzero(report.total_load > 0.3 * report.total_load.max())
    slow, stranger = data.draw(st.lists(st.sampled_from(used.tolist()), min_size=2, max_size=2, unique=True))

    def changed(report):
        gb = as_predicted(report)
        gb[slow] *= 0.5
        gb[stranger] += 0.4 * gb.max()
        return gb

    def waits(report):
        ticks = no_wait(report)
        ticks[slow] = 10**9
        return ticks

    result = compared(empty_folder(), case, changed, waits)
    background = unknown_background(result)
    (entry,) = background
    assert entry.link(report.case.network) == stranger
    assert entry.load * SCALE == pytest.approx(0.4 * as_predicted(report).max())
    explained = replace(result.report.case.scenario, background=background)
    again = compare_measured(evaluate(explained.build()))
    assert again.hot.size == 0
    assert unknown_background(again) == background
    assert result.hot.tolist() == [stranger]
    assert result.slow.tolist() == [slow]
    assert result.scale == pytest.approx(SCALE)


@pytest.mark.parametrize("case", CASES)
def test_a_given_scale_is_not_fitted(tmp_path, case):
    fit = compared(tmp_path, case, as_predicted, no_wait)
    given = Measured(after="c.csv", seconds=1.0, scale=SCALE / 2)
    result = compare_measured(evaluate(replace(fit.report.case.scenario, measured=given).build()))
    assert result.scale == SCALE / 2
    assert result.correlation() == fit.correlation()
    used = np.flatnonzero(result.report.total_load > 0.1 * result.report.total_load.max())
    np.testing.assert_allclose(result.residual[used], SCALE / 2 * result.report.total_load[used])
    assert set(used.tolist()) <= set(result.hot.tolist())


def test_a_given_scale_is_that_of_every_interval(tmp_path):
    write = lambda name, gb: (tmp_path / name).write_text(f"src,dst,bytes\n0,1,{gb}e9\n")  # noqa: E731
    for name, gb in (("a.csv", 0), ("b.csv", 1), ("c.csv", 5)):
        write(name, gb)
    measured = Measured(before="a.csv", between=("b.csv",), after="c.csv", seconds=2.0, scale=3.0)
    result = compare_measured(evaluate(Scenario(*CASES["torus"], folder=tmp_path, measured=measured).build()))
    assert [part.scale for part in (result, *result.intervals)] == [3.0] * 3


def test_least_squares_through_zero_without_differences(tmp_path):
    rng = np.random.default_rng(0)
    noise = lambda report: as_predicted(report) * rng.normal(1, 0.01, report.load.size)  # noqa: E731
    result = compared(tmp_path, "dragonfly", noise, no_wait)
    fits = np.abs(result.residual) <= result.tolerance.of(result.predicted)
    load, measured = result.report.total_load[fits], result.measured[fits]
    assert result.scale == pytest.approx(np.linalg.lstsq(load[:, None], measured, rcond=None)[0][0])
    assert result.correlation() > 0.99


def by_flow(case, slow, speed, pace):
    """The loads of a case flow by flow, each with the lowest fraction that a slow link on its path carries."""
    node, network, total = case.mapping.nodes, case.network, evaluate(case).total_load
    part = {k: min(1.0, speed * network.gbs[k] / (pace * total[k])) for k in slow}
    load = np.zeros(network.links)
    for phase in case.job.phases:
        for _, block in phase.blocks():
            for src, dst, volume in zip(node[block.src], node[block.dst], block.volume, strict=True):
                route = case.router.route(int(src), int(dst))
                keeps = min((part[k] for k in route.links.tolist() if k in part), default=1.0)
                np.add.at(load, route.links, keeps * volume * route.shares)
    return load


@settings(max_examples=6)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_flows_over_slow_links_send_what_these_carry(empty_folder, case, data):
    healthy = Scenario(*CASES[case]).build()
    report = evaluate(healthy)
    used = np.flatnonzero(report.total_load > 0).tolist()
    chosen = data.draw(st.lists(st.sampled_from(used), min_size=1, max_size=2, unique=True))
    pace = 0.9 * float((healthy.network.gbs / np.maximum(report.total_load, 1e-9)).min())
    faults = tuple(LinkFault.of(healthy.network, link, 0.1) for link in chosen)
    declared = evaluate(replace(healthy.scenario, faults=faults).build())
    slow = np.flatnonzero(declared.case.faults.slowed & (report.total_load > 0)).tolist()
    expected = by_flow(healthy, slow, 0.1, pace)
    np.testing.assert_allclose(throttled_loads(declared, pace), expected, atol=1e-9)
    assert (pace * expected <= declared.case.gbs * (1 + 1e-9))[slow].all()
    np.testing.assert_array_equal(throttled_loads(report, pace), report.total_load)
    # Counters of these loads agree once the slow links are declared.
    gb = lambda report: pace * expected  # noqa: E731
    folder = empty_folder()
    before = compared(folder, case, gb, no_wait)
    counted = replace(before.report.case.scenario, faults=faults)
    after = compare_measured(evaluate(counted.build()))
    assert after.hot.size == after.slow.size == 0
    np.testing.assert_allclose(after.residual, 0, atol=1e-6 * after.measured.max())
    assert after.correlation() in (pytest.approx(1), None)
