"""`metrics`: figures of a network, or of the network in a scenario file."""

import json

import pytest

from app.cli.main import main
from app.cli.networks import entry_of


@pytest.fixture
def file(tmp_path):
    def write(**parts):
        path = tmp_path / "net.fabriscope.json"
        path.write_text(json.dumps(parts))
        return str(path)

    return write


def figures(capsys, *arguments):
    assert main(["metrics", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_json_has_these_keys(file, capsys):
    printed = figures(capsys, file(fabriscope=1, network={"type": "torus", "dims": [4, 4], "gbs": 2}))
    cost = printed.pop("cost")
    cable = printed.pop("cable")
    assert printed == {
        "nodes": 16,
        "switches": 16,
        "switch_vertices": 0,
        "links": 32,
        "pairs": 32,
        "cables": 32,
        "directed_links": 64,
        "arcs": 64,
        "loops": 0,
        "degree_min": 4,
        "degree_max": 4,
        "connected": True,
        "components": 1,
        "component_nodes": [16],
        "diameter": 4,
        "aspl": pytest.approx(32 / 15),
        "aspl_exact": "32/15",
        "distance_sum": 512,
        "bisection": {
            "links": 8,
            "gbs": 16.0,
            "declared": True,
            "note": "declared by the family: bisection along X",
        },
        "notes": [],
    }
    assert (cable["cables"], cable["cabinets"], cable["rows"], cable["columns"]) == (32, 2, 2, 1)
    assert cable["total_m"] == pytest.approx(cable["inside_cabinets"] + 4.1 * (32 - cable["inside_cabinets"]))
    assert cost["total"] == pytest.approx(cost["switches"] + cost["cables"])
    assert (cost["ports"], cost["unit"]) == (80, "$")


def test_only_the_network_is_read(file, capsys):
    network = {"type": "circulant", "nodes": 16, "jumps": [1, 2, 4, 8]}
    alone = figures(capsys, file(network=network))
    assert (alone["links"], alone["diameter"]) == (56, 2)
    broken = file(fabriscope=1, network=network, job={"type": "no such"}, mapping=7, more=[])
    assert figures(capsys, broken) == alone
    assert figures(capsys, "circulant:nodes=16,jumps=1,2,4,8") == alone


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"job": {}}, "network: is missing; give an object with a type; types: percs, torus"),
        ({"network": {"type": "taurus"}}, "network.type: unknown type 'taurus'; did you mean torus?"),
        ({"network": {"type": "torus", "dims": []}}, "network.dims: "),
        (
            {"network": {"type": "torus", "dim": 3}},
            "network.dim: torus has no field 'dim'; did you mean dims? fields: type, dims",
        ),
        (
            {"network": {"type": "circulant", "nodes": 8, "jumps": [5]}},
            "network.jumps: has 5; must be at most 4 for 8 nodes",
        ),
        ({"network": {"type": "torus"}, "fabriscope": 2}, "fabriscope: must be 1"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_the_field(file, capsys, parts, words):
    assert main(["metrics", file(**parts)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"fabriscope: {words}")
    assert err.count("\n") == 1


def test_prices_and_floor_are_options(file, capsys):
    path = file(network={"type": "mesh", "dims": [16]})
    usual, dearer = figures(capsys, path), figures(capsys, path, "--prices", "switch=3000,depth=10")
    assert dearer["cost"]["switches"] - usual["cost"]["switches"] == pytest.approx(16 * 1000)
    assert dearer["cable"]["longest_m"] - usual["cable"]["longest_m"] == pytest.approx(10 - 2.1)
    assert main(["metrics", path, "--prices", "switch=cheap"]) == 2
    assert "--prices: switch must be a number from 0 to 1,000,000,000 $, not 'cheap'" in capsys.readouterr().err


def test_text(file, capsys):
    assert main(["metrics", file(network={"type": "torus", "dims": [2, 4]})]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Torus: 2 × 4 = 8 nodes"
    words = dict(line.split(maxsplit=1) for line in lines[1:])
    assert words["switches"] == "8, one in each node"
    assert words["links"] == "16 cables between 12 connected pairs of vertices"
    assert words["directed"] == "links  32 (8 parallel)"
    assert words["diameter"] == "3 hops"
    assert words["ASPL"] == "1.714286 hops = 12/7"
    assert "assumed" in words["note:"]


def test_hosts_with_several_nics_are_counted_apart(capsys):
    printed = figures(capsys, "dragonfly:groups=3,nodes_per_router=4,nics=2,links_per_node=3")
    assert (printed["hosts"], printed["nodes"], printed["switches"], printed["switch_vertices"]) == (24, 48, 12, 12)
    # 18 local, 3 pairs of groups with 4 global links each, and 48 nodes.
    assert (printed["links"], printed["pairs"], printed["cables"]) == (18 + 12 + 48, 78, 18 + 12 + 3 * 48)
    assert main(["metrics", "dragonfly:groups=3,nodes_per_router=4,nics=2,links_per_node=3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Dragonfly: 24 hosts, 48 endpoints, 12 routers, ")
    assert lines[1].split() == ["hosts", "24"]
    assert lines[2].split(maxsplit=1) == ["nodes", "48 endpoints, 2 in each host"]
    assert lines[4].split(maxsplit=1) == ["links", "174 cables between 78 connected pairs of vertices"]


@pytest.mark.parametrize(
    ("machine", "hosts", "nics"),
    [("Frontier", 9472, 4), ("Aurora", 10624, 8), ("LUMI-G", 3072, 4), ("DGX SuperPOD", 128, 8)],
)
def test_machines_have_hosts(machine, hosts, nics):
    network = entry_of(machine).network.build()
    assert network.host_slots.count == hosts
    assert (network.nics == nics).all()


def test_text_has_loops_and_a_range_of_degrees(file, capsys):
    assert main(["metrics", "clex:k=2,levels=2"]) == 0
    assert "(2 loops" in capsys.readouterr().out
    assert main(["metrics", "fat-tree:arity=2,levels=2"]) == 0
    out = capsys.readouterr().out
    assert "1 to 4" in out
    assert "one in each node" not in out


def test_the_contents_of_an_imported_file_are_notes(tmp_path, capsys):
    (tmp_path / "net.dot").write_text("graph { a -- b; b -- c; a -- a2 [capacity=4] }")
    network = f"edges:file={tmp_path / 'net.dot'}"
    notes = figures(capsys, network)["notes"]
    assert notes[:2] == ["net.dot: a DOT graph, 4 nodes, 0 switches, 3 cables", "3 links of 12.5 GB/s"]
    assert "'capacity'" in notes[2]
    assert main(["metrics", network, "-v"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"read: {note}" for note in notes[:2]]
    assert f"note: {notes[2]}" in lines


def test_the_network_may_be_an_option_as_in_other_commands(capsys):
    expected = figures(capsys, "torus:dims=3x3")
    assert figures(capsys, "--network", "torus:dims=3x3") == expected
    for arguments, words in (([], "NETWORK: is missing"), (["torus", "--network", "torus"], "NETWORK: is given twice")):
        assert main(["metrics", *arguments]) == 2
        assert words in capsys.readouterr().err
