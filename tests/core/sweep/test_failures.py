"""Failures evaluated as a study."""

from dataclasses import replace

import msgspec
import pytest

from core.figures.resilience import components, evaluator
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree, LinkFault, NodeFault, Percs, Torus
from core.routing import Minimal, PercsDirect
from core.spec import SpecError, to_plain
from core.sweep.failures import failure_study, rows_in
from core.sweep.points import Builder, point_row
from core.sweep.results import read_results
from core.sweep.run import run_study
from core.sweep.study import decode_study

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))
PERCS = Scenario(Percs(supernodes=4, drawers=2, nodes_per_drawer=8), Halo(8, 8), Random(seed=1), PercsDirect())
TREE = Scenario(FatTree(2, 2), AllToAll(tasks=4), Random(seed=1), Minimal())


@pytest.mark.parametrize(
    ("scenario", "what"),
    [
        (TORUS, "cables"), (TORUS, "nodes"), (PERCS, "bundles"), (TREE, "switches"),
        (replace(TORUS, faults=(LinkFault(0, 1, speed=0.5), NodeFault(5))), "cables"),
    ],
)  # fmt: skip
def test_the_table_of_the_study_equals_the_figures_computed_directly(scenario, what, tmp_path):
    report, table = evaluate(scenario.build()), tmp_path / "failures.csv"
    failures = [(fault,) for fault in components(report.case.network, what)][:12]
    failures += [(failures[0][0], failures[1][0])]
    summary = run_study(failure_study(report, failures), table, workers=0)
    assert (summary.done, summary.failed) == (len(failures), 0)
    for row, direct in zip(rows_in(table, report, failures), evaluator(report)(failures), strict=True):
        for name in direct.__struct_fields__:
            value = getattr(direct, name)
            assert getattr(row, name) == (pytest.approx(value) if isinstance(value, float) else value)


def test_a_study_of_faults_equals_fresh_evaluations(tmp_path):
    report = evaluate(TORUS.build())
    failures = [(fault,) for fault in components(report.case.network, "cables")]
    study = failure_study(report, failures)
    run_study(study, tmp_path / "failures.csv", workers=0)
    for number, row in enumerate(rows_in(tmp_path / "failures.csv", report, failures)):
        fresh = evaluate(study.scenario(study.points[number]).build())
        assert (row.throughput_gbs, row.bottleneck) == (pytest.approx(fresh.throughput_gbs), fresh.bottleneck)


def test_an_invalid_fault_is_one_error(tmp_path):
    report, table = evaluate(TORUS.build()), tmp_path / "failures.csv"
    missing = [(LinkFault(0, 5),)]
    run_study(failure_study(report, missing), table, workers=0)
    with pytest.raises(SpecError, match=r"--what: faults\[0\]\.dst: is 5; links from 0 lead to 1, 3, 4, 12"):
        rows_in(table, report, missing)


def test_invalid_faults_of_a_study_are_worded_as_in_scenarios():
    report = evaluate(TORUS.build())
    file = msgspec.json.decode(failure_study(report, [(NodeFault(1),)]).content)
    file["vary"]["faults"] = [[{"type": "cable", "src": 0, "dst": 1}]]
    with pytest.raises(SpecError, match=r"faults\[0\]"):
        decode_study(msgspec.json.encode(file)).scenario(([{"type": "cable"}],))


def test_brute_force_by_a_study_agrees_with_the_figures_of_a_study(tmp_path):
    scenario = {
        "network": {"type": "torus", "dims": [4, 4, 4]}, "job": {"type": "halo", "rows": 8, "cols": 8},
        "mapping": {"type": "random", "seed": 1}, "routing": {"type": "minimal", "spread": "equal"},
    }  # fmt: skip
    network = Torus((4, 4, 4)).build()
    cables = [[to_plain(fault)] for fault in components(network, "cables")]
    brute = {"fabriscope_study": 1, "base": scenario, "measure": ["throughput_gbs"], "vary": {"faults": [[], *cables]}}
    run_study(decode_study(msgspec.json.encode(brute)), tmp_path / "brute.csv", workers=0)
    base, *after = [row["throughput_gbs"] for row in read_results(tmp_path / "brute.csv").rows]
    names = ("slower", "faster", "worst.throughput_gbs", "best.throughput_gbs", "base_gbs")
    measure = [f"resilience.{name}" for name in names]
    row = point_row(decode_study(msgspec.json.encode({**brute, "measure": measure, "vary": {}})), 0, Builder())
    slower, faster = (
        sum(value < base * (1 - 1e-9) for value in after),
        sum(value > base * (1 + 1e-9) for value in after),
    )
    assert (row["resilience.slower"], row["resilience.faster"]) == (slower, faster) == (155, 37)
    assert row["resilience.worst.throughput_gbs"] == pytest.approx(min(after))
    assert row["resilience.best.throughput_gbs"] == pytest.approx(max(after))
    assert row["resilience.base_gbs"] == pytest.approx(base)
    assert [round(value, 4) for value in (base, min(after), max(after))] == [0.4615, 0.3865, 0.5337]


@pytest.mark.parametrize(("failures", "count"), [(3, 3), ([{"type": "link", "src": 0, "dst": 1}], 1)])
def test_a_study_searches_under_the_worst_failure(failures, count):
    base = {
        "network": {"type": "torus", "dims": [4, 4]}, "job": {"type": "halo", "rows": 4, "cols": 4},
        "mapping": {"type": "random", "seed": 1}, "routing": {"type": "minimal"},
    }  # fmt: skip
    measure = ["optimise.start", "optimise.found", "optimise.bound", "optimise.objective", "optimise.time"]
    file = {"fabriscope_study": 1, "base": base, "measure": measure, "optimise": {"steps": 200, "failures": failures}}
    study = decode_study(msgspec.json.encode(file))
    request = study.file.optimise.request
    assert (len(request.failures) or request.objective.cables) == count
    row = point_row(study, 0, Builder())
    assert row["optimise.objective"] == "robust"
    assert row["optimise.bound"] <= row["optimise.found"] <= row["optimise.start"]
    assert row["optimise.time"] <= row["optimise.found"] * (1 + 1e-9)


def test_failures_of_a_search_in_a_study_are_refused_in_one_line():
    file = {"fabriscope_study": 1, "base": {}, "measure": ["throughput_gbs"], "optimise": {"steps": 9, "failures": 0}}
    with pytest.raises(SpecError, match=r"optimise\.failures"):
        decode_study(msgspec.json.encode(file))
