"""`export`: every format is listed, written to the given place, and read again; refusals are one line."""

import json
from pathlib import Path

import pytest

from app.cli.main import main
from core.files import read_scenario, write_scenario
from core.files.digest import source_of
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree
from core.routing import Minimal

KINDS = (
    "openmpi-rankfile", "prrte-rankfile", "openmpi-sequence", "mpich-rank-order", "slurm-hostfile", "hostfile",
    "hydra-hosts", "bgq-map", "task-geometry", "poe-host-list", "vcoord", "flux-taskmap", "scotch-map", "permutation",
    "scotch-graph", "metis-graph", "edge-list", "graphml", "dot", "simgrid-xml", "slurm-topology-conf",
    "slurm-topology-yaml", "booksim-anynet", "sst-json",
    "scotch-target", "opensm-lfts", "links-csv", "links-parquet", "links-npz", "dragonview-csv",
)  # fmt: skip


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "example.fabriscope.json"
    write_scenario(path, Scenario(FatTree(2, 2), Halo(2, 2), Random(seed=1), Minimal()))
    return str(path)


def test_all_kinds_are_listed(capsys):
    assert main(["export", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert tuple(line.split()[0] for line in lines) == KINDS
    assert all(len(line.split()) > 3 for line in lines)
    assert main(["export", "--list", "--json"]) == 0
    assert tuple(row["kind"] for row in json.loads(capsys.readouterr().out)) == KINDS


def test_a_kind_is_written_to_a_file_or_to_standard_output(example, tmp_path, capfdbinary):
    out = tmp_path / "net.dot"
    assert main(["export", example, "--to", "dot", "--out", str(out)]) == 0
    assert capfdbinary.readouterr() == (f"written: {out}\n".encode(), b"")
    for more in ([], ["--out", "-"]):
        assert main(["export", example, "--to", "dot", *more]) == 0
        assert capfdbinary.readouterr() == (out.read_bytes(), b"")
    comment, rest = out.read_text().split("\n", 1)
    assert comment == f"// {source_of(read_scenario(Path(example)))}"
    assert rest.startswith("graph network {\n")


def test_losses_are_reported(example, capsys):
    assert main(["export", example, "--to", "edge-list"]) == 0
    assert capsys.readouterr().err == "fabriscope: lost in edge-list: which vertices are switches\n"
    assert main(["export", example, "--to", "edge-list", "-q"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "edgelist"], "--to: unknown format 'edgelist'; did you mean edge-list? formats: "),
        ([], "--to: is missing; give a format, see --list"),
        (["--to", "dot", "--of", "job"], "--of: dot holds the network, not the job"),
        (["--to", "dot", "--out", "none/net.dot"], "--out: none/net.dot cannot be written: its folder does not exist"),
    ],
)
def test_invalid_input_is_one_line(example, arguments, words, capsys):
    assert main(["export", example, *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_cores_of_a_rank_file_are_exported_unchanged(tmp_path, monkeypatch, capfd):
    # From nvanhilten/Evo-MD: two ranks on the even and the odd cores of a node.
    monkeypatch.chdir(tmp_path)
    text = "rank 0=localhost slot=0,2,4,6,8,10\nrank 1=localhost slot=1,3,5,7,9,11\n"
    (tmp_path / "evomd.rankfile").write_text(text)
    scenario = {
        "fabriscope": 1,
        "network": {"type": "torus", "dims": [3], "slots_per_node": 12},
        "job": {"type": "all-to-all", "tasks": 2},
        "mapping": {"type": "file", "file": "evomd.rankfile"},
        "routing": {"type": "dimension-order"},
        "hosts": "other,localhost,more",
    }
    (tmp_path / "a.fabriscope.json").write_text(json.dumps(scenario))
    assert main(["export", "a.fabriscope.json", "--to", "openmpi-rankfile"]) == 0
    out, err = capfd.readouterr()
    comment, exported = out.split("\n", 1)
    assert comment == f"# {source_of(read_scenario(Path('a.fabriscope.json')))}"
    assert (exported, err) == (text, "")
    assert main(["evaluate", "a.fabriscope.json", "--json"]) == 0
    note = (
        "cores such as 0,2,4,6,8,10 of rank 0 are exported unchanged; "
        "after a change of the mapping each rank gets 6 successive cores"
    )
    assert note in json.loads(capfd.readouterr().out)["notes"]


def test_ranks_without_enough_cores_are_noted_and_not_exported(tmp_path, capfd):
    scenario = {
        "fabriscope": 1,
        "network": {"type": "torus", "dims": [2], "slots_per_node": 4},
        "job": {"type": "all-to-all", "tasks": 3},
        "mapping": {"type": "explicit", "slots": [0, 1, 4], "cores_per_rank": 3},
        "routing": {"type": "dimension-order"},
    }
    path = tmp_path / "a.fabriscope.json"
    path.write_text(json.dumps(scenario))
    words = "n0 has 2 ranks of 3 cores, but 4 slots"
    assert main(["evaluate", str(path), "--json"]) == 0
    assert words in json.loads(capfd.readouterr().out)["notes"]
    assert main(["export", str(path), "--to", "openmpi-rankfile"]) == 2
    assert capfd.readouterr().err.rstrip().endswith(f"mapping.cores_per_rank: {words}; place fewer ranks on a node")
    assert main(["export", str(path), "--to", "openmpi-sequence"]) == 0
    assert capfd.readouterr().out == f"# {source_of(read_scenario(path))}\nn0\nn0\nn1\n"


FABRIC = Path(__file__).parents[2] / "data" / "infiniband" / "degraded" / "ibnetdiscover.txt"


def test_computed_tables_are_written_and_used(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.txt").write_text(FABRIC.read_text())
    network = ["--network", "edges:file=fabric.txt"]
    for engine, most in (("up-down", 96), ("d-mod-k", 104), ("sssp", 96), ("minhop", 96)):
        assert main(["export", *network, "--to", "opensm-lfts", "--engine", engine, "--out", "a.lfts"]) == 0
        capsys.readouterr()
        assert main(["routes", *network, "--routing", "tables:file=a.lfts", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["all_to_all_max"] == most
    again = ["export", *network, "--routing", "tables:file=a.lfts", "--to", "opensm-lfts", "--out", "b.lfts"]
    assert main(again) == 0
    assert (tmp_path / "b.lfts").read_text() == (tmp_path / "a.lfts").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "opensm-lfts"], "network: forwarding tables need an InfiniBand fabric with LIDs, such as"),
        (["--to", "opensm-lfts", "--engine", "sssp"], "network: forwarding tables need an InfiniBand fabric with LIDs"),
        (["--to", "dot", "--engine", "sssp"], "--engine: computes forwarding tables, which dot does not hold; give --"),
    ],
)
def test_tables_that_cannot_be_computed_are_refused(example, arguments, words, capsys):
    assert main(["export", example, *arguments]) == 2
    output, errors = capsys.readouterr()
    assert (output, errors.count("\n")) == ("", 1)
    assert words in errors
