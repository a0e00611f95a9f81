"""Arguments instead of a scenario file: names of presets, and choices in short form."""

import json

import pytest

from app.cli.main import main
from app.storage.presets import preset
from core.files import write_scenario

TORUS = ["--network", "torus:dims=4x4,slots_per_node=2"]
PLAIN = {
    "fabriscope": 1,
    "network": {"type": "torus", "dims": [4, 4], "slots_per_node": 2},
    "job": {"type": "halo", "rows": 4, "cols": 8},
    "mapping": {"type": "random", "seed": 3},
    "routing": {"type": "dimension-order"},
}


@pytest.fixture
def file(tmp_path):
    def write(scenario, name="plain.fabriscope.json"):
        (tmp_path / name).write_text(json.dumps(scenario))
        return str(tmp_path / name)

    return write


def figures(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


@pytest.mark.parametrize("command", ["evaluate", "timeline", "explain"])
def test_choices_in_short_form_equal_those_of_a_file(command, file, capsys):
    spelled = [*TORUS, "--job", "halo:rows=4,cols=8", "--mapping", "random:seed=3", "--routing", "dimension-order"]
    assert figures(capsys, command, *spelled) == figures(capsys, command, file(PLAIN))


def test_default_choices_equal_those_of_compare(capsys):
    network = TORUS[1]
    (row,) = figures(capsys, "compare", network)["networks"]
    assert figures(capsys, "evaluate", *TORUS)["throughput_gbs"] == pytest.approx(row["throughput_gbs"])
    (row,) = figures(capsys, "compare", network, "--job", "halo")["networks"]
    evaluated = figures(capsys, "evaluate", *TORUS, "--job", "halo")
    assert evaluated["throughput_gbs"] == pytest.approx(row["throughput_gbs"])
    assert evaluated["tasks"] == 32


def test_choices_override_the_file(file, capsys):
    changed = PLAIN | {"mapping": {"type": "sequential"}}
    evaluated = figures(capsys, "evaluate", file(PLAIN), "--mapping", "sequential")
    assert evaluated == figures(capsys, "evaluate", file(changed))
    assert evaluated != figures(capsys, "evaluate", file(PLAIN))


def test_a_job_without_fields_uses_every_slot_of_the_job(file, capsys):
    given = PLAIN | {"allocation": "0-3,8-11"}
    assert figures(capsys, "evaluate", file(given), "--job", "all-to-all")["tasks"] == 16
    assert figures(capsys, "evaluate", file(given), "--job", "all-to-all:tasks=5")["tasks"] == 5


def test_nodes_have_the_same_syntax_as_in_the_file(file, tmp_path, monkeypatch, capsys):
    places = {"hosts": "n[01-16]", "allocation": "n[05-08,01]", "down": ["n06"]}
    spelled = ["--hosts", "n[01-16]", "--allocation", "n[05-08,01]", "--down", "n06", "--job", "halo:rows=2,cols=4"]
    given = PLAIN | places | {"job": {"type": "halo", "rows": 2, "cols": 4}}
    explained_file = figures(capsys, "explain", file(given))
    assert figures(capsys, "explain", file(PLAIN), *spelled) == explained_file
    # An empty list, as a script may produce, is valid and overrides the file: no node is down.
    bare = figures(capsys, "evaluate", file(PLAIN))
    assert figures(capsys, "evaluate", file(PLAIN | {"down": ["0"]}), "--down", "") == bare
    assert explained_file["links"][0]["from"].startswith("n")
    (tmp_path / "names.txt").write_text("n[01-16]\n")
    monkeypatch.chdir(tmp_path)
    assert figures(capsys, "explain", file(PLAIN), "--hosts", "file=names.txt", *spelled[2:]) == explained_file
    assert figures(capsys, "evaluate", *TORUS, *spelled[:6])["tasks"] == 8


@pytest.mark.parametrize("command", ["evaluate", "metrics", "timeline"])
def test_a_preset_is_found_by_its_name(command, tmp_path, capsys):
    path = tmp_path / "p.fabriscope.json"
    write_scenario(path, preset("hypercube-64-nodes"))
    assert figures(capsys, command, "hypercube-64-nodes") == figures(capsys, command, str(path))


def test_a_preset_keeps_its_traffic_in_compare(capsys):
    (row,) = figures(capsys, "compare", "hypercube-64-nodes", "--job", "own")["networks"]
    own = figures(capsys, "evaluate", "hypercube-64-nodes")
    assert (row["name"], row["throughput_gbs"]) == ("hypercube-64-nodes", pytest.approx(own["throughput_gbs"]))


def test_a_file_of_a_preset_s_name_is_that_file(file, tmp_path, monkeypatch, capsys):
    file(PLAIN, "hypercube-64-nodes")
    monkeypatch.chdir(tmp_path)
    assert figures(capsys, "evaluate", "hypercube-64-nodes")["tasks"] == 32


def test_a_scenario_in_short_form_can_be_optimised_and_written(tmp_path, capsys):
    out = tmp_path / "better.fabriscope.json"
    optimised = figures(capsys, "optimise", *TORUS, "--job", "halo:rows=4,cols=8", "--steps", "50", "--out", str(out))
    assert figures(capsys, "evaluate", str(out))["throughput_gbs"] == pytest.approx(optimised["throughput_gbs"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "FILE: give a scenario file, a preset or a --network"),
        (["--job", "halo"], "FILE: give a scenario file, a preset or a --network"),
        (["hypercube-64-node"], "FILE: no such file or preset: 'hypercube-64-node'; did you mean hypercube-64-nodes?"),
        (["--network", "taurus"], "--network: 'taurus' is not known; did you mean torus?"),
        ([*TORUS, "--mapping", "random:seed=x"], "--mapping: random: seed must be a whole number from 0"),
        ([*TORUS, "--job", "halo:rows=9,cols=9"], "mapping: "),
        ([*TORUS, "--allocation", "n1"], "allocation: "),
        # As from an unset shell variable, which must not mean all nodes.
        (
            [*TORUS, "--allocation", ""],
            "--allocation: is empty; give the nodes of the job, by name or number, such as n[0001-0040,0050]",
        ),
        ([*TORUS, "--hosts", "n[1-3]"], "hosts: has 3 names; the network has 16 nodes"),
        (["none.json"], "file: none.json cannot be read"),
    ],
)
def test_errors_are_one_line(arguments, words, capsys):
    assert main(["evaluate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"fabriscope: {words}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "file: a.fabriscope.json is not a valid scenario: the file is empty"),
        ("n1\nn2\n", "file: a.fabriscope.json is not a valid scenario: "),
        (
            json.dumps(PLAIN | {"alocation": "0-3"}),
            "alocation: a scenario has no field 'alocation'; did you mean allocation? fields: ",
        ),
    ],
)
def test_other_files_are_refused_by_name(text, words, tmp_path, capsys):
    path = tmp_path / "a.fabriscope.json"
    path.write_text(text)
    assert main(["evaluate", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"fabriscope: {words}")


def test_a_misspelt_command_has_a_suggestion(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["evalute", "a.json"])
    err = capsys.readouterr().err
    assert err.startswith(
        "fabriscope: argument COMMAND: 'evalute' is not known; did you mean evaluate? choices: window, "
    )
    assert err.count("\n") == 1
