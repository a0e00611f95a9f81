"""Failures in a report: the figures of resilience, a picture of the curve, and the options that reproduce them."""

import pytest

from app.model.what_if import FailureChoice, evaluate_failures, evaluate_reference
from app.report.document import PicturePlace
from app.report.drawings import charts_of, drawing_of
from app.report.evaluation_report import Subject
from app.report.failures import DISCONNECTED, FailureFindings, sample_of
from app.report.reproduction import Reproduction, failure_options
from app.wording.numbers import MINUS, gbs
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree, Torus
from core.routing import Minimal
from core.spec import no_progress

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))
TREE = Scenario(FatTree(2, 2), AllToAll(tasks=4), Random(seed=1), Minimal())


def failures_of(scenario, what, sample=None):
    return evaluate_failures(evaluate(scenario.build()), FailureChoice(what, sample), no_progress)


def page_with(report_of, scenario, failures):
    reproduction = Reproduction("fabriscope report test", scenario)
    return report_of(scenario, Subject("Test", reproduction, failures=failures))[0]


def drawn_text(*curves):
    """The text in the picture of curves of different machines."""
    place = PicturePlace("failures", "Failures", (600, 300))
    findings = FailureFindings(failures_of(TREE, "switches").figures, curves, relative=True)
    return drawing_of(place, charts_of(None, findings)["failures"]).light


def test_the_section_has_the_figures_and_the_ten_worst_failures(report_of):
    failures = failures_of(TORUS, "cables")
    figures = failures.figures
    page = page_with(report_of, TORUS, FailureFindings(figures, (failures.curve,)))
    assert f"Of 32 cables, {figures.slower} slow the job" in page.text
    rows = page.table("Failure", "Throughput GB/s per node")
    assert len(rows) == 10
    for cells, row in zip(rows, figures.rows, strict=False):
        assert cells[:2] == [row.failure, gbs(row.throughput_gbs)]
        change = 100 * (row.throughput_gbs / figures.base_gbs - 1)
        assert float(cells[2].removesuffix(" %").replace(MINUS, "-")) == pytest.approx(change, abs=0.06)
    points = page.table("Failed cables", "Of all %")
    assert [cells[0] for cells in points] == [str(point.failures) for point in failures.curve.points]
    assert [cells[2] for cells in points] == [gbs(point.mean_gbs) for point in failures.curve.points]
    assert "picture-failures" in page.ids
    assert page.outside == []


def test_disconnected_flows_have_a_column(report_of):
    failures = failures_of(TREE, "switches")
    page = page_with(report_of, TREE, FailureFindings(failures.figures))
    rows = page.table("Failure", "Throughput GB/s per node")
    assert [int(cells[-1]) for cells in rows] == [row.disconnected_flows for row in failures.figures.rows[:10]]
    assert DISCONNECTED in page.text
    assert "picture-failures" not in page.ids


def test_curves_of_a_and_b_have_a_table_each(report_of):
    failures = failures_of(TORUS, "cables")
    other = evaluate_reference(evaluate(TREE.build()), "cables", no_progress)
    page = page_with(report_of, TORUS, FailureFindings(failures.figures, (other.curve, failures.curve), relative=True))
    for name in "AB":
        assert f"Throughput after random failures of {name}." in page.text
    assert "Relative throughput, %" in drawn_text(failures.curve, other.curve)


def test_a_report_without_failures_has_no_such_section(report_of):
    assert "failures" not in report_of(TORUS)[0].ids


def test_options_reproduce_the_section():
    every, some = failures_of(TORUS, "nodes"), failures_of(TORUS, "cables", 5)
    assert sample_of(FailureFindings(every.figures, (every.curve,))) is None
    assert sample_of(FailureFindings(some.figures, (every.curve, some.curve))) == 5
    assert failure_options("nodes", None) == ["--failures", "nodes"]
    assert failure_options("cables", 5) == ["--failures", "cables", "--sample", "5"]
    assert failure_options(None, None) == []
