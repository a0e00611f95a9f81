"""Texts that compare A and B: their figures equal plain arithmetic on the loads of both."""

from dataclasses import replace

import numpy as np
import pytest

from app.model.comparison_text import (
    Compared,
    changed_text,
    compared,
    link_figures,
    link_lines,
    range_text,
    throughputs,
)
from app.model.state_groups import ComparisonMode
from app.style.colour import ColourScale
from core.job import Halo
from core.load.compare import Difference
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.text import duration
from tests.app.sessions import evaluated, state_of, with_fields

TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())
MIXED = replace(TORUS, mapping=Random(seed=3))
SILENT = replace(TORUS, job=Halo(rows=1, cols=1, periodic=False))


def comparing(a, b, **values):
    """A state in which B is compared with A."""
    values |= {"reference": evaluated(a), "mode": ComparisonMode.DIFFERENCE}
    return with_fields(state_of(b), **values)


def number(text):
    return float(text.replace("\N{MINUS SIGN}", "-").replace("+", "").replace(",", ""))


def test_link_has_loads_percentages_and_differences():
    a, b = evaluated(TORUS).report, evaluated(MIXED).report
    slowest = max(a.time, b.time)
    rows = [link_figures(a, b, Difference(a, b), link) for link in range(a.load.size)]
    figures_of_links = np.array([[number(text) for text in figures] for figures in rows])
    shares = [100 * report.load / report.case.network.gbs / slowest for report in (a, b)]
    expected = [a.load, b.load, b.load - a.load, *shares, shares[1] - shares[0]]
    np.testing.assert_allclose(figures_of_links, np.transpose(expected), rtol=1e-3, atol=0.05)
    np.testing.assert_array_equal(np.sign(figures_of_links[:, 2]), np.sign(np.round(b.load - a.load, 9)))
    assert {figures[2] for figures in rows if figures[0] == figures[1]} == {"0"}


@pytest.mark.parametrize("frozen", [None, 20.0])
def test_hottest_link_in_a_and_in_b_and_the_largest_change_are_compared(frozen):
    state = comparing(TORUS, MIXED, scale=ColourScale(frozen_time=frozen))
    a, b = (evaluation.report for evaluation in state.compared_pair)
    top = frozen or max(a.time, b.time)
    rng = np.random.default_rng(1)
    for _ in range(20):
        links = rng.choice(a.load.size, 3, replace=False)
        shares = [report.load[links] / report.case.network.gbs[links] / top for report in (a, b)]
        change = shares[1] - shares[0]
        changes = compared(state, links)
        assert (changes.a, changes.b) == pytest.approx([share.max() for share in shares])
        assert changes.change == pytest.approx(change[np.abs(change).argmax()])


def test_without_links_nothing_is_compared():
    links = np.array([0])
    assert compared(state_of(TORUS), links) is None
    assert compared(comparing(TORUS, MIXED), links[:0]) is None
    assert compared(comparing(SILENT, SILENT), links) is None
    assert compared(comparing(replace(TORUS, network=Torus(dims=(8, 2))), TORUS), links) is None
    assert link_lines(state_of(TORUS), 0) == ()


def test_largest_change_is_marked_if_it_is_of_another_link():
    assert Compared(0.8, 0.4, -0.4).text == "A 80 % → B 40 %, \N{MINUS SIGN}40 %"
    assert Compared(0.8, 0.4, 0.5).text == "A 80 % → B 40 %, largest change +50 %"
    assert Compared(0.5, 0.5, 0.0).text == "A 50 % → B 50 %, no change"


def test_link_has_lines_for_a_for_b_and_for_the_difference():
    state = comparing(MIXED, TORUS)
    mixed, even = (evaluation.report.load for evaluation in state.compared_pair)
    link, top = int(mixed.argmin()), mixed.max()
    assert mixed[link] < even[link] == even.max() < top
    assert link_lines(state, link) == (
        f"A: {mixed[link]:g} units, {round(100 * mixed[link] / top)} %",
        f"B: {even[link]:g} units, {round(100 * even[link] / top)} %: bottleneck",
        f"B \N{MINUS SIGN} A: +{even[link] - mixed[link]:g} units, +{round(100 * (even[link] - mixed[link]) / top)} %",
    )


def test_loads_in_bytes_have_suitable_units():
    few, more = (replace(TORUS, job=Halo(rows=4, cols=4, message_bytes=each)) for each in (8, 24))
    assert [line.partition(",")[0] for line in link_lines(comparing(few, more), 0)] == [
        "A: 8 bytes", "B: 24 bytes", "B \N{MINUS SIGN} A: +16 bytes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([-0.2, 0.1, 0.4], "B \N{MINUS SIGN} A: \N{MINUS SIGN}20 % to +40 %"),
        ([0.1, 0.4], "B \N{MINUS SIGN} A: 0 to +40 %"),
        ([-0.3, -0.1], "B \N{MINUS SIGN} A: \N{MINUS SIGN}30 % to 0"),
        ([0.0, 0.0], "no change"),
        ([], "no change"),
    ],
)
def test_range_of_changes_includes_zero(changes, text):
    assert range_text(np.array(changes)) == text


def test_number_of_changed_and_listed_links_is_shown():
    assert changed_text(3, 3) == "3 links changed · % of the hottest link of A and B"
    assert changed_text(3_000, 2, "100 ms") == "3,000 links changed, 2 largest listed · % of 100 ms"


def test_throughputs_have_a_change_and_its_quality():
    a, b = evaluated(TORUS), evaluated(MIXED)
    ratio = b.report.throughput_gbs / a.report.throughput_gbs
    assert ratio < 1
    worse = f"\N{MINUS SIGN}{100 * (1 - ratio):.1f}".removesuffix(".0")
    assert throughputs(a, b) == (f"1.7 → {1.7 * ratio:.4g} GB/s per node, {worse} %", "bad")
    assert throughputs(b, a)[1] == "good"
    assert throughputs(a, a) == ("1.7 GB/s per node in both", "")
    faster = evaluated(replace(TORUS, network=Torus(dims=(4, 4), gbs=0.425 * 12)))
    assert throughputs(a, faster) == ("1.7 → 20.4 GB/s per node, 12.0×", "good")
    nearly = evaluated(replace(TORUS, network=Torus(dims=(4, 4), gbs=0.425 * 9.9)))
    assert throughputs(a, nearly)[0].endswith(", +890 %")
    assert throughputs(evaluated(SILENT), a) == ("no load → 1.7 GB/s per node", "")


def test_throughputs_of_traced_flows_have_times():
    a, b = (evaluated(replace(scenario, job=Halo(rows=4, cols=4, message_bytes=1e9))) for scenario in (TORUS, MIXED))
    assert throughputs(a, b)[0].startswith("1.7 → ")
    assert f" GB/s per node, {duration(a.report.time)} → {duration(b.report.time)}, " in throughputs(a, b)[0]
    assert throughputs(a, a)[0] == f"1.7 GB/s per node, {duration(a.report.time)} in both"
