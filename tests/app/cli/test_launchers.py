"""Launchers follow the files written for them, if installed."""

import json
import os
import platform
import shutil
import subprocess

import pytest

from app.cli.main import main
from core.hostlist import compress, expand

CORES = min(len(os.sched_getaffinity(0)), 4) if hasattr(os, "sched_getaffinity") else 1


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")
def test_open_mpi_places_ranks_as_the_rankfile_requests(tmp_path):
    # The job has one of four nodes, which is this machine.
    scenario = {
        "fabriscope": 1,
        "network": {"type": "torus", "dims": [2, 2], "slots_per_node": CORES},
        "job": {"type": "all-to-all", "tasks": CORES},
        "mapping": {"type": "explicit", "slots": list(range(2 * CORES - 1, CORES - 1, -1))},
        "routing": {"type": "dimension-order"},
        "hosts": f"other[1-1],{platform.node()},other[3-4]",
        "allocation": "1",
    }
    (tmp_path / "job.fabriscope.json").write_text(json.dumps(scenario))
    ranks = tmp_path / "ranks.txt"
    assert main(["export", str(tmp_path / "job.fabriscope.json"), "--to", "openmpi-rankfile", "--out", str(ranks)]) == 0
    # In a single write, so that lines of other ranks cannot interrupt it.
    line = "' '.join([os.environ['OMPI_COMM_WORLD_RANK'], *map(str, os.sched_getaffinity(0))]) + chr(10)"
    program = f"import os; os.write(1, ({line}).encode())"
    command = ["mpirun", "--allow-run-as-root", "--rankfile", str(ranks), "-np", str(CORES), "python3", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    cores = sorted(tuple(map(int, line.split())) for line in run.stdout.splitlines())
    assert cores == [(rank, CORES - 1 - rank) for rank in range(CORES)]


@pytest.mark.skipif(shutil.which("scontrol") is None, reason="Slurm is not installed")
@pytest.mark.parametrize("text", ["n[001-003,200],login1", "n[9-11]", "r[0-1]n[0-1]", "a1,a01,a[2-4]"])
def test_slurm_reads_host_lists_alike(text, tmp_path):
    (tmp_path / "slurm.conf").write_text("ClusterName=test\nSlurmctldHost=localhost\n")

    def shown(what, of):
        command = ["scontrol", "show", what, of]
        env = os.environ | {"SLURM_CONF": str(tmp_path / "slurm.conf")}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout.split()

    assert shown("hostnames", text) == expand(text)
    assert shown("hostlist", ",".join(expand(text))) == [compress(expand(text))]
