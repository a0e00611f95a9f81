"""Faults in scenario files: round trips, and refusals that name the fault and the valid values."""

import json

import pytest

from core.files import decode, encode, read_scenario, write_scenario
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import BundleFault, LinkFault, NodeFault, Percs
from core.routing import PercsDirect
from core.spec import SpecError

PLAIN = Scenario(Percs(4, 2), Halo(16, 32), Sequential(), PercsDirect())
FAULTS = (LinkFault(0, 1), LinkFault(3, 2, 0, 0.25), NodeFault(7), NodeFault(8, 0.5), BundleFault(0, 3))


def with_faults(faults) -> bytes:
    return json.dumps({**json.loads(encode(PLAIN)), "faults": faults}).encode()


def test_faults_read_back_the_same(tmp_path):
    path = tmp_path / "broken.fabriscope.json"
    scenario = Scenario(Percs(4, 2), Halo(16, 32), Sequential(), PercsDirect(), "note", tmp_path, FAULTS)
    write_scenario(path, scenario)
    assert read_scenario(path) == scenario
    written = json.loads(path.read_bytes())["faults"]
    assert written[1] == {"type": "link", "src": 3, "dst": 2, "parallel": 0, "speed": 0.25}
    assert [fault["type"] for fault in written] == ["link", "link", "node", "node", "bundle"]


def test_a_scenario_without_faults_has_no_faults_in_its_file():
    assert "faults" not in json.loads(encode(PLAIN))
    assert decode(with_faults([])) == PLAIN


def test_defaults_of_faults_are_complete_failures():
    assert decode(with_faults([{"type": "node", "node": 3}])).faults == (NodeFault(3, 0.0),)


REFUSALS = (
    (
        [{"type": "node", "node": 0}, {"type": "link", "src": 0, "dst": 33}],
        "faults[1].dst",
        "links from 0 lead to 1, 2, 3",
    ),
    ([{"type": "link", "src": 0, "dst": 500}], "faults[0].dst", "0 to 127"),
    ([{"type": "link", "src": 0, "dst": 1, "parallel": 2}], "faults[0].parallel", "0 to 0"),
    ([{"type": "node", "node": 0}] * 2 + [{"type": "node", "node": 128}], "faults[2].node", "0 to 127"),
    ([{"type": "bundle", "a": 0, "b": 4}], "faults[0].b", "0 to 3"),
    ([{"type": "node", "node": -1}], "faults[0].node", ">= 0"),
    ([{"type": "node", "node": "x"}], "faults[0].node", "no node or switch has the name 'x'"),
    ([{"type": "node", "node": 0}, {"type": "node", "node": 1, "speed": 1}], "faults[1].speed", "bandwidth"),
    ([{"type": "node", "node": 0, "speed": -0.5}], "faults[0].speed", "bandwidth"),
    ([{"type": "node", "node": 0, "speed": 1e-9}], "faults[0].speed", "give 0 for failed"),
    ([{"type": "node"}], "faults[0].node", "is missing"),
    ([{"type": "wire", "src": 0}], "faults[0].type", "types: link, node, bundle"),
    ([{"type": "node", "node": 0, "colour": 1}], "faults[0].colour", "fields: type, node, speed"),
    ([5], "faults[0]", "object"),
    ({"type": "node"}, "faults", "array"),
)


@pytest.mark.parametrize(("faults", "field", "message"), REFUSALS)
def test_bad_faults_are_refused_in_one_line(faults, field, message):
    with pytest.raises(SpecError) as refused:
        decode(with_faults(faults)).build()
    assert refused.value.field == field
    assert message in refused.value.message
    assert "\n" not in str(refused.value)
