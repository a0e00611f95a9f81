"""`routes`: figures of the paths of a single-path routing."""

import json

import pytest

from app.cli.main import main
from core.figures.routes import Routed, route_figures
from core.network import FatTree
from core.routing import DModK

TREE = ["--network", "fat-tree:arity=4,levels=2", "--routing", "d-mod-k"]


def figures(capsys, *arguments):
    assert main(["routes", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_json_has_these_keys(capsys):
    printed = figures(capsys, *TREE, "--draws", "50", "--seed", "4")
    ebb = printed.pop("ebb")
    assert printed == {
        "pairs": 240,
        "unreachable": 0,
        "mean_hops": 3.6,
        "max_hops": 4,
        "detours": 0,
        "all_to_all_max": 12,
        "all_to_all_mean": 12.0,
        "hottest_link": "L1-L2 L1 switch 0 → L2 switch 0",
        "switch_links": 32,
        "unused_links": 0,
        "balance": {"leaves": 4, "even": 4, "max_spread": 0, "mean_spread": 0.0, "worst": "L1 switch 0"},
        "deadlock": {"free": True, "cycle": [], "lanes": 1, "free_on_lanes": True, "lanes_needed": 1},
        "disconnected": [],
        "notes": [],
    }
    computed = route_figures(Routed(DModK().router(FatTree(arity=4, levels=2).build()), 50, 4)).ebb
    assert ebb == {name: getattr(computed, name) for name in ("mean", "min", "max", "deviation", "draws", "seed")}
    assert (ebb["draws"], ebb["seed"]) == (50, 4)


def test_text(capsys):
    assert main(["routes", *TREE, "--draws", "50"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Fat tree: 16 nodes")
    assert lines[1].startswith("D-mod-k: one path per pair")
    words = {line[:15].strip(): line[15:] for line in lines[2:]}
    assert words["pairs"] == "240 ordered pairs of nodes, all of them connected"
    assert words["hops"] == "mean 3.600, at most 4; 0 detours"
    assert words["all-to-all"].startswith(
        "at most 12 flows on a switch link, 12.00 on average over used links; hottest"
    )
    assert words["unused links"] == "0 of 32 switch links"
    assert "of a link's bandwidth, mean of 50 random matchings from " in words["bisection"]
    assert words["deadlock"] == "free with one virtual lane"
    assert words["leaf switches"] == (
        "4 of 4 spread destinations evenly over their links; largest difference 0 destinations"
    )


def test_text_of_a_network_without_switches(capsys):
    assert main(["routes", "--network", "torus:dims=3x3", "--routing", "dimension-order"]) == 0
    out = capsys.readouterr().out
    assert "at most 3 flows on a link, " in out
    assert "0 of 36 links\n" in out
    assert "leaf switches" not in out


def test_a_cycle_of_links_is_printed(capsys):
    ring = ["--network", "torus:dims=5x5", "--routing", "dimension-order"]
    deadlock = figures(capsys, *ring)["deadlock"]
    assert (deadlock["free"], deadlock["lanes"], deadlock["free_on_lanes"]) == (False, 2, True)
    assert deadlock["cycle"] == [[f"({k},0)", f"({(k + 1) % 5},0)"] for k in range(5)]
    assert main(["routes", *ring]) == 0
    assert "possible with one virtual lane, over the cycle (0,0) → (1,0), (1,0) → (2,0)" in capsys.readouterr().out


def test_virtual_lanes_by_first_fit_are_printed(capsys):
    ring = ["--network", "torus:dims=7", "--routing", "minimal"]
    deadlock = figures(capsys, *ring)["deadlock"]
    assert (deadlock["lanes"], deadlock["free_on_lanes"], deadlock["lanes_needed"]) == (1, False, 2)
    assert main(["routes", *ring]) == 0
    assert "; free with 2 virtual lanes by first fit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("network", "routing", "lanes"),
    [
        ("torus:dims=4x4x4", "dimension-order", 2),
        ("dragonfly", "group-minimal:spread=equal", 2),
        ("percs:supernodes=4", "percs-direct", 2),
        ("percs:supernodes=4", "percs-indirect", 3),
    ],
)
def test_deadlocks_of_several_paths(capsys, network, routing, lanes):
    several = ["--network", network, "--routing", routing, "--deadlock"]
    deadlock = figures(capsys, *several)
    assert (deadlock["free"], deadlock["free_on_lanes"], deadlock["lanes"]) == (False, True, lanes)
    assert main(["routes", *several]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("possible with one virtual lane, over the cycle ")
    assert line.endswith(f"; free with the {lanes} virtual lanes of the scheme")


def test_clex_in_its_order_needs_one_lane(capsys):
    assert main(["routes", "--network", "clex", "--routing", "clex:scheme=ordered", "--deadlock"]) == 0
    assert capsys.readouterr().out == "free with one virtual lane\n"


def test_only_network_routing_and_faults_are_built(tmp_path, capsys):
    path = tmp_path / "rings.fabriscope.json"
    parts = {
        "network": {"type": "circulant", "nodes": 8, "jumps": [2, 4]},
        "job": {"type": "all-to-all", "tasks": 99},  # more tasks than slots
        "mapping": {"type": "sequential"},
        "routing": {"type": "minimal"},
    }
    path.write_text(json.dumps({"fabriscope": 1, **parts}))
    printed = figures(capsys, str(path))
    assert (printed["pairs"], printed["unreachable"], len(printed["disconnected"])) == (56, 32, 10)
    assert printed["disconnected"][0]["reason"] == "in different connected components"
    assert main(["routes", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].endswith("56 ordered pairs of nodes, 32 of them disconnected")
    assert lines[-2].startswith("disconnected: node ")
    assert lines[-1] == "... and 22 more disconnected pairs"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--network", "torus:dims=4x4", "--routing", "dimension-order"], "routing.type: splits flows over several"),
        (["--network", "torus:dims=4x4"], "choose a scheme with a single path: tables with one NIC"),
        (["--network", "torus:dims=4x4", "--routing", "d-mod-k"], "d-mod-k supports fat-tree and xgft networks only"),
        (["--network", "clex", "--routing", "clex", "--deadlock"], "deadlock freedom is checked for single paths"),
        ([*TREE, "--draws", "0"], "--draws: must be a whole number from 1 to 100,000"),
        ([*TREE, "--seed", "-1"], "--seed: must be a whole number from 0 to 2,147,483,647"),
        (["nothing"], "FILE: no such file or preset"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, words):
    try:
        status = main(["routes", *arguments])
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
