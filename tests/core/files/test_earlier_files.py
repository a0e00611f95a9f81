"""Scenario files of earlier versions keep their loads."""

import json

import numpy as np
import pytest

from core.files.scenario_file import decode, encode
from core.load.evaluate import evaluate
from core.network import Dragonfly, FatTree
from core.spec import SpecError

DRAGONFLY = {
    "type": "dragonfly", "routers": 4, "global_links": 2, "groups": 5, "nodes_per_router": 2, "arrangement": "relative",
    "links_per_pair": 0, "local_gbs": 12.5, "global_gbs": 12.5, "host_gbs": 12.5, "slots_per_node": 1, "nics": 2,
}  # fmt: skip
TREE = {"type": "fat-tree", "arity": 2, "levels": 2, "nics": 2}


def content(network, **more):
    scenario = {
        "fabriscope": 1, "network": network, "job": {"type": "all-to-all", "tasks": 4},
        "mapping": {"type": "sequential"}, "routing": {"type": "minimal", "spread": "equal"}, **more,
    }  # fmt: skip
    return json.dumps(scenario).encode()


@pytest.mark.parametrize(
    ("earlier", "spec"),
    [(DRAGONFLY, Dragonfly(4, 2, 5, 2, links_per_node=2)), (TREE, FatTree(2, 2, links_per_node=2))],
)
def test_parallel_links_of_nodes_keep_their_loads(earlier, spec):
    scenario = decode(content(earlier))
    assert scenario.network == spec
    report = evaluate(scenario.build())
    host = report.case.network.link_class("host").links
    # Half of the load over each of two links: every node sends three messages of 1/4.
    assert report.load[host][report.load[host] > 0] == pytest.approx(3 / 4 / 2)
    assert report.case.network.nics is None
    assert decode(encode(scenario)).network == spec


def test_snapshots_are_updated():
    state = json.loads(content(DRAGONFLY))
    del state["fabriscope"]
    scenario = decode(content(TREE, snapshots=[{"name": "A", **state}]))
    assert scenario.snapshots[0].kept.network == Dragonfly(4, 2, 5, 2, links_per_node=2)


def test_new_files_mean_hosts():
    few = {"type": "dragonfly", "groups": 5, "nodes_per_router": 2, "nics": 2}
    every = {**DRAGONFLY, "links_per_node": 1}
    for network in (few, every):
        spec = decode(content(network)).network
        assert (spec.nics, spec.links_per_node) == (2, 1)
        assert np.array_equal(spec.build().nics, np.full(20, 2))


@pytest.mark.parametrize(
    "text",
    [b'{"network": {"type": ["fat-tree"], "nics": 2}}', b'{"network": [], "nics": 1}', b'[{"nics": 1}]', b'{"nics"'],
)
def test_other_content_is_refused_as_before(text):
    with pytest.raises(SpecError):
        decode(text)


def test_repeated_keys_are_refused():
    with pytest.raises(SpecError, match="'nics' occurs twice"):
        decode(content(TREE).replace(b'"nics"', b'"nics": 1, "nics"'))
