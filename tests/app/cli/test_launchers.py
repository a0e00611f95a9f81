"""Launchers follow the files written for them, if installed."""

import json
import os
import platform
import re
import shutil
import subprocess

import numpy as np
import pytest

from app.cli.main import main
from core.hostlist import compress, expand
from core.mapping.formats.openmpi_hostfile import read_openmpi_hostfile
from core.mapping.formats.ranks import LaunchNodes
from core.network import Complete
from core.network.hosts import named
from core.spec import SpecError

CORES = min(len(os.sched_getaffinity(0)), 4) if hasattr(os, "sched_getaffinity") else 1


def started(tmp_path, kind, slots, *options, **mapping):
    """The rank and the cores of each rank that Open MPI starts with an exported file, on this of four machines."""
    scenario = {
        "fabriscope": 1,
        "network": {"type": "torus", "dims": [2, 2], "slots_per_node": CORES},
        "job": {"type": "all-to-all", "tasks": len(slots)},
        "mapping": {"type": "explicit", "slots": slots, **mapping},
        "routing": {"type": "dimension-order"},
        "hosts": f"other[1-1],{platform.node()},other[3-4]",
        "allocation": "1",
    }
    (tmp_path / "job.fabriscope.json").write_text(json.dumps(scenario))
    ranks = tmp_path / "ranks.txt"
    assert main(["export", str(tmp_path / "job.fabriscope.json"), "--to", kind, "--out", str(ranks)]) == 0
    # In a single write, so that lines of other ranks cannot interrupt it.
    line = "' '.join([os.environ['OMPI_COMM_WORLD_RANK'], *map(str, sorted(os.sched_getaffinity(0)))]) + chr(10)"
    program = f"import os; os.write(1, ({line}).encode())"
    command = ["mpirun", "--allow-run-as-root", *options, str(ranks), "-np", str(len(slots)), "python3", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return sorted(tuple(map(int, line.split())) for line in run.stdout.splitlines())


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")
def test_open_mpi_places_ranks_as_the_rankfile_requests(tmp_path):
    slots = list(range(2 * CORES - 1, CORES - 1, -1))
    cores = started(tmp_path, "openmpi-rankfile", slots, "--rankfile")
    assert cores == [(rank, CORES - 1 - rank) for rank in range(CORES)]


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")
def test_open_mpi_gives_ranks_all_their_cores(tmp_path):
    cores = started(tmp_path, "openmpi-rankfile", [CORES], "--rankfile", cores_per_rank=CORES)
    assert cores == [(0, *range(CORES))]


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")
def test_open_mpi_starts_ranks_of_a_sequence_without_binding(tmp_path):
    slots = list(range(2 * CORES - 1, CORES - 1, -1))
    cores = started(tmp_path, "openmpi-sequence", slots, "--map-by", "seq", "--bind-to", "none", "--hostfile")
    assert cores == [(rank, *sorted(os.sched_getaffinity(0))) for rank in range(CORES)]


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")
@pytest.mark.parametrize(
    "text",
    [
        *("{0} slots=3", "{0}", "{0}\n{0}\n{0}", "{0} slots=2\n{0}", "{0} max-slots=3", "{0} count=3 // three"),
        *("me@{0} cpu=1 port=22", "{0} slots = 2 # two", "{0} slots=2\n{0} slots=2", "{0}\n{0} slots=2"),
        *("{0} slots=4 max_slots=2", "{0} x=1", "{0}:3"),
    ],
)
def test_open_mpi_counts_the_slots_of_a_hostfile_alike(tmp_path, text):
    hosts = tmp_path / "hosts.txt"
    hosts.write_text(text.format(platform.node()) + "\n")
    command = ["mpirun", "--allow-run-as-root", "--display-allocation", "--hostfile", str(hosts), "-np", "1", "true"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    network = named(Complete(nodes=2, slots_per_node=os.cpu_count()).build(), f"other,{platform.node()}", None)
    machine = LaunchNodes(network, np.arange(2, dtype=np.int32), 100, 1)
    if run.returncode:
        with pytest.raises(SpecError):
            read_openmpi_hostfile(hosts.read_text(), machine)
    else:
        slots = re.search(r"slots=(\d+) max_slots", run.stdout)[1]
        assert len(read_openmpi_hostfile(hosts.read_text(), machine).host) == int(slots)


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
