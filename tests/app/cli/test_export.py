"""`export`: every format is listed, written to the given place, and read again; refusals are one line."""

import json

import pytest

from app.cli.main import main
from core.files import write_scenario
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree
from core.routing import Minimal

KINDS = (
    "openmpi-rankfile", "prrte-rankfile", "mpich-rank-order", "slurm-hostfile", "hostfile", "hydra-hosts", "bgq-map",
    "task-geometry", "poe-host-list", "vcoord", "flux-taskmap", "scotch-map", "permutation",
    "scotch-graph", "metis-graph", "edge-list", "graphml", "dot", "simgrid-xml", "slurm-topology-conf",
    "slurm-topology-yaml", "booksim-anynet", "sst-json",
    "scotch-target", "links-csv", "links-parquet", "links-npz", "dragonview-csv",
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
    assert out.read_text().startswith("graph network {\n")


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
