"""Failures after which a routing engine computes new tables: as by files of these tables."""

from dataclasses import replace

import numpy as np
import pytest

from core.files.export import export_rerouted
from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.rerouting import ReroutedFailures, evaluate_rerouted
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Edges, NodeFault, Torus
from core.network.faults import cables_of
from core.routing import Minimal, Tables
from core.routing.tables.engines import ENGINES
from core.spec import SpecError

FABRIC = Scenario(
    Edges(file="fabriscope:fat-tree-64/ibnetdiscover.txt"), AllToAll(tasks=64), Random(seed=1),
    Tables(file="fabriscope:fat-tree-64/opensm-lfts.dump"),
)  # fmt: skip


def by_file(scenario, engine, folder):
    """The report under tables that are exported and read again."""
    (folder / "lfts").write_text(export_rerouted(scenario.build(), "opensm-lfts", engine).content)
    return evaluate(replace(scenario, routing=Tables(file="lfts"), folder=folder).build())


@pytest.mark.parametrize("engine", [engine.name for engine in ENGINES])
def test_tables_after_failures_are_those_of_exports(engine, tmp_path):
    report = evaluate_rerouted(FABRIC.build(), engine)
    np.testing.assert_allclose(report.load, by_file(FABRIC, engine, tmp_path).load)
    failures = ReroutedFailures(report, engine)
    cables = cables_of(FABRIC.machine())
    chosen = [cables[k] for k in np.random.default_rng(1).choice(len(cables), 4, replace=False)]
    for fault in (*chosen, NodeFault("s2_0003")):
        after = failures.with_failure(fault)
        expected = by_file(replace(FABRIC, faults=(fault,)), engine, tmp_path)
        np.testing.assert_allclose(after.load, expected.load)
        assert after.disconnected.volume == pytest.approx(expected.disconnected.volume)


def test_engines_route_around_the_failure_of_a_cable_between_switches():
    report = evaluate_rerouted(FABRIC.build(), "minhop")
    network = report.case.network
    inner = (network.src >= network.nodes) & (network.dst >= network.nodes)
    between = [cable for cable in cables_of(network) if inner[cable.link(network)]]
    assert between
    failures = ReroutedFailures(report, "minhop")
    assert not any(failures.with_failure(cable).disconnected for cable in between[:8])


def test_engines_need_a_fabric():
    torus = Scenario(Torus((4, 4)), AllToAll(tasks=16), Random(seed=1), Minimal())
    with pytest.raises(SpecError, match="LIDs"):
        evaluate_rerouted(torus.build(), "minhop")
