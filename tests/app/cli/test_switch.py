"""A failed switch in a scenario file on the command line."""

import json
from dataclasses import replace

import numpy as np

from app.cli.main import main
from core.files import write_scenario
from core.job import Permutation
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree, NodeFault
from core.routing import Minimal
from tests.core.load.test_failed_switch import TREE, scenario_of, switch_of


def ends_of(case):
    (phase,) = case.job.phases
    blocks = [block for _, block in phase.blocks()]
    return (np.concatenate([getattr(block, end) for block in blocks]) for end in ("src", "dst"))


def test_a_failed_switch_is_reported_with_disconnected_flows(tmp_path, capsys):
    path, spec = tmp_path / "tree.fabriscope.json", FatTree(arity=4, levels=3)
    sound = Scenario(spec, Permutation(tasks=64, seed=2), Random(1), Minimal(spread="equal"))
    results = []
    for faults in ((), (NodeFault(switch_of(spec, "L3 switch 3")),), (NodeFault(switch_of(spec, "L1 switch 0")),)):
        write_scenario(path, replace(sound, faults=faults))
        assert main(["evaluate", str(path), "--json"]) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert results[1]["throughput_gbs"] < results[0]["throughput_gbs"]
    assert "cut_flows" not in results[1]
    # All flows of the four nodes below it are disconnected.
    case = sound.build()
    src, dst = (case.mapping.nodes[end] for end in ends_of(case))
    assert results[2]["cut_flows"] == np.count_nonzero(((src < 4) | (dst < 4)) & (src != dst)) > 0
    assert main(["evaluate", str(path)]) == 0
    assert "note: 16 links failed, 1 switch failed" in capsys.readouterr().out


def test_a_missing_switch_is_refused(tmp_path, capsys):
    path = tmp_path / "tree.fabriscope.json"
    write_scenario(path, replace(scenario_of(TREE), faults=(NodeFault(54),)))
    assert main(["evaluate", str(path)]) == 2
    assert "faults[0].node: is 54; the network has 54 vertices, 0 to 53" in capsys.readouterr().err
